//! What Stripe says of one customer, in our own words: what [`super::converge`] works on, and what `super::stripe`
//! makes of Stripe's objects.

use jiff::Timestamp;

use super::Plan;

/// Everything that Stripe says of one customer, asked for at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statement {
    /// Its subscriptions, ended ones too.
    pub subscriptions: Vec<StatedSubscription>,
    /// Its checkouts, of whatever outcome.
    pub checkouts: Vec<StatedCheckout>,
    /// Its invoices.
    pub invoices: Vec<StatedInvoice>,
    /// Its payments that succeeded.
    pub charges: Vec<StatedCharge>,
}

/// Where a subscription stands at Stripe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatedStatus {
    /// Paid, or about to be charged.
    Active,
    /// A renewal was not paid yet.
    PastDue,
    /// A renewal was not paid, and Stripe tries no more.
    Unpaid,
    /// The first payment has not come.
    Incomplete,
    /// Over.
    Over,
    /// Something that this program does not know: no evidence of anything.
    Unknown,
}

/// A subscription as Stripe tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedSubscription {
    /// Stripe's id.
    pub id: String,
    /// What its price is of.
    pub plan: Plan,
    /// Where it stands.
    pub status: StatedStatus,
    /// When it was bought.
    pub created: Timestamp,
    /// The present period, paid or not: from when.
    pub period_start: Timestamp,
    /// And until when.
    pub period_end: Timestamp,
    /// When it ends by the holder's wish.
    pub cancel_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// The buyer asked for the service to begin at once.
    pub immediate_start: bool,
}

/// A checkout as Stripe tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedCheckout {
    /// Stripe's id of the session.
    pub id: String,
    /// How it went.
    pub outcome: CheckoutOutcome,
    /// The payment, when it was for a trial: a single payment.
    pub trial_payment: Option<String>,
    /// When it was opened.
    pub created: Timestamp,
    /// The buyer asked for the service to begin at once.
    pub immediate_start: bool,
}

/// How a checkout went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckoutOutcome {
    /// It can still be paid.
    Open,
    /// It was completed and the money is not confirmed yet.
    Confirming,
    /// It was paid.
    Paid,
    /// It can no longer be paid.
    Expired,
}

/// An invoice as Stripe tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedInvoice {
    /// What it is for.
    pub subscription: Option<String>,
    /// The plan that it bills.
    pub plan: Option<Plan>,
    /// When it was made.
    pub created: Timestamp,
    /// It is paid.
    pub paid: bool,
    /// It waits to be paid.
    pub open: bool,
    /// Its payment waits for the holder's bank.
    pub needs_bank: bool,
    /// Where it can be paid.
    pub pay_url: Option<String>,
    /// The payments made for it.
    pub payments: Vec<String>,
}

/// A payment that succeeded, as Stripe tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedCharge {
    /// Stripe's id.
    pub id: String,
    /// The payment intent behind it.
    pub payment: Option<String>,
    /// Cents.
    pub cents: i64,
    /// When.
    pub at: Timestamp,
    /// What was paid back of it.
    pub refunds: Vec<StatedRefund>,
    /// Who claimed it back.
    pub disputes: Vec<StatedDispute>,
}

/// Money paid back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedRefund {
    /// Stripe's id.
    pub id: String,
    /// Cents, positive; 0 when it failed.
    pub cents: i64,
    /// When.
    pub at: Timestamp,
    /// The withdrawal of ours that it carries out.
    pub withdrawal: Option<String>,
}

/// A payment claimed back at the bank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedDispute {
    /// Stripe's id.
    pub id: String,
    /// Cents that the bank holds or has taken; 0 when it was won, or is a mere inquiry.
    pub cents: i64,
    /// When it was opened.
    pub at: Timestamp,
    /// It is lost for good.
    pub lost: bool,
}

impl StatedCharge {
    /// When nothing was left of it: everything was paid back, or a dispute over it was lost.
    #[must_use]
    pub fn reversed_at(&self) -> Option<Timestamp> {
        let lost = self.disputes.iter().filter(|dispute| dispute.lost).map(|dispute| dispute.at).min();
        let refunded: i64 = self.refunds.iter().map(|refund| refund.cents).sum();
        let refunded = (self.cents > 0 && refunded >= self.cents)
            .then(|| self.refunds.iter().filter(|refund| refund.cents > 0).map(|refund| refund.at).max())
            .flatten();
        match (lost, refunded) {
            (Some(lost), Some(refunded)) => Some(lost.min(refunded)),
            (lost, refunded) => lost.or(refunded),
        }
    }
}
