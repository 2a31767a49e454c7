//! What goes on from one period to the next: subscriptions and their invoices, how they are paid, what happens when
//! they are not, a change of plan, and the end.

use serde_json::Value;

use super::cards::{Card, DAY, Moment, Verdict};
use super::objects::{self, Line};
use super::payments;
use super::periods::next_period;
use super::state::{State, number, text};

/// Where the price and the period of a subscription stand.
pub(super) const PRICE: &str = "/items/data/0/price";
pub(super) const PERIOD_START: &str = "/items/data/0/current_period_start";
pub(super) const PERIOD_END: &str = "/items/data/0/current_period_end";
/// Where an invoice names its subscription.
pub(super) const OF_SUBSCRIPTION: &str = "/parent/subscription_details/subscription";

/// On which days after an invoice a refused card is tried again; after the last the subscription ends.
const RETRIES: [i64; 3] = [3, 5, 7];
/// How long an invoice that waits for a confirmation may wait.
const PATIENCE: i64 = 7 * DAY;

/// A subscription that was just paid for. `data` is `subscription_data` of the checkout.
pub(super) fn start(
    state: &mut State,
    customer: &str,
    price: &Value,
    card: Card,
    moment: Moment,
    data: &Value,
) -> (Value, Value) {
    let method = payments::keep_card(state, customer, card);
    let subscription = objects::subscription(state, customer, price, &method, data);
    state.put(subscription.clone());
    let id = text(&subscription, "/id");
    let line = Line {
        description: description(state, price),
        amount: number(price, "/unit_amount"),
        price,
        period: (number(&subscription, PERIOD_START), number(&subscription, PERIOD_END)),
        proration: false,
    };
    let invoice = bill(state, &subscription, "subscription_create", &[line]);
    let subscription = state.get("subscription", id).cloned().unwrap_or_default();
    state.emit("customer.subscription.created", &subscription);
    pay(state, text(&invoice, "/id"), &method, moment);
    (subscription, state.get("invoice", text(&invoice, "/id")).cloned().unwrap_or_default())
}

/// What an invoice or a page calls a price.
pub(super) fn description(state: &State, price: &Value) -> String {
    let product = state.get("product", text(price, "/product"));
    product.map(|product| text(product, "/name").to_owned()).unwrap_or_default()
}

/// Writes an invoice, with what pays it when there is something to pay.
fn bill(state: &mut State, subscription: &Value, reason: &str, lines: &[Line<'_>]) -> Value {
    let customer_id = text(subscription, "/customer");
    let customer = state.get("customer", customer_id).cloned().unwrap_or_default();
    let invoice = objects::invoice(state, subscription, &customer, reason, lines);
    let id = text(&invoice, "/id").to_owned();
    state.put(invoice.clone());
    let sequence = number(&customer, "/next_invoice_sequence") + 1;
    let fields = [("/balance", invoice["ending_balance"].clone()), ("/next_invoice_sequence", sequence.into())];
    state.set("customer", customer_id, &fields);
    state.set("subscription", text(subscription, "/id"), &[("/latest_invoice", invoice["id"].clone())]);
    let due = number(&invoice, "/amount_due");
    if due > 0 {
        let intent = objects::payment_intent(state, &customer["id"], due, &serde_json::json!({}));
        let payment = objects::invoice_payment(state, &invoice, &intent);
        state.put(intent);
        state.put(payment);
    }
    state.emit("invoice.created", &invoice);
    state.emit("invoice.finalized", &invoice);
    if due == 0 {
        return settle(state, &id);
    }
    invoice
}

/// The payment of an invoice, and the intent in it.
pub(super) fn payment_of(state: &State, invoice: &str) -> Option<(String, String)> {
    let payment = state.all("invoice_payment").find(|payment| text(payment, "/invoice") == invoice)?;
    Some((text(payment, "/id").into(), text(payment, "/payment/payment_intent").into()))
}

/// Charges an open invoice, and tells what the bank said.
pub(super) fn pay(state: &mut State, invoice: &str, method: &Value, moment: Moment) -> Verdict {
    let Some((_, intent)) = payment_of(state, invoice) else { return Verdict::Accepted };
    let verdict = payments::confirm(state, &intent, method, moment);
    let count = state.get("invoice", invoice).map_or(0, |invoice| number(invoice, "/attempt_count")) + 1;
    let attempt = [("/attempted", true.into()), ("/attempt_count", count.into())];
    let held = state.set("invoice", invoice, &attempt);
    match verdict {
        Verdict::Accepted => {
            settle(state, invoice);
        }
        Verdict::NeedsConfirmation => {
            let held = state.set("invoice", invoice, &[("/next_payment_attempt", Value::Null)]);
            state.emit("invoice.payment_action_required", &held);
            state.emit("invoice.payment_failed", &held);
        }
        Verdict::Refused(_) => state.emit("invoice.payment_failed", &held),
    }
    verdict
}

/// The owner of the card did not confirm the payment of an invoice.
pub(super) fn abandon(state: &mut State, invoice: &str) {
    if let Some((_, intent)) = payment_of(state, invoice) {
        payments::abandon(state, &intent);
    }
    let held = state.get("invoice", invoice).cloned().unwrap_or_default();
    state.emit("invoice.payment_failed", &held);
}

/// An invoice is paid, and its subscription is in order again.
fn settle(state: &mut State, invoice: &str) -> Value {
    if let Some((payment, _)) = payment_of(state, invoice) {
        let due = state.get("invoice", invoice).map_or(0, |invoice| number(invoice, "/amount_due"));
        let fields = [
            ("/status", "paid".into()),
            ("/amount_paid", due.into()),
            ("/status_transitions/paid_at", state.now.into()),
        ];
        state.set("invoice_payment", &payment, &fields);
    }
    let due = state.get("invoice", invoice).map_or(Value::Null, |invoice| invoice["amount_due"].clone());
    let fields = [
        ("/status", "paid".into()),
        ("/attempted", true.into()),
        ("/amount_paid", due),
        ("/amount_remaining", 0.into()),
        ("/next_payment_attempt", Value::Null),
        ("/status_transitions/paid_at", state.now.into()),
    ];
    let paid = state.set("invoice", invoice, &fields);
    state.emit("invoice.paid", &paid);
    state.emit("invoice.payment_succeeded", &paid);
    let subscription = text(&paid, OF_SUBSCRIPTION).to_owned();
    if state.get("subscription", &subscription).is_some_and(|held| text(held, "/status") == "past_due") {
        state.update("subscription", &subscription, "customer.subscription.updated", &[("/status", "active".into())]);
    }
    paid
}

/// Nobody pays this invoice any more.
pub(super) fn void(state: &mut State, invoice: &str) -> Value {
    let fields = [
        ("/status", "void".into()),
        ("/auto_advance", false.into()),
        ("/next_payment_attempt", Value::Null),
        ("/status_transitions/voided_at", state.now.into()),
    ];
    let void = state.set("invoice", invoice, &fields);
    if let Some((payment, intent)) = payment_of(state, invoice) {
        state.set("invoice_payment", &payment, &[("/status", "canceled".into())]);
        state.set("payment_intent", &intent, &[("/status", "canceled".into())]);
    }
    state.emit("invoice.voided", &void);
    void
}

/// A period is over: the next begins, and is paid when the card allows it.
pub(super) fn renew(state: &mut State, subscription: &str) {
    let Some(held) = state.get("subscription", subscription).cloned() else { return };
    if held["cancel_at_period_end"] == true {
        return end(state, subscription, "cancellation_requested");
    }
    let (price, begins) = (held.pointer(PRICE).cloned().unwrap_or_default(), number(&held, PERIOD_END));
    let ends = next_period(&price, number(&held, "/billing_cycle_anchor"), begins);
    let fields = [(PERIOD_START, begins.into()), (PERIOD_END, ends.into())];
    let line = Line {
        description: description(state, &price),
        amount: number(&price, "/unit_amount"),
        price: &price,
        period: (begins, ends),
        proration: false,
    };
    let held = state.update("subscription", subscription, "customer.subscription.updated", &fields);
    let invoice = bill(state, &held, "subscription_cycle", &[line]);
    if number(&invoice, "/amount_due") > 0 {
        collect(state, text(&invoice, "/id"), &held);
    }
}

/// Charges an invoice when nobody is there, and plans what happens when that does not work.
fn collect(state: &mut State, invoice: &str, subscription: &Value) {
    let method = text(subscription, "/default_payment_method");
    let method = state.get("payment_method", method).cloned().unwrap_or_default();
    let verdict = pay(state, invoice, &method, Moment::Absent);
    if verdict == Verdict::Accepted {
        return;
    }
    let id = text(subscription, "/id");
    state.update("subscription", id, "customer.subscription.updated", &[("/status", "past_due".into())]);
    if let Verdict::Refused(_) = verdict {
        let since = state.get("invoice", invoice).map_or(0, |invoice| number(invoice, "/created"));
        let now = state.now;
        match RETRIES.iter().map(|days| since + days * DAY).find(|at| *at > now) {
            Some(at) => {
                state.set("invoice", invoice, &[("/next_payment_attempt", at.into())]);
            }
            None => end(state, id, "payment_failed"),
        }
    }
}

/// Tries a refused card again.
pub(super) fn retry(state: &mut State, invoice: &str) {
    let subscription = state.get("invoice", invoice).map(|invoice| text(invoice, OF_SUBSCRIPTION).to_owned());
    let held = subscription.and_then(|id| state.get("subscription", &id).cloned()).unwrap_or_default();
    collect(state, invoice, &held);
}

/// When something will happen to an open invoice by itself, and whether it is another attempt (or the end).
pub(super) fn next_step(state: &State, invoice: &Value) -> Option<(i64, bool)> {
    let subscription = state.get("subscription", text(invoice, OF_SUBSCRIPTION))?;
    if text(invoice, "/status") != "open" || text(subscription, "/status") != "past_due" {
        return None;
    }
    match invoice["next_payment_attempt"].as_i64() {
        Some(at) => Some((at, true)),
        None => Some((number(invoice, "/created") + PATIENCE, false)),
    }
}

/// A subscription ends now. Its open invoices stay, but nobody tries to collect them.
pub(super) fn end(state: &mut State, subscription: &str, reason: &str) {
    let Some(held) = state.get("subscription", subscription).cloned() else { return };
    let open: Vec<_> = state
        .all("invoice")
        .filter(|invoice| text(invoice, "/status") == "open" && text(invoice, OF_SUBSCRIPTION) == subscription)
        .map(|invoice| text(invoice, "/id").to_owned())
        .collect();
    for invoice in open {
        let fields = [("/auto_advance", false.into()), ("/next_payment_attempt", Value::Null)];
        state.set("invoice", &invoice, &fields);
    }
    let canceled_at = held["canceled_at"].as_i64().unwrap_or(state.now);
    let fields = [
        ("/status", "canceled".into()),
        ("/canceled_at", canceled_at.into()),
        ("/ended_at", state.now.into()),
        ("/cancellation_details/reason", reason.into()),
    ];
    let ended = state.set("subscription", subscription, &fields);
    state.emit("customer.subscription.deleted", &ended);
}

/// Lets a subscription run out at the end of its period, or go on after all.
pub(super) fn end_later(state: &mut State, subscription: &str, later: bool) -> Value {
    let period_end = state.get("subscription", subscription).map_or(0, |held| number(held, PERIOD_END));
    let when = |at: i64| if later { at.into() } else { Value::Null };
    let reason = if later { "cancellation_requested".into() } else { Value::Null };
    let fields = [
        ("/cancel_at_period_end", later.into()),
        ("/cancel_at", when(period_end)),
        ("/canceled_at", when(state.now)),
        ("/cancellation_details/reason", reason),
    ];
    state.update("subscription", subscription, "customer.subscription.updated", &fields)
}

/// What a change to another price would cost now: the new price less the part of the old one that was not used.
/// The credit comes first.
pub(super) fn cost_of_change(state: &State, subscription: &Value, price: &Value) -> (i64, i64) {
    let (start, end) = (number(subscription, PERIOD_START), number(subscription, PERIOD_END));
    let paid = number(subscription, "/items/data/0/price/unit_amount");
    let left = (end - state.now).clamp(0, end - start);
    let credit = if end > start { paid * left / (end - start) } else { 0 };
    (credit, number(price, "/unit_amount") - credit)
}

/// Changes to another price at once, when what it costs can be paid.
pub(super) fn change(state: &mut State, subscription: &str, price: &Value, moment: Moment) -> Result<(), Verdict> {
    let Some(held) = state.get("subscription", subscription).cloned() else { return Ok(()) };
    let method = text(&held, "/default_payment_method").to_owned();
    let (credit, cost) = cost_of_change(state, &held, price);
    let balance = state.get("customer", text(&held, "/customer")).map_or(0, |customer| number(customer, "/balance"));
    if cost + balance > 0 {
        let verdict = payments::card_of(state, &method).judge(moment);
        if verdict != Verdict::Accepted {
            return Err(verdict);
        }
    }
    let old = held.pointer(PRICE).cloned().unwrap_or_default();
    let ends = next_period(price, state.now, state.now);
    let fields = objects::change_of_price(price, state.now, ends);
    let lines = [
        Line {
            description: format!("{}: parte non usata", description(state, &old)),
            amount: -credit,
            price: &old,
            period: (state.now, number(&held, PERIOD_END)),
            proration: true,
        },
        Line {
            description: description(state, price),
            amount: number(price, "/unit_amount"),
            price,
            period: (state.now, ends),
            proration: false,
        },
    ];
    let changed = state.update("subscription", subscription, "customer.subscription.updated", &fields);
    let invoice = bill(state, &changed, "subscription_update", &lines);
    if number(&invoice, "/amount_due") > 0 {
        let method = state.get("payment_method", &method).cloned().unwrap_or_default();
        pay(state, text(&invoice, "/id"), &method, moment);
    }
    Ok(())
}
