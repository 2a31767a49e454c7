//! What someone pays for: the plans, the subscription that an account holds, and the money behind it.
//!
//! Stripe is the only judge. Whatever happens (a webhook, a return from the payment page, the hourly sweep) is a hint
//! to ask Stripe for everything that it says of one customer, and [`converge`] turns that into what the account
//! holds, its contracts and its lines of the ledger, in one commit together with the claim of the event. So nothing
//! depends on the order or the number of the hints.

pub mod api;
mod checkout;
pub mod converge;
pub mod ledger;
pub mod plan;
mod prices;
mod record;
pub mod statement;
mod stripe;
pub mod subscription;
mod sweep;
mod webhook;
mod withdrawal;

use std::collections::HashSet;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::{Mutex, MutexGuard};

pub use checkout::Order;
pub use ledger::Ledger;
pub use plan::Plan;
pub use record::{Contract, Wish, Withdrawal};
pub use subscription::{PaymentProblem, Standing, Subscription, SubscriptionStatus, Subscriptions};
pub use sweep::Swept;
pub use webhook::Heard;
pub use withdrawal::Offer;

use crate::account::{Account, AccountId, Accounts};
use crate::clock::Clock;
use crate::config::{self, Config};
use crate::error::{Code, Error, Result};
use crate::store::{Page, Store, Transaction};
use converge::{Held, Outcome, converge};
use prices::PriceCache;
use record::{AccountByCustomer, Due, EventByTime, EventSeen, Payer, TrialUsed};
use statement::{CheckoutOutcome, Statement};
use stripe::Stripe;
use subscription::Gift;
use webhook::SigningSecrets;

/// How long a renewal that was not paid still lets its holder in.
pub const GRACE: SignedDuration = SignedDuration::from_hours(3 * 24);

/// When an account is looked at again for which something is under way: before the next hourly sweep.
const SOON: SignedDuration = SignedDuration::from_mins(30);

/// How many accounts may be at Stripe at the same time.
const GATES: usize = 64;

/// How many records of one account are read at a time. Nobody has as many contracts.
const AT_ONCE: usize = 500;

/// The money of all accounts. Clones share everything.
#[derive(Clone, Debug)]
pub struct Billing {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    store: Store,
    clock: Clock,
    accounts: Accounts,
    subscriptions: Subscriptions,
    stripe: Stripe,
    settings: config::Stripe,
    trial: SignedDuration,
    /// The only origin to which browsers are sent back.
    origin: String,
    signing: SigningSecrets,
    prices: PriceCache,
    /// One account asks Stripe one thing at a time: a courtesy to Stripe, which answers a second call with the same
    /// idempotency key with an error. Nothing in the store depends on it.
    gates: Vec<Mutex<()>>,
}

/// What an account holds, with what can be done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// What it holds, ended or not.
    pub held: Option<Subscription>,
    /// A checkout was completed and its money is not confirmed yet.
    pub payment_pending: bool,
    /// The account may still have the trial.
    pub trial_available: bool,
    /// Stripe knows it as a customer, so that there is something to manage.
    pub is_customer: bool,
    /// When this was so.
    pub at: Timestamp,
}

impl Billing {
    /// The money as the configuration says.
    ///
    /// # Errors
    /// When no client for Stripe can be made.
    pub fn new(
        store: Store,
        clock: Clock,
        accounts: Accounts,
        subscriptions: Subscriptions,
        config: &Config,
    ) -> Result<Self> {
        let settings = config.stripe.clone();
        let stripe = Stripe::new(&settings)?;
        let inner = Inner {
            prices: PriceCache::new(clock.clone(), stripe.clone(), &config.plans, &settings.prices),
            signing: SigningSecrets::new(&settings.webhook_secrets),
            trial: SignedDuration::from_hours(24 * i64::from(config.plans.trial_days)),
            origin: config.server.origin(),
            gates: std::iter::repeat_with(Mutex::default).take(GATES).collect(),
            store,
            clock,
            accounts,
            subscriptions,
            stripe,
            settings,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The ledger.
    #[must_use]
    pub fn ledger(&self) -> Ledger {
        Ledger::new(self.inner.store.clone())
    }

    /// What the plans cost in cents at Stripe, in the order of [`Plan::ALL`]; the configured figures while Stripe does
    /// not answer.
    pub async fn prices(&self) -> [u64; 3] {
        self.inner.prices.cents().await
    }

    /// Stripe's price of a plan.
    #[must_use]
    pub fn price_id(&self, plan: Plan) -> &str {
        let config::Prices { trial, monthly, annual } = &self.inner.settings.prices;
        match plan {
            Plan::Trial => trial,
            Plan::Monthly => monthly,
            Plan::Annual => annual,
        }
    }

    /// What an account holds, and what can be done about it.
    ///
    /// # Errors
    /// What the store says.
    pub async fn status(&self, account: &Account) -> Result<Status> {
        let at = self.inner.clock.now();
        let held = self.inner.subscriptions.of(account.id).await?;
        let payer = self.inner.store.get::<Payer>(&account.id).await?.unwrap_or_default();
        let trial_available = !self.trial_used(account).await?;
        Ok(Status {
            held,
            payment_pending: payer.checkout.is_some_and(|checkout| checkout.confirming),
            trial_available,
            is_customer: payer.customer.is_some(),
            at,
        })
    }

    /// Asks Stripe about an account and takes over what it says.
    ///
    /// # Errors
    /// [`Code::ProviderFailed`] when Stripe does not answer; what is held stays as it was.
    pub async fn sync(&self, account: &Account) -> Result<Status> {
        self.reconcile(account.id, &[]).await?;
        self.status(account).await
    }

    /// The page on which somebody manages cards and plan.
    ///
    /// # Errors
    /// [`Code::NoSubscription`] when there is nothing to manage, [`Code::ProviderFailed`].
    pub async fn portal(&self, account: &Account) -> Result<String> {
        let payer = self.inner.store.get::<Payer>(&account.id).await?.unwrap_or_default();
        let customer = payer.customer.ok_or(Error::new(Code::NoSubscription))?;
        self.inner.stripe.portal(&customer, &format!("{}/account/subscription", self.inner.origin)).await
    }

    /// Lets what somebody holds end with its present period. Doing it twice is doing it once.
    ///
    /// # Errors
    /// [`Code::NoSubscription`] when nothing renews itself, [`Code::ProviderFailed`].
    pub async fn cancel(&self, account: &Account) -> Result<Status> {
        let held = self.inner.subscriptions.of(account.id).await?;
        let contract = held.filter(Subscription::renews).and_then(|held| held.contract);
        let contract = contract.ok_or(Error::new(Code::NoSubscription))?;
        self.inner.stripe.cancel_at_period_end(&contract).await?;
        tracing::info!(account = %account.id, "a subscription was cancelled to its period's end");
        self.sync(account).await
    }

    async fn gate(&self, account: AccountId) -> MutexGuard<'_, ()> {
        let index = account.0.as_u128() % GATES as u128;
        let index = usize::try_from(index).unwrap_or(0);
        self.inner.gates[index].lock().await
    }

    async fn trial_used(&self, account: &Account) -> Result<bool> {
        let name = self.inner.accounts.pseudonym(&account.google_subject);
        Ok(self.inner.store.get::<TrialUsed>(&name).await?.is_some())
    }

    /// Asks Stripe about an account, takes over what it says, and claims the events that led here.
    async fn reconcile(&self, account: AccountId, events: &[String]) -> Result<()> {
        let _gate = self.gate(account).await;
        self.reconcile_alone(account, events).await.map(|_| ())
    }

    /// The same for whoever holds the account's gate. Gives what Stripe said; `None` of somebody who is no customer, or
    /// of a customer that Stripe does not know.
    async fn reconcile_alone(&self, account: AccountId, events: &[String]) -> Result<Option<Arc<Statement>>> {
        let mut events = events;
        let mut heard = None;
        // What has to be done at Stripe changes what Stripe says: it is asked once more then.
        for _ in 0..2 {
            let Some(payer) = self.inner.store.get::<Payer>(&account).await? else { return Ok(None) };
            let Some(customer) = payer.customer else { return Ok(None) };
            let now = self.inner.clock.now();
            // Later than whatever was asked before, also after a clock was put back.
            let asked_at = payer.asked_at.map_or(now, |held| now.max(just_after(held)));
            let refunded = self.refunded_charges(account).await?;
            let Some(statement) = self.inner.stripe.statement(&customer, &refunded).await? else {
                tracing::warn!(account = %account, "Stripe does not know this customer; what is held stays");
                return Ok(None);
            };
            let statement = Arc::new(statement);
            let to_end = self.take_over(account, &statement, asked_at, events).await?;
            events = &[];
            for subscription in &to_end {
                self.inner.stripe.end(subscription).await?;
                tracing::info!(account = %account, subscription, "a subscription was ended: nothing is left of its payment");
            }
            let paid_back = self.carry_out_withdrawals(account, &statement).await?;
            heard = Some(statement);
            if to_end.is_empty() && !paid_back {
                break;
            }
        }
        Ok(heard)
    }

    /// The charges of which the ledger knows a refund.
    async fn refunded_charges(&self, account: AccountId) -> Result<HashSet<String>> {
        let lines = self.ledger().of(account).await?;
        let refunds = lines.into_iter().filter(|(_, line)| line.kind == ledger::Kind::Refund);
        Ok(refunds.map(|(_, line)| line.charge).collect())
    }

    /// One commit: what Stripe says becomes what is held, and the events are claimed. Gives the subscriptions that are
    /// to be ended at Stripe.
    async fn take_over(
        &self,
        account: AccountId,
        statement: &Arc<Statement>,
        asked_at: Timestamp,
        events: &[String],
    ) -> Result<Vec<String>> {
        let accounts = self.inner.accounts.clone();
        let (trial, now) = (self.inner.trial, self.inner.clock.now());
        let (statement, events) = (Arc::clone(statement), events.to_vec());
        self.inner
            .store
            .update(move |transaction| -> Result<_> {
                for event in &events {
                    transaction.put(event, &EventSeen { at: now })?;
                    transaction.put(&(now, event.clone()), &EventByTime {})?;
                }
                let mut payer = transaction.get::<Payer>(&account)?.unwrap_or_default();
                if payer.asked_at.is_some_and(|later| later > asked_at) {
                    // Somebody asked after us and was faster: that is the newer truth.
                    return Ok(Vec::new());
                }
                let held = transaction.get::<Subscription>(&account)?;
                let withdrawals = transaction.list::<Withdrawal>(&account, Page::first(AT_ONCE))?;
                let withdrawn: Vec<_> =
                    withdrawals.iter().map(|((_, contract), it)| (contract.clone(), it.declared_at)).collect();
                let gift = transaction.get::<Gift>(&account)?.map(Subscription::from);
                let outcome = converge(
                    &statement,
                    &Held { account, subscription: held.as_ref(), gift, withdrawn: &withdrawn },
                    trial,
                    now,
                );
                keep(transaction, account, held.as_ref(), &outcome)?;
                if let Some(at) = outcome.trial_used_at
                    && let Some(person) = transaction.get::<Account>(&account)?
                {
                    let name = accounts.pseudonym(&person.google_subject);
                    if transaction.get::<TrialUsed>(&name)?.is_none() {
                        transaction.put(&name, &TrialUsed { at })?;
                    }
                }
                look_at_checkout(&mut payer, &statement, now);
                let under_way = payer.checkout.is_some()
                    || !outcome.to_end.is_empty()
                    || withdrawals.iter().any(|(_, it)| !it.carried_out);
                let due_at = due(outcome.subscription.as_ref(), under_way, now);
                look_again(transaction, account, &mut payer, due_at)?;
                payer.asked_at = Some(asked_at);
                transaction.put(&account, &payer)?;
                Ok(outcome.to_end)
            })
            .await
    }

    async fn account_of(&self, customer: &str) -> Result<Option<AccountId>> {
        let found = self.inner.store.get::<AccountByCustomer>(&customer.to_owned()).await?;
        Ok(found.map(|found| found.account))
    }

    /// Whose charge it is, by our own ledger.
    async fn account_of_charge(&self, charge: &str) -> Result<Option<AccountId>> {
        let line = self.inner.store.get::<ledger::Line>(&charge.to_owned()).await?;
        Ok(line.and_then(|line| line.account))
    }
}

/// Writes what has changed.
fn keep(
    transaction: &mut Transaction<'_>,
    account: AccountId,
    held: Option<&Subscription>,
    outcome: &Outcome,
) -> Result<()> {
    if let Some(subscription) = &outcome.subscription
        && held != Some(subscription)
    {
        transaction.put(&account, subscription)?;
    }
    for (id, contract) in &outcome.contracts {
        let key = (account, id.clone());
        if transaction.get::<Contract>(&key)?.as_ref() != Some(contract) {
            transaction.put(&key, contract)?;
        }
    }
    for (id, line) in &outcome.lines {
        ledger::write(transaction, id, line)?;
    }
    Ok(())
}

/// What Stripe says of the checkout that is on its way.
fn look_at_checkout(payer: &mut Payer, statement: &Statement, now: Timestamp) {
    let Some(checkout) = &mut payer.checkout else { return };
    let stated = statement.checkouts.iter().find(|stated| Some(&stated.id) == checkout.session.as_ref());
    let too_old = now.duration_since(checkout.asked_at) > checkout::LIFETIME;
    match stated.map(|stated| stated.outcome) {
        // A card is confirmed at once or not at all.
        None | Some(CheckoutOutcome::Confirming) if too_old => payer.checkout = None,
        None | Some(CheckoutOutcome::Open) => {}
        Some(CheckoutOutcome::Confirming) => checkout.confirming = true,
        Some(CheckoutOutcome::Paid | CheckoutOutcome::Expired) => payer.checkout = None,
    }
}

/// The next instant that the store can tell from this one.
fn just_after(at: Timestamp) -> Timestamp {
    at.saturating_add(SignedDuration::from_micros(1)).unwrap_or(Timestamp::MAX)
}

/// When an account must be looked at again without anybody asking.
fn due(held: Option<&Subscription>, under_way: bool, now: Timestamp) -> Option<Timestamp> {
    let soon = now.saturating_add(SOON).unwrap_or(Timestamp::MAX);
    let held = held.filter(|held| held.standing != Standing::Gift && held.grants(now));
    let next = held.map(|held| {
        let waits = held.standing == Standing::PastDue || held.current_period_end <= now;
        if waits { soon } else { held.current_period_end.min(held.access_until) }
    });
    next.into_iter().chain(under_way.then_some(soon)).min()
}

/// Notes when an account is to be looked at again. The payer is not written yet.
fn look_again(
    transaction: &mut Transaction<'_>,
    account: AccountId,
    payer: &mut Payer,
    due_at: Option<Timestamp>,
) -> Result<()> {
    if payer.due_at != due_at {
        if let Some(old) = payer.due_at {
            transaction.delete::<Due>(&(old, account));
        }
        if let Some(new) = due_at {
            transaction.put(&(new, account), &Due {})?;
        }
        payer.due_at = due_at;
    }
    Ok(())
}
