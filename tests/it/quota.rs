//! What a plan lets someone use: no interleaving passes a limit, nothing is lost in between.

use std::time::Duration;

use jiff::ToSpan;
use rimedio::account::AccountId;
use rimedio::billing::{Plan, Subscriptions};
use rimedio::clock::{Clock, italy, start_of_day_in_italy};
use rimedio::config::Plans;
use rimedio::error::{Code, Result};
use rimedio::quota::{Quotas, Reservation};
use rimedio::store::Store;

struct Desk {
    store: Store,
    clock: Clock,
    subscriptions: Subscriptions,
    quotas: Quotas,
    account: AccountId,
}

impl Desk {
    async fn with(plan: Plan) -> Self {
        let desk = Self::without_a_plan();
        desk.subscriptions.grant(desk.account, plan, 365).await.expect("a plan can be granted");
        desk
    }

    fn without_a_plan() -> Self {
        let (store, clock) = (Store::in_memory(), Clock::system());
        // Noon of a day in the middle of a month: no test meets midnight by chance.
        let noon = clock.today().first_of_month().saturating_add(1.month()).saturating_add(9.days()).at(12, 0, 0, 0);
        let noon = noon.to_zoned(italy()).expect("noon exists every day").timestamp();
        clock.advance(Duration::try_from(noon.duration_since(clock.now())).expect("a moment to come"));
        Self {
            subscriptions: Subscriptions::new(store.clone(), clock.clone()),
            quotas: Quotas::new(store.clone(), clock.clone(), Plans::default()),
            account: AccountId::random(),
            store,
            clock,
        }
    }

    async fn reserve(&self) -> Result<Reservation> {
        self.quotas.reserve(self.account).await
    }

    async fn settle(&self, reservation: Reservation, tokens: u64) {
        let now = self.clock.now();
        self.store
            .update(move |transaction| reservation.settle(transaction, now, tokens))
            .await
            .expect("a reservation can be settled");
    }

    async fn use_up(&self, requests: u32) {
        for _ in 0..requests {
            let reservation = self.reserve().await.expect("a request is left");
            self.settle(reservation, 10).await;
        }
    }

    async fn refusal(&self) -> rimedio::error::Error {
        self.reserve().await.expect_err("the request is refused")
    }

    fn next_day(&self) {
        let tomorrow = self.clock.today().tomorrow().expect("a day to come");
        let midnight = start_of_day_in_italy(tomorrow);
        self.clock.advance(Duration::try_from(midnight.duration_since(self.clock.now())).expect("to come"));
        self.clock.advance(Duration::from_secs(1));
    }
}

#[tokio::test]
async fn without_a_plan_nothing_is_let_through() {
    let desk = Desk::without_a_plan();
    assert_eq!(desk.refusal().await.code(), Code::SubscriptionRequired);
    let usage = desk.quotas.usage(desk.account).await.expect_err("no plan, no usage");
    assert_eq!(usage.code(), Code::SubscriptionRequired);
}

#[tokio::test]
async fn a_plan_that_has_ended_lets_nothing_through() {
    let desk = Desk::without_a_plan();
    desk.subscriptions.grant(desk.account, Plan::Trial, 7).await.expect("a plan can be granted");
    desk.clock.advance(Duration::from_secs(7 * 86_400 - 1));
    assert!(desk.reserve().await.is_ok());
    desk.clock.advance(Duration::from_secs(1));
    assert_eq!(desk.refusal().await.code(), Code::SubscriptionRequired);
}

#[tokio::test]
async fn the_last_request_of_a_day_is_let_through_and_the_next_is_not() {
    let desk = Desk::with(Plan::Trial).await;
    desk.use_up(10).await;
    let refused = desk.refusal().await;
    assert_eq!(refused.code(), Code::QuotaExceeded);
    assert!(refused.detail().contains("10 richieste di oggi"), "{}", refused.detail());
    assert!(refused.detail().contains("Upgrade"), "{}", refused.detail());
    let until_midnight = refused.wait().expect("it says when to come back");
    assert_eq!((until_midnight.as_secs() + 30) / 60, 12 * 60, "noon to midnight: {until_midnight:?}");
}

#[tokio::test]
async fn only_the_trial_is_told_to_upgrade() {
    let desk = Desk::with(Plan::Monthly).await;
    desk.use_up(40).await;
    assert!(!desk.refusal().await.detail().contains("Upgrade"));
}

#[tokio::test]
async fn a_new_day_in_italy_begins_at_zero() {
    let desk = Desk::with(Plan::Trial).await;
    desk.use_up(10).await;
    desk.next_day();
    assert!(desk.reserve().await.is_ok());
    let usage = desk.quotas.usage(desk.account).await.expect("a plan is active");
    assert_eq!((usage.requests_today, usage.requests_this_month), (1, 11));
}

#[tokio::test]
async fn the_month_has_a_limit_of_its_own() {
    let desk = Desk::with(Plan::Trial).await;
    for _ in 0..7 {
        desk.use_up(10).await;
        desk.next_day();
    }
    let refused = desk.refusal().await;
    assert!(refused.detail().contains("70 richieste di questo mese"), "{}", refused.detail());
    assert!(refused.detail().contains(" 1 "), "it frees on the first: {}", refused.detail());
    assert_eq!(desk.quotas.usage(desk.account).await.expect("a plan is active").remaining_today(), 0);
}

#[tokio::test]
async fn tokens_have_a_limit_of_their_own() {
    let desk = Desk::with(Plan::Trial).await;
    let reservation = desk.reserve().await.expect("a request is left");
    desk.settle(reservation, 40_000).await;
    assert_eq!(desk.refusal().await.code(), Code::QuotaExceeded);
    desk.next_day();
    assert!(desk.reserve().await.is_ok());
}

#[tokio::test]
async fn a_request_that_is_given_back_costs_nothing() {
    let desk = Desk::with(Plan::Trial).await;
    for _ in 0..30 {
        let reservation = desk.reserve().await.expect("nothing was used up");
        desk.quotas.release(reservation).await.expect("it can be given back");
    }
    assert_eq!(desk.quotas.usage(desk.account).await.expect("a plan is active").remaining_today(), 10);
}

#[tokio::test]
async fn a_request_that_a_crash_left_behind_lapses_by_itself() {
    let desk = Desk::with(Plan::Trial).await;
    let mut left_behind = Vec::new();
    for _ in 0..10 {
        left_behind.push(desk.reserve().await.expect("a request is left"));
    }
    assert_eq!(desk.refusal().await.code(), Code::QuotaExceeded);
    desk.clock.advance(Duration::from_secs(121));
    assert!(desk.reserve().await.is_ok());
}

#[tokio::test]
async fn an_answer_after_midnight_counts_for_the_day_of_its_question() {
    let desk = Desk::with(Plan::Trial).await;
    desk.clock.advance(Duration::from_secs(12 * 3600 - 5));
    let reservation = desk.reserve().await.expect("a request is left");
    desk.next_day();
    desk.settle(reservation, 100).await;
    let usage = desk.quotas.usage(desk.account).await.expect("a plan is active");
    assert_eq!((usage.requests_today, usage.tokens_today, usage.requests_this_month), (0, 0, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixty_four_at_once_on_the_last_request_let_exactly_one_through() {
    let desk = Desk::with(Plan::Trial).await;
    desk.use_up(9).await;
    let mut tries = tokio::task::JoinSet::new();
    for _ in 0..64 {
        let (quotas, account) = (desk.quotas.clone(), desk.account);
        tries.spawn(async move { quotas.reserve(account).await });
    }
    let results = tries.join_all().await;
    let (through, refused): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    assert_eq!(through.len(), 1);
    assert!(refused.into_iter().all(|result| result.is_err_and(|error| error.code() == Code::QuotaExceeded)));
}
