//! Signing in, from the button to the access token and back out, against the stand-in for Google.

use std::time::Duration;

use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::support::{Town, assert_refused, json_of, location, parameter};

const DAY: Duration = Duration::from_secs(86_400);

#[tokio::test]
async fn somebody_signs_in_and_is_known_by_the_token() {
    let town = Town::start().await;
    let anna = town.sign_in_for_the_first_time("anna").await;
    assert_eq!(anna.user["email"], "anna.bianchi@posta.example");
    let me = anna.get("/api/v1/auth/me").await;
    assert_eq!(me.status(), StatusCode::OK);
    let me = json_of(me).await;
    assert_eq!(me, anna.user);
    assert_eq!((&me["full_name"], &me["name"]), (&json!("Anna Bianchi"), &json!("Anna Bianchi")));
    assert_eq!((&me["is_superuser"], &me["consent_required"]), (&json!(false), &json!(true)));
    assert_eq!((&me["subscription"]["plan"], &me["subscription"]["status"]), (&json!("monthly"), &json!("active")));
    assert!(me.get("picture").is_none(), "an absent field is left out: {me}");
}

#[tokio::test]
async fn the_same_person_has_one_account_however_often_they_sign_in() {
    let town = Town::start().await;
    let first = town.sign_in("bruno").await;
    let second = town.sign_in_for_the_first_time("bruno").await;
    assert_eq!(first.user["created_at"], second.user["created_at"]);
    assert_eq!(second.user["consent_required"], json!(false), "the consent is remembered");
    assert_ne!(first.token, second.token);
}

#[tokio::test]
async fn the_browser_goes_to_the_issuer_with_everything_that_protects_it() {
    let town = Town::start().await;
    let mut browser = town.browser();
    let begun = browser.visit(&format!("{}/api/v1/auth/google/login", town.address)).await;
    let cookie = begun.headers()["set-cookie"].to_str().expect("ASCII").to_owned();
    for attribute in ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=600"] {
        assert!(cookie.contains(attribute), "{cookie}");
    }
    assert!(!cookie.contains("Secure"), "this town is reached over http");
    assert_eq!(begun.headers()["cache-control"], "no-store");
    let address = location(&begun);
    for (name, value) in [("response_type", "code"), ("code_challenge_method", "S256")] {
        assert_eq!(parameter(&address, name).as_deref(), Some(value));
    }
    assert_eq!(parameter(&address, "redirect_uri"), Some(format!("{}/api/v1/auth/google/callback", town.address)));
    for name in ["state", "nonce", "code_challenge"] {
        assert!(parameter(&address, name).is_some_and(|value| value.len() >= 22), "{name} in {address}");
    }
}

#[tokio::test]
async fn over_https_the_cookie_can_come_from_this_host_alone() {
    let town = Town::start_with(|config| {
        config.server.public_url = "https://rimedio.example".parse().expect("an address");
    })
    .await;
    let begun = town.browser().visit(&format!("{}/api/v1/auth/google/login", town.address)).await;
    let cookie = begun.headers()["set-cookie"].to_str().expect("ASCII").to_owned();
    assert!(cookie.starts_with("__Host-") && cookie.contains("Secure"), "{cookie}");
}

#[tokio::test]
async fn a_plan_that_was_asked_for_is_given_back_and_a_foreign_one_is_not() {
    let town = Town::start().await;
    for (asked, given) in [("trial", Some("trial")), ("annual", Some("annual")), ("platinum", None), ("%00", None)] {
        let mut browser = town.browser();
        let back = browser.come_back_from_google(&town, "anna", &format!("?plan={asked}")).await;
        let landed = location(&browser.visit(&back).await);
        assert!(landed.starts_with("/auth/callback?token="), "{landed}");
        assert_eq!(parameter(&landed, "plan").as_deref(), given, "{landed}");
    }
}

#[tokio::test]
async fn a_plan_cannot_be_added_on_the_way_back() {
    let town = Town::start().await;
    let mut browser = town.browser();
    let back = browser.come_back_from_google(&town, "anna", "").await;
    let landed = location(&browser.visit(&format!("{back}&plan=annual")).await);
    assert_eq!(parameter(&landed, "plan"), None);
}

#[tokio::test]
async fn who_turns_back_at_google_reads_that_nothing_happened() {
    let town = Town::start().await;
    let mut browser = town.browser();
    let chooser = location(&browser.visit(&format!("{}/api/v1/auth/google/login", town.address)).await);
    let state = parameter(&chooser, "state").expect("a state");
    let back = format!("{}/api/v1/auth/google/callback?error=access_denied&state={state}", town.address);
    let landed = location(&browser.visit(&back).await);
    assert_eq!(parameter(&landed, "error").as_deref(), Some("Hai annullato l'accesso. Quando vuoi, puoi riprovare."));
}

#[tokio::test]
async fn an_answer_with_another_state_is_refused() {
    let town = Town::start().await;
    let of_another = town.browser().come_back_from_google(&town, "anna", "").await;
    let of_another = parameter(&of_another, "state").expect("a state");
    for forged in [of_another.as_str(), "", "x"] {
        let mut browser = town.browser();
        let back = browser.come_back_from_google(&town, "anna", "").await;
        let real = parameter(&back, "state").expect("a state");
        let landed = location(&browser.visit(&back.replace(&real, forged)).await);
        assert!(parameter(&landed, "error").is_some() && parameter(&landed, "token").is_none(), "{landed}");
    }
}

#[tokio::test]
async fn an_answer_in_another_browser_is_refused() {
    let town = Town::start().await;
    // Somebody else's sign-in, offered as a link: the victim must not end up in the attacker's account.
    let back = town.browser().come_back_from_google(&town, "carla", "").await;
    let mut without_cookie = town.browser();
    let landed = location(&without_cookie.visit(&back).await);
    assert!(parameter(&landed, "error").is_some(), "{landed}");
    let mut with_another = town.browser();
    with_another.come_back_from_google(&town, "anna", "").await;
    let landed = location(&with_another.visit(&back).await);
    assert!(parameter(&landed, "error").is_some(), "{landed}");
}

#[tokio::test]
async fn a_cookie_that_was_changed_or_is_too_old_is_refused() {
    let town = Town::start().await;
    let mut browser = town.browser();
    let back = browser.come_back_from_google(&town, "anna", "").await;
    let (_, value) = browser.cookies.first_mut().expect("the sign-in's cookie");
    let changed = if value.ends_with('A') { "B" } else { "A" };
    value.replace_range(value.len() - 8..value.len() - 7, changed);
    let landed = location(&browser.visit(&back).await);
    assert!(parameter(&landed, "error").is_some(), "{landed}");

    let mut browser = town.browser();
    let back = browser.come_back_from_google(&town, "anna", "").await;
    town.clock.advance(Duration::from_secs(600));
    let landed = location(&browser.visit(&back).await);
    assert!(parameter(&landed, "error").is_some(), "{landed}");
}

#[tokio::test]
async fn a_code_is_good_once() {
    let town = Town::start().await;
    let mut browser = town.browser();
    let back = browser.come_back_from_google(&town, "anna", "").await;
    let cookies = browser.cookies.clone();
    assert!(parameter(&location(&browser.visit(&back).await), "token").is_some());
    assert!(browser.cookies.is_empty(), "the cookie has served");
    browser.cookies = cookies;
    let landed = location(&browser.visit(&back).await);
    assert_eq!(
        parameter(&landed, "error").as_deref(),
        Some("L'accesso con Google non è riuscito. Torna alla pagina di accesso e riprova.")
    );
}

#[tokio::test]
async fn when_google_does_not_answer_the_person_reads_so_on_a_page() {
    let town = Town::start_with(|config| {
        // Port 1 answers nobody.
        config.google.issuer = "http://127.0.0.1:1".parse().expect("an address");
    })
    .await;
    let landed = location(&town.browser().visit(&format!("{}/api/v1/auth/google/login", town.address)).await);
    let sentence = parameter(&landed, "error").expect("a sentence");
    assert!(sentence.starts_with("Google non risponde"), "{sentence}");
}

#[tokio::test]
async fn a_ticket_is_good_once() {
    let town = Town::start().await;
    let ticket = town.browser().ticket_for(&town, "anna", "").await;
    assert_eq!(town.exchange(&ticket).await.status(), StatusCode::OK);
    assert_refused(town.exchange(&ticket).await, 401, "ticket_invalid").await;
}

#[tokio::test]
async fn a_ticket_is_good_for_a_minute() {
    let town = Town::start().await;
    let ticket = town.browser().ticket_for(&town, "anna", "").await;
    town.clock.advance(Duration::from_secs(58));
    assert_eq!(town.exchange(&ticket).await.status(), StatusCode::OK);
    let ticket = town.browser().ticket_for(&town, "anna", "").await;
    town.clock.advance(Duration::from_secs(60));
    assert_refused(town.exchange(&ticket).await, 401, "ticket_invalid").await;
}

#[tokio::test]
async fn a_ticket_that_nobody_gave_out_is_refused() {
    let town = Town::start().await;
    for ticket in ["", "A", "q1Zk6V0uQm9rVHdYc1p0aGlzLWlzLWFuLWV4YW1wbGU", &"x".repeat(5000)] {
        assert_refused(town.exchange(ticket).await, 401, "ticket_invalid").await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_who_exchange_one_ticket_at_the_same_moment_one_is_let_in() {
    let town = Town::start().await;
    for _ in 0..10 {
        let ticket = town.browser().ticket_for(&town, "anna", "").await;
        let (one, other) = tokio::join!(town.exchange(&ticket), town.exchange(&ticket));
        let mut statuses = [one.status().as_u16(), other.status().as_u16()];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 401]);
    }
}

#[tokio::test]
async fn signing_out_ends_this_session_at_once_and_no_other() {
    let town = Town::start().await;
    let phone = town.sign_in("anna").await;
    let computer = town.sign_in("anna").await;
    assert_eq!(phone.post("/api/v1/auth/logout", &json!({})).await.status(), StatusCode::NO_CONTENT);
    assert_refused(phone.get("/api/v1/auth/me").await, 401, "session_expired").await;
    assert_refused(phone.post("/api/v1/auth/logout", &json!({})).await, 401, "session_expired").await;
    assert_eq!(computer.get("/api/v1/auth/me").await.status(), StatusCode::OK);
}

#[tokio::test]
async fn all_sessions_of_somebody_can_be_ended_together() {
    let town = Town::start().await;
    let (phone, computer) = (town.sign_in("anna").await, town.sign_in("anna").await);
    let bruno = town.sign_in("bruno").await;
    let account = town.app.accounts.by_email("Anna.Bianchi@posta.example ").await.expect("she has signed in");
    town.app.accounts.sign_out_everywhere(account.id).await.expect("the store answers");
    for ended in [phone, computer] {
        assert_refused(ended.get("/api/v1/auth/me").await, 401, "session_expired").await;
    }
    assert_eq!(bruno.get("/api/v1/auth/me").await.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_session_that_is_used_is_renewed_and_one_that_is_not_ends_after_thirty_days() {
    let town = Town::start().await;
    let (active, idle) = (town.sign_in("anna").await, town.sign_in("anna").await);
    assert!(active.get("/api/v1/auth/me").await.headers().get("x-access-token").is_none(), "too early");

    town.clock.advance(DAY);
    let answer = active.get("/api/v1/auth/me").await;
    let fresh = answer.headers()["x-access-token"].to_str().expect("ASCII").to_owned();
    assert_ne!(fresh, active.token);
    assert!(active.get("/api/v1/auth/me").await.headers().get("x-access-token").is_none(), "once a day is enough");

    town.clock.advance(29 * DAY);
    assert_refused(idle.get("/api/v1/auth/me").await, 401, "session_expired").await;
    assert_refused(active.get("/api/v1/auth/me").await, 401, "session_expired").await;
    let renewed = active.with_token(&fresh);
    assert_eq!(renewed.get("/api/v1/auth/me").await.status(), StatusCode::OK, "the fresh token goes on");
}

#[tokio::test]
async fn a_token_that_is_not_ours_is_refused_and_a_missing_one_is_said_to_be_missing() {
    let town = Town::start().await;
    let anna = town.sign_in("anna").await;
    let missing = town.call(Method::GET, "/api/v1/auth/me").send().await.expect("an answer");
    assert_refused(missing, 401, "token_missing").await;
    let basic = town.call(Method::GET, "/api/v1/auth/me").basic_auth("anna", Some("secret"));
    assert_refused(basic.send().await.expect("an answer"), 401, "token_missing").await;

    let (head, signature) = anna.token.rsplit_once('.').expect("three parts");
    let unsigned = format!("eyJhbGciOiJub25lIn0.{}.", head.split_once('.').expect("three parts").1);
    let swapped: String = signature.chars().rev().collect();
    // The cookie of a sign-in is signed by us as well: it must not pass for an access token.
    let mut browser = town.browser();
    browser.visit(&format!("{}/api/v1/auth/google/login", town.address)).await;
    let cookie = browser.cookies[0].1.clone();
    for token in ["x", "a.b.c", head, &unsigned, &format!("{head}.{swapped}"), &cookie] {
        let call = town.call(Method::GET, "/api/v1/auth/me").bearer_auth(token);
        assert_refused(call.send().await.expect("an answer"), 401, "session_expired").await;
    }
}

#[tokio::test]
async fn the_token_of_another_installation_is_refused() {
    let (town, other) = (Town::start().await, Town::start().await);
    let stranger = other.sign_in("carla").await;
    let call = town.call(Method::GET, "/api/v1/auth/me").bearer_auth(&stranger.token);
    assert_refused(call.send().await.expect("an answer"), 401, "session_expired").await;
}
