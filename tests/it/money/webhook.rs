//! Stripe's messages at the door: who may send one, and that one more or less, or one from long ago, changes nothing.

use hmac::{Hmac, KeyInit as _, Mac as _};
use secrecy::ExposeSecret as _;
use sha2::Sha256;

use super::*;
use crate::support::assert_refused;

fn sign(secret: &str, at: Timestamp, body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key of any length");
    mac.update(format!("{}.{body}", at.as_second()).as_bytes());
    let hex: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("t={},v1={hex}", at.as_second())
}

async fn send(town: &Town, signature: Option<&str>, body: &str) -> Response {
    let mut call = town.call(Method::POST, "/api/v1/payment/webhook").header("content-type", "application/json");
    if let Some(signature) = signature {
        call = call.header("stripe-signature", signature);
    }
    call.body(body.to_owned()).send().await.expect("an answer")
}

/// Bruno has paid, nobody was told, and this is the message that would have come.
async fn untold() -> (Town, String, String) {
    let town = Town::start_with(|config| config.stripe.webhook_secrets.push("whsec_the_next_one".into())).await;
    let secret = town.app.config.stripe.webhook_secrets[0].expose_secret().to_owned();
    town.lose_webhooks();
    let bruno = Buyer::new(&town).await;
    let page = bruno.payment_page("monthly").await;
    bruno.enter(&page, WORKS, None).await;
    let events = town.stripe.events();
    let event = events.iter().rev().find(|event| event["type"] == "customer.subscription.created");
    let body = event.expect("an event").to_string();
    (town, secret, body)
}

#[tokio::test]
async fn a_wrong_old_or_missing_signature_changes_nothing() {
    let (town, secret, body) = untold().await;
    let now = town.clock.now();
    let six_minutes = SignedDuration::from_mins(6);
    let good = sign(&secret, now, &body);
    for (signature, sent) in [
        (None, body.clone()),
        (Some(String::new()), body.clone()),
        (Some(sign("whsec_of_somebody", now, &body)), body.clone()),
        (Some(sign(&secret, now - six_minutes, &body)), body.clone()),
        (Some(sign(&secret, now + six_minutes, &body)), body.clone()),
        (Some(good.replace("v1=", "v0=")), body.clone()),
        (Some(good.clone()), body.replace("subscription", "Subscription")),
    ] {
        assert_refused(send(&town, signature.as_deref(), &sent).await, 400, "bad_signature").await;
    }
    let bruno = Buyer::new(&town).await;
    assert_eq!((bruno.status().await["status"].clone(), bruno.paid().await), ("none".into(), 0));
    assert_eq!(send(&town, Some(&good), &body).await.status(), StatusCode::OK);
    assert_eq!((bruno.status().await["status"].clone(), bruno.paid().await), ("active".into(), 999));
}

#[tokio::test]
async fn two_secrets_are_good_while_one_replaces_the_other() {
    let (town, _, body) = untold().await;
    let signature = sign("whsec_the_next_one", town.clock.now(), &body);
    assert_eq!(send(&town, Some(&signature), &body).await.status(), StatusCode::OK);
    let bruno = Buyer::new(&town).await;
    assert_eq!(bruno.status().await["status"], "active");
}

#[tokio::test]
async fn a_message_said_again_asks_stripe_nothing_and_one_of_a_stranger_neither() {
    let (town, secret, body) = untold().await;
    let signature = sign(&secret, town.clock.now(), &body);
    assert_eq!(send(&town, Some(&signature), &body).await.status(), StatusCode::OK);
    let asked = town.calls_when_quiet().await;
    for _ in 0..3 {
        assert_eq!(send(&town, Some(&signature), &body).await.status(), StatusCode::OK);
    }
    for body in [
        r#"{"id":"evt_1","type":"invoice.paid","data":{"object":{"customer":"cus_of_nobody"}}}"#,
        r#"{"id":"evt_2","type":"payout.paid","data":{"object":{"id":"po_1"}}}"#,
        r#"{"id":"evt_3","type":"charge.dispute.closed","data":{"object":{"charge":"ch_of_nobody"}}}"#,
        r#"{"id":"evt_4","type":"customer.updated","data":{"object":{"customer":null}}}"#,
    ] {
        let signature = sign(&secret, town.clock.now(), body);
        assert_eq!(send(&town, Some(&signature), body).await.status(), StatusCode::OK, "{body}");
    }
    assert_eq!(town.calls_when_quiet().await, asked);
}

#[tokio::test]
async fn what_a_message_says_of_accounts_is_not_believed() {
    let (town, secret, body) = untold().await;
    let anna = Buyer::named(&town, "anna").await;
    let before = anna.status().await;
    let account = town.app.accounts.by_email(&anna.email()).await.expect("an account").id;
    // A customer that is none of ours, with Anna's account in its metadata.
    let mut event: Value = serde_json::from_str(&body).expect("JSON");
    event["data"]["object"]["customer"] = "cus_of_nobody".into();
    event["data"]["object"]["metadata"] = json!({ "rimedio_account": account.to_string() });
    event["data"]["object"]["status"] = "canceled".into();
    let body = event.to_string();
    let asked = town.calls_when_quiet().await;
    let signature = sign(&secret, town.clock.now(), &body);
    assert_eq!(send(&town, Some(&signature), &body).await.status(), StatusCode::OK);
    assert_eq!(anna.status().await, before);
    assert_eq!(town.calls_when_quiet().await, asked);
}

#[tokio::test]
async fn a_message_that_cannot_be_applied_now_is_asked_for_again() {
    let (town, secret, body) = untold().await;
    town.stripe.set_weather(Weather { offline: true, lose_webhooks: true, ..Weather::default() });
    let signature = sign(&secret, town.clock.now(), &body);
    assert_refused(send(&town, Some(&signature), &body).await, 502, "provider_failed").await;
    town.lose_webhooks();
    assert_eq!(send(&town, Some(&signature), &body).await.status(), StatusCode::OK);
    let bruno = Buyer::new(&town).await;
    assert_eq!(bruno.status().await["status"], "active");
}

#[tokio::test]
async fn what_is_no_message_is_refused_in_good_order() {
    let (town, secret, _) = untold().await;
    for body in ["", "[]", "{", r#"{"id":1}"#, "\u{0}"] {
        let signature = sign(&secret, town.clock.now(), body);
        let status = send(&town, Some(&signature), body).await.status();
        assert_eq!(status, StatusCode::BAD_REQUEST, "{body:?}");
    }
    let large = format!(r#"{{"id":"{}"}}"#, "x".repeat(1024 * 1024));
    let signature = sign(&secret, town.clock.now(), &large);
    assert_refused(send(&town, Some(&signature), &large).await, 413, "too_large").await;
    // Stripe may send many at once: they are not counted as a stranger's calls.
    for _ in 0..100 {
        assert_eq!(send(&town, None, "{}").await.status(), StatusCode::BAD_REQUEST);
    }
}
