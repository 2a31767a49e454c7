//! Events on their way to the product: signed as Stripe signs them, in the order in which things happened, and sent
//! again with growing pauses when the product does not say that it has them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::Value;
use sha2::Sha256;

use super::StripeStandIn;

/// How often an event is sent at most.
const MOST_ATTEMPTS: u32 = 6;
/// How long the product may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it is looked for what has become due.
const PAUSE: Duration = Duration::from_millis(200);

/// The value of `Stripe-Signature` for a body that is sent at a moment.
pub(super) fn signature(secret: &str, at: i64, body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes keys of any length");
    mac.update(format!("{at}.{body}").as_bytes());
    let digits = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    format!("t={at},v1={digits}")
}

/// Delivers events and does what is due until `stop` ends.
pub(super) async fn run(stripe: Arc<StripeStandIn>, stop: impl Future<Output = ()> + Send) {
    let work = async {
        loop {
            stripe.tick();
            while deliver_next(&stripe).await {}
            // Woken by every change; the pause is for what becomes due with time.
            let _ = tokio::time::timeout(PAUSE, stripe.wake.notified()).await;
        }
    };
    tokio::select! {
        () = work => {}
        () = stop => {}
    }
}

/// Sends the oldest event whose time has come. False when there is none.
async fn deliver_next(stripe: &StripeStandIn) -> bool {
    if stripe.weather().delay_webhooks {
        return false;
    }
    let now = Instant::now();
    let (at, next) = stripe.with(|state| {
        let due = state.outbox.iter().find(|delivery| delivery.not_before.is_none_or(|at| at <= now));
        let event = due.and_then(|delivery| state.get("event", &delivery.event)).cloned();
        (state.now, event)
    });
    let Some(event) = next else { return false };
    let delivered = send(stripe, at, &event).await;
    stripe.with(|state| {
        let id = event["id"].as_str().unwrap_or_default();
        if let Some(delivery) = state.outbox.iter_mut().find(|delivery| delivery.event == id) {
            delivery.attempts += 1;
            let pause = Duration::from_secs(1 << (delivery.attempts - 1).min(10));
            delivery.not_before = Some(Instant::now() + pause);
        }
        state.outbox.retain(|delivery| delivery.event != id || (!delivered && delivery.attempts < MOST_ATTEMPTS));
        if delivered {
            state.set("event", id, &[("/pending_webhooks", 0.into())]);
        }
        state.changed = true;
    });
    true
}

async fn send(stripe: &StripeStandIn, at: i64, event: &Value) -> bool {
    // Without an address there is nobody to tell.
    let Some(address) = &stripe.settings.webhook_url else { return true };
    let body = event.to_string();
    let request = stripe
        .http
        .post(address)
        .timeout(PATIENCE)
        // A connection that is kept open would count against the product's own limit.
        .header("Connection", "close")
        .header("Content-Type", "application/json; charset=utf-8")
        .header("Stripe-Signature", signature(&stripe.settings.webhook_secret, at, &body))
        .body(body);
    request.send().await.is_ok_and(|response| response.status().is_success())
}

#[cfg(test)]
mod tests {
    use super::signature;

    #[test]
    fn a_signature_is_the_one_that_openssl_makes() {
        let expected = "t=1700000000,v1=c89214b5b5da833daed6f0b8c5bb6bd58cea9022bd80ccc78230f3942d632925";
        assert_eq!(signature("whsec_test", 1_700_000_000, r#"{"id":"evt_1"}"#), expected);
    }
}
