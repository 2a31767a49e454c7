//! The door: the only place that knows all routes. It turns requests into calls of the capabilities and failures
//! into problems, serves the embedded pages, and keeps slow, silent and greedy clients from harming the others.

mod about;
mod connection;
pub mod control;
mod documentation;
mod frontend;
mod guard;
pub mod identity;
mod limit;
pub mod problem;
pub mod request_id;

pub use connection::asked_to_stop;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use poem::endpoint::BoxEndpoint;
use poem::http::Method;
use poem::{EndpointExt, IntoResponse, Request, Response, Route};
use poem_openapi::{OpenApi, OpenApiService, Tags};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::account::api::AccountApi;
use crate::app::App;
use crate::assistant::api::AssistantApi;
use crate::billing::api::PaymentApi;
use crate::error::{Code, Error};
use crate::quota::api::UsageApi;

/// The longest body of a call in JSON.
pub const LARGEST_JSON: usize = 64 * 1024;
/// The longest body of an upload: a picture of 10 MB and what multipart puts around it.
pub const LARGEST_UPLOAD: usize = 10 * 1024 * 1024 + 64 * 1024;
/// The longest message of Stripe.
pub const LARGEST_WEBHOOK: usize = 1024 * 1024;
/// How often an event stream says that it is alive. Shorter than the idle timeout of a connection.
pub const KEEP_ALIVE: Duration = Duration::from_secs(10);

/// The groups of calls in the published document.
#[derive(Tags)]
pub(crate) enum Tag {
    /// What this installation is.
    Installation,
}

/// Every call of `/api/v1`.
fn calls(app: &Arc<App>) -> impl OpenApi + 'static {
    let identity = identity::Identity::new(app.accounts.clone(), app.subscriptions.clone());
    (
        about::AboutApi { config: Arc::clone(&app.config) },
        AccountApi::new(app.accounts.clone(), identity, &app.config.server.origin()),
        PaymentApi::new(app.billing.clone(), app.config.plans.trial_days),
        UsageApi::new(app.quotas.clone()),
        AssistantApi::new(app.assistant.clone()),
    )
}

fn service(app: &Arc<App>) -> OpenApiService<impl OpenApi + 'static, ()> {
    OpenApiService::new(calls(app), "Rimedio", env!("CARGO_PKG_VERSION"))
        .description("L'assistente IT personale. Every failure is `{detail, code, request_id}`.")
}

/// The published description of `/api/v1`, as it is committed in `openapi.json`.
#[must_use]
pub fn openapi(app: &Arc<App>) -> String {
    let mut text = service(app).spec();
    text.push('\n');
    text
}

/// Everything that is served, behind the guard.
#[must_use]
pub fn routes(app: &Arc<App>) -> BoxEndpoint<'static> {
    let service = service(app);
    let limits = Arc::new(limit::CallLimits::new(&app.config.limits));
    let document = service.spec();
    let methods = documentation::Methods::of(&document);
    let api = Route::new()
        .nest("/api/docs", documentation::pages(&document))
        .nest_no_strip("/api", service)
        .around(move |endpoint, request| guard::within_the_api(endpoint, request, methods.clone(), Arc::clone(&limits)))
        .with(identity::Identity::new(app.accounts.clone(), app.subscriptions.clone()));
    let store = app.store.clone();
    let health = poem::endpoint::make(move |request: Request| {
        let store = store.clone();
        async move { Ok::<_, poem::Error>(health(&store, request.method()).await) }
    });
    Route::new()
        .at("/healthz", health)
        .nest_no_strip("/api", api)
        .nest_no_strip("/", frontend::Pages)
        .with(guard::Guard::new(app))
        .data(Arc::clone(app))
        .boxed()
}

/// Whether the store answers.
async fn health(store: &crate::store::Store, method: &Method) -> Response {
    if method != Method::GET && method != Method::HEAD {
        return problem::respond(Code::MethodNotAllowed);
    }
    match store.answers().await {
        Ok(()) => poem::web::Json(serde_json::json!({ "status": "ok" })).into_response(),
        Err(error) => problem::respond(Error::from(error)),
    }
}

/// Serves until `shutdown` ends, then lets the running requests finish.
///
/// # Errors
/// When the listener fails for good.
pub async fn serve(app: Arc<App>, listener: TcpListener, shutdown: impl Future<Output = ()> + Send) -> io::Result<()> {
    let endpoint = routes(&app);
    let (stop, stopped) = oneshot::channel::<()>();
    let control = async {
        let ended = async {
            // Ends when the connections have ended and their side of the channel is gone.
            let _ = stopped.await;
        };
        if let Err(error) = control::serve(Arc::clone(&app), ended).await {
            tracing::warn!(%error, "no control socket: commands of the operator cannot reach this server");
        }
    };
    let connections = async {
        let served = tokio::select! {
            served = connection::serve(listener, endpoint, &app.config.server, shutdown) => served,
            () = app.keep_house() => Ok(()),
        };
        drop(stop);
        served
    };
    tokio::join!(connections, control).0
}
