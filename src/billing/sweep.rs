//! What is done at the start and every hour, so that a webhook that never came is no loss: Stripe's own list of events
//! since the last time, and the accounts for which something was due.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use super::record::{Due, EventByTime, EventSeen, EventsRead, Payer};
use super::{Billing, SOON, look_again};
use crate::account::AccountId;
use crate::error::Result;
use crate::store::Page;

/// How far back the list of events is read again: an event may appear in it a little late, and Stripe's clock is not
/// ours.
const OVERLAP: SignedDuration = SignedDuration::from_hours(1);
/// How long a claimed event is remembered: longer than Stripe keeps events (30 days).
const REMEMBERED: SignedDuration = SignedDuration::from_hours(35 * 24);
/// How many records are read at a time.
const AT_ONCE: usize = 200;

/// What a sweep did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Accounts about which Stripe was asked.
    pub asked: usize,
    /// Accounts for which that failed; the next sweep tries again.
    pub failed: usize,
    /// Old events that were forgotten.
    pub forgotten: usize,
}

impl Billing {
    /// Asks Stripe about every account for which something happened or was due.
    ///
    /// # Errors
    /// [`Code::ProviderFailed`](crate::error::Code::ProviderFailed) when Stripe does not answer at all: nothing has
    /// changed then, and the next sweep begins where this one did.
    pub async fn sweep(&self) -> Result<Swept> {
        let started = self.inner.clock.now();
        let mut swept = Swept::default();
        let since = self.read_until(started).await?;
        let news = self.unheard_events(since).await?;
        let mut asked = BTreeSet::new();
        for (account, events) in news {
            asked.insert(account);
            self.look_at(account, &events, &mut swept).await;
        }
        // Whoever failed is due: nobody's trouble keeps the events of all the others from being read on.
        let read = EventsRead { until: started };
        self.inner.store.update(move |transaction| -> Result<()> { Ok(transaction.put(&(), &read)?) }).await?;
        for account in self.accounts_due(started).await? {
            if asked.insert(account) {
                self.look_at(account, &[], &mut swept).await;
            }
        }
        swept.forgotten = self.forget_events(started).await?;
        Ok(swept)
    }

    async fn look_at(&self, account: AccountId, events: &[String], swept: &mut Swept) {
        swept.asked += 1;
        if let Err(error) = self.reconcile(account, events).await {
            swept.failed += 1;
            tracing::warn!(account = %account, cause = error.cause_for_log(), "an account could not be reconciled");
            if let Err(error) = self.look_again_soon(account).await {
                tracing::error!(account = %account, cause = error.cause_for_log(), "nor noted to be looked at again");
            }
        }
    }

    async fn look_again_soon(&self, account: AccountId) -> Result<()> {
        let soon = self.inner.clock.now().saturating_add(SOON).unwrap_or(Timestamp::MAX);
        self.inner
            .store
            .update(move |transaction| -> Result<()> {
                let mut payer = transaction.get::<Payer>(&account)?.unwrap_or_default();
                let due_at = payer.due_at.map_or(soon, |earlier| earlier.min(soon));
                look_again(transaction, account, &mut payer, Some(due_at))?;
                Ok(transaction.put(&account, &payer)?)
            })
            .await
    }

    /// Up to when the events were read; noted before the first question, so that no failure moves the beginning.
    async fn read_until(&self, started: Timestamp) -> Result<Timestamp> {
        self.inner
            .store
            .update(move |transaction| -> Result<Timestamp> {
                if let Some(read) = transaction.get::<EventsRead>(&())? {
                    return Ok(read.until);
                }
                transaction.put(&(), &EventsRead { until: started })?;
                Ok(started)
            })
            .await
    }

    /// The events since the last sweep that no webhook brought, by account.
    async fn unheard_events(&self, since: Timestamp) -> Result<BTreeMap<AccountId, Vec<String>>> {
        let since = since.saturating_sub(OVERLAP).unwrap_or(Timestamp::MIN);
        let mut news: BTreeMap<AccountId, Vec<String>> = BTreeMap::new();
        for event in self.inner.stripe.events_since(since).await? {
            let account = match (&event.customer, &event.charge) {
                (Some(customer), _) => self.account_of(customer).await?,
                (None, Some(charge)) => self.account_of_charge(charge).await?,
                (None, None) => None,
            };
            let Some(account) = account else { continue };
            if self.inner.store.get::<EventSeen>(&event.id).await?.is_none() {
                news.entry(account).or_default().push(event.id);
            }
        }
        Ok(news)
    }

    async fn accounts_due(&self, now: Timestamp) -> Result<Vec<AccountId>> {
        let mut accounts = Vec::new();
        let mut page = Page::first(AT_ONCE);
        loop {
            let due = self.inner.store.list::<Due>(&(), page.clone()).await?;
            let Some((last, _)) = due.last() else { return Ok(accounts) };
            page.after = Some(*last);
            for ((at, account), _) in due {
                if at > now {
                    return Ok(accounts);
                }
                accounts.push(account);
            }
        }
    }

    async fn forget_events(&self, now: Timestamp) -> Result<usize> {
        let before = now.saturating_sub(REMEMBERED).unwrap_or(Timestamp::MIN);
        let mut forgotten = 0;
        loop {
            let gone = self
                .inner
                .store
                .update(move |transaction| -> Result<usize> {
                    let old = transaction.list::<EventByTime>(&(), Page::first(AT_ONCE))?;
                    let mut gone = 0;
                    for (key, _) in old.into_iter().take_while(|(key, _)| key.0 < before) {
                        transaction.delete::<EventSeen>(&key.1);
                        transaction.delete::<EventByTime>(&key);
                        gone += 1;
                    }
                    Ok(gone)
                })
                .await?;
            forgotten += gone;
            if gone < AT_ONCE {
                return Ok(forgotten);
            }
        }
    }
}
