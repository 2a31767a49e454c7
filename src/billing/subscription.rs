//! The subscription that an account holds, and how it is granted.

use jiff::Timestamp;

use super::Plan;
use crate::account::AccountId;
use crate::clock::Clock;
use crate::error::Result;
use crate::store::{Record, Store, Table, Transaction};

/// Where a subscription stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubscriptionStatus {
    /// It grants what its plan says.
    Active,
    /// It has ended.
    Ended,
}

impl SubscriptionStatus {
    /// The name in the API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Ended => "ended",
        }
    }
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
}

impl Subscription {
    /// Where it stands at an instant.
    #[must_use]
    pub fn status(&self, now: Timestamp) -> SubscriptionStatus {
        if now < self.current_period_end { SubscriptionStatus::Active } else { SubscriptionStatus::Ended }
    }
}

impl Record for Subscription {
    const TABLE: Table = Table { prefix: 0x20, name: "subscriptions" };
    const VERSION: u8 = 1;
    type Key = AccountId;
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
        Ok(self.of(account).await?.filter(|held| held.status(now) == SubscriptionStatus::Active))
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
        Ok(held.filter(|held| held.status(now) == SubscriptionStatus::Active))
    }

    /// Gives an account complimentary access from now on: the operator's own decision, without a payment.
    ///
    /// # Errors
    /// What the store says.
    pub async fn grant(&self, account: AccountId, plan: Plan, days: u32) -> Result<Subscription> {
        let now = self.clock.now();
        let length = jiff::SignedDuration::from_hours(24 * i64::from(days));
        let granted = Subscription {
            plan,
            current_period_start: now,
            current_period_end: now.saturating_add(length).unwrap_or(Timestamp::MAX),
            cancel_at_period_end: true,
        };
        let record = granted.clone();
        self.store.update(move |transaction| -> Result<()> { Ok(transaction.put(&account, &record)?) }).await?;
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
        let subscription = Subscription {
            plan: Plan::Annual,
            current_period_start: Timestamp::constant(1_795_000_000, 0),
            current_period_end: Timestamp::constant(1_826_536_000, 0),
            cancel_at_period_end: true,
        };
        fixture::holds(&AccountId(Uuid::from_u128(1)), &subscription);
    }
}
