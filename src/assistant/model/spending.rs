//! What the models cost in a day, against the ceiling of the configuration, in integer micro-euro. A call is counted
//! by the most that it may cost before it is made, and settled to what it did cost after: calls at the same moment
//! cannot pass the ceiling together. What a crash leaves unsettled stays counted until midnight in Italy.

use jiff::civil::Date;

use super::Tokens;
use crate::clock::Clock;
use crate::config::Model as Settings;
use crate::error::Result;
use crate::store::{Store, StoreError, Table};

/// Micro-euro spent on a day of Italy.
const COSTS: Table = Table { prefix: 0x48, name: "model_costs" };

/// What a model costs, in nano-euro a token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Price {
    input_nano: u64,
    output_nano: u64,
}

impl Price {
    /// The price of a model in the configuration; nothing when it names none, which a ceiling forbids.
    #[must_use]
    pub fn of(settings: &Settings, model: &str) -> Self {
        settings.prices.get(model).map_or_else(Self::default, |price| Self {
            input_nano: thousandths(price.input_eur),
            output_nano: thousandths(price.output_eur),
        })
    }

    /// What tokens cost, in micro-euro, rounded up.
    #[must_use]
    pub const fn cost(self, tokens: Tokens) -> u64 {
        let input = tokens.input.saturating_mul(self.input_nano);
        let output = tokens.output.saturating_mul(self.output_nano);
        input.saturating_add(output).div_ceil(1_000)
    }
}

/// An euro for a million tokens is a micro-euro a token, and a thousand nano-euro.
fn thousandths(euro_for_a_million: f64) -> u64 {
    let nano = (euro_for_a_million * 1_000.0).round();
    if nano.is_finite() && nano > 0.0 {
        // In range: a price beyond 10^15 nano-euro a token would be a million euro a token.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "finite, positive and bounded")]
        let whole = nano.min(1e15) as u64;
        whole
    } else {
        0
    }
}

/// The day's costs of all calls.
#[derive(Clone, Debug)]
pub struct Spending {
    store: Store,
    clock: Clock,
    /// In micro-euro; none when the operator set none.
    ceiling: Option<u64>,
}

impl Spending {
    /// The costs kept in a store, against the ceiling of the configuration.
    #[must_use]
    pub fn new(store: Store, clock: Clock, settings: &Settings) -> Self {
        let ceiling = settings.daily_budget_eur.map(|euro| thousandths(euro).saturating_mul(1_000));
        Self { store, clock, ceiling }
    }

    /// What was spent on a day, calls under way counted by their most, in micro-euro.
    ///
    /// # Errors
    /// What the store says.
    pub async fn of_day(&self, day: Date) -> Result<u64> {
        Ok(u64::try_from(self.store.counter(COSTS, &day).await?).unwrap_or(0))
    }

    /// Holds `most` micro-euro for a call; nothing when the day's ceiling is reached, or would be passed.
    pub(super) async fn reserve(&self, most: u64) -> Result<Option<Held>> {
        let day = self.clock.today();
        let ceiling = self.ceiling;
        let amount = signed(most);
        let granted = self
            .store
            .update(move |transaction| -> Result<bool, StoreError> {
                if let Some(ceiling) = ceiling {
                    let spent = u64::try_from(transaction.counter(COSTS, &day)?).unwrap_or(0);
                    if spent.saturating_add(most) > ceiling {
                        return Ok(false);
                    }
                }
                if amount != 0 {
                    transaction.add(COSTS, &day, amount);
                }
                Ok(true)
            })
            .await?;
        Ok(granted.then(|| Held { store: self.store.clone(), day, held: amount, cost: amount }))
    }
}

/// Money held for a call. Dropped without being settled, it settles itself to the cost known then.
#[derive(Debug)]
pub(super) struct Held {
    store: Store,
    day: Date,
    held: i64,
    cost: i64,
}

impl Held {
    /// The same, costing so much until more is known.
    pub(super) fn costing(mut self, micro_euro: u64) -> Self {
        self.cost = signed(micro_euro);
        self
    }

    /// Says what the call cost.
    pub(super) fn cost(&mut self, micro_euro: u64) {
        self.cost = signed(micro_euro);
    }

    /// Counts what the call cost.
    pub(super) async fn settle(mut self) {
        let difference = self.difference();
        correct(&self.store, self.day, difference).await;
    }

    /// What is still to be counted; afterwards nothing is.
    fn difference(&mut self) -> i64 {
        let difference = self.cost.saturating_sub(self.held);
        self.held = self.cost;
        difference
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let (store, day, difference) = (self.store.clone(), self.day, self.difference());
        if difference != 0
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(async move { correct(&store, day, difference).await });
        }
    }
}

async fn correct(store: &Store, day: Date, difference: i64) {
    if difference == 0 {
        return;
    }
    let corrected = store
        .update(move |transaction| -> Result<(), StoreError> {
            transaction.add(COSTS, &day, difference);
            Ok(())
        })
        .await;
    if let Err(error) = corrected {
        tracing::error!(cause = %error, "the cost of a model call could not be settled");
    }
}

fn signed(micro_euro: u64) -> i64 {
    i64::try_from(micro_euro).unwrap_or(i64::MAX)
}
