//! What happens by itself when its time comes: renewals, attempts to collect again, ends and expiries. Each thing
//! happens at its own moment, in order, however far the clock was moved at once.

use super::checkout;
use super::state::{State, number, text};
use super::subscriptions::{self, PERIOD_END};

/// Something that will happen.
enum Due {
    Renewal(String),
    Retry(String),
    EndUnpaid(String),
    Expiry(String),
}

/// Does everything that is due until `now`, and stays there.
pub(super) fn catch_up(state: &mut State, now: i64) {
    while let Some((at, due)) = next(state).filter(|(at, _)| *at <= now) {
        state.now = at;
        match due {
            Due::Renewal(subscription) => subscriptions::renew(state, &subscription),
            Due::Retry(invoice) => subscriptions::retry(state, &invoice),
            Due::EndUnpaid(subscription) => subscriptions::end(state, &subscription, "payment_failed"),
            Due::Expiry(session) => checkout::close_unpaid(state, &session),
        }
    }
    state.now = now;
}

fn next(state: &State) -> Option<(i64, Due)> {
    let running = |status: &str| ["active", "past_due"].contains(&status);
    let renewals = state
        .all("subscription")
        .filter(|subscription| running(text(subscription, "/status")))
        .map(|subscription| (number(subscription, PERIOD_END), Due::Renewal(text(subscription, "/id").into())));
    let invoices = state.all("invoice").filter_map(|invoice| {
        let (at, again) = subscriptions::next_step(state, invoice)?;
        Some(if again {
            (at, Due::Retry(text(invoice, "/id").into()))
        } else {
            (at, Due::EndUnpaid(text(invoice, subscriptions::OF_SUBSCRIPTION).into()))
        })
    });
    let sessions = state
        .all("checkout.session")
        .filter(|session| text(session, "/status") == "open")
        .map(|session| (number(session, "/expires_at"), Due::Expiry(text(session, "/id").into())));
    renewals.chain(invoices).chain(sessions).min_by_key(|(at, _)| *at)
}
