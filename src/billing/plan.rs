//! The three plans.

use std::fmt;
use std::str::FromStr;

use crate::config::{PlanTerms, Plans};

/// What is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Plan {
    /// 7 days for 1 euro, once for each account.
    Trial,
    /// By the month.
    Monthly,
    /// By the year.
    Annual,
}

impl Plan {
    /// All plans, in the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::Trial, Self::Monthly, Self::Annual];

    /// The name in the API and on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Trial => "trial",
            Self::Monthly => "monthly",
            Self::Annual => "annual",
        }
    }

    /// What people read.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Trial => "Prova 7 Giorni",
            Self::Monthly => "Piano Mensile",
            Self::Annual => "Piano Annuale",
        }
    }

    /// Its price and limits in this installation.
    #[must_use]
    pub const fn terms(self, plans: &Plans) -> &PlanTerms {
        match self {
            Self::Trial => &plans.trial,
            Self::Monthly => &plans.monthly,
            Self::Annual => &plans.annual,
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// The text is no plan's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the plans are trial, monthly and annual")]
pub struct UnknownPlan;

impl FromStr for Plan {
    type Err = UnknownPlan;

    fn from_str(text: &str) -> Result<Self, UnknownPlan> {
        Self::ALL.into_iter().find(|plan| plan.as_str() == text).ok_or(UnknownPlan)
    }
}
