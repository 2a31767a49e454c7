//! The parts of the product, built once from the configuration. Only the door and the command line see them all;
//! a capability receives the parts that it needs.

use std::sync::Arc;
use std::time::Duration;

use crate::account::{Accounts, Google};
use crate::assistant::Assistant;
use crate::assistant::engine::Engine;
use crate::assistant::model::{Models, Spending};
use crate::billing::{Billing, Subscriptions};
use crate::clock::Clock;
use crate::config::Config;
use crate::handbook::Handbook;
use crate::quota::Quotas;
use crate::store::Store;

/// Between two looks at Stripe.
const BETWEEN_RECONCILIATIONS: Duration = Duration::from_secs(3_600);
/// Between two sweeps.
const BETWEEN_SWEEPS: Duration = Duration::from_secs(24 * 3_600);

/// All parts.
#[derive(Clone, Debug)]
pub struct App {
    /// The configuration that they were built from.
    pub config: Arc<Config>,
    /// The time.
    pub clock: Clock,
    /// What is remembered.
    pub store: Store,
    /// Who someone is.
    pub accounts: Accounts,
    /// What someone holds.
    pub subscriptions: Subscriptions,
    /// What someone pays for.
    pub billing: Billing,
    /// What someone may still use.
    pub quotas: Quotas,
    /// The product itself.
    pub assistant: Assistant,
}

/// Why the parts could not be built.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The client for calls to providers could not be made.
    #[error(transparent)]
    HttpClient(#[from] crate::http_client::ClientError),
    /// A part failed.
    #[error("{}", .0.cause_for_log().unwrap_or_else(|| .0.detail().to_owned()))]
    Part(#[from] crate::error::Error),
}

impl App {
    /// Builds the parts on a store that is open.
    ///
    /// # Errors
    /// [`StartError`] names the part that failed.
    pub async fn on(store: Store, config: Config, clock: Clock) -> Result<Self, StartError> {
        let http = crate::http_client::http_client()?;
        let origin = config.server.origin();
        let google = Google::new(http.clone(), clock.clone(), &config.google, &origin)?;
        let accounts = Accounts::open(store.clone(), clock.clone(), google, &config.admin, &origin).await?;
        let subscriptions = Subscriptions::new(store.clone(), clock.clone());
        let billing = Billing::new(store.clone(), clock.clone(), accounts.clone(), subscriptions.clone(), &config)?;
        let quotas = Quotas::new(store.clone(), clock.clone(), config.plans.clone());
        let models = config.model.clone().map(|settings| {
            let spending = Spending::new(store.clone(), clock.clone(), &settings);
            Models::new(http, settings, &origin, &config.brand.name, Some(spending))
        });
        let engine = Engine::new(Handbook::embedded(), models);
        let assistant = Assistant::new(store.clone(), clock.clone(), quotas.clone(), engine);
        Ok(Self { config: Arc::new(config), clock, store, accounts, subscriptions, billing, quotas, assistant })
    }

    /// Does what has to be done now and then, from the start on until it is dropped, and says in the log what was done:
    /// each hour it asks Stripe about whatever no webhook brought, each day it removes what nobody needs any more.
    pub async fn keep_house(&self) {
        tokio::join!(self.keep_money(), self.keep_clean());
    }

    async fn keep_money(&self) {
        let mut turns = tokio::time::interval(BETWEEN_RECONCILIATIONS);
        loop {
            turns.tick().await;
            match self.billing.sweep().await {
                Ok(swept) => tracing::info!(asked = swept.asked, failed = swept.failed, "reconciled with Stripe"),
                Err(error) => {
                    tracing::warn!(cause = error.cause_for_log(), "Stripe does not answer; the next hour tries again")
                }
            }
        }
    }

    async fn keep_clean(&self) {
        let mut turns = tokio::time::interval(BETWEEN_SWEEPS);
        loop {
            turns.tick().await;
            match self.assistant.sweep().await {
                Ok(swept) => tracing::info!(images = swept.images, claims = swept.claims, "swept"),
                Err(error) => {
                    tracing::warn!(cause = error.cause_for_log(), "the sweep failed; the next one tries again")
                }
            }
        }
    }
}
