//! The bytes of every version of every record ever written, as files that must load for ever. A file holds the length
//! of the key (2 bytes, big endian), the key and the value.

use std::fmt::Debug;
use std::fs;
use std::path::PathBuf;

use super::key::Key as _;
use super::record::{Record, decode, encode};

/// Set to make the files that are missing; a file that is there is never written again.
const MAKE: &str = "RIMEDIO_NEW_FIXTURES";

fn file_of<R: Record>(version: u8) -> PathBuf {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/records");
    PathBuf::from(folder).join(format!("{}-v{version}.bin", R::TABLE.name))
}

fn raw_key<R: Record>(key: &R::Key) -> Vec<u8> {
    let mut raw = vec![R::TABLE.prefix];
    key.write(&mut raw);
    raw
}

/// The present version: `record` under `key` is written as the file says, and the file is read as `record`.
pub(crate) fn holds<R: Record + PartialEq + Debug>(key: &R::Key, record: &R) {
    let raw = raw_key::<R>(key);
    let value = encode(&raw, record).expect("a record that can be written");
    let length = u16::try_from(raw.len()).expect("a short key").to_be_bytes();
    let content = [&length[..], &raw, &value].concat();
    let path = file_of::<R>(R::VERSION);
    if !path.exists() && std::env::var_os(MAKE).is_some() {
        fs::write(&path, &content).expect("the folder of fixtures can be written");
    }
    let found = fs::read(&path).unwrap_or_else(|error| {
        panic!("{}: {error}. A new version of a record: run `{MAKE}=1 cargo test --lib fixture`", path.display())
    });
    assert_eq!(found, content, "{}: what is written has changed: make a new version of the record", path.display());
    read_back(R::VERSION, key, record);
}

/// Any version: the file is read as `record`.
pub(crate) fn read_back<R: Record + PartialEq + Debug>(version: u8, key: &R::Key, record: &R) {
    let path = file_of::<R>(version);
    let found = fs::read(&path).expect("the fixture of a version that was written once stays for ever");
    let (length, rest) = found.split_first_chunk::<2>().expect("the length of the key");
    let (raw, value) = rest.split_at(usize::from(u16::from_be_bytes(*length)));
    assert_eq!(raw, raw_key::<R>(key), "{}: the key has changed", path.display());
    let read: R = decode(raw, value).expect("a record of a version that was written once loads for ever");
    assert_eq!(&read, record, "{}", path.display());
}
