//! How a plan ends: cancelled, resumed, withdrawn from, paid back, disputed.

use super::*;
use crate::support::assert_refused;

impl Buyer<'_> {
    /// The last charge of this person, by Stripe's name.
    async fn last_charge(&self) -> String {
        let account = self.town.app.accounts.by_email(&self.email()).await.expect("an account").id;
        let lines = self.town.app.billing.ledger().of(account).await.expect("lines");
        lines.last().expect("a payment").1.charge.clone()
    }
}

#[tokio::test]
async fn what_is_cancelled_lasts_to_its_end_and_no_longer() {
    let town = Town::start().await;
    let mut bruno = Buyer::new(&town).await;
    let nothing = bruno.person.post("/api/v1/payment/cancel-subscription", &Value::Null).await;
    assert_refused(nothing, 409, "no_subscription").await;
    bruno.buy("monthly").await;
    for _ in 0..2 {
        let cancelled = bruno.person.post("/api/v1/payment/cancel-subscription", &Value::Null).await;
        assert_eq!(cancelled.status(), StatusCode::OK, "twice is once");
        let status = json_of(cancelled).await;
        assert_eq!((&status["cancel_at_period_end"], &status["can_cancel"]), (&true.into(), &false.into()));
        assert_eq!(status["access_until"], status["current_period_end"], "no grace for what is not to be paid");
    }
    let me = json_of(bruno.person.get("/api/v1/auth/me").await).await;
    assert_eq!(me["subscription"]["cancel_at_period_end"], true);
    bruno.days(27).await;
    assert_eq!(bruno.usage().await, 200);
    bruno.days(5).await;
    assert_eq!((bruno.usage().await, bruno.paid().await), (402, 999));
    bruno.until("can_manage", false).await;
    town.books_agree().await;
}

#[tokio::test]
async fn what_was_cancelled_can_be_resumed_on_the_portal() {
    let town = Town::start().await;
    let mut bruno = Buyer::new(&town).await;
    let nothing = bruno.person.post("/api/v1/payment/create-portal", &Value::Null).await;
    assert_refused(nothing, 409, "no_subscription").await;
    bruno.buy("monthly").await;
    let portal = bruno.portal().await;
    for (path, cancelling) in [("cancel", true), ("resume", false)] {
        let answer = town.visit(Method::POST, &format!("{portal}/{path}")).send().await.expect("an answer");
        assert_eq!(answer.status(), StatusCode::SEE_OTHER);
        bruno.until("cancel_at_period_end", cancelling).await;
    }
    bruno.days(31).await;
    bruno.until("status", "active").await;
    bruno.sync().await;
    assert_eq!((bruno.usage().await, bruno.paid().await), (200, 2 * 999));
    town.books_agree().await;
}

#[tokio::test]
async fn another_plan_is_chosen_on_the_portal() {
    let town = Town::start().await;
    let bruno = Buyer::new(&town).await;
    bruno.buy("monthly").await;
    let portal = bruno.portal().await;
    let form = [("price", "price_annual")];
    let answer = town.visit(Method::POST, &format!("{portal}/plan")).form(&form).send().await.expect("an answer");
    assert_eq!(answer.status(), StatusCode::SEE_OTHER);
    bruno.until("plan_type", "annual").await;
    let usage = json_of(bruno.person.get("/api/v1/usage").await).await;
    assert_eq!(usage["limits"]["daily_requests"], 60);
    bruno.sync().await;
    // The seconds since the purchase may cost a cent.
    let paid = bruno.paid().await;
    assert!((9590..=9591).contains(&paid), "the month just begun counts towards the year: {paid}");
    town.books_agree().await;
}

#[tokio::test]
async fn a_withdrawal_pays_back_what_was_not_used_right_to_the_cent() {
    for (plan, days, kept) in
        [("monthly", 0, 0), ("monthly", 3, 3), ("annual", 3, 3), ("monthly", 14, 14), ("trial", 3, 3)]
    {
        let town = Town::start().await;
        let mut bruno = Buyer::new(&town).await;
        bruno.buy(plan).await;
        bruno.days(days).await;
        let offers = bruno.offers().await;
        let [offer] = offers.as_slice() else { panic!("one contract: {offers:?}") };
        let number = |field: &str| offer[field].as_i64().expect("a number");
        assert_eq!(number("days_used"), kept);
        let expected = number("paid_cents") - number("paid_cents") * kept / number("days_total");
        assert_eq!(number("refund_cents"), expected, "{offer}");
        let receipt = bruno.withdraw(&offer["contract"]).await;
        assert_eq!(receipt.status(), StatusCode::OK);
        let receipt = json_of(receipt).await;
        assert_eq!((&receipt["refund_cents"], &receipt["refund_status"]), (&expected.into(), &"done".into()));
        assert_eq!((&receipt["name"], &receipt["plan"]), (&"Bruno Conti".into(), &plan.into()));
        assert_eq!(bruno.usage().await, 402, "the plan is over at once");
        assert_eq!(bruno.status().await["status"], "ended");
        assert_eq!(bruno.paid().await, number("paid_cents") - expected);
        town.books_agree().await;
        // Declared again, the first receipt is given again and nothing is paid back twice.
        let again = json_of(bruno.withdraw(&offer["contract"]).await).await;
        assert_eq!(again["receipt"], receipt["receipt"]);
        assert_eq!(bruno.paid().await, number("paid_cents") - expected);
        let kept = json_of(bruno.person.get("/api/v1/payment/withdrawal").await).await;
        assert_eq!((&kept["contracts"], &kept["receipts"][0]), (&json!([]), &receipt));
        // Nothing renews what is over.
        bruno.days(40).await;
        town.app.billing.sweep().await.expect("Stripe answers");
        assert_eq!(bruno.usage().await, 402);
        town.books_agree().await;
    }
}

#[tokio::test]
async fn who_did_not_ask_for_an_immediate_start_gets_everything_back() {
    let town = Town::start().await;
    let mut bruno = Buyer::new(&town).await;
    let mut order = bruno.order("monthly");
    order["immediate_start"] = false.into();
    let answer = json_of(bruno.person.post("/api/v1/payment/create-checkout", &order).await).await;
    bruno.enter(answer["checkout_url"].as_str().expect("an address"), WORKS, None).await;
    bruno.sync().await;
    assert_eq!(bruno.usage().await, 200);
    bruno.days(10).await;
    let offer = bruno.offers().await.remove(0);
    assert_eq!((&offer["refund_cents"], &offer["immediate_start"]), (&999.into(), &false.into()));
    bruno.withdraw(&offer["contract"]).await;
    assert_eq!(bruno.paid().await, 0);
    town.books_agree().await;
}

#[tokio::test]
async fn on_the_fifteenth_day_it_is_too_late_and_nobody_else_withdraws() {
    let town = Town::start().await;
    let mut bruno = Buyer::new(&town).await;
    bruno.buy("monthly").await;
    let contract = bruno.offers().await.remove(0)["contract"].clone();
    let anna = Buyer::named(&town, "anna").await;
    assert_refused(anna.withdraw(&contract).await, 404, "not_found").await;
    assert_refused(bruno.withdraw(&"sub_of_nobody".into()).await, 404, "not_found").await;
    let nameless = json!({ "contract": contract, "name": "  ", "address": "b" });
    let refused = bruno.person.post("/api/v1/payment/withdrawal", &nameless).await;
    assert_refused(refused, 422, "invalid_input").await;
    bruno.days(15).await;
    assert_eq!(bruno.offers().await, Vec::<Value>::new());
    assert_refused(bruno.withdraw(&contract).await, 409, "withdrawal_over").await;
    assert_eq!((bruno.usage().await, bruno.paid().await), (200, 999));
}

#[tokio::test]
async fn a_withdrawal_holds_although_stripe_is_silent_and_the_money_follows_once() {
    let town = Town::start().await;
    let bruno = Buyer::new(&town).await;
    bruno.buy("monthly").await;
    let contract = bruno.offers().await.remove(0)["contract"].clone();
    town.stripe.set_weather(Weather { offline: true, ..Weather::default() });
    let receipt = json_of(bruno.withdraw(&contract).await).await;
    assert_eq!(receipt["refund_status"], "pending");
    assert_eq!((bruno.usage().await, bruno.status().await["status"].clone()), (402, "ended".into()));
    town.fair_weather();
    for _ in 0..3 {
        town.clock.advance(Duration::from_secs(2 * 3_600));
        town.app.billing.sweep().await.expect("Stripe answers");
    }
    assert_eq!(bruno.paid().await, 0, "day 0: everything comes back");
    // A crash came between the refund and its note, and Stripe has long forgotten its idempotency keys.
    let account = town.app.accounts.by_email(&bruno.email()).await.expect("an account").id;
    let key = (account, contract.as_str().expect("an id").to_owned());
    let forget = key.clone();
    let forgotten = town.app.store.update(move |transaction| -> Result<(), rimedio::store::StoreError> {
        let mut withdrawal = transaction.get::<rimedio::billing::Withdrawal>(&forget)?.expect("a withdrawal");
        withdrawal.carried_out = false;
        transaction.put(&forget, &withdrawal)
    });
    forgotten.await.expect("the store takes it");
    town.clock.advance(Duration::from_secs(25 * 3_600));
    bruno.sync().await;
    assert_eq!(bruno.paid().await, 0, "paid back once");
    let receipts = json_of(bruno.person.get("/api/v1/payment/withdrawal").await).await;
    assert_eq!(receipts["receipts"][0]["refund_status"], "done");
    town.books_agree().await;
}

#[tokio::test]
async fn a_refund_that_fails_is_told_and_tried_again() {
    let town = Town::start().await;
    let bruno = Buyer::new(&town).await;
    bruno.buy("monthly").await;
    let contract = bruno.offers().await.remove(0)["contract"].clone();
    bruno.withdraw(&contract).await;
    assert_eq!(bruno.paid().await, 0);
    let account = town.app.accounts.by_email(&bruno.email()).await.expect("an account").id;
    let refunds = async || {
        let lines = town.app.billing.ledger().of(account).await.expect("lines");
        let refunds = lines.into_iter().filter(|(_, line)| line.kind == rimedio::billing::ledger::Kind::Refund);
        refunds.map(|(id, line)| (id, line.cents)).collect::<Vec<_>>()
    };
    let first = refunds().await.remove(0).0;
    town.stripe.fail_refund(&first).expect("it can fail");
    let begun = std::time::Instant::now();
    while refunds().await.len() < 2 {
        assert!(begun.elapsed() < PATIENCE, "it was tried again");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    bruno.sync().await;
    let mut lines = refunds().await;
    lines.sort_by_key(|(_, cents)| *cents);
    assert_eq!((lines.len(), lines[0].1, lines[1].1), (2, -999, 0), "{lines:?}");
    let receipts = json_of(bruno.person.get("/api/v1/payment/withdrawal").await).await;
    assert_eq!(receipts["receipts"][0]["refund_status"], "done");
    town.books_agree().await;
}

#[tokio::test]
async fn a_withdrawal_leaves_what_the_operator_gave() {
    let town = Town::start().await;
    let bruno = Buyer::new(&town).await;
    bruno.buy("monthly").await;
    let account = town.app.accounts.by_email(&bruno.email()).await.expect("an account").id;
    town.app.subscriptions.grant(account, rimedio::billing::Plan::Annual, 365).await.expect("a gift");
    assert_eq!(bruno.status().await["plan_type"], "monthly", "what is paid goes before");
    let contract = bruno.offers().await.remove(0)["contract"].clone();
    town.stripe.set_weather(Weather { offline: true, ..Weather::default() });
    bruno.withdraw(&contract).await;
    assert_eq!((bruno.status().await["plan_type"].clone(), bruno.usage().await), ("annual".into(), 200));
}

#[tokio::test]
async fn a_refund_of_the_payment_ends_the_plan_here_and_at_stripe() {
    for plan in ["trial", "monthly"] {
        let town = Town::start().await;
        let mut bruno = Buyer::new(&town).await;
        bruno.buy(plan).await;
        let (charge, cents) = (bruno.last_charge().await, bruno.paid().await);
        town.stripe.refund(&charge, 40).expect("a part can be paid back");
        bruno.sync().await;
        assert_eq!((bruno.usage().await, bruno.paid().await), (200, cents - 40), "a part of it ends nothing");
        town.stripe.refund(&charge, cents - 40).expect("the rest can be paid back");
        bruno.until("is_active", false).await;
        assert_eq!((bruno.usage().await, bruno.paid().await), (402, 0));
        // Nobody charges a person whose plan is over.
        bruno.days(40).await;
        bruno.sync().await;
        assert_eq!((bruno.usage().await, bruno.paid().await), (402, 0));
        town.books_agree().await;
    }
}

#[tokio::test]
async fn a_dispute_takes_the_money_and_only_when_it_is_lost_the_plan() {
    for won in [true, false] {
        let town = Town::start().await;
        let bruno = Buyer::new(&town).await;
        bruno.buy("monthly").await;
        let dispute = town.stripe.dispute(&bruno.last_charge().await).expect("it can be disputed");
        bruno.sync().await;
        assert_eq!((bruno.usage().await, bruno.paid().await), (200, 0));
        town.stripe.close_dispute(&dispute, won).expect("it can be closed");
        bruno.until("is_active", won).await;
        bruno.sync().await;
        assert_eq!(bruno.paid().await, if won { 999 } else { 0 });
        town.books_agree().await;
    }
}
