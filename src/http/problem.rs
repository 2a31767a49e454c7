//! How a failure looks on the wire: `{ "detail", "code", "request_id" }` with the status of its code. It is logged
//! here, once, with what lies behind it; nothing of that is in the answer.

use poem::IntoResponse;
use poem::http::{StatusCode, header};
use poem_openapi::payload::Json;
use poem_openapi::{ApiResponse, Object};

use super::request_id;
use crate::error::{Code, Error};

/// A failure, for the client and the person in front of it.
#[derive(Debug, Clone, Object)]
#[oai(example)]
pub struct Problem {
    /// An Italian sentence for the user: what happened and what to do next.
    pub detail: String,
    /// The stable name of the failure.
    pub code: String,
    /// Ties the answer to the server's log.
    pub request_id: String,
}

impl poem_openapi::types::Example for Problem {
    fn example() -> Self {
        Self {
            detail: Code::SessionExpired.sentence().to_owned(),
            code: Code::SessionExpired.as_str().to_owned(),
            request_id: "7b0c3f1e5a9d4c2e8f6a1b3c5d7e9f01".to_owned(),
        }
    }
}

impl Problem {
    /// What a failure looks like on the wire.
    #[must_use]
    pub fn of(error: &Error) -> Self {
        Self {
            detail: error.detail().to_owned(),
            code: error.code().as_str().to_owned(),
            request_id: request_id::current(),
        }
    }
}

/// The failures that any call may answer with.
#[derive(Debug, ApiResponse)]
pub enum Failure {
    /// The request cannot be understood.
    #[oai(status = 400)]
    BadRequest(Json<Problem>),
    /// Nobody is signed in, or the session is over.
    #[oai(status = 401)]
    Unauthorized(Json<Problem>),
    /// There is no active subscription.
    #[oai(status = 402)]
    PaymentRequired(Json<Problem>),
    /// The person may not do this, or has not accepted the terms.
    #[oai(status = 403)]
    Forbidden(Json<Problem>),
    /// There is nothing here, or it belongs to somebody else.
    #[oai(status = 404)]
    NotFound(Json<Problem>),
    /// The path exists, the method does not.
    #[oai(status = 405)]
    MethodNotAllowed(Json<Problem>),
    /// The request arrived too slowly.
    #[oai(status = 408)]
    RequestTimeout(Json<Problem>),
    /// The request contradicts what holds now.
    #[oai(status = 409)]
    Conflict(Json<Problem>),
    /// The body is too large.
    #[oai(status = 413)]
    TooLarge(Json<Problem>),
    /// The body or the picture is of a type that cannot be read.
    #[oai(status = 415)]
    Unsupported(Json<Problem>),
    /// A value is not acceptable.
    #[oai(status = 422)]
    Invalid(Json<Problem>),
    /// A limit is reached.
    #[oai(status = 429)]
    TooMany(
        Json<Problem>,
        /// After how many seconds a new try makes sense.
        #[oai(header = "Retry-After")]
        Option<u64>,
    ),
    /// A fault of ours.
    #[oai(status = 500)]
    Internal(Json<Problem>),
    /// A provider gave no usable answer.
    #[oai(status = 502)]
    ProviderFailed(Json<Problem>),
    /// The server cannot serve now.
    #[oai(status = 503)]
    Unavailable(
        Json<Problem>,
        /// After how many seconds a new try makes sense.
        #[oai(header = "Retry-After")]
        Option<u64>,
    ),
}

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        let error = error.into();
        log(&error);
        let body = Json(Problem::of(&error));
        let wait = error.wait().map(|wait| wait.as_secs().max(1));
        match error.code().status() {
            400 => Self::BadRequest(body),
            401 => Self::Unauthorized(body),
            402 => Self::PaymentRequired(body),
            403 => Self::Forbidden(body),
            404 => Self::NotFound(body),
            405 => Self::MethodNotAllowed(body),
            408 => Self::RequestTimeout(body),
            409 => Self::Conflict(body),
            413 => Self::TooLarge(body),
            415 => Self::Unsupported(body),
            422 => Self::Invalid(body),
            429 => Self::TooMany(body, wait),
            502 => Self::ProviderFailed(body),
            503 => Self::Unavailable(body, wait),
            _ => Self::Internal(body),
        }
    }
}

/// The failure as a whole response, for places that answer without a typed operation.
#[must_use]
pub fn respond(error: impl Into<Error>) -> poem::Response {
    Failure::from(error).into_response()
}

/// Turns what a gate refuses into its problem, and what poem refuses by itself (in English) into what it means.
pub(super) fn translate(error: poem::Error, allowed: impl FnOnce() -> String) -> poem::Response {
    if error.is_from_response() {
        return error.into_response();
    }
    let error = match error.downcast::<Error>() {
        Ok(ours) => return respond(ours),
        Err(theirs) => theirs,
    };
    let code = match error.status() {
        StatusCode::BAD_REQUEST => Code::BadRequest,
        StatusCode::UNAUTHORIZED => Code::TokenMissing,
        StatusCode::FORBIDDEN => Code::Forbidden,
        StatusCode::NOT_FOUND => Code::NotFound,
        StatusCode::METHOD_NOT_ALLOWED => Code::MethodNotAllowed,
        StatusCode::REQUEST_TIMEOUT => Code::RequestTimeout,
        StatusCode::PAYLOAD_TOO_LARGE => Code::TooLarge,
        StatusCode::UNSUPPORTED_MEDIA_TYPE => Code::UnsupportedMediaType,
        StatusCode::UNPROCESSABLE_ENTITY => Code::InvalidInput,
        StatusCode::TOO_MANY_REQUESTS => Code::RateLimited,
        status if status.is_client_error() => Code::BadRequest,
        _ => Code::Internal,
    };
    let mut response = respond(Error::new(code).because(error.to_string()));
    if code == Code::MethodNotAllowed
        && let Ok(allowed) = allowed().parse()
    {
        response.headers_mut().insert(header::ALLOW, allowed);
    }
    response
}

fn log(error: &Error) {
    let code = error.code().as_str();
    let cause = error.cause_for_log().unwrap_or_default();
    if error.code().status() >= 500 {
        tracing::error!(code, cause, "a request failed");
    } else {
        tracing::debug!(code, cause, "a request was refused");
    }
}
