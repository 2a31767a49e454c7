//! What a page must know of this installation before anybody has signed in.

use std::sync::Arc;

use poem_openapi::payload::Json;
use poem_openapi::types::Example;
use poem_openapi::{Enum, Object, OpenApi};

use super::problem::Failure;
use crate::account::{MINIMUM_AGE, TERMS_VERSION};
use crate::config::{Claims, Config};

/// Who writes the answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub(super) enum EngineName {
    /// A language model, with the handbook as its ground.
    Model,
    /// The embedded handbook.
    Handbook,
}

/// Which figures the public pages show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub(super) enum ClaimsName {
    /// Samples, for a demonstration.
    Sample,
    /// Measured on this installation.
    Measured,
    /// None.
    Off,
}

/// This installation.
#[derive(Debug, Clone, Object)]
#[oai(example, skip_serializing_if_is_none)]
pub(super) struct About {
    /// The product's name.
    name: String,
    /// The line below it.
    tagline: String,
    /// Where people write for help.
    support_address: String,
    /// A sentence to show above every page.
    banner: Option<String>,
    /// Who writes the answers.
    engine: EngineName,
    /// Who runs the model, when there is one: who gets what people write.
    model_provider: Option<String>,
    /// The present version of the terms.
    terms_version: String,
    /// The minimum age, in years.
    minimum_age: u8,
    /// Which figures the public pages show.
    claims: ClaimsName,
    /// The payment provider's key is a test key: no money moves.
    test_mode: bool,
}

impl Example for About {
    fn example() -> Self {
        Self {
            name: "Rimedio".into(),
            tagline: "Il tuo assistente IT personale".into(),
            support_address: "assistenza@rimedio.example".into(),
            banner: None,
            engine: EngineName::Model,
            model_provider: Some("OpenRouter".into()),
            terms_version: TERMS_VERSION.into(),
            minimum_age: MINIMUM_AGE,
            claims: ClaimsName::Off,
            test_mode: false,
        }
    }
}

/// The call.
pub(super) struct AboutApi {
    /// What it tells of.
    pub config: Arc<Config>,
}

#[OpenApi(prefix_path = "/api/v1", tag = "super::Tag::Installation")]
impl AboutApi {
    /// This installation
    ///
    /// Name, support address, who writes the answers, the present terms. Needs no sign-in.
    #[oai(path = "/about", method = "get", operation_id = "about")]
    async fn about(&self) -> Result<Json<About>, Failure> {
        let Config { brand, model, marketing, stripe, .. } = &*self.config;
        Ok(Json(About {
            name: brand.name.clone(),
            tagline: brand.tagline.clone(),
            support_address: brand.support_address.clone(),
            banner: brand.banner.clone(),
            engine: if model.is_some() { EngineName::Model } else { EngineName::Handbook },
            model_provider: model.as_ref().map(|model| model.provider.clone()),
            terms_version: TERMS_VERSION.to_owned(),
            minimum_age: MINIMUM_AGE,
            claims: match marketing.claims {
                Claims::Sample => ClaimsName::Sample,
                Claims::Measured => ClaimsName::Measured,
                Claims::Off => ClaimsName::Off,
            },
            test_mode: stripe.is_test(),
        }))
    }
}
