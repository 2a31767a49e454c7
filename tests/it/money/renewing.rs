//! Month after month: renewals, cards that fail, banks that want a confirmation, and the grace.

use super::*;

#[tokio::test]
async fn a_plan_renews_itself_and_the_webhook_says_so() {
    let town = Town::start().await;
    let mut bruno = Buyer::new(&town).await;
    bruno.buy("monthly").await;
    let first = bruno.status().await["current_period_end"].clone();
    for renewals in 1..=2 {
        bruno.days(31).await;
        let begun = std::time::Instant::now();
        while bruno.paid().await != 999 * (1 + renewals) {
            assert!(begun.elapsed() < PATIENCE, "the renewal was never heard of");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let status = bruno.until("status", "active").await;
        assert_ne!(status["current_period_end"], first);
        assert_eq!(bruno.usage().await, 200);
    }
    bruno.sync().await;
    town.books_agree().await;
}

#[tokio::test]
async fn a_renewal_that_the_bank_must_confirm_keeps_the_grace_and_comes_right() {
    let town = Town::start().await;
    let mut bruno = Buyer::new(&town).await;
    bruno.buy_with("monthly", ASKS_TO_CONFIRM).await;
    bruno.days(31).await;
    let late = bruno.until("status", "past_due").await;
    assert_eq!((&late["payment_problem"], &late["is_active"]), (&"bank_confirmation".into(), &true.into()), "{late}");
    let me = json_of(bruno.person.get("/api/v1/auth/me").await).await;
    assert_eq!(me["subscription"]["status"], "past_due");
    assert_eq!(bruno.usage().await, 200, "the grace");
    // Stripe does not try again by itself: without the person it stays like this, and the grace ends.
    bruno.days(3).await;
    assert_eq!(bruno.usage().await, 402);
    let over = bruno.status().await;
    assert_eq!((&over["status"], &over["payment_problem"]), (&"ended".into(), &"bank_confirmation".into()));
    let page = over["pay_url"].as_str().expect("the invoice's page").to_owned();
    let asked = bruno.enter(&page, ASKS_TO_CONFIRM, None).await;
    assert_eq!(asked.status(), StatusCode::OK, "the bank's question");
    bruno.enter(&page, ASKS_TO_CONFIRM, Some("yes")).await;
    let paid = bruno.until("status", "active").await;
    assert!(paid.get("payment_problem").is_none() && paid.get("pay_url").is_none(), "{paid}");
    assert_eq!((bruno.usage().await, bruno.paid().await), (200, 2 * 999));
    town.books_agree().await;
}

#[tokio::test]
async fn a_renewal_that_fails_has_its_grace_and_its_end() {
    let town = Town::start().await;
    let mut bruno = Buyer::new(&town).await;
    bruno.buy_with("monthly", FAILS_LATER).await;
    bruno.days(31).await;
    let late = bruno.until("status", "past_due").await;
    assert_eq!(late["payment_problem"], "payment_failed", "{late}");
    assert_eq!(late["can_manage"], true);
    assert_eq!(bruno.usage().await, 200, "the grace");
    bruno.days(3).await;
    assert_eq!(bruno.usage().await, 402, "three days and no more");
    // A second plan beside the one that waits to be paid would be charged twice one day.
    let refused = crate::support::assert_refused(bruno.checkout("monthly").await, 409, "plan_active").await;
    assert!(refused["detail"].as_str().is_some_and(|it| it.contains("aspetta un pagamento")), "{refused}");
    // Stripe tries for a while, then gives up; after that a new plan can be bought.
    bruno.days(20).await;
    let ended = bruno.until("can_manage", false).await;
    assert_eq!((&ended["status"], bruno.usage().await), (&"ended".into(), 402));
    assert_eq!(bruno.paid().await, 999);
    bruno.buy("monthly").await;
    assert_eq!((bruno.usage().await, bruno.paid().await), (200, 2 * 999));
    town.books_agree().await;
}

#[tokio::test]
async fn what_fails_can_be_paid_with_another_card_on_the_invoice_s_page() {
    let town = Town::start().await;
    let mut bruno = Buyer::new(&town).await;
    bruno.buy_with("annual", FAILS_LATER).await;
    bruno.days(366).await;
    let late = bruno.until("status", "past_due").await;
    let page = late["pay_url"].as_str().expect("the invoice's page").to_owned();
    bruno.enter(&page, WORKS, None).await;
    bruno.until("status", "active").await;
    assert_eq!((bruno.usage().await, bruno.paid().await), (200, 2 * 9590));
    town.books_agree().await;
}

#[tokio::test]
async fn without_a_webhook_the_sweep_learns_of_the_renewal() {
    let town = Town::start().await;
    let mut bruno = Buyer::new(&town).await;
    bruno.buy("monthly").await;
    town.lose_webhooks();
    bruno.days(31).await;
    assert_eq!((bruno.usage().await, bruno.paid().await), (200, 999), "nobody is locked out for want of news");
    let swept = town.app.billing.sweep().await.expect("Stripe answers");
    assert!(swept.asked >= 1 && swept.failed == 0, "{swept:?}");
    assert_eq!(bruno.paid().await, 2 * 999);
    town.books_agree().await;
}

#[tokio::test]
async fn stripe_out_of_reach_changes_nobody_s_access_until_the_grace_is_over() {
    let town = Town::start().await;
    let mut bruno = Buyer::new(&town).await;
    bruno.buy("monthly").await;
    town.stripe.set_weather(Weather { offline: true, lose_webhooks: true, ..Weather::default() });
    let synced = bruno.person.post("/api/v1/payment/sync-subscription", &Value::Null).await;
    crate::support::assert_refused(synced, 502, "provider_failed").await;
    let refused = bruno.person.post("/api/v1/payment/create-portal", &Value::Null).await;
    crate::support::assert_refused(refused, 502, "provider_failed").await;
    assert!(town.app.billing.sweep().await.is_err());
    bruno.days(32).await;
    assert!(town.app.billing.sweep().await.is_err());
    assert_eq!(bruno.usage().await, 200, "the last known period and its grace");
    bruno.days(3).await;
    assert_eq!(bruno.usage().await, 402);
    town.fair_weather();
    let swept = town.app.billing.sweep().await.expect("Stripe answers again");
    assert!(swept.asked >= 1, "{swept:?}");
    assert_eq!((bruno.usage().await, bruno.paid().await), (200, 2 * 999), "it had been paid all the time");
    town.books_agree().await;
}
