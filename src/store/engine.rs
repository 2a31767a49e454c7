//! The contract that any storage engine keeps: one ordered keyspace of bytes, and commits that are all or
//! nothing and durable when they are acknowledged. Nothing above this file may assume a particular engine.

use std::fmt;

use tokio::sync::oneshot;

/// A key and the value that stands under it.
pub type Pair = (Vec<u8>, Vec<u8>);

/// What must still hold for a commit to go through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// The key that was read.
    pub key: Vec<u8>,
    /// What stood under it then; `None` when it was absent.
    pub holds: Option<Vec<u8>>,
}

/// One change of a commit. Changes apply in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Writes a value, whatever stood there before.
    Put {
        /// Where.
        key: Vec<u8>,
        /// What.
        value: Vec<u8>,
    },
    /// Removes a key; no error when it is absent.
    Delete {
        /// Which.
        key: Vec<u8>,
    },
    /// Adds to a counter of 8 bytes (`i64`, big-endian; absent counts as 0). Two additions never conflict.
    /// The sum saturates at the ends of `i64`.
    Add {
        /// The counter.
        key: Vec<u8>,
        /// How much; may be negative.
        amount: i64,
    },
}

/// A set of expectations and a set of changes: all or nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// What must hold at the moment of the commit.
    pub expectations: Vec<Expectation>,
    /// What changes then.
    pub changes: Vec<Change>,
}

/// A part of the keyspace to read, in order.
#[derive(Clone, Debug)]
pub struct Scan {
    /// The first key that may be returned.
    pub from: Vec<u8>,
    /// The first key that may not be returned any more; `None` for the end of the keyspace.
    pub until: Option<Vec<u8>>,
    /// At most so many pairs.
    pub limit: usize,
    /// From the end towards the beginning.
    pub newest_first: bool,
}

/// Why an engine did not do what it was asked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EngineError {
    /// An expectation did not hold; nothing was changed. Read again and try again.
    #[error("an expectation of the commit did not hold")]
    Conflict,
    /// A counter holds something that is no counter; nothing was changed.
    #[error("the value under a counter key is no counter")]
    NotACounter,
    /// The engine was closed, or stopped for good after a failed write; nothing was acknowledged.
    #[error("the store takes no more commits: {0}")]
    Stopped(String),
    /// The disk or the files did not do their part.
    #[error("the store could not read or write: {0}")]
    Io(String),
}

/// The promise of an answer to a commit. It arrives when the commit is durable, or was refused.
#[must_use = "a commit is durable only once its acknowledgement arrived"]
pub struct Acknowledgement(oneshot::Receiver<Result<(), EngineError>>);

impl Acknowledgement {
    /// A promise and the means to keep it.
    pub fn promise() -> (oneshot::Sender<Result<(), EngineError>>, Self) {
        let (sender, receiver) = oneshot::channel();
        (sender, Self(receiver))
    }

    /// An answer that is known already.
    pub fn ready(result: Result<(), EngineError>) -> Self {
        let (sender, acknowledgement) = Self::promise();
        // The receiver is alive: it is returned in the next line.
        let _ = sender.send(result);
        acknowledgement
    }

    /// Waits without holding a thread.
    ///
    /// # Errors
    /// Whatever the engine answered; [`EngineError::Stopped`] when it went away without an answer.
    pub async fn arrived(self) -> Result<(), EngineError> {
        self.0.await.unwrap_or_else(|_| Err(EngineError::Stopped("no answer".into())))
    }

    /// Waits and holds the thread; not for async code.
    ///
    /// # Errors
    /// As [`Acknowledgement::arrived`].
    pub fn wait(self) -> Result<(), EngineError> {
        self.0.blocking_recv().unwrap_or_else(|_| Err(EngineError::Stopped("no answer".into())))
    }
}

/// An ordered keyspace with atomic, durable commits.
pub trait Engine: Send + Sync + fmt::Debug {
    /// The value under a key as of the last acknowledged commit, or of one that is being acknowledged. May read
    /// from the disk: not to be called on an async thread.
    ///
    /// # Errors
    /// [`EngineError::Io`] or [`EngineError::Stopped`].
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, EngineError>;

    /// The pairs of a range in the order of their keys. No snapshot: commits that land meanwhile may be seen in
    /// part. May read from the disk: not to be called on an async thread.
    ///
    /// # Errors
    /// [`EngineError::Io`] or [`EngineError::Stopped`].
    fn scan(&self, scan: &Scan) -> Result<Vec<Pair>, EngineError>;

    /// Takes a commit and returns at once; the acknowledgement arrives when the commit is durable. Commits from
    /// one caller that are handed over in an order take effect in that order.
    fn commit(&self, commit: Commit) -> Acknowledgement;

    /// Makes everything durable and takes no more commits. Reads may fail afterwards. Calling it twice is harmless.
    ///
    /// # Errors
    /// [`EngineError::Io`] when the last write failed.
    fn close(&self) -> Result<(), EngineError>;
}
