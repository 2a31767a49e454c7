//! `rimedio demo`, the real binary: one line, one computer, no keys. And the stand-in for Google, which must refuse
//! what Google refuses, or the tests that lean on it would prove nothing.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStdout, Command, Stdio};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use reqwest::{Client, StatusCode};
use rimedio::clock::Clock;
use rimedio::demo::{GoogleStandIn, RegisteredClient};
use rimedio::http_client::http_client;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::support::{json_of, location, parameter};

/// The binary at work.
struct Running {
    process: Child,
    output: BufReader<ChildStdout>,
    address: String,
    _directory: tempfile::TempDir,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn demo(directory: &std::path::Path, port: u16) -> Child {
    Command::new(env!("CARGO_BIN_EXE_rimedio"))
        .args(["demo", "--port", &port.to_string(), "--data-directory"])
        .arg(directory.join("data"))
        .current_dir(directory)
        .env_clear()
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built")
}

impl Running {
    fn start() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let mut process = demo(directory.path(), 0);
        let mut output = BufReader::new(process.stdout.take().expect("a piped output"));
        let mut line = String::new();
        output.read_line(&mut line).expect("readable output");
        let address = line.strip_prefix("Rimedio è pronto: ").expect("the one line").trim_end().to_owned();
        Self { process, output, address, _directory: directory }
    }

    /// Sends a signal by name and waits for the end: the exit code, the rest of the output, the errors.
    fn stop(&mut self, signal: &str) -> (Option<i32>, String, String) {
        let killed = Command::new("kill").args([signal, &self.process.id().to_string()]).status();
        assert!(killed.expect("`kill` is on every system").success());
        let (mut rest, mut errors) = (String::new(), String::new());
        self.output.read_to_string(&mut rest).expect("readable output");
        let mut stderr = self.process.stderr.take().expect("piped errors");
        stderr.read_to_string(&mut errors).expect("readable errors");
        (self.process.wait().expect("it ends").code(), rest, errors)
    }
}

#[tokio::test]
async fn it_needs_nothing_says_one_line_and_answers_on_this_computer_alone() {
    let mut running = Running::start();
    assert!(running.address.starts_with("http://127.0.0.1:"), "{}", running.address);
    let client = http_client().expect("a client");
    let health = client.get(format!("{}/healthz", running.address)).send().await.expect("an answer");
    assert_eq!(health.status(), StatusCode::OK);
    let about = client.get(format!("{}/api/v1/about", running.address)).send().await.expect("an answer");
    let about = json_of(about).await;
    assert_eq!(
        about["banner"],
        "Questa è una dimostrazione: nessun dato esce da questo computer e non si muove denaro."
    );
    assert_eq!((&about["engine"], &about["claims"]), (&json!("handbook"), &json!("sample")));
    assert_eq!(running.stop("-TERM"), (Some(0), String::new(), String::new()), "silent to a graceful end");
}

#[cfg(target_os = "linux")]
#[test]
fn every_port_that_it_opens_is_of_the_loopback() {
    let running = Running::start();
    let process = std::path::PathBuf::from(format!("/proc/{}", running.process.id()));
    let sockets: Vec<String> = std::fs::read_dir(process.join("fd"))
        .expect("its open files")
        .filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok())
        .filter_map(|target| Some(target.to_str()?.strip_prefix("socket:[")?.trim_end_matches(']').to_owned()))
        .collect();
    let mut listening = Vec::new();
    for table in ["net/tcp", "net/tcp6"] {
        let table = std::fs::read_to_string(process.join(table)).expect("the system's table");
        for line in table.lines().skip(1) {
            // Columns of proc(5): 1 is the local address, 3 the state (0A: listening), 9 the socket's inode.
            let columns: Vec<_> = line.split_whitespace().collect();
            if columns[3] == "0A" && sockets.iter().any(|inode| inode == columns[9]) {
                listening.push(columns[1].to_owned());
            }
        }
    }
    assert_eq!(listening.len(), 2, "the product and the stand-in: {listening:?}");
    assert!(listening.iter().all(|address| address.starts_with("0100007F:")), "127.0.0.1: {listening:?}");
}

#[test]
fn it_stops_at_an_interrupt_too() {
    let (code, rest, errors) = Running::start().stop("-INT");
    assert_eq!((code, rest.as_str(), errors.as_str()), (Some(0), "", ""));
}

#[test]
fn a_port_that_is_taken_is_an_error_that_says_what_to_do() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = taken.local_addr().expect("an address").port();
    let directory = tempfile::tempdir().expect("a directory");
    let output = demo(directory.path(), port).wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains(&format!("127.0.0.1:{port}")) && errors.contains("--port 8081"), "{errors}");
}

const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const REDIRECT: &str = "http://127.0.0.1:1/api/v1/auth/google/callback";

/// The stand-in alone, as a client sees it.
struct StandIn {
    address: String,
    clock: Clock,
    client: Client,
}

impl StandIn {
    async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let registered = RegisteredClient { id: "client".into(), secret: "secret".into(), redirect: REDIRECT.into() };
        let clock = Clock::system();
        let stand_in = GoogleStandIn::new(address.clone(), registered, clock.clone()).expect("a stand-in");
        let acceptor = poem::listener::TcpAcceptor::from_tokio(listener).expect("a listener that accepts");
        tokio::spawn(poem::Server::new_with_acceptor(acceptor).run(stand_in.routes()));
        Self { address, clock, client: http_client().expect("a client") }
    }

    async fn authorize(&self, changed: Option<(&str, &str)>) -> reqwest::Response {
        let challenge = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(VERIFIER));
        let mut query = vec![
            ("client_id", "client"),
            ("redirect_uri", REDIRECT),
            ("response_type", "code"),
            ("scope", "openid email"),
            ("state", "a state & more"),
            ("nonce", "n"),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
        ];
        if let Some((name, value)) = changed {
            query.retain(|(held, _)| *held != name);
            query.push((name, value));
        }
        let request = self.client.get(format!("{}/authorize", self.address)).query(&query);
        request.send().await.expect("an answer")
    }

    async fn code(&self) -> String {
        let page = self.authorize(None).await.text().await.expect("a page");
        let link = page.split('"').find(|part| part.ends_with("person=anna")).expect("a link").replace("&amp;", "&");
        let chosen = self.client.get(format!("{}{link}", self.address)).send().await.expect("an answer");
        let back = location(&chosen);
        assert!(back.starts_with(REDIRECT), "{back}");
        assert_eq!(parameter(&back, "state").as_deref(), Some("a state & more"));
        parameter(&back, "code").expect("a code")
    }

    async fn redeem(&self, code: &str, changed: Option<(&str, &str)>) -> (StatusCode, Value) {
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", REDIRECT),
            ("code_verifier", VERIFIER),
            ("client_id", "client"),
            ("client_secret", "secret"),
        ];
        if let Some((name, value)) = changed {
            form.retain(|(held, _)| *held != name);
            form.push((name, value));
        }
        let answer = self.client.post(format!("{}/token", self.address)).form(&form).send().await.expect("an answer");
        (answer.status(), json_of(answer).await)
    }
}

#[tokio::test]
async fn the_stand_in_gives_a_token_once_to_whom_it_belongs() {
    let google = StandIn::start().await;
    let code = google.code().await;
    let (status, body) = google.redeem(&code, None).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    assert_eq!(body["token_type"], "Bearer");
    assert_eq!(body["id_token"].as_str().map(|token| token.split('.').count()), Some(3));
    assert_eq!(google.redeem(&code, None).await, (StatusCode::BAD_REQUEST, json!({ "error": "invalid_grant" })));
    let basic = google
        .client
        .post(format!("{}/token", google.address))
        .basic_auth("client", Some("secret"))
        .form(&[
            ("grant_type", "authorization_code"),
            ("code", &google.code().await),
            ("redirect_uri", REDIRECT),
            ("code_verifier", VERIFIER),
        ])
        .send();
    assert_eq!(basic.await.expect("an answer").status(), StatusCode::OK, "the secret may come in the header");
}

#[tokio::test]
async fn the_stand_in_refuses_what_google_refuses() {
    let google = StandIn::start().await;
    let wrong_verifier = "x".repeat(43);
    for (name, value, status, error) in [
        ("client_secret", "guessed", 401, "invalid_client"),
        ("client_id", "somebody", 401, "invalid_client"),
        ("grant_type", "password", 400, "unsupported_grant_type"),
        ("redirect_uri", "http://127.0.0.1:2/", 400, "invalid_grant"),
        ("code_verifier", wrong_verifier.as_str(), 400, "invalid_grant"),
        ("code_verifier", "", 400, "invalid_grant"),
        ("code", "made-up", 400, "invalid_grant"),
    ] {
        let code = google.code().await;
        let (found, body) = google.redeem(&code, Some((name, value))).await;
        assert_eq!((found.as_u16(), &body["error"]), (status, &json!(error)), "{name}={value}");
    }
    let code = google.code().await;
    google.clock.advance(std::time::Duration::from_secs(60));
    assert_eq!(google.redeem(&code, None).await.0, StatusCode::BAD_REQUEST, "a code is good for a minute");

    for (name, value) in [
        ("client_id", "somebody"),
        ("redirect_uri", "https://evil.example/"),
        ("response_type", "token"),
        ("scope", "email"),
        ("code_challenge_method", "plain"),
        ("code_challenge", "short"),
    ] {
        let answer = google.authorize(Some((name, value))).await;
        // A page and no redirect: an address that is not registered must never be visited.
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{name}={value}");
    }
}

#[tokio::test]
async fn the_stand_ins_pages_hold_nothing_inline_and_escape_by_construction() {
    let google = StandIn::start().await;
    let chooser = google.authorize(Some(("state", "<script>alert(1)</script>"))).await;
    let policy = chooser.headers()["content-security-policy"].to_str().expect("ASCII").to_owned();
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    assert_eq!(chooser.headers()["x-content-type-options"], "nosniff");
    let page = chooser.text().await.expect("a page");
    for forbidden in ["<script", "<style", " style=", " onclick="] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    for name in ["Anna Bianchi", "Bruno Conti", "Carla Ferri"] {
        assert!(page.contains(name), "{name}");
    }
    let style = google.client.get(format!("{}/stand-in.css", google.address)).send().await.expect("an answer");
    assert_eq!(style.headers()["content-type"], "text/css; charset=utf-8");
}
