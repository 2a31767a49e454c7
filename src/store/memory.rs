//! The engine in memory: for tests, and for questions that need no store on disk. Nothing survives it.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::engine::{Acknowledgement, Change, Commit, Engine, EngineError, Pair, Scan};

/// A keyspace in a sorted map.
#[derive(Debug, Default)]
pub struct MemoryEngine {
    pairs: Mutex<BTreeMap<Vec<u8>, Vec<u8>>>,
}

impl MemoryEngine {
    fn pairs(&self) -> MutexGuard<'_, BTreeMap<Vec<u8>, Vec<u8>>> {
        // Each commit checks everything before it changes anything, so a poisoned map is a whole map.
        self.pairs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn apply(&self, commit: Commit) -> Result<(), EngineError> {
        let mut pairs = self.pairs();
        for expectation in &commit.expectations {
            if pairs.get(&expectation.key) != expectation.holds.as_ref() {
                return Err(EngineError::Conflict);
            }
        }
        let mut changed: BTreeMap<Vec<u8>, Option<Vec<u8>>> = BTreeMap::new();
        for change in commit.changes {
            match change {
                Change::Put { key, value } => {
                    changed.insert(key, Some(value));
                }
                Change::Delete { key } => {
                    changed.insert(key, None);
                }
                Change::Add { key, amount } => {
                    let held = changed.get(&key).cloned().unwrap_or_else(|| pairs.get(&key).cloned());
                    let sum = add(held.as_deref(), amount)?;
                    changed.insert(key, Some(sum));
                }
            }
        }
        for (key, value) in changed {
            match value {
                Some(value) => pairs.insert(key, value),
                None => pairs.remove(&key),
            };
        }
        Ok(())
    }
}

/// The counter's new bytes.
///
/// # Errors
/// [`EngineError::NotACounter`] when the held bytes are not 8.
pub(crate) fn add(held: Option<&[u8]>, amount: i64) -> Result<Vec<u8>, EngineError> {
    let before = match held {
        None => 0,
        Some(bytes) => i64::from_be_bytes(bytes.try_into().map_err(|_| EngineError::NotACounter)?),
    };
    Ok(before.saturating_add(amount).to_be_bytes().to_vec())
}

impl Engine for MemoryEngine {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, EngineError> {
        Ok(self.pairs().get(key).cloned())
    }

    fn scan(&self, scan: &Scan) -> Result<Vec<Pair>, EngineError> {
        let until = scan.until.as_ref().map_or(Bound::Unbounded, Bound::Excluded);
        if scan.until.as_ref().is_some_and(|until| *until <= scan.from) {
            return Ok(Vec::new());
        }
        let pairs = self.pairs();
        let range = pairs.range::<Vec<u8>, _>((Bound::Included(&scan.from), until));
        let copy = |(key, value): (&Vec<u8>, &Vec<u8>)| (key.clone(), value.clone());
        Ok(if scan.newest_first {
            range.rev().take(scan.limit).map(copy).collect()
        } else {
            range.take(scan.limit).map(copy).collect()
        })
    }

    fn commit(&self, commit: Commit) -> Acknowledgement {
        Acknowledgement::ready(self.apply(commit))
    }

    fn close(&self) -> Result<(), EngineError> {
        Ok(())
    }
}
