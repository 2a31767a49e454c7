//! Signing in at an issuer that we did not write: npm's `oauth2-mock-server`, which checks PKCE and signs with RS256.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::support::{Town, assert_refused, json_of, location, parameter};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oauth2-mock");

/// The issuer's process. It ends with this value.
struct MockServer {
    address: String,
    orders: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
    process: Child,
}

impl Drop for MockServer {
    fn drop(&mut self) {
        // It ends by itself when its input does; killed and waited for, it leaves nothing behind in any case.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl MockServer {
    fn start() -> Self {
        assert!(
            std::path::Path::new(FOLDER).join("node_modules/oauth2-mock-server").exists(),
            "oauth2-mock-server is not installed: npm --prefix tests/oauth2-mock ci"
        );
        let mut process = Command::new("node")
            .arg("issuer.mjs")
            .current_dir(FOLDER)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("node is installed");
        let orders = process.stdin.take().expect("a piped input");
        let mut answers = BufReader::new(process.stdout.take().expect("a piped output")).lines();
        let address = answers.next().expect("the issuer's address").expect("readable output");
        let mut server = Self { address, orders, answers, process };
        server.order(&json!({ "claims": person() }));
        server
    }

    fn order(&mut self, order: &Value) {
        writeln!(self.orders, "{order}").expect("a process that listens");
        let answer = self.answers.next().expect("an answer").expect("readable output");
        assert_eq!(answer, "done");
    }

    async fn town(&self) -> Town {
        let issuer = self.address.parse().expect("an address");
        Town::start_with(move |config| config.google.issuer = issuer).await
    }
}

fn person() -> Value {
    json!({ "sub": "77", "email": "dora@posta.example", "email_verified": true, "name": "Dora Greco" })
}

/// Signs in as far as the page on which the browser lands.
async fn land(town: &Town) -> String {
    let mut browser = town.browser();
    let begun = browser.visit(&format!("{}/api/v1/auth/google/login?plan=trial", town.address)).await;
    let back = location(&browser.visit(&location(&begun)).await);
    location(&browser.visit(&back).await)
}

#[tokio::test]
async fn somebody_signs_in_through_a_foreign_issuer() {
    let issuer = MockServer::start();
    let town = issuer.town().await;
    let landed = land(&town).await;
    assert_eq!(parameter(&landed, "plan").as_deref(), Some("trial"), "{landed}");
    let ticket = parameter(&landed, "token").expect("a ticket");
    let exchanged = town.exchange(&ticket).await;
    assert_eq!(exchanged.status(), StatusCode::OK);
    let user = json_of(exchanged).await["user"].clone();
    assert_eq!((&user["email"], &user["name"]), (&json!("dora@posta.example"), &json!("Dora Greco")));
    assert_refused(town.exchange(&ticket).await, 401, "ticket_invalid").await;
}

#[tokio::test]
async fn its_new_keys_are_found_without_a_restart() {
    let mut issuer = MockServer::start();
    let town = issuer.town().await;
    assert!(parameter(&land(&town).await, "token").is_some());
    issuer.order(&json!({ "rotate": true }));
    assert!(parameter(&land(&town).await, "token").is_some(), "signed with a key that was not there before");
}

#[tokio::test]
async fn what_it_should_not_say_is_refused() {
    let mut issuer = MockServer::start();
    let town = issuer.town().await;
    for wrong in [
        json!({ "aud": "another-client" }),
        json!({ "iss": "https://accounts.google.com" }),
        json!({ "exp": 1_000_000_000 }),
        json!({ "nonce": "another" }),
        json!({ "nonce": null }),
        json!({ "email_verified": false }),
        json!({ "email_verified": null }),
        json!({ "email": null }),
        json!({ "azp": "another-client" }),
    ] {
        let mut claims = person();
        let merged = claims.as_object_mut().expect("an object");
        merged.extend(wrong.as_object().expect("an object").clone());
        issuer.order(&json!({ "claims": claims }));
        let landed = land(&town).await;
        assert!(parameter(&landed, "token").is_none() && parameter(&landed, "error").is_some(), "{wrong}: {landed}");
    }
    issuer.order(&json!({ "claims": person() }));
    assert!(parameter(&land(&town).await, "token").is_some(), "and what it should say is not");
}
