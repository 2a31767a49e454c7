//! What makes an id_token believable (OpenID Connect Core 1.0, section 3.1.3.7). Pure: the keys, the expectations
//! and the time come from outside, so that every way of cheating is a line in a table of tests.

use jiff::{SignedDuration, Timestamp};
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde::Deserialize;
use subtle::ConstantTimeEq as _;

/// How far the issuer's clock and ours may lie apart.
pub(crate) const LEEWAY: SignedDuration = SignedDuration::from_secs(30);

/// Who signed in, as the issuer vouches for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// What identifies the person at the issuer.
    pub subject: String,
    /// The address; the issuer has verified that it is the person's.
    pub email: String,
    /// The full name; empty when the issuer gave none.
    pub full_name: String,
    /// The address of a picture, over https.
    pub picture: Option<String>,
}

/// What a token must agree with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected<'a> {
    /// The issuer, as its discovery document writes it.
    pub(crate) issuer: &'a str,
    /// Our id at the issuer.
    pub(crate) client_id: &'a str,
    /// What we sent along when the sign-in began.
    pub(crate) nonce: &'a str,
    /// The present moment.
    pub(crate) now: Timestamp,
}

/// Why a token is not believed. For the log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    /// No key of the issuer fits: perhaps it has new ones.
    #[error("the id_token is signed with a key that the issuer does not announce")]
    UnknownKey,
    /// The algorithm is not one that the key is for; `none` and HS256 end here or are unreadable.
    #[error("the id_token's algorithm is not the key's own")]
    Algorithm,
    /// Unreadable, wrongly signed, of another issuer or for another audience.
    #[error("the id_token is not valid: {0}")]
    Invalid(#[from] jsonwebtoken::errors::Error),
    /// It was given to another client.
    #[error("the id_token was issued to another party")]
    AuthorizedParty,
    /// Too old, or from the future.
    #[error("the id_token is not valid at this time")]
    Time,
    /// It answers another sign-in than ours.
    #[error("the id_token's nonce is not ours")]
    Nonce,
    /// The issuer does not vouch for the address.
    #[error("the issuer has not verified the e-mail address")]
    UnverifiedEmail,
}

#[derive(Deserialize)]
struct Claims {
    sub: String,
    aud: Audience,
    azp: Option<String>,
    exp: i64,
    iat: i64,
    nbf: Option<i64>,
    nonce: Option<String>,
    email: Option<String>,
    email_verified: Option<Verified>,
    name: Option<String>,
    picture: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(#[allow(dead_code, reason = "its content is compared by the library")] String),
    Several(Vec<String>),
}

/// Some issuers write the flag as a text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Verified {
    Flag(bool),
    Text(String),
}

/// Verifies a token and says who signed in.
///
/// # Errors
/// [`Refusal`]; [`Refusal::UnknownKey`] is worth another look at the issuer's keys.
pub(crate) fn verify(token: &str, keys: &[Jwk], expected: Expected<'_>) -> Result<Person, Refusal> {
    let header = decode_header(token)?;
    let key = key_for(header.kid.as_deref(), keys)?;
    if !algorithms_of(key).contains(&header.alg) {
        return Err(Refusal::Algorithm);
    }
    let mut validation = Validation::new(header.alg);
    // The library would read the system's time; ours is checked below.
    validation.validate_exp = false;
    validation.set_required_spec_claims(&["iss", "aud", "sub", "exp"]);
    validation.set_audience(&[expected.client_id]);
    validation.set_issuer(&issuers(expected.issuer));
    let claims = decode::<Claims>(token, &DecodingKey::from_jwk(key)?, &validation)?.claims;

    let shared = matches!(&claims.aud, Audience::Several(parties) if parties.len() > 1);
    match &claims.azp {
        Some(party) if party != expected.client_id => return Err(Refusal::AuthorizedParty),
        None if shared => return Err(Refusal::AuthorizedParty),
        _ => {}
    }
    in_time(&claims, expected.now).ok_or(Refusal::Time)?;
    let nonce = claims.nonce.unwrap_or_default();
    if !bool::from(nonce.as_bytes().ct_eq(expected.nonce.as_bytes())) {
        return Err(Refusal::Nonce);
    }
    let verified = match claims.email_verified {
        Some(Verified::Flag(flag)) => flag,
        Some(Verified::Text(text)) => text == "true",
        None => false,
    };
    match claims.email {
        Some(email) if verified && email.contains('@') => Ok(Person {
            subject: claims.sub,
            email,
            full_name: claims.name.unwrap_or_default(),
            picture: claims.picture.filter(|address| address.starts_with("https://")),
        }),
        _ => Err(Refusal::UnverifiedEmail),
    }
}

/// Google's own documentation allows its tokens to name the issuer without the scheme.
fn issuers(issuer: &str) -> Vec<&str> {
    if issuer == "https://accounts.google.com" { vec![issuer, "accounts.google.com"] } else { vec![issuer] }
}

fn in_time(claims: &Claims, now: Timestamp) -> Option<()> {
    let expires = Timestamp::from_second(claims.exp).ok()?;
    let issued = Timestamp::from_second(claims.iat).ok()?;
    let begins = claims.nbf.map_or(Some(issued), |nbf| Timestamp::from_second(nbf).ok())?;
    let early = now.checked_sub(LEEWAY).ok()?;
    let late = now.checked_add(LEEWAY).ok()?;
    (early < expires && issued <= late && begins <= late).then_some(())
}

/// The key that a token names. One that names none may only mean the only one.
fn key_for<'a>(id: Option<&str>, keys: &'a [Jwk]) -> Result<&'a Jwk, Refusal> {
    let mut fitting = keys.iter().filter(|key| {
        let signs = !matches!(key.common.public_key_use, Some(PublicKeyUse::Encryption | PublicKeyUse::Other(_)));
        signs && id.is_none_or(|id| key.common.key_id.as_deref() == Some(id))
    });
    match (fitting.next(), fitting.next()) {
        (Some(key), None) => Ok(key),
        _ => Err(Refusal::UnknownKey),
    }
}

/// The algorithms that a key may be used with: the one that the issuer announces, else the usual one of its kind.
/// Only asymmetric ones: a public key must never serve as a shared secret.
fn algorithms_of(key: &Jwk) -> Vec<Algorithm> {
    use Algorithm::{ES256, ES384, EdDSA, PS256, PS384, PS512, RS256, RS384, RS512};
    let (possible, usual): (&[Algorithm], Algorithm) = match &key.algorithm {
        AlgorithmParameters::RSA(_) => (&[RS256, RS384, RS512, PS256, PS384, PS512], RS256),
        AlgorithmParameters::EllipticCurve(curve) if curve.curve == EllipticCurve::P256 => (&[ES256], ES256),
        AlgorithmParameters::EllipticCurve(curve) if curve.curve == EllipticCurve::P384 => (&[ES384], ES384),
        AlgorithmParameters::OctetKeyPair(_) => (&[EdDSA], EdDSA),
        _ => return Vec::new(),
    };
    match key.common.key_algorithm {
        None => vec![usual],
        Some(announced) => Algorithm::try_from(announced).into_iter().filter(|one| possible.contains(one)).collect(),
    }
}
