//! Buying, renewing, failing, ending: through the product's own calls and the pages of the stand-in for Stripe, with a
//! clock that moves. After each, what the status, the usage and the ledger say agrees, to the cent.

mod buying;
mod ending;
mod kill;
mod renewing;
mod weather;
mod webhook;

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reqwest::header::LOCATION;
use reqwest::{Method, Response, StatusCode};
use rimedio::demo::Weather;
use serde_json::{Value, json};

use crate::support::{Resident, Town, json_of};

/// Pays.
const WORKS: &str = "4242424242424242";
/// Pays when its owner confirms at the bank, each time.
const ASKS_TO_CONFIRM: &str = "4000002500003155";
/// Is declined.
const DECLINED: &str = "4000000000000002";
/// Has too little money.
const EMPTY: &str = "4000000000009995";
/// Pays now, and is declined at the renewal.
const FAILS_LATER: &str = "4000000000000341";

/// How long a webhook may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Somebody who buys.
struct Buyer<'town> {
    town: &'town Town,
    person: Resident,
    name: &'static str,
}

impl<'town> Buyer<'town> {
    /// Bruno, who has no plan.
    async fn new(town: &'town Town) -> Self {
        Self::named(town, "bruno").await
    }

    async fn named(town: &'town Town, name: &'static str) -> Self {
        Self { town, person: town.sign_in(name).await, name }
    }

    fn order(&self, plan: &str) -> Value {
        let back = format!("{}/account/subscription", self.town.address);
        json!({
            "plan_type": plan,
            "success_url": format!("{back}?success=true"),
            "cancel_url": format!("{back}?canceled=true"),
            "immediate_start": true,
        })
    }

    async fn checkout(&self, plan: &str) -> Response {
        self.person.post("/api/v1/payment/create-checkout", &self.order(plan)).await
    }

    /// The address of the payment page.
    async fn payment_page(&self, plan: &str) -> String {
        let answer = self.checkout(plan).await;
        assert_eq!(answer.status(), StatusCode::OK);
        json_of(answer).await["checkout_url"].as_str().expect("an address").to_owned()
    }

    /// Sends a card to a page of the stand-in, with an answer to the bank where one is given.
    async fn enter(&self, page: &str, card: &str, answer: Option<&str>) -> Response {
        let mut form = vec![("number", card)];
        form.extend(answer.map(|answer| ("answer", answer)));
        self.town.visit(Method::POST, page).form(&form).send().await.expect("an answer")
    }

    /// Buys a plan with a card that works, through the pages, and comes back as the browser does.
    async fn buy(&self, plan: &str) {
        self.buy_with(plan, WORKS).await;
    }

    async fn buy_with(&self, plan: &str, card: &str) {
        let page = self.payment_page(plan).await;
        let mut paid = self.enter(&page, card, None).await;
        if card == ASKS_TO_CONFIRM {
            assert_eq!(paid.status(), StatusCode::OK, "the bank's question");
            paid = self.enter(&page, card, Some("yes")).await;
        }
        assert_eq!(paid.status(), StatusCode::SEE_OTHER);
        let back = paid.headers()[LOCATION].to_str().expect("an address");
        assert_eq!(back, format!("{}/account/subscription?success=true", self.town.address));
        let synced = self.sync().await;
        assert_eq!(synced["is_active"], true, "paid means active on return: {synced}");
    }

    async fn sync(&self) -> Value {
        let answer = self.person.post("/api/v1/payment/sync-subscription", &Value::Null).await;
        assert_eq!(answer.status(), StatusCode::OK);
        json_of(answer).await
    }

    async fn status(&self) -> Value {
        json_of(self.person.get("/api/v1/payment/subscription-status").await).await
    }

    /// Waits until the status says something; webhooks come by themselves.
    async fn until(&self, field: &str, value: impl Into<Value>) -> Value {
        let value = value.into();
        let begun = std::time::Instant::now();
        loop {
            let status = self.status().await;
            if status[field] == value {
                return status;
            }
            assert!(begun.elapsed() < PATIENCE, "{field} never became {value}: {status}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The status of `/usage`: 200 for who is let in, 402 for who is not.
    async fn usage(&self) -> u16 {
        self.person.get("/api/v1/usage").await.status().as_u16()
    }

    /// What the ledger says of this person, in cents.
    async fn paid(&self) -> i64 {
        let account = self.person.user["id"].as_str().map(|id| id.parse().expect("an id"));
        let account = match account {
            Some(account) => account,
            None => self.town.app.accounts.by_email(&self.email()).await.expect("an account").id,
        };
        let lines = self.town.app.billing.ledger().of(account).await.expect("lines");
        lines.iter().map(|(_, line)| line.cents).sum()
    }

    fn email(&self) -> String {
        self.person.user["email"].as_str().expect("an address").to_owned()
    }

    /// Lets days pass; sessions last thirty, so the person signs in again.
    async fn days(&mut self, days: u64) {
        self.town.clock.advance(Duration::from_secs(days * 86_400));
        self.town.stripe.tick();
        self.person = self.town.sign_in(self.name).await;
    }

    /// The address of the portal's page.
    async fn portal(&self) -> String {
        let answer = self.person.post("/api/v1/payment/create-portal", &Value::Null).await;
        assert_eq!(answer.status(), StatusCode::OK);
        json_of(answer).await["portal_url"].as_str().expect("an address").to_owned()
    }

    /// What one can withdraw from.
    async fn offers(&self) -> Vec<Value> {
        let answer = json_of(self.person.get("/api/v1/payment/withdrawal").await).await;
        answer["contracts"].as_array().expect("contracts").clone()
    }

    async fn withdraw(&self, contract: &Value) -> Response {
        let body = json!({ "contract": contract, "name": "Bruno Conti", "address": "bruno.conti@posta.example" });
        self.person.post("/api/v1/payment/withdrawal", &body).await
    }
}

impl Town {
    /// A call to any address, as a browser makes it.
    fn visit(&self, method: Method, address: &str) -> reqwest::RequestBuilder {
        let http = rimedio::http_client::http_client().expect("a client");
        http.request(method, address)
    }

    /// The ledger agrees with what the stand-in took, over all time and for this month, once the news of everybody's
    /// payments has come.
    async fn books_agree(&self) {
        let (long_ago, far) = (Timestamp::UNIX_EPOCH, self.clock.now() + SignedDuration::from_hours(1));
        let ledger = self.app.billing.ledger();
        let begun = std::time::Instant::now();
        loop {
            let booked = ledger.between(long_ago, far).await.expect("a sum");
            let taken = self.stripe.taken_cents(long_ago, far);
            if booked == taken {
                break;
            }
            assert!(begun.elapsed() < PATIENCE, "the ledger says {booked}, the stand-in took {taken}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let today = self.clock.today();
        let first = rimedio::clock::start_of_day_in_italy(today.first_of_month());
        let next = rimedio::clock::start_of_day_in_italy(today.last_of_month().tomorrow().expect("a day to come"));
        let month = ledger.month(today).await.expect("a sum");
        assert_eq!(month, self.stripe.taken_cents(first, next), "and so it is for the month");
    }

    /// Nothing of what happens at Stripe is told.
    fn lose_webhooks(&self) {
        self.stripe.set_weather(Weather { lose_webhooks: true, ..Weather::default() });
    }

    fn fair_weather(&self) {
        self.stripe.set_weather(Weather::default());
    }

    /// How often Stripe was asked anything, once no more webhooks are on their way.
    async fn calls_when_quiet(&self) -> usize {
        let mut before = self.stripe.calls().len();
        loop {
            tokio::time::sleep(Duration::from_millis(700)).await;
            let now = self.stripe.calls().len();
            if now == before {
                return now;
            }
            before = now;
        }
    }

    /// How many checkouts were ever opened at Stripe.
    fn checkouts_opened(&self) -> usize {
        self.stripe.count("checkout.session")
    }
}
