//! The engine on sled, with the journal under it. One thread writes: it takes the commits that wait, checks their
//! expectations in order, puts all their results into one frame of the journal, waits for the disk once, applies them to
//! sled as one batch, and only then tells everybody. sled's own flush does not reach the disk (it calls
//! `sync_file_range`), so sled is only ever trusted as of the last checkpoint; what came after is replayed on opening.
//!
//! After a write that failed nothing more is acknowledged: the thread answers every commit with
//! [`EngineError::Stopped`] until the process starts anew. The only file that names sled.

use std::collections::HashMap;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use tokio::sync::oneshot;

use super::OpenError;
use super::engine::{Acknowledgement, Change, Commit, Engine, EngineError, Pair, Scan};
use super::journal::{self, Journal, JournalError, Outcome};
use super::memory::add;

/// At most so many commits share one frame, so that no caller waits long for the others.
const LARGEST_GROUP: usize = 512;
/// And at most about so many bytes.
const LARGEST_GROUP_BYTES: usize = 4 * 1024 * 1024;
/// After so many journalled bytes sled is made durable, so that opening replays little: about a second's worth.
const BYTES_BETWEEN_CHECKPOINTS: usize = 64 * 1024 * 1024;

/// Where sled keeps the sequence number of the last frame it holds; below every other key.
const APPLIED: &[u8] = b"\0applied";

/// How a store on disk is opened.
#[derive(Clone, Debug)]
pub struct DiskOptions {
    /// The folder; made for the owner alone when it is absent.
    pub directory: PathBuf,
    /// Memory for sled's cache, in bytes. sled's own default is 1 GiB.
    pub cache_bytes: u64,
    /// How large a segment of the journal is laid out, in bytes.
    pub segment_bytes: u64,
    /// Whether segments that a checkpoint made superfluous stay, for a later recovery.
    pub segments: KeptSegments,
}

/// Which segments of the journal stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptSegments {
    /// Those since the checkpoint before the last one.
    SinceCheckpoint,
    /// All of them.
    All,
}

impl DiskOptions {
    /// A store in a folder, with everything else as usual.
    #[must_use]
    pub fn in_directory(directory: impl Into<PathBuf>) -> Self {
        Self {
            directory: directory.into(),
            cache_bytes: 64 * 1024 * 1024,
            segment_bytes: journal::SEGMENT_SIZE,
            segments: KeptSegments::SinceCheckpoint,
        }
    }
}

/// The engine. Dropping it closes it.
#[derive(Debug)]
pub struct SledEngine {
    sled: sled::Db,
    frames: Arc<AtomicU64>,
    requests: Mutex<Option<Sender<Request>>>,
    writer: Mutex<Option<JoinHandle<Result<(), EngineError>>>>,
}

struct Request {
    commit: Commit,
    done: oneshot::Sender<Result<(), EngineError>>,
}

impl SledEngine {
    /// Opens a folder, or makes it. Replays what sled may have lost; rebuilds sled from the journal when it does not open
    /// and the journal is whole, setting the damaged files aside.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn open(options: &DiskOptions) -> Result<Self, OpenError> {
        let directory = &options.directory;
        DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(|error| io_error(directory, &error))?;
        let lock = lock(directory)?;
        let (sled, journal) = open_both(options).or_else(|error| rebuild(options, error))?;
        let (requests, waiting) = mpsc::channel();
        let frames = Arc::new(AtomicU64::new(0));
        let mut writer = Writer {
            sled: sled.clone(),
            journal,
            frames: Arc::clone(&frames),
            directory: directory.clone(),
            segments: options.segments,
            since_checkpoint: 0,
            last_checkpoint: 0,
            _lock: lock,
        };
        // What was replayed is durable in the journal; a checkpoint now makes the next opening quick.
        writer.checkpoint().map_err(|error| OpenError::Damaged(error.to_string()))?;
        let writer = std::thread::Builder::new()
            .name("store-writer".into())
            .spawn(move || writer.run(&waiting))
            .map_err(|error| io_error(directory, &error))?;
        Ok(Self { sled, frames, requests: Mutex::new(Some(requests)), writer: Mutex::new(Some(writer)) })
    }
}

impl SledEngine {
    /// How many frames were written since it was opened; several commits share one.
    #[must_use]
    pub fn frames_written(&self) -> u64 {
        self.frames.load(Ordering::Relaxed)
    }
}

impl Engine for SledEngine {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, EngineError> {
        guarded(|| self.sled.get(key)).map(|value| value.map(|value| value.to_vec()))
    }

    fn scan(&self, scan: &Scan) -> Result<Vec<Pair>, EngineError> {
        use std::ops::Bound::{Excluded, Included, Unbounded};
        if scan.until.as_ref().is_some_and(|until| *until <= scan.from) {
            return Ok(Vec::new());
        }
        let until = scan.until.clone().map_or(Unbounded, Excluded);
        guarded(|| {
            let range = self.sled.range((Included(scan.from.clone()), until));
            let pair =
                |item: sled::Result<(sled::IVec, sled::IVec)>| item.map(|(key, value)| (key.to_vec(), value.to_vec()));
            let own =
                |item: &sled::Result<(sled::IVec, sled::IVec)>| item.as_ref().is_ok_and(|(key, _)| key == APPLIED);
            if scan.newest_first {
                range.rev().filter(|item| !own(item)).take(scan.limit).map(pair).collect()
            } else {
                range.filter(|item| !own(item)).take(scan.limit).map(pair).collect()
            }
        })
    }

    fn commit(&self, commit: Commit) -> Acknowledgement {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let (done, acknowledgement) = Acknowledgement::promise();
        let sent = requests.as_ref().map(|requests| requests.send(Request { commit, done }));
        match sent {
            Some(Ok(())) => acknowledgement,
            _ => Acknowledgement::ready(Err(EngineError::Stopped("it is closed".into()))),
        }
    }

    fn close(&self) -> Result<(), EngineError> {
        // Without senders the writer finishes what waits and ends.
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).take();
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        writer.map_or(Ok(()), |writer| {
            writer.join().unwrap_or_else(|_| Err(EngineError::Stopped("the writing thread panicked".into())))
        })
    }
}

impl Drop for SledEngine {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            tracing::error!(%error, "the store was not closed in peace");
        }
    }
}

/// The one thread that writes.
struct Writer {
    sled: sled::Db,
    journal: Journal,
    frames: Arc<AtomicU64>,
    directory: PathBuf,
    segments: KeptSegments,
    since_checkpoint: usize,
    /// The first sequence number that the last checkpoint does not cover.
    last_checkpoint: u64,
    /// Held as long as anything may be written.
    _lock: File,
}

/// Who waits for a commit, and what it comes to once the group is durable.
type Told = (oneshot::Sender<Result<(), EngineError>>, Result<(), EngineError>);

/// What a group of commits comes to.
#[derive(Default)]
struct Group {
    /// The value under each key that changes, as of the last commit of the group.
    results: HashMap<Vec<u8>, Option<Vec<u8>>>,
    bytes: usize,
    answers: Vec<Told>,
}

impl Writer {
    fn run(mut self, waiting: &Receiver<Request>) -> Result<(), EngineError> {
        let mut stopped: Option<EngineError> = None;
        while let Ok(first) = waiting.recv() {
            if let Some(error) = &stopped {
                // Nobody may be waiting any more.
                let _ = first.done.send(Err(error.clone()));
                continue;
            }
            let mut group = Group::default();
            let mut next = Some(first);
            while let Some(request) = next {
                self.take_in(&mut group, request);
                let is_full = group.answers.len() >= LARGEST_GROUP || group.bytes >= LARGEST_GROUP_BYTES;
                next = if is_full { None } else { waiting.try_recv().ok() };
            }
            if let Err(error) = self.write(&group) {
                tracing::error!(%error, "the store takes no more commits");
                for (_, answer) in &mut group.answers {
                    *answer = Err(error.clone());
                }
                stopped = Some(error);
            }
            for (done, answer) in group.answers {
                let _ = done.send(answer);
            }
        }
        match stopped {
            Some(error) => Err(error),
            None => self.checkpoint(),
        }
    }

    /// Adds a commit to a group when it holds against what the group will have done by then.
    fn take_in(&self, group: &mut Group, request: Request) {
        let answer = self.results_of(group, request.commit).map(|results| {
            for (key, value) in results {
                group.bytes += key.len() + value.as_ref().map_or(0, Vec::len);
                group.results.insert(key, value);
            }
        });
        group.answers.push((request.done, answer));
    }

    fn results_of(&self, group: &Group, commit: Commit) -> Result<HashMap<Vec<u8>, Option<Vec<u8>>>, EngineError> {
        let held = |key: &[u8]| match group.results.get(key) {
            Some(value) => Ok(value.clone()),
            None => guarded(|| self.sled.get(key)).map(|value| value.map(|value| value.to_vec())),
        };
        for expectation in &commit.expectations {
            if held(&expectation.key)? != expectation.holds {
                return Err(EngineError::Conflict);
            }
        }
        let mut results: HashMap<Vec<u8>, Option<Vec<u8>>> = HashMap::with_capacity(commit.changes.len());
        for change in commit.changes {
            match change {
                Change::Put { key, value } => results.insert(key, Some(value)),
                Change::Delete { key } => results.insert(key, None),
                Change::Add { key, amount } => {
                    let before = match results.get(&key) {
                        Some(value) => value.clone(),
                        None => held(&key)?,
                    };
                    let sum = add(before.as_deref(), amount)?;
                    results.insert(key, Some(sum))
                }
            };
        }
        Ok(results)
    }

    /// Journal, disk, sled, in this order.
    fn write(&mut self, group: &Group) -> Result<(), EngineError> {
        if group.results.is_empty() {
            return Ok(());
        }
        let results: Vec<Outcome> = group.results.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
        let sequence = self.journal.append(&results).map_err(|error| EngineError::Stopped(error.to_string()))?;
        self.frames.fetch_add(1, Ordering::Relaxed);
        apply(&self.sled, sequence, results).map_err(|error| EngineError::Stopped(error.to_string()))?;
        self.since_checkpoint += group.bytes;
        if self.since_checkpoint >= BYTES_BETWEEN_CHECKPOINTS {
            self.checkpoint()?;
        }
        Ok(())
    }

    /// Makes sled durable, then forgets what the journal need not say again.
    fn checkpoint(&mut self) -> Result<(), EngineError> {
        let stopped = |error: &dyn std::fmt::Display| EngineError::Stopped(error.to_string());
        guarded(|| self.sled.flush())?;
        let sled_folder = sled_folder(&self.directory);
        sync_files(&sled_folder).map_err(|error| stopped(&error))?;
        let covered = self.journal.next_sequence();
        write_checkpoint(&self.directory, covered).map_err(|error| stopped(&error))?;
        if self.segments == KeptSegments::SinceCheckpoint {
            self.journal.forget_before(self.last_checkpoint).map_err(|error| stopped(&error))?;
        }
        self.last_checkpoint = covered;
        self.since_checkpoint = 0;
        Ok(())
    }
}

/// sled reports some faults by panicking; none may take a thread of ours along.
fn guarded<T>(work: impl FnOnce() -> sled::Result<T>) -> Result<T, EngineError> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(EngineError::Io(error.to_string())),
        Err(_) => Err(EngineError::Io("sled panicked".into())),
    }
}

fn apply(sled: &sled::Db, sequence: u64, results: Vec<Outcome>) -> Result<(), EngineError> {
    let mut batch = sled::Batch::default();
    for (key, value) in results {
        match value {
            Some(value) => batch.insert(key, value),
            None => batch.remove(key),
        }
    }
    batch.insert(APPLIED, &sequence.to_be_bytes());
    guarded(|| sled.apply_batch(batch))
}

fn sled_folder(directory: &Path) -> PathBuf {
    directory.join("sled")
}

fn journal_folder(directory: &Path) -> PathBuf {
    directory.join("journal")
}

fn open_both(options: &DiskOptions) -> Result<(sled::Db, Journal), OpenError> {
    let directory = &options.directory;
    // Writes go to the journal first, so sled need not flush by the clock.
    let config =
        sled::Config::new().path(sled_folder(directory)).cache_capacity(options.cache_bytes).flush_every_ms(None);
    let sled = guarded(|| config.open()).map_err(|error| {
        // sled reports a lock that is held as an error of no particular kind.
        let text = error.to_string();
        if text.contains("could not acquire lock") {
            OpenError::AlreadyOpen(directory.clone())
        } else {
            OpenError::Damaged(text)
        }
    })?;
    let applied = guarded(|| sled.get(APPLIED)).map_err(|error| OpenError::Damaged(error.to_string()))?;
    let applied = applied.and_then(|bytes| bytes.as_ref().try_into().ok().map(u64::from_be_bytes)).unwrap_or(0);
    // sled may have lost the end of what it was given, never what a checkpoint covered; and it may have lost something
    // in the middle of what came after the checkpoint, so that is replayed whole.
    let covered = read_checkpoint(directory).or(journal::oldest(&journal_folder(directory))?).unwrap_or(1);
    let first_wanted = (applied + 1).min(covered);
    let mut replayed = 0_u64;
    let journal =
        Journal::open(&journal_folder(directory), options.segment_bytes, first_wanted, |sequence, results| {
            replayed += 1;
            apply(&sled, sequence, results).map_err(|error| OpenError::Damaged(error.to_string()))
        })?;
    if journal.next_sequence() <= applied {
        return Err(OpenError::Damaged(format!("the journal ends before frame {applied}, which sled holds")));
    }
    if replayed > 0 {
        tracing::info!(replayed, "the journal was replayed");
    }
    Ok((sled, journal))
}

/// Builds sled anew from a journal that reaches back to the first commit.
fn rebuild(options: &DiskOptions, why: OpenError) -> Result<(sled::Db, Journal), OpenError> {
    let OpenError::Damaged(reason) = &why else { return Err(why) };
    let directory = &options.directory;
    if journal::oldest(&journal_folder(directory))? != Some(1) {
        return Err(why);
    }
    let aside = (1..).map(|number| directory.join(format!("sled.damaged-{number}"))).find(|path| !path.exists());
    let aside = aside.unwrap_or_else(|| directory.join("sled.damaged"));
    tracing::error!(%reason, aside = %aside.display(), "sled does not open; it is set aside and rebuilt from the journal");
    fs::rename(sled_folder(directory), &aside).map_err(|error| io_error(&aside, &error))?;
    open_both(options)
}

/// The lock is the kernel's: it goes with the process, however that ends.
fn lock(directory: &Path) -> Result<File, OpenError> {
    let path = directory.join("lock");
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    let file = options.open(&path).map_err(|error| io_error(&path, &error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(OpenError::AlreadyOpen(directory.to_owned())),
        Err(TryLockError::Error(error)) => Err(io_error(&path, &error)),
    }
}

fn io_error(path: &Path, error: &std::io::Error) -> OpenError {
    OpenError::Io(format!("{}: {error}", path.display()))
}

const CHECKPOINT: &str = "checkpoint";

/// The first sequence number that the last checkpoint does not cover. When it cannot be read the journal is replayed
/// from its oldest segment, which lies before the last checkpoint.
fn read_checkpoint(directory: &Path) -> Option<u64> {
    let bytes = fs::read(directory.join(CHECKPOINT)).unwrap_or_default();
    let (sequence, rest) = bytes.split_first_chunk::<8>()?;
    let sum = u32::from_le_bytes(rest.try_into().ok()?);
    (crc32c::crc32c(sequence) == sum).then(|| u64::from_le_bytes(*sequence))
}

fn write_checkpoint(directory: &Path, covered: u64) -> Result<(), JournalError> {
    let path = directory.join(CHECKPOINT);
    let draft = directory.join("checkpoint.draft");
    let failed = |source| JournalError::Io { path: path.clone(), source };
    let mut bytes = covered.to_le_bytes().to_vec();
    bytes.extend_from_slice(&crc32c::crc32c(&bytes).to_le_bytes());
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let mut file = options.open(&draft).map_err(failed)?;
    file.write_all(&bytes).and_then(|()| file.sync_all()).map_err(failed)?;
    fs::rename(&draft, &path).map_err(failed)?;
    journal::sync_folder(directory)
}

fn sync_files(folder: &Path) -> Result<(), JournalError> {
    let failed = |source| JournalError::Io { path: folder.to_owned(), source };
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            sync_files(&path)?;
        } else {
            File::open(&path).and_then(|file| file.sync_all()).map_err(failed)?;
        }
    }
    journal::sync_folder(folder)
}
