//! The configuration: the example holds and is whole, the environment goes before the file, and what cannot be is
//! refused by the real binary with one error that says what to do. And what the log keeps to itself.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Output, Stdio};

use rimedio::config::{Config, EXAMPLE};

const BINARY: &str = env!("CARGO_BIN_EXE_rimedio");

/// The least that holds.
const LEAST: &str = "[server]\npublic_url = \"http://127.0.0.1:1\"\n[store]\ndirectory = \"/nowhere\"\n[google]\nclient_id = \
    \"a\"\nclient_secret = \"b\"\n[stripe]\nsecret_key = \"sk_test_1\"\nwebhook_secrets = [\"whsec_12\"]\n[stripe.prices]\ntrial = \
    \"t\"\nmonthly = \"m\"\nannual = \"a\"\n";

/// The example with every key that stands in a comment set, as an operator would take the sign away.
fn example_with_all_keys() -> String {
    let is_key = |line: &str| {
        let word: String = line.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
        !word.is_empty() && line[word.len()..].starts_with(" = ") || line.starts_with('[')
    };
    let uncommented = EXAMPLE.lines().map(|line| line.strip_prefix("# ").filter(|rest| is_key(rest)).unwrap_or(line));
    uncommented.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_example_holds_as_it_is_and_with_every_key_set() {
    let as_it_is = Config::from_toml(EXAMPLE).expect("the example holds");
    assert!(as_it_is.model.is_none(), "without a model until somebody writes a key");
    assert_eq!(as_it_is.plans, rimedio::config::Plans::default(), "the figures shown are the defaults");
    let whole = Config::from_toml(&example_with_all_keys()).expect("every key of the example is one");
    let model = whole.model.expect("a model");
    assert!(model.daily_budget_eur.is_some() && !model.prices.is_empty());
    assert!(whole.brand.banner.is_some());
}

/// Runs `rimedio serve` on a configuration that it must refuse.
fn refused(configuration: &str, environment: &BTreeMap<&str, &str>) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("config.toml");
    fs::write(&path, configuration).expect("writable");
    let output: Output = Command::new(BINARY)
        .args(["serve", "--config"])
        .arg(&path)
        .envs(environment)
        .stdin(Stdio::null())
        .output()
        .expect("the command runs");
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stdout.is_empty());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn what_cannot_be_is_refused_with_the_key_the_reason_and_an_example() {
    let with = |from: &str, to: &str| LEAST.replace(from, to);
    let model = "[model]\napi_key = \"sk-secret-of-a-model\"\nmodels = [\"a/b\"]\n";
    let table = [
        (String::new(), "server"),
        (with("client_secret = \"b\"\n", ""), "google.client_secret"),
        (with("client_id = \"a\"", "client_id = \"\""), "google.client_id"),
        (with("\"http://127.0.0.1:1\"", "\"http://127.0.0.1:1/app\""), "server.public_url"),
        (with("\"http://127.0.0.1:1\"", "\"nonsense\""), "server.public_url"),
        (with("[store]", "idle_timeout_seconds = 5\n[store]"), "server.idle_timeout_seconds"),
        (with("[store]", "no_such_key = 5\n[store]"), "server.no_such_key"),
        (format!("{LEAST}[limits]\nanonymous_per_minute = 0\n"), "limits"),
        (format!("{LEAST}{model}total_seconds = 30\n"), "model.total_seconds"),
        (format!("{LEAST}{model}attempt_seconds = 26\n"), "model.attempt_seconds"),
        (format!("{LEAST}{model}daily_budget_eur = 5.0\n"), "model.prices"),
        (format!("{LEAST}{model}daily_budget_eur = -1.0\n"), "model.daily_budget_eur"),
        (format!("{LEAST}[model]\napi_key = \"k\"\nmodels = []\n"), "model.models"),
        (format!("{LEAST}[marketing]\nclaims = \"great\"\n"), "marketing.claims"),
        ("[server\n".to_owned(), "the file"),
    ];
    for (configuration, key) in table {
        let told = refused(&configuration, &BTreeMap::new());
        assert!(told.contains(key), "{key}: {told}");
        assert_eq!(told.matches("rimedio: ").count(), 1, "one error: {told}");
        assert!(!told.contains("sk-secret-of-a-model"), "no secret in an error: {told}");
        assert!(
            key.is_empty() || told.contains(['=', '[']) || told.contains("config.toml.example"),
            "an example: {told}"
        );
    }
}

#[test]
fn the_environment_goes_before_the_file() {
    let told = refused(LEAST, &BTreeMap::from([("RIMEDIO_SERVER__IDLE_TIMEOUT_SECONDS", "3")]));
    assert!(told.contains("server.idle_timeout_seconds"), "{told}");
    let told = refused(LEAST, &BTreeMap::from([("RIMEDIO_GOOGLE__CLIENT_ID", " ")]));
    assert!(told.contains("google.client_id"), "{told}");
}

#[test]
fn secrets_do_not_show_when_the_configuration_is_printed() {
    let text = format!("{LEAST}[model]\napi_key = \"sk-secret-of-a-model\"\nmodels = [\"a/b\"]\n")
        .replace("client_secret = \"b\"", "client_secret = \"GOCSPX-secret-of-google\"");
    let printed = format!("{:?}", Config::from_toml(&text).expect("it holds"));
    assert!(!printed.contains("secret-of-a-model") && !printed.contains("secret-of-google"), "{printed}");
}

#[test]
fn the_log_is_json_and_holds_no_query_no_token_and_nothing_that_somebody_wrote() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut child = Command::new(BINARY)
        .args(["demo", "--port", "0", "--data-directory"])
        .arg(folder.path().join("data"))
        .env("RIMEDIO_LOG", "debug")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the demonstration starts");
    // Read as it comes: at this level the log is longer than a pipe holds.
    let mut errors = child.stderr.take().expect("a pipe");
    let log = std::thread::spawn(move || {
        let mut log = String::new();
        errors.read_to_string(&mut log).map(|_| log)
    });
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    let address = line.trim().rsplit(' ').next().expect("an address").to_owned();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let client = rimedio::http_client::http_client().expect("a client");
        let call = client.get(format!("{address}/api/v1/auth/google/callback?code=code-in-the-query&state=s"));
        call.send().await.expect("an answer");
        let call = client.post(format!("{address}/api/v1/solve")).bearer_auth("token-of-somebody");
        let call = call.json(&serde_json::json!({ "text": "words-of-somebody" }));
        assert_eq!(call.send().await.expect("an answer").status().as_u16(), 401);
    });
    // The product ends in good order and its log with it.
    let stopped = Command::new("kill").arg(child.id().to_string()).status().expect("kill is part of the system");
    assert!(stopped.success());
    let log = log.join().expect("the reader ends").expect("a log");
    assert!(child.wait().expect("it ends").success(), "{log}");
    assert!(log.contains("\"path\":\"/api/v1/solve\""), "{log}");
    for line in log.lines() {
        let entry: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"));
        assert!(entry["level"].is_string(), "{line}");
    }
    for secret in ["code-in-the-query", "token-of-somebody", "words-of-somebody", "sk_test_", "whsec_", "anna.bianchi@"]
    {
        assert!(!log.contains(secret), "{secret} stands in the log");
    }
}
