//! What the plans cost at Stripe, remembered for a while. Nobody waits long for it: while Stripe does not answer, the
//! configured figures stand in.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::Mutex;

use super::Plan;
use super::stripe::Stripe;
use crate::clock::Clock;
use crate::config::{Plans, Prices};

/// How long prices are remembered.
const FRESH: SignedDuration = SignedDuration::from_mins(15);
/// How long Stripe is left alone after it did not answer.
const PAUSE: SignedDuration = SignedDuration::from_mins(1);
/// How long a page waits for Stripe.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(super) struct PriceCache {
    clock: Clock,
    stripe: Stripe,
    ids: [String; 3],
    known: Mutex<Known>,
}

#[derive(Debug)]
struct Known {
    cents: [u64; 3],
    until: Timestamp,
}

impl PriceCache {
    pub(super) fn new(clock: Clock, stripe: Stripe, plans: &Plans, prices: &Prices) -> Self {
        let cents = Plan::ALL.map(|plan| plan.terms(plans).price_cents);
        let ids = [prices.trial.clone(), prices.monthly.clone(), prices.annual.clone()];
        Self { clock, stripe, ids, known: Mutex::new(Known { cents, until: Timestamp::MIN }) }
    }

    /// In the order of [`Plan::ALL`].
    pub(super) async fn cents(&self) -> [u64; 3] {
        let mut known = self.known.lock().await;
        let now = self.clock.now();
        if now < known.until {
            return known.cents;
        }
        let [trial, monthly, annual] = &self.ids;
        let asked = async {
            tokio::try_join!(
                self.stripe.price_cents(trial),
                self.stripe.price_cents(monthly),
                self.stripe.price_cents(annual),
            )
        };
        let fresh_for = match tokio::time::timeout(PATIENCE, asked).await {
            Ok(Ok(found)) => {
                for (cents, found) in known.cents.iter_mut().zip([found.0, found.1, found.2]) {
                    *cents = found.unwrap_or(*cents);
                }
                FRESH
            }
            Ok(Err(error)) => {
                tracing::warn!(cause = error.cause_for_log(), "prices could not be read from Stripe");
                PAUSE
            }
            Err(_) => {
                tracing::warn!("Stripe did not tell the prices in time");
                PAUSE
            }
        };
        known.until = now.saturating_add(fresh_for).unwrap_or(Timestamp::MAX);
        known.cents
    }
}
