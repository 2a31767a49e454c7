//! What the gates let through: the consent to the terms, superusers, subscribers.

use poem::listener::TcpAcceptor;
use poem::{Endpoint, EndpointExt as _, Route, Server};
use poem_openapi::payload::PlainText;
use poem_openapi::{OpenApi, OpenApiService};
use reqwest::StatusCode;
use rimedio::account::TERMS_VERSION;
use rimedio::http::identity::{Consented, Identity, SignedIn, Subscriber, Superuser};
use rimedio::http_client::http_client;
use serde_json::json;

use crate::support::{Resident, Town, assert_refused, json_of};

/// One route behind each gate, so that each is tried alone.
struct Doors;

#[OpenApi]
impl Doors {
    #[oai(path = "/signed-in", method = "get")]
    async fn signed_in(&self, who: SignedIn) -> PlainText<String> {
        PlainText(who.account.email)
    }
    #[oai(path = "/consented", method = "get")]
    async fn consented(&self, who: Consented) -> PlainText<String> {
        PlainText(who.account.email)
    }
    #[oai(path = "/subscriber", method = "get")]
    async fn subscriber(&self, who: Subscriber) -> PlainText<String> {
        PlainText(who.subscription.plan.to_string())
    }
    #[oai(path = "/superuser", method = "get")]
    async fn superuser(&self, who: Superuser) -> PlainText<String> {
        PlainText(who.account.email)
    }
}

/// The doors on a free port.
async fn serve(endpoint: impl Endpoint + 'static) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let acceptor = TcpAcceptor::from_tokio(listener).expect("a listener that accepts");
    tokio::spawn(Server::new_with_acceptor(acceptor).run(endpoint));
    address
}

fn doors() -> Route {
    Route::new().nest("/", OpenApiService::new(Doors, "doors", "1"))
}

/// The status that each gate answers with: signed in, consented, subscriber, superuser.
async fn statuses(town: &Town, who: Option<&Resident>) -> [u16; 4] {
    let identity = Identity::new(town.app.accounts.clone(), town.app.subscriptions.clone());
    let address = serve(doors().with(identity)).await;
    let client = http_client().expect("a client");
    let mut statuses = [0; 4];
    for (status, path) in statuses.iter_mut().zip(["/signed-in", "/consented", "/subscriber", "/superuser"]) {
        let mut call = client.get(format!("{address}{path}"));
        if let Some(resident) = who {
            // The scheme's name may be written in any case.
            call = call.header("authorization", format!("bearer {}", resident.token));
        }
        *status = call.send().await.expect("an answer").status().as_u16();
    }
    statuses
}

#[tokio::test]
async fn each_gate_refuses_in_the_order_401_403_402() {
    let town = Town::start().await;
    assert_eq!(statuses(&town, None).await, [401, 401, 401, 401]);
    let carla = town.sign_in_for_the_first_time("carla").await;
    assert_eq!(statuses(&town, Some(&carla)).await, [200, 403, 403, 200], "no consent yet");
    let bruno = town.sign_in("bruno").await;
    assert_eq!(statuses(&town, Some(&bruno)).await, [200, 200, 402, 403], "no plan");
    let anna = town.sign_in("anna").await;
    assert_eq!(statuses(&town, Some(&anna)).await, [200, 200, 200, 403], "a plan");
    let cancelled = anna.post("/api/v1/payment/cancel-subscription", &serde_json::Value::Null).await;
    assert_eq!(cancelled.status(), StatusCode::OK);
    town.clock.advance(std::time::Duration::from_secs(32 * 86_400));
    assert_eq!(statuses(&town, Some(&anna)).await, [401, 401, 401, 401], "the session has ended");
    let anna = town.sign_in("anna").await;
    assert_eq!(statuses(&town, Some(&anna)).await, [200, 200, 402, 403], "the plan has ended");
}

#[tokio::test]
async fn a_gate_without_its_middleware_lets_nobody_through() {
    let address = serve(doors()).await;
    let answer = http_client().expect("a client").get(format!("{address}/signed-in")).send().await;
    assert_eq!(answer.expect("an answer").status(), StatusCode::INTERNAL_SERVER_ERROR);
}

#[tokio::test]
async fn the_consent_needs_the_minimum_age_and_the_terms_in_force() {
    let town = Town::start().await;
    let anna = town.sign_in_for_the_first_time("anna").await;
    let path = "/api/v1/account/consent";
    let too_young = json!({ "terms_version": TERMS_VERSION, "minimum_age_confirmed": false });
    let refused = assert_refused(anna.post(path, &too_young).await, 422, "invalid_input").await;
    assert!(refused["detail"].as_str().is_some_and(|detail| detail.contains("16 anni")), "{refused}");
    let old_terms = json!({ "terms_version": "2020-01-01", "minimum_age_confirmed": true });
    assert_refused(anna.post(path, &old_terms).await, 409, "conflict").await;
    for incomplete in [json!({}), json!({ "terms_version": TERMS_VERSION })] {
        assert_refused(anna.post(path, &incomplete).await, 400, "bad_request").await;
    }
    assert_eq!(json_of(anna.get("/api/v1/auth/me").await).await["consent_required"], json!(true));

    let agreed = json!({ "terms_version": TERMS_VERSION, "minimum_age_confirmed": true });
    for _ in 0..2 {
        let answer = anna.post(path, &agreed).await;
        assert_eq!(answer.status(), StatusCode::OK);
        assert_eq!(json_of(answer).await["consent_required"], json!(false));
    }
    let account = town.app.accounts.by_email("anna.bianchi@posta.example").await.expect("she has signed in");
    assert_eq!(account.consents.len(), 1, "agreeing twice is agreeing once");
    assert_eq!(account.consents[0].terms_version, TERMS_VERSION);
}

#[tokio::test]
async fn superusers_come_from_the_configuration_and_from_the_operator() {
    let town = Town::start().await;
    let carla = town.sign_in("carla").await;
    assert_eq!(carla.user["is_superuser"], json!(true));
    let anna = town.sign_in("anna").await;
    assert_eq!(anna.user["is_superuser"], json!(false));

    let accounts = &town.app.accounts;
    let id = accounts.by_email("anna.bianchi@posta.example").await.expect("she has signed in").id;
    accounts.grant_superuser(id).await.expect("the store answers");
    assert_eq!(json_of(anna.get("/api/v1/auth/me").await).await["is_superuser"], json!(true), "at once");
    assert_eq!(town.sign_in("anna").await.user["is_superuser"], json!(true), "and at the next sign-in");
    accounts.revoke_superuser(id).await.expect("the store answers");
    assert_eq!(statuses(&town, Some(&anna)).await[3], 403, "and no more");
}
