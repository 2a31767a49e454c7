//! The ledger: every payment, refund and dispute as one line in integer cents, under Stripe's own id. Writing the same
//! line again changes nothing, so however often and in whatever order Stripe tells of a payment, it is counted once.
//! Lines outlive the account that they were written for.

use jiff::Timestamp;
use jiff::civil::Date;

use super::Plan;
use crate::account::AccountId;
use crate::clock::start_of_day_in_italy;
use crate::error::Result;
use crate::store::{Page, Record, Store, Table, Transaction};

/// What a line tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Money that came in.
    Charge,
    /// Money that was paid back.
    Refund,
    /// Money that a bank took back, until the dispute is won.
    Dispute,
}

/// One line, under the id that Stripe gave to the charge, the refund or the dispute.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Line {
    /// What it tells of.
    pub kind: Kind,
    /// Cents of a euro: positive what came in, negative what went out, 0 what came back (a refund that failed, a
    /// dispute that was won).
    pub cents: i64,
    /// When it happened, as Stripe says.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub at: Timestamp,
    /// Who paid; nobody once the account is gone.
    pub account: Option<AccountId>,
    /// The plan that was paid for, when Stripe says.
    pub plan: Option<Plan>,
    /// The contract: Stripe's subscription, or the payment intent of a trial.
    pub contract: Option<String>,
    /// The charge that a refund or a dispute is about; the line's own id for a charge.
    pub charge: String,
}

impl Record for Line {
    const TABLE: Table = Table { prefix: 0x2A, name: "ledger" };
    const VERSION: u8 = 1;
    type Key = String;
}

/// The lines in the order of their times.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct LineByTime {
    cents: i64,
}

impl Record for LineByTime {
    const TABLE: Table = Table { prefix: 0x2B, name: "ledger_by_time" };
    const VERSION: u8 = 1;
    type Key = (Timestamp, String);
}

/// The lines of one account.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct LineOfAccount {}

impl Record for LineOfAccount {
    const TABLE: Table = Table { prefix: 0x2C, name: "ledger_of_accounts" };
    const VERSION: u8 = 1;
    type Key = (AccountId, Timestamp, String);
}

/// How many lines are read at a time.
const AT_ONCE: usize = 500;

/// Writes a line, in the commit of what it belongs to. Nothing when it stands there already.
///
/// # Errors
/// What the store says.
pub(crate) fn write(transaction: &mut Transaction<'_>, id: &String, line: &Line) -> Result<()> {
    let held = transaction.get::<Line>(id)?;
    if held.as_ref() == Some(line) {
        return Ok(());
    }
    if let Some(held) = held.filter(|held| held.at != line.at) {
        transaction.delete::<LineByTime>(&(held.at, id.clone()));
        if let Some(account) = held.account {
            transaction.delete::<LineOfAccount>(&(account, held.at, id.clone()));
        }
    }
    transaction.put(id, line)?;
    transaction.put(&(line.at, id.clone()), &LineByTime { cents: line.cents })?;
    if let Some(account) = line.account {
        transaction.put(&(account, line.at, id.clone()), &LineOfAccount {})?;
    }
    Ok(())
}

/// What is left of all that was paid for a contract, in cents.
///
/// # Errors
/// What the store says.
pub(crate) fn paid_for(transaction: &mut Transaction<'_>, account: AccountId, contract: &str) -> Result<i64> {
    let mut page = Page::first(AT_ONCE);
    let mut sum = 0;
    loop {
        let keys = transaction.list::<LineOfAccount>(&account, page.clone())?;
        let Some((last, _)) = keys.last() else { return Ok(sum) };
        page.after = Some(last.clone());
        for ((_, _, id), _) in keys {
            let line = transaction.get::<Line>(&id)?;
            let line = line.filter(|line| line.contract.as_deref() == Some(contract));
            sum += line.map_or(0, |line| line.cents);
        }
    }
}

/// The ledger of the whole installation.
#[derive(Clone, Debug)]
pub struct Ledger {
    store: Store,
}

impl Ledger {
    /// The ledger kept in a store.
    #[must_use]
    pub const fn new(store: Store) -> Self {
        Self { store }
    }

    /// Every line of an account with its id, oldest first.
    ///
    /// # Errors
    /// What the store says.
    pub async fn of(&self, account: AccountId) -> Result<Vec<(String, Line)>> {
        let mut lines = Vec::new();
        let mut page = Page::first(AT_ONCE);
        loop {
            let keys = self.store.list::<LineOfAccount>(&account, page.clone()).await?;
            let Some((last, _)) = keys.last() else { return Ok(lines) };
            page.after = Some(last.clone());
            for ((_, _, id), _) in keys {
                if let Some(line) = self.store.get::<Line>(&id).await? {
                    lines.push((id, line));
                }
            }
        }
    }

    /// What came in less what went out in a month of Italy, in cents.
    ///
    /// # Errors
    /// What the store says.
    pub async fn month(&self, month: Date) -> Result<i64> {
        let first = month.first_of_month();
        let next = first.last_of_month().tomorrow().unwrap_or(Date::MAX);
        self.between(start_of_day_in_italy(first), start_of_day_in_italy(next)).await
    }

    /// What came in less what went out from an instant until before another, in cents.
    ///
    /// # Errors
    /// What the store says.
    pub async fn between(&self, from: Timestamp, until: Timestamp) -> Result<i64> {
        // Behind the greatest key that lies before `from`: no id follows it within the microsecond before.
        let before = from.saturating_sub(jiff::SignedDuration::from_micros(1)).unwrap_or(Timestamp::MIN);
        let mut page = Page { after: Some((before, "\u{10FFFF}".to_owned())), limit: AT_ONCE, newest_first: false };
        let mut sum: i64 = 0;
        loop {
            let lines = self.store.list::<LineByTime>(&(), page.clone()).await?;
            let Some((last, _)) = lines.last() else { return Ok(sum) };
            page.after = Some(last.clone());
            for ((at, _), line) in lines {
                if at >= until {
                    return Ok(sum);
                }
                sum = sum.saturating_add(line.cents);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::store::fixture::holds;

    fn line(account: AccountId, at: &str, cents: i64) -> Line {
        Line {
            kind: Kind::Charge,
            cents,
            at: at.parse().expect("an instant"),
            account: Some(account),
            plan: Some(Plan::Monthly),
            contract: Some("sub_1".into()),
            charge: "ch_1".into(),
        }
    }

    #[test]
    fn what_is_on_disk_is_read_for_ever() {
        let account = AccountId(Uuid::from_u128(1));
        let line = line(account, "2026-11-21T09:30:00Z", 999);
        holds(&"ch_1".to_owned(), &line);
        holds(&(line.at, "ch_1".to_owned()), &LineByTime { cents: 999 });
        holds(&(account, line.at, "ch_1".to_owned()), &LineOfAccount {});
    }

    #[tokio::test]
    async fn a_line_written_twice_counts_once_and_a_month_is_one_of_italy() {
        let store = Store::in_memory();
        let account = AccountId::random();
        let lines = [
            ("ch_1", line(account, "2026-10-31T22:59:59Z", 100)),
            ("ch_2", line(account, "2026-10-31T23:00:00Z", 999)),
            ("re_1", line(account, "2026-11-30T22:59:59Z", -99)),
            ("ch_3", line(account, "2026-11-30T23:00:00Z", 5)),
            ("ch_2", line(account, "2026-10-31T23:00:00Z", 999)),
        ];
        for (id, line) in lines {
            let id = id.to_owned();
            store.update(move |transaction| write(transaction, &id, &line)).await.expect("it can be written");
        }
        let ledger = Ledger::new(store);
        let month = |text: &str| text.parse::<Date>().expect("a date");
        assert_eq!(ledger.month(month("2026-10-05")).await.expect("a sum"), 100);
        assert_eq!(ledger.month(month("2026-11-30")).await.expect("a sum"), 900);
        assert_eq!(ledger.month(month("2026-12-01")).await.expect("a sum"), 5);
        assert_eq!(ledger.of(account).await.expect("lines").len(), 4);
    }
}
