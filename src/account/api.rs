//! The routes of signing in and of the account. The two that the browser itself visits answer with redirects, also
//! when they fail: nobody who clicks a button should be left in front of JSON.

use poem::Request;
use poem::web::cookie::{Cookie, SameSite};
use poem_openapi::param::Query;
use poem_openapi::payload::Json;
use poem_openapi::types::Example;
use poem_openapi::{ApiResponse, Object, OpenApi, Tags};
use secrecy::ExposeSecret as _;
use url::form_urlencoded;

use super::{Account, Accounts, Answer, COOKIE_LIFETIME, MINIMUM_AGE, TERMS_VERSION};
use crate::error::{Code, Error};
use crate::http::identity::{HeldSubscription, Identity, Plan, SignedIn};
use crate::http::problem::Failure;

/// Where the browser is sent when a sign-in is over, well or not.
const LANDING_PATH: &str = "/auth/callback";

#[derive(Tags)]
enum Tag {
    /// Signing in with Google, the access token, the consent to the terms.
    Account,
}

/// The signed-in person.
#[derive(Object)]
#[oai(example, skip_serializing_if_is_none)]
pub(crate) struct User {
    /// The address that Google has verified.
    email: String,
    /// The full name at Google; may be empty.
    full_name: String,
    /// The same as `full_name`.
    name: String,
    /// The name that the person chose to be called by.
    display_name: Option<String>,
    /// The address of a picture, over https.
    picture: Option<String>,
    /// The first sign-in, RFC 3339 in UTC.
    created_at: String,
    /// May see the numbers of the whole installation.
    is_superuser: bool,
    /// The terms in force are not yet agreed to: most calls answer 403 `consent_required` until they are.
    consent_required: bool,
    /// The version of the terms in force, for `POST /account/consent`.
    terms_version: String,
    /// What grants access now.
    subscription: Option<HeldSubscription>,
}

impl User {
    fn new(account: Account, subscription: Option<HeldSubscription>) -> Self {
        Self {
            consent_required: account.consent_required(),
            email: account.email,
            name: account.full_name.clone(),
            full_name: account.full_name,
            display_name: None,
            picture: account.picture,
            created_at: account.created_at.to_string(),
            is_superuser: account.is_superuser,
            terms_version: TERMS_VERSION.into(),
            subscription,
        }
    }
}

impl Example for User {
    fn example() -> Self {
        Self {
            email: "anna.bianchi@example.it".into(),
            full_name: "Anna Bianchi".into(),
            name: "Anna Bianchi".into(),
            display_name: None,
            picture: None,
            created_at: "2026-11-21T09:30:00Z".into(),
            is_superuser: false,
            consent_required: false,
            terms_version: TERMS_VERSION.into(),
            subscription: Some(HeldSubscription::example()),
        }
    }
}

/// A ticket to exchange.
#[derive(Object)]
#[oai(example)]
pub(crate) struct ExchangeRequest {
    /// The `token` with which `/auth/callback` was opened.
    token: String,
}

impl Example for ExchangeRequest {
    fn example() -> Self {
        Self { token: "q1Zk6V0uQm9rVHdYc1p0aGlzLWlzLWFuLWV4YW1wbGU".into() }
    }
}

/// Someone who has just signed in.
#[derive(Object)]
#[oai(example)]
pub(crate) struct ExchangeResponse {
    /// Goes into `Authorization: Bearer …` of every call. Good for 30 days; an answer may bring a fresh one in
    /// `X-Access-Token`.
    access_token: String,
    /// Who it is.
    user: User,
}

impl Example for ExchangeResponse {
    fn example() -> Self {
        Self { access_token: "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl".into(), user: User::example() }
    }
}

/// Agreement to the terms.
#[derive(Object)]
#[oai(example)]
pub(crate) struct ConsentRequest {
    /// The version that the person has read.
    terms_version: String,
    /// The person confirms to be at least 16 years old.
    minimum_age_confirmed: bool,
}

impl Example for ConsentRequest {
    fn example() -> Self {
        Self { terms_version: TERMS_VERSION.into(), minimum_age_confirmed: true }
    }
}

/// Sends the browser elsewhere.
#[derive(ApiResponse)]
pub(crate) enum Redirect {
    /// To Google, or back to the page of the product.
    #[oai(status = 302)]
    Found(
        /// Where to.
        #[oai(header = "Location")]
        String,
        /// The sign-in under way, for ten minutes; taken back when it is over.
        #[oai(header = "Set-Cookie")]
        String,
        /// The address holds a secret of one use.
        #[oai(header = "Cache-Control")]
        String,
    ),
}

/// Done; there is nothing to say.
#[derive(ApiResponse)]
pub(crate) enum NoContent {
    /// Done.
    #[oai(status = 204)]
    Done,
}

/// The routes of signing in and of the account.
#[derive(Clone, Debug)]
pub struct AccountApi {
    accounts: Accounts,
    identity: Identity,
    /// The product is reached over https.
    secure: bool,
}

impl AccountApi {
    /// The routes on these accounts, for a product that is reached under `public_origin`.
    #[must_use]
    pub fn new(accounts: Accounts, identity: Identity, public_origin: &str) -> Self {
        Self { accounts, identity, secure: public_origin.starts_with("https://") }
    }

    /// `__Host-`: no other host of the domain and no page without https can plant or overwrite it.
    const fn cookie_name(&self) -> &'static str {
        if self.secure { "__Host-rimedio-sign-in" } else { "rimedio-sign-in" }
    }

    fn cookie(&self, value: &str, lifetime: std::time::Duration) -> String {
        let mut cookie = Cookie::new_with_str(self.cookie_name(), value);
        cookie.set_path("/");
        cookie.set_http_only(true);
        cookie.set_secure(self.secure);
        cookie.set_same_site(SameSite::Lax);
        cookie.set_max_age(lifetime);
        cookie.to_string()
    }

    fn brought_back(&self, request: &Request) -> Option<String> {
        let headers = request.headers().get_all(poem::http::header::COOKIE);
        let mut pairs = headers.iter().filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(';'));
        pairs.find_map(|pair| {
            let (name, value) = pair.trim().split_once('=')?;
            (name == self.cookie_name()).then(|| value.to_owned())
        })
    }

    fn to_google(&self, address: &url::Url, cookie: &str) -> Redirect {
        let lifetime = std::time::Duration::from_secs(COOKIE_LIFETIME.unsigned_abs().as_secs());
        Redirect::Found(address.to_string(), self.cookie(cookie, lifetime), "no-store".into())
    }

    /// Back to the page, with what it needs to know in its query. The cookie has served.
    fn to_page(&self, query: &[(&str, &str)]) -> Redirect {
        let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(query).finish();
        let forgotten = self.cookie("", std::time::Duration::ZERO);
        Redirect::Found(format!("{LANDING_PATH}?{query}"), forgotten, "no-store".into())
    }

    fn to_page_with_error(&self, error: &Error) -> Redirect {
        tracing::warn!(code = error.code().as_str(), cause = error.cause_for_log(), "a sign-in failed");
        self.to_page(&[("error", error.detail())])
    }

    async fn user(&self, account: Account) -> Result<User, Error> {
        let subscription = self.identity.subscription_of(account.id).await?;
        Ok(User::new(account, subscription))
    }
}

#[OpenApi(prefix_path = "/api/v1", tag = "Tag::Account")]
impl AccountApi {
    /// Begin to sign in with Google
    ///
    /// For the browser's address bar, not for a data call. Leads to `/auth/callback?token=…` in the end, or to
    /// `/auth/callback?error=…` with a sentence for the person.
    #[oai(path = "/auth/google/login", method = "get", operation_id = "begin_sign_in")]
    async fn login(
        &self,
        /// The plan to check out afterwards; anything but `trial`, `monthly` and `annual` is ignored.
        #[oai(example = "example_plan")]
        plan: Query<Option<String>>,
    ) -> Redirect {
        let plan = plan.0.and_then(|name| name.parse::<Plan>().ok()).map(|plan| plan.as_str().to_owned());
        match self.accounts.begin_sign_in(plan).await {
            Ok(start) => self.to_google(&start.address, start.cookie.expose_secret()),
            Err(error) => self.to_page_with_error(&error),
        }
    }

    /// Come back from Google
    ///
    /// Google sends the browser here. The answer leads to `/auth/callback?token=…[&plan=…]` with a ticket of 60
    /// seconds and one use, or to `/auth/callback?error=…`.
    #[oai(path = "/auth/google/callback", method = "get", operation_id = "complete_sign_in")]
    async fn callback(
        &self,
        request: &Request,
        /// The authorization code.
        code: Query<Option<String>>,
        /// The state that was sent along.
        state: Query<Option<String>>,
        /// Why there is no code.
        error: Query<Option<String>>,
    ) -> Redirect {
        let cookie = self.brought_back(request);
        let answer = Answer { code: code.0, state: state.0, error: error.0 };
        match self.accounts.complete_sign_in(cookie.as_deref(), answer).await {
            Ok(done) => {
                let mut query = vec![("token", done.ticket.expose_secret())];
                query.extend(done.plan.as_deref().map(|plan| ("plan", plan)));
                self.to_page(&query)
            }
            Err(error) => self.to_page_with_error(&error),
        }
    }

    /// Exchange the ticket for an access token
    ///
    /// Each ticket is good once, within 60 seconds.
    #[oai(path = "/auth/exchange", method = "post", operation_id = "exchange_ticket")]
    async fn exchange(&self, request: Json<ExchangeRequest>) -> Result<Json<ExchangeResponse>, Failure> {
        let (token, account) = self.accounts.exchange(&request.0.token).await?;
        let user = self.user(account).await?;
        Ok(Json(ExchangeResponse { access_token: token.expose_secret().to_owned(), user }))
    }

    /// Sign out
    ///
    /// Ends the session of the access token at once; other devices stay signed in.
    #[oai(path = "/auth/logout", method = "post", operation_id = "sign_out")]
    async fn logout(&self, who: SignedIn) -> Result<NoContent, Failure> {
        self.accounts.sign_out(who.session).await?;
        Ok(NoContent::Done)
    }

    /// The signed-in person
    #[oai(path = "/auth/me", method = "get", operation_id = "current_user")]
    async fn me(&self, who: SignedIn) -> Result<Json<User>, Failure> {
        Ok(Json(self.user(who.account).await?))
    }

    /// Agree to the terms and confirm the minimum age
    ///
    /// Kept with its time. 409 when the version is not the one in force.
    #[oai(path = "/account/consent", method = "post", operation_id = "give_consent")]
    async fn consent(&self, who: SignedIn, request: Json<ConsentRequest>) -> Result<Json<User>, Failure> {
        if !request.0.minimum_age_confirmed {
            let sentence = format!("Per usare il servizio devi confermare di avere almeno {MINIMUM_AGE} anni.");
            return Err(Error::new(Code::InvalidInput).saying(sentence).into());
        }
        let account = self.accounts.consent(who.account.id, &request.0.terms_version).await?;
        Ok(Json(self.user(account).await?))
    }
}

#[allow(clippy::unnecessary_wraps, reason = "the type is that of the parameter")]
fn example_plan() -> Option<String> {
    Some("trial".into())
}
