//! The ground on which sentences about behaviour are tested: [`Town`] is the whole product with its stand-ins, over
//! real HTTP on free ports, with a clock that moves. [`Browser`] visits it as a browser would; [`Resident`] is
//! somebody who has signed in.

use std::sync::Arc;

use reqwest::header::{COOKIE, LOCATION, SET_COOKIE};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use rimedio::account::TERMS_VERSION;
use rimedio::app::App;
use rimedio::clock::Clock;
use rimedio::config::Config;
use rimedio::demo::{Demo, StripeStandIn};
use rimedio::http_client::http_client;
use rimedio::store::{DiskOptions, Store};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::oneshot;
use url::Url;

/// The product, running. It stops when it is dropped.
pub(crate) struct Town {
    /// Where it is reached, such as `http://127.0.0.1:40123`.
    pub(crate) address: String,
    /// The time of the product and of its stand-ins.
    pub(crate) clock: Clock,
    /// Its parts, for what cannot be seen from outside.
    pub(crate) app: Arc<App>,
    /// The stand-in for Stripe, with its levers.
    pub(crate) stripe: Arc<StripeStandIn>,
    http: Client,
    _directory: TempDir,
    stop: Option<oneshot::Sender<()>>,
}

impl Town {
    /// The product as the demonstration configures it.
    pub(crate) async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    /// The product with a configuration changed before it starts.
    pub(crate) async fn start_with(change: impl FnOnce(&mut Config)) -> Self {
        let directory = tempfile::tempdir().expect("a directory for the data");
        let mut demo = Demo::bind(0, directory.path(), None).await.expect("two free ports");
        change(&mut demo.config);
        let clock = Clock::system();
        let disk = DiskOptions::in_directory(&demo.config.store.directory);
        let store = Store::open(disk, "").await.expect("a store on disk");
        let running = demo.open(store, clock.clone()).await.expect("the product starts");
        let (address, app, stripe) = (running.address.clone(), Arc::clone(&running.app), Arc::clone(&running.stripe));
        let (stop, stopped) = oneshot::channel();
        tokio::spawn(running.serve(async {
            // Ends when the town is dropped, too.
            let _ = stopped.await;
        }));
        let http = http_client().expect("a client");
        Self { address, clock, app, stripe, http, _directory: directory, stop: Some(stop) }
    }

    /// Asks it to stop, as an operator would; what runs is finished.
    pub(crate) fn stop(&mut self) {
        self.stop.take();
    }

    /// A call without a token.
    pub(crate) fn call(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.address))
    }

    /// A browser with no cookies.
    pub(crate) fn browser(&self) -> Browser {
        Browser { http: self.http.clone(), cookies: Vec::new() }
    }

    /// Signs in one of the people of the demonstration ("anna" with a monthly plan, "bruno" with none, "carla" a
    /// superuser with an annual one) through every page of it, and agrees to the terms.
    pub(crate) async fn sign_in(&self, person: &str) -> Resident {
        let resident = self.sign_in_for_the_first_time(person).await;
        let body = json!({ "terms_version": TERMS_VERSION, "minimum_age_confirmed": true });
        let consent = resident.post("/api/v1/account/consent", &body).await;
        assert_eq!(consent.status(), StatusCode::OK);
        resident
    }

    /// The same without agreeing to anything.
    pub(crate) async fn sign_in_for_the_first_time(&self, person: &str) -> Resident {
        let mut browser = self.browser();
        let ticket = browser.ticket_for(self, person, "").await;
        let exchanged = self.exchange(&ticket).await;
        assert_eq!(exchanged.status(), StatusCode::OK);
        let body = json_of(exchanged).await;
        let token = body["access_token"].as_str().expect("an access token").to_owned();
        Resident { http: self.http.clone(), address: self.address.clone(), token, user: body["user"].clone() }
    }

    /// Sends a ticket to be exchanged.
    pub(crate) async fn exchange(&self, ticket: &str) -> Response {
        let call = self.call(Method::POST, "/api/v1/auth/exchange").json(&json!({ "token": ticket }));
        call.send().await.expect("an answer")
    }
}

/// Somebody who has signed in.
#[derive(Clone)]
pub(crate) struct Resident {
    http: Client,
    address: String,
    /// The access token.
    pub(crate) token: String,
    /// Who it is, as `exchange` said.
    pub(crate) user: Value,
}

impl Resident {
    /// A call with the token.
    pub(crate) fn call(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.address)).bearer_auth(&self.token)
    }

    /// The same person with another token.
    pub(crate) fn with_token(&self, token: &str) -> Self {
        Self { token: token.into(), ..self.clone() }
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        self.call(Method::GET, path).send().await.expect("an answer")
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Response {
        self.call(Method::POST, path).json(body).send().await.expect("an answer")
    }
}

/// A browser: it keeps the cookies that it is given, and follows no redirect unless it is told to.
pub(crate) struct Browser {
    http: Client,
    /// Names and values.
    pub(crate) cookies: Vec<(String, String)>,
}

impl Browser {
    /// Opens an address. Cookies are kept for all ports of one host, as browsers do.
    pub(crate) async fn visit(&mut self, address: &str) -> Response {
        let cookies: Vec<_> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mut request = self.http.get(address);
        if !cookies.is_empty() {
            request = request.header(COOKIE, cookies.join("; "));
        }
        let response = request.send().await.expect("an answer");
        for line in response.headers().get_all(SET_COOKIE) {
            let line = line.to_str().expect("a cookie in ASCII");
            let (name, value) = line.split(';').next().and_then(|pair| pair.split_once('=')).expect("a cookie");
            self.cookies.retain(|(held, _)| held != name);
            if !line.contains("Max-Age=0") {
                self.cookies.push((name.into(), value.into()));
            }
        }
        response
    }

    /// Begins to sign in and chooses a person: the address with which the browser comes back from Google.
    pub(crate) async fn come_back_from_google(&mut self, town: &Town, person: &str, query: &str) -> String {
        let begun = self.visit(&format!("{}/api/v1/auth/google/login{query}", town.address)).await;
        let chooser = location(&begun);
        let page = self.visit(&chooser).await.text().await.expect("a page");
        let link = page.split('"').find(|part| part.ends_with(&format!("person={person}"))).expect("a link");
        let chosen = Url::parse(&chooser).and_then(|base| base.join(&link.replace("&amp;", "&"))).expect("an address");
        location(&self.visit(chosen.as_str()).await)
    }

    /// Signs in as far as the ticket.
    pub(crate) async fn ticket_for(&mut self, town: &Town, person: &str, query: &str) -> String {
        let back = self.come_back_from_google(town, person, query).await;
        let landed = location(&self.visit(&back).await);
        parameter(&landed, "token").unwrap_or_else(|| panic!("a ticket in {landed}"))
    }
}

/// Where an answer sends the browser.
pub(crate) fn location(response: &Response) -> String {
    assert_eq!(response.status(), StatusCode::FOUND);
    response.headers()[LOCATION].to_str().expect("an address in ASCII").to_owned()
}

/// One parameter of an address, whole or beginning with a path.
pub(crate) fn parameter(address: &str, name: &str) -> Option<String> {
    let base = Url::parse("http://rimedio.example").expect("a valid address");
    let url = base.join(address).expect("an address");
    url.query_pairs().find(|(held, _)| held == name).map(|(_, value)| value.into_owned())
}

/// The JSON of an answer.
pub(crate) async fn json_of(response: Response) -> Value {
    response.json().await.expect("JSON")
}

/// Asserts that an answer is a failure with this status and code, in Italian words and with a name in the log.
pub(crate) async fn assert_refused(response: Response, status: u16, code: &str) -> Value {
    assert_eq!(response.status().as_u16(), status);
    let body = json_of(response).await;
    assert_eq!(body["code"], code, "{body}");
    assert!(body["detail"].as_str().is_some_and(|detail| detail.len() > 5), "{body}");
    assert!(body["request_id"].as_str().is_some_and(|id| !id.is_empty()), "{body}");
    body
}
