//! From the button to the ticket: the two halves of a sign-in with Google, and the exchange of its ticket.
//!
//! Between the halves nothing is kept on the server: what must be remembered travels in a signed cookie, which also
//! ties the answer to the browser that asked. The ticket, which stands in an address for a moment, is worth nothing
//! after its first use or 60 seconds.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use url::Url;

use super::google::Secrets;
use super::record::{Ticket, TicketByEnd};
use super::token::random_secret;
use super::{Account, AccountId, Accounts};
use crate::error::{Code, Error, Result};
use crate::store::{Page, StoreError};

/// How long someone may take at Google.
pub const COOKIE_LIFETIME: SignedDuration = SignedDuration::from_mins(10);

/// How long a browser may take to pick up its ticket.
pub const TICKET_LIFETIME: SignedDuration = SignedDuration::from_secs(60);

/// How many forgotten tickets each new one clears away: more than one, so that they never pile up.
const CLEARED_AT_ONCE: usize = 16;

/// A sign-in that begins.
#[derive(Debug)]
pub struct Start {
    /// Where the browser goes.
    pub address: Url,
    /// What it must bring back: the value of the cookie, for [`COOKIE_LIFETIME`].
    pub cookie: SecretString,
}

/// What the browser brings back from Google, as its query says.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The authorization code.
    pub code: Option<String>,
    /// The state that we sent along.
    pub state: Option<String>,
    /// Why there is no code, in the words of OAuth, such as `access_denied`.
    pub error: Option<String>,
}

/// A sign-in that succeeded.
#[derive(Debug)]
pub struct SignedIn {
    /// What [`Accounts::exchange`] takes, once.
    pub ticket: SecretString,
    /// The plan that was asked for when it began.
    pub plan: Option<String>,
}

/// What the cookie carries.
#[derive(Serialize, Deserialize)]
struct Journey {
    state: String,
    nonce: String,
    verifier: String,
    plan: Option<String>,
}

impl Accounts {
    /// Begins a sign-in. `plan` is given back at the end as it stands.
    ///
    /// # Errors
    /// [`Code::ProviderFailed`] when Google cannot be reached.
    pub async fn begin_sign_in(&self, plan: Option<String>) -> Result<Start> {
        let (address, Secrets { state, nonce, verifier }) = self.inner.google.begin().await?;
        let now = self.inner.clock.now();
        let journey = Journey { state, nonce, verifier, plan };
        let cookie = self.inner.cookies.sign(journey, now, later(now, COOKIE_LIFETIME))?;
        Ok(Start { address, cookie })
    }

    /// Completes a sign-in with what the browser brought back, and makes the account when it is the first.
    ///
    /// # Errors
    /// [`Code::SignInFailed`] when anything does not fit, [`Code::ProviderFailed`] when Google cannot be reached. The
    /// sentence is for the person, on the page that [`Code::SignInFailed`] leads to.
    pub async fn complete_sign_in(&self, cookie: Option<&str>, answer: Answer) -> Result<SignedIn> {
        let failed = |sentence: &str| Error::new(Code::SignInFailed).saying(sentence);
        let now = self.inner.clock.now();
        let journey = cookie.and_then(|cookie| self.inner.cookies.read::<Journey>(cookie, now)).ok_or_else(|| {
            failed("L'accesso è rimasto fermo troppo a lungo, oppure il browser non accetta i cookie. Riprova.")
                .because("the sign-in cookie is missing, forged or too old")
        })?;
        let state = answer.state.unwrap_or_default();
        if !bool::from(state.as_bytes().ct_eq(journey.state.as_bytes())) {
            return Err(failed("Questa risposta non appartiene al tuo ultimo accesso. Riprova.")
                .because("the state is not the one of the cookie"));
        }
        let Some(code) = answer.code.filter(|_| answer.error.is_none()) else {
            let reason = answer.error.unwrap_or_default();
            return Err(if reason == "access_denied" {
                failed("Hai annullato l'accesso. Quando vuoi, puoi riprovare.").because("access_denied")
            } else {
                Error::new(Code::SignInFailed).because("the issuer sent no code")
            });
        };
        let secrets = Secrets { state, nonce: journey.nonce, verifier: journey.verifier };
        let person = self.inner.google.complete(code, secrets).await?;
        let account = self.remember(person).await?;
        let ticket = self.issue_ticket(account.id).await?;
        Ok(SignedIn { ticket, plan: journey.plan })
    }

    async fn issue_ticket(&self, account: AccountId) -> Result<SecretString> {
        let token = BASE64_URL_SAFE_NO_PAD.encode(random_secret()?);
        let hash = hash(&token);
        let now = self.inner.clock.now();
        let expires_at = later(now, TICKET_LIFETIME);
        self.inner
            .store
            .update(move |transaction| -> Result<_, StoreError> {
                for (key, _) in transaction.list::<TicketByEnd>(&(), Page::first(CLEARED_AT_ONCE))? {
                    if key.0 < now {
                        transaction.delete::<Ticket>(&key.1);
                        transaction.delete::<TicketByEnd>(&key);
                    }
                }
                transaction.put(&hash, &Ticket { account, expires_at })?;
                transaction.put(&(expires_at, hash), &TicketByEnd {})
            })
            .await?;
        Ok(token.into())
    }

    /// Turns a ticket into an access token, once.
    ///
    /// # Errors
    /// [`Code::TicketInvalid`] when the ticket is unknown, used or too old.
    pub async fn exchange(&self, ticket: &str) -> Result<(SecretString, Account)> {
        let hash = hash(ticket);
        let now = self.inner.clock.now();
        // Two at once read the same ticket; only one of the two commits still finds it there.
        let account = self
            .inner
            .store
            .update(move |transaction| -> Result<_, StoreError> {
                let Some(ticket) = transaction.get::<Ticket>(&hash)? else { return Ok(None) };
                transaction.delete::<Ticket>(&hash);
                transaction.delete::<TicketByEnd>(&(ticket.expires_at, hash));
                if ticket.expires_at <= now { Ok(None) } else { transaction.get::<Account>(&ticket.account) }
            })
            .await?
            .ok_or(Error::new(Code::TicketInvalid))?;
        let token = self.start_session(account.id).await?;
        tracing::info!(account = %account.id, "signed in");
        Ok((token, account))
    }
}

fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// `now` and some time, at most the end of all time.
pub(super) fn later(now: Timestamp, by: SignedDuration) -> Timestamp {
    now.saturating_add(by).unwrap_or(Timestamp::MAX)
}
