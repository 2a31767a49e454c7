//! Signing in at an issuer that lies: every way to cheat with an id_token, with keys and with its documents.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_lc_rs::encoding::{AsDer as _, PublicKeyX509Der};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use poem::http::StatusCode;
use poem::listener::TcpAcceptor;
use poem::web::{Data, Json};
use poem::{EndpointExt as _, IntoResponse as _, Response, Route, Server, get, handler, post};
use serde_json::{Value, json};

use crate::support::{Town, location, parameter};

const CLIENT: &str = "rimedio-demo.apps.example";
const REFUSED: &str = "L'accesso con Google non è riuscito. Torna alla pagina di accesso e riprova.";

/// A key of an issuer.
#[derive(Clone)]
struct SigningKey {
    name: &'static str,
    private: EncodingKey,
    public_der: Vec<u8>,
}

impl SigningKey {
    fn new(name: &'static str) -> Self {
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new());
        let pkcs8 = pkcs8.expect("a key can be made");
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8.as_ref()).expect("our own key");
        let public: PublicKeyX509Der<'_> = pair.public_key().as_der().expect("a public key has bytes");
        let public_der = public.as_ref().to_vec();
        Self { name, private: EncodingKey::from_ec_der(pkcs8.as_ref()), public_der }
    }

    fn announced(&self) -> Value {
        let mut key = Jwk::from_encoding_key(&self.private, Algorithm::ES256).expect("our own key");
        key.common.key_id = Some(self.name.into());
        serde_json::to_value(key).expect("a key as JSON")
    }

    fn sign(&self, claims: &Value) -> String {
        let mut header = Header::new(Algorithm::ES256);
        header.kid = Some(self.name.into());
        encode(&header, claims, &self.private).expect("it can be signed")
    }
}

/// What the issuer answers, changed by the tests as they go.
struct Script {
    discovery: Value,
    keys: Vec<Value>,
    /// How often the keys were asked for.
    keys_read: usize,
    token: (StatusCode, Value),
}

#[derive(Clone)]
struct Issuer {
    address: String,
    script: Arc<Mutex<Script>>,
    key: SigningKey,
}

#[handler]
fn discovery(issuer: Data<&Issuer>) -> Json<Value> {
    Json(issuer.script().discovery.clone())
}

#[handler]
fn keys(issuer: Data<&Issuer>) -> Json<Value> {
    let mut script = issuer.script();
    script.keys_read += 1;
    Json(json!({ "keys": script.keys }))
}

#[handler]
fn hand_out_token(issuer: Data<&Issuer>) -> Response {
    let (status, body) = issuer.script().token.clone();
    Json(body).with_status(status).into_response()
}

impl Issuer {
    async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let key = SigningKey::new("first");
        let script = Script {
            discovery: json!({
                "issuer": address,
                "authorization_endpoint": format!("{address}/authorize"),
                "token_endpoint": format!("{address}/token"),
                "jwks_uri": format!("{address}/keys"),
            }),
            keys: vec![key.announced()],
            keys_read: 0,
            token: (StatusCode::BAD_REQUEST, json!({ "error": "invalid_grant" })),
        };
        let issuer = Self { address, script: Arc::new(Mutex::new(script)), key };
        let routes = Route::new()
            .at("/.well-known/openid-configuration", get(discovery))
            .at("/keys", get(keys))
            .at("/token", post(hand_out_token))
            .data(issuer.clone());
        let acceptor = TcpAcceptor::from_tokio(listener).expect("a listener that accepts");
        tokio::spawn(Server::new_with_acceptor(acceptor).run(routes));
        issuer
    }

    fn script(&self) -> std::sync::MutexGuard<'_, Script> {
        self.script.lock().expect("no test has panicked with the script in hand")
    }

    async fn town(&self) -> Town {
        let address = self.address.parse().expect("an address");
        Town::start_with(move |config| config.google.issuer = address).await
    }

    fn claims(&self, town: &Town, nonce: &str) -> Value {
        let now = town.clock.now().as_second();
        json!({
            "iss": self.address, "aud": CLIENT, "azp": CLIENT, "sub": "13", "iat": now, "exp": now + 3600,
            "nonce": nonce, "email": "eva@posta.example", "email_verified": true, "name": "Eva Neri",
        })
    }

    /// Signs in while the token endpoint hands out what `forge` makes of the right claims.
    async fn hand_out(&self, town: &Town, forge: impl FnOnce(Value) -> String) -> Landed {
        let mut browser = town.browser();
        let begun = browser.visit(&format!("{}/api/v1/auth/google/login", town.address)).await;
        let asked = location(&begun);
        let (Some(state), Some(nonce)) = (parameter(&asked, "state"), parameter(&asked, "nonce")) else {
            return Landed::of(&asked);
        };
        let id_token = forge(self.claims(town, &nonce));
        self.script().token =
            (StatusCode::OK, json!({ "access_token": "a", "token_type": "Bearer", "id_token": id_token }));
        let back = format!("{}/api/v1/auth/google/callback?code=any&state={state}", town.address);
        Landed::of(&location(&browser.visit(&back).await))
    }

    async fn hand_out_with(&self, town: &Town, change: impl FnOnce(&mut Value)) -> Landed {
        self.hand_out(town, |mut claims| {
            change(&mut claims);
            self.key.sign(&claims)
        })
        .await
    }
}

/// Where the browser ends up.
#[derive(Debug, PartialEq)]
enum Landed {
    SignedIn,
    Refused(String),
}

impl Landed {
    fn of(address: &str) -> Self {
        match (parameter(address, "token"), parameter(address, "error")) {
            (Some(_), None) => Self::SignedIn,
            (None, Some(sentence)) => Self::Refused(sentence),
            _ => panic!("neither a ticket nor a sentence, or both: {address}"),
        }
    }
}

fn refused() -> Landed {
    Landed::Refused(REFUSED.into())
}

fn part(value: &Value) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(value.to_string())
}

#[tokio::test]
async fn an_issuer_in_order_is_believed() {
    let issuer = Issuer::start().await;
    let town = issuer.town().await;
    assert_eq!(issuer.hand_out_with(&town, |_| {}).await, Landed::SignedIn);
}

#[tokio::test]
async fn claims_that_do_not_fit_are_refused_without_saying_why() {
    let issuer = Issuer::start().await;
    let town = issuer.town().await;
    let now = town.clock.now().as_second();
    for (name, value) in [
        ("nonce", json!("another")),
        ("nonce", Value::Null),
        ("aud", json!("another-client")),
        ("aud", json!([CLIENT, "another-client"])),
        ("azp", json!("another-client")),
        ("iss", json!("https://accounts.google.com")),
        ("exp", json!(now - 61)),
        ("iat", json!(now + 3600)),
        ("sub", Value::Null),
    ] {
        let landed = issuer
            .hand_out_with(&town, |claims| {
                claims[name] = value.clone();
                if name == "aud" {
                    claims.as_object_mut().expect("an object").remove("azp");
                }
            })
            .await;
        assert_eq!(landed, refused(), "{name} = {value}");
    }
    assert!(town.app.accounts.by_email("eva@posta.example").await.is_err(), "no account was made");
}

#[tokio::test]
async fn an_address_that_google_has_not_verified_is_refused_with_what_to_do() {
    let issuer = Issuer::start().await;
    let town = issuer.town().await;
    for (name, value) in [("email_verified", json!(false)), ("email_verified", Value::Null), ("email", Value::Null)] {
        match issuer.hand_out_with(&town, |claims| claims[name] = value.clone()).await {
            Landed::Refused(sentence) => assert!(sentence.contains("non ha ancora verificato"), "{sentence}"),
            Landed::SignedIn => panic!("{name} = {value} was believed"),
        }
    }
}

#[tokio::test]
async fn a_token_that_is_unsigned_or_signed_with_what_everybody_knows_is_refused() {
    let issuer = Issuer::start().await;
    let town = issuer.town().await;
    for algorithm in ["none", "None", "nOnE"] {
        let landed =
            issuer.hand_out(&town, |claims| format!("{}.{}.", part(&json!({ "alg": algorithm })), part(&claims)));
        assert_eq!(landed.await, refused(), "{algorithm}");
    }
    for keep in [true, false] {
        let landed = issuer.hand_out(&town, |claims| {
            let token = issuer.key.sign(&claims);
            let unsigned = token.rsplit_once('.').expect("three parts").0;
            if keep { format!("{unsigned}.") } else { unsigned.to_owned() }
        });
        assert_eq!(landed.await, refused(), "without its signature");
    }
    // HS256 with the public key in every form in which a careless library may hold it.
    let pem = format!(
        "-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n",
        BASE64_STANDARD.encode(&issuer.key.public_der)
    );
    let announced = issuer.key.announced();
    let x = announced["x"].as_str().expect("a coordinate").as_bytes().to_vec();
    for secret in [issuer.key.public_der.clone(), pem.into_bytes(), announced.to_string().into_bytes(), x, Vec::new()] {
        let landed = issuer.hand_out(&town, |claims| {
            let mut header = Header::new(Algorithm::HS256);
            header.kid = Some("first".into());
            encode(&header, &claims, &EncodingKey::from_secret(&secret)).expect("it can be signed")
        });
        assert_eq!(landed.await, refused());
    }
}

#[tokio::test]
async fn a_key_that_the_token_brings_along_is_not_looked_at() {
    let issuer = Issuer::start().await;
    let town = issuer.town().await;
    let impostor = SigningKey::new("first");
    let landed = issuer.hand_out(&town, |claims| {
        let mut header = Header::new(Algorithm::ES256);
        header.kid = Some("first".into());
        header.jwk = serde_json::from_value(impostor.announced()).ok();
        encode(&header, &claims, &impostor.private).expect("it can be signed")
    });
    assert_eq!(landed.await, refused());
}

#[tokio::test]
async fn new_keys_are_found_and_unknown_ones_do_not_make_us_ask_again_and_again() {
    let issuer = Issuer::start().await;
    let town = issuer.town().await;
    for _ in 0..3 {
        assert_eq!(issuer.hand_out_with(&town, |_| {}).await, Landed::SignedIn);
    }
    assert_eq!(issuer.script().keys_read, 1, "what was read is kept");

    let second = SigningKey::new("second");
    issuer.script().keys = vec![second.announced()];
    assert_eq!(issuer.hand_out(&town, |claims| second.sign(&claims)).await, Landed::SignedIn);
    assert_eq!(issuer.script().keys_read, 2, "an unknown key is worth a look");

    let nobodys = SigningKey::new("nobody's");
    for _ in 0..5 {
        assert_eq!(issuer.hand_out(&town, |claims| nobodys.sign(&claims)).await, refused());
    }
    assert_eq!(issuer.script().keys_read, 2, "not one after another");
    assert_eq!(issuer.hand_out_with(&town, |_| {}).await, refused(), "the old key is gone");
    town.clock.advance(Duration::from_secs(31));
    assert_eq!(issuer.hand_out(&town, |claims| nobodys.sign(&claims)).await, refused());
    assert_eq!(issuer.script().keys_read, 3, "after a pause it is worth a look again");
}

#[tokio::test]
async fn keys_that_we_do_not_know_do_not_hide_the_ones_that_we_do() {
    let issuer = Issuer::start().await;
    let town = issuer.town().await;
    issuer.script().keys = vec![
        json!({ "kty": "something-new", "kid": "first-of-all" }),
        json!({ "kty": "EC", "crv": "P-1024", "x": "AA", "y": "AA", "kid": "strange" }),
        json!("not even an object"),
        json!({ "kty": "oct", "k": "c2VjcmV0", "kid": "secret" }),
        issuer.key.announced(),
    ];
    assert_eq!(issuer.hand_out_with(&town, |_| {}).await, Landed::SignedIn);
}

#[tokio::test]
async fn documents_that_are_not_the_issuers_or_too_long_are_refused() {
    for (name, value) in [
        ("issuer", json!("https://accounts.google.com")),
        ("issuer", Value::Null),
        ("token_endpoint", json!("not an address")),
        ("padding", json!("x".repeat(200_000))),
    ] {
        let issuer = Issuer::start().await;
        issuer.script().discovery[name] = value;
        let town = issuer.town().await;
        match issuer.hand_out_with(&town, |_| {}).await {
            Landed::Refused(sentence) => assert!(sentence.starts_with("Google non risponde"), "{sentence}"),
            Landed::SignedIn => panic!("{name} was believed"),
        }
    }
}

#[tokio::test]
async fn a_token_endpoint_that_fails_is_told_apart_from_one_that_refuses() {
    let issuer = Issuer::start().await;
    let town = issuer.town().await;
    for (status, body, beginning) in [
        (StatusCode::BAD_REQUEST, json!({ "error": "invalid_grant" }), "L'accesso con Google non è riuscito"),
        (StatusCode::INTERNAL_SERVER_ERROR, json!("down"), "Google non risponde"),
        (StatusCode::OK, json!({ "access_token": "a", "token_type": "Bearer" }), "Google non risponde"),
        (StatusCode::OK, json!("x".repeat(200_000)), "Google non risponde"),
    ] {
        let mut browser = town.browser();
        let begun = browser.visit(&format!("{}/api/v1/auth/google/login", town.address)).await;
        let state = parameter(&location(&begun), "state").expect("a state");
        issuer.script().token = (status, body);
        let back = format!("{}/api/v1/auth/google/callback?code=any&state={state}", town.address);
        match Landed::of(&location(&browser.visit(&back).await)) {
            Landed::Refused(sentence) => assert!(sentence.starts_with(beginning), "{status}: {sentence}"),
            Landed::SignedIn => panic!("{status} was believed"),
        }
    }
}
