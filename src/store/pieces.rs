//! Records that are too large for one value. sled keeps values over some 64 KiB badly (each becomes a file of its own
//! that is never given back), so a large record is cut into pieces under keys of the store's own, and a head stands in
//! its place. Each writing has a number of its own: who reads a head while the record is replaced finds a piece missing,
//! never a piece of another writing.

use super::StoreError;
use super::engine::{Change, Engine};

/// The largest value that is kept whole, and the size of a piece.
pub(crate) const PIECE: usize = 64 * 1024;

/// The first byte of a head. No record has this version.
const HEAD: u8 = 0xFF;
/// The table of the pieces.
const TABLE: u8 = 0xF1;
/// How often a record that is being replaced is read anew.
const MOST_TRIES: usize = 20;

/// What a head says.
struct Head {
    writing: [u8; 16],
    pieces: u32,
}

impl Head {
    fn read(bytes: &[u8]) -> Option<Self> {
        let (kind, rest) = bytes.split_first()?;
        let (writing, rest) = rest.split_first_chunk::<16>()?;
        let (pieces, rest) = rest.split_first_chunk::<4>()?;
        let sum = u32::from_le_bytes(rest.try_into().ok()?);
        let whole = *kind == HEAD && crc32c::crc32c(bytes.get(..21)?) == sum;
        whole.then(|| Self { writing: *writing, pieces: u32::from_be_bytes(*pieces) })
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![HEAD];
        bytes.extend_from_slice(&self.writing);
        bytes.extend_from_slice(&self.pieces.to_be_bytes());
        bytes.extend_from_slice(&crc32c::crc32c(&bytes).to_le_bytes());
        bytes
    }

    fn piece_key(&self, number: u32) -> Vec<u8> {
        let mut key = vec![TABLE];
        key.extend_from_slice(&self.writing);
        key.extend_from_slice(&number.to_be_bytes());
        key
    }
}

/// The changes that write a value under a key, whole or cut.
pub(crate) fn split(key: Vec<u8>, value: Vec<u8>) -> Vec<Change> {
    if value.len() <= PIECE {
        return vec![Change::Put { key, value }];
    }
    let cut = value.chunks(PIECE);
    let head = Head { writing: *uuid::Uuid::new_v4().as_bytes(), pieces: u32::try_from(cut.len()).unwrap_or(u32::MAX) };
    let pieces =
        (0..).zip(cut).map(|(number, piece)| Change::Put { key: head.piece_key(number), value: piece.to_vec() });
    let mut changes: Vec<Change> = pieces.collect();
    changes.push(Change::Put { key, value: head.to_bytes() });
    changes
}

/// The changes that remove the pieces of a value that stands under a key, if it has any.
pub(crate) fn removal(head: &[u8]) -> Vec<Change> {
    let Some(head) = Head::read(head) else { return Vec::new() };
    (0..head.pieces).map(|number| Change::Delete { key: head.piece_key(number) }).collect()
}

/// The whole value of which `head` stands under a key; `None` when a piece is missing, as it is while the record is
/// being replaced.
pub(crate) fn whole(engine: &dyn Engine, head: Vec<u8>) -> Result<Option<Vec<u8>>, StoreError> {
    let Some(cut) = Head::read(&head) else { return Ok(Some(head)) };
    let mut value = Vec::new();
    for number in 0..cut.pieces {
        match engine.get(&cut.piece_key(number))? {
            Some(piece) => value.extend_from_slice(&piece),
            None => return Ok(None),
        }
    }
    Ok(Some(value))
}

/// The whole value under a key, read again when it is replaced meanwhile.
pub(crate) fn get(engine: &dyn Engine, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
    let mut last = None;
    for _ in 0..MOST_TRIES {
        let Some(head) = engine.get(key)? else { return Ok(None) };
        if let Some(value) = whole(engine, head.clone())? {
            return Ok(Some(value));
        }
        if last.as_ref() == Some(&head) {
            // Nobody is replacing it: the piece is lost. The head's own bytes fail the checksum of a record.
            return Ok(Some(head));
        }
        last = Some(head);
    }
    Err(StoreError::Contended)
}
