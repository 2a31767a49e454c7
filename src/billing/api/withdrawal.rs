//! What the calls of withdrawal take and give.

use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};

use super::super::{Offer, Withdrawal};
use super::wire::PlanName;

/// Where a refund is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
#[oai(rename = "RefundStatus", rename_all = "snake_case")]
pub(crate) enum RefundName {
    /// On its way back.
    Done,
    /// It waits for the payment provider to answer.
    Pending,
}

/// A contract from which its buyer may still withdraw. Amounts are cents of a euro.
#[derive(Object)]
#[oai(rename = "WithdrawalOffer")]
pub(crate) struct OfferBody {
    /// What names it in `withdraw`.
    contract: String,
    /// What was bought.
    plan: PlanName,
    /// RFC 3339 in UTC.
    bought_at: String,
    /// The first moment at which it is too late, RFC 3339 in UTC.
    deadline: String,
    paid_cents: i64,
    /// What would be paid back now.
    refund_cents: i64,
    /// Days of Italy that were used, that of the purchase not counted.
    days_used: i64,
    /// Days of Italy that were paid for.
    days_total: i64,
    /// The buyer asked for the service to begin at once; otherwise everything is paid back.
    immediate_start: bool,
}

impl From<Offer> for OfferBody {
    fn from(offer: Offer) -> Self {
        Self {
            contract: offer.contract,
            plan: offer.plan.into(),
            bought_at: offer.bought_at.to_string(),
            deadline: offer.deadline.to_string(),
            paid_cents: offer.paid_cents,
            refund_cents: offer.refund_cents,
            days_used: offer.days_used,
            days_total: offer.days_total,
            immediate_start: offer.immediate_start,
        }
    }
}

/// The receipt of a withdrawal. Amounts are cents of a euro.
#[derive(Object)]
#[oai(rename = "WithdrawalReceipt", example)]
pub(crate) struct ReceiptBody {
    /// Its number.
    receipt: String,
    /// The contract that was withdrawn from.
    contract: String,
    /// What was bought.
    plan: PlanName,
    /// Who declared it.
    name: String,
    /// Where the receipt goes.
    address: String,
    /// RFC 3339 in UTC.
    bought_at: String,
    /// RFC 3339 in UTC.
    declared_at: String,
    paid_cents: i64,
    refund_cents: i64,
    /// Where the refund is.
    refund_status: RefundName,
}

impl ReceiptBody {
    pub(super) fn new(contract: String, withdrawal: Withdrawal) -> Self {
        let number = withdrawal.id.simple().to_string().to_uppercase();
        Self {
            receipt: format!("R-{}", number.get(..10).unwrap_or(&number)),
            contract,
            plan: withdrawal.plan.into(),
            name: withdrawal.name,
            address: withdrawal.address,
            bought_at: withdrawal.bought_at.to_string(),
            declared_at: withdrawal.declared_at.to_string(),
            paid_cents: withdrawal.paid_cents,
            refund_cents: withdrawal.refund_cents,
            refund_status: if withdrawal.carried_out { RefundName::Done } else { RefundName::Pending },
        }
    }
}

impl Example for ReceiptBody {
    fn example() -> Self {
        Self {
            receipt: "R-4F2A9C1B7E".into(),
            contract: "sub_1".into(),
            plan: PlanName::Monthly,
            name: "Anna Bianchi".into(),
            address: "anna.bianchi@example.it".into(),
            bought_at: "2026-11-21T09:30:00Z".into(),
            declared_at: "2026-11-24T16:05:00Z".into(),
            paid_cents: 999,
            refund_cents: 900,
            refund_status: RefundName::Done,
        }
    }
}

/// What can be withdrawn from, and what was.
#[derive(Object)]
#[oai(example)]
pub(crate) struct WithdrawalsResponse {
    /// What can still be withdrawn from.
    pub(super) contracts: Vec<OfferBody>,
    /// What was, oldest first.
    pub(super) receipts: Vec<ReceiptBody>,
}

impl Example for WithdrawalsResponse {
    fn example() -> Self {
        Self { contracts: Vec::new(), receipts: vec![ReceiptBody::example()] }
    }
}

/// A declaration of withdrawal.
#[derive(Object)]
#[oai(example)]
pub(crate) struct WithdrawalRequest {
    /// The contract.
    pub(super) contract: String,
    /// Who declares it.
    pub(super) name: String,
    /// Where the receipt goes.
    pub(super) address: String,
}

impl Example for WithdrawalRequest {
    fn example() -> Self {
        Self { contract: "sub_1".into(), name: "Anna Bianchi".into(), address: "anna.bianchi@example.it".into() }
    }
}
