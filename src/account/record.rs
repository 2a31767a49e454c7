//! What is remembered of people: accounts, the two ways to find one, their sessions and the tickets on their way to
//! one. The structs are the format on disk and frozen: a change is a new version.

use jiff::Timestamp;
use uuid::Uuid;

use super::AccountId;
use crate::store::{Record, Table};

/// A person who has signed in at least once.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Account {
    /// What identifies the account within the store.
    pub id: AccountId,
    /// What identifies the person at Google: the `sub` claim. An e-mail address can change hands, this cannot.
    pub google_subject: String,
    /// The verified address of the last sign-in, as Google writes it.
    pub email: String,
    /// The full name of the last sign-in; empty when Google gave none.
    pub full_name: String,
    /// The address of a picture.
    pub picture: Option<String>,
    /// When the person signed in for the first time.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub created_at: Timestamp,
    /// May see the numbers of the whole installation.
    pub is_superuser: bool,
    /// What the person agreed to, oldest first.
    pub consents: Vec<Consent>,
}

/// One agreement to the terms, with the confirmation of the minimum age.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Consent {
    /// The version of the terms.
    pub terms_version: String,
    /// When.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub given_at: Timestamp,
}

impl Record for Account {
    const TABLE: Table = Table { prefix: 0x10, name: "accounts" };
    const VERSION: u8 = 1;
    type Key = AccountId;
}

/// Whose account a Google subject is.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct AccountBySubject {
    pub(crate) account: AccountId,
}

impl Record for AccountBySubject {
    const TABLE: Table = Table { prefix: 0x11, name: "accounts_by_subject" };
    const VERSION: u8 = 1;
    type Key = String;
}

/// Whose account an address leads to: that of the last person who signed in with it. Keyed by [`normalised`].
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct AccountByEmail {
    pub(crate) account: AccountId,
}

impl Record for AccountByEmail {
    const TABLE: Table = Table { prefix: 0x12, name: "accounts_by_email" };
    const VERSION: u8 = 1;
    type Key = String;
}

/// The form in which addresses are compared: without blanks around, in lower case. Dots and plus signs count, as
/// they do for every provider but one.
#[must_use]
pub fn normalised(email: &str) -> String {
    email.trim().to_lowercase()
}

/// Someone's presence on one device.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Session {
    pub(crate) account: AccountId,
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub(crate) created_at: Timestamp,
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub(crate) renewed_at: Timestamp,
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub(crate) expires_at: Timestamp,
}

impl Record for Session {
    const TABLE: Table = Table { prefix: 0x13, name: "sessions" };
    const VERSION: u8 = 1;
    type Key = Uuid;
}

/// The sessions of one account, so that all can be ended without reading everybody's.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct SessionOfAccount {}

impl Record for SessionOfAccount {
    const TABLE: Table = Table { prefix: 0x14, name: "sessions_by_account" };
    const VERSION: u8 = 1;
    type Key = (AccountId, Uuid);
}

/// A sign-in that succeeded and that no browser has picked up yet. Keyed by the SHA-256 of its token, so that the
/// store alone signs nobody in.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Ticket {
    pub(crate) account: AccountId,
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub(crate) expires_at: Timestamp,
}

impl Record for Ticket {
    const TABLE: Table = Table { prefix: 0x15, name: "tickets" };
    const VERSION: u8 = 1;
    type Key = [u8; 32];
}

/// The tickets in the order of their ends, so that those nobody picked up can be cleared away.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct TicketByEnd {}

impl Record for TicketByEnd {
    const TABLE: Table = Table { prefix: 0x16, name: "tickets_by_end" };
    const VERSION: u8 = 1;
    type Key = (Timestamp, [u8; 32]);
}

/// The secret from which the keys of access tokens and sign-in cookies are derived. Made on the first start.
#[derive(Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct SigningSecret {
    pub(crate) secret: [u8; 32],
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub(crate) created_at: Timestamp,
}

impl std::fmt::Debug for SigningSecret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("SigningSecret").field("created_at", &self.created_at).finish_non_exhaustive()
    }
}

impl Record for SigningSecret {
    const TABLE: Table = Table { prefix: 0x17, name: "signing_secret" };
    const VERSION: u8 = 1;
    type Key = ();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::fixture::holds;

    #[test]
    fn what_is_on_disk_is_read_for_ever() {
        let id = AccountId(Uuid::from_u128(1));
        let session = Uuid::from_u128(2);
        let then = Timestamp::constant(1_795_000_000, 125_000);
        let later = Timestamp::constant(1_797_592_000, 0);
        let account = Account {
            id,
            google_subject: "108204268033311374519".into(),
            email: "Anna.Bianchi@example.it".into(),
            full_name: "Anna Bianchi".into(),
            picture: Some("https://example.it/anna.jpg".into()),
            created_at: then,
            is_superuser: true,
            consents: vec![Consent { terms_version: "2026-11-21".into(), given_at: later }],
        };
        holds(&id, &account);
        holds(&account.google_subject, &AccountBySubject { account: id });
        holds(&normalised(&account.email), &AccountByEmail { account: id });
        holds(&session, &Session { account: id, created_at: then, renewed_at: then, expires_at: later });
        holds(&(id, session), &SessionOfAccount {});
        holds(&[3; 32], &Ticket { account: id, expires_at: later });
        holds(&(later, [3; 32]), &TicketByEnd {});
        holds(&(), &SigningSecret { secret: [5; 32], created_at: then });
    }
}
