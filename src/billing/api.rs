//! The routes of plans and of the subscription that somebody holds.

use std::sync::Arc;

use poem_openapi::payload::Json;
use poem_openapi::types::Example;
use poem_openapi::{Object, OpenApi, Tags};

use super::{Plan, Subscription, SubscriptionStatus, Subscriptions};
use crate::clock::Clock;
use crate::config::{Config, Plans};
use crate::http::identity::SignedIn;
use crate::http::problem::Failure;

#[derive(Tags)]
enum Tag {
    /// Plans and the subscription.
    Payment,
}

/// What a plan costs.
#[derive(Object)]
pub(crate) struct Price {
    /// In euro, VAT included.
    amount: f64,
    /// What it buys, in Italian.
    description: String,
}

/// What the annual plan costs.
#[derive(Object)]
pub(crate) struct AnnualPrice {
    /// In euro, VAT included.
    amount: f64,
    /// What it buys, in Italian.
    description: String,
    /// What it saves against twelve months of the monthly plan, in Italian; empty when it saves nothing.
    savings: String,
}

/// The prices of this installation.
#[derive(Object)]
#[oai(example)]
pub(crate) struct Prices {
    /// A week, once.
    trial: Price,
    /// By the month.
    monthly: Price,
    /// By the year.
    annual: AnnualPrice,
}

impl From<&Plans> for Prices {
    fn from(plans: &Plans) -> Self {
        let twelve_months = plans.monthly.price_cents.saturating_mul(12);
        let saved = twelve_months.saturating_sub(plans.annual.price_cents);
        let savings = if saved == 0 {
            String::new()
        } else {
            let percent = (saved * 100 + twelve_months / 2) / twelve_months;
            format!("Risparmi {} all'anno, il {percent}%", euro_text(saved))
        };
        let days = plans.trial_days;
        Self {
            trial: Price {
                amount: euro(plans.trial.price_cents),
                description: format!("{days} giorni. Non si rinnova: finisce da sola."),
            },
            monthly: Price {
                amount: euro(plans.monthly.price_cents),
                description: "Ogni mese. Puoi disdire quando vuoi.".into(),
            },
            annual: AnnualPrice {
                amount: euro(plans.annual.price_cents),
                description: "Ogni anno, con un solo pagamento.".into(),
                savings,
            },
        }
    }
}

impl Example for Prices {
    fn example() -> Self {
        Self::from(&Plans::default())
    }
}

/// Cents as euro, for JSON. Exact to the cent up to 90 trillion euro.
#[allow(clippy::cast_precision_loss, reason = "no price comes near 2^53 cents")]
fn euro(cents: u64) -> f64 {
    cents as f64 / 100.0
}

/// Cents as Italians write them.
fn euro_text(cents: u64) -> String {
    format!("{},{:02} €", cents / 100, cents % 100)
}

/// What somebody holds.
#[derive(Object)]
#[oai(rename = "SubscriptionStatus", example, skip_serializing_if_is_none)]
pub(crate) struct StatusResponse {
    /// There is a subscription, ended or not.
    has_subscription: bool,
    /// `active`, `ended` or `none`.
    status: String,
    /// `trial`, `monthly` or `annual`.
    plan_type: Option<String>,
    /// It grants access now.
    is_active: bool,
    /// When the present period ends, RFC 3339 in UTC.
    current_period_end: Option<String>,
}

impl Example for StatusResponse {
    fn example() -> Self {
        Self {
            has_subscription: true,
            status: SubscriptionStatus::Active.as_str().into(),
            plan_type: Some(Plan::Monthly.to_string()),
            is_active: true,
            current_period_end: Some("2026-12-21T09:30:00Z".into()),
        }
    }
}

impl StatusResponse {
    fn new(held: Option<&Subscription>, now: jiff::Timestamp) -> Self {
        let status = held.map(|held| held.status(now));
        Self {
            has_subscription: held.is_some(),
            status: status.map_or("none", SubscriptionStatus::as_str).into(),
            plan_type: held.map(|held| held.plan.to_string()),
            is_active: status == Some(SubscriptionStatus::Active),
            current_period_end: held.map(|held| held.current_period_end.to_string()),
        }
    }
}

/// The routes of payment.
#[derive(Clone, Debug)]
pub struct PaymentApi {
    config: Arc<Config>,
    clock: Clock,
    subscriptions: Subscriptions,
}

impl PaymentApi {
    /// The routes on these plans and subscriptions.
    #[must_use]
    pub const fn new(config: Arc<Config>, clock: Clock, subscriptions: Subscriptions) -> Self {
        Self { config, clock, subscriptions }
    }
}

#[OpenApi(prefix_path = "/api/v1", tag = "Tag::Payment")]
impl PaymentApi {
    /// What the plans cost
    ///
    /// Needs no sign-in.
    #[oai(path = "/payment/prices", method = "get", operation_id = "prices")]
    async fn prices(&self) -> Result<Json<Prices>, Failure> {
        Ok(Json(Prices::from(&self.config.plans)))
    }

    /// What the caller holds
    ///
    /// A subscription that has ended is told too, with `is_active` false.
    #[oai(path = "/payment/subscription-status", method = "get", operation_id = "subscription_status")]
    async fn subscription_status(&self, who: SignedIn) -> Result<Json<StatusResponse>, Failure> {
        let held = self.subscriptions.of(who.account.id).await?;
        Ok(Json(StatusResponse::new(held.as_ref(), self.clock.now())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_annual_plan_says_what_it_saves_to_the_cent() {
        let prices = Prices::from(&Plans::default());
        assert_eq!(prices.annual.savings, "Risparmi 23,98 € all'anno, il 20%");
        assert_eq!((prices.trial.amount, prices.monthly.amount, prices.annual.amount), (1.0, 9.99, 95.9));
    }

    #[test]
    fn a_plan_that_saves_nothing_promises_nothing() {
        let mut plans = Plans::default();
        plans.annual.price_cents = plans.monthly.price_cents * 12;
        assert_eq!(Prices::from(&plans).annual.savings, "");
    }
}
