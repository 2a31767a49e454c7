//! The whole product under bad weather: webhooks late, lost and out of order while people buy, cancel, come back and
//! get refunds. At the end one sweep, and the books, the access and Stripe agree.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, TestRng, TestRunner};

use super::*;

/// How many stories are told. The pure heart has ten thousand of its own.
const STORIES: usize = 12;

#[derive(Clone, Debug)]
enum Chapter {
    Buy(&'static str),
    Cancel,
    Resume,
    Refund,
    Days(u64),
    Lose,
    Hold,
    Clear,
}

fn chapter() -> impl Strategy<Value = Chapter> {
    prop_oneof![
        3 => prop_oneof![Just("trial"), Just("monthly"), Just("annual")].prop_map(Chapter::Buy),
        1 => Just(Chapter::Cancel),
        1 => Just(Chapter::Resume),
        1 => Just(Chapter::Refund),
        2 => prop_oneof![Just(1_u64), Just(8), Just(33)].prop_map(Chapter::Days),
        1 => Just(Chapter::Lose),
        1 => Just(Chapter::Hold),
        1 => Just(Chapter::Clear),
    ]
}

async fn live(town: &Town, story: &[Chapter]) {
    let mut bruno = Buyer::new(town).await;
    for chapter in story {
        match chapter {
            Chapter::Buy(plan) => {
                let opened = bruno.checkout(plan).await;
                if opened.status() == StatusCode::OK {
                    let page = json_of(opened).await["checkout_url"].as_str().expect("an address").to_owned();
                    bruno.enter(&page, WORKS, None).await;
                }
            }
            Chapter::Cancel => {
                bruno.person.post("/api/v1/payment/cancel-subscription", &Value::Null).await;
            }
            Chapter::Resume => {
                let portal = bruno.person.post("/api/v1/payment/create-portal", &Value::Null).await;
                if portal.status() == StatusCode::OK {
                    let address = json_of(portal).await["portal_url"].as_str().expect("an address").to_owned();
                    town.visit(Method::POST, &format!("{address}/resume")).send().await.expect("an answer");
                }
            }
            Chapter::Refund => {
                let account = town.app.accounts.by_email(&bruno.email()).await.expect("an account").id;
                let lines = town.app.billing.ledger().of(account).await.expect("lines");
                if let Some((_, line)) = lines.last() {
                    // What was paid back before cannot be paid back again.
                    let _ = town.stripe.refund(&line.charge, line.cents.abs());
                }
            }
            Chapter::Days(days) => bruno.days(*days).await,
            Chapter::Lose => town.lose_webhooks(),
            Chapter::Hold => town.stripe.set_weather(Weather { delay_webhooks: true, ..Weather::default() }),
            Chapter::Clear => town.fair_weather(),
        }
    }
    town.fair_weather();
    // Twice: what the first sweep ends at Stripe makes news of its own.
    for _ in 0..2 {
        town.clock.advance(Duration::from_secs(3_600));
        town.app.billing.sweep().await.expect("Stripe answers");
    }
    let swept = bruno.status().await;
    let synced = bruno.sync().await;
    assert_eq!(swept, synced, "asking once more tells nothing new: {story:?}");
    town.books_agree().await;
    // Anna's and Carla's run from the beginning to the end.
    let runs = town.stripe.subscriptions_with_status("active") - 2;
    assert!(runs <= 1, "nobody pays twice: {story:?}");
    let renews = synced["is_active"] == true && synced["plan_type"] != "trial";
    assert_eq!(runs == 1, renews, "who pays is let in, and who does not is not: {synced} {story:?}");
    assert_eq!(bruno.usage().await, if synced["is_active"] == true { 200 } else { 402 });
}

#[tokio::test]
async fn whatever_is_lost_or_late_one_sweep_sets_right() {
    let seed = [7; 32];
    let rng = TestRng::from_seed(proptest::test_runner::RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let strategy = prop::collection::vec(chapter(), 3..9);
    for _ in 0..STORIES {
        let story = strategy.new_tree(&mut runner).expect("a story").current();
        let town = Town::start().await;
        live(&town, &story).await;
    }
}

#[tokio::test]
async fn a_customer_that_stripe_no_longer_knows_is_made_anew() {
    let town = Town::start().await;
    let bruno = Buyer::new(&town).await;
    bruno.payment_page("monthly").await;
    town.stripe.forget_customers();
    assert_eq!(bruno.sync().await["status"], "none", "nothing is broken by it");
    bruno.buy("annual").await;
    assert_eq!((bruno.usage().await, bruno.paid().await), (200, 9590));
}

#[tokio::test]
async fn nobody_buys_twice_because_no_news_has_come() {
    let town = Town::start().await;
    let mut bruno = Buyer::new(&town).await;
    bruno.buy("monthly").await;
    let cancelled = bruno.person.post("/api/v1/payment/cancel-subscription", &Value::Null).await;
    assert_eq!(cancelled.status(), StatusCode::OK);
    // Resumed on the portal in the last hour; nobody tells, and the plan seems to have ended.
    let portal = bruno.portal().await;
    town.lose_webhooks();
    town.visit(Method::POST, &format!("{portal}/resume")).send().await.expect("an answer");
    bruno.days(32).await;
    assert_eq!(bruno.usage().await, 402);
    crate::support::assert_refused(bruno.checkout("monthly").await, 409, "plan_active").await;
    assert_eq!((bruno.usage().await, bruno.paid().await), (200, 2 * 999), "asking has set it right");
}

#[tokio::test]
async fn what_waits_to_be_paid_is_not_bought_beside_because_of_a_gift() {
    let town = Town::start().await;
    let mut bruno = Buyer::new(&town).await;
    bruno.buy_with("monthly", FAILS_LATER).await;
    bruno.days(31).await;
    bruno.until("status", "past_due").await;
    bruno.days(4).await;
    let account = town.app.accounts.by_email(&bruno.email()).await.expect("an account").id;
    town.app.subscriptions.grant(account, rimedio::billing::Plan::Annual, 365).await.expect("a gift");
    bruno.sync().await;
    crate::support::assert_refused(bruno.checkout("annual").await, 409, "plan_active").await;
}

#[tokio::test]
async fn a_price_that_was_wrong_and_is_set_right_keeps_nobody_out() {
    let town = Town::start().await;
    let bruno = Buyer::new(&town).await;
    town.stripe.set_price_active("price_monthly", false);
    crate::support::assert_refused(bruno.checkout("monthly").await, 502, "provider_failed").await;
    town.stripe.set_price_active("price_monthly", true);
    bruno.buy("monthly").await;
    assert_eq!(bruno.paid().await, 999);
}

#[tokio::test]
async fn a_customer_made_before_a_crash_is_found_again_and_not_made_twice() {
    let town = Town::start().await;
    let bruno = Buyer::new(&town).await;
    let account = town.app.accounts.by_email(&bruno.email()).await.expect("an account").id;
    let made = town.stripe.customer(&bruno.email(), &[("rimedio_account", &account.to_string())]);
    let before = town.stripe.count("customer");
    bruno.buy("monthly").await;
    assert_eq!(town.stripe.count("customer"), before);
    assert!(town.stripe.events().iter().any(|event| event["data"]["object"]["customer"] == made.as_str()));
}
