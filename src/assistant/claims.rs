//! One answer for one `Idempotency-Key`. A request claims its key in the store before any work begins; a retry waits
//! for the answer under way, or gets the one that is stored, and costs nothing. The claim holds a hash of what was
//! asked and where the answer stands, never the words themselves.
//!
//! Which claims are under way is known in this process, which alone has the store: a claim that is neither answered
//! nor under way was orphaned by a crash, and whoever comes next takes it over.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;
use uuid::Uuid;

use crate::account::AccountId;
use crate::clock::Clock;
use crate::error::{Code, Error, Result};
use crate::store::{Page, Record, Store, StoreError, Table, Transaction};

/// How long an answered claim is remembered: no client retries later.
pub(super) const LIFETIME: SignedDuration = SignedDuration::from_hours(24);

/// Characters of a key.
const LONGEST_KEY: usize = 128;

type ClaimKey = (AccountId, String);

/// A key that was used.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Claim {
    content: [u8; 32],
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    claimed_at: Timestamp,
    session: Option<Uuid>,
    interaction: u32,
}

impl Record for Claim {
    const TABLE: Table = Table { prefix: 0x47, name: "idempotency_claims" };
    const VERSION: u8 = 1;
    type Key = ClaimKey;
}

/// Finds old claims without looking at the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct ClaimByTime;

impl Record for ClaimByTime {
    const TABLE: Table = Table { prefix: 0x49, name: "idempotency_claims_by_time" };
    const VERSION: u8 = 1;
    type Key = (Timestamp, AccountId, String);
}

#[derive(Clone, Debug)]
struct UnderWay {
    content: [u8; 32],
    ended: watch::Receiver<()>,
}

/// The claims of all accounts.
#[derive(Clone, Debug)]
pub(super) struct Claims {
    store: Store,
    clock: Clock,
    under_way: Arc<Mutex<HashMap<ClaimKey, UnderWay>>>,
}

/// What a claim found.
pub(super) enum Claimed {
    /// Nobody asked this before: it is the caller's to answer.
    Yours(Held),
    /// It was answered, there.
    Answered(Uuid, u32),
}

/// A claim under way. While it lives, retries wait.
pub(super) struct Held {
    claims: Claims,
    key: ClaimKey,
    claimed_at: Timestamp,
    content: [u8; 32],
    /// Dropped with the claim, which wakes those who wait.
    _ends: watch::Sender<()>,
}

impl Claims {
    pub(super) fn new(store: Store, clock: Clock) -> Self {
        Self { store, clock, under_way: Arc::default() }
    }

    /// Claims a key for a content.
    ///
    /// # Errors
    /// [`Code::IdempotencyMismatch`] when the key stands for another content, [`Code::InvalidInput`] for a key that is
    /// none, and what the store says.
    pub(super) async fn claim(&self, account: AccountId, key: &str, content: [u8; 32]) -> Result<Claimed> {
        let usable = !key.is_empty() && key.len() <= LONGEST_KEY && key.bytes().all(|byte| byte.is_ascii_graphic());
        if !usable {
            return Err(Code::InvalidInput.into());
        }
        let key = (account, key.to_owned());
        let held = loop {
            match self.enter(&key, content) {
                Ok(held) => break held,
                Err(other) if other.content != content => return Err(Code::IdempotencyMismatch.into()),
                Err(mut other) => {
                    // An error means that the other one ended, too.
                    let _ = other.ended.changed().await;
                }
            }
        };
        let (fresh, claim_key) = (held.claim(None), key.clone());
        let known = self
            .store
            .update(move |transaction| -> Result<Option<Claim>, StoreError> {
                let known = transaction.get::<Claim>(&claim_key)?;
                if known.as_ref().is_none_or(|known| known.session.is_none() && known.content == fresh.content) {
                    if let Some(orphan) = &known {
                        transaction.delete::<ClaimByTime>(&(orphan.claimed_at, claim_key.0, claim_key.1.clone()));
                    }
                    transaction.put(&claim_key, &fresh)?;
                    transaction.put(&(fresh.claimed_at, claim_key.0, claim_key.1.clone()), &ClaimByTime)?;
                }
                Ok(known)
            })
            .await?;
        match known {
            Some(known) if known.content != content => Err(Code::IdempotencyMismatch.into()),
            Some(Claim { session: Some(session), interaction, .. }) => Ok(Claimed::Answered(session, interaction)),
            _ => Ok(Claimed::Yours(held)),
        }
    }

    fn enter(&self, key: &ClaimKey, content: [u8; 32]) -> Result<Held, UnderWay> {
        let mut under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(other) = under_way.get(key) {
            return Err(other.clone());
        }
        let (ends, ended) = watch::channel(());
        under_way.insert(key.clone(), UnderWay { content, ended });
        Ok(Held { claims: self.clone(), key: key.clone(), claimed_at: self.clock.now(), content, _ends: ends })
    }

    /// Forgets claims that nobody will retry, at most `limit`, and says how many went.
    ///
    /// # Errors
    /// What the store says.
    pub(super) async fn forget_old(&self, limit: usize) -> Result<usize> {
        let now = self.clock.now();
        let oldest = self.store.list::<ClaimByTime>(&(), Page::first(limit)).await?.into_iter().map(|(key, _)| key);
        let old: Vec<_> = oldest.take_while(|(at, _, _)| now.duration_since(*at) >= LIFETIME).collect();
        let count = old.len();
        self.store
            .update(move |transaction| -> Result<(), StoreError> {
                for (at, account, key) in &old {
                    transaction.delete::<ClaimByTime>(&(*at, *account, key.clone()));
                    transaction.delete::<Claim>(&(*account, key.clone()));
                }
                Ok(())
            })
            .await?;
        Ok(count)
    }
}

impl Held {
    fn claim(&self, answered: Option<(Uuid, u32)>) -> Claim {
        Claim {
            content: self.content,
            claimed_at: self.claimed_at,
            session: answered.map(|(session, _)| session),
            interaction: answered.map_or(0, |(_, interaction)| interaction),
        }
    }

    /// Says where the answer stands, in the commit that stores it.
    pub(super) fn settle(
        &self,
        transaction: &mut Transaction<'_>,
        session: Uuid,
        number: u32,
    ) -> Result<(), StoreError> {
        transaction.put(&self.key, &self.claim(Some((session, number))))
    }

    /// Gives the key free: there is no answer.
    pub(super) async fn abandon(self) {
        let (key, claimed_at) = (self.key.clone(), self.claimed_at);
        let gone = self
            .claims
            .store
            .update(move |transaction| -> Result<(), StoreError> {
                transaction.delete::<Claim>(&key);
                transaction.delete::<ClaimByTime>(&(claimed_at, key.0, key.1.clone()));
                Ok(())
            })
            .await;
        if let Err(error) = gone {
            // It is orphaned then, and the next retry takes it over.
            tracing::warn!(cause = %error, "a claim could not be given free");
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.claims.under_way.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}

/// The failure of a retry whose answer is gone.
pub(super) fn answer_gone() -> Error {
    Error::new(Code::NotFound).saying("La risposta a questa richiesta non c'è più. Fai di nuovo la domanda.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::fixture::holds;

    #[test]
    fn what_is_on_disk_is_read_for_ever() {
        let (account, key) = (AccountId(Uuid::from_u128(1)), "5b0c".to_owned());
        let claimed_at = Timestamp::constant(1_795_000_000, 0);
        let claim = Claim { content: [9; 32], claimed_at, session: Some(Uuid::from_u128(6)), interaction: 2 };
        holds(&(account, key.clone()), &claim);
        holds(&(claimed_at, account, key), &ClaimByTime);
    }
}
