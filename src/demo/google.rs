//! A stand-in for Google's side of a sign-in. It speaks the real protocol (OpenID Connect discovery, authorization
//! code with PKCE, token endpoint, key set) and checks what Google checks, so that the product cannot tell the
//! difference and is not told. What it leaves out is Google's password: one chooses who one is.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use jiff::{SignedDuration, Timestamp};
use jsonwebtoken::jwk::{Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use poem::http::{StatusCode, header};
use poem::web::{Data, Form, Json, Query};
use poem::{Endpoint, EndpointExt as _, IntoResponse as _, Request, Response, Route, get, handler, post};
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use url::Url;

use super::page;
use super::people::{DemoPerson, PEOPLE};
use crate::clock::Clock;
use crate::error::{Error, Result};

/// How long someone may look at the chooser.
const REQUEST_LIFETIME: SignedDuration = SignedDuration::from_mins(10);
/// How long a code is good.
const CODE_LIFETIME: SignedDuration = SignedDuration::from_secs(60);
/// How long an id_token is good; Google's are good for an hour too.
const TOKEN_LIFETIME: SignedDuration = SignedDuration::from_hours(1);
/// How much is remembered at most, so that a script in a loop does not fill the memory.
const MOST_REMEMBERED: usize = 1000;
/// The name of the one key.
const KEY_ID: &str = "stand-in-1";

/// The client that the stand-in knows, as it would be registered with Google.
#[derive(Clone, Debug)]
pub struct RegisteredClient {
    /// The client's id.
    pub id: String,
    /// The client's secret.
    pub secret: String,
    /// The only address to which browsers are sent back.
    pub redirect: String,
}

/// The stand-in.
pub struct GoogleStandIn {
    issuer: String,
    client: RegisteredClient,
    clock: Clock,
    signing: EncodingKey,
    announced: Jwk,
    requests: Mutex<HashMap<String, Remembered<Authorization>>>,
    codes: Mutex<HashMap<String, Remembered<Grant>>>,
}

impl std::fmt::Debug for GoogleStandIn {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("GoogleStandIn").field("issuer", &self.issuer).finish_non_exhaustive()
    }
}

#[derive(Clone)]
struct Remembered<T> {
    content: T,
    until: Timestamp,
}

/// A request for authorization that was found in order.
#[derive(Clone)]
struct Authorization {
    state: Option<String>,
    nonce: Option<String>,
    challenge: String,
}

/// What a code stands for.
#[derive(Clone)]
struct Grant {
    person: &'static DemoPerson,
    nonce: Option<String>,
    challenge: String,
}

#[derive(Deserialize)]
struct AuthorizationQuery {
    client_id: Option<String>,
    redirect_uri: Option<String>,
    response_type: Option<String>,
    scope: Option<String>,
    state: Option<String>,
    nonce: Option<String>,
    code_challenge: Option<String>,
    code_challenge_method: Option<String>,
}

#[derive(Deserialize)]
struct Choice {
    request: String,
    person: Option<String>,
}

#[derive(Deserialize)]
struct TokenForm {
    grant_type: Option<String>,
    code: Option<String>,
    redirect_uri: Option<String>,
    code_verifier: Option<String>,
    client_id: Option<String>,
    client_secret: Option<String>,
}

impl GoogleStandIn {
    /// A stand-in that is reached under `issuer` and signs with a key of its own.
    ///
    /// # Errors
    /// [`Code::Internal`](crate::error::Code::Internal) when no key can be made.
    pub fn new(issuer: String, client: RegisteredClient, clock: Clock) -> Result<Arc<Self>> {
        let unspecified = |_| Error::internal("no signing key can be made");
        let key = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new());
        let signing = EncodingKey::from_ec_der(key.map_err(unspecified)?.as_ref());
        let mut announced = Jwk::from_encoding_key(&signing, Algorithm::ES256).map_err(Error::internal)?;
        announced.common.key_id = Some(KEY_ID.into());
        announced.common.public_key_use = Some(PublicKeyUse::Signature);
        let (requests, codes) = (Mutex::default(), Mutex::default());
        Ok(Arc::new(Self { issuer, client, clock, signing, announced, requests, codes }))
    }

    /// Its routes.
    pub fn routes(self: Arc<Self>) -> impl Endpoint<Output = Response> + 'static {
        Route::new()
            .at("/", get(front))
            .at("/.well-known/openid-configuration", get(discovery))
            .at("/authorize", get(authorize))
            .at("/authorize/continue", get(choose))
            .at("/token", post(token))
            .at("/certs", get(keys))
            .at("/stand-in.css", get(style))
            .data(self)
            .around(with_headers)
    }

    /// What is wrong with a request for authorization, in words for a developer; or the request.
    fn check(&self, query: AuthorizationQuery) -> Result<Authorization, &'static str> {
        if query.client_id.as_deref() != Some(&self.client.id) {
            return Err("client_id is not the registered one");
        }
        if query.redirect_uri.as_deref() != Some(&self.client.redirect) {
            return Err("redirect_uri is not the registered one");
        }
        if query.response_type.as_deref() != Some("code") {
            return Err("response_type must be code");
        }
        if !query.scope.as_deref().unwrap_or_default().split(' ').any(|scope| scope == "openid") {
            return Err("scope must contain openid");
        }
        if query.code_challenge_method.as_deref() != Some("S256") {
            return Err("code_challenge_method must be S256");
        }
        let challenge = query.code_challenge.filter(|challenge| challenge.len() == 43);
        let challenge = challenge.ok_or("code_challenge must be the SHA-256 of the verifier")?;
        Ok(Authorization { state: query.state, nonce: query.nonce, challenge })
    }

    /// What is wrong with a request for a token, as OAuth names it; or the id_token.
    fn redeem(&self, form: &TokenForm, basic: Option<(String, String)>) -> Result<String, (StatusCode, &'static str)> {
        let sent = basic.or_else(|| Some((form.client_id.clone()?, form.client_secret.clone()?)));
        if sent.is_none_or(|(id, secret)| id != self.client.id || secret != self.client.secret) {
            return Err((StatusCode::UNAUTHORIZED, "invalid_client"));
        }
        if form.grant_type.as_deref() != Some("authorization_code") {
            return Err((StatusCode::BAD_REQUEST, "unsupported_grant_type"));
        }
        let invalid_grant = (StatusCode::BAD_REQUEST, "invalid_grant");
        // Taken away before it is looked at: a code is good once, also when something else is wrong.
        let code = form.code.as_deref().unwrap_or_default();
        let grant = lock(&self.codes).remove(code).ok_or(invalid_grant)?;
        let now = self.clock.now();
        let verifier = form.code_verifier.as_deref().unwrap_or_default();
        let challenge = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()));
        if grant.until <= now
            || challenge != grant.content.challenge
            || form.redirect_uri.as_deref() != Some(&self.client.redirect)
        {
            return Err(invalid_grant);
        }
        self.id_token(&grant.content, now).map_err(|_| (StatusCode::INTERNAL_SERVER_ERROR, "server_error"))
    }

    fn id_token(&self, grant: &Grant, now: Timestamp) -> jsonwebtoken::errors::Result<String> {
        let person = grant.person;
        let (given_name, family_name) = person.full_name.split_once(' ').unwrap_or((person.full_name, ""));
        let claims = json!({
            "iss": self.issuer,
            "azp": self.client.id,
            "aud": self.client.id,
            "sub": person.subject,
            "email": person.email,
            "email_verified": true,
            "name": person.full_name,
            "given_name": given_name,
            "family_name": family_name,
            "nonce": grant.nonce,
            "iat": now.as_second(),
            "exp": now.as_second() + TOKEN_LIFETIME.as_secs(),
        });
        let mut header = Header::new(Algorithm::ES256);
        header.kid = Some(KEY_ID.into());
        jsonwebtoken::encode(&header, &claims, &self.signing)
    }

    fn remember<T>(&self, map: &Mutex<HashMap<String, Remembered<T>>>, content: T, lifetime: SignedDuration) -> String {
        let mut bytes = [0; 24];
        // The system's randomness does not fail once a program runs; a name made of zeros would be no secret, but
        // nothing here is one.
        let _ = getrandom::fill(&mut bytes);
        let name = BASE64_URL_SAFE_NO_PAD.encode(bytes);
        let now = self.clock.now();
        let until = now.saturating_add(lifetime).unwrap_or(Timestamp::MAX);
        let mut map = lock(map);
        if map.len() >= MOST_REMEMBERED {
            map.retain(|_, remembered| remembered.until > now);
        }
        if map.len() >= MOST_REMEMBERED {
            map.clear();
        }
        map.insert(name.clone(), Remembered { content, until });
        name
    }

    fn back(&self, parameters: &[(&str, Option<&str>)]) -> Response {
        let present = parameters.iter().filter_map(|(name, value)| value.map(|value| (name, value)));
        match Url::parse_with_params(&self.client.redirect, present) {
            Ok(address) => see_other(address.as_str()),
            Err(_) => page::trouble("The registered redirect_uri is no address."),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every change of the maps is a single call, so a poisoned map is a whole map.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn see_other(address: &str) -> Response {
    Response::builder().status(StatusCode::FOUND).header(header::LOCATION, address).finish()
}

#[handler]
fn front() -> Response {
    page::front()
}

#[handler]
fn style() -> Response {
    page::style()
}

#[handler]
fn discovery(google: Data<&Arc<GoogleStandIn>>) -> Json<serde_json::Value> {
    let issuer = &google.issuer;
    Json(json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "jwks_uri": format!("{issuer}/certs"),
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256"],
        "scopes_supported": ["openid", "email", "profile"],
        "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
        "claims_supported": ["aud", "email", "email_verified", "exp", "family_name", "given_name", "iat", "iss", "name", "sub"],
        "code_challenge_methods_supported": ["S256"],
    }))
}

#[handler]
fn keys(google: Data<&Arc<GoogleStandIn>>) -> Json<serde_json::Value> {
    Json(json!({ "keys": [google.announced] }))
}

#[handler]
fn authorize(google: Data<&Arc<GoogleStandIn>>, query: Query<AuthorizationQuery>) -> Response {
    match google.check(query.0) {
        Ok(authorization) => {
            let name = google.remember(&google.requests, authorization, REQUEST_LIFETIME);
            page::chooser(&name, PEOPLE)
        }
        Err(why) => page::trouble(why),
    }
}

#[handler]
fn choose(google: Data<&Arc<GoogleStandIn>>, choice: Query<Choice>) -> Response {
    let now = google.clock.now();
    let remembered = lock(&google.requests).get(&choice.request).cloned();
    let Some(request) = remembered.filter(|remembered| remembered.until > now) else {
        return page::trouble("The request is unknown or too old.");
    };
    let Authorization { state, nonce, challenge } = request.content;
    let Some(key) = &choice.person else {
        return google.back(&[("error", Some("access_denied")), ("state", state.as_deref())]);
    };
    let Some(person) = PEOPLE.iter().find(|person| person.key == key) else {
        return page::trouble("There is no such person.");
    };
    let code = google.remember(&google.codes, Grant { person, nonce, challenge }, CODE_LIFETIME);
    google.back(&[("code", Some(&code)), ("state", state.as_deref())])
}

#[handler]
fn token(google: Data<&Arc<GoogleStandIn>>, request: &Request, form: Form<TokenForm>) -> Response {
    match google.redeem(&form.0, basic_credentials(request)) {
        Ok(id_token) => Json(json!({
            "access_token": BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(id_token.as_bytes())),
            "expires_in": TOKEN_LIFETIME.as_secs(),
            "scope": "openid email profile",
            "token_type": "Bearer",
            "id_token": id_token,
        }))
        .into_response(),
        Err((status, error)) => Json(json!({ "error": error })).with_status(status).into_response(),
    }
}

/// The client's id and secret in the header, each written as in a form (RFC 6749, section 2.3.1).
fn basic_credentials(request: &Request) -> Option<(String, String)> {
    let value = request.headers().get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Basic ")?;
    let pair = String::from_utf8(BASE64_STANDARD.decode(value).ok()?).ok()?;
    let (id, secret) = pair.split_once(':')?;
    let plain = |text: &str| {
        let mut pairs = url::form_urlencoded::parse(text.as_bytes());
        pairs.next().map(|(name, _)| name.into_owned())
    };
    Some((plain(id)?, plain(secret)?))
}

/// As strict as the product's own pages, although nothing is at stake here: whoever looks should see one standard.
async fn with_headers<E: Endpoint>(endpoint: Arc<E>, request: Request) -> poem::Result<Response> {
    let mut response = endpoint.get_response(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, header::HeaderValue::from_static(value));
    }
    Ok(response)
}
