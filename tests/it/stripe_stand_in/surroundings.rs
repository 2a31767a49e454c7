//! What surrounds the calls: webhooks that are signed, sent again, lost or late; a stop and a new start; the bench
//! with its levers; the headers of the pages.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::Timestamp;
use poem::http::StatusCode;
use poem::listener::TcpAcceptor;
use poem::web::Data;
use poem::{EndpointExt as _, Request, Route, Server, handler, post};
use reqwest::Method;
use reqwest::header::CONTENT_SECURITY_POLICY;
use rimedio::demo::Weather;
use serde_json::Value;
use sha2::Sha256;
use stripe_billing::SubscriptionStatus;
use stripe_checkout::checkout_session::RetrieveCheckoutSession;
use tempfile::TempDir;
use tokio::net::TcpListener;

use super::WORKS;
use super::counter::{Counter, WEBHOOK_SECRET};

/// What the product is told: signatures and bodies.
#[derive(Clone, Default)]
struct Mailbox {
    letters: Arc<Mutex<Vec<(String, String)>>>,
    /// How many more letters are turned away.
    turned_away: Arc<Mutex<u32>>,
}

impl Mailbox {
    fn letters(&self) -> Vec<(String, String)> {
        self.letters.lock().expect("a whole list").clone()
    }

    /// Waits until there are so many.
    async fn holds(&self, count: usize) -> Vec<(String, String)> {
        for _ in 0..200 {
            if self.letters().len() >= count {
                return self.letters();
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{count} letters, not {}", self.letters().len());
    }
}

#[handler]
async fn receive(mailbox: Data<&Mailbox>, request: &Request, body: String) -> StatusCode {
    let signature = request.header("Stripe-Signature").expect("a signature").to_owned();
    mailbox.letters.lock().expect("a whole list").push((signature, body));
    let mut turned_away = mailbox.turned_away.lock().expect("a number");
    if *turned_away > 0 {
        *turned_away -= 1;
        return StatusCode::INTERNAL_SERVER_ERROR;
    }
    StatusCode::NO_CONTENT
}

async fn counter_with_mailbox() -> (Counter, Mailbox) {
    let mailbox = Mailbox::default();
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = format!("http://{}/webhook", listener.local_addr().expect("an address"));
    let routes = Route::new().at("/webhook", post(receive)).data(mailbox.clone());
    let server = Server::new_with_acceptor(TcpAcceptor::from_tokio(listener).expect("an acceptor"));
    tokio::spawn(server.run(routes));
    (Counter::open_with(|settings| settings.webhook_url = Some(address)).await, mailbox)
}

#[tokio::test]
async fn events_are_signed_and_sent_again_until_they_are_taken() {
    let (counter, mailbox) = counter_with_mailbox().await;
    *mailbox.turned_away.lock().expect("a number") = 1;
    let customer = counter.stripe.customer("a@example.com", &[]);
    let letters = mailbox.holds(2).await;
    assert_eq!(letters[0].1, letters[1].1);
    let event: Value = serde_json::from_str(&letters[1].1).expect("JSON");
    assert_eq!(
        (&event["type"], &event["data"]["object"]["id"], &event["api_version"]),
        (&"customer.created".into(), &customer.into(), &"2026-09-30.endive".into())
    );
    let (time, signature) = letters[1].0.split_once(",v1=").expect("two parts");
    let time = time.strip_prefix("t=").expect("a time");
    let age = counter.clock.now().as_second() - time.parse::<i64>().expect("seconds");
    assert!((0..10).contains(&age));
    let mut mac = Hmac::<Sha256>::new_from_slice(WEBHOOK_SECRET.as_bytes()).expect("a key");
    mac.update(format!("{time}.{}", letters[1].1).as_bytes());
    let expected: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(signature, expected);
}

#[tokio::test]
async fn events_can_be_lost_or_late() {
    let (counter, mailbox) = counter_with_mailbox().await;
    counter.stripe.set_weather(Weather { lose_webhooks: true, ..Weather::default() });
    let _ = counter.stripe.customer("lost@example.com", &[]);
    counter.stripe.set_weather(Weather { delay_webhooks: true, ..Weather::default() });
    let _ = counter.stripe.customer("late@example.com", &[]);
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(mailbox.letters().is_empty());
    counter.stripe.set_weather(Weather::default());
    let letters = mailbox.holds(1).await;
    assert!(letters[0].1.contains("late@example.com"));
    assert_eq!(counter.happened("customer.created"), 2);
}

#[tokio::test]
async fn everything_is_there_after_a_new_start_and_the_clock_stands_where_it_stood() {
    let directory = TempDir::new().expect("a directory");
    let file = directory.path().join("stripe.json");
    let counter = Counter::open_with(|settings| settings.file = Some(file.clone())).await;
    let customer = counter.customer().await;
    let session = counter.session(&customer, "price_monthly").await;
    counter.buy(&customer, "price_monthly", WORKS).await;
    let path = "/v1/test_helpers/test_clocks/stand_in/advance";
    let (status, _) = counter.raw(Method::POST, path, None, &[("seconds", "36000")]).await;
    assert_eq!(status, 200);
    let moved_to = counter.clock.now();
    let key = [("email", "b@example.com")];
    let (_, first) = counter.raw(Method::POST, "/v1/customers", Some("kept"), &key).await;
    let old_address = counter.address.clone();
    drop(counter);

    let counter = Counter::open_with(|settings| settings.file = Some(file)).await;
    assert!(counter.clock.now() >= moved_to);
    assert_eq!(counter.subscription(&customer).await.status, SubscriptionStatus::Active);
    let session = RetrieveCheckoutSession::new(session.id).send(&counter.client).await.expect("the session");
    let url = session.url.expect("a page");
    assert!(url.starts_with(&counter.address) && !url.starts_with(&format!("{old_address}/")));
    let (_, second) = counter.raw(Method::POST, "/v1/customers", Some("kept"), &key).await;
    assert_eq!(first["id"], second["id"]);
}

#[tokio::test]
async fn the_bench_has_a_lever_for_everything() {
    let counter = Counter::open().await;
    let customer = counter.stripe.customer("anna@example.com", &[]);
    counter.stripe.subscribe(&customer, "price_monthly").expect("a subscription");
    let page = counter.page("/dashboard").await;
    assert!(page.contains("anna@example.com") && page.contains("Rimborsa 9,90 €"));
    let pull = async |action: &str, value: &str| {
        let answer = counter.post(&format!("/dashboard/{action}"), &[("value", value)]).await;
        answer.status().as_u16()
    };
    let before = counter.clock.now();
    assert_eq!(pull("advance", "31").await, 303);
    assert!(counter.clock.now().duration_since(before).as_hours() >= 31 * 24);
    assert_eq!(pull("advance", "30").await, 404);
    let charges = counter.charges(&customer).await;
    assert_eq!(charges.len(), 2);
    assert_eq!(pull("refund", charges[0].id.as_str()).await, 303);
    assert_eq!(pull("refund", charges[0].id.as_str()).await, 400);
    assert_eq!(pull("dispute", charges[1].id.as_str()).await, 303);
    let disputes = counter.raw(Method::GET, "/v1/disputes", None, &[]).await.1;
    assert_eq!(pull("lose", disputes["data"][0]["id"].as_str().expect("an id")).await, 303);
    assert_eq!(counter.stripe.taken_cents(Timestamp::UNIX_EPOCH, Timestamp::MAX), 0);
    assert_eq!(pull("offline", "on").await, 303);
    assert_eq!(pull("webhooks", "off").await, 303);
    let expected = Weather { offline: true, lose_webhooks: true, delay_webhooks: false };
    assert_eq!(counter.stripe.weather(), expected);
    assert!(counter.page("/dashboard").await.contains("Fai rispondere di nuovo Stripe"));
}

#[tokio::test]
async fn pages_are_strict_and_other_sites_press_no_buttons() {
    let counter = Counter::open().await;
    let address = format!("{}/dashboard", counter.address);
    let response = counter.http.get(&address).send().await.expect("an answer");
    let policy = response.headers()[CONTENT_SECURITY_POLICY].to_str().expect("ASCII").to_owned();
    assert!(policy.starts_with("default-src 'none'; style-src 'self'"));
    assert_eq!(response.headers()["x-content-type-options"], "nosniff");
    let page = response.text().await.expect("a page");
    assert!(!page.contains("<script") && !page.contains("style=") && page.contains(r#"<html lang="it">"#));
    let form = [("value", "31")];
    let foreign = counter.http.post(format!("{address}/advance")).header("Sec-Fetch-Site", "cross-site").form(&form);
    assert_eq!(foreign.send().await.expect("an answer").status(), 403);
    for path in ["/c/pay/cs_nobody", "/p/session/nobody", "/i/in_nobody"] {
        assert!(counter.page(path).await.contains("Questa pagina non esiste"));
    }
}
