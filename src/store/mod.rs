//! What is remembered. Capabilities keep typed [`Record`]s in a [`Store`]; the store keeps bytes in an
//! [`engine::Engine`]. It knows bytes and records, and no capability.
//!
//! Everything that changes goes through [`Store::update`]: the closure reads through a [`Transaction`], which
//! remembers what it saw, and says what shall change; the commit goes through only when all that was read
//! still holds, and is durable when `update` returns. On a conflict the closure runs again, so it must be pure.

pub mod engine;
mod error;
#[cfg(test)]
pub(crate) mod fixture;
mod journal;
pub mod key;
pub mod memory;
mod pieces;
pub mod record;
pub mod sled;

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::Mutex;

use engine::{Change, Commit, Engine, EngineError, Expectation, Scan};
pub use error::{OpenError, StoreError};
pub use key::Key;
pub use record::{Record, Table};
pub use sled::{DiskOptions, KeptSegments};

/// How often a closure is run anew before the store gives up.
const MOST_TRIES: u32 = 100;
/// How many of these tries run beside all others. Whoever lost so often waits for a turn and then has only newcomers
/// to lose against: under any load everybody gets through.
const TRIES_BESIDE_OTHERS: u32 = 3;

/// The version of all tables together, in the store itself: an older program refuses a newer store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Schema {
    version: u32,
}

impl Schema {
    const PRESENT: u32 = 1;
}

impl Record for Schema {
    const TABLE: Table = Table { prefix: 0xF0, name: "schema" };
    const VERSION: u8 = 1;
    type Key = ();
}

/// A part of a table to list, in the order of its keys.
#[derive(Clone, Debug)]
pub struct Page<K> {
    /// Continue behind this key (exclusive), in the direction of reading.
    pub after: Option<K>,
    /// At most so many records.
    pub limit: usize,
    /// From the greatest key to the least.
    pub newest_first: bool,
}

impl<K> Page<K> {
    /// The first `limit` records in ascending order.
    #[must_use]
    pub const fn first(limit: usize) -> Self {
        Self { after: None, limit, newest_first: false }
    }

    /// The last `limit` records in descending order.
    #[must_use]
    pub const fn last(limit: usize) -> Self {
        Self { after: None, limit, newest_first: true }
    }
}

/// Typed records on an engine. Clones share the engine.
#[derive(Clone, Debug)]
pub struct Store {
    engine: Arc<dyn Engine>,
    /// Stands in front of every key.
    prefix: Arc<[u8]>,
    /// Held by the one update whose turn it is after it lost too often.
    turn: Arc<Mutex<()>>,
}

impl Store {
    /// A store on an engine; `prefix` stands in front of every key, so that several may share one.
    #[must_use]
    pub fn on(engine: Arc<dyn Engine>, prefix: &str) -> Self {
        Self { engine, prefix: prefix.as_bytes().into(), turn: Arc::default() }
    }

    /// A store in memory.
    #[must_use]
    pub fn in_memory() -> Self {
        Self::on(Arc::new(memory::MemoryEngine::default()), "")
    }

    /// Opens a store on disk, or makes it.
    ///
    /// # Errors
    /// [`OpenError`].
    pub async fn open(options: DiskOptions, prefix: &str) -> Result<Self, OpenError> {
        let opening = tokio::task::spawn_blocking(move || sled::SledEngine::open(&options)).await;
        let engine = opening.map_err(|_| OpenError::Damaged("opening it panicked".into()))??;
        let store = Self::on(Arc::new(engine), prefix);
        store.check_schema().await?;
        Ok(store)
    }

    async fn check_schema(&self) -> Result<(), OpenError> {
        let found = self
            .update(|transaction| -> Result<u32, StoreError> {
                if let Some(schema) = transaction.get::<Schema>(&())? {
                    return Ok(schema.version);
                }
                transaction.put(&(), &Schema { version: Schema::PRESENT })?;
                Ok(Schema::PRESENT)
            })
            .await
            .map_err(|error| OpenError::Damaged(error.to_string()))?;
        if found > Schema::PRESENT {
            return Err(OpenError::NewerSchema { found, known: Schema::PRESENT });
        }
        Ok(())
    }

    /// Makes everything durable and takes no more commits.
    ///
    /// # Errors
    /// When the last write failed.
    pub async fn close(&self) -> Result<(), StoreError> {
        self.reading(|engine| Ok(engine.close()?)).await
    }

    /// The engine below, for backups and checks.
    #[must_use]
    pub fn engine(&self) -> &Arc<dyn Engine> {
        &self.engine
    }

    /// Whether the engine answers at all.
    ///
    /// # Errors
    /// What the engine says.
    pub async fn answers(&self) -> Result<(), StoreError> {
        self.reading(|engine| Ok(engine.get(b"").map(|_| ())?)).await
    }

    /// One record.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] or what the engine says.
    pub async fn get<R: Record>(&self, key: &R::Key) -> Result<Option<R>, StoreError> {
        let bytes = self.key_of::<R>(key);
        self.reading(move |engine| match pieces::get(engine, &bytes)? {
            Some(value) => record::decode(&bytes, &value).map(Some),
            None => Ok(None),
        })
        .await
    }

    /// The records whose keys begin with `within` (use `&()` for the whole table), page by page.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] or what the engine says.
    pub async fn list<R: Record>(&self, within: &impl Key, page: Page<R::Key>) -> Result<Vec<(R::Key, R)>, StoreError>
    where
        R::Key: 'static,
    {
        let scan = self.scan_of::<R>(within, &page);
        let skip = self.prefix.len() + 1;
        self.reading(move |engine| {
            let heads = engine.scan(&scan)?;
            heads.into_iter().filter_map(|(key, head)| whole_pair(engine, skip, key, head).transpose()).collect()
        })
        .await
    }

    /// A counter's value; 0 when nothing was ever added.
    ///
    /// # Errors
    /// What the engine says.
    pub async fn counter(&self, table: Table, key: &impl Key) -> Result<i64, StoreError> {
        let bytes = self.raw_key(table, key);
        self.reading(move |engine| read_counter(engine.get(&bytes)?)).await
    }

    /// Runs a closure on a [`Transaction`] and commits what it asked for; durable when this returns. The closure
    /// runs again when something it read has changed meanwhile. When it returns an error, nothing is changed.
    ///
    /// # Errors
    /// What the closure returns, or a [`StoreError`] turned into the closure's error.
    pub async fn update<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: Fn(&mut Transaction<'_>) -> Result<T, E> + Send + Sync + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let work = Arc::new(work);
        let mut turn = None;
        for tried in 0..MOST_TRIES {
            if tried >= TRIES_BESIDE_OTHERS && turn.is_none() {
                turn = Some(self.turn.lock().await);
            }
            let store = self.clone();
            let run = Arc::clone(&work);
            let prepared = tokio::task::spawn_blocking(move || {
                let mut transaction = Transaction::on(&store);
                let value = run(&mut transaction)?;
                Ok::<_, E>((value, transaction.into_commit()?))
            })
            .await
            .map_err(|_| StoreError::Interrupted)?;
            let (value, commit) = prepared?;
            if commit.changes.is_empty() {
                return Ok(value);
            }
            match self.engine.commit(commit).arrived().await {
                Ok(()) => return Ok(value),
                Err(EngineError::Conflict) => {}
                Err(error) => return Err(StoreError::from(error).into()),
            }
        }
        Err(StoreError::Contended.into())
    }

    async fn reading<T, F>(&self, read: F) -> Result<T, StoreError>
    where
        F: FnOnce(&dyn Engine) -> Result<T, StoreError> + Send + 'static,
        T: Send + 'static,
    {
        let engine = Arc::clone(&self.engine);
        tokio::task::spawn_blocking(move || read(&*engine)).await.map_err(|_| StoreError::Interrupted)?
    }

    fn raw_key(&self, table: Table, key: &impl Key) -> Vec<u8> {
        let mut bytes = self.prefix.to_vec();
        bytes.push(table.prefix);
        key.write(&mut bytes);
        bytes
    }

    fn key_of<R: Record>(&self, key: &R::Key) -> Vec<u8> {
        self.raw_key(R::TABLE, key)
    }

    fn scan_of<R: Record>(&self, within: &impl Key, page: &Page<R::Key>) -> Scan {
        let mut from = self.raw_key(R::TABLE, within);
        let mut until = successor(&from);
        if let Some(after) = &page.after {
            let after = self.key_of::<R>(after);
            if page.newest_first {
                until = Some(after);
            } else {
                from = after;
                from.push(0);
            }
        }
        Scan { from, until, limit: page.limit, newest_first: page.newest_first }
    }
}

/// What a closure of [`Store::update`] reads and changes. It sees its own changes to single keys.
#[derive(Debug)]
pub struct Transaction<'store> {
    store: &'store Store,
    seen: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
    /// The records that this transaction writes, whole, or removes.
    writes: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
    additions: Vec<(Vec<u8>, i64)>,
}

impl<'store> Transaction<'store> {
    const fn on(store: &'store Store) -> Self {
        Self { store, seen: BTreeMap::new(), writes: BTreeMap::new(), additions: Vec::new() }
    }

    /// One record; the commit goes through only when it is still the same then.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] or what the engine says.
    pub fn get<R: Record>(&mut self, key: &R::Key) -> Result<Option<R>, StoreError> {
        let bytes = self.store.key_of::<R>(key);
        if let Some(own) = self.writes.get(&bytes) {
            return own.as_ref().map(|value| record::decode(&bytes, value)).transpose();
        }
        let Some(head) = self.head(&bytes)? else { return Ok(None) };
        let value = match pieces::whole(&*self.store.engine, head)? {
            Some(value) => value,
            // Replaced meanwhile: the expectation on the old head lets the commit fail and the closure run again.
            None => match pieces::get(&*self.store.engine, &bytes)? {
                Some(value) => value,
                None => return Ok(None),
            },
        };
        record::decode(&bytes, &value).map(Some)
    }

    /// The records whose keys begin with `within`. Each one found must still be the same at the commit; one that
    /// is added meanwhile goes unnoticed. Changes of this transaction are not seen.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] or what the engine says.
    pub fn list<R: Record>(&mut self, within: &impl Key, page: Page<R::Key>) -> Result<Vec<(R::Key, R)>, StoreError> {
        let scan = self.store.scan_of::<R>(within, &page);
        let skip = self.store.prefix.len() + 1;
        let pairs = self.store.engine.scan(&scan)?;
        pairs
            .into_iter()
            .filter_map(|(key, head)| {
                self.seen.entry(key.clone()).or_insert_with(|| Some(head.clone()));
                whole_pair(&*self.store.engine, skip, key, head).transpose()
            })
            .collect()
    }

    /// A counter's value with this transaction's own additions; the commit goes through only when what stands in the
    /// store is still the same then.
    ///
    /// # Errors
    /// What the engine says.
    pub fn counter(&mut self, table: Table, key: &impl Key) -> Result<i64, StoreError> {
        let bytes = self.store.raw_key(table, key);
        let held = read_counter(self.head(&bytes)?)?;
        let own = self.additions.iter().filter(|(key, _)| *key == bytes).map(|(_, amount)| *amount);
        Ok(own.fold(held, i64::saturating_add))
    }

    /// Writes a record, whatever stood there before.
    ///
    /// # Errors
    /// [`StoreError::Unwritable`].
    pub fn put<R: Record>(&mut self, key: &R::Key, record: &R) -> Result<(), StoreError> {
        let key = self.store.key_of::<R>(key);
        let value = record::encode(&key, record)?;
        self.writes.insert(key, Some(value));
        Ok(())
    }

    /// Removes a record; no error when there is none.
    pub fn delete<R: Record>(&mut self, key: &R::Key) {
        let key = self.store.key_of::<R>(key);
        self.writes.insert(key, None);
    }

    /// Adds to a counter. Never conflicts with other additions, unless this transaction also read it.
    pub fn add(&mut self, table: Table, key: &impl Key, amount: i64) {
        let key = self.store.raw_key(table, key);
        self.additions.push((key, amount));
    }

    /// What stands under a key in the store, remembered as an expectation.
    fn head(&mut self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        if let Some(value) = self.seen.get(key) {
            return Ok(value.clone());
        }
        let value = self.store.engine.get(key)?;
        self.seen.insert(key.to_vec(), value.clone());
        Ok(value)
    }

    fn into_commit(mut self) -> Result<Commit, StoreError> {
        let mut changes = Vec::with_capacity(self.writes.len() + self.additions.len());
        for (key, value) in std::mem::take(&mut self.writes) {
            // What stood there may have pieces, which go with it; so what stood there is an expectation.
            if let Some(head) = self.head(&key)? {
                changes.extend(pieces::removal(&head));
            }
            match value {
                Some(value) => changes.extend(pieces::split(key, value)),
                None => changes.push(Change::Delete { key }),
            }
        }
        changes.extend(self.additions.into_iter().map(|(key, amount)| Change::Add { key, amount }));
        let expectations = self.seen.into_iter().map(|(key, holds)| Expectation { key, holds }).collect();
        Ok(Commit { expectations, changes })
    }
}

/// A pair of a listing; `None` when the record was replaced or removed while it was read.
fn whole_pair<R: Record>(
    engine: &dyn Engine,
    skip: usize,
    key: Vec<u8>,
    head: Vec<u8>,
) -> Result<Option<(R::Key, R)>, StoreError> {
    let value = match pieces::whole(engine, head)? {
        Some(value) => Some(value),
        None => pieces::get(engine, &key)?,
    };
    value.map(|value| decode_pair(&key, skip, &value)).transpose()
}

fn decode_pair<R: Record>(key: &[u8], skip: usize, value: &[u8]) -> Result<(R::Key, R), StoreError> {
    let mut rest = key.get(skip..).unwrap_or_default();
    let parsed = R::Key::read(&mut rest).filter(|_| rest.is_empty());
    let record = record::decode::<R>(key, value)?;
    let parsed = parsed.ok_or_else(|| StoreError::Damaged {
        table: R::TABLE.name,
        key: format!("{key:02x?}"),
        why: "the key is not of this table".into(),
    })?;
    Ok((parsed, record))
}

fn read_counter(value: Option<Vec<u8>>) -> Result<i64, StoreError> {
    match value {
        None => Ok(0),
        Some(bytes) => {
            bytes.try_into().map(i64::from_be_bytes).map_err(|_| StoreError::Engine(EngineError::NotACounter))
        }
    }
}

/// The first key behind all that begin with `prefix`; `None` when there is none.
fn successor(prefix: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = prefix.to_vec();
    while let Some(last) = bytes.pop() {
        if last < u8::MAX {
            bytes.push(last + 1);
            return Some(bytes);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_on_disk_is_read_for_ever() {
        fixture::holds(&(), &Schema { version: 1 });
    }
}
