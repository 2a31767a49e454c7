//! What is left, as the usage panel shows it.

use poem_openapi::payload::Json;
use poem_openapi::types::Example;
use poem_openapi::{Object, OpenApi, Tags};

use super::{Quotas, Usage};
use crate::http::identity::SignedIn;
use crate::http::problem::Failure;

#[derive(Tags)]
enum Tag {
    /// Limits of the plan and what was used of them.
    Usage,
}

/// Used today.
#[derive(Object)]
pub(crate) struct UsedToday {
    /// Requests, those under way included.
    requests: u32,
    /// Tokens of the model.
    tokens: u64,
}

/// Used this month.
#[derive(Object)]
pub(crate) struct UsedThisMonth {
    /// Requests, those under way included.
    requests: u32,
}

/// Used, in days and months of Italy.
#[derive(Object)]
pub(crate) struct Used {
    today: UsedToday,
    month: UsedThisMonth,
}

/// The limits of the plan.
#[derive(Object)]
pub(crate) struct PlanLimits {
    daily_requests: u32,
    monthly_requests: u32,
    daily_tokens: u64,
}

/// Left today.
#[derive(Object)]
pub(crate) struct LeftToday {
    /// The smaller of what the day and what the month leave.
    requests: u32,
}

/// Left.
#[derive(Object)]
pub(crate) struct Left {
    today: LeftToday,
}

/// What was used and what is left.
#[derive(Object)]
#[oai(rename = "Usage", example)]
pub(crate) struct UsageResponse {
    /// `trial`, `monthly` or `annual`.
    plan: String,
    usage: Used,
    limits: PlanLimits,
    remaining: Left,
}

impl From<Usage> for UsageResponse {
    fn from(usage: Usage) -> Self {
        Self {
            plan: usage.plan.to_string(),
            remaining: Left { today: LeftToday { requests: usage.remaining_today() } },
            usage: Used {
                today: UsedToday { requests: usage.requests_today, tokens: usage.tokens_today },
                month: UsedThisMonth { requests: usage.requests_this_month },
            },
            limits: PlanLimits {
                daily_requests: usage.limits.daily_requests,
                monthly_requests: usage.limits.monthly_requests,
                daily_tokens: usage.limits.daily_tokens,
            },
        }
    }
}

impl Example for UsageResponse {
    fn example() -> Self {
        Self {
            plan: "monthly".into(),
            usage: Used { today: UsedToday { requests: 3, tokens: 5_400 }, month: UsedThisMonth { requests: 41 } },
            limits: PlanLimits { daily_requests: 40, monthly_requests: 600, daily_tokens: 200_000 },
            remaining: Left { today: LeftToday { requests: 37 } },
        }
    }
}

/// The routes of usage.
#[derive(Clone, Debug)]
pub struct UsageApi {
    quotas: Quotas,
}

impl UsageApi {
    /// The routes on these limits.
    #[must_use]
    pub const fn new(quotas: Quotas) -> Self {
        Self { quotas }
    }
}

#[OpenApi(prefix_path = "/api/v1", tag = "Tag::Usage")]
impl UsageApi {
    /// What was used and what is left
    ///
    /// 402 without an active subscription.
    #[oai(path = "/usage", method = "get", operation_id = "usage")]
    async fn usage(&self, who: SignedIn) -> Result<Json<UsageResponse>, Failure> {
        Ok(Json(self.quotas.usage(who.account.id).await?.into()))
    }
}
