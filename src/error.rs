//! Every failure that can reach a caller. A [`Code`] is part of the published contract: it fixes the HTTP status
//! and the Italian sentence that says what to do next. What went wrong inside travels beside it as the
//! `cause`, for the log only: [`Error`] has no way to print it to a user.
//!
//! Make a new code only where a client or a person would act on it.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

/// The result of anything that can fail towards a caller.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What lies behind a failure, for the log.
pub type Cause = Box<dyn StdError + Send + Sync + 'static>;

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal, $status:literal, $sentence:literal;)+) => {
        /// The stable name of a failure; in JSON as `code`, in `snake_case`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $($(#[doc = $doc])+ $name,)+ }

        impl Code {
            /// Every code, for the published document and for tests.
            pub const ALL: &'static [Code] = &[$(Code::$name,)+];

            /// The name that clients see.
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Code::$name => $text,)+ } }

            /// The HTTP status that goes with it.
            #[must_use]
            pub const fn status(self) -> u16 { match self { $(Code::$name => $status,)+ } }

            /// What a user reads when no better sentence was given: what happened and what to do next.
            #[must_use]
            pub const fn sentence(self) -> &'static str { match self { $(Code::$name => $sentence,)+ } }
        }
    };
}

codes! {
    /// The request cannot be understood: unreadable JSON, a missing or ill-formed field.
    BadRequest = "bad_request", 400, "La richiesta non è leggibile. Ricarica la pagina e riprova.";
    /// The sign-in with Google could not be completed.
    SignInFailed = "sign_in_failed", 400, "L'accesso con Google non è riuscito. Torna alla pagina di accesso e riprova.";
    /// What calls itself a message of Stripe does not carry its signature.
    BadSignature = "bad_signature", 400, "La firma del messaggio non è valida.";
    /// No access token came with the request.
    TokenMissing = "token_missing", 401, "Per continuare devi accedere. Vai alla pagina di accesso.";
    /// The access token is unknown, expired or revoked.
    SessionExpired = "session_expired", 401, "La sessione è scaduta. Accedi di nuovo.";
    /// The sign-in ticket is unknown, used or older than a minute.
    TicketInvalid = "ticket_invalid", 401, "Questo accesso è scaduto. Torna alla pagina di accesso e riprova.";
    /// There is no active subscription.
    SubscriptionRequired = "subscription_required", 402, "È richiesta una sottoscrizione attiva per utilizzare questo servizio.";
    /// The person may not do this.
    Forbidden = "forbidden", 403, "Non hai il permesso per questa operazione.";
    /// The person has not yet confirmed the minimum age and the terms, or a new version of the terms is out.
    ConsentRequired = "consent_required", 403, "Prima di continuare, leggi e accetta le condizioni del servizio.";
    /// There is nothing at this address, or it belongs to somebody else.
    NotFound = "not_found", 404, "Non abbiamo trovato quello che cerchi. Controlla l'indirizzo o torna alla pagina iniziale.";
    /// The path exists, the method does not.
    MethodNotAllowed = "method_not_allowed", 405, "Questa operazione non è possibile a questo indirizzo.";
    /// The request contradicts what holds now.
    Conflict = "conflict", 409, "La richiesta non si accorda con la situazione attuale. Ricarica la pagina e riprova.";
    /// An `Idempotency-Key` was used before with another content.
    IdempotencyMismatch = "idempotency_mismatch", 409, "Questa richiesta è già stata inviata con un altro contenuto. Ricarica la pagina e riprova.";
    /// The trial was had before.
    TrialUsed = "trial_used", 409, "Hai già usato la prova. Puoi scegliere il piano mensile o quello annuale.";
    /// There is a plan already, which a second one would only double.
    PlanActive = "plan_active", 409, "Hai già un piano attivo. Per cambiarlo vai in «Il tuo abbonamento» e premi «Gestisci pagamenti».";
    /// There is nothing to manage or to cancel.
    NoSubscription = "no_subscription", 409, "Non hai un abbonamento da gestire. Se vuoi, scegli un piano.";
    /// The time to withdraw from the contract is over, or it was withdrawn from before.
    WithdrawalOver = "withdrawal_over", 409, "Per questo contratto il tempo del recesso è finito. Puoi disdire quando vuoi.";
    /// The body is larger than this route takes.
    TooLarge = "too_large", 413, "Quello che hai inviato è troppo grande. Il limite per un'immagine è 10 MB.";
    /// The picture is of a type that cannot be read.
    UnsupportedImage = "unsupported_image", 415, "Questo tipo di file non si può leggere. Usa una foto JPG o PNG, oppure fai uno screenshot.";
    /// The body is of a type that the route does not take.
    UnsupportedMediaType = "unsupported_media_type", 415, "Questo tipo di contenuto non si può leggere. Ricarica la pagina e riprova.";
    /// The request is readable but a value in it is not acceptable.
    InvalidInput = "invalid_input", 422, "Alcuni dati non sono validi. Controllali e riprova.";
    /// The picture cannot be decoded, or is too large once decoded.
    UnreadableImage = "unreadable_image", 422, "Non riusciamo ad aprire questa immagine. Prova a rifare la foto o lo screenshot.";
    /// The price does not belong to the plan.
    InvalidPriceId = "invalid_price_id", 422, "Invalid price_id";
    /// The client went away before the request was complete, or sent it too slowly.
    RequestTimeout = "request_timeout", 408, "La richiesta ha impiegato troppo tempo ad arrivare. Controlla la connessione e riprova.";
    /// A limit of the plan is reached.
    QuotaExceeded = "quota_exceeded", 429, "Limite di utilizzo raggiunto";
    /// Too many calls in a short time.
    RateLimited = "rate_limited", 429, "Stai andando troppo veloce. Aspetta qualche secondo e riprova.";
    /// A fault of ours.
    Internal = "internal", 500, "Qualcosa non ha funzionato da parte nostra. Riprova tra qualche minuto.";
    /// A provider that we depend on gave no usable answer.
    ProviderFailed = "provider_failed", 502, "Un servizio esterno non risponde come dovrebbe. Riprova tra qualche minuto.";
    /// The server is starting, stopping or cannot reach its data.
    Unavailable = "unavailable", 503, "Il servizio non è disponibile in questo momento. Riprova tra qualche minuto.";
}

/// A failure on its way to a caller.
pub struct Error {
    code: Code,
    detail: Option<String>,
    retry_after: Option<Duration>,
    cause: Option<Cause>,
}

impl Error {
    /// A failure with the sentence that belongs to its code.
    #[must_use]
    pub const fn new(code: Code) -> Self {
        Self { code, detail: None, retry_after: None, cause: None }
    }

    /// A fault of ours, with what lies behind it for the log.
    #[must_use]
    pub fn internal(cause: impl Into<Cause>) -> Self {
        Self::new(Code::Internal).because(cause)
    }

    /// Replaces the sentence with one that fits the case better. It is shown to the user as it stands:
    /// Italian, says what to do next, nothing internal.
    #[must_use]
    pub fn saying(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Adds what lies behind it, for the log only.
    #[must_use]
    pub fn because(mut self, cause: impl Into<Cause>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// Says after how long a new try makes sense; becomes the `Retry-After` header.
    #[must_use]
    pub const fn retry_after(mut self, after: Duration) -> Self {
        self.retry_after = Some(after);
        self
    }

    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> Code {
        self.code
    }

    /// The sentence for the user.
    #[must_use]
    pub fn detail(&self) -> &str {
        self.detail.as_deref().unwrap_or_else(|| self.code.sentence())
    }

    /// After how long a new try makes sense, when known.
    #[must_use]
    pub const fn wait(&self) -> Option<Duration> {
        self.retry_after
    }

    /// The whole chain of causes in one line, for the log. Never for a user.
    #[must_use]
    pub fn cause_for_log(&self) -> Option<String> {
        let mut text = String::new();
        let mut next: Option<&(dyn StdError + 'static)> = match &self.cause {
            Some(cause) => Some(&**cause),
            None => return None,
        };
        while let Some(error) = next {
            if !text.is_empty() {
                text.push_str(": ");
            }
            text.push_str(&error.to_string());
            next = error.source();
        }
        Some(text)
    }
}

impl From<Code> for Error {
    fn from(code: Code) -> Self {
        Self::new(code)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Error")
            .field("code", &self.code.as_str())
            .field("detail", &self.detail())
            .field("cause", &self.cause_for_log())
            .finish()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.detail())
    }
}

impl StdError for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_name_of_its_own_and_an_error_status() {
        let mut names: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Code::ALL.len());
        for code in Code::ALL {
            assert!((400..600).contains(&code.status()), "{}", code.as_str());
            assert!(!code.sentence().is_empty());
        }
    }

    #[test]
    fn the_cause_reaches_the_log_and_not_the_user() {
        let error = Error::internal("the disk is full");
        assert_eq!(error.to_string(), Code::Internal.sentence());
        assert_eq!(error.cause_for_log().as_deref(), Some("the disk is full"));
    }
}
