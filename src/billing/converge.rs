//! The heart of the money: a pure function from what Stripe says, what is held and the time to what is held next. It
//! does not ask how the news came or what was known before, so duplicated, late, lost and reordered webhooks all end
//! in the same state once Stripe was asked again.
//!
//! Nobody is demoted without evidence: what is held and what Stripe does not speak of at all stays as it is, until
//! its own end.

use jiff::{SignedDuration, Timestamp};

use super::ledger::{Kind, Line};
use super::record::Contract;
use super::statement::{CheckoutOutcome, StatedCharge, StatedInvoice, StatedStatus, StatedSubscription, Statement};
use super::subscription::{PaymentProblem, Standing, Subscription};
use super::{GRACE, Plan};
use crate::account::AccountId;

/// What is held before.
#[derive(Clone, Debug)]
pub struct Held<'a> {
    /// Whose it is.
    pub account: AccountId,
    /// The subscription.
    pub subscription: Option<&'a Subscription>,
    /// The operator's gift, as a subscription.
    pub gift: Option<Subscription>,
    /// The contracts from which the holder has withdrawn, and when.
    pub withdrawn: &'a [(String, Timestamp)],
}

/// What is held next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The subscription.
    pub subscription: Option<Subscription>,
    /// Every contract that Stripe speaks of.
    pub contracts: Vec<(String, Contract)>,
    /// Every line of the ledger that Stripe speaks of.
    pub lines: Vec<(String, Line)>,
    /// When a trial was paid for the first time.
    pub trial_used_at: Option<Timestamp>,
    /// Subscriptions that Stripe would go on charging although nothing is left of their payment, or their holder has
    /// withdrawn: they are to be ended there.
    pub to_end: Vec<String>,
}

/// Something that may let its holder in.
struct Candidate {
    subscription: Subscription,
    /// What goes before what, as long as both let in.
    rank: u8,
}

/// What is held after Stripe has spoken. `trial` is how long a trial lasts.
#[must_use]
pub fn converge(statement: &Statement, held: &Held<'_>, trial: SignedDuration, now: Timestamp) -> Outcome {
    let mut outcome = Outcome {
        subscription: None,
        contracts: Vec::new(),
        lines: Vec::new(),
        trial_used_at: None,
        to_end: Vec::new(),
    };
    let mut candidates = Vec::new();
    for stated in &statement.subscriptions {
        subscription(statement, stated, held, &mut outcome, &mut candidates);
    }
    trials(statement, held, trial, &mut outcome, &mut candidates);
    if let Some(gift) = &held.gift {
        candidates.push(Candidate { subscription: gift.clone(), rank: 0 });
    }
    // What is held and what Stripe is silent of: no evidence against it.
    let stays = held.subscription.filter(|known| {
        known.contract.is_some() && !candidates.iter().any(|other| other.subscription.contract == known.contract)
    });
    if let Some(known) = stays {
        candidates.push(Candidate { subscription: known.clone(), rank: 1 });
    }
    outcome.subscription = choose(candidates, now);
    outcome.lines = lines(statement, held.account);
    outcome.contracts.sort_by(|one, other| one.0.cmp(&other.0));
    outcome.lines.sort_by(|one, other| one.0.cmp(&other.0));
    outcome.to_end.sort();
    outcome
}

/// What lets in goes before what does not; then what renews before a trial before a gift; then what lasts longer.
fn choose(candidates: Vec<Candidate>, now: Timestamp) -> Option<Subscription> {
    let best = candidates.into_iter().max_by(|one, other| {
        let key = |candidate: &Candidate| {
            let live = candidate.subscription.grants(now);
            (live, if live { candidate.rank } else { 0 }, candidate.subscription.access_until)
        };
        key(one).cmp(&key(other)).then_with(|| one.subscription.contract.cmp(&other.subscription.contract))
    });
    best.map(|candidate| candidate.subscription)
}

fn withdrawn_at(held: &Held<'_>, contract: &str) -> Option<Timestamp> {
    held.withdrawn.iter().find(|(withdrawn, _)| withdrawn == contract).map(|(_, at)| *at)
}

fn plus(at: Timestamp, by: SignedDuration) -> Timestamp {
    at.saturating_add(by).unwrap_or(Timestamp::MAX)
}

fn subscription(
    statement: &Statement,
    stated: &StatedSubscription,
    held: &Held<'_>,
    outcome: &mut Outcome,
    candidates: &mut Vec<Candidate>,
) {
    let invoices: Vec<&StatedInvoice> =
        statement.invoices.iter().filter(|invoice| invoice.subscription.as_ref() == Some(&stated.id)).collect();
    let latest = invoices.iter().max_by_key(|invoice| invoice.created);
    let latest_paid = invoices.iter().filter(|invoice| invoice.paid).max_by_key(|invoice| invoice.created);
    let withdrawn = withdrawn_at(held, &stated.id);
    let reversed = latest_paid.and_then(|invoice| reversed_at(statement, &invoice.payments));
    let alive = matches!(stated.status, StatedStatus::Active | StatedStatus::PastDue | StatedStatus::Unpaid);
    if alive && (withdrawn.is_some() || reversed.is_some()) {
        outcome.to_end.push(stated.id.clone());
    }
    if latest_paid.is_some() {
        let contract = Contract {
            plan: stated.plan,
            bought_at: stated.created,
            period_start: stated.period_start,
            period_end: stated.period_end,
            immediate_start: stated.immediate_start,
        };
        outcome.contracts.push((stated.id.clone(), contract));
    }
    // The oldest that was not paid since: the grace is counted once, however many periods have begun meanwhile.
    let unpaid_since = invoices
        .iter()
        .filter(|invoice| !invoice.paid && latest_paid.is_none_or(|paid| invoice.created > paid.created))
        .map(|invoice| invoice.created)
        .fold(stated.period_start, Timestamp::min);
    let grace_end = plus(unpaid_since, GRACE);
    let waiting = latest.filter(|invoice| invoice.open);
    let (standing, end) = match stated.status {
        StatedStatus::Active => {
            let end = plus(stated.period_end, GRACE);
            (Standing::Paid, stated.cancel_at.map_or(end, |at| at.min(end)))
        }
        StatedStatus::PastDue => (Standing::PastDue, grace_end),
        StatedStatus::Unpaid => (Standing::Unpaid, unpaid_since),
        StatedStatus::Over => {
            let end = stated.ended_at.unwrap_or(stated.period_end);
            let unpaid = latest.is_some_and(|invoice| !invoice.paid);
            (Standing::Over, if unpaid { end.min(grace_end) } else { end })
        }
        // Nothing was bought yet, or nothing is known: neither lets in, and neither takes away what is held.
        StatedStatus::Incomplete | StatedStatus::Unknown => return,
    };
    // What nobody ever paid for lets nobody in, whatever its status.
    if latest_paid.is_none() {
        return;
    }
    let end = [withdrawn, reversed].into_iter().flatten().fold(end, Timestamp::min);
    let waiting = waiting.filter(|_| matches!(standing, Standing::PastDue | Standing::Unpaid));
    let subscription = Subscription {
        plan: stated.plan,
        current_period_start: stated.period_start,
        current_period_end: stated.period_end,
        cancel_at_period_end: standing == Standing::Paid && stated.cancel_at.is_some_and(|at| at <= stated.period_end),
        access_until: end,
        standing: if withdrawn.is_some() || reversed.is_some() { Standing::Over } else { standing },
        contract: Some(stated.id.clone()),
        payment_problem: waiting.map(|invoice| {
            if invoice.needs_bank { PaymentProblem::BankConfirmation } else { PaymentProblem::PaymentFailed }
        }),
        pay_url: waiting.and_then(|invoice| invoice.pay_url.clone()),
    };
    candidates.push(Candidate { subscription, rank: 2 });
}

fn trials(
    statement: &Statement,
    held: &Held<'_>,
    length: SignedDuration,
    outcome: &mut Outcome,
    candidates: &mut Vec<Candidate>,
) {
    // A plan that was bought and paid ends a trial: its own days begin at once.
    let superseded = statement.subscriptions.iter().filter(|stated| {
        let id = Some(&stated.id);
        statement.invoices.iter().any(|invoice| invoice.paid && invoice.subscription.as_ref() == id)
    });
    let superseded = superseded.map(|stated| stated.created).min();
    for checkout in &statement.checkouts {
        let Some(payment) = checkout.trial_payment.as_ref().filter(|_| checkout.outcome == CheckoutOutcome::Paid)
        else {
            continue;
        };
        let charge = charges(statement, std::slice::from_ref(payment)).min_by_key(|charge| charge.at);
        let paid_at = charge.map_or(checkout.created, |charge| charge.at);
        let period_end = plus(paid_at, length);
        outcome.trial_used_at = Some(outcome.trial_used_at.map_or(paid_at, |earlier| earlier.min(paid_at)));
        let contract = Contract {
            plan: Plan::Trial,
            bought_at: paid_at,
            period_start: paid_at,
            period_end,
            immediate_start: checkout.immediate_start,
        };
        outcome.contracts.push((payment.clone(), contract));
        let superseded = superseded.filter(|at| *at >= paid_at);
        let reversed = reversed_at(statement, std::slice::from_ref(payment));
        let ends = [withdrawn_at(held, payment), reversed, superseded].into_iter().flatten();
        let access_until = ends.fold(period_end, Timestamp::min);
        let subscription = Subscription {
            plan: Plan::Trial,
            current_period_start: paid_at,
            current_period_end: period_end,
            cancel_at_period_end: true,
            access_until,
            standing: if access_until < period_end { Standing::Over } else { Standing::Paid },
            contract: Some(payment.clone()),
            payment_problem: None,
            pay_url: None,
        };
        candidates.push(Candidate { subscription, rank: 1 });
    }
}

fn charges<'a>(statement: &'a Statement, payments: &'a [String]) -> impl Iterator<Item = &'a StatedCharge> {
    statement
        .charges
        .iter()
        .filter(move |charge| charge.payment.as_ref().is_some_and(|payment| payments.contains(payment)))
}

/// When nothing was left of some payments together.
fn reversed_at(statement: &Statement, payments: &[String]) -> Option<Timestamp> {
    let ends: Option<Vec<Timestamp>> = charges(statement, payments).map(StatedCharge::reversed_at).collect();
    ends?.into_iter().max()
}

/// The line of each charge, refund and dispute.
fn lines(statement: &Statement, account: AccountId) -> Vec<(String, Line)> {
    let mut lines = Vec::new();
    for charge in &statement.charges {
        let (contract, plan) = what_for(statement, charge);
        let line = |kind, cents, at| Line {
            kind,
            cents,
            at,
            account: Some(account),
            plan,
            contract: contract.clone(),
            charge: charge.id.clone(),
        };
        lines.push((charge.id.clone(), line(Kind::Charge, charge.cents, charge.at)));
        lines.extend(
            charge.refunds.iter().map(|refund| (refund.id.clone(), line(Kind::Refund, -refund.cents, refund.at))),
        );
        lines.extend(
            charge.disputes.iter().map(|dispute| (dispute.id.clone(), line(Kind::Dispute, -dispute.cents, dispute.at))),
        );
    }
    lines
}

/// The charges that were made for a contract.
pub(super) fn charges_of<'a>(
    statement: &'a Statement,
    contract: &'a str,
) -> impl Iterator<Item = &'a StatedCharge> + use<'a> {
    statement.charges.iter().filter(move |charge| what_for(statement, charge).0.as_deref() == Some(contract))
}

/// The contract that a charge belongs to, and its plan.
fn what_for(statement: &Statement, charge: &StatedCharge) -> (Option<String>, Option<Plan>) {
    let Some(payment) = &charge.payment else { return (None, None) };
    if statement.checkouts.iter().any(|checkout| checkout.trial_payment.as_ref() == Some(payment)) {
        return (Some(payment.clone()), Some(Plan::Trial));
    }
    let invoice = statement.invoices.iter().find(|invoice| invoice.payments.contains(payment));
    invoice.map_or((None, None), |invoice| (invoice.subscription.clone(), invoice.plan))
}
