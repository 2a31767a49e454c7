//! What an acknowledgement is worth. A child process writes to a store and says on a pipe what was acknowledged; it is
//! killed, its disk loses power, its system calls are watched. Whatever was acknowledged is there afterwards, whole.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use rimedio::store::engine::{Change, Commit, Engine, Scan};
use rimedio::store::sled::{DiskOptions, SledEngine};

/// Names the folder when this binary is run as the child.
const CHILD: &str = "RIMEDIO_STORE_CHILD";
/// How many commits each writer of the child makes; without it the child goes on until it is killed.
const COMMITS: &str = "RIMEDIO_STORE_COMMITS";
/// More rounds than the usual ones.
const ROUNDS: &str = "RIMEDIO_KILL_ROUNDS";
/// How many writers the child has.
const WRITERS: u64 = 4;
/// Each commit writes so many keys, so that a torn one shows.
const KEYS: u64 = 3;

fn options(directory: &Path) -> DiskOptions {
    DiskOptions { cache_bytes: 1024 * 1024, segment_bytes: 64 * 1024, ..DiskOptions::in_directory(directory) }
}

fn key(writer: u64, commit: u64, number: u64) -> Vec<u8> {
    format!("{writer:02}/{commit:08}/{number}").into_bytes()
}

fn commit_of(writer: u64, number: u64) -> Commit {
    let value = format!("{writer}-{number}-").into_bytes().repeat(20);
    let puts = (0..KEYS).map(|place| Change::Put { key: key(writer, number, place), value: value.clone() });
    let count = Change::Add { key: format!("count/{writer}").into_bytes(), amount: 1 };
    Commit { expectations: Vec::new(), changes: puts.chain([count]).collect() }
}

/// The child. Does nothing unless it was started as one.
#[test]
fn child_that_writes_until_it_is_killed() {
    let Some(directory) = std::env::var_os(CHILD) else { return };
    let commits = std::env::var(COMMITS).ok().and_then(|text| text.parse().ok()).unwrap_or(u64::MAX);
    let engine = Arc::new(SledEngine::open(&options(Path::new(&directory))).expect("the store opens"));
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let engine = Arc::clone(&engine);
            std::thread::spawn(move || {
                let scan =
                    Scan { from: key(writer, 0, 0), until: Some(key(writer + 1, 0, 0)), limit: 1, newest_first: true };
                let last = engine.scan(&scan).expect("readable").pop();
                let begin = last.map_or(0, |(key, _)| number_in(&key) + 1);
                for number in begin..commits {
                    engine.commit(commit_of(writer, number)).wait().expect("it is acknowledged");
                    // One call of write for one line: a line on the pipe is whole or absent.
                    let line = format!("ack {writer} {number}\n");
                    std::io::stdout().write_all(line.as_bytes()).expect("the parent listens");
                }
            })
        })
        .collect();
    for writer in writers {
        writer.join().expect("it writes until it is killed");
    }
}

fn number_in(key: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(key).into_owned();
    text.split('/').nth(1).and_then(|number| number.parse().ok()).expect("a number in the key")
}

fn start_child(directory: &Path, tracer: &[&str], commits: Option<u64>) -> Child {
    let binary = std::env::current_exe().expect("this binary");
    let mut words: Vec<PathBuf> = tracer.iter().map(PathBuf::from).collect();
    words.push(binary);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command.args(["--exact", "store_crash::child_that_writes_until_it_is_killed", "--nocapture"]);
    command.envs(commits.map(|commits| (COMMITS, commits.to_string())));
    command.env(CHILD, directory).stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().unwrap_or_else(|error| {
        panic!("{} cannot be started ({error}); for strace: sudo apt-get install strace", words[0].display())
    })
}

/// Reads acknowledgements until there are enough, then kills; returns the last one of each writer.
fn acknowledged_by(child: &mut Child, enough: usize) -> BTreeMap<u64, u64> {
    let mut last = BTreeMap::new();
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    let mut note = |line: String| {
        let mut words = line.split(' ');
        if words.next() == Some("ack") {
            let mut number = || words.next().and_then(|word| word.parse().ok()).expect("a whole line");
            let (writer, commit) = (number(), number());
            last.insert(writer, commit);
            return true;
        }
        false
    };
    let mut seen = 0;
    for line in lines.by_ref() {
        seen += usize::from(note(line));
        if seen >= enough {
            break;
        }
    }
    child.kill().expect("it can be killed");
    // What it wrote before it died is acknowledged too.
    for line in lines {
        note(line);
    }
    child.wait().expect("it is gone");
    assert!(seen >= enough, "the child ended early");
    last
}

/// Every acknowledged commit is there, and none is there in part.
fn assert_whole(directory: &Path, acknowledged: &BTreeMap<u64, u64>) {
    let engine = SledEngine::open(&options(directory)).expect("the store opens again");
    for writer in 0..WRITERS {
        let scan = Scan {
            from: key(writer, 0, 0),
            until: Some(key(writer + 1, 0, 0)),
            limit: usize::MAX,
            newest_first: false,
        };
        let found = engine.scan(&scan).expect("readable");
        assert_eq!(found.len() as u64 % KEYS, 0, "a commit of writer {writer} is torn");
        let commits = found.len() as u64 / KEYS;
        if let Some(last) = acknowledged.get(&writer) {
            assert!(commits > *last, "writer {writer}: {commits} commits, but number {last} was acknowledged");
        }
        for (number, pairs) in (0..).zip(found.chunks(3)) {
            for (place, (found_key, _)) in (0..).zip(pairs) {
                assert_eq!(*found_key, key(writer, number, place), "a commit of writer {writer} is missing");
            }
        }
        let count = engine.get(format!("count/{writer}").as_bytes()).expect("readable");
        let count = count.map_or(0, |bytes| i64::from_be_bytes(bytes.try_into().expect("a counter")));
        assert_eq!(count.unsigned_abs(), commits, "the counter and the keys are of one commit");
    }
}

#[test]
fn killed_at_random_moments_it_keeps_every_acknowledged_commit() {
    let rounds: usize = std::env::var(ROUNDS).ok().and_then(|text| text.parse().ok()).unwrap_or(20);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let directory = folder.path().join("store");
    let mut acknowledged = BTreeMap::new();
    for round in 0..rounds {
        let mut child = start_child(&directory, &[], None);
        // Another moment each time: soon after opening, and deep in.
        let enough = 1 + (round * 7919 + usize::try_from(std::process::id()).unwrap_or(0)) % 900;
        acknowledged.extend(acknowledged_by(&mut child, enough));
        assert_whole(&directory, &acknowledged);
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("a readable folder") {
        let entry = entry.expect("a readable folder");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a kind").is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).expect("a file can be copied");
        }
    }
}

/// The disk after a power cut: the journal as of its last fdatasync, with garbage where an unfinished frame was being
/// written, and sled's files as they were at any moment since the last checkpoint.
#[test]
fn after_a_power_cut_every_acknowledged_commit_is_there() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let directory = folder.path().join("store");
    let engine = SledEngine::open(&options(&directory)).expect("a new store opens");
    let mut moments: Vec<PathBuf> = Vec::new();
    let mut written = 0;
    for moment in 0..6 {
        let copy = folder.path().join(format!("sled-{moment}"));
        copy_folder(&directory.join("sled"), &copy);
        moments.push(copy);
        for _ in 0..150 {
            for writer in 0..WRITERS {
                engine.commit(commit_of(writer, written)).wait().expect("it is acknowledged");
            }
            written += 1;
        }
    }
    let acknowledged: BTreeMap<u64, u64> = (0..WRITERS).map(|writer| (writer, written - 1)).collect();
    // Between two acknowledgements the journal on disk is exactly what was synchronised.
    let disk = folder.path().join("disk");
    copy_folder(&directory, &disk);
    drop(engine);
    let ends = [Vec::new(), vec![0xEE; 7], vec![0xEE; 5000], [vec![9, 0, 0, 0], vec![0xEE; 40]].concat()];
    for (index, moment) in moments.iter().enumerate() {
        for torn in &ends {
            let after = folder.path().join("after");
            let _ = fs::remove_dir_all(&after);
            copy_folder(&disk, &after);
            fs::remove_dir_all(after.join("sled")).expect("it can be removed");
            copy_folder(moment, &after.join("sled"));
            write_behind_the_last_frame(&after.join("journal"), torn);
            assert_whole(&after, &acknowledged);
            // And it goes on from there.
            let engine = SledEngine::open(&options(&after)).expect("it opens once more");
            engine.commit(commit_of(0, written)).wait().unwrap_or_else(|error| panic!("moment {index}: {error}"));
        }
    }
}

fn write_behind_the_last_frame(journal: &Path, bytes: &[u8]) {
    let mut segments: Vec<PathBuf> =
        fs::read_dir(journal).expect("a journal").map(|entry| entry.expect("readable").path()).collect();
    segments.retain(|path| path.extension().is_some_and(|ending| ending == "segment"));
    segments.sort();
    let last = segments.pop().expect("a segment");
    let mut content = fs::read(&last).expect("readable");
    let end = content.iter().rposition(|byte| *byte != 0).expect("a frame") + 1;
    let room = bytes.len().min(content.len() - end);
    content[end..end + room].copy_from_slice(&bytes[..room]);
    fs::write(&last, content).expect("writable");
}

#[test]
fn a_damaged_frame_in_the_middle_is_told_and_not_passed_over() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let directory = folder.path().join("store");
    let engine = SledEngine::open(&options(&directory)).expect("a new store opens");
    let before = folder.path().join("before");
    copy_folder(&directory.join("sled"), &before);
    for number in 0..20 {
        engine.commit(commit_of(0, number)).wait().expect("it is acknowledged");
    }
    let disk = folder.path().join("disk");
    copy_folder(&directory, &disk);
    drop(engine);
    fs::remove_dir_all(disk.join("sled")).expect("it can be removed");
    copy_folder(&before, &disk.join("sled"));
    let segment = fs::read_dir(disk.join("journal")).expect("a journal").next().expect("a segment").expect("readable");
    let mut content = fs::read(segment.path()).expect("readable");
    content[2000] ^= 0x40;
    fs::write(segment.path(), content).expect("writable");
    let refused = SledEngine::open(&options(&disk)).expect_err("a frame is lost").to_string();
    assert!(refused.contains("segment") && refused.contains("frame"), "{refused}");
}

/// strace shows it: before each acknowledgement is written to the pipe, the journal was synchronised after it was written.
#[test]
fn each_acknowledgement_stands_behind_an_fdatasync() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let directory = folder.path().join("store");
    let trace = folder.path().join("trace");
    let trace_text = trace.to_str().expect("a text").to_owned();
    let tracer = ["strace", "-f", "-y", "-e", "trace=pwrite64,fdatasync,write", "-s", "65536", "-o", &trace_text];
    // A tracer that is killed leaves the traced process behind: this child ends by itself.
    let child = start_child(&directory, &tracer, Some(50));
    let told = child.wait_with_output().expect("it ends");
    assert!(told.status.success(), "the child ended with {}", told.status);
    let text = fs::read_to_string(&trace).expect("a trace");
    // A frame holds the keys of its commits in clear: an acknowledgement must come after the end of an fdatasync that
    // began after the frame with its key was written.
    let (mut written, mut synchronising, mut durable) = (String::new(), String::new(), String::new());
    let mut acknowledged = 0;
    for line in text.lines() {
        let is_journal = line.contains(".segment>") || line.contains(".draft>");
        if line.contains("pwrite64(") && is_journal {
            written.push_str(line);
        } else if line.contains("fdatasync(") && is_journal {
            synchronising.push_str(&std::mem::take(&mut written));
            if line.ends_with("= 0") {
                durable.push_str(&std::mem::take(&mut synchronising));
            }
        } else if line.contains("fdatasync resumed") {
            assert!(line.ends_with("= 0"), "{line}");
            durable.push_str(&std::mem::take(&mut synchronising));
        } else if let Some((_, told)) = line.split_once("\"ack ") {
            let numbers: Vec<u64> = told.split([' ', '\\']).map_while(|word| word.parse().ok()).collect();
            let [writer, commit] = numbers[..] else { panic!("no acknowledgement: {line}") };
            let sought = String::from_utf8(key(writer, commit, KEYS - 1)).expect("a text");
            assert!(durable.contains(&sought), "told before the disk had it: {line}");
            acknowledged += 1;
        }
    }
    assert_eq!(acknowledged, 50 * WRITERS, "every acknowledgement is in the trace");
}

#[test]
fn commits_that_wait_together_share_one_fdatasync() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let engine = SledEngine::open(&options(&folder.path().join("store"))).expect("a new store opens");
    let waiting: Vec<_> = (0..400).map(|number| engine.commit(commit_of(0, number))).collect();
    for acknowledgement in waiting {
        acknowledgement.wait().expect("it is acknowledged");
    }
    let frames = engine.frames_written();
    assert!(frames < 200, "{frames} frames for 400 commits that waited together");
}
