//! What is promised of the binary that an operator installs: static, at home in an empty root, small and quick.
//! Run by `just release-test`, which builds it and names it in `RIMEDIO_RELEASE_BINARY`.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// From the start of the process to the first answer.
const QUICK_TO_START: Duration = Duration::from_millis(300);
/// Memory of its own once it serves and nobody asks: what the system cannot take back.
const OWN_AT_REST_KIB: u64 = 20 * 1024;
/// The same with the pages of the binary that were read, which the system drops when it needs the room. Stripe's types
/// have made the binary large.
const RESIDENT_AT_REST_KIB: u64 = 48 * 1024;
/// From the start of the process to an answer of the handbook on the terminal.
const QUICK_TO_ANSWER: Duration = Duration::from_millis(50);
/// Each figure is the best of so many tries: the promise is about the program, not about a busy machine.
const TRIES: usize = 5;

fn binary() -> PathBuf {
    let path = std::env::var_os("RIMEDIO_RELEASE_BINARY")
        .expect("RIMEDIO_RELEASE_BINARY names the binary: run `just release-test`");
    fs::canonicalize(path).expect("the release binary exists")
}

struct Running {
    child: Child,
    address: String,
}

impl Drop for Running {
    fn drop(&mut self) {
        // Already gone is as good as stopped.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts the demonstration in a root that holds nothing but the binary.
fn start_in_empty_root(root: &Path) -> Running {
    fs::copy(binary(), root.join("rimedio")).expect("the binary can be copied");
    let mut child = into_another_root()
        .arg(root)
        .args(["/rimedio", "demo", "--port", "0", "--data-directory", "/data"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("unshare and chroot are part of the system");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a piped output")).read_line(&mut line).expect("a line of text");
    let Some((_, address)) = line.trim().split_once("http://") else {
        let _ = child.kill();
        let mut errors = String::new();
        let _ = child.stderr.take().expect("a piped output").read_to_string(&mut errors);
        panic!("no address in {line:?}; on standard error: {errors}");
    };
    Running { address: address.to_owned(), child }
}

/// `chroot` for root; anybody else becomes root in a user namespace first.
fn into_another_root() -> Command {
    let user = Command::new("id").arg("-u").output().expect("id is part of the system");
    if user.stdout.trim_ascii() == b"0" {
        return Command::new("chroot");
    }
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "chroot"]);
    command
}

fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")
        .expect("a request can be sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn it_is_statically_linked() {
    let listed = Command::new("ldd").arg(binary()).output().expect("ldd is part of the system");
    let text = String::from_utf8_lossy(&listed.stdout).into_owned() + &String::from_utf8_lossy(&listed.stderr);
    assert!(text.contains("statically linked") || text.contains("not a dynamic executable"), "{text}");
}

#[test]
fn it_serves_from_an_empty_root_quickly_and_in_little_memory() {
    let mut quickest = Duration::MAX;
    let (mut own, mut resident) = (u64::MAX, u64::MAX);
    for _ in 0..TRIES {
        let root = tempfile::tempdir().expect("a temporary folder");
        let started = Instant::now();
        let running = start_in_empty_root(root.path());
        let page = get(&running.address, "/");
        quickest = quickest.min(started.elapsed());
        assert!(page.starts_with("HTTP/1.1 200"), "{}", page.lines().next().unwrap_or_default());
        assert!(page.contains("Rimedio"), "the page is the product's");
        assert!(get(&running.address, "/api/v1/about").contains("\"name\":\"Rimedio\""));
        own = own.min(memory_kib(running.child.id(), "RssAnon:"));
        resident = resident.min(memory_kib(running.child.id(), "VmRSS:"));
    }
    let (own_mib, resident_mib) = (own / 1024, resident / 1024);
    println!("first answer after {} ms, {own_mib} MiB of its own, {resident_mib} MiB resident", quickest.as_millis());
    assert!(quickest < QUICK_TO_START, "first answer after {quickest:?}");
    assert!(own < OWN_AT_REST_KIB, "{own} KiB of its own");
    assert!(resident < RESIDENT_AT_REST_KIB, "{resident} KiB resident");
}

/// `unshare` and `chroot` replace themselves, so the child is the server.
fn memory_kib(process: u32, of: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("the process runs");
    let line = status.lines().find(|line| line.starts_with(of)).expect("the kernel tells the size");
    line.split_whitespace().nth(1).and_then(|kib| kib.parse().ok()).expect("a number of KiB")
}

#[test]
fn it_answers_a_blue_screen_at_once() {
    let mut quickest = Duration::MAX;
    for _ in 0..TRIES {
        let started = Instant::now();
        let answer =
            Command::new(binary()).args(["ask", "schermata blu 0x0000007B"]).output().expect("the binary runs");
        quickest = quickest.min(started.elapsed());
        let text = String::from_utf8_lossy(&answer.stdout).into_owned();
        assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
        assert!(text.contains("INACCESSIBLE_BOOT_DEVICE"), "{text}");
        assert!(text.contains("1."), "it gives steps: {text}");
    }
    println!("answered after {} ms", quickest.as_millis());
    assert!(quickest < QUICK_TO_ANSWER, "answered after {quickest:?}");
}
