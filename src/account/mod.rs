//! Who someone is: the account behind a Google sign-in, its sessions, its consents.
//!
//! A sign-in travels like this: [`Accounts::begin_sign_in`] sends the browser to Google with a signed cookie;
//! [`Accounts::complete_sign_in`] verifies what comes back and leaves a ticket of 60 seconds and one use;
//! [`Accounts::exchange`] turns the ticket into an access token, the only thing that [`Accounts::authenticate`]
//! takes. An access token is signed *and* stands for a session in the store, so that it can be ended at once.

pub mod api;
mod google;
mod id_token;
mod record;
mod session;
mod sign_in;
mod token;

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use uuid::Uuid;

pub use google::{CALLBACK_PATH, Google};
pub use id_token::Person;
pub use record::{Account, Consent, normalised};
pub use session::{Authenticated, SESSION_LIFETIME};
pub use sign_in::{Answer, COOKIE_LIFETIME, SignedIn, Start, TICKET_LIFETIME};

use crate::clock::Clock;
use crate::config::Admin;
use crate::error::{Code, Error, Result};
use crate::store::{Key, Page, Store, StoreError};
use record::{AccountByEmail, AccountBySubject, SigningSecret};
use token::{Pseudonyms, Signer, random_secret};

/// The version of the terms in force: the day from which they hold. A new one is asked of everybody again.
pub const TERMS_VERSION: &str = "2026-11-21";

/// Nobody younger may have an account, in years.
pub const MINIMUM_AGE: u8 = 16;

/// What identifies an account within the store. It never changes and is never given out again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct AccountId(pub Uuid);

impl AccountId {
    /// A new one, unlike any other.
    #[must_use]
    pub fn random() -> Self {
        Self(Uuid::new_v4())
    }
}

impl fmt::Display for AccountId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl FromStr for AccountId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, uuid::Error> {
        text.parse().map(Self)
    }
}

impl Key for AccountId {
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
    }
    fn read(from: &mut &[u8]) -> Option<Self> {
        Uuid::read(from).map(Self)
    }
}

impl Account {
    /// Whether the person must still agree to the terms in force and confirm the minimum age.
    #[must_use]
    pub fn consent_required(&self) -> bool {
        !self.consents.iter().any(|consent| consent.terms_version == TERMS_VERSION)
    }
}

/// Everybody who ever signed in, and how one signs in. Clones share everything.
#[derive(Clone, Debug)]
pub struct Accounts {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    store: Store,
    clock: Clock,
    google: Google,
    access_tokens: Signer,
    cookies: Signer,
    pseudonyms: Pseudonyms,
    /// Addresses, normalised.
    superusers: HashSet<String>,
}

impl Accounts {
    /// The accounts kept in a store. The first opening makes the installation's signing secret.
    ///
    /// # Errors
    /// What the store says.
    pub async fn open(store: Store, clock: Clock, google: Google, admin: &Admin, public_origin: &str) -> Result<Self> {
        let fresh = SigningSecret { secret: random_secret()?, created_at: clock.now() };
        let secret = store
            .update(move |transaction| -> Result<_, StoreError> {
                if let Some(held) = transaction.get::<SigningSecret>(&())? {
                    return Ok(held.secret);
                }
                transaction.put(&(), &fresh)?;
                Ok(fresh.secret)
            })
            .await?;
        let inner = Inner {
            store,
            clock,
            google,
            access_tokens: Signer::new(&secret, public_origin, "access"),
            cookies: Signer::new(&secret, public_origin, "sign-in"),
            pseudonyms: Pseudonyms::new(&secret),
            superusers: admin.superusers.iter().map(|email| normalised(email)).collect(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The name under which something may be remembered of a person whose account is gone: a keyed hash of Google's
    /// subject, which tells nobody without the installation's secret who it was.
    #[must_use]
    pub fn pseudonym(&self, google_subject: &str) -> [u8; 32] {
        self.inner.pseudonyms.of(google_subject)
    }

    /// An account, when there is one.
    ///
    /// # Errors
    /// What the store says.
    pub async fn get(&self, id: AccountId) -> Result<Option<Account>> {
        Ok(self.inner.store.get(&id).await?)
    }

    /// The account of the last person who signed in with an address.
    ///
    /// # Errors
    /// [`Code::NotFound`] when nobody did.
    pub async fn by_email(&self, email: &str) -> Result<Account> {
        let key = normalised(email);
        let nobody = || {
            Error::new(Code::NotFound).saying(format!(
                "Nessuno ha ancora fatto l'accesso con l'indirizzo {key}. L'account nasce con il primo accesso."
            ))
        };
        let found: Option<AccountByEmail> = self.inner.store.get(&key).await?;
        let id = found.ok_or_else(nobody)?.account;
        self.get(id).await?.ok_or_else(nobody)
    }

    /// Accounts in the order of their ids, page by page.
    ///
    /// # Errors
    /// What the store says.
    pub async fn list(&self, page: Page<AccountId>) -> Result<Vec<Account>> {
        let found = self.inner.store.list::<Account>(&(), page).await?;
        Ok(found.into_iter().map(|(_, account)| account).collect())
    }

    /// Keeps what the issuer says of a person: a new account at the first sign-in, the new name and address later.
    /// Whoever the configuration names as a superuser is one from here on.
    ///
    /// # Errors
    /// What the store says.
    pub async fn remember(&self, person: Person) -> Result<Account> {
        let now = self.inner.clock.now();
        let new_id = AccountId::random();
        let email_key = normalised(&person.email);
        let named_in_configuration = self.inner.superusers.contains(&email_key);
        let account = self
            .inner
            .store
            .update(move |transaction| -> Result<_, StoreError> {
                let known = match transaction.get::<AccountBySubject>(&person.subject)? {
                    Some(found) => transaction.get::<Account>(&found.account)?,
                    None => None,
                };
                let mut account = known.unwrap_or_else(|| Account {
                    id: new_id,
                    google_subject: person.subject.clone(),
                    email: String::new(),
                    full_name: String::new(),
                    picture: None,
                    created_at: now,
                    is_superuser: false,
                    consents: Vec::new(),
                });
                let old_key = normalised(&account.email);
                if old_key != email_key
                    && transaction.get::<AccountByEmail>(&old_key)?.is_some_and(|held| held.account == account.id)
                {
                    transaction.delete::<AccountByEmail>(&old_key);
                }
                account.email.clone_from(&person.email);
                account.full_name.clone_from(&person.full_name);
                account.picture.clone_from(&person.picture);
                account.is_superuser |= named_in_configuration;
                transaction.put(&account.id, &account)?;
                transaction.put(&person.subject, &AccountBySubject { account: account.id })?;
                transaction.put(&email_key, &AccountByEmail { account: account.id })?;
                Ok(account)
            })
            .await?;
        if account.id == new_id {
            tracing::info!(account = %account.id, "a new account");
        }
        Ok(account)
    }

    /// Keeps that someone agreed to the terms and confirmed the minimum age. Agreeing twice is agreeing once.
    ///
    /// # Errors
    /// [`Code::Conflict`] when the version is not the one in force, [`Code::NotFound`] without such an account.
    pub async fn consent(&self, id: AccountId, terms_version: &str) -> Result<Account> {
        if terms_version != TERMS_VERSION {
            return Err(Error::new(Code::Conflict)
                .saying("Le condizioni del servizio sono cambiate. Ricarica la pagina e leggi quelle nuove."));
        }
        let given_at = self.inner.clock.now();
        let account = self
            .change(id, move |account| {
                if account.consent_required() {
                    account.consents.push(Consent { terms_version: TERMS_VERSION.into(), given_at });
                }
            })
            .await?;
        tracing::info!(account = %id, terms_version = TERMS_VERSION, "consent given");
        Ok(account)
    }

    /// Lets someone see the numbers of the whole installation.
    ///
    /// # Errors
    /// [`Code::NotFound`] without such an account.
    pub async fn grant_superuser(&self, id: AccountId) -> Result<Account> {
        let account = self.change(id, |account| account.is_superuser = true).await?;
        tracing::info!(account = %id, "superuser granted");
        Ok(account)
    }

    /// Takes that back. It holds until the next sign-in when the configuration names the address.
    ///
    /// # Errors
    /// [`Code::NotFound`] without such an account.
    pub async fn revoke_superuser(&self, id: AccountId) -> Result<Account> {
        let account = self.change(id, |account| account.is_superuser = false).await?;
        tracing::info!(account = %id, "superuser revoked");
        Ok(account)
    }

    async fn change(&self, id: AccountId, change: impl Fn(&mut Account) + Send + Sync + 'static) -> Result<Account> {
        self.inner
            .store
            .update(move |transaction| {
                let mut account = transaction.get::<Account>(&id)?.ok_or(Error::new(Code::NotFound))?;
                change(&mut account);
                transaction.put(&id, &account)?;
                Ok(account)
            })
            .await
    }
}
