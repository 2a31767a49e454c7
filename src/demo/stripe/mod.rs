//! A stand-in for Stripe. It speaks Stripe's own protocol (calls in forms, objects in JSON, signed webhooks) and
//! shows pages in the place of Stripe's (checkout, portal, invoices), so that the product cannot tell the difference
//! and is not told. Test cards behave as Stripe documents them, and periods end when the clock says so. No money
//! moves, and a key that could move some is refused.

mod api;
mod cards;
mod checkout;
mod checkout_page;
mod dashboard;
mod deliveries;
mod due;
mod invoice_page;
mod objects;
mod pages;
mod payments;
mod periods;
mod portal;
mod refusal;
mod state;
mod subscriptions;
mod wire;

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use poem::{Endpoint, EndpointExt as _, Response, Route, get, post};
use serde_json::{Value, json};
use tokio::sync::Notify;

use self::cards::{Card, Moment};
use self::refusal::Refusal;
use self::state::State;
use crate::clock::Clock;
use crate::http_client::{ClientError, http_client};

/// How many calls are remembered.
const MOST_CALLS: usize = 10_000;

/// How the stand-in is set up.
#[derive(Clone, Debug)]
pub struct StripeSettings {
    /// Where it is reached, such as `http://127.0.0.1:40123`.
    pub address: String,
    /// The key of the calls: `sk_test_…`, nothing else.
    pub secret_key: String,
    /// What webhooks are signed with.
    pub webhook_secret: String,
    /// Where events are delivered; without it they are only listed.
    pub webhook_url: Option<String>,
    /// Where everything is kept across restarts; without it, in memory.
    pub file: Option<PathBuf>,
    /// What can be bought.
    pub prices: Vec<StripePrice>,
}

/// Something that can be bought.
#[derive(Clone, Debug)]
pub struct StripePrice {
    /// Its id, such as `price_monthly`.
    pub id: String,
    /// What the pages call it.
    pub product_name: String,
    /// Cents.
    pub unit_amount: i64,
    /// How often it is paid; without it, once.
    pub interval: Option<Interval>,
}

/// How often a subscription is paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interval {
    /// Every month, on the same day.
    Month,
    /// Every year, on the same day.
    Year,
}

/// What goes wrong on purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weather {
    /// Every call under `/v1` is answered with 503.
    pub offline: bool,
    /// Events that happen now are listed but never delivered.
    pub lose_webhooks: bool,
    /// Events are held back until this is off again.
    pub delay_webhooks: bool,
}

/// Why the stand-in cannot do something.
#[derive(Debug, thiserror::Error)]
pub enum StandInError {
    /// The key is no test key.
    #[error("the stand-in for Stripe takes only keys that begin with sk_test_")]
    NoTestKey,
    /// The file cannot be read or is not one of ours.
    #[error("the file of the stand-in for Stripe cannot be read: {0}")]
    File(#[from] io::Error),
    /// No client for webhooks can be made.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// What Stripe would answer to a call of this kind.
    #[error("{0}")]
    Refused(String),
}

impl From<Refusal> for StandInError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal.message)
    }
}

/// The stand-in.
pub struct StripeStandIn {
    settings: StripeSettings,
    clock: Clock,
    http: reqwest::Client,
    state: Mutex<State>,
    weather: Mutex<Weather>,
    calls: Mutex<Vec<(String, String)>>,
    wake: Notify,
}

impl std::fmt::Debug for StripeStandIn {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("StripeStandIn").field("address", &self.settings.address).finish_non_exhaustive()
    }
}

impl StripeStandIn {
    /// A stand-in with what its file holds. The clock is moved as far as it was moved before.
    ///
    /// # Errors
    /// [`StandInError`] when the key is no test key or the file cannot be read.
    pub fn new(settings: StripeSettings, clock: Clock) -> Result<Arc<Self>, StandInError> {
        if !settings.secret_key.starts_with("sk_test_") {
            return Err(StandInError::NoTestKey);
        }
        let mut state = State::load(settings.file.as_deref(), &settings.address)?;
        clock.advance(Duration::from_secs(state.shift_seconds));
        state.now = clock.now().as_second();
        offer(&mut state, &settings.prices);
        Ok(Arc::new(Self {
            settings,
            clock,
            http: http_client()?,
            state: Mutex::new(state),
            weather: Mutex::default(),
            calls: Mutex::default(),
            wake: Notify::new(),
        }))
    }

    /// Its routes: the calls and the pages.
    pub fn routes(self: Arc<Self>) -> impl Endpoint<Output = Response> + 'static {
        Route::new()
            .at("/", get(pages::front))
            .at("/stand-in.css", get(pages::style))
            .at("/v1/*path", api::call)
            .at("/c/pay/:session", get(checkout_page::show).post(checkout_page::pay))
            .at("/p/session/:session", get(portal::show))
            .at("/p/session/:session/plan", post(portal::change_plan))
            .at("/p/session/:session/card", post(portal::change_card))
            .at("/p/session/:session/cancel", post(portal::cancel))
            .at("/p/session/:session/resume", post(portal::resume))
            .at("/i/:invoice", get(invoice_page::show).post(invoice_page::pay))
            .at("/dashboard", get(dashboard::show))
            .at("/dashboard/:action", post(dashboard::act))
            .data(self)
            .around(pages::with_headers)
    }

    /// Delivers events and does what becomes due, until `stop` ends.
    pub async fn deliver(self: Arc<Self>, stop: impl Future<Output = ()> + Send) {
        deliveries::run(self, stop).await;
    }

    /// Does everything that is due now: renewals, attempts to collect again, expiries, ends.
    pub fn tick(&self) {
        self.with(|_| ());
    }

    /// Changes what goes wrong.
    pub fn set_weather(&self, weather: Weather) {
        *lock(&self.weather) = weather;
        self.with(|state| state.lose_webhooks = weather.lose_webhooks);
        self.wake.notify_one();
    }

    /// What goes wrong at present.
    #[must_use]
    pub fn weather(&self) -> Weather {
        *lock(&self.weather)
    }

    /// What was taken in a stretch of time: charges, less refunds, less disputes that are open or lost.
    #[must_use]
    pub fn taken_cents(&self, from: Timestamp, until: Timestamp) -> i64 {
        self.with(|state| payments::taken_cents(state, from, until))
    }

    /// The method and the path of every call under `/v1`, oldest first.
    #[must_use]
    pub fn calls(&self) -> Vec<(String, String)> {
        lock(&self.calls).clone()
    }

    /// Every event, oldest first.
    #[must_use]
    pub fn events(&self) -> Vec<Value> {
        self.with(|state| state.all("event").cloned().collect())
    }

    /// A new customer, by name.
    #[must_use]
    pub fn customer(&self, email: &str, metadata: &[(&str, &str)]) -> String {
        let metadata: Value = metadata.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value))).collect();
        self.with(|state| {
            let customer = objects::customer(state, Some(email), None, &metadata);
            state.put(customer.clone());
            state.emit("customer.created", &customer);
            state::text(&customer, "/id").to_owned()
        })
    }

    /// A subscription that is paid for at once with a card that works, by name.
    ///
    /// # Errors
    /// [`StandInError::Refused`] when there is no such customer or no such recurring price.
    pub fn subscribe(&self, customer: &str, price: &str) -> Result<String, StandInError> {
        self.with(|state| {
            state.need("customer", customer)?;
            let held = state.need("price", price)?;
            if held["recurring"].is_null() {
                return Err(StandInError::Refused(format!("{price} is paid once")));
            }
            let (subscription, _) =
                subscriptions::start(state, customer, &held, Card::Works, Moment::Present, &json!({}));
            Ok(state::text(&subscription, "/id").to_owned())
        })
    }

    /// How many objects of a kind there are, such as `checkout.session`.
    #[must_use]
    pub fn count(&self, kind: &str) -> usize {
        self.with(|state| state.all(kind).count())
    }

    /// How many subscriptions stand like this, such as `active`.
    #[must_use]
    pub fn subscriptions_with_status(&self, status: &str) -> usize {
        self.with(|state| state.all("subscription").filter(|held| state::text(held, "/status") == status).count())
    }

    /// Puts a price on offer or takes it off: what is off cannot be bought.
    pub fn set_price_active(&self, price: &str, active: bool) {
        self.with(|state| state.set("price", price, &[("/active", active.into())]));
    }

    /// Forgets every customer, as Stripe's other mode knows none of this one's.
    pub fn forget_customers(&self) {
        self.with(|state| state.forget("customer"));
    }

    /// Changes what a price amounts to from now on, in cents.
    pub fn set_price(&self, price: &str, cents: i64) {
        self.with(|state| state.set("price", price, &[("/unit_amount", cents.into())]));
    }

    /// Pays an open checkout with a card that works.
    ///
    /// # Errors
    /// [`StandInError::Refused`] when there is no such checkout, or it is no longer open.
    pub fn pay(&self, session: &str) -> Result<(), StandInError> {
        self.with(|state| {
            let held = state.need("checkout.session", session)?;
            if state::text(&held, "/status") != "open" {
                return Err(StandInError::Refused(format!("{session} is not open")));
            }
            checkout::complete(state, session, Card::Works, Moment::Present);
            Ok(())
        })
    }

    /// Gives back a part of a charge: the refund, by name.
    ///
    /// # Errors
    /// [`StandInError::Refused`] when there is no such charge or less is left.
    pub fn refund(&self, charge: &str, amount: i64) -> Result<String, StandInError> {
        self.with(|state| {
            let refund = payments::refund(state, charge, Some(amount), &json!({}), None)?;
            Ok(state::text(&refund, "/id").to_owned())
        })
    }

    /// Lets a refund fail after all, as it does when an account at the bank is closed.
    ///
    /// # Errors
    /// [`StandInError::Refused`] when there is no such refund or it has failed before.
    pub fn fail_refund(&self, refund: &str) -> Result<(), StandInError> {
        self.with(|state| Ok(payments::fail_refund(state, refund)?))
    }

    /// Opens a dispute about a charge: its name.
    ///
    /// # Errors
    /// [`StandInError::Refused`] when there is no such charge or it cannot be disputed.
    pub fn dispute(&self, charge: &str) -> Result<String, StandInError> {
        self.with(|state| Ok(state::text(&payments::dispute(state, charge)?, "/id").to_owned()))
    }

    /// Settles a dispute.
    ///
    /// # Errors
    /// [`StandInError::Refused`] when there is no such dispute or it is settled already.
    pub fn close_dispute(&self, dispute: &str, won: bool) -> Result<(), StandInError> {
        self.with(|state| Ok(payments::close_dispute(state, dispute, won).map(|_| ())?))
    }

    /// Works on the state as it is now, after everything that was due, and keeps what changed.
    fn with<R>(&self, work: impl FnOnce(&mut State) -> R) -> R {
        let mut state = lock(&self.state);
        due::catch_up(&mut state, self.clock.now().as_second());
        let result = work(&mut state);
        if std::mem::take(&mut state.changed) {
            if let Some(file) = &self.settings.file
                && let Err(error) = state.save(file)
            {
                tracing::error!(%error, "the stand-in for Stripe cannot keep its state");
            }
            self.wake.notify_one();
        }
        result
    }

    /// Moves the clock, and does what is due by then.
    fn move_clock(&self, state: &mut State, by: Duration) {
        self.clock.advance(by);
        state.shift_seconds = state.shift_seconds.saturating_add(by.as_secs());
        state.changed = true;
        due::catch_up(state, self.clock.now().as_second());
    }

    fn note_call(&self, method: &str, path: &str) {
        let mut calls = lock(&self.calls);
        if calls.len() >= MOST_CALLS {
            calls.drain(..MOST_CALLS / 2);
        }
        calls.push((method.to_owned(), path.to_owned()));
    }
}

/// Puts the prices on offer and takes others off it.
fn offer(state: &mut State, prices: &[StripePrice]) {
    let known: Vec<_> = state.all("price").map(|price| state::text(price, "/id").to_owned()).collect();
    for id in known.iter().filter(|id| prices.iter().all(|price| price.id != **id)) {
        state.set("price", id, &[("/active", false.into())]);
    }
    for price in prices {
        let (product, price) = (objects::product(state, price), objects::price(state, price));
        state.put(product);
        state.put(price);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What a panic leaves behind is at worst half of one change to a demonstration.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
