//! What can go wrong in the store, for the log and for the operator; people read the sentence of the code.

use std::path::PathBuf;

use super::engine::EngineError;
use super::{MOST_TRIES, journal};
use crate::error::{Code, Error};

/// Why the store did not do what it was asked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The bytes of a record are not those that were written.
    #[error("damaged record in table {table}, key {key}: {why}")]
    Damaged {
        /// The table's name.
        table: &'static str,
        /// The key in hexadecimal.
        key: String,
        /// What does not fit.
        why: String,
    },
    /// A record cannot be encoded.
    #[error("a record of table {table} cannot be written: {why}")]
    Unwritable {
        /// The table's name.
        table: &'static str,
        /// What does not fit.
        why: String,
    },
    /// Others changed the same keys on every try.
    #[error("gave up after {MOST_TRIES} conflicts")]
    Contended,
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A background thread ended without an answer.
    #[error("a reading thread ended without an answer")]
    Interrupted,
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        let code = match error {
            StoreError::Damaged { .. } | StoreError::Unwritable { .. } => Code::Internal,
            StoreError::Contended | StoreError::Engine(_) | StoreError::Interrupted => Code::Unavailable,
        };
        Self::new(code).because(error)
    }
}

/// Why a store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process has it open.
    #[error("the store in {0} is in use by another process")]
    AlreadyOpen(PathBuf),
    /// It was written by a newer version of this program.
    #[error("the store has schema version {found}, this program knows up to {known}: install the newer version again")]
    NewerSchema {
        /// What stands in the store.
        found: u32,
        /// What this program knows.
        known: u32,
    },
    /// Its files are damaged and could not be rebuilt.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    /// The disk did not do its part.
    #[error("the store could not be read or written: {0}")]
    Io(String),
}

impl From<journal::JournalError> for OpenError {
    fn from(error: journal::JournalError) -> Self {
        match error {
            journal::JournalError::Io { .. } => Self::Io(error.to_string()),
            journal::JournalError::Damaged { .. } | journal::JournalError::Missing { .. } => {
                Self::Damaged(error.to_string())
            }
        }
    }
}
