//! Sessions: what makes an access token good, and what ends it. A token is believed when its signature is ours *and*
//! its session stands in the store; signing out removes the session, and with it every copy of the token.

use jiff::SignedDuration;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::record::{Session, SessionOfAccount};
use super::sign_in::later;
use super::{Account, AccountId, Accounts};
use crate::error::{Code, Error, Result};
use crate::store::{Page, StoreError, Transaction};

/// How long a session lives without being used.
pub const SESSION_LIFETIME: SignedDuration = SignedDuration::from_hours(30 * 24);

/// A session that is used is renewed when so much time has passed: not on each call, which would be a write each.
const RENEWED_AFTER: SignedDuration = SignedDuration::from_hours(24);

/// How many of an account's sessions are looked at together.
const BATCH: usize = 256;

/// What an access token says.
#[derive(Serialize, Deserialize)]
struct Access {
    sub: AccountId,
    sid: Uuid,
}

/// Somebody whose access token is good.
#[derive(Clone, Debug)]
pub struct Authenticated {
    /// Who.
    pub account: Account,
    /// The session that the token stands for.
    pub session: Uuid,
    /// A token with a later end, when it was time for one.
    pub renewed_token: Option<SecretString>,
}

impl Accounts {
    /// Says whose an access token is, and renews its session when it is time.
    ///
    /// # Errors
    /// [`Code::SessionExpired`] when the token is not ours, has ended or its session was ended.
    pub async fn authenticate(&self, access_token: &str) -> Result<Authenticated> {
        let now = self.inner.clock.now();
        let expired = || Error::new(Code::SessionExpired);
        let access: Access = self.inner.access_tokens.read(access_token, now).ok_or_else(expired)?;
        let (account, session, renewed) = self
            .inner
            .store
            .update(move |transaction| {
                let mut session = transaction.get::<Session>(&access.sid)?.ok_or_else(expired)?;
                if session.account != access.sub || session.expires_at <= now {
                    return Err(expired());
                }
                let account = transaction.get::<Account>(&session.account)?.ok_or_else(expired)?;
                let renew = now.duration_since(session.renewed_at) >= RENEWED_AFTER;
                if renew {
                    session.renewed_at = now;
                    session.expires_at = later(now, SESSION_LIFETIME);
                    transaction.put(&access.sid, &session)?;
                }
                Ok((account, access.sid, renew.then_some(session.expires_at)))
            })
            .await?;
        let renewed_token = match renewed {
            Some(ends) => Some(self.inner.access_tokens.sign(Access { sub: account.id, sid: session }, now, ends)?),
            None => None,
        };
        Ok(Authenticated { account, session, renewed_token })
    }

    /// Ends one session: its access tokens are worth nothing from now on.
    ///
    /// # Errors
    /// What the store says.
    pub async fn sign_out(&self, session: Uuid) -> Result<()> {
        self.inner
            .store
            .update(move |transaction| -> Result<_, StoreError> {
                if let Some(held) = transaction.get::<Session>(&session)? {
                    end(transaction, held.account, session);
                }
                Ok(())
            })
            .await?;
        Ok(())
    }

    /// Ends all sessions of an account.
    ///
    /// # Errors
    /// What the store says.
    pub async fn sign_out_everywhere(&self, account: AccountId) -> Result<()> {
        loop {
            let ended = self
                .inner
                .store
                .update(move |transaction| -> Result<_, StoreError> {
                    let held = transaction.list::<SessionOfAccount>(&account, Page::first(BATCH))?;
                    for ((_, session), _) in &held {
                        end(transaction, account, *session);
                    }
                    Ok(held.len())
                })
                .await?;
            if ended < BATCH {
                return Ok(());
            }
        }
    }

    /// A new session, and the access token for it. Sessions of the account that have ended go.
    pub(super) async fn start_session(&self, account: AccountId) -> Result<SecretString> {
        let session = Uuid::new_v4();
        let now = self.inner.clock.now();
        let expires_at = later(now, SESSION_LIFETIME);
        self.inner
            .store
            .update(move |transaction| -> Result<_, StoreError> {
                for ((_, other), _) in transaction.list::<SessionOfAccount>(&account, Page::first(BATCH))? {
                    if transaction.get::<Session>(&other)?.is_none_or(|held| held.expires_at <= now) {
                        end(transaction, account, other);
                    }
                }
                transaction.put(&session, &Session { account, created_at: now, renewed_at: now, expires_at })?;
                transaction.put(&(account, session), &SessionOfAccount {})
            })
            .await?;
        self.inner.access_tokens.sign(Access { sub: account, sid: session }, now, expires_at)
    }
}

fn end(transaction: &mut Transaction<'_>, account: AccountId, session: Uuid) {
    transaction.delete::<Session>(&session);
    transaction.delete::<SessionOfAccount>(&(account, session));
}
