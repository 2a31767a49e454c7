//! The stand-in for Stripe, over real HTTP: every object is read through the types of the client that the product
//! uses, cards are entered in the pages as a browser does, and time moves with the clock.

mod counter;
mod localstripe;
mod surroundings;

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reqwest::Method;
use reqwest::header::{CONTENT_SECURITY_POLICY, LOCATION};
use rimedio::clock::Clock;
use rimedio::demo::{StandInError, StripeStandIn, Weather};
use stripe::{ClientBuilder, IdempotencyKey, RequestStrategy, StripeError, StripeRequest as _};
use stripe_billing::billing_portal_session::CreateBillingPortalSession;
use stripe_billing::invoice::RetrieveInvoice;
use stripe_billing::subscription::{CancelSubscription, RetrieveSubscription, UpdateSubscription};
use stripe_billing::{InvoiceStatus, SubscriptionStatus};
use stripe_checkout::checkout_session::{ExpireCheckoutSession, ListCheckoutSession, RetrieveCheckoutSession};
use stripe_checkout::{CheckoutSessionMode, CheckoutSessionStatus};
use stripe_core::PaymentIntentStatus;
use stripe_core::customer::{CreateCustomer, ListCustomer, RetrieveCustomer, SearchCustomer};
use stripe_core::payment_intent::RetrievePaymentIntent;
use stripe_core::refund::{CreateRefund, ListRefund};
use stripe_product::price::{ListPrice, RetrievePrice};

use self::counter::{Counter, settings};

const WORKS: &str = "4242 4242 4242 4242";
const ASKS_TO_CONFIRM: &str = "4000002500003155";
const DECLINED: &str = "4000 0000 0000 0002";
const EMPTY: &str = "4000 0000 0000 9995";
const FAILS_LATER: &str = "4000 0000 0000 0341";

/// The status and the code with which a call failed.
fn refusal<T: std::fmt::Debug>(result: Result<T, StripeError>) -> (u16, String) {
    match result {
        Err(StripeError::Stripe(error, status)) => {
            (status, error.code.map(|code| code.to_string()).unwrap_or_default())
        }
        other => panic!("a refusal of Stripe, not {other:?}"),
    }
}

#[test]
fn a_key_that_could_move_money_is_refused() {
    let mut settings = settings("http://127.0.0.1:1".into());
    settings.secret_key = "sk_live_0123456789".into();
    let refused = StripeStandIn::new(settings, Clock::system());
    assert!(matches!(refused, Err(StandInError::NoTestKey)));
}

#[tokio::test]
async fn customers_and_prices_are_found_as_stripe_finds_them() {
    let counter = Counter::open().await;
    let id = counter.customer().await;
    let held = RetrieveCustomer::new(id.as_str()).send(&counter.client).await;
    held.expect("the customer");
    let query = r"metadata['user']:'it\'s 1' AND email:'anna@example.com'";
    let found = SearchCustomer::new(query).send(&counter.client).await.expect("a result");
    assert_eq!(found.data[0].id.as_str(), id);
    let none = SearchCustomer::new("metadata['user']:'2'").send(&counter.client).await.expect("a result");
    assert!(none.data.is_empty());
    let listed = ListCustomer::new().email("anna@example.com").send(&counter.client).await.expect("a list");
    assert_eq!(listed.data.len(), 1);
    let price = RetrievePrice::new("price_monthly").expand(["product".into()]).send(&counter.client).await;
    let price = price.expect("the price");
    assert_eq!(price.unit_amount, Some(990));
    assert_eq!(price.product.as_object().expect("the product").name, "Rimedio Mensile");
    let prices = ListPrice::new().active(true).send(&counter.client).await.expect("a list");
    assert_eq!(prices.data.len(), 3);
    assert!(counter.stripe.calls().contains(&("GET".into(), "/v1/prices/price_monthly".into())));
}

#[tokio::test]
async fn a_subscription_is_bought_in_the_page_and_every_object_can_be_read() {
    let counter = Counter::open().await;
    let customer = counter.customer().await;
    let session = counter.session(&customer, "price_monthly").await;
    let path = format!("/c/pay/{}", session.id);
    assert_eq!(session.url.as_deref(), Some(format!("{}{path}", counter.address).as_str()));
    let page = counter.page(&format!("{path}?card=4242")).await;
    for expected in ["Rimedio Mensile", "9,90 €", WORKS, "non si muove denaro", "canceled=true&amp;x=1", "<main>"] {
        assert!(page.contains(expected), "{expected} in {page}");
    }
    let paid = counter.post(&path, &[("number", WORKS)]).await;
    assert_eq!(paid.status(), 303);
    let back = format!("https://rimedio.example/account?session={}", session.id);
    assert_eq!(paid.headers()[LOCATION], back.as_str());
    let again = counter.post(&path, &[("number", WORKS)]).await;
    assert_eq!(again.headers()[LOCATION], back.as_str());
    assert!(counter.page(&path).await.contains("Hai già pagato"));

    let expand = ["line_items".into(), "subscription.latest_invoice".into(), "invoice".into()];
    let session = RetrieveCheckoutSession::new(session.id).expand(expand).send(&counter.client).await;
    let session = session.expect("the session");
    assert_eq!(session.status, Some(CheckoutSessionStatus::Complete));
    assert!(session.line_items.is_some() && session.invoice.expect("an invoice").as_object().is_some());
    let listed = ListCheckoutSession::new().customer(customer.as_str()).send(&counter.client).await.expect("a list");
    assert_eq!(listed.data.len(), 1);
    let subscription = counter.subscription(&customer).await;
    assert_eq!(subscription.status, SubscriptionStatus::Active);
    let latest = subscription.latest_invoice.expect("an invoice");
    assert_eq!(latest.as_object().expect("expanded").status, Some(InvoiceStatus::Paid));
    let retrieved = RetrieveSubscription::new(subscription.id.clone()).send(&counter.client).await;
    assert_eq!(retrieved.expect("the subscription").items.data.len(), 1);
    let invoices = counter.invoices(&customer).await;
    let invoice = RetrieveInvoice::new(invoices[0].id.clone().expect("an id"));
    let invoice = invoice.expand(["payments.data.payment.payment_intent".to_owned()]).send(&counter.client).await;
    let payments = invoice.expect("the invoice").payments.expect("payments");
    let intent = payments.data[0].payment.payment_intent.as_ref().expect("an intent");
    assert_eq!(intent.as_object().expect("expanded").status, PaymentIntentStatus::Succeeded);
    let parent = invoices[0].parent.as_ref().and_then(|parent| parent.subscription_details.as_ref());
    assert_eq!(parent.expect("a subscription").subscription.id(), &subscription.id);
    assert_eq!(counter.charges(&customer).await[0].amount, 990);
    let portal = CreateBillingPortalSession::new().customer(customer).return_url("https://rimedio.example/account");
    portal.send(&counter.client).await.expect("a session of the portal");
    let order = [
        "customer.subscription.created",
        "invoice.created",
        "charge.succeeded",
        "payment_intent.succeeded",
        "invoice.paid",
        "checkout.session.completed",
    ];
    assert!(order.iter().all(|event| counter.happened(event) == 1));
}

#[tokio::test]
async fn cards_behave_as_stripe_documents_them() {
    let counter = Counter::open().await;
    let customer = counter.customer().await;
    let session = counter.session(&customer, "price_trial").await;
    let path = format!("/c/pay/{}", session.id);
    for (number, sentence) in [
        (DECLINED, "La carta è stata rifiutata"),
        (EMPTY, "non ci sono abbastanza soldi"),
        ("1234", "Questo numero non è tra le carte di prova"),
    ] {
        let refused = counter.post(&path, &[("number", number)]).await;
        assert_eq!(refused.status(), 402);
        let page = refused.text().await.expect("a page");
        assert!(page.contains(sentence) && page.contains(r#"role="alert""#), "{page}");
    }
    let question = counter.post(&path, &[("number", ASKS_TO_CONFIRM)]).await;
    let policy = question.headers()[CONTENT_SECURITY_POLICY].to_str().expect("ASCII").to_owned();
    assert!(policy.contains("form-action 'self' https://rimedio.example;"), "{policy}");
    let question = question.text().await.expect("a page");
    assert!(question.contains("Conferma") && question.contains("Rifiuta"));
    let refused = counter.post(&path, &[("number", ASKS_TO_CONFIRM), ("answer", "no")]).await;
    assert!(refused.text().await.expect("a page").contains("non è stato confermato"));
    assert!(counter.charges(&customer).await.is_empty());
    let confirmed = counter.post(&path, &[("number", ASKS_TO_CONFIRM), ("answer", "yes")]).await;
    assert_eq!(confirmed.status(), 303);
    let session = RetrieveCheckoutSession::new(session.id).send(&counter.client).await.expect("the session");
    let intent = session.payment_intent.expect("an intent").id().clone();
    let intent = RetrievePaymentIntent::new(intent).send(&counter.client).await.expect("the intent");
    assert_eq!(intent.status, PaymentIntentStatus::Succeeded);
    assert_eq!(counter.stripe.taken_cents(Timestamp::UNIX_EPOCH, Timestamp::MAX), 100);
}

#[tokio::test]
async fn a_key_is_good_for_one_request() {
    let counter = Counter::open().await;
    let strategy = || RequestStrategy::Idempotent(IdempotencyKey::new("once").expect("a key"));
    let create = |email: &str| CreateCustomer::new().email(email).customize().request_strategy(strategy());
    let first = create("a@example.com").send(&counter.client).await.expect("a customer");
    let second = create("a@example.com").send(&counter.client).await.expect("the same customer");
    assert_eq!(first.id, second.id);
    let (status, body) = counter.raw(Method::POST, "/v1/customers", Some("once"), &[("email", "b@example.com")]).await;
    assert_eq!((status, &body["error"]["type"]), (400, &"idempotency_error".into()));
    assert_eq!(counter.happened("customer.created"), 1);
}

#[tokio::test]
async fn lists_come_in_pages_with_the_newest_first() {
    let counter = Counter::open().await;
    let ids: Vec<_> = (0..5).map(|_| counter.stripe.customer("a@example.com", &[])).collect();
    let first = ListCustomer::new().limit(2).send(&counter.client).await.expect("a page");
    assert!(first.has_more && first.data[0].id.as_str() == ids[4] && first.data[1].id.as_str() == ids[3]);
    let second = ListCustomer::new().limit(3).starting_after(ids[3].as_str()).send(&counter.client).await;
    let second = second.expect("a page");
    assert!(!second.has_more && second.data.len() == 3 && second.data[2].id.as_str() == ids[0]);
    let (_, before) =
        counter.raw(Method::GET, &format!("/v1/customers?ending_before={}&limit=2", ids[1]), None, &[]).await;
    assert!(before["has_more"] == true && before["data"][1]["id"] == ids[2].as_str());
    let now = counter.clock.now().as_second();
    let (_, events) = counter.raw(Method::GET, &format!("/v1/events?created[gte]={}", now - 60), None, &[]).await;
    assert_eq!(events["data"].as_array().map(Vec::len), Some(5));
    let (_, events) = counter.raw(Method::GET, &format!("/v1/events?created[gte]={}", now + 60), None, &[]).await;
    assert_eq!(events["data"].as_array().map(Vec::len), Some(0));
    assert_eq!(counter.raw(Method::GET, "/v1/customers?limit=101", None, &[]).await.0, 400);
}

#[tokio::test]
async fn what_stripe_refuses_is_refused() {
    let counter = Counter::open().await;
    let (client, customer) = (&counter.client, counter.customer().await);
    let missing = RetrieveCustomer::new("cus_nobody").send(client).await;
    assert_eq!(refusal(missing), (404, "resource_missing".into()));
    let stranger = ClientBuilder::new("sk_test_other").url(format!("{}/", counter.address)).build().expect("a client");
    assert_eq!(refusal(ListPrice::new().send(&stranger).await).0, 401);
    let session = counter.session_for(&customer, "price_nothing").send(client).await;
    assert_eq!(refusal(session), (400, "resource_missing".into()));
    let once = counter.session_for(&customer, "price_monthly").mode(CheckoutSessionMode::Payment).send(client).await;
    assert_eq!(refusal(once).0, 400);
    let script = counter.session_for(&customer, "price_trial").success_url("javascript:alert(1)").send(client).await;
    assert_eq!(refusal(script), (400, "url_invalid".into()));
    let deep = "/v1/invoices?expand[]=data.payments.data.payment.payment_intent";
    assert_eq!(counter.raw(Method::GET, deep, None, &[]).await.0, 400);
    let (status, body) = counter.raw(Method::POST, "/v1/customers", None, &[("emial", "a@example.com")]).await;
    assert_eq!((status, &body["error"]["code"]), (400, &"parameter_unknown".into()));
    let complete = counter.buy(&customer, "price_trial", WORKS).await;
    assert_eq!(refusal(ExpireCheckoutSession::new(complete.id).send(client).await).0, 400);
    counter.stripe.set_weather(Weather { offline: true, ..Weather::default() });
    assert_eq!(refusal(ListPrice::new().send(client).await).0, 503);
}

#[tokio::test]
async fn a_session_expires_after_a_day() {
    let counter = Counter::open().await;
    let customer = counter.customer().await;
    let (first, second) =
        (counter.session(&customer, "price_trial").await, counter.session(&customer, "price_trial").await);
    let closed = ExpireCheckoutSession::new(first.id).send(&counter.client).await.expect("the session");
    assert_eq!(closed.status, Some(CheckoutSessionStatus::Expired));
    counter.days(1);
    counter.clock.advance(Duration::from_secs(60));
    assert!(counter.page(&format!("/c/pay/{}", second.id)).await.contains("Questa pagina è scaduta"));
    assert_eq!(counter.happened("checkout.session.expired"), 2);
}

#[tokio::test]
async fn a_good_card_renews_and_a_cancelled_subscription_ends() {
    let counter = Counter::open().await;
    let customer = counter.customer().await;
    counter.buy(&customer, "price_monthly", WORKS).await;
    counter.days(32);
    let subscription = counter.subscription(&customer).await;
    assert_eq!(subscription.status, SubscriptionStatus::Active);
    assert_eq!(counter.charges(&customer).await.len(), 2);
    let later = UpdateSubscription::new(subscription.id.clone()).cancel_at_period_end(true).send(&counter.client).await;
    assert!(later.expect("the subscription").cancel_at_period_end);
    counter.days(32);
    let ended = counter.subscription(&customer).await;
    assert_eq!(ended.status, SubscriptionStatus::Canceled);
    assert_eq!(ended.ended_at, Some(ended.items.data[0].current_period_end));
    assert_eq!(counter.charges(&customer).await.len(), 2);
    assert_eq!(
        refusal(CancelSubscription::new(ended.id).send(&counter.client).await),
        (404, "resource_missing".into())
    );
    counter.stripe.subscribe(&customer, "price_annual").expect("a subscription");
    let second = counter.subscription(&customer).await;
    let ended = CancelSubscription::new(second.id).send(&counter.client).await.expect("the subscription");
    assert_eq!(ended.status, SubscriptionStatus::Canceled);
    assert_eq!(counter.happened("customer.subscription.deleted"), 2);
}

#[tokio::test]
async fn a_card_that_asks_is_confirmed_on_the_page_of_the_invoice() {
    let counter = Counter::open().await;
    let customer = counter.customer().await;
    counter.buy(&customer, "price_monthly", ASKS_TO_CONFIRM).await;
    counter.days(32);
    assert_eq!(counter.subscription(&customer).await.status, SubscriptionStatus::PastDue);
    assert_eq!(counter.happened("invoice.payment_action_required"), 1);
    let invoice = counter.invoices(&customer).await.remove(0);
    let payments = invoice.payments.expect("payments");
    let intent = payments.data[0].payment.payment_intent.as_ref().expect("an intent");
    let waiting = RetrievePaymentIntent::new(intent.id().clone()).send(&counter.client).await.expect("the intent");
    assert_eq!(waiting.status, PaymentIntentStatus::RequiresAction);
    let page = invoice.hosted_invoice_url.expect("a page");
    let path = page.strip_prefix(&counter.address).expect("a page of ours");
    assert!(counter.page(path).await.contains("Conferma"));
    let refused = counter.post(path, &[("number", ASKS_TO_CONFIRM), ("answer", "no")]).await;
    assert_eq!(refused.status(), 402);
    let intent = RetrievePaymentIntent::new(intent.id().clone()).send(&counter.client).await.expect("the intent");
    assert_eq!(intent.status, PaymentIntentStatus::RequiresPaymentMethod);
    assert_eq!(counter.post(path, &[("number", ASKS_TO_CONFIRM), ("answer", "yes")]).await.status(), 303);
    assert!(counter.page(path).await.contains("è pagata"));
    assert_eq!(counter.subscription(&customer).await.status, SubscriptionStatus::Active);
    let paid = RetrieveInvoice::new(invoice.id.expect("an id")).send(&counter.client).await.expect("the invoice");
    assert_eq!(paid.status, Some(InvoiceStatus::Paid));
    counter.days(31);
    counter.days(8);
    assert_eq!(counter.subscription(&customer).await.status, SubscriptionStatus::Canceled);
}

#[tokio::test]
async fn a_refused_card_is_tried_three_times_more_and_then_the_subscription_ends() {
    let counter = Counter::open().await;
    let customer = counter.customer().await;
    counter.buy(&customer, "price_monthly", FAILS_LATER).await;
    let period_end = counter.subscription(&customer).await.items.data[0].current_period_end;
    let seconds = period_end - counter.clock.now().as_second() + 60;
    counter.clock.advance(Duration::from_secs(seconds.unsigned_abs()));
    for (days, attempts) in [(0, 1), (3, 2), (2, 3)] {
        counter.days(days);
        assert_eq!(counter.subscription(&customer).await.status, SubscriptionStatus::PastDue);
        assert_eq!(counter.invoices(&customer).await[0].attempt_count, attempts);
    }
    counter.days(2);
    let ended = counter.subscription(&customer).await;
    assert_eq!(ended.status, SubscriptionStatus::Canceled);
    let invoice = counter.invoices(&customer).await.remove(0);
    assert_eq!((invoice.status, invoice.attempt_count), (Some(InvoiceStatus::Open), 4));
    assert_eq!(ended.ended_at.map(|ended| ended - invoice.created), Some(7 * 86_400));
    assert_eq!(counter.charges(&customer).await.iter().filter(|charge| charge.paid).count(), 1);
}

#[tokio::test]
async fn the_portal_changes_card_and_plan_and_ends_the_subscription() {
    let counter = Counter::open().await;
    let customer = counter.customer().await;
    counter.buy(&customer, "price_monthly", WORKS).await;
    let portal =
        CreateBillingPortalSession::new().customer(customer.as_str()).return_url("https://rimedio.example/account");
    let portal = portal.send(&counter.client).await.expect("a session of the portal");
    let path = portal.url.strip_prefix(&counter.address).expect("a page of ours").to_owned();
    assert!(counter.page(&path).await.contains("Passa a Rimedio Annuale"));
    let card = format!("{path}/card");
    assert_eq!(counter.post(&card, &[("number", DECLINED)]).await.status(), 402);
    assert_eq!(counter.post(&card, &[("number", ASKS_TO_CONFIRM)]).await.status(), 200);
    assert_eq!(counter.post(&card, &[("number", ASKS_TO_CONFIRM), ("answer", "yes")]).await.status(), 303);
    assert!(counter.page(&path).await.contains("finisce con 3155"));
    counter.days(10);
    let plan = format!("{path}/plan");
    assert_eq!(counter.post(&plan, &[("price", "price_annual")]).await.status(), 200);
    assert_eq!(counter.post(&plan, &[("price", "price_annual"), ("answer", "no")]).await.status(), 402);
    assert_eq!(counter.charges(&customer).await.len(), 1);
    assert_eq!(counter.post(&plan, &[("price", "price_annual"), ("answer", "yes")]).await.status(), 303);
    let subscription = counter.subscription(&customer).await;
    assert_eq!(subscription.items.data[0].price.id.as_str(), "price_annual");
    let charged = counter.charges(&customer).await[0].amount;
    // About two thirds of a month are given back.
    assert!((9900 - 700..9900 - 600).contains(&charged), "{charged}");
    // Back to the month at once: the credit pays for it, and for the months that follow.
    assert_eq!(counter.post(&plan, &[("price", "price_monthly")]).await.status(), 303);
    counter.days(62);
    assert_eq!(counter.charges(&customer).await.len(), 2);
    assert_eq!(counter.invoices(&customer).await[0].amount_due, 0);
    assert_eq!(counter.post(&format!("{path}/cancel"), &[]).await.status(), 303);
    assert!(counter.subscription(&customer).await.cancel_at_period_end);
    assert_eq!(counter.post(&format!("{path}/resume"), &[]).await.status(), 303);
    assert!(!counter.subscription(&customer).await.cancel_at_period_end);
}

#[tokio::test]
async fn money_goes_back_by_refunds_and_disputes() {
    let counter = Counter::open().await;
    let customer = counter.customer().await;
    counter.buy(&customer, "price_annual", WORKS).await;
    let charge = counter.charges(&customer).await.remove(0).id.to_string();
    let refund = CreateRefund::new().charge(charge.as_str()).amount(900).send(&counter.client).await;
    assert_eq!(refund.expect("a refund").amount, 900);
    let too_much = CreateRefund::new().charge(charge.as_str()).amount(9001).send(&counter.client).await;
    assert_eq!(refusal(too_much).0, 400);
    let refunds = ListRefund::new().charge(charge.as_str()).send(&counter.client).await.expect("a list");
    assert_eq!(refunds.data.len(), 1);
    let held = counter.charges(&customer).await.remove(0);
    assert_eq!((held.amount_refunded, held.refunds.expect("refunds").data.len()), (900, 1));
    let taken = || counter.stripe.taken_cents(Timestamp::UNIX_EPOCH, Timestamp::MAX);
    assert_eq!(taken(), 9000);
    let now = counter.clock.now();
    assert_eq!(counter.stripe.taken_cents(now + SignedDuration::from_hours(1), Timestamp::MAX), 0);
    let dispute = counter.stripe.dispute(&charge).expect("a dispute");
    assert_eq!(taken(), 0);
    let (_, listed) = counter.raw(Method::GET, &format!("/v1/disputes?charge={charge}"), None, &[]).await;
    assert_eq!((&listed["data"][0]["status"], &listed["data"][0]["amount"]), (&"needs_response".into(), &9000.into()));
    let refund = CreateRefund::new().charge(charge.as_str()).send(&counter.client).await;
    assert_eq!(refusal(refund), (400, "charge_disputed".into()));
    counter.stripe.close_dispute(&dispute, true).expect("an open dispute");
    assert_eq!(taken(), 9000);
    for event in ["charge.refunded", "charge.dispute.created", "charge.dispute.closed"] {
        assert_eq!(counter.happened(event), 1);
    }
}
