//! From a plan to access, each card, and what is refused.

use super::*;
use crate::support::assert_refused;

#[tokio::test]
async fn each_plan_is_bought_and_unlocks_what_it_says() {
    for (plan, cents, requests) in [("trial", 100, 10), ("monthly", 999, 40), ("annual", 9590, 60)] {
        let town = Town::start().await;
        let bruno = Buyer::new(&town).await;
        assert_eq!(bruno.usage().await, 402);
        bruno.buy(plan).await;
        let status = bruno.status().await;
        assert_eq!((&status["plan_type"], &status["status"]), (&plan.into(), &"active".into()), "{status}");
        assert_eq!(status["payment_pending"], false);
        assert_eq!(status["can_cancel"], plan != "trial");
        let usage = json_of(bruno.person.get("/api/v1/usage").await).await;
        assert_eq!((&usage["plan"], &usage["limits"]["daily_requests"]), (&plan.into(), &requests.into()));
        let me = json_of(bruno.person.get("/api/v1/auth/me").await).await;
        assert_eq!((&me["subscription"]["plan"], &me["subscription"]["status"]), (&plan.into(), &"active".into()));
        assert_eq!(bruno.paid().await, cents);
        town.books_agree().await;
    }
}

#[tokio::test]
async fn the_bank_s_confirmation_can_be_given_or_refused() {
    let town = Town::start().await;
    let bruno = Buyer::new(&town).await;
    let page = bruno.payment_page("monthly").await;
    let asked = bruno.enter(&page, ASKS_TO_CONFIRM, None).await;
    assert_eq!(asked.status(), StatusCode::OK);
    let refused = bruno.enter(&page, ASKS_TO_CONFIRM, Some("no")).await;
    assert_eq!(refused.status(), StatusCode::PAYMENT_REQUIRED, "the form again");
    assert_eq!(bruno.sync().await["status"], "none");
    assert_eq!((bruno.usage().await, bruno.paid().await), (402, 0));
    // Whoever comes back finds the same page and confirms this time.
    assert_eq!(bruno.payment_page("monthly").await, page);
    bruno.buy_with("monthly", ASKS_TO_CONFIRM).await;
    assert_eq!((bruno.usage().await, bruno.paid().await), (200, 999));
    town.books_agree().await;
}

#[tokio::test]
async fn a_card_that_is_declined_takes_nothing_and_another_can_be_tried() {
    let town = Town::start().await;
    let bruno = Buyer::new(&town).await;
    let page = bruno.payment_page("annual").await;
    for card in [DECLINED, EMPTY] {
        assert_eq!(bruno.enter(&page, card, None).await.status(), StatusCode::PAYMENT_REQUIRED, "the form again");
        assert_eq!(bruno.sync().await["status"], "none");
    }
    assert_eq!((bruno.usage().await, bruno.paid().await), (402, 0));
    bruno.buy("annual").await;
    assert_eq!(bruno.paid().await, 9590);
    town.books_agree().await;
}

#[tokio::test]
async fn the_trial_is_had_once() {
    let town = Town::start().await;
    let mut bruno = Buyer::new(&town).await;
    assert_eq!(bruno.status().await["trial_available"], true);
    bruno.buy("trial").await;
    let again = assert_refused(bruno.checkout("trial").await, 409, "trial_used").await;
    assert!(again["detail"].as_str().expect("a sentence").contains("mensile"), "{again}");
    bruno.days(8).await;
    let ended = bruno.status().await;
    assert_eq!((&ended["status"], &ended["trial_available"]), (&"ended".into(), &false.into()));
    assert_eq!(bruno.usage().await, 402, "it ends by itself");
    assert_refused(bruno.checkout("trial").await, 409, "trial_used").await;
    assert_eq!(bruno.paid().await, 100);
}

#[tokio::test]
async fn the_trial_stays_used_for_the_person_whose_account_was_deleted() {
    let town = Town::start().await;
    let mut bruno = Buyer::new(&town).await;
    bruno.buy("trial").await;
    let account = town.app.accounts.by_email(&bruno.email()).await.expect("an account").id;
    let deleted = town.app.store.update(move |transaction| -> Result<(), rimedio::store::StoreError> {
        transaction.delete::<rimedio::account::Account>(&account);
        Ok(())
    });
    deleted.await.expect("the store takes it");
    bruno.person = town.sign_in("bruno").await;
    let again = town.app.accounts.by_email(&bruno.email()).await.expect("a new account").id;
    assert_ne!(again, account);
    assert_refused(bruno.checkout("trial").await, 409, "trial_used").await;
    assert_eq!(bruno.status().await["trial_available"], false);
}

#[tokio::test]
async fn a_plan_bought_during_the_trial_begins_at_once_with_all_its_days() {
    let town = Town::start().await;
    let mut bruno = Buyer::new(&town).await;
    bruno.buy("trial").await;
    bruno.days(2).await;
    bruno.buy("monthly").await;
    let status = bruno.status().await;
    assert_eq!(status["plan_type"], "monthly", "{status}");
    let instant = |field: &str| status[field].as_str().expect("an instant").parse::<Timestamp>().expect("RFC 3339");
    let days = instant("current_period_end").duration_since(instant("current_period_start")).as_hours() / 24;
    assert!((28..=31).contains(&days), "a whole month: {days}");
    assert_eq!(bruno.paid().await, 1099);
    town.books_agree().await;
}

#[tokio::test]
async fn nothing_is_bought_twice() {
    let town = Town::start().await;
    let bruno = Buyer::new(&town).await;
    bruno.buy("monthly").await;
    for plan in ["monthly", "annual", "trial"] {
        let refused = assert_refused(bruno.checkout(plan).await, 409, "plan_active").await;
        assert!(refused["detail"].as_str().is_some_and(|detail| detail.contains("piano")), "{refused}");
    }
    assert_eq!(bruno.paid().await, 999);
}

#[tokio::test]
async fn what_is_paid_while_no_webhook_arrives_is_not_bought_again() {
    let town = Town::start().await;
    town.lose_webhooks();
    let bruno = Buyer::new(&town).await;
    let page = bruno.payment_page("monthly").await;
    assert_eq!(bruno.enter(&page, WORKS, None).await.status(), StatusCode::SEE_OTHER);
    assert_eq!(bruno.status().await["status"], "none", "nobody has told us");
    // Back, and once more on the button: the first checkout is asked about before another is opened.
    assert_refused(bruno.checkout("monthly").await, 409, "plan_active").await;
    assert_eq!(bruno.status().await["is_active"], true);
    assert_eq!(bruno.paid().await, 999);
}

#[tokio::test]
async fn two_hundred_presses_make_one_checkout() {
    let town = Town::start_with(|config| config.limits.account_per_minute = 10_000).await;
    let before = town.checkouts_opened();
    let bruno = Buyer::new(&town).await;
    let presses = (0..200).map(|_| bruno.payment_page("monthly"));
    let mut pages = futures_util::future::join_all(presses).await;
    pages.dedup();
    assert_eq!(pages.len(), 1, "{pages:?}");
    assert_eq!(town.checkouts_opened() - before, 1);
}

#[tokio::test]
async fn another_plan_closes_the_checkout_of_the_first() {
    let town = Town::start().await;
    let bruno = Buyer::new(&town).await;
    let monthly = bruno.payment_page("monthly").await;
    let annual = bruno.payment_page("annual").await;
    assert_ne!(monthly, annual);
    let late = bruno.enter(&monthly, WORKS, None).await;
    assert_ne!(late.status(), StatusCode::SEE_OTHER, "the first page can no longer be paid");
    assert_eq!(bruno.enter(&annual, WORKS, None).await.status(), StatusCode::SEE_OTHER);
    assert_eq!(bruno.sync().await["plan_type"], "annual");
    assert_eq!(bruno.paid().await, 9590);
}

#[tokio::test]
async fn what_cannot_be_ordered_is_refused_in_words() {
    let town = Town::start().await;
    let stranger = town.call(Method::POST, "/api/v1/payment/create-checkout").json(&json!({})).send().await;
    assert_refused(stranger.expect("an answer"), 401, "token_missing").await;
    let new = town.sign_in_for_the_first_time("bruno").await;
    let bruno = Buyer { town: &town, person: new, name: "bruno" };
    assert_refused(bruno.checkout("monthly").await, 403, "consent_required").await;

    let bruno = Buyer::new(&town).await;
    let with = |field: &str, value: Value| {
        let mut order = bruno.order("monthly");
        order[field] = value;
        order
    };
    let own = &town.address;
    let elsewhere = own.replace("127.0.0.1", "127.0.0.1.evil.example");
    let user = own.replace("http://", "http://evil.example@");
    for (field, value, code) in [
        ("plan_type", json!("weekly"), "invalid_input"),
        ("plan_type", json!(""), "invalid_input"),
        ("price_id", json!("price_annual"), "invalid_price_id"),
        ("price_id", json!("price_of_nobody"), "invalid_price_id"),
        ("success_url", json!("https://evil.example/account/subscription"), "invalid_input"),
        ("success_url", json!(elsewhere), "invalid_input"),
        ("success_url", json!(user), "invalid_input"),
        ("success_url", json!("//evil.example/"), "invalid_input"),
        ("success_url", json!("javascript:alert(1)"), "invalid_input"),
        ("cancel_url", json!("/account/subscription"), "invalid_input"),
        ("cancel_url", json!(format!("{own}/{}", "x".repeat(3000))), "invalid_input"),
    ] {
        let refused = bruno.person.post("/api/v1/payment/create-checkout", &with(field, value.clone())).await;
        let body = assert_refused(refused, 422, code).await;
        if code == "invalid_price_id" {
            assert_eq!(body["detail"], "Invalid price_id");
        }
    }
    for price in [Value::Null, json!("price_monthly")] {
        let answer = bruno.person.post("/api/v1/payment/create-checkout", &with("price_id", price)).await;
        assert_eq!(answer.status(), StatusCode::OK);
    }
}

#[tokio::test]
async fn the_test_page_s_checkout_is_there_while_the_key_is_a_test_key_and_unlocks_nothing() {
    let town = Town::start().await;
    let order = |price: &str| {
        let back = format!("{}/stripe-test-simple", town.address);
        json!({ "price_id": price, "success_url": format!("{back}?success=true"), "cancel_url": back })
    };
    let call = |town: &Town, body: &Value| town.call(Method::POST, "/api/v1/payment/create-checkout-test").json(body);
    let opened = call(&town, &order("price_monthly")).send().await.expect("an answer");
    assert_eq!(opened.status(), StatusCode::OK);
    let page = json_of(opened).await["checkout_url"].as_str().expect("an address").to_owned();
    let bruno = Buyer::new(&town).await;
    assert_eq!(bruno.enter(&page, WORKS, None).await.status(), StatusCode::SEE_OTHER);
    assert_eq!(bruno.sync().await["status"], "none");
    let refused = call(&town, &order("price_of_nobody")).send().await.expect("an answer");
    assert_refused(refused, 422, "invalid_price_id").await;
    let about = json_of(town.call(Method::GET, "/api/v1/about").send().await.expect("an answer")).await;
    assert_eq!(about["test_mode"], true);

    let mut live = rimedio::config::Config::from_toml(rimedio::config::EXAMPLE).expect("the example holds");
    live.stripe.secret_key = "sk_live_1234".into();
    let clock = rimedio::clock::Clock::system();
    let store = rimedio::store::Store::in_memory();
    let app = rimedio::app::App::on(store, live, clock).await.expect("the product is built");
    let refused = app.billing.test_checkout("price_by_the_month".into(), String::new(), String::new()).await;
    assert_eq!(refused.expect_err("only with a test key").code(), rimedio::error::Code::NotFound);
}

#[tokio::test]
async fn prices_are_stripe_s_and_the_configured_ones_while_it_is_silent() {
    let monthly = async |town: &Town| {
        let answer = town.call(Method::GET, "/api/v1/payment/prices").send().await.expect("an answer");
        json_of(answer).await["monthly"].clone()
    };
    let town = Town::start().await;
    assert_eq!(monthly(&town).await["price_id"], "price_monthly");
    town.stripe.set_price("price_monthly", 1099);
    assert_eq!(monthly(&town).await["amount"], 9.99, "remembered for a while");
    town.clock.advance(Duration::from_secs(16 * 60));
    assert_eq!(monthly(&town).await["amount"], 10.99);
    town.stripe.set_weather(Weather { offline: true, ..Weather::default() });
    town.clock.advance(Duration::from_secs(16 * 60));
    assert_eq!(monthly(&town).await["amount"], 10.99, "the last that was known");

    let silent = Town::start().await;
    silent.stripe.set_weather(Weather { offline: true, ..Weather::default() });
    silent.stripe.set_price("price_monthly", 1099);
    assert_eq!(monthly(&silent).await["amount"], 9.99, "the configured figure");
}
