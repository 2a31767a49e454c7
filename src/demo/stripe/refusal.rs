//! Failures as Stripe says them: an object that names what is wrong.

use serde_json::{Value, json};

/// Why a call is refused, as Stripe says it.
#[derive(Clone, Debug)]
pub(super) struct Refusal {
    pub(super) status: u16,
    kind: &'static str,
    code: Option<&'static str>,
    pub(super) message: String,
    param: Option<String>,
}

impl Refusal {
    /// Something in the request is not as it must be.
    pub(super) fn invalid(message: impl Into<String>, param: &str) -> Self {
        let param = Some(param.to_owned()).filter(|param| !param.is_empty());
        Self { status: 400, kind: "invalid_request_error", code: None, message: message.into(), param }
    }

    /// A parameter that must be there is not.
    pub(super) fn lacking(param: &str) -> Self {
        Self::invalid(format!("Missing required param: {param}."), param).with_code("parameter_missing")
    }

    /// There is no such object.
    pub(super) fn missing(kind: &str, id: &str) -> Self {
        let refusal = Self::invalid(format!("No such {}: '{id}'", kind.replace(['.', '_'], " ")), "id");
        Self { status: 404, ..refusal.with_code("resource_missing") }
    }

    /// The object that is missing was named by a parameter, not by the path.
    pub(super) fn named_by(self, param: &str) -> Self {
        Self { status: 400, param: Some(param.to_owned()), ..self }
    }

    /// There is no such route.
    pub(super) fn unknown_route(method: &str, path: &str) -> Self {
        Self { status: 404, ..Self::invalid(format!("Unrecognized request URL ({method}: {path})."), "") }
    }

    /// The key is not the one.
    pub(super) fn unauthorized() -> Self {
        Self { status: 401, ..Self::invalid("Invalid API Key provided.", "") }
    }

    /// An idempotency key came back with other parameters.
    pub(super) fn other_parameters() -> Self {
        let message =
            "Keys for idempotent requests can only be used with the same parameters they were first used with.";
        Self { kind: "idempotency_error", ..Self::invalid(message, "") }
    }

    /// Stripe cannot answer at all.
    pub(super) fn offline() -> Self {
        Self { status: 503, kind: "api_error", ..Self::invalid("Stripe is not available at this moment.", "") }
    }

    /// The same with a code that programs look at.
    pub(super) fn with_code(self, code: &'static str) -> Self {
        Self { code: Some(code), ..self }
    }

    /// Whether the request never began, so that its idempotency key is still free.
    pub(super) fn leaves_key_free(&self) -> bool {
        self.kind == "invalid_request_error" || self.status >= 500
    }

    /// The answer's body.
    pub(super) fn body(&self) -> Value {
        json!({ "error": {
            "type": self.kind,
            "code": self.code,
            "message": self.message,
            "param": self.param,
        } })
    }
}
