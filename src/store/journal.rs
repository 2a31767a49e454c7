//! The journal under sled: what an acknowledgement waits for. Commits become frames in segment files; a frame holds
//! the *resulting* values, so that replaying it twice is harmless, and is on the disk (fdatasync) before anybody is
//! told. Segments are laid out in full beforehand: overwriting in place needs no new metadata.
//!
//! A segment is named after the sequence number of its first frame. A frame is `length u32, checksum u32, sequence u64,
//! payload`, little-endian; the checksum (CRC32C) covers length, sequence and payload. A length of zero ends a segment.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// One change with its result: the value that stands under the key now, or none.
pub(crate) type Outcome = (Vec<u8>, Option<Vec<u8>>);

const MAGIC: &[u8; 8] = b"RMDJRNL1";
const SEGMENT_HEADER: u64 = 8 + 8 + 4;
const FRAME_HEADER: usize = 4 + 4 + 8;
/// How large a segment is laid out unless the options say otherwise; a larger frame gets one of its own size.
pub(crate) const SEGMENT_SIZE: u64 = 8 * 1024 * 1024;
/// How many sequence numbers ahead a readable frame behind a damaged one may be, to tell damage from a torn end.
const RESYNC_WINDOW: u64 = 4096;

/// Why the journal cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The disk did not do its part.
    #[error("journal: {path}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A frame that was acknowledged cannot be read.
    #[error("journal: segment {segment} is damaged: frame {sequence} cannot be read, although later ones can")]
    Damaged {
        /// The segment's file name.
        segment: String,
        /// The frame that is lost.
        sequence: u64,
    },
    /// A segment is missing.
    #[error("journal: frames {from} to {until} are missing")]
    Missing {
        /// The first frame that is lost.
        from: u64,
        /// The last one.
        until: u64,
    },
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> JournalError + '_ {
    move |source| JournalError::Io { path: path.to_owned(), source }
}

/// The end of the journal, ready for the next frame.
#[derive(Debug)]
pub(crate) struct Journal {
    folder: PathBuf,
    segment: File,
    segment_path: PathBuf,
    /// How large the next segment is laid out.
    segment_size: u64,
    size: u64,
    offset: u64,
    next_sequence: u64,
}

impl Journal {
    /// Opens the journal of a folder, made when it is absent, and hands every frame from `first_wanted` on to `replay`
    /// in order. A torn end is cut off: it was never acknowledged.
    ///
    /// # Errors
    /// [`JournalError`]; what `replay` says.
    pub(crate) fn open<E: From<JournalError>>(
        folder: &Path,
        segment_size: u64,
        first_wanted: u64,
        mut replay: impl FnMut(u64, Vec<Outcome>) -> Result<(), E>,
    ) -> Result<Self, E> {
        if !folder.is_dir() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(at(folder))?;
        }
        let segments = segments(folder)?;
        let Some(&(oldest, _)) = segments.first() else {
            return Ok(Self::fresh(folder, segment_size, first_wanted)?);
        };
        if oldest > first_wanted {
            return Err(JournalError::Missing { from: first_wanted, until: oldest - 1 }.into());
        }
        let mut expected = oldest;
        let mut end = None;
        for (index, (first, path)) in segments.iter().enumerate() {
            if *first != expected {
                return Err(JournalError::Missing { from: expected, until: first.saturating_sub(1) }.into());
            }
            let is_last = index + 1 == segments.len();
            // Whole segments before the first wanted frame need not be read.
            if let Some((next, _)) = segments.get(index + 1)
                && *next <= first_wanted
            {
                expected = *next;
                continue;
            }
            let mut reader = Reader::open(path, *first)?;
            while let Some((sequence, results)) = reader.next(is_last)? {
                expected = sequence + 1;
                if sequence >= first_wanted {
                    replay(sequence, results)?;
                }
            }
            end = Some(reader.offset);
        }
        let (_, path) = segments.last().ok_or(JournalError::Missing { from: expected, until: expected })?;
        let segment = OpenOptions::new().read(true).write(true).open(path).map_err(at(path))?;
        let size = segment.metadata().map_err(at(path))?.len();
        let journal = Self {
            folder: folder.to_owned(),
            segment,
            segment_path: path.clone(),
            segment_size,
            size,
            offset: end.unwrap_or(SEGMENT_HEADER),
            next_sequence: expected,
        };
        journal.cut_torn_end()?;
        Ok(journal)
    }

    fn fresh(folder: &Path, segment_size: u64, first_sequence: u64) -> Result<Self, JournalError> {
        let (segment, segment_path, size) = lay_out(folder, first_sequence, segment_size)?;
        let folder = folder.to_owned();
        Ok(Self {
            folder,
            segment,
            segment_path,
            segment_size,
            size,
            offset: SEGMENT_HEADER,
            next_sequence: first_sequence,
        })
    }

    /// The sequence number that the next frame gets.
    pub(crate) const fn next_sequence(&self) -> u64 {
        self.next_sequence
    }

    /// Writes a frame and returns when it is on the disk, with its sequence number.
    ///
    /// # Errors
    /// [`JournalError::Io`]. The frame may or may not be there then; nobody may write behind it.
    pub(crate) fn append(&mut self, results: &[Outcome]) -> Result<u64, JournalError> {
        let sequence = self.next_sequence;
        let frame = encode(sequence, results);
        let length = frame.len() as u64;
        // Room for the four zero bytes that end the segment must be left.
        if self.offset + length + 4 > self.size {
            let size = self.segment_size.max(SEGMENT_HEADER + length + 4);
            (self.segment, self.segment_path, self.size) = lay_out(&self.folder, sequence, size)?;
            self.offset = SEGMENT_HEADER;
        }
        self.segment.write_all_at(&frame, self.offset).map_err(at(&self.segment_path))?;
        self.segment.sync_data().map_err(at(&self.segment_path))?;
        self.offset += length;
        self.next_sequence += 1;
        Ok(sequence)
    }

    /// Removes the segments that hold nothing from `sequence` on.
    ///
    /// # Errors
    /// [`JournalError::Io`].
    pub(crate) fn forget_before(&self, sequence: u64) -> Result<(), JournalError> {
        let segments = segments(&self.folder)?;
        for pair in segments.windows(2) {
            if let [(_, path), (next, _)] = pair
                && *next <= sequence
            {
                fs::remove_file(path).map_err(at(path))?;
            }
        }
        sync_folder(&self.folder)
    }

    /// Zeroes what lies behind the last whole frame, so that no later frame can be followed by an old one.
    fn cut_torn_end(&self) -> Result<(), JournalError> {
        let mut rest = vec![0; usize::try_from(self.size.saturating_sub(self.offset)).unwrap_or(0)];
        let read = self.segment.read_at(&mut rest, self.offset).map_err(at(&self.segment_path))?;
        if rest.iter().take(read).any(|byte| *byte != 0) {
            rest.fill(0);
            self.segment.write_all_at(&rest, self.offset).map_err(at(&self.segment_path))?;
            self.segment.sync_data().map_err(at(&self.segment_path))?;
        }
        Ok(())
    }
}

/// The oldest frame that the journal of a folder still holds; 1 means that it reaches back to the first commit ever.
pub(crate) fn oldest(folder: &Path) -> Result<Option<u64>, JournalError> {
    if !folder.is_dir() {
        return Ok(None);
    }
    Ok(segments(folder)?.first().map(|(first, _)| *first))
}

/// The segments of a folder with their first sequence numbers, oldest first.
fn segments(folder: &Path) -> Result<Vec<(u64, PathBuf)>, JournalError> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(at(folder))? {
        let path = entry.map_err(at(folder))?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if let Some(first) = name.strip_suffix(".segment").and_then(|digits| u64::from_str_radix(digits, 16).ok()) {
            found.push((first, path));
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// Makes a segment of a size, whole and on the disk before it gets its name.
fn lay_out(folder: &Path, first_sequence: u64, size: u64) -> Result<(File, PathBuf, u64), JournalError> {
    let path = folder.join(format!("{first_sequence:016x}.segment"));
    let draft = folder.join("next.draft");
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(true).mode(0o600);
    let mut file = options.open(&draft).map_err(at(&draft))?;
    let mut header = Vec::from(*MAGIC);
    header.extend_from_slice(&first_sequence.to_le_bytes());
    header.extend_from_slice(&crc32c::crc32c(&header).to_le_bytes());
    file.write_all(&header).map_err(at(&draft))?;
    io::copy(&mut io::repeat(0).take(size - SEGMENT_HEADER), &mut file).map_err(at(&draft))?;
    file.sync_all().map_err(at(&draft))?;
    fs::rename(&draft, &path).map_err(at(&path))?;
    sync_folder(folder)?;
    Ok((file, path, size))
}

pub(crate) fn sync_folder(folder: &Path) -> Result<(), JournalError> {
    File::open(folder).and_then(|file| file.sync_all()).map_err(at(folder))
}

fn encode(sequence: u64, results: &[Outcome]) -> Vec<u8> {
    let mut frame = vec![0; FRAME_HEADER];
    for (key, value) in results {
        put_bytes(&mut frame, key);
        match value {
            Some(value) => {
                frame.push(1);
                put_bytes(&mut frame, value);
            }
            None => frame.push(0),
        }
    }
    // Both halves are far below 4 GiB: a commit is bounded by what its callers hold in memory.
    let length = u32::try_from(frame.len() - FRAME_HEADER).unwrap_or(u32::MAX).max(1);
    frame[0..4].copy_from_slice(&length.to_le_bytes());
    frame[8..16].copy_from_slice(&sequence.to_le_bytes());
    let sum = checksum(length, sequence, &frame[FRAME_HEADER..]);
    frame[4..8].copy_from_slice(&sum.to_le_bytes());
    frame
}

fn put_bytes(frame: &mut Vec<u8>, bytes: &[u8]) {
    frame.extend_from_slice(&u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes());
    frame.extend_from_slice(bytes);
}

fn checksum(length: u32, sequence: u64, payload: &[u8]) -> u32 {
    let start = crc32c::crc32c_append(crc32c::crc32c(&length.to_le_bytes()), &sequence.to_le_bytes());
    crc32c::crc32c_append(start, payload)
}

fn decode(mut payload: &[u8]) -> Option<Vec<Outcome>> {
    let mut results = Vec::new();
    while !payload.is_empty() {
        let key = take_bytes(&mut payload)?;
        let (flag, rest) = payload.split_first()?;
        payload = rest;
        let value = if *flag == 1 { Some(take_bytes(&mut payload)?) } else { None };
        results.push((key, value));
    }
    Some(results)
}

fn take_bytes(from: &mut &[u8]) -> Option<Vec<u8>> {
    let (length, rest) = from.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let (bytes, rest) = rest.split_at_checked(length)?;
    *from = rest;
    Some(bytes.to_vec())
}

/// Reads the frames of one segment.
struct Reader {
    bytes: Vec<u8>,
    name: String,
    offset: u64,
    expected: u64,
}

impl Reader {
    fn open(path: &Path, first_sequence: u64) -> Result<Self, JournalError> {
        let bytes = fs::read(path).map_err(at(path))?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let header = bytes.get(..16).filter(|header| header.starts_with(MAGIC));
        let sum = bytes.get(16..20).and_then(|sum| sum.try_into().ok()).map(u32::from_le_bytes);
        if header.is_none_or(|header| Some(crc32c::crc32c(header)) != sum) {
            return Err(JournalError::Damaged { segment: name, sequence: first_sequence });
        }
        Ok(Self { bytes, name, offset: SEGMENT_HEADER, expected: first_sequence })
    }

    /// The next frame; `None` at the end of the segment, which for the last one may be torn.
    fn next(&mut self, is_last: bool) -> Result<Option<(u64, Vec<Outcome>)>, JournalError> {
        let offset = usize::try_from(self.offset).unwrap_or(usize::MAX);
        match self.frame_at(offset) {
            Frame::Whole { sequence, results, length } if sequence == self.expected => {
                self.offset += length as u64;
                self.expected += 1;
                return Ok(Some((sequence, results)));
            }
            Frame::End if !is_last => return Ok(None),
            _ => {}
        }
        // Each frame is on the disk before the next is written: a readable one further on proves damage.
        if self.readable_frame_behind(offset) || (!is_last && !matches!(self.frame_at(offset), Frame::End)) {
            return Err(JournalError::Damaged { segment: self.name.clone(), sequence: self.expected });
        }
        Ok(None)
    }

    fn frame_at(&self, offset: usize) -> Frame {
        let Some((header, rest)) = self.bytes.get(offset..).and_then(|rest| rest.split_first_chunk::<FRAME_HEADER>())
        else {
            let left = self.bytes.get(offset..).unwrap_or_default();
            return if left.iter().all(|byte| *byte == 0) { Frame::End } else { Frame::Unreadable };
        };
        let [l0, l1, l2, l3, c0, c1, c2, c3, sequence @ ..] = *header;
        let (length, sum) = (u32::from_le_bytes([l0, l1, l2, l3]), u32::from_le_bytes([c0, c1, c2, c3]));
        let sequence = u64::from_le_bytes(sequence);
        if length == 0 {
            return if sum == 0 && sequence == 0 { Frame::End } else { Frame::Unreadable };
        }
        let payload = usize::try_from(length).ok().and_then(|length| rest.get(..length));
        match payload
            .filter(|payload| checksum(length, sequence, payload) == sum)
            .map(|payload| (payload.len(), decode(payload)))
        {
            Some((length, Some(results))) => Frame::Whole { sequence, results, length: FRAME_HEADER + length },
            _ => Frame::Unreadable,
        }
    }

    fn readable_frame_behind(&self, offset: usize) -> bool {
        let window = self.expected..self.expected + RESYNC_WINDOW;
        // Behind the last byte that is not zero there is nothing to find.
        let end = self.bytes.iter().rposition(|byte| *byte != 0).unwrap_or(0);
        (offset..end).any(|start| {
            let sequence = self.bytes.get(start + 8..start + 16).and_then(|bytes| bytes.try_into().ok());
            sequence.map(u64::from_le_bytes).is_some_and(|sequence| window.contains(&sequence))
                && matches!(self.frame_at(start), Frame::Whole { .. })
        })
    }
}

enum Frame {
    Whole { sequence: u64, results: Vec<Outcome>, length: usize },
    End,
    Unreadable,
}
