//! The heart of the money under every weather. A small world plays Stripe: people buy, renew, fail, cancel, come back,
//! get refunds, lose disputes. Of what happens in it only hints go out, and they are lost, repeated, swapped and late;
//! an answer of Stripe may be old by the time it is taken over. Whatever happened on the way, one reconciliation at the
//! end leaves what a world without weather leaves.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use rimedio::account::AccountId;
use rimedio::billing::converge::{Held, converge};
use rimedio::billing::ledger::Line;
use rimedio::billing::statement::{
    CheckoutOutcome, StatedCharge, StatedCheckout, StatedDispute, StatedInvoice, StatedRefund, StatedStatus,
    StatedSubscription, Statement,
};
use rimedio::billing::{Contract, GRACE, Plan, Subscription};

const TRIAL: SignedDuration = SignedDuration::from_hours(7 * 24);
const DAY: SignedDuration = SignedDuration::from_hours(24);
const MONTH: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Something that happens in the world.
#[derive(Clone, Debug)]
enum Happening {
    TrialBought,
    SubscriptionBought { annual: bool, confirmed: bool },
    FirstPaymentConfirmed,
    Renewed,
    RenewalFailed { needs_bank: bool },
    OpenInvoicePaid,
    CancelledAtPeriodEnd,
    Resumed,
    Ended,
    GaveUp,
    PeriodBegunUnpaid,
    ChangedPlan,
    Refunded { whole: bool },
    RefundFailed,
    Disputed,
    DisputeClosed { lost: bool },
    Withdrawn,
}

fn happening() -> impl Strategy<Value = Happening> {
    use Happening::*;
    prop_oneof![
        2 => Just(TrialBought),
        4 => (any::<bool>(), any::<bool>()).prop_map(|(annual, confirmed)| SubscriptionBought { annual, confirmed }),
        2 => Just(FirstPaymentConfirmed),
        4 => Just(Renewed),
        3 => any::<bool>().prop_map(|needs_bank| RenewalFailed { needs_bank }),
        2 => Just(OpenInvoicePaid),
        2 => Just(CancelledAtPeriodEnd),
        2 => Just(Resumed),
        2 => Just(Ended),
        1 => Just(GaveUp),
        2 => Just(PeriodBegunUnpaid),
        1 => Just(ChangedPlan),
        2 => any::<bool>().prop_map(|whole| Refunded { whole }),
        1 => Just(RefundFailed),
        1 => Just(Disputed),
        1 => any::<bool>().prop_map(|lost| DisputeClosed { lost }),
        1 => Just(Withdrawn),
    ]
}

/// What Stripe would say, and what our own records say of withdrawals.
#[derive(Clone, Debug)]
struct World {
    now: Timestamp,
    next: u32,
    statement: Statement,
    withdrawn: Vec<(String, Timestamp)>,
}

impl World {
    fn new() -> Self {
        let now = "2026-11-21T09:30:00Z".parse().expect("an instant");
        Self { now, next: 0, statement: Statement::default(), withdrawn: Vec::new() }
    }

    fn id(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}_{:04}", self.next)
    }

    fn charge(&mut self, cents: i64) -> String {
        let (id, payment) = (self.id("ch"), self.id("pi"));
        let charge = StatedCharge {
            id,
            payment: Some(payment.clone()),
            cents,
            at: self.now,
            refunds: Vec::new(),
            disputes: Vec::new(),
        };
        self.statement.charges.push(charge);
        payment
    }

    /// The newest subscription that is not over.
    fn running(&mut self) -> Option<&mut StatedSubscription> {
        self.statement.subscriptions.iter_mut().rev().find(|one| one.status != StatedStatus::Over)
    }

    fn invoice(&mut self, subscription: &str, plan: Plan, paid: bool, needs_bank: bool) {
        let payments = if paid { vec![self.charge(if plan == Plan::Annual { 9590 } else { 999 })] } else { Vec::new() };
        self.statement.invoices.push(StatedInvoice {
            subscription: Some(subscription.into()),
            plan: Some(plan),
            created: self.now,
            paid,
            open: !paid,
            needs_bank: needs_bank && !paid,
            pay_url: Some("https://invoice.example/i".into()),
            payments,
        });
    }

    fn pay_open_invoice(&mut self, subscription: &str) -> bool {
        let payment = self.charge(999);
        let open = |invoice: &&mut StatedInvoice| invoice.open && invoice.subscription.as_deref() == Some(subscription);
        match self.statement.invoices.iter_mut().rev().find(open) {
            Some(invoice) => {
                (invoice.paid, invoice.open, invoice.needs_bank) = (true, false, false);
                invoice.payments = vec![payment];
                true
            }
            None => {
                self.statement.charges.pop();
                false
            }
        }
    }

    #[allow(clippy::too_many_lines, reason = "one arm for each thing that happens")]
    fn happen(&mut self, happening: &Happening) {
        let now = self.now;
        // What is to end with its period ends with it: nothing renews it.
        if let Some(one) = self.running().filter(|one| one.cancel_at.is_some_and(|at| at <= now)) {
            (one.status, one.ended_at) = (StatedStatus::Over, one.cancel_at);
        }
        let running = self.running().map(|one| (one.id.clone(), one.plan, one.status));
        match (happening, running) {
            (Happening::TrialBought, _) => {
                let trial_payment = Some(self.charge(100));
                let id = self.id("cs");
                let outcome = CheckoutOutcome::Paid;
                let checkout = StatedCheckout { id, outcome, trial_payment, created: now, immediate_start: true };
                self.statement.checkouts.push(checkout);
            }
            (Happening::SubscriptionBought { annual, confirmed }, None) => {
                let plan = if *annual { Plan::Annual } else { Plan::Monthly };
                let id = self.id("sub");
                self.statement.subscriptions.push(StatedSubscription {
                    id: id.clone(),
                    plan,
                    status: if *confirmed { StatedStatus::Active } else { StatedStatus::Incomplete },
                    created: now,
                    period_start: now,
                    period_end: now + MONTH,
                    cancel_at: None,
                    ended_at: None,
                    immediate_start: false,
                });
                self.invoice(&id, plan, *confirmed, true);
            }
            (Happening::FirstPaymentConfirmed, Some((id, _, StatedStatus::Incomplete))) => {
                if self.pay_open_invoice(&id)
                    && let Some(one) = self.running()
                {
                    one.status = StatedStatus::Active;
                }
            }
            (Happening::Renewed | Happening::RenewalFailed { .. }, Some((id, plan, StatedStatus::Active))) => {
                let paid = matches!(happening, Happening::Renewed);
                let needs_bank = matches!(happening, Happening::RenewalFailed { needs_bank: true });
                if self.running().is_some_and(|one| one.cancel_at.is_some()) {
                    return;
                }
                if let Some(one) = self.running() {
                    (one.period_start, one.period_end) = (one.period_end, one.period_end + MONTH);
                    one.status = if paid { StatedStatus::Active } else { StatedStatus::PastDue };
                    self.now = self.now.max(one_start(&self.statement, &id));
                }
                self.invoice(&id, plan, paid, needs_bank);
            }
            (Happening::OpenInvoicePaid, Some((id, _, StatedStatus::PastDue | StatedStatus::Unpaid))) => {
                if self.pay_open_invoice(&id)
                    && let Some(one) = self.running()
                {
                    one.status = StatedStatus::Active;
                }
            }
            (Happening::CancelledAtPeriodEnd, Some((_, _, StatedStatus::Active))) => {
                if let Some(one) = self.running() {
                    one.cancel_at = Some(one.period_end);
                }
            }
            (Happening::Resumed, Some((_, _, StatedStatus::Active))) => {
                if let Some(one) = self.running() {
                    one.cancel_at = None;
                }
            }
            (Happening::Ended, Some((_, _, status))) if status != StatedStatus::Incomplete => {
                if let Some(one) = self.running() {
                    (one.status, one.ended_at) = (StatedStatus::Over, Some(now));
                }
            }
            (Happening::GaveUp, Some((_, _, StatedStatus::PastDue))) => {
                if let Some(one) = self.running() {
                    one.status = StatedStatus::Unpaid;
                }
            }
            (Happening::PeriodBegunUnpaid, Some((id, plan, StatedStatus::PastDue | StatedStatus::Unpaid))) => {
                if let Some(one) = self.running() {
                    (one.period_start, one.period_end) = (one.period_end, one.period_end + MONTH);
                    self.now = self.now.max(one_start(&self.statement, &id));
                }
                self.invoice(&id, plan, false, false);
            }
            (Happening::ChangedPlan, Some((id, plan, StatedStatus::Active))) => {
                let other = if plan == Plan::Annual { Plan::Monthly } else { Plan::Annual };
                if let Some(one) = self.running() {
                    (one.plan, one.period_start, one.period_end) = (other, now, now + MONTH);
                    one.cancel_at = None;
                }
                self.invoice(&id, other, true, false);
            }
            (Happening::Refunded { whole }, _) => {
                let id = self.id("re");
                if let Some(charge) = self.statement.charges.last_mut() {
                    let left = charge.cents - charge.refunds.iter().map(|refund| refund.cents).sum::<i64>();
                    let cents = if *whole { left } else { left / 2 };
                    if cents > 0 && charge.disputes.is_empty() {
                        charge.refunds.push(StatedRefund { id, cents, at: now, withdrawal: None });
                    }
                }
            }
            (Happening::RefundFailed, _) => {
                let refunds = self.statement.charges.iter_mut().flat_map(|charge| &mut charge.refunds);
                if let Some(refund) = refunds.last() {
                    refund.cents = 0;
                }
            }
            (Happening::Disputed, _) => {
                let id = self.id("du");
                if let Some(charge) = self.statement.charges.last_mut()
                    && charge.disputes.is_empty()
                    && charge.refunds.is_empty()
                {
                    charge.disputes.push(StatedDispute { id, cents: charge.cents, at: now, lost: false });
                }
            }
            (Happening::DisputeClosed { lost }, _) => {
                let open = self.statement.charges.iter_mut().flat_map(|charge| &mut charge.disputes);
                if let Some(dispute) = open.filter(|dispute| !dispute.lost && dispute.cents > 0).last() {
                    dispute.lost = *lost;
                    dispute.cents = if *lost { dispute.cents } else { 0 };
                }
            }
            (Happening::Withdrawn, Some((id, _, StatedStatus::Active)))
                if !self.withdrawn.iter().any(|(held, _)| *held == id) =>
            {
                self.withdrawn.push((id, now));
            }
            _ => {}
        }
    }

    /// What was taken, less what went back.
    fn taken(&self) -> i64 {
        let charges = self.statement.charges.iter();
        charges
            .map(|charge| {
                let refunds: i64 = charge.refunds.iter().map(|refund| refund.cents).sum();
                let disputes: i64 = charge.disputes.iter().map(|dispute| dispute.cents).sum();
                charge.cents - refunds - disputes
            })
            .sum()
    }
}

fn one_start(statement: &Statement, id: &str) -> Timestamp {
    let one = statement.subscriptions.iter().find(|one| one.id == id);
    one.map_or(Timestamp::MIN, |one| one.period_start)
}

/// What the product has in its store.
#[derive(Clone, Debug, Default, PartialEq)]
struct Books {
    subscription: Option<Subscription>,
    contracts: BTreeMap<String, Contract>,
    ledger: BTreeMap<String, Line>,
    trial_used: Option<Timestamp>,
    asked_at: Option<Timestamp>,
}

impl Books {
    /// Takes over what Stripe said when it was asked at `asked_at`, unless somebody has asked later already.
    fn take_over(&mut self, world: &World, account: AccountId, asked_at: Timestamp, now: Timestamp) {
        if self.asked_at.is_some_and(|later| later > asked_at) {
            return;
        }
        let held = Held { account, subscription: self.subscription.as_ref(), gift: None, withdrawn: &world.withdrawn };
        let outcome = converge(&world.statement, &held, TRIAL, now);
        self.subscription = outcome.subscription;
        self.contracts.extend(outcome.contracts);
        self.ledger.extend(outcome.lines);
        self.trial_used = self.trial_used.or(outcome.trial_used_at);
        self.asked_at = Some(asked_at);
    }

    fn sum(&self) -> i64 {
        self.ledger.values().map(|line| line.cents).sum()
    }
}

/// How a hint travels: how often it arrives, how many hints later, and how old Stripe's answer is by then.
#[derive(Clone, Debug)]
struct Journey {
    copies: u8,
    late_by: usize,
    answer_is_old: bool,
}

fn journey() -> impl Strategy<Value = Journey> {
    (prop_oneof![2 => Just(0_u8), 4 => Just(1), 2 => Just(2)], 0_usize..6, proptest::bool::weighted(0.2))
        .prop_map(|(copies, late_by, answer_is_old)| Journey { copies, late_by, answer_is_old })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_the_weather_one_reconciliation_ends_in_the_same_state(
        happenings in prop::collection::vec((happening(), journey(), 0_i64..40), 1..24),
    ) {
        let account = AccountId(uuid::Uuid::from_u128(7));
        let (mut world, mut calm, mut stormy) = (World::new(), Books::default(), Books::default());
        // What the world looked like at each step, and which hints arrive after which step.
        let mut past = vec![world.clone()];
        let mut arrivals: Vec<(usize, bool)> = Vec::new();
        for (step, (happening, journey, days)) in happenings.iter().enumerate() {
            world.now += DAY * i32::try_from(*days).expect("a few days");
            world.happen(happening);
            past.push(world.clone());
            calm.take_over(&world, account, world.now, world.now);
            for copy in 0..journey.copies {
                arrivals.push((step + 1 + journey.late_by * usize::from(copy + 1), journey.answer_is_old));
            }
        }
        arrivals.sort();
        for (step, answer_is_old) in arrivals {
            let step = step.min(past.len() - 1);
            let now = past[step].now;
            // An old answer was asked for when the world was younger, and is taken over now.
            let asked = if answer_is_old { &past[step / 2] } else { &past[step] };
            stormy.take_over(asked, account, asked.now, now);
        }
        let last = world.now + SignedDuration::from_secs(1);
        let mut never_told = Books::default();
        for books in [&mut calm, &mut stormy, &mut never_told] {
            books.take_over(&world, account, last, last);
        }
        prop_assert_eq!(&calm, &stormy);
        prop_assert_eq!(&calm, &never_told);

        // And that state is the right one.
        prop_assert_eq!(calm.sum(), world.taken(), "the ledger is what was taken");
        let held = calm.subscription.as_ref();
        let grants = held.is_some_and(|held| held.grants(last));
        let paid_now = world.statement.subscriptions.iter().any(|one| {
            let mut invoices = world.statement.invoices.iter();
            let latest = invoices.rfind(|invoice| invoice.subscription.as_ref() == Some(&one.id));
            let kept = latest.is_some_and(|invoice| {
                invoice.paid && world.statement.charges.iter().any(|charge| {
                    charge.payment.as_ref().is_some_and(|payment| invoice.payments.contains(payment))
                        && charge.reversed_at().is_none()
                })
            });
            let withdrawn = world.withdrawn.iter().any(|(id, _)| *id == one.id);
            one.status == StatedStatus::Active && kept && !withdrawn && last < one.period_end
        });
        if paid_now {
            prop_assert!(grants, "who paid is let in: {:?}", held);
        }
        if world.taken() == 0 {
            let disputed = world.statement.charges.iter().any(|charge| charge.disputes.iter().any(|one| !one.lost));
            // An open dispute takes the money at once, and the person only when it is lost.
            prop_assert!(!grants || disputed, "nobody is let in for nothing: {:?}", held);
        }
        // Who has not paid for longer than the grace is not let in, however many periods have begun meanwhile.
        for one in &world.statement.subscriptions {
            let invoices = || world.statement.invoices.iter().filter(|it| it.subscription.as_ref() == Some(&one.id));
            let last_paid = invoices().filter(|invoice| invoice.paid).map(|invoice| invoice.created).max();
            let unpaid_since = invoices().filter(|it| !it.paid && Some(it.created) > last_paid).map(|it| it.created).min();
            let holds = held.is_some_and(|held| held.contract.as_ref() == Some(&one.id) && held.grants(last));
            if matches!(one.status, StatedStatus::PastDue | StatedStatus::Unpaid) && holds {
                prop_assert!(unpaid_since.is_some_and(|since| last < since + GRACE), "the grace is counted once: {:?}", held);
                prop_assert!(one.status == StatedStatus::PastDue, "unpaid ends it: {:?}", held);
            }
            prop_assert!(last_paid.is_some() || !holds, "nobody ever paid for it: {:?}", held);
        }
    }

    /// Nothing that Stripe keeps silent about is taken away.
    #[test]
    fn an_empty_answer_demotes_nobody(annual in any::<bool>(), days in 0_i64..60) {
        let account = AccountId(uuid::Uuid::from_u128(7));
        let (mut world, mut books) = (World::new(), Books::default());
        world.happen(&Happening::SubscriptionBought { annual, confirmed: true });
        books.take_over(&world, account, world.now, world.now);
        let before = books.subscription.clone();
        let later = world.now + DAY * i32::try_from(days).expect("a few days");
        world.statement = Statement::default();
        books.take_over(&world, account, later, later);
        prop_assert_eq!(books.subscription, before);
    }
}

#[test]
fn a_plan_bought_during_the_trial_ends_it_and_loses_no_day_of_its_own() {
    let account = AccountId(uuid::Uuid::from_u128(7));
    let (mut world, mut books) = (World::new(), Books::default());
    world.happen(&Happening::TrialBought);
    books.take_over(&world, account, world.now, world.now);
    let trial = books.subscription.clone().expect("a trial");
    assert_eq!((trial.plan, trial.access_until), (Plan::Trial, world.now + TRIAL));
    world.now += DAY;
    world.happen(&Happening::SubscriptionBought { annual: false, confirmed: true });
    books.take_over(&world, account, world.now, world.now);
    let plan = books.subscription.clone().expect("a plan");
    assert_eq!(
        (plan.plan, plan.current_period_start, plan.current_period_end),
        (Plan::Monthly, world.now, world.now + MONTH)
    );
    // Paid back whole on the second day: the trial, which it had ended, does not come back.
    world.now += DAY;
    world.happen(&Happening::Refunded { whole: true });
    books.take_over(&world, account, world.now, world.now);
    assert!(!books.subscription.expect("something is held").grants(world.now));
}
