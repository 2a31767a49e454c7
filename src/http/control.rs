//! The control socket: how an operator's command reaches a server that is running, because a store belongs to one
//! process. It lies in the data directory, which only the owner may enter, and speaks on routes of its own that no
//! network port knows.
//!
//! An [`Order`] is carried out by [`carry_out`] alone: by the server when one runs, else by the command itself.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use poem::http::StatusCode;
use poem::listener::{Listener as _, UnixListener};
use poem::web::{Data, Json};
use poem::{EndpointExt as _, IntoResponse as _, Response, Route, Server, handler, post};
use serde::{Deserialize, Serialize};

use crate::account::{Account, AccountId};
use crate::app::App;
use crate::billing::Plan;
use crate::error::{Code, Error, Result};
use crate::http_client::{ClientError, read_body, socket_client};
use crate::store::Page;

/// The socket's name in the data directory.
const NAME: &str = "control.sock";
/// How long an order may take.
const ORDER_TIMEOUT: Duration = Duration::from_secs(60);
/// No answer is longer.
const LARGEST_ANSWER: usize = 16 * 1024 * 1024;
/// How long the last orders may take once the server stops.
const LAST_ORDERS: Duration = Duration::from_secs(5);
/// How many people an order for a list gives at most.
const PEOPLE_AT_ONCE: usize = 200;

/// What an operator can ask for.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "snake_case")]
pub enum Order {
    /// Give somebody complimentary access from now on.
    Grant {
        /// Whom.
        email: String,
        /// What.
        plan: Plan,
        /// For how long; as long as the plan's period when absent.
        days: Option<u32>,
    },
    /// Let somebody see the numbers of the whole installation.
    GrantSuperuser {
        /// Whom.
        email: String,
    },
    /// Take that back.
    RevokeSuperuser {
        /// From whom.
        email: String,
    },
    /// Tell about somebody.
    Show {
        /// About whom.
        email: String,
    },
    /// Tell about everybody, some at a time.
    List {
        /// Behind this account.
        after: Option<AccountId>,
    },
}

/// What an operator is told about somebody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonSummary {
    /// What identifies the account.
    pub id: AccountId,
    /// The verified address.
    pub email: String,
    /// The full name; may be empty.
    pub full_name: String,
    /// The first sign-in, RFC 3339 in UTC.
    pub created_at: String,
    /// May see the numbers of the whole installation.
    pub is_superuser: bool,
    /// The version of the terms last agreed to.
    pub terms_version: Option<String>,
    /// What grants access now.
    pub plan: Option<Plan>,
    /// Until when.
    pub plan_ends: Option<String>,
}

/// The answer to an order: whom it is about. One for all but a list, which ends with an empty answer.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Answer {
    /// The people.
    pub people: Vec<PersonSummary>,
}

/// Does what an order says.
///
/// # Errors
/// [`Code::NotFound`] when nobody signed in with that address, or what the store says.
pub async fn carry_out(app: &App, order: Order) -> Result<Answer> {
    let account = match order {
        Order::Grant { email, plan, days } => {
            let account = app.accounts.by_email(&email).await?;
            let days = days.unwrap_or(match plan {
                Plan::Trial => app.config.plans.trial_days,
                Plan::Monthly => 30,
                Plan::Annual => 365,
            });
            app.subscriptions.grant(account.id, plan, days).await?;
            account
        }
        Order::GrantSuperuser { email } => {
            let account = app.accounts.by_email(&email).await?;
            app.accounts.grant_superuser(account.id).await?
        }
        Order::RevokeSuperuser { email } => {
            let account = app.accounts.by_email(&email).await?;
            app.accounts.revoke_superuser(account.id).await?
        }
        Order::Show { email } => app.accounts.by_email(&email).await?,
        Order::List { after } => {
            let page = Page { after, limit: PEOPLE_AT_ONCE, newest_first: false };
            let mut people = Vec::new();
            for account in app.accounts.list(page).await? {
                people.push(summary(app, account).await?);
            }
            return Ok(Answer { people });
        }
    };
    Ok(Answer { people: vec![summary(app, account).await?] })
}

async fn summary(app: &App, account: Account) -> Result<PersonSummary> {
    let held = app.subscriptions.active(account.id).await?;
    Ok(PersonSummary {
        id: account.id,
        created_at: account.created_at.to_string(),
        is_superuser: account.is_superuser,
        terms_version: account.consents.last().map(|consent| consent.terms_version.clone()),
        plan: held.as_ref().map(|held| held.plan),
        plan_ends: held.map(|held| held.current_period_end.to_string()),
        email: account.email,
        full_name: account.full_name,
    })
}

/// How a refused order looks on the socket. Unlike a problem it carries no request id: whoever asks is the operator.
#[derive(Serialize, Deserialize)]
struct Refused {
    code: String,
    detail: String,
}

#[handler]
async fn obey(app: Data<&Arc<App>>, order: Json<Order>) -> Response {
    match carry_out(&app, order.0).await {
        Ok(answer) => Json(answer).into_response(),
        Err(error) => {
            tracing::warn!(code = error.code().as_str(), cause = error.cause_for_log(), "an order failed");
            let status = StatusCode::from_u16(error.code().status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            let refused = Refused { code: error.code().as_str().into(), detail: error.detail().into() };
            Json(refused).with_status(status).into_response()
        }
    }
}

fn path_in(directory: &Path) -> PathBuf {
    directory.join(NAME)
}

/// Listens on the socket until `shutdown` ends. The caller holds the store, so that a socket found there is one that
/// a process left behind when it was killed.
///
/// # Errors
/// When the socket cannot be made, most likely because its path is longer than the system allows (108 bytes).
pub(super) async fn serve(app: Arc<App>, shutdown: impl Future<Output = ()>) -> io::Result<()> {
    let directory = &app.config.store.directory;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    let path = path_in(directory);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(&path).with_permissions(Permissions::from_mode(0o600));
    let acceptor = listener.into_acceptor().await?;
    let routes = Route::new().at("/order", post(obey)).data(Arc::clone(&app));
    let server = Server::new_with_acceptor(acceptor);
    let result = server.run_with_graceful_shutdown(routes, shutdown, Some(LAST_ORDERS)).await;
    // Left behind it would only be found dead: nothing depends on its going.
    let _ = std::fs::remove_file(&path);
    result
}

/// A server that is running, reached over its socket.
#[derive(Debug)]
pub struct RunningServer {
    http: reqwest::Client,
}

impl RunningServer {
    /// The server that holds the store in `directory`, when one runs.
    ///
    /// # Errors
    /// When no client can be made.
    pub fn of(directory: &Path) -> Result<Option<Self>, ClientError> {
        let path = path_in(directory);
        if std::os::unix::net::UnixStream::connect(&path).is_err() {
            return Ok(None);
        }
        Ok(Some(Self { http: socket_client(&path)? }))
    }

    /// Has the server carry out an order.
    ///
    /// # Errors
    /// As [`carry_out`]; [`Code::Unavailable`] when the server goes away meanwhile.
    pub async fn carry_out(&self, order: &Order) -> Result<Answer> {
        let gone = |cause: reqwest::Error| Error::new(Code::Unavailable).because(cause);
        let call = self.http.post("http://localhost/order").timeout(ORDER_TIMEOUT).json(order);
        let response = call.send().await.map_err(gone)?;
        let status = response.status();
        let body = read_body(response, LARGEST_ANSWER).await.map_err(Error::internal)?;
        if status.is_success() {
            return serde_json::from_slice(&body).map_err(Error::internal);
        }
        let refused: Refused = serde_json::from_slice(&body).map_err(Error::internal)?;
        let code = Code::ALL.iter().copied().find(|code| code.as_str() == refused.code).unwrap_or(Code::Internal);
        Err(Error::new(code).saying(refused.detail))
    }
}
