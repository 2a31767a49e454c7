//! The real binary, killed at a moment between payment and answer: after the next start the plan is there.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use reqwest::Client;
use rimedio::account::TERMS_VERSION;
use rimedio::http_client::http_client;
use url::Url;

use super::*;
use crate::support::{location, parameter};

struct Running {
    process: Child,
    address: String,
}

impl Running {
    fn start(directory: &Path) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_rimedio"))
            .args(["demo", "--port", "0", "--data-directory"])
            .arg(directory)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary was built");
        let mut line = String::new();
        BufReader::new(process.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let address = line.trim().rsplit(' ').next().expect("an address").to_owned();
        Self { process, address }
    }

    fn kill(mut self) {
        self.process.kill().expect("it runs");
        self.process.wait().expect("it ends");
    }

    async fn call(&self, http: &Client, token: &str, path: &str, body: &Value) -> Value {
        let call = http.post(format!("{}{path}", self.address)).bearer_auth(token).json(body);
        json_of(call.send().await.expect("an answer")).await
    }

    /// Signs Bruno in.
    async fn sign_in(&self, http: &Client) -> String {
        let begun = http.get(format!("{}/api/v1/auth/google/login", self.address)).send().await.expect("an answer");
        let cookie = begun.headers()["set-cookie"].to_str().expect("ASCII").split(';').next().expect("one").to_owned();
        let chooser = location(&begun);
        let page = http.get(&chooser).send().await.expect("a page").text().await.expect("a text");
        let link = page.split('"').find(|part| part.ends_with("person=bruno")).expect("a link").replace("&amp;", "&");
        let chosen = Url::parse(&chooser).and_then(|base| base.join(&link)).expect("an address");
        let back = location(&http.get(chosen).send().await.expect("an answer"));
        let landed = location(&http.get(back).header("cookie", cookie).send().await.expect("an answer"));
        let ticket = parameter(&landed, "token").expect("a ticket");
        let session = self.call(http, "", "/api/v1/auth/exchange", &json!({ "token": ticket })).await;
        let token = session["access_token"].as_str().expect("a token").to_owned();
        let consent = json!({ "terms_version": TERMS_VERSION, "minimum_age_confirmed": true });
        self.call(http, &token, "/api/v1/account/consent", &consent).await;
        token
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
    }
}

#[tokio::test]
async fn killed_between_payment_and_answer_nothing_is_lost() {
    let http = http_client().expect("a client");
    for (milliseconds, webhooks) in [(0, "on"), (3, "on"), (10, "on"), (30, "on"), (100, "on"), (100, "off")] {
        let directory = tempfile::tempdir().expect("a directory");
        let data = directory.path().join("data");
        let running = Running::start(&data);
        let token = running.sign_in(&http).await;
        let back = format!("{}/account/subscription", running.address);
        let order = json!({ "plan_type": "monthly", "success_url": back, "cancel_url": back });
        let checkout = running.call(&http, &token, "/api/v1/payment/create-checkout", &order).await;
        let page = checkout["checkout_url"].as_str().expect("an address").to_owned();
        if webhooks == "off" {
            // Lost for good: after the restart nothing but the start-up sweep can know.
            let bench = Url::parse(&page).and_then(|page| page.join("/dashboard/webhooks")).expect("an address");
            http.post(bench).form(&[("value", webhooks)]).send().await.expect("an answer");
        }
        let paid = http.post(page).form(&[("number", WORKS)]).send().await.expect("an answer");
        assert_eq!(paid.status(), StatusCode::SEE_OTHER);
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
        running.kill();

        let running = Running::start(&data);
        // Nobody asks: the start-up sweep does, or a webhook that is sent again.
        let begun = std::time::Instant::now();
        loop {
            let call = http.get(format!("{}/api/v1/payment/subscription-status", running.address));
            let token = running.sign_in(&http).await;
            let status = json_of(call.bearer_auth(&token).send().await.expect("an answer")).await;
            if status["is_active"] == true {
                break;
            }
            assert!(begun.elapsed() < PATIENCE, "killed after {milliseconds} ms, webhooks {webhooks}: {status}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}
