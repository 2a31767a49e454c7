//! Who is calling. [`Identity`] stands around the API and looks at the access token of a call once; the gates
//! [`SignedIn`], [`Consented`], [`Subscriber`] and [`Superuser`] are arguments of handlers: a handler that takes one
//! cannot run for anybody else, so there is no check to forget. They refuse in this order: 401, 403, 402.
//!
//! What stands around the handlers learns who called from [`caller`] (before) and [`answered_to`] (after).

use poem::http::StatusCode;
use poem::http::header::{AUTHORIZATION, HeaderName, HeaderValue};
use poem::{Endpoint, IntoResponse as _, Middleware, Request, RequestBody, Response};
use poem_openapi::registry::{MetaSecurityScheme, Registry};
use poem_openapi::types::Example;
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions, Object};
use secrecy::ExposeSecret as _;

use crate::account::{Account, AccountId, Accounts, Authenticated};
use crate::billing::{Standing, Subscription, SubscriptionStatus, Subscriptions};
use crate::error::{Code, Error};

pub use crate::billing::Plan;

/// The header in which an answer brings a fresh access token, when the session was renewed.
pub const RENEWED_TOKEN: HeaderName = HeaderName::from_static("x-access-token");

/// The name of the bearer scheme in the published document.
const SCHEME: &str = "AccessToken";

/// Middleware that looks at the access token of every call and lets everybody through: refusing is for the gates.
#[derive(Clone, Debug)]
pub struct Identity {
    accounts: Accounts,
    subscriptions: Subscriptions,
}

impl Identity {
    /// Identity by these accounts, entitlement by these subscriptions.
    #[must_use]
    pub const fn new(accounts: Accounts, subscriptions: Subscriptions) -> Self {
        Self { accounts, subscriptions }
    }
}

/// A subscription as its holder sees it.
#[derive(Debug, Object)]
#[oai(rename = "Subscription", example)]
pub struct HeldSubscription {
    /// `trial`, `monthly` or `annual`.
    plan: String,
    /// `active`, or `past_due` while it grants access although its last payment has not come.
    status: String,
    /// When the present period began, RFC 3339 in UTC.
    current_period_start: String,
    /// When it ends, RFC 3339 in UTC.
    current_period_end: String,
    /// It ends with the present period.
    cancel_at_period_end: bool,
}

impl Example for HeldSubscription {
    fn example() -> Self {
        Self {
            plan: Plan::Monthly.to_string(),
            status: SubscriptionStatus::Active.as_str().into(),
            current_period_start: "2026-11-21T09:30:00Z".into(),
            current_period_end: "2026-12-21T09:30:00Z".into(),
            cancel_at_period_end: false,
        }
    }
}

impl Identity {
    /// What grants an account access now, for the account's own routes, which stand below billing.
    ///
    /// # Errors
    /// What the store says.
    pub async fn subscription_of(&self, account: AccountId) -> Result<Option<HeldSubscription>, Error> {
        let held = self.subscriptions.active(account).await?;
        let late = |held: &Subscription| held.standing == Standing::PastDue;
        Ok(held.map(|held| HeldSubscription {
            plan: held.plan.to_string(),
            status: if late(&held) { SubscriptionStatus::PastDue } else { SubscriptionStatus::Active }.as_str().into(),
            current_period_start: held.current_period_start.to_string(),
            current_period_end: held.current_period_end.to_string(),
            cancel_at_period_end: held.cancel_at_period_end,
        }))
    }
}

impl<E: Endpoint> Middleware<E> for Identity {
    type Output = Identified<E>;

    fn transform(&self, endpoint: E) -> Self::Output {
        Identified { identity: self.clone(), endpoint }
    }
}

/// An endpoint that knows who calls.
#[derive(Debug)]
pub struct Identified<E> {
    identity: Identity,
    endpoint: E,
}

/// What was found out about a call.
#[derive(Clone, Debug)]
enum Presence {
    /// No access token came with it.
    Nobody,
    /// The token is not good, or could not be looked at.
    Refused(Code),
    /// The token is good.
    Somebody(Box<Authenticated>),
}

impl<E: Endpoint> Endpoint for Identified<E> {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        let presence = match bearer(&request) {
            None => Presence::Nobody,
            Some(token) => match self.identity.accounts.authenticate(token).await {
                Ok(authenticated) => Presence::Somebody(Box::new(authenticated)),
                Err(error) => {
                    if error.code().status() >= 500 {
                        tracing::error!(cause = error.cause_for_log(), "an access token could not be checked");
                    }
                    Presence::Refused(error.code())
                }
            },
        };
        let (account, renewed) = match &presence {
            Presence::Somebody(somebody) => (Some(somebody.account.id), somebody.renewed_token.clone()),
            _ => (None, None),
        };
        request.set_data(presence);
        request.set_data(self.identity.clone());
        let mut response = match self.endpoint.call(request).await {
            Ok(response) => response.into_response(),
            Err(mut error) => {
                if let Some(account) = account {
                    error.set_data(account);
                }
                return Err(error);
            }
        };
        if let Some(account) = account {
            response.set_data(account);
        }
        if let Some(value) = renewed.and_then(|token| HeaderValue::from_str(token.expose_secret()).ok()) {
            response.headers_mut().insert(RENEWED_TOKEN, value);
        }
        Ok(response)
    }
}

/// The bearer token of a call.
fn bearer(request: &Request) -> Option<&str> {
    let (scheme, token) = request.headers().get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

/// Whose call this is, for whatever stands between [`Identity`] and the handlers.
#[must_use]
pub fn caller(request: &Request) -> Option<AccountId> {
    match request.data::<Presence>()? {
        Presence::Somebody(somebody) => Some(somebody.account.id),
        _ => None,
    }
}

/// Whose call this answers, for whatever stands around [`Identity`].
#[must_use]
pub fn answered_to(response: &Response) -> Option<AccountId> {
    response.data::<AccountId>().copied()
}

/// Somebody with a good access token. 401 for everybody else.
#[derive(Clone, Debug)]
pub struct SignedIn {
    /// Who.
    pub account: Account,
    /// The session of the token.
    pub session: uuid::Uuid,
}

/// Somebody who has also agreed to the terms in force. 403 `consent_required` for the others.
#[derive(Clone, Debug)]
pub struct Consented {
    /// Who.
    pub account: Account,
}

/// Somebody who has also an active subscription. 402 for the others.
#[derive(Clone, Debug)]
pub struct Subscriber {
    /// Who.
    pub account: Account,
    /// What they hold.
    pub subscription: Subscription,
}

/// Somebody who may see the numbers of the whole installation. 403 for the others.
#[derive(Clone, Debug)]
pub struct Superuser {
    /// Who.
    pub account: Account,
}

impl SignedIn {
    fn of(request: &Request) -> Result<Self, Error> {
        match request.data::<Presence>() {
            Some(Presence::Somebody(somebody)) => {
                Ok(Self { account: somebody.account.clone(), session: somebody.session })
            }
            Some(Presence::Refused(code)) => Err(Error::new(*code)),
            Some(Presence::Nobody) => Err(Error::new(Code::TokenMissing)),
            None => Err(Error::internal("a gate stands outside of `Identity`")),
        }
    }

    #[allow(clippy::unused_async, reason = "all gates open in the same way")]
    async fn pass(request: &Request) -> Result<Self, Error> {
        Self::of(request)
    }
}

impl Consented {
    fn of(request: &Request) -> Result<Self, Error> {
        let SignedIn { account, .. } = SignedIn::of(request)?;
        if account.consent_required() { Err(Error::new(Code::ConsentRequired)) } else { Ok(Self { account }) }
    }

    #[allow(clippy::unused_async, reason = "all gates open in the same way")]
    async fn pass(request: &Request) -> Result<Self, Error> {
        Self::of(request)
    }
}

impl Subscriber {
    async fn pass(request: &Request) -> Result<Self, Error> {
        let Consented { account } = Consented::of(request)?;
        let subscriptions = &identity_of(request)?.subscriptions;
        let held = subscriptions.active(account.id).await?;
        held.map(|subscription| Self { account, subscription }).ok_or(Error::new(Code::SubscriptionRequired))
    }
}

impl Superuser {
    #[allow(clippy::unused_async, reason = "all gates open in the same way")]
    async fn pass(request: &Request) -> Result<Self, Error> {
        let SignedIn { account, .. } = SignedIn::of(request)?;
        if account.is_superuser {
            Ok(Self { account })
        } else {
            Err(Error::new(Code::Forbidden)
                .saying("Sono richiesti privilegi di amministratore per accedere a questa pagina."))
        }
    }
}

fn identity_of(request: &Request) -> Result<&Identity, Error> {
    request.data::<Identity>().ok_or_else(|| Error::internal("a gate stands outside of `Identity`"))
}

fn refused(error: Error) -> poem::Error {
    let status = StatusCode::from_u16(error.code().status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    poem::Error::new(error, status)
}

macro_rules! gates {
    ($($gate:ident),+) => {$(
        impl<'a> ApiExtractor<'a> for $gate {
            const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::SecurityScheme];
            type ParamType = ();
            type ParamRawType = ();

            fn register(registry: &mut Registry) {
                registry.create_security_scheme(SCHEME, MetaSecurityScheme {
                    ty: "http",
                    description: Some("The access token that `POST /api/v1/auth/exchange` gives."),
                    name: None,
                    key_in: None,
                    scheme: Some("bearer"),
                    bearer_format: Some("JWT"),
                    flows: None,
                    openid_connect_url: None,
                });
            }

            fn security_schemes() -> Vec<&'static str> {
                vec![SCHEME]
            }

            async fn from_request(
                request: &'a Request,
                _body: &mut RequestBody,
                _options: ExtractParamOptions<Self::ParamType>,
            ) -> poem::Result<Self> {
                $gate::pass(request).await.map_err(refused)
            }
        }
    )+};
}
gates!(SignedIn, Consented, Subscriber, Superuser);
