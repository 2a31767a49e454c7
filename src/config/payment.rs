//! What the plans cost and grant, and where they are paid.

use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use url::Url;

use super::ConfigError;

/// What one plan costs and grants.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanTerms {
    /// Price in cents of a euro, VAT included.
    pub price_cents: u64,
    /// Requests a day, in Italy's days.
    pub daily_requests: u32,
    /// Requests a month, in Italy's months.
    pub monthly_requests: u32,
    /// Tokens of the model a day.
    pub daily_tokens: u64,
}

/// `[plans]`: the figures of the three plans.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Plans {
    /// Seven days, once.
    pub trial: PlanTerms,
    /// By the month.
    pub monthly: PlanTerms,
    /// By the year.
    pub annual: PlanTerms,
    /// How long the trial lasts, in days.
    pub trial_days: u32,
}

impl Default for Plans {
    fn default() -> Self {
        Self {
            trial: PlanTerms { price_cents: 100, daily_requests: 10, monthly_requests: 70, daily_tokens: 40_000 },
            monthly: PlanTerms { price_cents: 999, daily_requests: 40, monthly_requests: 600, daily_tokens: 200_000 },
            annual: PlanTerms { price_cents: 9590, daily_requests: 60, monthly_requests: 1000, daily_tokens: 300_000 },
            trial_days: 7,
        }
    }
}

impl Plans {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        for (plan, terms) in [("trial", &self.trial), ("monthly", &self.monthly), ("annual", &self.annual)] {
            if terms.daily_requests == 0 || terms.monthly_requests < terms.daily_requests {
                let problem = "a day must allow at least 1 request and a month at least as many as a day";
                let example = "daily_requests = 10, monthly_requests = 70";
                return Err(ConfigError::new(&format!("plans.{plan}"), problem, example));
            }
        }
        if self.trial_days == 0 {
            return Err(ConfigError::new("plans.trial_days", "a trial lasts at least a day", "trial_days = 7"));
        }
        Ok(())
    }
}

/// `[stripe]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stripe {
    /// The address of Stripe's API, without a path.
    #[serde(default = "Stripe::default_base_url")]
    pub base_url: Url,
    /// The secret key, or a restricted one.
    pub secret_key: SecretString,
    /// The signing secret of the webhook endpoint; two while one replaces the other.
    pub webhook_secrets: Vec<SecretString>,
    /// Stripe's prices of the plans.
    pub prices: Prices,
}

/// `[stripe.prices]`: the ids of Stripe's prices.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// Of the trial: paid once.
    pub trial: String,
    /// By the month.
    pub monthly: String,
    /// By the year.
    pub annual: String,
}

impl Stripe {
    fn default_base_url() -> Url {
        Url::parse("https://api.stripe.com").expect("Stripe's address is valid")
    }

    /// Whether the key is one with which no money moves.
    #[must_use]
    pub fn is_test(&self) -> bool {
        let key = self.secret_key.expose_secret();
        key.starts_with("sk_test_") || key.starts_with("rk_test_")
    }

    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        let refuse = |key: &str, problem: &str, example: &str| Err(ConfigError::new(key, problem, example));
        let key = self.secret_key.expose_secret();
        if !["sk_test_", "rk_test_", "sk_live_", "rk_live_"].iter().any(|start| key.starts_with(start))
            || !key.bytes().all(|byte| byte.is_ascii_graphic())
        {
            return refuse("stripe.secret_key", "it is no secret key of Stripe", "secret_key = \"sk_test_…\"");
        }
        if self.base_url.path() != "/" || self.base_url.query().is_some() {
            let example = "base_url = \"https://api.stripe.com\"";
            return refuse("stripe.base_url", "it must be an address without a path", example);
        }
        let is_local = matches!(self.base_url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
        if self.base_url.scheme() != "https" && !is_local {
            let example = "base_url = \"https://api.stripe.com\"";
            return refuse(
                "stripe.base_url",
                "a key must not travel in the clear: it must begin with https://",
                example,
            );
        }
        let secrets = &self.webhook_secrets;
        if secrets.is_empty() || secrets.len() > 2 || secrets.iter().any(|secret| secret.expose_secret().len() < 8) {
            let problem = "there must be one signing secret, or two while one replaces the other";
            return refuse("stripe.webhook_secrets", problem, "webhook_secrets = [\"whsec_…\"]");
        }
        let Prices { trial, monthly, annual } = &self.prices;
        if [trial, monthly, annual].iter().any(|price| price.trim().is_empty()) {
            return refuse("stripe.prices", "each plan needs the id of its price", "monthly = \"price_…\"");
        }
        if trial == monthly || trial == annual || monthly == annual {
            return refuse("stripe.prices", "each plan needs a price of its own", "monthly = \"price_…\"");
        }
        Ok(())
    }
}
