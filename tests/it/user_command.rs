//! `rimedio user`, through the server that runs and without one: the real binary, the real socket, the real store.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

const BINARY: &str = env!("CARGO_BIN_EXE_rimedio");

/// A demonstration in a process of its own. It is killed when the test ends.
struct Demonstration(Child);

impl Demonstration {
    fn start(directory: &Path) -> Self {
        let mut child = Command::new(BINARY)
            .args(["demo", "--port", "0", "--data-directory"])
            .arg(directory)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the demonstration starts");
        let mut line = String::new();
        let output = child.stdout.take().expect("a pipe");
        BufReader::new(output).read_line(&mut line).expect("a line");
        assert!(line.starts_with("Rimedio è pronto: http://127.0.0.1:"), "{line}");
        let running = Self(child);
        // The address is told before the socket is bound.
        let socket = directory.join("control.sock");
        for _ in 0..5_000 {
            if std::os::unix::net::UnixStream::connect(&socket).is_ok() {
                return running;
            }
            std::thread::park_timeout(std::time::Duration::from_millis(2));
        }
        panic!("no socket at {}", socket.display());
    }
}

impl Drop for Demonstration {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn user(arguments: &[&str]) -> Output {
    let mut command = Command::new(BINARY);
    command.arg("user").args(arguments).output().expect("the command runs")
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn complained(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_plan_is_given_through_the_server_that_runs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let directory = folder.path().join("data");
    let _server = Demonstration::start(&directory);
    let mode = fs::metadata(directory.join("control.sock")).expect("the socket").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "nobody else reaches it");
    let data = directory.to_str().expect("a text");

    let list = user(&["list", "--data-directory", data]);
    assert!(list.status.success(), "{}", complained(&list));
    assert_eq!(told(&list).lines().count(), 3, "{}", told(&list));
    assert!(told(&list).contains("anna.bianchi@posta.example") && told(&list).contains("superuser"));

    let address = "Bruno.Conti@posta.example";
    let granted = user(&["grant", address, "annual", "--days", "10", "--json", "--data-directory", data]);
    assert!(granted.status.success(), "{}", complained(&granted));
    let person: Value = serde_json::from_slice(&granted.stdout).expect("JSON");
    assert_eq!(person["plan"], "annual");
    let ends: jiff::Timestamp = person["plan_ends"].as_str().and_then(|text| text.parse().ok()).expect("an instant");
    let days = ends.duration_since(rimedio::clock::Clock::system().now()).as_hours();
    assert!((239..=240).contains(&days), "{days} hours");

    let superuser = user(&["grant-superuser", address, "--data-directory", data]);
    assert!(told(&superuser).contains("superuser     yes"), "{}", told(&superuser));
    let revoked = user(&["revoke-superuser", address, "--data-directory", data]);
    assert!(told(&revoked).contains("superuser     no"), "{}", told(&revoked));

    let nobody = user(&["show", "nobody@example.it", "--data-directory", data]);
    assert_eq!(nobody.status.code(), Some(4), "{}", complained(&nobody));
    assert_eq!(told(&nobody), "", "data alone goes to standard output");
}

#[test]
fn without_a_server_the_command_opens_the_store_itself_and_leaves_it_whole() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let directory = folder.path().join("data");
    // The people of the demonstration stay in its data.
    drop(Demonstration::start(&directory));
    let configuration = folder.path().join("config.toml");
    let text = format!(
        "[server]\npublic_url = \"http://127.0.0.1:1\"\n[store]\ndirectory = {directory:?}\n[google]\nissuer = \
         \"http://127.0.0.1:1\"\nclient_id = \"a\"\nclient_secret = \"b\"\n[stripe]\nsecret_key = \"sk_test_1\"\n\
         webhook_secrets = [\"whsec_12\"]\n[stripe.prices]\ntrial = \"t\"\nmonthly = \"m\"\nannual = \"a\"\n"
    );
    fs::write(&configuration, text).expect("writable");
    let configuration = configuration.to_str().expect("a text");
    let granted = user(&["grant", "bruno.conti@posta.example", "monthly", "--config", configuration]);
    assert!(granted.status.success(), "{}", complained(&granted));
    let shown = user(&["show", "bruno.conti@posta.example", "--config", configuration]);
    assert!(told(&shown).contains("plan          monthly until"), "{} {}", told(&shown), complained(&shown));
}

#[test]
fn what_cannot_be_done_is_said_with_a_code_for_scripts() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = folder.path().to_str().expect("a text");
    let none = user(&["list", "--data-directory", data]);
    assert_eq!(none.status.code(), Some(5), "{}", complained(&none));
    assert!(complained(&none).contains("no server runs"), "{}", complained(&none));
    // What a killed server left behind is nobody.
    let socket = folder.path().join("control.sock");
    drop(std::os::unix::net::UnixListener::bind(&socket).expect("a socket"));
    assert_eq!(user(&["list", "--data-directory", data]).status.code(), Some(5));
    assert_eq!(user(&["grant", "anna@example.it", "gold"]).status.code(), Some(2), "no such plan");
    assert_eq!(user(&["grant", "anna@example.it", "trial", "--days", "0"]).status.code(), Some(2), "no days at all");
    assert_eq!(user(&["list", "--config", "/nowhere/config.toml"]).status.code(), Some(3));
}
