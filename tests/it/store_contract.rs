//! The contract of a storage engine, one suite for every engine, and the records above it.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use rimedio::store::engine::{Change, Commit, Engine, EngineError, Expectation, Scan};
use rimedio::store::memory::MemoryEngine;
use rimedio::store::sled::{DiskOptions, SledEngine};
use rimedio::store::{OpenError, Page, Record, Store, StoreError, Table};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

pub(crate) fn options(folder: &TempDir) -> DiskOptions {
    DiskOptions {
        cache_bytes: 1024 * 1024,
        segment_bytes: 64 * 1024,
        ..DiskOptions::in_directory(folder.path().join("store"))
    }
}

/// Every engine, with the folder that it lives in.
fn engines() -> Vec<(TempDir, Arc<dyn Engine>)> {
    let folder = || tempfile::tempdir().expect("a temporary folder");
    let (memory, disk) = (folder(), folder());
    let sled = SledEngine::open(&options(&disk)).expect("a new store opens");
    vec![(memory, Arc::new(MemoryEngine::default())), (disk, Arc::new(sled))]
}

fn put(key: &str, value: &str) -> Change {
    Change::Put { key: key.into(), value: value.into() }
}

fn commit(engine: &dyn Engine, expectations: &[(&str, Option<&str>)], changes: Vec<Change>) -> Result<(), EngineError> {
    let expectations =
        expectations.iter().map(|(key, holds)| Expectation { key: (*key).into(), holds: holds.map(Into::into) });
    engine.commit(Commit { expectations: expectations.collect(), changes }).wait()
}

fn get(engine: &dyn Engine, key: &str) -> Option<String> {
    let value = engine.get(key.as_bytes()).expect("a readable engine");
    value.map(|bytes| String::from_utf8(bytes).expect("a text"))
}

fn keys(engine: &dyn Engine, from: &str, until: Option<&str>, limit: usize, newest_first: bool) -> Vec<String> {
    let scan = Scan { from: from.into(), until: until.map(Into::into), limit, newest_first };
    let pairs = engine.scan(&scan).expect("a readable engine");
    pairs.into_iter().map(|(key, _)| String::from_utf8(key).expect("a text")).collect()
}

#[test]
fn a_commit_is_all_or_nothing() {
    for (_folder, engine) in engines() {
        commit(&*engine, &[], vec![put("a", "1"), put("b", "1")]).expect("no expectation, no conflict");
        let refused = commit(&*engine, &[("a", Some("1")), ("b", Some("2"))], vec![put("a", "9"), put("c", "9")]);
        assert!(matches!(refused, Err(EngineError::Conflict)));
        assert_eq!((get(&*engine, "a"), get(&*engine, "c")), (Some("1".into()), None));
        let absent = commit(&*engine, &[("c", None)], vec![put("c", "1"), Change::Delete { key: "a".into() }]);
        absent.expect("c is absent");
        assert_eq!((get(&*engine, "a"), get(&*engine, "c")), (None, Some("1".into())));
        let refused = commit(&*engine, &[("c", None)], vec![put("c", "2")]);
        assert!(matches!(refused, Err(EngineError::Conflict)));
    }
}

#[test]
fn changes_of_a_commit_apply_in_their_order() {
    for (_folder, engine) in engines() {
        let changes = vec![put("a", "1"), Change::Delete { key: "a".into() }, put("a", "2"), put("b", "1")];
        commit(&*engine, &[], changes).expect("no expectation, no conflict");
        commit(&*engine, &[], vec![put("b", "2"), Change::Delete { key: "b".into() }]).expect("no conflict");
        assert_eq!((get(&*engine, "a"), get(&*engine, "b")), (Some("2".into()), None));
    }
}

#[test]
fn a_counter_adds_up_and_refuses_what_is_no_counter() {
    for (_folder, engine) in engines() {
        let add = |key: &str, amount| Change::Add { key: key.into(), amount };
        commit(&*engine, &[], vec![add("n", 5), add("n", -2)]).expect("additions do not conflict");
        commit(&*engine, &[], vec![add("n", i64::MAX)]).expect("the sum saturates");
        assert_eq!(engine.get(b"n").expect("readable"), Some(i64::MAX.to_be_bytes().to_vec()));
        commit(&*engine, &[], vec![put("text", "abc")]).expect("no conflict");
        let refused = commit(&*engine, &[], vec![put("other", "1"), add("text", 1)]);
        assert!(matches!(refused, Err(EngineError::NotACounter)));
        assert_eq!(get(&*engine, "other"), None);
    }
}

#[test]
fn a_scan_is_ordered_bounded_and_paged_in_both_directions() {
    for (_folder, engine) in engines() {
        let changes = ["a", "ab", "b", "c", "d"].map(|key| put(key, "x"));
        commit(&*engine, &[], changes.to_vec()).expect("no conflict");
        assert_eq!(keys(&*engine, "a", Some("c"), 9, false), ["a", "ab", "b"]);
        assert_eq!(keys(&*engine, "a", Some("c"), 2, true), ["b", "ab"]);
        assert_eq!(keys(&*engine, "ab", None, 2, false), ["ab", "b"]);
        assert_eq!(keys(&*engine, "", None, 99, false).len(), 5);
        assert_eq!(keys(&*engine, "c", Some("a"), 9, false), Vec::<String>::new());
    }
}

#[test]
fn after_closing_nothing_is_acknowledged() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let engine = SledEngine::open(&options(&folder)).expect("a new store opens");
    engine.close().expect("it closes");
    engine.close().expect("closing twice is harmless");
    assert!(matches!(commit(&engine, &[], vec![put("a", "1")]), Err(EngineError::Stopped(_))));
}

#[derive(Clone, Debug)]
enum Step {
    Commit(Vec<(u8, Option<u8>)>, Vec<(u8, Option<u8>)>, Vec<(u8, i8)>),
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let pairs = |most| prop::collection::vec((0_u8..8, prop::option::of(0_u8..3)), 0..most);
    let additions = prop::collection::vec((0_u8..3, any::<i8>()), 0..3);
    prop_oneof![
        9 => (pairs(2), pairs(5), additions).prop_map(|(expected, written, added)| Step::Commit(expected, written, added)),
        1 => Just(Step::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Whatever is done to an engine, it holds what a plain map would hold.
    #[test]
    fn an_engine_is_a_map(steps in prop::collection::vec(step(), 1..40)) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut sled: Arc<dyn Engine> = Arc::new(SledEngine::open(&options(&folder)).expect("a new store opens"));
        let memory = MemoryEngine::default();
        let mut model: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
        for step in steps {
            let Step::Commit(expected, written, added) = step else {
                drop(sled);
                sled = Arc::new(SledEngine::open(&options(&folder)).expect("it opens again"));
                continue;
            };
            let key = |key: u8| vec![b'k', key];
            let commit = Commit {
                expectations: expected.iter().map(|(k, holds)| Expectation { key: key(*k), holds: holds.map(|v| vec![v; 3]) }).collect(),
                changes: written.iter().map(|(k, value)| match value {
                    Some(value) => Change::Put { key: key(*k), value: vec![*value; 3] },
                    None => Change::Delete { key: key(*k) },
                }).chain(added.iter().map(|(k, amount)| Change::Add { key: vec![b'n', *k], amount: i64::from(*amount) })).collect(),
            };
            let holds = commit.expectations.iter().all(|expectation| model.get(&expectation.key) == expectation.holds.as_ref());
            for engine in [&*sled, &memory as &dyn Engine] {
                let result = engine.commit(commit.clone()).wait();
                prop_assert_eq!(result.is_ok(), holds);
            }
            if holds {
                for (k, value) in written {
                    match value {
                        Some(value) => model.insert(key(k), vec![value; 3]),
                        None => model.remove(&key(k)),
                    };
                }
                for (k, amount) in added {
                    let held = model.entry(vec![b'n', k]).or_insert_with(|| vec![0; 8]);
                    let before = i64::from_be_bytes(held.as_slice().try_into().expect("a counter"));
                    *held = (before + i64::from(amount)).to_be_bytes().to_vec();
                }
            }
            for newest_first in [false, true] {
                let scan = Scan { from: Vec::new(), until: None, limit: 1000, newest_first };
                let mut expected: Vec<_> = model.clone().into_iter().collect();
                if newest_first { expected.reverse(); }
                for engine in [&*sled, &memory as &dyn Engine] {
                    prop_assert_eq!(engine.scan(&scan).expect("readable"), expected.clone());
                }
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Note {
    text: String,
}

impl Record for Note {
    const TABLE: Table = Table { prefix: 0x70, name: "notes" };
    const VERSION: u8 = 2;
    type Key = (u32, String);

    fn from_older(version: u8, payload: &[u8]) -> Result<Self, String> {
        match version {
            1 => rimedio::store::record::decode_payload::<u32>(payload).map(|number| Self { text: number.to_string() }),
            _ => Err(format!("version {version} is unknown")),
        }
    }
}

fn note(text: impl Into<String>) -> Note {
    Note { text: text.into() }
}

async fn write(store: &Store, key: (u32, String), note: Note) {
    store
        .update(move |transaction| -> Result<(), StoreError> { transaction.put(&key, &note) })
        .await
        .expect("a note can be written");
}

fn stores() -> Vec<(TempDir, Store, Arc<dyn Engine>)> {
    engines().into_iter().map(|(folder, engine)| (folder, Store::on(Arc::clone(&engine), "p:"), engine)).collect()
}

fn every_key(engine: &dyn Engine) -> Vec<Vec<u8>> {
    let scan = Scan { from: Vec::new(), until: None, limit: 10_000, newest_first: false };
    engine.scan(&scan).expect("readable").into_iter().map(|(key, _)| key).collect()
}

#[tokio::test]
async fn records_are_listed_by_the_beginning_of_their_key() {
    for (_folder, store, _) in stores() {
        for (group, name) in [(1, "b"), (1, "a"), (2, "c"), (256, "d")] {
            write(&store, (group, name.into()), note(name)).await;
        }
        let names = |found: Vec<((u32, String), Note)>| found.into_iter().map(|(key, _)| key.1).collect::<Vec<_>>();
        assert_eq!(names(store.list::<Note>(&1_u32, Page::first(9)).await.expect("readable")), ["a", "b"]);
        assert_eq!(names(store.list::<Note>(&(), Page::last(2)).await.expect("readable")), ["d", "c"]);
        let page = Page { after: Some((1, "a".into())), limit: 2, newest_first: false };
        assert_eq!(names(store.list::<Note>(&(), page).await.expect("readable")), ["b", "c"]);
    }
}

#[tokio::test]
async fn a_large_record_is_cut_and_leaves_no_piece_behind() {
    for (_folder, store, engine) in stores() {
        let key = (1, "large".to_owned());
        let before = every_key(&*engine).len();
        for size in [10, 64 * 1024 - 20, 64 * 1024 + 1, 1_000_000, 200_000, 5] {
            let large = note("à".repeat(size / 2));
            write(&store, key.clone(), large.clone()).await;
            assert_eq!(store.get::<Note>(&key).await.expect("readable"), Some(large.clone()));
            assert_eq!(store.list::<Note>(&(), Page::first(9)).await.expect("readable"), [(key.clone(), large)]);
            let scan = Scan { from: Vec::new(), until: None, limit: 1000, newest_first: false };
            let longest = engine.scan(&scan).expect("readable").into_iter().map(|(_, value)| value.len()).max();
            assert!(longest <= Some(64 * 1024), "{longest:?}");
        }
        write(&store, key.clone(), note("x".repeat(300_000))).await;
        store
            .update(move |transaction| -> Result<(), StoreError> {
                transaction.delete::<Note>(&key);
                Ok(())
            })
            .await
            .expect("a note can be removed");
        assert_eq!(every_key(&*engine).len(), before, "nothing is left");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn who_reads_a_large_record_while_it_is_replaced_reads_one_writing() {
    for (_folder, store, _) in stores() {
        let key = (1, "large".to_owned());
        write(&store, key.clone(), note("0".repeat(150_000))).await;
        let writer = {
            let (store, key) = (store.clone(), key.clone());
            tokio::spawn(async move {
                for round in 1..40_u32 {
                    write(&store, key.clone(), note((round % 10).to_string().repeat(150_000))).await;
                }
            })
        };
        while !writer.is_finished() {
            let read = store.get::<Note>(&key).await.expect("readable").expect("it is always there");
            let first = read.text.chars().next().expect("a text");
            assert!(read.text.len() == 150_000 && read.text.chars().all(|c| c == first), "a mixture");
        }
        writer.await.expect("the writer ends well");
    }
}

#[tokio::test]
async fn every_damaged_byte_is_noticed() {
    let engine = Arc::new(MemoryEngine::default());
    let store = Store::on(engine.clone(), "");
    let key = (7, "damaged".to_owned());
    write(&store, key.clone(), note("tutto bene")).await;
    let (raw_key, whole) = {
        let scan = Scan { from: Vec::new(), until: None, limit: 1, newest_first: false };
        engine.scan(&scan).expect("readable").remove(0)
    };
    for position in 0..whole.len() {
        for flip in [0x01, 0x80, 0xFF] {
            let mut bytes = whole.clone();
            bytes[position] ^= flip;
            let change = Change::Put { key: raw_key.clone(), value: bytes };
            engine.commit(Commit { expectations: vec![], changes: vec![change] }).arrived().await.expect("no conflict");
            match store.get::<Note>(&key).await {
                Err(StoreError::Damaged { table, key, .. }) => {
                    assert_eq!(table, "notes");
                    assert!(key.starts_with("70"), "it names the key: {key}");
                }
                other => panic!("byte {position} with {flip:#x}: {other:?}"),
            }
        }
    }
    for length in 0..whole.len() {
        let change = Change::Put { key: raw_key.clone(), value: whole[..length].to_vec() };
        engine.commit(Commit { expectations: vec![], changes: vec![change] }).arrived().await.expect("no conflict");
        assert!(matches!(store.get::<Note>(&key).await, Err(StoreError::Damaged { .. })), "cut to {length}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn parallel_updates_of_one_record_lose_nothing() {
    for (_folder, store, _) in stores() {
        let counters = Table { prefix: 0x71, name: "counters" };
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..32 {
            let store = store.clone();
            tasks.spawn(async move {
                for _ in 0..10 {
                    store
                        .update(move |transaction| -> Result<(), StoreError> {
                            let key = (1, "sum".to_owned());
                            let held = transaction.get::<Note>(&key)?.map_or(0, |held| held.text.parse().unwrap_or(0));
                            transaction.put(&key, &note((held + 1_u32).to_string()))?;
                            transaction.add(counters, &1_u32, 1);
                            Ok(())
                        })
                        .await
                        .expect("it gets its turn");
                }
            });
        }
        tasks.join_all().await;
        let sum = store.get::<Note>(&(1, "sum".to_owned())).await.expect("readable").expect("written");
        assert_eq!(sum.text, "320");
        assert_eq!(store.counter(counters, &1_u32).await.expect("readable"), 320);
    }
}

#[tokio::test]
async fn a_transaction_sees_what_it_did() {
    let counters = Table { prefix: 0x71, name: "counters" };
    for (_folder, store, _) in stores() {
        store
            .update(move |transaction| -> Result<(), StoreError> {
                let key = (1, "own".to_owned());
                transaction.put(&key, &note("first"))?;
                transaction.add(counters, &1_u32, 3);
                assert_eq!(transaction.get::<Note>(&key)?, Some(note("first")));
                assert_eq!(transaction.counter(counters, &1_u32)?, 3);
                transaction.delete::<Note>(&key);
                assert_eq!(transaction.get::<Note>(&key)?, None);
                Ok(())
            })
            .await
            .expect("it commits");
    }
}

#[tokio::test]
async fn what_fails_changes_nothing() {
    for (_folder, store, engine) in stores() {
        let failed: Result<(), StoreError> = store
            .update(|transaction| {
                transaction.put(&(1, "half".to_owned()), &note("half"))?;
                Err(StoreError::Contended)
            })
            .await;
        assert!(failed.is_err());
        assert!(every_key(&*engine).is_empty());
    }
}

#[tokio::test]
async fn a_store_opens_once_at_a_time_and_again_after_closing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open(options(&folder), "").await.expect("a new store opens");
    write(&store, (1, "kept".into()), note("kept")).await;
    let second = Store::open(options(&folder), "").await;
    assert!(matches!(second, Err(OpenError::AlreadyOpen(_))), "{second:?}");
    store.close().await.expect("it closes");
    drop(store);
    let again = Store::open(options(&folder), "").await.expect("it opens again");
    assert_eq!(again.get::<Note>(&(1, "kept".into())).await.expect("readable"), Some(note("kept")));
}

#[tokio::test]
async fn a_newer_schema_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    /// What a later version of this program would write.
    #[derive(Serialize, Deserialize)]
    struct LaterSchema {
        version: u32,
    }
    impl Record for LaterSchema {
        const TABLE: Table = Table { prefix: 0xF0, name: "schema" };
        const VERSION: u8 = 1;
        type Key = ();
    }
    let store = Store::open(options(&folder), "").await.expect("a new store opens");
    store
        .update(|transaction| -> Result<(), StoreError> { transaction.put(&(), &LaterSchema { version: 999 }) })
        .await
        .expect("it can be written");
    store.close().await.expect("it closes");
    drop(store);
    let refused = Store::open(options(&folder), "").await;
    assert!(matches!(refused, Err(OpenError::NewerSchema { found: 999, .. })), "{refused:?}");
}

#[test]
fn with_a_whole_journal_nothing_that_befalls_sled_loses_a_commit() {
    type Damage = fn(&std::path::Path);
    let damages: [(&str, Damage); 4] = [
        ("garbage", |file| std::fs::write(file, vec![0xAB; 300_000]).expect("it can be damaged")),
        ("empty", |file| std::fs::write(file, []).expect("it can be damaged")),
        ("deleted", |file| std::fs::remove_file(file).expect("it can be damaged")),
        ("a folder", |file| {
            std::fs::remove_file(file).expect("it can be damaged");
            std::fs::create_dir(file).expect("it can be damaged");
        }),
    ];
    for (name, damage) in damages {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let engine = SledEngine::open(&options(&folder)).expect("a new store opens");
        for number in 0..50 {
            commit(&engine, &[], vec![put(&format!("key{number}"), "value")]).expect("no conflict");
        }
        drop(engine);
        damage(&options(&folder).directory.join("sled").join("db"));
        let engine = SledEngine::open(&options(&folder)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(keys(&engine, "", None, 99, false).len(), 50, "{name}");
    }
}
