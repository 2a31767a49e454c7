//! Plans and the subscription that somebody holds, as the pages see them.

use std::time::Duration;

use reqwest::{Method, StatusCode};
use serde_json::Value;

use crate::support::{Town, assert_refused, json_of};

#[tokio::test]
async fn prices_are_those_of_the_configuration_and_need_no_sign_in() {
    let town = Town::start_with(|config| config.plans.monthly.price_cents = 1234).await;
    let answer = town.call(Method::GET, "/api/v1/payment/prices").send().await.expect("an answer");
    assert_eq!(answer.status(), StatusCode::OK);
    let prices = json_of(answer).await;
    assert_eq!(prices["trial"]["amount"], 1.0);
    assert_eq!(prices["monthly"]["amount"], 12.34);
    assert_eq!(prices["annual"]["amount"], 95.9);
    assert_eq!(prices["annual"]["savings"], "Risparmi 52,18 € all'anno, il 35%");
}

#[tokio::test]
async fn a_subscription_is_active_until_its_last_moment_and_known_afterwards() {
    let town = Town::start().await;
    let refused = town.call(Method::GET, "/api/v1/payment/subscription-status").send().await.expect("an answer");
    assert_refused(refused, 401, "token_missing").await;

    let bruno = town.sign_in("bruno").await;
    let none = json_of(bruno.get("/api/v1/payment/subscription-status").await).await;
    assert_eq!((&none["has_subscription"], &none["status"]), (&false.into(), &"none".into()));
    assert!(none.get("plan_type").is_none() && none.get("current_period_end").is_none(), "{none}");

    let anna = town.sign_in("anna").await;
    let held = json_of(anna.get("/api/v1/payment/subscription-status").await).await;
    assert_eq!((&held["status"], &held["is_active"]), (&"active".into(), &true.into()));
    assert_eq!(held["plan_type"], "monthly");

    let cancelled = anna.post("/api/v1/payment/cancel-subscription", &Value::Null).await;
    assert_eq!(cancelled.status(), StatusCode::OK);
    town.clock.advance(Duration::from_secs(32 * 86_400));
    let anna = town.sign_in("anna").await;
    let ended = json_of(anna.get("/api/v1/payment/subscription-status").await).await;
    assert_eq!((&ended["has_subscription"], &ended["is_active"]), (&true.into(), &false.into()));
    assert_eq!(ended["status"], "ended");
}
