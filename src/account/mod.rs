//! Who someone is: the account behind a Google sign-in, its sessions, its consents.

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

use crate::store::Key;

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
