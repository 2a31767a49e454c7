//! Withdrawal (art. 54-bis of the Codice del consumo): within 14 days of each contract its buyer may take it back, and
//! pays for the days used only when the service began at once by the buyer's own wish. It holds from the declaration:
//! access ends in the commit that keeps it, and the money goes back as soon as Stripe answers, however late that is.

use jiff::Timestamp;
use jiff::civil::Date;
use uuid::Uuid;

use super::ledger;
use super::record::{Contract, Payer, Withdrawal};
use super::statement::Statement;
use super::subscription::{Gift, Standing, Subscription};
use super::{AT_ONCE, Billing, Plan, SOON, look_again};
use crate::account::AccountId;
use crate::clock::{day_in_italy, start_of_day_in_italy};
use crate::error::{Code, Error, Result};
use crate::store::{Page, Transaction};

/// The days after the one of the contract (art. 52 of the Codice del consumo).
const DAYS: i64 = 14;
/// How long a refund that fails is tried again.
const TRIED_FOR: jiff::SignedDuration = jiff::SignedDuration::from_hours(90 * 24);
/// The longest name or address of a receipt.
const LONGEST_TEXT: usize = 320;

/// A contract from which its buyer may still withdraw, and what would come back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Stripe's id of the contract.
    pub contract: String,
    /// The plan.
    pub plan: Plan,
    /// When it was bought.
    pub bought_at: Timestamp,
    /// The first instant at which it is too late.
    pub deadline: Timestamp,
    /// What was paid, in cents.
    pub paid_cents: i64,
    /// What would be paid back, in cents.
    pub refund_cents: i64,
    /// Days of Italy that were used, that of the purchase not counted.
    pub days_used: i64,
    /// Days of Italy that were paid for.
    pub days_total: i64,
    /// The buyer asked for the service to begin at once.
    pub immediate_start: bool,
}

impl Offer {
    /// `None` when it is too late, or nothing is left of what was paid.
    fn of(id: &str, contract: &Contract, paid_cents: i64, now: Timestamp) -> Option<Self> {
        let deadline = deadline(contract.bought_at);
        if now >= deadline || paid_cents <= 0 {
            return None;
        }
        let bought_on = day_in_italy(contract.bought_at);
        let days_total = days_between(bought_on, day_in_italy(contract.period_end)).max(1);
        let days_used = days_between(bought_on, day_in_italy(now)).clamp(0, days_total);
        // What is kept is rounded down to the cent: a doubt of a cent is the buyer's.
        let kept = if contract.immediate_start { paid_cents * days_used / days_total } else { 0 };
        Some(Self {
            contract: id.to_owned(),
            plan: contract.plan,
            bought_at: contract.bought_at,
            deadline,
            paid_cents,
            refund_cents: paid_cents - kept,
            days_used,
            days_total,
            immediate_start: contract.immediate_start,
        })
    }
}

fn days_between(from: Date, until: Date) -> i64 {
    from.duration_until(until).as_hours() / 24
}

/// The first instant at which withdrawing is too late: the end of the 14th day after the contract, in Italy.
fn deadline(bought_at: Timestamp) -> Timestamp {
    let first_day_too_late = day_in_italy(bought_at).saturating_add(jiff::Span::new().days(DAYS + 1));
    start_of_day_in_italy(first_day_too_late)
}

/// The text of a receipt's field, when there is one that can be printed.
fn text(given: &str) -> Result<String> {
    let given = given.trim();
    let fits = !given.is_empty() && given.chars().count() <= LONGEST_TEXT && !given.contains(char::is_control);
    if fits {
        return Ok(given.to_owned());
    }
    Err(Error::new(Code::InvalidInput).saying("Scrivi il tuo nome e l'indirizzo a cui mandare la ricevuta."))
}

impl Billing {
    /// The contracts from which somebody may still withdraw.
    ///
    /// # Errors
    /// What the store says.
    pub async fn withdrawal_offers(&self, account: AccountId) -> Result<Vec<Offer>> {
        let now = self.inner.clock.now();
        self.inner.store.update(move |transaction| offers(transaction, account, now)).await
    }

    /// The withdrawals that somebody declared, with their contracts.
    ///
    /// # Errors
    /// What the store says.
    pub async fn withdrawals(&self, account: AccountId) -> Result<Vec<(String, Withdrawal)>> {
        let held = self.inner.store.list::<Withdrawal>(&account, Page::first(AT_ONCE)).await?;
        Ok(held.into_iter().map(|((_, contract), withdrawal)| (contract, withdrawal)).collect())
    }

    /// Declares a withdrawal. Declared twice, the first one stands. It holds when this returns, whether or not Stripe
    /// could be reached for the money.
    ///
    /// # Errors
    /// [`Code::NotFound`] without such a contract, [`Code::WithdrawalOver`] when it is too late,
    /// [`Code::InvalidInput`] without a name or an address.
    pub async fn withdraw(&self, account: AccountId, contract: &str, name: &str, address: &str) -> Result<Withdrawal> {
        let (name, address) = (text(name)?, text(address)?);
        let (id, now, key) = (Uuid::new_v4(), self.inner.clock.now(), (account, contract.to_owned()));
        let lookup = key.clone();
        let declared = self
            .inner
            .store
            .update(move |transaction| -> Result<_> {
                if let Some(earlier) = transaction.get::<Withdrawal>(&key)? {
                    return Ok(earlier);
                }
                let contract = transaction.get::<Contract>(&key)?.ok_or(Error::new(Code::NotFound))?;
                let paid_cents = ledger::paid_for(transaction, account, &key.1)?;
                let offer = Offer::of(&key.1, &contract, paid_cents, now).ok_or(Error::new(Code::WithdrawalOver))?;
                let withdrawal = Withdrawal {
                    id,
                    plan: offer.plan,
                    bought_at: offer.bought_at,
                    declared_at: now,
                    name: name.clone(),
                    address: address.clone(),
                    paid_cents,
                    refund_cents: offer.refund_cents,
                    carried_out: false,
                };
                transaction.put(&key, &withdrawal)?;
                end_access(transaction, account, &key.1, now)?;
                Ok(withdrawal)
            })
            .await?;
        tracing::info!(account = %account, withdrawal = %declared.id, "a withdrawal was declared");
        if let Err(error) = self.reconcile(account, &[]).await {
            tracing::warn!(account = %account, cause = error.cause_for_log(), "the withdrawal's refund waits for Stripe");
        }
        Ok(self.inner.store.get::<Withdrawal>(&lookup).await?.unwrap_or(declared))
    }

    /// Pays back what was declared and what Stripe does not say to be paid back, and notes what is. `true` when
    /// anything was asked of Stripe. What Stripe refuses stays to be done: nothing else waits for it.
    pub(super) async fn carry_out_withdrawals(&self, account: AccountId, statement: &Statement) -> Result<bool> {
        let declared = self.inner.store.list::<Withdrawal>(&account, Page::first(AT_ONCE)).await?;
        let now = self.inner.clock.now();
        let mut asked = false;
        for (key, withdrawal) in declared {
            let paid_back = paid_back(statement, &withdrawal);
            let done = paid_back >= withdrawal.refund_cents;
            if done != withdrawal.carried_out {
                let key = key.clone();
                self.inner
                    .store
                    .update(move |transaction| -> Result<()> {
                        if let Some(mut withdrawal) = transaction.get::<Withdrawal>(&key)? {
                            withdrawal.carried_out = done;
                            transaction.put(&key, &withdrawal)?;
                        }
                        Ok(())
                    })
                    .await?;
            }
            if !done && now.duration_since(withdrawal.declared_at) < TRIED_FOR {
                asked |= self.pay_back(statement, &withdrawal, &key.1, withdrawal.refund_cents - paid_back).await;
            }
        }
        Ok(asked)
    }

    /// Refunds what is due, from the newest charge on. `true` when Stripe took one.
    async fn pay_back(&self, statement: &Statement, withdrawal: &Withdrawal, contract: &str, due: i64) -> bool {
        let id = withdrawal.id.to_string();
        let mut charges: Vec<_> = super::converge::charges_of(statement, contract).collect();
        charges.sort_by_key(|charge| std::cmp::Reverse(charge.at));
        let (mut due, mut taken) = (due, false);
        for charge in charges {
            let refunded: i64 = charge.refunds.iter().map(|refund| refund.cents).sum();
            let cents = due.min(charge.cents - refunded);
            if cents <= 0 {
                continue;
            }
            // One that failed is tried anew; Stripe would repeat its answer under the same key.
            let tries = charge.refunds.iter().filter(|refund| refund.withdrawal.as_ref() == Some(&id)).count();
            let key = format!("withdrawal-{id}-{}-{tries}", charge.id);
            match self.inner.stripe.refund(&charge.id, cents, &id, &key).await {
                Ok(()) => (due, taken) = (due - cents, true),
                Err(error) => {
                    tracing::error!(withdrawal = %id, cents, cause = error.cause_for_log(), "a refund was refused");
                    return taken;
                }
            }
        }
        if due > 0 {
            tracing::error!(withdrawal = %id, cents = due, "nothing is left from which this could be refunded");
        }
        taken
    }
}

/// What Stripe says to be paid back for a withdrawal, in cents. What was tried is known by the metadata of the refund:
/// Stripe's own memory of idempotency keys ends after a day.
fn paid_back(statement: &Statement, withdrawal: &Withdrawal) -> i64 {
    let id = withdrawal.id.to_string();
    let refunds = statement.charges.iter().flat_map(|charge| &charge.refunds);
    refunds.filter(|refund| refund.withdrawal.as_ref() == Some(&id)).map(|refund| refund.cents).sum()
}

fn offers(transaction: &mut Transaction<'_>, account: AccountId, now: Timestamp) -> Result<Vec<Offer>> {
    let mut offers = Vec::new();
    for (key, contract) in transaction.list::<Contract>(&account, Page::first(AT_ONCE))? {
        if transaction.get::<Withdrawal>(&key)?.is_none() {
            let paid_cents = ledger::paid_for(transaction, account, &key.1)?;
            offers.extend(Offer::of(&key.1, &contract, paid_cents, now));
        }
    }
    Ok(offers)
}

/// What was withdrawn from lets nobody in any more, and the account is looked at again until Stripe has followed.
fn end_access(transaction: &mut Transaction<'_>, account: AccountId, contract: &str, now: Timestamp) -> Result<()> {
    if let Some(mut held) = transaction.get::<Subscription>(&account)?
        && held.contract.as_deref() == Some(contract)
    {
        held.access_until = held.access_until.min(now);
        held.standing = Standing::Over;
        // What the operator gave goes on.
        let gift = transaction.get::<Gift>(&account)?.map(Subscription::from).filter(|gift| gift.grants(now));
        transaction.put(&account, &gift.unwrap_or(held))?;
    }
    let mut payer = transaction.get::<Payer>(&account)?.unwrap_or_default();
    let soon = now.saturating_add(SOON).unwrap_or(Timestamp::MAX);
    look_again(transaction, account, &mut payer, Some(soon))?;
    Ok(transaction.put(&account, &payer)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contract(immediate_start: bool, days: i64) -> Contract {
        let bought_at: Timestamp = "2026-11-01T10:00:00Z".parse().expect("an instant");
        let period_end = bought_at + jiff::SignedDuration::from_hours(24 * days);
        Contract { plan: Plan::Monthly, bought_at, period_start: bought_at, period_end, immediate_start }
    }

    fn refund(contract: &Contract, paid: i64, now: &str) -> Option<i64> {
        Offer::of("sub_1", contract, paid, now.parse().expect("an instant")).map(|offer| offer.refund_cents)
    }

    #[test]
    fn what_is_paid_back_is_right_to_the_cent_on_each_day() {
        let begun = contract(true, 30);
        assert_eq!(refund(&begun, 999, "2026-11-01T20:00:00Z"), Some(999), "the day of the purchase costs nothing");
        assert_eq!(refund(&begun, 999, "2026-11-04T00:00:00Z"), Some(900), "3 days of 30: 99 cents and 9 tenths");
        assert_eq!(refund(&begun, 999, "2026-11-15T22:59:59Z"), Some(533), "14 days of 30, the last second in Italy");
        assert_eq!(refund(&begun, 999, "2026-11-15T23:00:00Z"), None, "the 15th day has begun in Italy");
        let waited = contract(false, 30);
        assert_eq!(refund(&waited, 999, "2026-11-15T12:00:00Z"), Some(999), "nobody asked it to begin at once");
        let trial = contract(true, 7);
        assert_eq!(refund(&trial, 100, "2026-11-04T12:00:00Z"), Some(58), "3 days of 7: 42 cents and a bit");
        assert_eq!(refund(&trial, 100, "2026-11-10T12:00:00Z"), Some(0), "all of it was used");
        assert_eq!(refund(&begun, 0, "2026-11-02T12:00:00Z"), None, "nothing is left of what was paid");
    }

    #[test]
    fn receipts_carry_words_that_can_be_printed() {
        assert_eq!(text("  Anna Bianchi ").expect("a name"), "Anna Bianchi");
        for bad in ["", "   ", "a\u{0}b", &"x".repeat(321)] {
            assert_eq!(text(bad).expect_err("refused").code(), Code::InvalidInput);
        }
    }
}
