//! What someone may still use. A request is **reserved** before any work begins and **settled** in the commit
//! that stores its answer, or **released** when there is none. All that counts for one account stands in one
//! record, so two reservations at the same moment conflict and one of them sees the other: no interleaving
//! passes a limit. A reservation that a crash left behind lapses by itself after [`RESERVATION_LIFETIME`].

pub mod api;

use std::time::Duration;

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::account::AccountId;
use crate::billing::{Plan, Subscription, Subscriptions};
use crate::clock::{Clock, day_in_italy, start_of_day_in_italy};
use crate::config::{PlanTerms, Plans};
use crate::error::{Code, Error, Result};
use crate::store::{Record, Store, Table, Transaction};

/// How long a reservation holds without being settled: longer than any answer may take (30 seconds).
pub const RESERVATION_LIFETIME: SignedDuration = SignedDuration::from_secs(120);

/// What an account has used, and what is under way. Days and months are Italy's.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Allowance {
    /// The day that `day_requests` and `day_tokens` are of; the month of `month_requests` is that day's.
    day: Date,
    day_requests: u32,
    day_tokens: u64,
    month_requests: u32,
    reserved: Vec<Reserved>,
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Reserved {
    id: Uuid,
    day: Date,
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    lapses_at: Timestamp,
}

impl Record for Allowance {
    const TABLE: Table = Table { prefix: 0x30, name: "allowances" };
    const VERSION: u8 = 1;
    type Key = AccountId;
}

impl Allowance {
    const fn new(day: Date) -> Self {
        Self { day, day_requests: 0, day_tokens: 0, month_requests: 0, reserved: Vec::new() }
    }

    /// The same allowance as it stands at `now`: a new day or month begins at zero, lapsed reservations are gone.
    fn at(mut self, now: Timestamp) -> Self {
        let today = day_in_italy(now);
        if self.day != today {
            if month(self.day) != month(today) {
                self.month_requests = 0;
            }
            self.day = today;
            self.day_requests = 0;
            self.day_tokens = 0;
        }
        self.reserved.retain(|reserved| now < reserved.lapses_at);
        self
    }

    fn reserved_today(&self) -> u32 {
        count(self.reserved.iter().filter(|reserved| reserved.day == self.day))
    }

    fn reserved_this_month(&self) -> u32 {
        count(self.reserved.iter().filter(|reserved| month(reserved.day) == month(self.day)))
    }

    /// Counts a reservation as used, on the day on which it was made.
    fn settle(&mut self, reserved: &Reserved, tokens: u64) {
        if reserved.day == self.day {
            self.day_requests = self.day_requests.saturating_add(1);
            self.day_tokens = self.day_tokens.saturating_add(tokens);
        }
        if month(reserved.day) == month(self.day) {
            self.month_requests = self.month_requests.saturating_add(1);
        }
    }
}

fn month(day: Date) -> (i16, i8) {
    (day.year(), day.month())
}

fn count<'a>(items: impl Iterator<Item = &'a Reserved>) -> u32 {
    u32::try_from(items.count()).unwrap_or(u32::MAX)
}

/// A request that was let through and is not yet counted. Settle or release it.
#[derive(Clone, Debug)]
#[must_use = "a reservation must be settled or released"]
pub struct Reservation {
    account: AccountId,
    id: Uuid,
    plan: Plan,
}

impl Reservation {
    /// Whose it is.
    #[must_use]
    pub const fn account(&self) -> AccountId {
        self.account
    }

    /// The plan that let it through.
    #[must_use]
    pub const fn plan(&self) -> Plan {
        self.plan
    }

    /// Counts the request and its tokens, in the commit that stores the answer.
    ///
    /// # Errors
    /// What the store says.
    pub fn settle(&self, transaction: &mut Transaction<'_>, now: Timestamp, tokens: u64) -> Result<()> {
        self.finish(transaction, now, |allowance, reserved| allowance.settle(reserved, tokens))
    }

    /// Gives the request back, in the commit that stores an answer which costs nothing.
    ///
    /// # Errors
    /// What the store says.
    pub fn release(&self, transaction: &mut Transaction<'_>, now: Timestamp) -> Result<()> {
        self.finish(transaction, now, |_, _| {})
    }

    fn finish(
        &self,
        transaction: &mut Transaction<'_>,
        now: Timestamp,
        used: impl FnOnce(&mut Allowance, &Reserved),
    ) -> Result<()> {
        let Some(held) = transaction.get::<Allowance>(&self.account)? else { return Ok(()) };
        // Looked up before lapsed ones are dropped: an answer that took too long is still counted.
        let reserved = held.reserved.iter().find(|reserved| reserved.id == self.id).cloned();
        let mut allowance = held.at(now);
        if let Some(reserved) = reserved {
            allowance.reserved.retain(|other| other.id != self.id);
            used(&mut allowance, &reserved);
        }
        Ok(transaction.put(&self.account, &allowance)?)
    }
}

/// What an account has used and what its plan lets it use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The plan in force.
    pub plan: Plan,
    /// Requests of today, those under way included.
    pub requests_today: u32,
    /// Tokens of today.
    pub tokens_today: u64,
    /// Requests of this month, those under way included.
    pub requests_this_month: u32,
    /// The plan's limits.
    pub limits: PlanTerms,
}

impl Usage {
    /// Requests that are left today: the smaller of what the day and what the month leave.
    #[must_use]
    pub fn remaining_today(&self) -> u32 {
        let day = self.limits.daily_requests.saturating_sub(self.requests_today);
        let month = self.limits.monthly_requests.saturating_sub(self.requests_this_month);
        day.min(month)
    }
}

/// The limits of all accounts.
#[derive(Clone, Debug)]
pub struct Quotas {
    store: Store,
    clock: Clock,
    plans: Plans,
}

impl Quotas {
    /// The limits that `plans` sets.
    #[must_use]
    pub const fn new(store: Store, clock: Clock, plans: Plans) -> Self {
        Self { store, clock, plans }
    }

    /// Lets one request through, or says why not.
    ///
    /// # Errors
    /// [`Code::SubscriptionRequired`] without an active subscription, [`Code::QuotaExceeded`] at a limit.
    pub async fn reserve(&self, account: AccountId) -> Result<Reservation> {
        let now = self.clock.now();
        let plans = self.plans.clone();
        let id = Uuid::new_v4();
        self.store
            .update(move |transaction| {
                let plan = Self::plan(transaction, account, now)?.plan;
                let mut allowance = held(transaction, account, now)?;
                admit(&allowance, plan, plan.terms(&plans), now)?;
                let lapses_at = now.saturating_add(RESERVATION_LIFETIME).unwrap_or(Timestamp::MAX);
                allowance.reserved.push(Reserved { id, day: allowance.day, lapses_at });
                transaction.put(&account, &allowance)?;
                Ok(Reservation { account, id, plan })
            })
            .await
    }

    /// Gives a request back that led to no answer.
    ///
    /// # Errors
    /// What the store says.
    pub async fn release(&self, reservation: Reservation) -> Result<()> {
        let now = self.clock.now();
        self.store.update(move |transaction| reservation.release(transaction, now)).await
    }

    /// What an account has used.
    ///
    /// # Errors
    /// [`Code::SubscriptionRequired`] without an active subscription.
    pub async fn usage(&self, account: AccountId) -> Result<Usage> {
        let now = self.clock.now();
        let plans = self.plans.clone();
        self.store
            .update(move |transaction| {
                let plan = Self::plan(transaction, account, now)?.plan;
                let allowance = held(transaction, account, now)?;
                Ok(Usage {
                    plan,
                    requests_today: allowance.day_requests.saturating_add(allowance.reserved_today()),
                    tokens_today: allowance.day_tokens,
                    requests_this_month: allowance.month_requests.saturating_add(allowance.reserved_this_month()),
                    limits: plan.terms(&plans).clone(),
                })
            })
            .await
    }

    fn plan(transaction: &mut Transaction<'_>, account: AccountId, now: Timestamp) -> Result<Subscription> {
        Subscriptions::active_within(transaction, account, now)?.ok_or_else(|| Code::SubscriptionRequired.into())
    }
}

fn held(transaction: &mut Transaction<'_>, account: AccountId, now: Timestamp) -> Result<Allowance> {
    let held = transaction.get::<Allowance>(&account)?;
    Ok(held.unwrap_or_else(|| Allowance::new(day_in_italy(now))).at(now))
}

/// Refuses when a limit is reached, with a sentence that says which and when it frees.
fn admit(allowance: &Allowance, plan: Plan, terms: &PlanTerms, now: Timestamp) -> Result<()> {
    let today = allowance.day_requests.saturating_add(allowance.reserved_today());
    let this_month = allowance.month_requests.saturating_add(allowance.reserved_this_month());
    let (reached, frees_on) = if this_month >= terms.monthly_requests {
        let next_month = allowance.day.last_of_month().tomorrow();
        (format!("Hai usato tutte le {} richieste di questo mese.", terms.monthly_requests), next_month)
    } else if today >= terms.daily_requests {
        (format!("Hai usato tutte le {} richieste di oggi.", terms.daily_requests), allowance.day.tomorrow())
    } else if allowance.day_tokens >= terms.daily_tokens {
        ("Per oggi hai raggiunto il limite di testo del tuo piano.".to_owned(), allowance.day.tomorrow())
    } else {
        return Ok(());
    };
    let frees_on = frees_on.unwrap_or(allowance.day);
    let wait = start_of_day_in_italy(frees_on).duration_since(now);
    let wait = Duration::try_from(wait).unwrap_or(Duration::ZERO);
    let when = italian_date(frees_on);
    let advice = match plan {
        Plan::Trial => format!("Potrai farne altre da {when}. Per continuare subito, fai un Upgrade del tuo piano."),
        Plan::Monthly | Plan::Annual => format!("Potrai farne altre da {when}."),
    };
    Err(Error::new(Code::QuotaExceeded).saying(format!("{reached} {advice}")).retry_after(wait))
}

fn italian_date(day: Date) -> String {
    const WEEKDAYS: [&str; 7] = ["lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica"];
    const MONTHS: [&str; 12] = [
        "gennaio",
        "febbraio",
        "marzo",
        "aprile",
        "maggio",
        "giugno",
        "luglio",
        "agosto",
        "settembre",
        "ottobre",
        "novembre",
        "dicembre",
    ];
    let weekday = WEEKDAYS.get(usize::from(day.weekday().to_monday_zero_offset().unsigned_abs())).unwrap_or(&"");
    let month = MONTHS.get(usize::from(day.month().unsigned_abs()).saturating_sub(1)).unwrap_or(&"");
    format!("{weekday} {} {month}", day.day())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::fixture;

    #[test]
    fn what_is_on_disk_is_read_for_ever() {
        let allowance = Allowance {
            day: jiff::civil::date(2026, 11, 21),
            day_requests: 3,
            day_tokens: 70_000,
            month_requests: 41,
            reserved: vec![Reserved {
                id: Uuid::from_u128(7),
                day: jiff::civil::date(2026, 11, 21),
                lapses_at: Timestamp::constant(1_795_000_000, 250_000),
            }],
        };
        fixture::holds(&AccountId(Uuid::from_u128(1)), &allowance);
    }
}
