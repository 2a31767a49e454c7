//! What the calls of payment take and give.

use poem_openapi::Object;
use poem_openapi::payload::Binary;
use poem_openapi::types::Example;
use poem_openapi::{ApiRequest, ApiResponse, Enum};

use super::super::{PaymentProblem, Plan, Status, Subscription, SubscriptionStatus};
use crate::config::Plans;

/// What a plan costs.
#[derive(Object)]
pub(crate) struct Price {
    /// In euro, VAT included.
    amount: f64,
    /// What it buys, in Italian.
    description: String,
    /// Stripe's price, as `create-checkout` takes it.
    price_id: String,
}

/// What the annual plan costs.
#[derive(Object)]
pub(crate) struct AnnualPrice {
    /// In euro, VAT included.
    amount: f64,
    /// What it buys, in Italian.
    description: String,
    /// Stripe's price, as `create-checkout` takes it.
    price_id: String,
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

impl Prices {
    /// `cents` and `ids` in the order of [`Plan::ALL`].
    pub(super) fn new(cents: [u64; 3], ids: [&str; 3], trial_days: u32) -> Self {
        let [trial, monthly, annual] = cents;
        let [trial_id, monthly_id, annual_id] = ids.map(ToOwned::to_owned);
        let twelve_months = monthly.saturating_mul(12);
        let saved = twelve_months.saturating_sub(annual);
        let savings = if saved == 0 {
            String::new()
        } else {
            let percent = (saved * 100 + twelve_months / 2) / twelve_months;
            format!("Risparmi {} all'anno, il {percent}%", euro_text(saved))
        };
        Self {
            trial: Price {
                amount: euro(trial),
                description: format!("{trial_days} giorni. Non si rinnova: finisce da sola."),
                price_id: trial_id,
            },
            monthly: Price {
                amount: euro(monthly),
                description: "Ogni mese. Puoi disdire quando vuoi.".into(),
                price_id: monthly_id,
            },
            annual: AnnualPrice {
                amount: euro(annual),
                description: "Ogni anno, con un solo pagamento.".into(),
                price_id: annual_id,
                savings,
            },
        }
    }
}

impl Example for Prices {
    fn example() -> Self {
        let plans = Plans::default();
        let cents = Plan::ALL.map(|plan| plan.terms(&plans).price_cents);
        Self::new(cents, ["price_trial", "price_monthly", "price_annual"], plans.trial_days)
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

/// A plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
#[oai(rename = "Plan", rename_all = "snake_case")]
pub(crate) enum PlanName {
    /// A week, once.
    Trial,
    /// By the month.
    Monthly,
    /// By the year.
    Annual,
}

impl From<Plan> for PlanName {
    fn from(plan: Plan) -> Self {
        match plan {
            Plan::Trial => Self::Trial,
            Plan::Monthly => Self::Monthly,
            Plan::Annual => Self::Annual,
        }
    }
}

/// Where a subscription stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
#[oai(rename = "Standing", rename_all = "snake_case")]
pub(crate) enum StatusName {
    /// It grants access.
    Active,
    /// It grants access although its last payment has not come.
    PastDue,
    /// It has ended.
    Ended,
    /// There never was one.
    None,
}

impl From<SubscriptionStatus> for StatusName {
    fn from(status: SubscriptionStatus) -> Self {
        match status {
            SubscriptionStatus::Active => Self::Active,
            SubscriptionStatus::PastDue => Self::PastDue,
            SubscriptionStatus::Ended => Self::Ended,
        }
    }
}

/// What is wrong with the last payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
#[oai(rename = "PaymentProblem", rename_all = "snake_case")]
pub(crate) enum ProblemName {
    /// The holder's bank wants a confirmation.
    BankConfirmation,
    /// The card was refused.
    PaymentFailed,
}

impl From<PaymentProblem> for ProblemName {
    fn from(problem: PaymentProblem) -> Self {
        match problem {
            PaymentProblem::BankConfirmation => Self::BankConfirmation,
            PaymentProblem::PaymentFailed => Self::PaymentFailed,
        }
    }
}

/// What somebody holds, and what can be done about it.
#[derive(Object)]
#[oai(rename = "SubscriptionStatus", example, skip_serializing_if_is_none)]
pub(crate) struct StatusResponse {
    /// There is a subscription, ended or not.
    has_subscription: bool,
    /// Where it stands.
    status: StatusName,
    /// Its plan.
    plan_type: Option<PlanName>,
    /// It grants access now.
    is_active: bool,
    /// When the present period began, RFC 3339 in UTC.
    current_period_start: Option<String>,
    /// When the present period ends, RFC 3339 in UTC.
    current_period_end: Option<String>,
    /// It ends with the present period.
    cancel_at_period_end: bool,
    /// Until when it grants access, the grace for a late payment included, RFC 3339 in UTC.
    access_until: Option<String>,
    /// What is wrong with the last payment.
    payment_problem: Option<ProblemName>,
    /// Where that payment can be made, at the payment provider.
    pay_url: Option<String>,
    /// There is something that renews itself and was not cancelled yet.
    can_cancel: bool,
    /// `create-portal` has something to show.
    can_manage: bool,
    /// The trial was never had.
    trial_available: bool,
    /// A checkout was completed and its money is not confirmed yet.
    payment_pending: bool,
}

impl Example for StatusResponse {
    fn example() -> Self {
        Self {
            has_subscription: true,
            status: StatusName::Active,
            plan_type: Some(PlanName::Monthly),
            is_active: true,
            current_period_start: Some("2026-11-21T09:30:00Z".into()),
            current_period_end: Some("2026-12-21T09:30:00Z".into()),
            cancel_at_period_end: false,
            access_until: Some("2026-12-24T09:30:00Z".into()),
            payment_problem: None,
            pay_url: None,
            can_cancel: true,
            can_manage: true,
            trial_available: false,
            payment_pending: false,
        }
    }
}

impl From<Status> for StatusResponse {
    fn from(status: Status) -> Self {
        let Status { held, payment_pending, trial_available, is_customer, at } = status;
        let standing = held.as_ref().map(|held| held.status(at));
        let live = held.as_ref().filter(|held| held.grants(at));
        let renews = held.as_ref().is_some_and(Subscription::renews);
        let cancelling = held.as_ref().is_some_and(|held| held.cancel_at_period_end);
        Self {
            has_subscription: held.is_some(),
            status: standing.map_or(StatusName::None, Into::into),
            is_active: live.is_some(),
            cancel_at_period_end: cancelling,
            payment_problem: held.as_ref().and_then(|held| held.payment_problem.map(Into::into)),
            can_cancel: renews && !cancelling,
            can_manage: is_customer && renews,
            plan_type: held.as_ref().map(|held| held.plan.into()),
            current_period_start: held.as_ref().map(|held| held.current_period_start.to_string()),
            current_period_end: held.as_ref().map(|held| held.current_period_end.to_string()),
            access_until: held.as_ref().map(|held| held.access_until.to_string()),
            pay_url: held.and_then(|held| held.pay_url),
            trial_available,
            payment_pending,
        }
    }
}

/// A plan to buy.
#[derive(Object)]
#[oai(example)]
pub(crate) struct CheckoutRequest {
    /// `trial`, `monthly` or `annual`.
    pub(super) plan_type: String,
    /// The plan's own price, when the caller knows it.
    pub(super) price_id: Option<String>,
    /// Where the browser goes after paying: a page of the product.
    pub(super) success_url: String,
    /// Where it goes otherwise: a page of the product.
    pub(super) cancel_url: String,
    /// The buyer wants the service to begin at once, and pays for the days used when withdrawing.
    #[oai(default)]
    pub(super) immediate_start: bool,
}

impl Example for CheckoutRequest {
    fn example() -> Self {
        Self {
            plan_type: Plan::Monthly.to_string(),
            price_id: None,
            success_url: "https://rimedio.example/account/subscription?success=true".into(),
            cancel_url: "https://rimedio.example/account/subscription?canceled=true".into(),
            immediate_start: true,
        }
    }
}

/// A price to try out.
#[derive(Object)]
#[oai(example)]
pub(crate) struct TestCheckoutRequest {
    /// Stripe's price of one of the plans.
    pub(super) price_id: String,
    /// Where the browser goes after paying: a page of the product.
    pub(super) success_url: String,
    /// Where it goes otherwise: a page of the product.
    pub(super) cancel_url: String,
}

impl Example for TestCheckoutRequest {
    fn example() -> Self {
        Self {
            price_id: "price_monthly".into(),
            success_url: "https://rimedio.example/stripe-test-simple?success=true".into(),
            cancel_url: "https://rimedio.example/stripe-test-simple?canceled=true".into(),
        }
    }
}

/// Where to pay.
#[derive(Object)]
#[oai(example)]
pub(crate) struct CheckoutResponse {
    /// The payment provider's page.
    pub(super) checkout_url: String,
}

impl Example for CheckoutResponse {
    fn example() -> Self {
        Self { checkout_url: "https://checkout.stripe.com/c/pay/cs_test_1".into() }
    }
}

/// Where to manage cards and plan.
#[derive(Object)]
#[oai(example)]
pub(crate) struct PortalResponse {
    /// The payment provider's page.
    pub(super) portal_url: String,
}

impl Example for PortalResponse {
    fn example() -> Self {
        Self { portal_url: "https://billing.stripe.com/p/session/test_1".into() }
    }
}

/// A message of the payment provider, byte for byte as it was signed.
#[derive(ApiRequest)]
pub(crate) enum SignedMessage {
    /// An event.
    #[oai(content_type = "application/json; charset=utf-8")]
    Utf8(Binary<Vec<u8>>),
    /// An event.
    #[oai(content_type = "application/json")]
    Plain(Binary<Vec<u8>>),
}

/// The message was heard: its effect is durable, or it has none here.
#[derive(ApiResponse)]
pub(crate) enum HeardResponse {
    /// Heard.
    #[oai(status = 200)]
    Heard,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_annual_plan_says_what_it_saves_to_the_cent() {
        let prices = Prices::example();
        assert_eq!(prices.annual.savings, "Risparmi 23,98 € all'anno, il 20%");
        assert_eq!((prices.trial.amount, prices.monthly.amount, prices.annual.amount), (1.0, 9.99, 95.9));
    }

    #[test]
    fn a_plan_that_saves_nothing_promises_nothing() {
        assert_eq!(Prices::new([100, 999, 999 * 12], ["a", "b", "c"], 7).annual.savings, "");
    }
}
