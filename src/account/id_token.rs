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
    /// It says nothing about who signed in.
    #[error("the id_token has an empty subject")]
    NoSubject,
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
    if claims.sub.is_empty() {
        return Err(Refusal::NoSubject);
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

#[cfg(test)]
mod tests {
    use aws_lc_rs::encoding::AsDer as _;
    use aws_lc_rs::rand::SystemRandom;
    use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
    use base64::Engine as _;
    use base64::prelude::BASE64_URL_SAFE_NO_PAD;
    use jsonwebtoken::{EncodingKey, Header, encode};
    use serde_json::{Value, json};

    use super::*;

    const NOW: i64 = 1_800_000_000;

    struct Issuer {
        key: EncodingKey,
        /// The public key as bytes, as an attacker would use it for a secret.
        public: Vec<u8>,
        announced: Jwk,
    }

    impl Issuer {
        fn new() -> Self {
            let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new());
            let pkcs8 = pkcs8.expect("a key can be made");
            let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8.as_ref()).expect("our own key");
            let public: aws_lc_rs::encoding::PublicKeyX509Der<'_> =
                pair.public_key().as_der().expect("a public key has bytes");
            let key = EncodingKey::from_ec_der(pkcs8.as_ref());
            let mut announced = Jwk::from_encoding_key(&key, Algorithm::ES256).expect("our own key");
            announced.common.key_id = Some("one".into());
            Self { key, public: public.as_ref().to_vec(), announced }
        }

        fn sign(&self, claims: &Value) -> String {
            let mut header = Header::new(Algorithm::ES256);
            header.kid = Some("one".into());
            encode(&header, claims, &self.key).expect("it can be signed")
        }

        fn verify(&self, token: &str) -> Result<Person, Refusal> {
            verify(token, std::slice::from_ref(&self.announced), expected())
        }

        fn with(&self, name: &str, value: Value) -> Result<Person, Refusal> {
            let mut claims = claims();
            claims[name] = value;
            self.verify(&self.sign(&claims))
        }

        fn without(&self, name: &str) -> Result<Person, Refusal> {
            let mut claims = claims();
            claims.as_object_mut().expect("an object").remove(name);
            self.verify(&self.sign(&claims))
        }
    }

    fn expected() -> Expected<'static> {
        let now = Timestamp::from_second(NOW).expect("a valid instant");
        Expected { issuer: "https://issuer.example", client_id: "rimedio", nonce: "n-0S6_WzA2Mj", now }
    }

    fn claims() -> Value {
        json!({
            "iss": "https://issuer.example", "aud": "rimedio", "sub": "42", "iat": NOW, "exp": NOW + 3600,
            "nonce": "n-0S6_WzA2Mj", "email": "anna@posta.example", "email_verified": true, "name": "Anna",
            "picture": "https://pictures.example/anna",
        })
    }

    fn part(value: &Value) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(value.to_string())
    }

    #[test]
    fn a_token_in_order_says_who_signed_in() {
        let issuer = Issuer::new();
        let person = issuer.verify(&issuer.sign(&claims())).expect("it is in order");
        assert_eq!((person.subject.as_str(), person.email.as_str()), ("42", "anna@posta.example"));
        assert_eq!(person.picture.as_deref(), Some("https://pictures.example/anna"));
        assert!(issuer.with("aud", json!(["rimedio"])).is_ok());
        assert!(issuer.with("azp", json!("rimedio")).is_ok());
        assert!(issuer.with("email_verified", json!("true")).is_ok());
        assert!(issuer.with("exp", json!(NOW - 29)).is_ok(), "clocks may differ a little");
        assert!(issuer.with("iat", json!(NOW + 29)).is_ok(), "clocks may differ a little");
        assert_eq!(issuer.without("name").expect("a name is not needed").full_name, "");
        let insecure = issuer.with("picture", json!("http://pictures.example/anna")).expect("it is in order");
        assert_eq!(insecure.picture, None);
    }

    #[test]
    fn every_claim_that_does_not_fit_is_refused() {
        let issuer = Issuer::new();
        for (name, value) in [
            ("iss", json!("https://other.example")),
            ("iss", json!("https://issuer.example.evil.example")),
            ("aud", json!("somebody-else")),
            ("aud", json!(["somebody-else"])),
            ("aud", json!([])),
        ] {
            let refusal = issuer.with(name, value.clone()).expect_err("it does not fit");
            assert!(matches!(refusal, Refusal::Invalid(_)), "{name} {value}: {refusal}");
        }
        for (name, value, refusal) in [
            ("azp", json!("somebody-else"), Refusal::AuthorizedParty),
            ("aud", json!(["rimedio", "somebody-else"]), Refusal::AuthorizedParty),
            ("exp", json!(NOW - 30), Refusal::Time),
            ("iat", json!(NOW + 31), Refusal::Time),
            ("nbf", json!(NOW + 31), Refusal::Time),
            ("exp", json!(i64::MAX), Refusal::Time),
            ("nonce", json!("another"), Refusal::Nonce),
            ("nonce", json!(""), Refusal::Nonce),
            ("sub", json!(""), Refusal::NoSubject),
            ("email_verified", json!(false), Refusal::UnverifiedEmail),
            ("email_verified", json!("false"), Refusal::UnverifiedEmail),
            ("email", json!("not an address"), Refusal::UnverifiedEmail),
        ] {
            assert_eq!(issuer.with(name, value.clone()), Err(refusal), "{name} {value}");
        }
        for name in ["iss", "aud", "sub", "exp", "iat", "nonce", "email", "email_verified"] {
            assert!(issuer.without(name).is_err(), "{name} is missing");
        }
    }

    #[test]
    fn only_the_algorithm_of_the_announced_key_is_believed() {
        let issuer = Issuer::new();
        let body = part(&claims());
        for algorithm in ["none", "None", "NONE"] {
            let token = format!("{}.{body}.", part(&json!({ "alg": algorithm, "kid": "one" })));
            assert!(issuer.verify(&token).is_err(), "{algorithm}");
        }
        let mut header = Header::new(Algorithm::HS256);
        header.kid = Some("one".into());
        for secret in [issuer.public.clone(), serde_json::to_vec(&issuer.announced).expect("a key as JSON")] {
            let token = encode(&header, &claims(), &EncodingKey::from_secret(&secret)).expect("it can be signed");
            assert_eq!(issuer.verify(&token), Err(Refusal::Algorithm));
        }
        let signed = issuer.sign(&claims());
        let (head, _) = signed.rsplit_once('.').expect("three parts");
        for token in [head.to_owned(), format!("{head}."), format!("{head}.AAAA"), String::new(), "a.b.c".into()] {
            assert!(issuer.verify(&token).is_err(), "{token}");
        }
    }

    #[test]
    fn a_shared_secret_among_the_announced_keys_is_never_used() {
        let mut secret = Jwk::from_encoding_key(&EncodingKey::from_secret(b"secret"), Algorithm::HS256).expect("a key");
        secret.common.key_id = Some("one".into());
        let mut header = Header::new(Algorithm::HS256);
        header.kid = Some("one".into());
        let token = encode(&header, &claims(), &EncodingKey::from_secret(b"secret")).expect("it can be signed");
        assert_eq!(verify(&token, &[secret], expected()), Err(Refusal::Algorithm));
    }

    #[test]
    fn the_signature_of_another_key_is_refused_and_an_unknown_key_is_said_to_be_unknown() {
        let (issuer, impostor) = (Issuer::new(), Issuer::new());
        assert!(matches!(issuer.verify(&impostor.sign(&claims())), Err(Refusal::Invalid(_))));
        assert_eq!(verify(&issuer.sign(&claims()), &[], expected()), Err(Refusal::UnknownKey));
        let mut renamed = issuer.announced.clone();
        renamed.common.key_id = Some("two".into());
        assert_eq!(verify(&issuer.sign(&claims()), &[renamed], expected()), Err(Refusal::UnknownKey));
        let mut for_encryption = issuer.announced.clone();
        for_encryption.common.public_key_use = Some(PublicKeyUse::Encryption);
        assert_eq!(verify(&issuer.sign(&claims()), &[for_encryption], expected()), Err(Refusal::UnknownKey));
    }

    #[test]
    fn a_token_that_names_no_key_may_only_mean_the_only_one() {
        let issuer = Issuer::new();
        let token = encode(&Header::new(Algorithm::ES256), &claims(), &issuer.key).expect("it can be signed");
        assert!(issuer.verify(&token).is_ok());
        let two = [issuer.announced.clone(), Issuer::new().announced];
        assert_eq!(verify(&token, &two, expected()), Err(Refusal::UnknownKey));
    }

    #[test]
    fn google_may_name_itself_without_the_scheme_and_nobody_else_may() {
        assert_eq!(issuers("https://accounts.google.com").len(), 2);
        assert_eq!(issuers("https://issuer.example"), ["https://issuer.example"]);
    }
}
