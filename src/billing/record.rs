//! What is remembered of payments. The structs are the format on disk and frozen: a change is a new version.
//! [`Subscription`](super::Subscription) has a file of its own, [`Line`](super::ledger::Line) stands with the ledger.

use jiff::Timestamp;
use uuid::Uuid;

use super::Plan;
use crate::account::AccountId;
use crate::store::{Record, Table};

/// What ties an account to Stripe.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Payer {
    /// The customer at Stripe.
    pub(crate) customer: Option<String>,
    /// The one checkout that is open, or whose payment is not confirmed yet.
    pub(crate) checkout: Option<OpenCheckout>,
    /// When the account is to be looked at again without anybody asking; also in [`Due`].
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::optional")]
    pub(crate) due_at: Option<Timestamp>,
    /// When what Stripe said last was asked for. What was asked for earlier is older news and changes nothing.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::optional")]
    pub(crate) asked_at: Option<Timestamp>,
}

impl Record for Payer {
    const TABLE: Table = Table { prefix: 0x21, name: "payers" };
    const VERSION: u8 = 1;
    type Key = AccountId;
}

/// A checkout on its way. Written before Stripe is asked, so that a crash in between leaves the key with which the
/// same session is found again.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct OpenCheckout {
    /// The idempotency key with which it was asked for.
    pub(crate) key: Uuid,
    /// What was asked for.
    pub(crate) wish: Wish,
    /// When.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub(crate) asked_at: Timestamp,
    /// Stripe's session, once Stripe has answered.
    pub(crate) session: Option<String>,
    /// Where the payment page is.
    pub(crate) url: Option<String>,
    /// It was completed, and the bank has not confirmed the payment yet.
    pub(crate) confirming: bool,
}

/// What somebody wants to buy, and where the browser goes afterwards.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Wish {
    /// The plan.
    pub plan: Plan,
    /// Stripe's price of it.
    pub price: String,
    /// Where the browser goes after paying.
    pub success_url: String,
    /// Where it goes otherwise.
    pub cancel_url: String,
    /// The service begins at once by the buyer's own wish: who withdraws then pays for the days used.
    pub immediate_start: bool,
}

/// Whose customer somebody is: the only way in which an account is found from an event.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct AccountByCustomer {
    pub(crate) account: AccountId,
}

impl Record for AccountByCustomer {
    const TABLE: Table = Table { prefix: 0x22, name: "accounts_by_customer" };
    const VERSION: u8 = 1;
    type Key = String;
}

/// The accounts to look at, in the order of their times.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Due {}

impl Record for Due {
    const TABLE: Table = Table { prefix: 0x23, name: "payers_due" };
    const VERSION: u8 = 1;
    type Key = (Timestamp, AccountId);
}

/// Somebody has had the trial. Keyed by a keyed hash of the Google subject, so that it outlives the account and names
/// nobody.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct TrialUsed {
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub(crate) at: Timestamp,
}

impl Record for TrialUsed {
    const TABLE: Table = Table { prefix: 0x24, name: "trials_used" };
    const VERSION: u8 = 1;
    type Key = [u8; 32];
}

/// An event of Stripe whose effect is in the store; claimed in the same commit.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct EventSeen {
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub(crate) at: Timestamp,
}

impl Record for EventSeen {
    const TABLE: Table = Table { prefix: 0x25, name: "events_seen" };
    const VERSION: u8 = 1;
    type Key = String;
}

/// The claimed events in the order of their times, so that old ones can be cleared away.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct EventByTime {}

impl Record for EventByTime {
    const TABLE: Table = Table { prefix: 0x26, name: "events_by_time" };
    const VERSION: u8 = 1;
    type Key = (Timestamp, String);
}

/// Up to when Stripe's events were read by the sweep.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct EventsRead {
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub(crate) until: Timestamp,
}

impl Record for EventsRead {
    const TABLE: Table = Table { prefix: 0x27, name: "events_read" };
    const VERSION: u8 = 1;
    type Key = ();
}

/// One purchase of a plan, from which its buyer may withdraw for a time. Keyed by account and by Stripe's id: the
/// subscription, or the payment intent of a trial.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Contract {
    /// The plan, as it is now: a change of plan goes on with the same contract.
    pub plan: Plan,
    /// When it was bought.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub bought_at: Timestamp,
    /// The present period that was paid for: from when.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub period_start: Timestamp,
    /// And until when.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub period_end: Timestamp,
    /// The buyer asked for the service to begin at once.
    pub immediate_start: bool,
}

impl Record for Contract {
    const TABLE: Table = Table { prefix: 0x28, name: "contracts" };
    const VERSION: u8 = 1;
    type Key = (AccountId, String);
}

/// A withdrawal that was declared. It holds from its declaration; what must happen at Stripe follows, however often
/// that has to be tried. Keyed by account and by contract: nobody withdraws twice.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Withdrawal {
    /// The number on the receipt, and what Stripe's idempotency keys are made of.
    pub id: Uuid,
    /// The contract's plan.
    pub plan: Plan,
    /// When the contract was made.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub bought_at: Timestamp,
    /// When it was declared.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub declared_at: Timestamp,
    /// Who declared it, as written.
    pub name: String,
    /// Where the receipt goes, as written.
    pub address: String,
    /// What had been paid for the contract, in cents.
    pub paid_cents: i64,
    /// What is paid back, in cents.
    pub refund_cents: i64,
    /// The plan has ended at Stripe and the money is on its way back.
    pub carried_out: bool,
}

impl Record for Withdrawal {
    const TABLE: Table = Table { prefix: 0x29, name: "withdrawals" };
    const VERSION: u8 = 1;
    type Key = (AccountId, String);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::fixture::holds;

    #[test]
    fn what_is_on_disk_is_read_for_ever() {
        let account = AccountId(Uuid::from_u128(1));
        let then = Timestamp::constant(1_795_000_000, 0);
        let later = Timestamp::constant(1_797_592_000, 0);
        let wish = Wish {
            plan: Plan::Annual,
            price: "price_annual".into(),
            success_url: "https://rimedio.example/account/subscription?success=true".into(),
            cancel_url: "https://rimedio.example/account/subscription?canceled=true".into(),
            immediate_start: true,
        };
        let checkout = OpenCheckout {
            key: Uuid::from_u128(2),
            wish,
            asked_at: then,
            session: Some("cs_test_1".into()),
            url: Some("https://checkout.stripe.com/c/pay/cs_test_1".into()),
            confirming: false,
        };
        let payer = Payer {
            customer: Some("cus_1".into()),
            checkout: Some(checkout),
            due_at: Some(later),
            asked_at: Some(then),
        };
        holds(&account, &payer);
        holds(&"cus_1".to_owned(), &AccountByCustomer { account });
        holds(&(later, account), &Due {});
        holds(&[9; 32], &TrialUsed { at: then });
        holds(&"evt_1".to_owned(), &EventSeen { at: then });
        holds(&(then, "evt_1".to_owned()), &EventByTime {});
        holds(&(), &EventsRead { until: then });
        let contract = Contract {
            plan: Plan::Monthly,
            bought_at: then,
            period_start: then,
            period_end: later,
            immediate_start: true,
        };
        holds(&(account, "sub_1".to_owned()), &contract);
        let withdrawal = Withdrawal {
            id: Uuid::from_u128(3),
            plan: Plan::Monthly,
            bought_at: then,
            declared_at: later,
            name: "Anna Bianchi".into(),
            address: "anna.bianchi@posta.example".into(),
            paid_cents: 999,
            refund_cents: 900,
            carried_out: true,
        };
        holds(&(account, "sub_1".to_owned()), &withdrawal);
    }
}
