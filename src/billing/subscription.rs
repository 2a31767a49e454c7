//! What an account holds: the one record that decides who is let in. It is made by [`super::converge`] from what
//! Stripe says, or by the operator's grant, and read on every call.

use jiff::Timestamp;

use super::Plan;
use crate::account::AccountId;
use crate::clock::Clock;
use crate::error::Result;
use crate::store::{Record, Store, Table, Transaction, record};

/// Where a subscription stands towards its holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubscriptionStatus {
    /// It grants what its plan says.
    Active,
    /// It still does, although its last payment has not come: the grace.
    PastDue,
    /// It has ended.
    Ended,
}

impl SubscriptionStatus {
    /// The name in the API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::PastDue => "past_due",
            Self::Ended => "ended",
        }
    }
}

/// What is behind a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// The operator's gift: nobody paid.
    Gift,
    /// It is paid, once or again and again.
    Paid,
    /// Its last renewal is not paid, and Stripe still waits for it.
    PastDue,
    /// Its last renewal is not paid, and nobody waits for it any more.
    Unpaid,
    /// It is over at Stripe.
    Over,
}

/// What is wrong with a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaymentProblem {
    /// The holder's bank wants a confirmation (3-D Secure), which nobody but the holder can give.
    BankConfirmation,
    /// The card was refused.
    PaymentFailed,
}

/// What an account pays for, or was given.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Subscription {
    /// The plan.
    pub plan: Plan,
    /// When the present period began.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub current_period_start: Timestamp,
    /// When it ends.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub current_period_end: Timestamp,
    /// It ends with the present period.
    pub cancel_at_period_end: bool,
    /// Until when it lets somebody in: the end of the period, with the grace where a renewal is awaited.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub access_until: Timestamp,
    /// What is behind it.
    pub standing: Standing,
    /// Stripe's subscription, or the payment intent of a trial; nothing for a gift.
    pub contract: Option<String>,
    /// What is wrong with its payment.
    pub payment_problem: Option<PaymentProblem>,
    /// Where that can be put right.
    pub pay_url: Option<String>,
}

impl Subscription {
    /// Where it stands at an instant.
    #[must_use]
    pub fn status(&self, now: Timestamp) -> SubscriptionStatus {
        if now >= self.access_until {
            SubscriptionStatus::Ended
        } else if self.standing == Standing::PastDue {
            SubscriptionStatus::PastDue
        } else {
            SubscriptionStatus::Active
        }
    }

    /// Whether it lets somebody in at an instant.
    #[must_use]
    pub fn grants(&self, now: Timestamp) -> bool {
        now < self.access_until
    }

    /// Whether it is a subscription at Stripe that renews itself, or waits for its renewal to be paid.
    #[must_use]
    pub fn renews(&self) -> bool {
        self.plan != Plan::Trial && matches!(self.standing, Standing::Paid | Standing::PastDue)
    }
}

/// As it was before anything could be paid: all were gifts.
#[derive(serde::Deserialize)]
struct SubscriptionV1 {
    plan: Plan,
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    current_period_start: Timestamp,
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    current_period_end: Timestamp,
    cancel_at_period_end: bool,
}

impl From<SubscriptionV1> for Subscription {
    fn from(old: SubscriptionV1) -> Self {
        Self {
            cancel_at_period_end: old.cancel_at_period_end,
            ..Gift { plan: old.plan, from: old.current_period_start, until: old.current_period_end }.into()
        }
    }
}

impl Record for Subscription {
    const TABLE: Table = Table { prefix: 0x20, name: "subscriptions" };
    const VERSION: u8 = 2;
    type Key = AccountId;

    fn from_older(version: u8, payload: &[u8]) -> Result<Self, String> {
        match version {
            1 => record::decode_payload::<SubscriptionV1>(payload).map(Self::from),
            unknown => Err(format!("version {unknown} is unknown, this binary writes {}", Self::VERSION)),
        }
    }
}

/// Access that the operator gave, without a payment. Kept beside the subscription, so that a plan that was bought
/// meanwhile and ended takes nothing of it away.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Gift {
    pub(crate) plan: Plan,
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub(crate) from: Timestamp,
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub(crate) until: Timestamp,
}

impl Record for Gift {
    const TABLE: Table = Table { prefix: 0x2D, name: "gifts" };
    const VERSION: u8 = 1;
    type Key = AccountId;
}

impl From<Gift> for Subscription {
    fn from(Gift { plan, from, until }: Gift) -> Self {
        Self {
            plan,
            current_period_start: from,
            current_period_end: until,
            cancel_at_period_end: true,
            access_until: until,
            standing: Standing::Gift,
            contract: None,
            payment_problem: None,
            pay_url: None,
        }
    }
}

/// The subscriptions of all accounts.
#[derive(Clone, Debug)]
pub struct Subscriptions {
    store: Store,
    clock: Clock,
}

impl Subscriptions {
    /// The subscriptions kept in a store.
    #[must_use]
    pub const fn new(store: Store, clock: Clock) -> Self {
        Self { store, clock }
    }

    /// What an account holds, ended or not.
    ///
    /// # Errors
    /// What the store says.
    pub async fn of(&self, account: AccountId) -> Result<Option<Subscription>> {
        Ok(self.store.get::<Subscription>(&account).await?)
    }

    /// What an account holds that grants access now.
    ///
    /// # Errors
    /// What the store says.
    pub async fn active(&self, account: AccountId) -> Result<Option<Subscription>> {
        let now = self.clock.now();
        Ok(self.of(account).await?.filter(|held| held.grants(now)))
    }

    /// The same within a transaction, so that an entitlement and its use are one commit.
    ///
    /// # Errors
    /// What the store says.
    pub fn active_within(
        transaction: &mut Transaction<'_>,
        account: AccountId,
        now: Timestamp,
    ) -> Result<Option<Subscription>> {
        let held = transaction.get::<Subscription>(&account)?;
        Ok(held.filter(|held| held.grants(now)))
    }

    /// Gives an account complimentary access from now on: the operator's own decision, without a payment. What the
    /// account pays for goes before it as long as it lasts.
    ///
    /// # Errors
    /// What the store says.
    pub async fn grant(&self, account: AccountId, plan: Plan, days: u32) -> Result<Subscription> {
        let now = self.clock.now();
        let length = jiff::SignedDuration::from_hours(24 * i64::from(days));
        let gift = Gift { plan, from: now, until: now.saturating_add(length).unwrap_or(Timestamp::MAX) };
        let granted = Subscription::from(gift.clone());
        let record = granted.clone();
        self.store
            .update(move |transaction| -> Result<()> {
                transaction.put(&account, &gift)?;
                let held = transaction.get::<Subscription>(&account)?;
                if !held.is_some_and(|held| held.grants(now) && held.standing != Standing::Gift) {
                    transaction.put(&account, &record)?;
                }
                Ok(())
            })
            .await?;
        tracing::info!(account = %account, %plan, days, "complimentary access granted");
        Ok(granted)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::store::fixture;

    #[test]
    fn what_is_on_disk_is_read_for_ever() {
        let account = AccountId(Uuid::from_u128(1));
        let (from, until) = (Timestamp::constant(1_795_000_000, 0), Timestamp::constant(1_826_536_000, 0));
        let gift = Gift { plan: Plan::Annual, from, until };
        fixture::holds(&account, &gift);
        fixture::read_back(1, &account, &Subscription::from(gift));
        let subscription = Subscription {
            plan: Plan::Monthly,
            current_period_start: from,
            current_period_end: until,
            cancel_at_period_end: false,
            access_until: Timestamp::constant(1_826_795_200, 0),
            standing: Standing::PastDue,
            contract: Some("sub_1".into()),
            payment_problem: Some(PaymentProblem::BankConfirmation),
            pay_url: Some("https://invoice.stripe.com/i/1".into()),
        };
        fixture::holds(&account, &subscription);
    }
}
