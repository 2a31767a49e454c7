//! Stripe's messages. A message is a hint: its signature is checked, and from its body nothing is believed but which
//! event it is and of which customer; everything else is asked of Stripe. So the version with which the endpoint was
//! made, which decides the shape of the body, does not matter.

use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::{SignedDuration, Timestamp};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use sha2::Sha256;

use super::Billing;
use super::record::EventSeen;
use crate::error::{Code, Error, Result};

/// How far the time of a signature may be from ours.
const TOLERANCE: SignedDuration = SignedDuration::from_mins(5);

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// What it hints at is in the store.
    Applied,
    /// It was applied before.
    Repeated,
    /// It is about nobody here.
    NotOurs,
}

/// The secrets with which a message may be signed: two while one replaces the other.
#[derive(Clone, Debug)]
pub(super) struct SigningSecrets {
    secrets: Vec<SecretString>,
}

impl SigningSecrets {
    pub(super) fn new(secrets: &[SecretString]) -> Self {
        Self { secrets: secrets.to_vec() }
    }

    /// Whether Stripe signed `body`, not long before or after `now`. `header` is `t=1795000000,v1=hex,v1=hex`.
    fn accept(&self, header: &str, body: &[u8], now: Timestamp) -> bool {
        let pairs = || header.split(',').filter_map(|pair| pair.trim().split_once('='));
        let Some(time) = pairs().find(|(name, _)| *name == "t").map(|(_, value)| value) else { return false };
        let at = time.parse().ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
        if at.is_none_or(|at| now.duration_since(at).abs() > TOLERANCE) {
            return false;
        }
        let signatures: Vec<_> = pairs().filter(|(name, _)| *name == "v1").filter_map(|(_, hex)| bytes(hex)).collect();
        self.secrets.iter().any(|secret| {
            signatures.iter().any(|signature| {
                let key = secret.expose_secret().as_bytes();
                let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
                mac.update(time.as_bytes());
                mac.update(b".");
                mac.update(body);
                // Compares in constant time.
                mac.verify_slice(signature).is_ok()
            })
        })
    }
}

/// The bytes of a SHA-256 written in hexadecimal digits.
fn bytes(hex: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    let digits = hex.as_bytes();
    if digits.len() != 64 {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(bytes)
}

#[derive(Deserialize)]
struct Message {
    id: String,
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    object: Object,
}

#[derive(Deserialize)]
struct Object {
    /// An id, or a whole customer where somebody asked for that; absent in events of no customer.
    #[serde(default)]
    customer: Option<serde_json::Value>,
    /// A dispute names no customer but its charge.
    #[serde(default)]
    charge: Option<serde_json::Value>,
}

impl Billing {
    /// Hears a message of Stripe: `header` is its `Stripe-Signature`. When this returns, its effect is durable.
    ///
    /// # Errors
    /// [`Code::BadSignature`] when it was not signed by Stripe, or too long ago; [`Code::BadRequest`] when a signed
    /// message cannot be read; otherwise what keeps it from being applied, so that Stripe sends it again.
    pub async fn hear(&self, header: &str, body: &[u8]) -> Result<Heard> {
        let now = self.inner.clock.now();
        if !self.inner.signing.accept(header, body, now) {
            return Err(Code::BadSignature.into());
        }
        let message: Message =
            serde_json::from_slice(body).map_err(|error| Error::new(Code::BadRequest).because(error))?;
        let object = message.data.object;
        let account = match (id_of(object.customer), id_of(object.charge)) {
            (Some(customer), _) => self.account_of(&customer).await?,
            (None, Some(charge)) => self.account_of_charge(&charge).await?,
            (None, None) => None,
        };
        let Some(account) = account else { return Ok(Heard::NotOurs) };
        if self.inner.store.get::<EventSeen>(&message.id).await?.is_some() {
            return Ok(Heard::Repeated);
        }
        self.reconcile(account, std::slice::from_ref(&message.id)).await?;
        Ok(Heard::Applied)
    }
}

fn id_of(value: Option<serde_json::Value>) -> Option<String> {
    match value? {
        serde_json::Value::String(id) => Some(id),
        serde_json::Value::Object(object) => Some(object.get("id")?.as_str()?.to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sign(secret: &str, seconds: i64, body: &str) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("any length");
        mac.update(format!("{seconds}.{body}").as_bytes());
        let hex: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        format!("t={seconds},v1={hex}")
    }

    #[test]
    fn only_what_stripe_signed_lately_is_accepted() {
        let secrets = SigningSecrets::new(&["whsec_old".into(), "whsec_new".into()]);
        let at = |seconds| Timestamp::from_second(seconds).expect("an instant");
        let body = "{\"id\":\"evt_1\"}";
        for secret in ["whsec_old", "whsec_new"] {
            let header = sign(secret, 1000, body);
            assert!(secrets.accept(&header, body.as_bytes(), at(1300)), "five minutes late");
            assert!(secrets.accept(&header, body.as_bytes(), at(700)), "a clock that is slow");
            assert!(!secrets.accept(&header, body.as_bytes(), at(1301)), "too old");
            assert!(!secrets.accept(&header, b"{\"id\":\"evt_2\"}", at(1000)), "another body");
        }
        let good = sign("whsec_new", 1000, body);
        let with_another =
            format!("{},{}", sign("whsec_other", 1000, body), good.split_once(',').expect("two parts").1);
        assert!(secrets.accept(&with_another, body.as_bytes(), at(1000)), "one of several signatures fits");
        for bad in [
            sign("whsec_other", 1000, body),
            String::new(),
            "t=1000".to_owned(),
            "t=x,v1=00".to_owned(),
            good.replace("v1=", "v0="),
            good.replace("t=1000", "t=1001"),
            good.replace("v1=", "v1=é"),
        ] {
            assert!(!secrets.accept(&bad, body.as_bytes(), at(1000)), "{bad}");
        }
    }
}
