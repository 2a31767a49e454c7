//! The door: slow and silent clients, bodies without measure, the headers that protect readers, limits by address and
//! by account. Over real sockets.

use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::{Method, StatusCode};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::fake_model::{Script, sample};
use crate::model::Scene;
use crate::support::{Town, assert_refused, json_of};

/// Longer than any limit that a test sets.
const PATIENCE: Duration = Duration::from_secs(10);

async fn connect(town: &Town) -> TcpStream {
    TcpStream::connect(town.address.trim_start_matches("http://")).await.expect("the door is open")
}

/// All that the server says until it closes the connection.
async fn heard_until_closed(stream: &mut TcpStream) -> String {
    let mut heard = Vec::new();
    // A reset is an end, too.
    let _ = timeout(PATIENCE, stream.read_to_end(&mut heard)).await.expect("the server ends the connection");
    String::from_utf8_lossy(&heard).into_owned()
}

#[tokio::test]
async fn who_sends_no_head_or_half_of_one_is_cut_off() {
    let town = Town::start_with(|config| config.server.header_timeout_seconds = 1).await;
    for sent in ["", "GET /api/v1/about HTTP/1.1\r\nHost: x\r\nX-Slow: "] {
        let began = Instant::now();
        let mut stream = connect(&town).await;
        stream.write_all(sent.as_bytes()).await.expect("the server listens");
        let heard = heard_until_closed(&mut stream).await;
        assert!(!heard.starts_with("HTTP/1.1 200"), "{heard}");
        assert!(began.elapsed() < Duration::from_secs(5), "after {:?}", began.elapsed());
    }
}

#[tokio::test]
async fn a_connection_on_which_nothing_moves_is_closed() {
    let town = Town::start_with(|config| {
        config.server.header_timeout_seconds = 30;
        config.server.idle_timeout_seconds = 1;
    })
    .await;
    let mut stream = connect(&town).await;
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").await.expect("the server listens");
    let heard = heard_until_closed(&mut stream).await;
    assert!(heard.starts_with("HTTP/1.1 200") && heard.contains("{\"status\":\"ok\"}"), "{heard}");
}

#[tokio::test]
async fn above_the_cap_a_connection_waits_for_one_that_ends() {
    let town = Town::start_with(|config| config.server.max_connections = 2).await;
    let (first, _second) = (connect(&town).await, connect(&town).await);
    let mut third = connect(&town).await;
    third.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await.expect("it is queued");
    let mut byte = [0];
    let early = timeout(Duration::from_millis(300), third.read(&mut byte)).await;
    assert!(early.is_err(), "nobody serves a third");
    drop(first);
    assert!(heard_until_closed(&mut third).await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn a_body_beyond_its_limit_is_refused_announced_or_not() {
    let town = Town::start().await;
    let anna = town.sign_in("anna").await;
    let large = json!({ "text": "a".repeat(70 * 1024) });
    assert_refused(anna.post("/api/v1/solve", &large).await, 413, "too_large").await;
    let pieces = (0..70).map(|_| Ok::<_, std::io::Error>(vec![b' '; 1024]));
    let body = reqwest::Body::wrap_stream(futures_util::stream::iter(pieces));
    let call = anna.call(Method::POST, "/api/v1/solve").header("content-type", "application/json").body(body);
    assert_refused(call.send().await.expect("an answer"), 413, "too_large").await;
}

#[tokio::test]
async fn every_failure_under_the_api_is_a_problem_in_italian() {
    let town = Town::start().await;
    let anna = town.sign_in("anna").await;
    let nobody = town.call(Method::GET, "/api/v1/auth/me").send().await.expect("an answer");
    assert_refused(nobody, 401, "token_missing").await;
    let unknown = town.call(Method::GET, "/api/v1/nothing").send().await.expect("an answer");
    assert_refused(unknown, 404, "not_found").await;
    let beside = town.call(Method::GET, "/api/").send().await.expect("an answer");
    assert_refused(beside, 404, "not_found").await;
    let wrong = town.call(Method::DELETE, "/api/v1/about").send().await.expect("an answer");
    assert_eq!(wrong.headers()["allow"], "GET");
    assert_refused(wrong, 405, "method_not_allowed").await;
    let unreadable =
        anna.call(Method::POST, "/api/v1/solve").header("content-type", "application/json").body("{\"text\":");
    assert_refused(unreadable.send().await.expect("an answer"), 400, "bad_request").await;
    let mut ids = Vec::new();
    for path in ["/api/v1/about", "/healthz", "/"] {
        let answer = town.call(Method::GET, path).send().await.expect("an answer");
        ids.push(answer.headers()["x-request-id"].to_str().expect("ASCII").to_owned());
    }
    assert!(ids[0] != ids[1] && ids[1] != ids[2], "each request has a name of its own: {ids:?}");
}

#[tokio::test]
async fn every_answer_protects_its_reader() {
    let town = Town::start().await;
    for path in ["/", "/login", "/api/v1/about", "/api/v1/auth/me", "/api/docs", "/healthz", "/nothing.js"] {
        let answer = town.call(Method::GET, path).send().await.expect("an answer");
        let header = |name: &str| answer.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let policy = header("content-security-policy");
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
        let words: Vec<&str> = policy.split([' ', ';']).collect();
        assert!(!words.contains(&"'unsafe-inline'") && !words.contains(&"'unsafe-eval'"), "{path}: {policy}");
        assert_eq!(header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(header("referrer-policy"), "no-referrer", "{path}");
        assert!(header("permissions-policy").contains("geolocation=()"), "{path}");
        assert_eq!(header("strict-transport-security"), "", "{path}: not over http");
    }
    let secure = Town::start_with(|config| {
        config.server.public_url = "https://rimedio.example".parse().expect("an address");
    })
    .await;
    let answer = secure.call(Method::GET, "/").send().await.expect("an answer");
    assert!(answer.headers()["strict-transport-security"].to_str().expect("ASCII").starts_with("max-age=63072000"));
}

#[tokio::test]
async fn strangers_are_limited_by_address_and_accounts_by_themselves() {
    let town = Town::start_with(|config| {
        config.limits.anonymous_per_minute = 30;
        config.limits.account_per_minute = 20;
    })
    .await;
    let anna = town.sign_in("anna").await;
    // Nobody escapes by writing another address into each call.
    let mut calls = 0_u8;
    let refused = loop {
        calls += 1;
        let other = format!("203.0.113.{calls}");
        let answer =
            town.call(Method::GET, "/api/v1/about").header("x-forwarded-for", other).send().await.expect("an answer");
        if answer.status() != StatusCode::OK {
            break answer;
        }
        assert!(calls < 250, "the limit is reached");
    };
    let wait: u64 = refused.headers()["retry-after"].to_str().ok().and_then(|text| text.parse().ok()).expect("seconds");
    assert!((1..=60).contains(&wait), "{wait}");
    assert_refused(refused, 429, "rate_limited").await;
    assert_eq!(anna.get("/api/v1/about").await.status(), StatusCode::OK, "who is signed in has a limit of her own");
    let mut calls = 0;
    while anna.get("/api/v1/about").await.status() == StatusCode::OK {
        calls += 1;
        assert!(calls < 60, "her limit is reached");
    }
}

#[tokio::test]
async fn behind_a_trusted_proxy_each_client_has_a_limit_of_its_own() {
    let town = Town::start_with(|config| {
        config.limits.anonymous_per_minute = 3;
        config.server.trusted_proxies = vec!["127.0.0.0/8".parse().expect("a network")];
    })
    .await;
    let call = |forwarded: &'static str| {
        let call = town.call(Method::GET, "/api/v1/about").header("x-forwarded-for", forwarded);
        async move { call.send().await.expect("an answer").status() }
    };
    for _ in 0..3 {
        assert_eq!(call("198.51.100.1").await, StatusCode::OK);
    }
    assert_eq!(call("198.51.100.1").await, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(call("198.51.100.2").await, StatusCode::OK, "another client");
    assert_eq!(
        call("203.0.113.7, 198.51.100.1").await,
        StatusCode::TOO_MANY_REQUESTS,
        "what stands further left is its own writing"
    );
}

#[tokio::test]
async fn the_description_of_the_calls_is_readable_in_the_browser_from_the_binary_alone() {
    let town = Town::start().await;
    let page = town.call(Method::GET, "/api/docs").send().await.expect("an answer");
    let page = if page.status().is_redirection() {
        let next = page.headers()["location"].to_str().expect("ASCII").to_owned();
        town.call(Method::GET, &next).send().await.expect("an answer")
    } else {
        page
    };
    assert_eq!(page.status(), StatusCode::OK);
    let text = page.text().await.expect("a page");
    assert!(!text.contains("http://") && !text.contains("https://"), "nothing from elsewhere: {text}");
    assert!(!text.contains("<style") && !text.contains("onload"), "nothing inline");
    let parts: Vec<&str> = text
        .split('"')
        .filter(|part| part.ends_with(".js") || part.ends_with(".css") || part.ends_with(".json"))
        .collect();
    assert!(parts.len() >= 2, "{text}");
    for part in parts {
        let path = if part.starts_with('/') {
            part.to_owned()
        } else {
            format!("/api/docs/{}", part.trim_start_matches("./"))
        };
        let answer = town.call(Method::GET, &path).send().await.expect("an answer");
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
    }
}

#[tokio::test]
async fn a_server_that_stops_finishes_what_runs_and_takes_nothing_new() {
    let go = Arc::new(Notify::new());
    let mut scene = Scene::set([Script::Held(Arc::clone(&go), sample())]).await;
    let anna = scene.anna.clone();
    let running = tokio::spawn(async move { anna.post("/api/v1/solve", &json!({ "text": "è lento" })).await });
    while scene.model.calls().is_empty() {
        tokio::task::yield_now().await;
    }
    scene.town.stop();
    let address = scene.town.address.trim_start_matches("http://").to_owned();
    while TcpStream::connect(&address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    go.notify_one();
    let answer = running.await.expect("no panic");
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(json_of(answer).await["engine"], "model");
}

#[tokio::test]
async fn health_is_told_without_a_token_and_without_a_limit() {
    let town = Town::start_with(|config| config.limits.anonymous_per_minute = 1).await;
    for _ in 0..5 {
        let answer = town.call(Method::GET, "/healthz").send().await.expect("an answer");
        assert_eq!(answer.status(), StatusCode::OK);
        assert_eq!(json_of(answer).await, json!({ "status": "ok" }));
    }
}
