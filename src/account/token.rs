//! Signed tokens of our own: access tokens, and the cookie that carries a sign-in to Google and back. Both are JWTs
//! under HS256; each purpose has a key derived for it alone, so that one can never pass for the other.

use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::Timestamp;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, encode};
use secrecy::SecretString;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use crate::error::{Error, Result};

/// Signs and reads tokens of one purpose.
pub(crate) struct Signer {
    encoding: EncodingKey,
    decoding: DecodingKey,
    issuer: String,
    purpose: &'static str,
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Signer").field("purpose", &self.purpose).finish_non_exhaustive()
    }
}

#[derive(Serialize, Deserialize)]
struct Claims<T> {
    iss: String,
    aud: String,
    /// Seconds since 1970, as the standard wants them.
    iat: i64,
    exp: i64,
    #[serde(flatten)]
    content: T,
}

impl Signer {
    /// A signer whose key follows from the installation's secret and the purpose.
    pub(crate) fn new(secret: &[u8; 32], issuer: &str, purpose: &'static str) -> Self {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("HMAC takes keys of any length");
        mac.update(purpose.as_bytes());
        let key = mac.finalize().into_bytes();
        Self {
            encoding: EncodingKey::from_secret(&key),
            decoding: DecodingKey::from_secret(&key),
            issuer: issuer.to_owned(),
            purpose,
        }
    }

    /// A signed token that ends at an instant.
    ///
    /// # Errors
    /// [`Code::Internal`](crate::error::Code::Internal) when the content cannot be written as JSON.
    pub(crate) fn sign<T: Serialize>(&self, content: T, now: Timestamp, ends: Timestamp) -> Result<SecretString> {
        let (iat, exp) = (now.as_second(), ends.as_second());
        let claims = Claims { iss: self.issuer.clone(), aud: self.purpose.into(), iat, exp, content };
        let token = encode(&Header::new(Algorithm::HS256), &claims, &self.encoding).map_err(Error::internal)?;
        Ok(token.into())
    }

    /// What a token says, when it is one of ours and has not ended.
    pub(crate) fn read<T: DeserializeOwned>(&self, token: &str, now: Timestamp) -> Option<T> {
        let mut validation = Validation::new(Algorithm::HS256);
        // The library would read the system's time; ours is compared below.
        validation.validate_exp = false;
        validation.set_required_spec_claims(&["iss", "aud", "exp"]);
        validation.set_issuer(&[&self.issuer]);
        validation.set_audience(&[self.purpose]);
        let claims = decode::<Claims<T>>(token, &self.decoding, &validation).ok()?.claims;
        (now.as_second() < claims.exp).then_some(claims.content)
    }
}

/// Turns identifiers into names that only this installation can make: HMAC-SHA-256 under a key of its own.
pub(crate) struct Pseudonyms {
    keyed: Hmac<Sha256>,
}

impl std::fmt::Debug for Pseudonyms {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Pseudonyms").finish_non_exhaustive()
    }
}

impl Pseudonyms {
    /// Names whose key follows from the installation's secret.
    pub(crate) fn new(secret: &[u8; 32]) -> Self {
        let mut keyed = Hmac::<Sha256>::new_from_slice(secret).expect("HMAC takes keys of any length");
        keyed.update(b"pseudonym\0");
        Self { keyed }
    }

    /// The name of an identifier, always the same.
    pub(crate) fn of(&self, identifier: &str) -> [u8; 32] {
        let mut mac = self.keyed.clone();
        mac.update(identifier.as_bytes());
        mac.finalize().into_bytes().into()
    }
}

/// 256 bits that nobody can guess.
///
/// # Errors
/// [`Code::Internal`](crate::error::Code::Internal) when the system has no randomness to give.
pub(crate) fn random_secret() -> Result<[u8; 32]> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(Error::internal)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Content {
        word: String,
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("a valid instant")
    }

    #[test]
    fn a_token_is_read_until_it_ends_by_its_own_signer_alone() {
        let signer = Signer::new(&[7; 32], "https://rimedio.example", "access");
        let token = signer.sign(Content { word: "sì".into() }, at(1000), at(2000)).expect("it can be signed");
        let token = token.expose_secret();
        assert_eq!(signer.read(token, at(1999)), Some(Content { word: "sì".into() }));
        assert_eq!(signer.read::<Content>(token, at(2000)), None, "it has ended");
        for other in [
            Signer::new(&[8; 32], "https://rimedio.example", "access"),
            Signer::new(&[7; 32], "https://altro.example", "access"),
            Signer::new(&[7; 32], "https://rimedio.example", "sign-in"),
        ] {
            assert_eq!(other.read::<Content>(token, at(1500)), None, "{other:?}");
        }
        let (head, signature) = token.rsplit_once('.').expect("three parts");
        assert_eq!(signer.read::<Content>(&format!("{head}."), at(1500)), None);
        assert_eq!(signer.read::<Content>(&format!("{head}.A{}", &signature[1..]), at(1500)), None);
    }
}
