//! Google's side of a sign-in, or that of any issuer that speaks OpenID Connect: authorization code with PKCE.
//! Everything about the issuer comes from its discovery document; the configuration names the issuer alone. What it
//! sends is read with limits of time and size, and believed only as far as [`id_token`](super::id_token) says.

use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use jsonwebtoken::jwk::Jwk;
use oauth2::basic::{
    BasicErrorResponse, BasicRevocationErrorResponse, BasicTokenIntrospectionResponse, BasicTokenType,
};
use oauth2::{
    AuthType, AuthUrl, AuthorizationCode, ClientId, ClientSecret, CsrfToken, EndpointNotSet, EndpointSet,
    ExtraTokenFields, HttpRequest, HttpResponse, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, Scope,
    StandardRevocableToken, StandardTokenResponse, TokenUrl,
};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::sync::Mutex;
use url::Url;

use super::id_token::{Expected, Person, Refusal, verify};
use crate::clock::Clock;
use crate::config;
use crate::error::{Code, Error, Result};
use crate::http_client::{BodyError, read_body};

/// The path on our side to which the issuer sends the browser back.
pub const CALLBACK_PATH: &str = "/api/v1/auth/google/callback";

/// How long one call to the issuer may take.
const CALL_TIMEOUT: Duration = Duration::from_secs(8);
/// How long all of them together may take, waiting for one another included.
const TOTAL_TIMEOUT: Duration = Duration::from_secs(20);
/// No document of an issuer is longer; Google's are under 4 KiB.
const LARGEST_DOCUMENT: usize = 128 * 1024;
/// How long the discovery document and the keys are taken as read.
const LIFETIME: SignedDuration = SignedDuration::from_hours(1);
/// How long an unknown key must wait before the keys are read again on its account: a flood of forged tokens is no
/// reason to flood the issuer.
const PAUSE_BETWEEN_REREADS: SignedDuration = SignedDuration::from_secs(30);

/// The issuer that the configuration names. Clones share what was read of it.
#[derive(Clone, Debug)]
pub struct Google {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    http: reqwest::Client,
    clock: Clock,
    issuer: String,
    client_id: String,
    client_secret: SecretString,
    redirect: RedirectUrl,
    discovery: Mutex<Option<Read<Discovery>>>,
    keys: Mutex<Keys>,
}

#[derive(Debug)]
struct Read<T> {
    content: Arc<T>,
    at: Timestamp,
}

#[derive(Debug, Default)]
struct Keys {
    read: Option<Read<Vec<Jwk>>>,
    reread_at: Option<Timestamp>,
}

#[derive(Debug, Deserialize)]
struct Discovery {
    issuer: String,
    authorization_endpoint: AuthUrl,
    token_endpoint: TokenUrl,
    jwks_uri: Url,
}

/// What a sign-in under way must remember until the browser comes back.
#[derive(Clone, Debug)]
pub(crate) struct Secrets {
    pub(crate) state: String,
    pub(crate) nonce: String,
    pub(crate) verifier: String,
}

#[derive(Clone, Debug, Deserialize, serde::Serialize)]
struct WithIdToken {
    id_token: String,
}

impl ExtraTokenFields for WithIdToken {}

type CodeFlow = oauth2::Client<
    BasicErrorResponse,
    StandardTokenResponse<WithIdToken, BasicTokenType>,
    BasicTokenIntrospectionResponse,
    StandardRevocableToken,
    BasicRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointSet,
>;

/// Why a document of the issuer is of no use. For the log.
#[derive(Debug, thiserror::Error)]
enum DocumentError {
    #[error("{url} cannot be reached: {source}")]
    Unreachable { url: Url, source: reqwest::Error },
    #[error("{url} answered {status}")]
    Status { url: Url, status: reqwest::StatusCode },
    #[error("{url}: {source}")]
    Body { url: Url, source: BodyError },
    #[error("{url} is not what it should be: {source}")]
    Content { url: Url, source: serde_json::Error },
    #[error("the document of {expected} says that it is of {found}")]
    Issuer { expected: String, found: String },
    #[error("{0} is not reached over https, as its issuer is")]
    Insecure(Url),
}

/// What goes wrong between us and the token endpoint.
#[derive(Debug, thiserror::Error)]
enum CallError {
    #[error(transparent)]
    Call(#[from] reqwest::Error),
    #[error(transparent)]
    Body(#[from] BodyError),
    #[error(transparent)]
    Http(#[from] oauth2::http::Error),
}

impl Google {
    /// The issuer of the configuration. Nothing is read of it before the first sign-in.
    ///
    /// # Errors
    /// [`Code::Internal`] when the public address gives no valid address to come back to.
    pub fn new(http: reqwest::Client, clock: Clock, settings: &config::Google, public_origin: &str) -> Result<Self> {
        let redirect = RedirectUrl::new(format!("{public_origin}{CALLBACK_PATH}")).map_err(Error::internal)?;
        let inner = Inner {
            http,
            clock,
            // A root address is written with a slash by our parser and without one by issuers.
            issuer: settings.issuer.as_str().trim_end_matches('/').to_owned(),
            client_id: settings.client_id.clone(),
            client_secret: settings.client_secret.clone(),
            redirect,
            discovery: Mutex::default(),
            keys: Mutex::default(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Where to send the browser, and what to remember until it comes back.
    ///
    /// # Errors
    /// [`Code::ProviderFailed`] when the issuer cannot be reached.
    pub(crate) async fn begin(&self) -> Result<(Url, Secrets)> {
        in_total_time(async {
            let discovery = self.discovery().await?;
            let flow = self.code_flow(&discovery);
            let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
            let nonce = CsrfToken::new_random();
            let (address, state) = flow
                .authorize_url(CsrfToken::new_random)
                .add_scopes(["openid", "email", "profile"].map(|scope| Scope::new(scope.into())))
                .add_extra_param("nonce", nonce.secret())
                // Whoever shares a computer must be able to say who they are.
                .add_extra_param("prompt", "select_account")
                .set_pkce_challenge(challenge)
                .url();
            let secrets =
                Secrets { state: state.into_secret(), nonce: nonce.into_secret(), verifier: verifier.into_secret() };
            Ok((address, secrets))
        })
        .await
    }

    /// Turns the code that the browser brought back into the person that the issuer vouches for.
    ///
    /// # Errors
    /// [`Code::ProviderFailed`] when the issuer cannot be reached, [`Code::SignInFailed`] when it refuses the code or
    /// its token is not believed.
    pub(crate) async fn complete(&self, code: String, secrets: Secrets) -> Result<Person> {
        in_total_time(async {
            let discovery = self.discovery().await?;
            let token = self.exchange(&discovery, code, secrets.verifier).await?;
            let expected = Expected {
                issuer: &discovery.issuer,
                client_id: &self.inner.client_id,
                nonce: &secrets.nonce,
                now: self.inner.clock.now(),
            };
            let keys = self.keys(&discovery).await?;
            let result = match verify(&token, &keys, expected) {
                Err(Refusal::UnknownKey) => {
                    let keys = self.reread_keys(&discovery).await?;
                    verify(&token, &keys, expected)
                }
                result => result,
            };
            result.map_err(|refusal| {
                let error = Error::new(Code::SignInFailed);
                let error = match refusal {
                    Refusal::UnverifiedEmail => error.saying(
                        "Google non ha ancora verificato il tuo indirizzo e-mail. Verificalo nel tuo account Google, poi riprova.",
                    ),
                    _ => error,
                };
                error.because(refusal)
            })
        })
        .await
    }

    /// Boxed, because the compiler cannot see through the library's types that the future may move between threads.
    fn exchange(&self, discovery: &Discovery, code: String, verifier: String) -> BoxFuture<'static, Result<String>> {
        let flow = self.code_flow(discovery);
        let http = self.inner.http.clone();
        async move {
            let call = move |request: HttpRequest| call(http.clone(), request);
            let answer = flow
                .exchange_code(AuthorizationCode::new(code))
                .set_pkce_verifier(PkceCodeVerifier::new(verifier))
                .request_async(&call)
                .await;
            answer.map(|answer| answer.extra_fields().id_token.clone()).map_err(|error| match error {
                // The issuer's own words on a code that it does not take: used, too old, made up.
                oauth2::RequestTokenError::ServerResponse(_) => Error::new(Code::SignInFailed).because(error),
                error => provider_failed(error),
            })
        }
        .boxed()
    }

    fn code_flow(&self, discovery: &Discovery) -> CodeFlow {
        oauth2::Client::new(ClientId::new(self.inner.client_id.clone()))
            .set_client_secret(ClientSecret::new(self.inner.client_secret.expose_secret().to_owned()))
            .set_auth_type(AuthType::RequestBody)
            .set_auth_uri(discovery.authorization_endpoint.clone())
            .set_token_uri(discovery.token_endpoint.clone())
            .set_redirect_uri(self.inner.redirect.clone())
    }

    async fn discovery(&self) -> Result<Arc<Discovery>> {
        let mut held = self.inner.discovery.lock().await;
        let now = self.inner.clock.now();
        if let Some(read) = &*held
            && now.duration_since(read.at) < LIFETIME
        {
            return Ok(Arc::clone(&read.content));
        }
        let content = Arc::new(self.read_discovery().await.map_err(provider_failed)?);
        *held = Some(Read { content: Arc::clone(&content), at: now });
        Ok(content)
    }

    async fn read_discovery(&self) -> Result<Discovery, DocumentError> {
        let issuer = &self.inner.issuer;
        let address = format!("{issuer}/.well-known/openid-configuration");
        // The configuration's issuer parsed as an address, and so does it with a path behind it.
        let address = Url::parse(&address).expect("a valid address with a path appended is valid");
        let secure = address.scheme() == "https";
        let discovery: Discovery = self.document(address).await?;
        if discovery.issuer.trim_end_matches('/') != issuer {
            return Err(DocumentError::Issuer { expected: issuer.clone(), found: discovery.issuer });
        }
        for address in [discovery.authorization_endpoint.url(), discovery.token_endpoint.url(), &discovery.jwks_uri] {
            if secure && address.scheme() != "https" {
                return Err(DocumentError::Insecure(address.clone()));
            }
        }
        Ok(discovery)
    }

    async fn keys(&self, discovery: &Discovery) -> Result<Arc<Vec<Jwk>>> {
        let mut keys = self.inner.keys.lock().await;
        let now = self.inner.clock.now();
        match &keys.read {
            Some(read) if now.duration_since(read.at) < LIFETIME => Ok(Arc::clone(&read.content)),
            _ => self.read_keys(&mut keys, discovery, now).await,
        }
    }

    /// The keys read anew, unless that was done a moment ago for the same reason.
    async fn reread_keys(&self, discovery: &Discovery) -> Result<Arc<Vec<Jwk>>> {
        let mut keys = self.inner.keys.lock().await;
        let now = self.inner.clock.now();
        if keys.reread_at.is_some_and(|at| now.duration_since(at) < PAUSE_BETWEEN_REREADS) {
            // Somebody else may have read the right ones while this call waited for its turn.
            return Ok(keys.read.as_ref().map(|read| Arc::clone(&read.content)).unwrap_or_default());
        }
        keys.reread_at = Some(now);
        self.read_keys(&mut keys, discovery, now).await
    }

    async fn read_keys(&self, keys: &mut Keys, discovery: &Discovery, now: Timestamp) -> Result<Arc<Vec<Jwk>>> {
        #[derive(Deserialize)]
        struct KeySet {
            keys: Vec<serde_json::Value>,
        }
        let set: KeySet = self.document(discovery.jwks_uri.clone()).await.map_err(provider_failed)?;
        // A kind of key that we do not know must not hide the ones that we do.
        let content: Vec<Jwk> = set.keys.into_iter().filter_map(|key| serde_json::from_value(key).ok()).collect();
        let content = Arc::new(content);
        keys.read = Some(Read { content: Arc::clone(&content), at: now });
        Ok(content)
    }

    async fn document<T: DeserializeOwned>(&self, url: Url) -> Result<T, DocumentError> {
        let sent = self.inner.http.get(url.clone()).timeout(CALL_TIMEOUT).send().await;
        let response = sent.map_err(|source| DocumentError::Unreachable { url: url.clone(), source })?;
        if !response.status().is_success() {
            return Err(DocumentError::Status { url, status: response.status() });
        }
        let body = read_body(response, LARGEST_DOCUMENT).await;
        let body = body.map_err(|source| DocumentError::Body { url: url.clone(), source })?;
        serde_json::from_slice(&body).map_err(|source| DocumentError::Content { url, source })
    }
}

async fn call(http: reqwest::Client, request: HttpRequest) -> Result<HttpResponse, CallError> {
    let mut request = reqwest::Request::try_from(request)?;
    *request.timeout_mut() = Some(CALL_TIMEOUT);
    let response = http.execute(request).await?;
    let mut answer = oauth2::http::Response::builder().status(response.status());
    for (name, value) in response.headers() {
        answer = answer.header(name, value);
    }
    Ok(answer.body(read_body(response, LARGEST_DOCUMENT).await?)?)
}

async fn in_total_time<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::time::timeout(TOTAL_TIMEOUT, work).await.unwrap_or_else(|late| Err(provider_failed(late)))
}

fn provider_failed(cause: impl StdError + Send + Sync + 'static) -> Error {
    Error::new(Code::ProviderFailed)
        .saying("Google non risponde in questo momento. Aspetta qualche minuto e riprova.")
        .because(cause)
}
