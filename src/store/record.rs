//! How a record becomes bytes and comes back: one version byte, a CRC32C checksum over key, version and payload,
//! then the payload in bincode. bincode does not describe itself, so a record's struct is frozen once written:
//! a change is a new version, and the old one is still read. The only file that names bincode.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::StoreError;
use super::key::Key;

/// A family of records: the byte that begins their keys, and the name used in messages and exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Table {
    /// The first byte of every key of this table. 0xF0 and above belong to the store itself.
    pub prefix: u8,
    /// The name, plural, in `snake_case`.
    pub name: &'static str,
}

/// A record that the store can keep. Its fields and their order are the format on disk: no `flatten`, `tag`,
/// `untagged` or `skip_serializing_if`, no field added or moved without a new version.
pub trait Record: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Where records of this kind live.
    const TABLE: Table;
    /// The version that is written.
    const VERSION: u8;
    /// What identifies a record within its table.
    type Key: Key;

    /// Reads the payload of an older version. The default knows none.
    ///
    /// # Errors
    /// A sentence for the log when the version is unknown or the bytes are not of it.
    fn from_older(version: u8, payload: &[u8]) -> Result<Self, String> {
        let _ = payload;
        Err(format!("version {version} is unknown, this binary writes {}", Self::VERSION))
    }
}

/// No record may decode to more than this; a damaged length must not take the process down.
const LARGEST_PAYLOAD: usize = 64 * 1024 * 1024;

const HEADER: usize = 5;

/// Decodes a payload whose struct is given: for [`Record::from_older`].
///
/// # Errors
/// A sentence for the log when the bytes are not of this struct, or some are left over.
pub fn decode_payload<T: DeserializeOwned>(payload: &[u8]) -> Result<T, String> {
    let limited = bincode::config::standard().with_limit::<LARGEST_PAYLOAD>();
    let (value, used) = bincode::serde::decode_from_slice(payload, limited).map_err(|error| error.to_string())?;
    if used != payload.len() {
        return Err(format!("{} bytes are left over", payload.len() - used));
    }
    Ok(value)
}

fn checksum(key: &[u8], version: u8, payload: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c_append(crc32c::crc32c(key), &[version]), payload)
}

/// The bytes of a record that will stand under `key`.
pub(crate) fn encode<R: Record>(key: &[u8], record: &R) -> Result<Vec<u8>, StoreError> {
    let payload = bincode::serde::encode_to_vec(record, bincode::config::standard())
        .map_err(|error| StoreError::Unwritable { table: R::TABLE.name, why: error.to_string() })?;
    let mut bytes = Vec::with_capacity(HEADER + payload.len());
    bytes.push(R::VERSION);
    bytes.extend_from_slice(&checksum(key, R::VERSION, &payload).to_le_bytes());
    bytes.extend_from_slice(&payload);
    Ok(bytes)
}

/// The record that stands under `key`.
pub(crate) fn decode<R: Record>(key: &[u8], bytes: &[u8]) -> Result<R, StoreError> {
    let damaged = |why: String| StoreError::Damaged { table: R::TABLE.name, key: hex(key), why };
    let (header, payload) = bytes.split_first_chunk::<HEADER>().ok_or_else(|| damaged("cut short".into()))?;
    let [version, checksum_bytes @ ..] = *header;
    if checksum(key, version, payload) != u32::from_le_bytes(checksum_bytes) {
        return Err(damaged("the checksum does not fit".into()));
    }
    if version == R::VERSION { decode_payload(payload) } else { R::from_older(version, payload) }.map_err(damaged)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
