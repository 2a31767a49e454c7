//! The stand-in on a free port, with a client of the product's kind and a browser's.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use poem::Server;
use poem::listener::TcpAcceptor;
use reqwest::{Client as HttpClient, Method, Response};
use rimedio::clock::Clock;
use rimedio::demo::{Interval, StripePrice, StripeSettings, StripeStandIn};
use rimedio::http_client::http_client;
use serde_json::Value;
use stripe::{Client, ClientBuilder};
use stripe_billing::invoice::ListInvoice;
use stripe_billing::subscription::{ListSubscription, ListSubscriptionStatus};
use stripe_billing::{Invoice, Subscription};
use stripe_checkout::checkout_session::{
    CreateCheckoutSession, CreateCheckoutSessionLineItems, RetrieveCheckoutSession,
};
use stripe_checkout::{CheckoutSession, CheckoutSessionMode};
use stripe_core::Charge;
use stripe_core::charge::ListCharge;
use stripe_core::customer::CreateCustomer;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// The key of the calls.
pub(super) const KEY: &str = "sk_test_stand_in";
/// What webhooks are signed with.
pub(super) const WEBHOOK_SECRET: &str = "whsec_stand_in";

pub(super) fn settings(address: String) -> StripeSettings {
    let price = |id: &str, name: &str, unit_amount, interval| StripePrice {
        id: id.into(),
        product_name: name.into(),
        unit_amount,
        interval,
    };
    StripeSettings {
        address,
        secret_key: KEY.into(),
        webhook_secret: WEBHOOK_SECRET.into(),
        webhook_url: None,
        file: None,
        prices: vec![
            price("price_trial", "Rimedio Prova", 100, None),
            price("price_monthly", "Rimedio Mensile", 990, Some(Interval::Month)),
            price("price_annual", "Rimedio Annuale", 9900, Some(Interval::Year)),
        ],
    }
}

/// The stand-in, running, and a client that calls it.
pub(super) struct Counter {
    pub(super) stripe: Arc<StripeStandIn>,
    pub(super) address: String,
    pub(super) clock: Clock,
    pub(super) client: Client,
    pub(super) http: HttpClient,
    _stop: oneshot::Sender<()>,
}

impl Counter {
    pub(super) async fn open() -> Self {
        Self::open_with(|_| {}).await
    }

    pub(super) async fn open_with(change: impl FnOnce(&mut StripeSettings)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let mut settings = settings(address.clone());
        change(&mut settings);
        let clock = Clock::system();
        let stripe = StripeStandIn::new(settings, clock.clone()).expect("a stand-in");
        let (stop, stopped) = oneshot::channel::<()>();
        let server = Server::new_with_acceptor(TcpAcceptor::from_tokio(listener).expect("an acceptor"));
        let (routes, deliveries) = (Arc::clone(&stripe).routes(), Arc::clone(&stripe));
        tokio::spawn(async move {
            let stopped = async {
                // Ends when the counter is dropped, too.
                let _ = stopped.await;
            };
            tokio::select! {
                result = server.run(routes) => result.expect("a server that answers"),
                () = deliveries.deliver(stopped) => {}
            }
        });
        let client = ClientBuilder::new(KEY).url(format!("{address}/")).build().expect("a client");
        Self { stripe, address, clock, client, http: http_client().expect("a client"), _stop: stop }
    }

    pub(super) async fn customer(&self) -> String {
        let metadata = HashMap::from([("user".to_owned(), "it's 1".to_owned())]);
        let customer = CreateCustomer::new().email("anna@example.com").metadata(metadata);
        customer.send(&self.client).await.expect("a customer").id.to_string()
    }

    pub(super) fn session_for(&self, customer: &str, price: &str) -> CreateCheckoutSession {
        let mut item = CreateCheckoutSessionLineItems::new();
        item.price = Some(price.into());
        item.quantity = Some(1);
        let once = price == "price_trial";
        CreateCheckoutSession::new()
            .mode(if once { CheckoutSessionMode::Payment } else { CheckoutSessionMode::Subscription })
            .customer(customer)
            .line_items(vec![item])
            .client_reference_id("user-1")
            .success_url("https://rimedio.example/account?session={CHECKOUT_SESSION_ID}")
            .cancel_url("https://rimedio.example/account?canceled=true&x=1")
    }

    pub(super) async fn session(&self, customer: &str, price: &str) -> CheckoutSession {
        self.session_for(customer, price).send(&self.client).await.expect("a session")
    }

    pub(super) async fn post(&self, path: &str, form: &[(&str, &str)]) -> Response {
        self.http.post(format!("{}{path}", self.address)).form(form).send().await.expect("an answer")
    }

    pub(super) async fn page(&self, path: &str) -> String {
        let response = self.http.get(format!("{}{path}", self.address)).send().await.expect("an answer");
        response.text().await.expect("a page")
    }

    /// Pays for a subscription in the checkout page, with a confirmation when the bank asks.
    pub(super) async fn buy(&self, customer: &str, price: &str, number: &str) -> CheckoutSession {
        let session = self.session(customer, price).await;
        let path = format!("/c/pay/{}", session.id);
        let mut answer = self.post(&path, &[("number", number)]).await;
        if answer.status() == 200 {
            answer = self.post(&path, &[("number", number), ("answer", "yes")]).await;
        }
        assert_eq!(answer.status(), 303);
        RetrieveCheckoutSession::new(session.id).send(&self.client).await.expect("the session")
    }

    pub(super) async fn subscription(&self, customer: &str) -> Subscription {
        let list = ListSubscription::new().customer(customer).status(ListSubscriptionStatus::All);
        let list = list.expand(["data.latest_invoice".to_owned()]).send(&self.client).await.expect("subscriptions");
        list.data.into_iter().next().expect("a subscription")
    }

    pub(super) async fn invoices(&self, customer: &str) -> Vec<Invoice> {
        let list = ListInvoice::new().customer(customer).expand(["data.payments".to_owned()]);
        list.send(&self.client).await.expect("invoices").data
    }

    pub(super) async fn charges(&self, customer: &str) -> Vec<Charge> {
        let list = ListCharge::new().customer(customer).expand(["data.refunds".to_owned()]);
        list.send(&self.client).await.expect("charges").data
    }

    pub(super) fn days(&self, days: u64) {
        self.clock.advance(Duration::from_secs(days * 86_400));
        self.stripe.tick();
    }

    pub(super) fn happened(&self, event: &str) -> usize {
        self.stripe.events().iter().filter(|held| held["type"] == event).count()
    }

    pub(super) async fn raw(
        &self,
        method: Method,
        path: &str,
        key: Option<&str>,
        form: &[(&str, &str)],
    ) -> (u16, Value) {
        let mut call = self.http.request(method, format!("{}{path}", self.address)).bearer_auth(KEY).form(form);
        if let Some(key) = key {
            call = call.header("Idempotency-Key", key);
        }
        let response = call.send().await.expect("an answer");
        (response.status().as_u16(), response.json().await.expect("JSON"))
    }
}
