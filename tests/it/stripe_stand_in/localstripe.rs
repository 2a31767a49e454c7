//! The stand-in beside `localstripe`, which other people wrote from Stripe's documents: where both know an object, the
//! fields that the product reads say the same. localstripe speaks an older version of the interface, so what moved
//! since (periods, the payments of an invoice) is compared where each of them has it.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use reqwest::{Client, Method};
use rimedio::http_client::http_client;
use serde_json::Value;

use super::counter::{Counter, KEY};

const PYTHON: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/localstripe/venv/bin/python");

/// localstripe at work.
struct Localstripe {
    process: Child,
    address: String,
    http: Client,
}

impl Drop for Localstripe {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Localstripe {
    async fn start() -> Self {
        // It takes a number only: one that was free a moment ago.
        let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port").port();
        let process = Command::new(PYTHON)
            .args(["-m", "localstripe", "--from-scratch", "--port", &port.to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("localstripe is installed: run `just _localstripe`");
        let started =
            Self { process, address: format!("http://127.0.0.1:{port}"), http: http_client().expect("a client") };
        let begun = Instant::now();
        while started.http.get(format!("{}/v1/customers", started.address)).bearer_auth(KEY).send().await.is_err() {
            assert!(begun.elapsed() < Duration::from_secs(30), "localstripe does not answer");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        started
    }

    async fn call(&self, method: Method, path: &str, form: &[(&str, &str)]) -> (u16, Value) {
        let call = self.http.request(method, format!("{}{path}", self.address)).bearer_auth(KEY).form(form);
        let answer = call.send().await.expect("an answer");
        (answer.status().as_u16(), answer.json().await.expect("JSON"))
    }

    async fn post(&self, path: &str, form: &[(&str, &str)]) -> Value {
        let (status, body) = self.call(Method::POST, path, form).await;
        assert_eq!(status, 200, "{path}: {body}");
        body
    }
}

fn id(object: &Value) -> &str {
    object["id"].as_str().expect("an id")
}

/// Both say the same at each of these places.
fn agree(what: &str, ours: &Value, theirs: &Value, places: &[&str]) {
    for place in places {
        let (our, their) = (ours.pointer(place), theirs.pointer(place));
        assert!(our.is_some(), "{what}: the stand-in has no {place}");
        assert_eq!(our, their, "{what}: {place}");
    }
}

/// Both have the same kind of value at each of these places: a text, a number.
fn alike(what: &str, ours: &Value, theirs: &Value, places: &[&str]) {
    for place in places {
        let kind = |value: Option<&Value>| value.map(|value| (value.is_string(), value.is_number(), value.is_null()));
        let (our, their) = (ours.pointer(place), theirs.pointer(place));
        assert_eq!(kind(our), kind(their), "{what}: {place}: {our:?} and {their:?}");
    }
}

#[tokio::test]
async fn where_both_know_an_object_they_say_the_same_of_it() {
    let (counter, other) = (Counter::open().await, Localstripe::start().await);
    let person = [("email", "anna@example.com"), ("name", "Anna"), ("metadata[rimedio_account]", "1")];

    let (_, ours) = counter.raw(Method::POST, "/v1/customers", None, &person).await;
    let theirs = other.post("/v1/customers", &person).await;
    agree("customer", &ours, &theirs, &["/object", "/email", "/name", "/metadata", "/livemode"]);
    alike("customer", &ours, &theirs, &["/id", "/created"]);
    let (customer, their_customer) = (id(&ours).to_owned(), id(&theirs).to_owned());

    // A monthly subscription, paid with a card that works.
    counter.buy(&customer, "price_monthly", super::WORKS).await;
    other.post("/v1/products", &[("id", "prod_1"), ("name", "Rimedio Mensile")]).await;
    let plan =
        [("id", "monthly"), ("product", "prod_1"), ("currency", "eur"), ("amount", "990"), ("interval", "month")];
    other.post("/v1/plans", &plan).await;
    let card = [
        ("type", "card"),
        ("card[number]", "4242424242424242"),
        ("card[exp_month]", "12"),
        ("card[exp_year]", "2040"),
        ("card[cvc]", "123"),
    ];
    let method = id(&other.post("/v1/payment_methods", &card).await).to_owned();
    other.post(&format!("/v1/payment_methods/{method}/attach"), &[("customer", &their_customer)]).await;
    let usual = [("invoice_settings[default_payment_method]", method.as_str())];
    other.post(&format!("/v1/customers/{their_customer}"), &usual).await;
    let wanted = [("customer", their_customer.as_str()), ("items[0][plan]", "monthly"), ("expand[]", "latest_invoice")];
    let theirs = other.post("/v1/subscriptions", &wanted).await;
    let list = format!("/v1/subscriptions?customer={customer}&status=all&expand[]=data.latest_invoice");
    let (_, listed) = counter.raw(Method::GET, &list, None, &[]).await;
    let ours = listed["data"][0].clone();
    let (_, their_list) =
        other.call(Method::GET, &format!("/v1/subscriptions?customer={their_customer}&status=all"), &[]).await;
    agree("list", &listed, &their_list, &["/object", "/has_more"]);
    alike("list", &listed, &their_list, &["/url", "/data/0/id"]);
    agree(
        "subscription",
        &ours,
        &theirs,
        &[
            "/object",
            "/status",
            "/cancel_at_period_end",
            "/cancel_at",
            "/ended_at",
            "/items/object",
            "/items/has_more",
            "/items/data/0/object",
            "/items/data/0/quantity",
            "/items/data/0/plan/interval",
            "/items/data/0/plan/amount",
            "/items/data/0/plan/currency",
        ],
    );
    alike("subscription", &ours, &theirs, &["/id", "/customer", "/created", "/items/data/0/id"]);
    // The period moved from the subscription to its items on 2025-03-31.
    let length = |object: &Value| object["current_period_end"].as_i64().zip(object["current_period_start"].as_i64());
    let (our, their) = (length(&ours["items"]["data"][0]).expect("a period"), length(&theirs).expect("a period"));
    assert!((our.0 - our.1 - (their.0 - their.1)).abs() <= 1, "a month is as long: {our:?} {their:?}");

    let (our_invoice, their_invoice) = (&ours["latest_invoice"], &theirs["latest_invoice"]);
    agree(
        "invoice",
        our_invoice,
        their_invoice,
        &[
            "/object",
            "/status",
            "/amount_due",
            "/amount_paid",
            "/currency",
            "/attempted",
            "/lines/object",
            "/lines/data/0/amount",
        ],
    );
    alike(
        "invoice",
        our_invoice,
        their_invoice,
        &["/id", "/created", "/lines/data/0/period/start", "/lines/data/0/period/end"],
    );

    let (_, charges) = counter.raw(Method::GET, &format!("/v1/charges?customer={customer}"), None, &[]).await;
    let (our_charge, their_charge) = (charges["data"][0].clone(), their_invoice["charge"].clone());
    let charge = ["/object", "/amount", "/amount_refunded", "/captured", "/paid", "/refunded", "/status", "/currency"];
    agree("charge", &our_charge, &their_charge, &charge);
    alike("charge", &our_charge, &their_charge, &["/id", "/payment_intent", "/customer", "/created"]);
    let intent =
        |object: &Value| format!("/v1/payment_intents/{}", object["payment_intent"].as_str().expect("an intent"));
    let (_, ours) = counter.raw(Method::GET, &intent(&our_charge), None, &[]).await;
    let (_, theirs) = other.call(Method::GET, &intent(&their_charge), &[]).await;
    agree("payment intent", &ours, &theirs, &["/object", "/status", "/amount", "/currency"]);

    // A part of it is paid back.
    let our_part = [("charge", id(&our_charge)), ("amount", "90")];
    let their_part = [("charge", id(&their_charge)), ("amount", "90")];
    let (_, ours) = counter.raw(Method::POST, "/v1/refunds", None, &our_part).await;
    let theirs = other.post("/v1/refunds", &their_part).await;
    agree("refund", &ours, &theirs, &["/object", "/amount", "/status", "/currency"]);
    alike("refund", &ours, &theirs, &["/id", "/charge", "/created"]);
    let (_, ours) = counter.raw(Method::GET, &format!("/v1/charges/{}", id(&our_charge)), None, &[]).await;
    let (_, theirs) = other.call(Method::GET, &format!("/v1/charges/{}", id(&their_charge)), &[]).await;
    agree("refunded charge", &ours, &theirs, &["/amount_refunded", "/refunded", "/status"]);

    // Cancelled to the end of its period, then at once.
    let name = |object: &Value| format!("/v1/subscriptions/{}", id(object));
    let (_, again) = counter.raw(Method::GET, &list, None, &[]).await;
    let (ours, theirs) = (name(&again["data"][0]), name(&their_list["data"][0]));
    for (method, form) in [(Method::POST, vec![("cancel_at_period_end", "true")]), (Method::DELETE, Vec::new())] {
        let (our_status, our) = counter.raw(method.clone(), &ours, None, &form).await;
        let (their_status, their) = other.call(method, &theirs, &form).await;
        assert_eq!(our_status, their_status);
        agree("cancelled subscription", &our, &their, &["/status", "/cancel_at_period_end"]);
        alike("cancelled subscription", &our, &their, &["/ended_at"]);
    }

    let (our_status, ours) = counter.raw(Method::GET, "/v1/customers/cus_of_nobody", None, &[]).await;
    let (their_status, theirs) = other.call(Method::GET, "/v1/customers/cus_of_nobody", &[]).await;
    assert_eq!(our_status, their_status);
    agree("refusal", &ours, &theirs, &["/error/type"]);
}
