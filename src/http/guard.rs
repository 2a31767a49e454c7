//! What holds for every request: a name, a limit, a body of bounded size and duration, one line in the log, and the
//! headers that protect who reads the answer. The line holds no token, no query and nothing that a user wrote.

use std::any::Any;
use std::net::{IpAddr, Ipv4Addr};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::{FutureExt, Stream, StreamExt, stream};
use ipnet::IpNet;
use poem::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use poem::{Body, Endpoint, Middleware, Request, Response};

use super::documentation::Methods;
use super::limit::{CallLimits, client_address};
use super::{LARGEST_JSON, LARGEST_UPLOAD, LARGEST_WEBHOOK, identity, problem, request_id};
use crate::account::AccountId;
use crate::app::App;
use crate::error::{Code, Error, Result};

/// How long the body of a call in JSON may take to arrive.
const JSON_ARRIVES_WITHIN: Duration = Duration::from_secs(20);
/// How long a picture may take, on a slow line: 10 MB at 0.7 Mbit/s.
const UPLOAD_ARRIVES_WITHIN: Duration = Duration::from_secs(120);

/// Where Stripe sends its messages. They come from a few addresses, many at a time, and each is refused in microseconds
/// unless it is signed: they are not counted against an address.
const WEBHOOK: &str = "/api/v1/payment/webhook";

/// No inline script or style anywhere. WebAssembly reads the screenshot in the browser; people's pictures come
/// from Google.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; \
     style-src 'self'; img-src 'self' blob: data: https://lh3.googleusercontent.com; font-src 'self'; \
     connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const HEADERS: &[(&str, &str)] = &[
    ("content-security-policy", CONTENT_SECURITY_POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("permissions-policy", "camera=(self), geolocation=(), microphone=(), payment=(), usb=()"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// The address of who calls, seen through the trusted proxies.
#[derive(Clone, Copy, Debug)]
struct ClientAddress(IpAddr);

/// The middleware around everything.
pub(super) struct Guard {
    trusted_proxies: Arc<[IpNet]>,
    strict_transport: bool,
}

impl Guard {
    pub(super) fn new(app: &App) -> Self {
        let server = &app.config.server;
        Self {
            trusted_proxies: server.trusted_proxies.clone().into(),
            strict_transport: server.public_url.scheme() == "https",
        }
    }
}

impl<E: Endpoint<Output = Response> + 'static> Middleware<E> for Guard {
    type Output = Guarded<E>;

    fn transform(&self, endpoint: E) -> Guarded<E> {
        Guarded {
            endpoint,
            trusted_proxies: Arc::clone(&self.trusted_proxies),
            strict_transport: self.strict_transport,
        }
    }
}

/// An endpoint behind the guard.
pub(super) struct Guarded<E> {
    endpoint: E,
    trusted_proxies: Arc<[IpNet]>,
    strict_transport: bool,
}

impl<E: Endpoint<Output = Response>> Endpoint for Guarded<E> {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        let id = request_id::new();
        let mut response = request_id::within(id.clone(), self.serve(request)).await;
        let headers = response.headers_mut();
        for (name, value) in HEADERS {
            // A page with a policy of its own keeps it.
            headers.entry(HeaderName::from_static(name)).or_insert(HeaderValue::from_static(value));
        }
        if self.strict_transport {
            let two_years = HeaderValue::from_static("max-age=63072000; includeSubDomains");
            headers.insert(header::STRICT_TRANSPORT_SECURITY, two_years);
        }
        if let Ok(id) = HeaderValue::from_str(&id) {
            headers.insert("x-request-id", id);
        }
        Ok(response)
    }
}

impl<E: Endpoint<Output = Response>> Guarded<E> {
    async fn serve(&self, mut request: Request) -> Response {
        let started = Instant::now();
        let method = request.method().clone();
        let path = request.uri().path().to_owned();
        request.set_data(ClientAddress(self.client_address(&request)));
        let response = match bound_body(&mut request, &path) {
            Err(error) => problem::respond(error),
            Ok(verdict) => {
                let answered = AssertUnwindSafe(self.endpoint.get_response(request)).catch_unwind().await;
                let response = answered.unwrap_or_else(|panic| problem::respond(Error::internal(words_of(&*panic))));
                verdict.refusal().map_or(response, problem::respond)
            }
        };
        log(&method, &path, response.status(), started.elapsed(), identity::answered_to(&response));
        response
    }

    fn client_address(&self, request: &Request) -> IpAddr {
        let peer = request.remote_addr().as_socket_addr().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.ip());
        let lines = request.headers().get_all("x-forwarded-for").iter();
        let forwarded: Vec<&str> = lines.filter_map(|line| line.to_str().ok()).collect();
        client_address(peer, &forwarded, &self.trusted_proxies)
    }
}

/// Within the API: calls are counted, by account or else by address; refusals become problems; nothing is cached.
pub(super) async fn within_the_api<E: Endpoint<Output = Response>>(
    endpoint: Arc<E>,
    request: Request,
    methods: Methods,
    limits: Arc<CallLimits>,
) -> poem::Result<Response> {
    let path = request.uri().path().to_owned();
    let mut response = match admit(&request, &limits) {
        Err(error) => problem::respond(error),
        Ok(()) => match endpoint.call(request).await {
            Ok(response) => response,
            Err(error) => problem::translate(error, || methods.at(&path)),
        },
    };
    let headers = response.headers_mut();
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    Ok(response)
}

/// A token that is no good makes its bearer a stranger, so that guessing is slow.
fn admit(request: &Request, limits: &CallLimits) -> Result<()> {
    if request.uri().path() == WEBHOOK {
        return Ok(());
    }
    match identity::caller(request) {
        Some(account) => limits.account(account),
        None => request.data::<ClientAddress>().map_or(Ok(()), |ClientAddress(address)| limits.stranger(*address)),
    }
}

/// What became of a body on its way in.
#[derive(Debug, Default)]
struct Verdict(AtomicU8);

impl Verdict {
    const TOO_LARGE: u8 = 1;
    const TOO_SLOW: u8 = 2;

    fn refusal(&self) -> Option<Code> {
        match self.0.load(Ordering::Acquire) {
            Self::TOO_LARGE => Some(Code::TooLarge),
            Self::TOO_SLOW => Some(Code::RequestTimeout),
            _ => None,
        }
    }
}

/// Puts a limit of size and time on the body, without reading it yet: who may not call sends nothing into memory.
fn bound_body(request: &mut Request, path: &str) -> Result<Arc<Verdict>> {
    let (largest, within) = if path == "/api/v1/upload-image" {
        (LARGEST_UPLOAD, UPLOAD_ARRIVES_WITHIN)
    } else if path == WEBHOOK {
        (LARGEST_WEBHOOK, JSON_ARRIVES_WITHIN)
    } else {
        (LARGEST_JSON, JSON_ARRIVES_WITHIN)
    };
    let announced = request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: u64| length > largest as u64) {
        return Err(Code::TooLarge.into());
    }
    let verdict = Arc::new(Verdict::default());
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let body = request.take_body().into_bytes_stream();
        request.set_body(Body::from_bytes_stream(bounded(body, largest, within, Arc::clone(&verdict))));
    }
    Ok(verdict)
}

fn bounded(
    body: impl Stream<Item = std::io::Result<Bytes>> + Send + 'static,
    largest: usize,
    within: Duration,
    verdict: Arc<Verdict>,
) -> impl Stream<Item = std::io::Result<Bytes>> + Send + 'static {
    let deadline = tokio::time::Instant::now() + within;
    stream::unfold((Box::pin(body), largest, verdict), move |(mut body, left, verdict)| async move {
        let refuse = |why: u8, verdict: &Verdict| {
            verdict.0.store(why, Ordering::Release);
            Err(std::io::Error::other("the body was refused"))
        };
        match tokio::time::timeout_at(deadline, body.next()).await {
            Err(_) => Some((refuse(Verdict::TOO_SLOW, &verdict), (body, 0, verdict))),
            Ok(None) => None,
            Ok(Some(Ok(bytes))) if bytes.len() > left => {
                Some((refuse(Verdict::TOO_LARGE, &verdict), (body, 0, verdict)))
            }
            Ok(Some(Ok(bytes))) => {
                let left = left - bytes.len();
                Some((Ok(bytes), (body, left, verdict)))
            }
            Ok(Some(Err(error))) => Some((Err(error), (body, left, verdict))),
        }
    })
}

fn words_of(panic: &(dyn Any + Send)) -> String {
    let words = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let words = words.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("a handler panicked: {}", words.unwrap_or_default())
}

fn log(method: &Method, path: &str, status: StatusCode, took: Duration, account: Option<AccountId>) {
    let request_id = request_id::current();
    let milliseconds = took.as_millis();
    let account = account.map(|account| account.to_string()).unwrap_or_default();
    let status = status.as_u16();
    tracing::info!(%method, path, status, milliseconds, request_id, account, "request");
}
