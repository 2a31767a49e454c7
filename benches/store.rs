//! What the store costs on this machine's disk: acknowledged commits, one after the other and many at once, reading a
//! record, and opening a store that is full. The disk decides: run it where the product will live.

use std::sync::Arc;

use divan::Bencher;
use divan::counter::ItemsCount;
use rimedio::store::DiskOptions;
use rimedio::store::engine::{Change, Commit, Engine, Scan};
use rimedio::store::sled::SledEngine;
use tempfile::TempDir;

/// The bytes of a usual record.
const RECORD: usize = 300;

fn main() {
    divan::main();
}

fn new_store() -> (TempDir, Arc<SledEngine>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let engine = SledEngine::open(&DiskOptions::in_directory(folder.path())).expect("a new store opens");
    (folder, Arc::new(engine))
}

fn put(number: u64) -> Commit {
    let change = Change::Put { key: number.to_be_bytes().to_vec(), value: vec![7; RECORD] };
    Commit { expectations: Vec::new(), changes: vec![change] }
}

/// Each is on the disk before the next begins.
#[divan::bench(sample_count = 20, sample_size = 50)]
fn commits_one_after_the_other(bencher: Bencher) {
    let (_folder, engine) = new_store();
    let mut number = 0;
    bencher.counter(ItemsCount::new(1_u64)).bench_local(|| {
        number += 1;
        engine.commit(put(number)).wait().expect("it is acknowledged");
    });
}

/// So many wait together and share what the disk does.
#[divan::bench(args = [8, 64, 512], sample_count = 20, sample_size = 5)]
fn commits_at_once(bencher: Bencher, waiting: u64) {
    let (_folder, engine) = new_store();
    let mut number = 0;
    bencher.counter(ItemsCount::new(waiting)).bench_local(|| {
        let acknowledgements: Vec<_> = (0..waiting).map(|place| engine.commit(put(number + place))).collect();
        number += waiting;
        for acknowledgement in acknowledgements {
            acknowledgement.wait().expect("it is acknowledged");
        }
    });
}

fn filled(records: u64) -> (TempDir, Arc<SledEngine>) {
    let (folder, engine) = new_store();
    let waiting: Vec<_> = (0..records).map(|number| engine.commit(put(number))).collect();
    for acknowledgement in waiting {
        acknowledgement.wait().expect("it is acknowledged");
    }
    (folder, engine)
}

/// One record of a hundred thousand.
#[divan::bench]
fn read(bencher: Bencher) {
    let (_folder, engine) = filled(100_000);
    let mut number: u64 = 0;
    bencher.bench_local(|| {
        number = (number + 7919) % 100_000;
        engine.get(&number.to_be_bytes()).expect("readable")
    });
}

/// A page of 50 out of a hundred thousand records.
#[divan::bench]
fn page_of_50(bencher: Bencher) {
    let (_folder, engine) = filled(100_000);
    let scan = Scan { from: 50_000_u64.to_be_bytes().to_vec(), until: None, limit: 50, newest_first: false };
    bencher.bench_local(|| engine.scan(&scan).expect("readable"));
}

/// A hundred thousand records, closed in order.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn open(bencher: Bencher) {
    let (folder, engine) = filled(100_000);
    engine.close().expect("it closes");
    drop(engine);
    bencher.bench_local(|| {
        let engine = SledEngine::open(&DiskOptions::in_directory(folder.path())).expect("it opens again");
        engine.close().expect("it closes");
    });
}
