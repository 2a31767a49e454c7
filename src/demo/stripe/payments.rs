//! Money that is taken and given back: payment intents, charges, refunds and disputes.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::cards::{Card, Decline, Moment, NOT_CONFIRMED, Verdict};
use super::objects;
use super::refusal::Refusal;
use super::state::{State, number, text};

/// Where the last four digits stand in a payment method.
const LAST4: &str = "/card/last4";

/// The card behind a payment method; one that always works when the method is unknown.
pub(super) fn card_of(state: &State, method: &str) -> Card {
    let method = state.get("payment_method", method);
    method.and_then(|method| Card::ending(text(method, LAST4))).unwrap_or(Card::Works)
}

/// Keeps a card for a customer (or for nobody) and makes it the one that is charged from now on.
pub(super) fn keep_card(state: &mut State, customer: &str, card: Card) -> Value {
    let method = objects::payment_method(state, customer, card);
    state.put(method.clone());
    if !customer.is_empty() {
        state.emit("payment_method.attached", &method);
        let field = [("/invoice_settings/default_payment_method", method["id"].clone())];
        state.update("customer", customer, "customer.updated", &field);
    }
    method
}

/// Tries to take the money of an intent, and tells what the bank said.
pub(super) fn confirm(state: &mut State, intent: &str, method: &Value, moment: Moment) -> Verdict {
    let card = Card::ending(text(method, LAST4)).unwrap_or(Card::Works);
    let verdict = card.judge(moment);
    let method_id = ("/payment_method", method["id"].clone());
    match verdict {
        Verdict::Accepted => {
            let charge = new_charge(state, intent, method, None);
            let fields = [
                method_id,
                ("/status", "succeeded".into()),
                ("/amount_received", charge["amount"].clone()),
                ("/latest_charge", charge["id"].clone()),
                ("/last_payment_error", Value::Null),
                ("/next_action", Value::Null),
            ];
            let intent = state.set("payment_intent", intent, &fields);
            state.emit("charge.succeeded", &charge);
            state.emit("payment_intent.succeeded", &intent);
        }
        Verdict::NeedsConfirmation => {
            let next = json!({ "type": "use_stripe_sdk", "use_stripe_sdk": { "type": "three_d_secure_redirect" } });
            let fields = [method_id, ("/status", "requires_action".into()), ("/next_action", next)];
            let intent = state.set("payment_intent", intent, &fields);
            state.emit("payment_intent.requires_action", &intent);
        }
        Verdict::Refused(decline) => {
            let charge = new_charge(state, intent, method, Some(("card_declined", decline.message)));
            state.set("payment_intent", intent, &[method_id, ("/latest_charge", charge["id"].clone())]);
            state.emit("charge.failed", &charge);
            fail(state, intent, "card_declined", &decline);
        }
    }
    verdict
}

/// The owner of the card was asked and said no.
pub(super) fn abandon(state: &mut State, intent: &str) {
    fail(state, intent, "payment_intent_authentication_failure", &NOT_CONFIRMED);
}

fn fail(state: &mut State, intent: &str, code: &str, decline: &Decline) {
    let error = json!({
        "type": "card_error", "code": code, "decline_code": decline.code, "message": decline.message,
    });
    let fields =
        [("/status", "requires_payment_method".into()), ("/last_payment_error", error), ("/next_action", Value::Null)];
    let intent = state.set("payment_intent", intent, &fields);
    state.emit("payment_intent.payment_failed", &intent);
}

fn new_charge(state: &mut State, intent: &str, method: &Value, failure: Option<(&str, &str)>) -> Value {
    let intent = state.get("payment_intent", intent).cloned().unwrap_or_default();
    let charge = objects::charge(state, &intent, method, failure);
    state.put(charge.clone());
    charge
}

/// Gives back what was paid, or a part of it.
pub(super) fn refund(
    state: &mut State,
    charge: &str,
    amount: Option<i64>,
    metadata: &Value,
    reason: Option<&str>,
) -> Result<Value, Refusal> {
    let charge = state.need("charge", charge)?;
    let id = text(&charge, "/id");
    if charge["paid"] != true {
        return Err(Refusal::invalid(format!("Charge {id} was not paid."), "charge"));
    }
    if charge["disputed"] == true {
        let message = format!("Charge {id} has been charged back; cannot issue a refund.");
        return Err(Refusal::invalid(message, "charge").with_code("charge_disputed"));
    }
    let left = number(&charge, "/amount") - number(&charge, "/amount_refunded");
    if left == 0 {
        let message = format!("Charge {id} has already been refunded.");
        return Err(Refusal::invalid(message, "charge").with_code("charge_already_refunded"));
    }
    let amount = amount.unwrap_or(left);
    if amount < 1 {
        let refusal = Refusal::invalid("Invalid positive integer", "amount");
        return Err(refusal.with_code("parameter_invalid_integer"));
    }
    if amount > left {
        let message = format!("Refund amount ({amount}) is greater than unrefunded amount on charge ({left})");
        return Err(Refusal::invalid(message, "amount"));
    }
    let refund = objects::refund(state, &charge, amount, metadata, reason);
    state.put(refund.clone());
    state.emit("refund.created", &refund);
    let refunded = number(&charge, "/amount_refunded") + amount;
    let fields = [("/amount_refunded", refunded.into()), ("/refunded", (amount == left).into())];
    state.update("charge", id, "charge.refunded", &fields);
    Ok(refund)
}

/// The bank of the payer did not take the money: it is with us again.
pub(super) fn fail_refund(state: &mut State, refund: &str) -> Result<(), Refusal> {
    let held = state.need("refund", refund)?;
    if text(&held, "/status") == "failed" {
        return Err(Refusal::invalid("This refund has failed before.", "refund"));
    }
    let charge = state.need("charge", text(&held, "/charge"))?;
    let failed = state.set("refund", refund, &[("/status", "failed".into())]);
    let left = number(&charge, "/amount_refunded") - number(&held, "/amount");
    state.set("charge", text(&charge, "/id"), &[("/amount_refunded", left.into()), ("/refunded", false.into())]);
    state.emit("refund.failed", &failed);
    Ok(())
}

/// The bank of the payer takes the money back until the matter is settled.
pub(super) fn dispute(state: &mut State, charge: &str) -> Result<Value, Refusal> {
    let charge = state.need("charge", charge)?;
    if charge["disputed"] == true || charge["paid"] != true || charge["refunded"] == true {
        return Err(Refusal::invalid("This charge cannot be disputed.", "charge"));
    }
    let dispute = objects::dispute(state, &charge);
    state.put(dispute.clone());
    state.set("charge", text(&charge, "/id"), &[("/disputed", true.into())]);
    state.emit("charge.dispute.created", &dispute);
    Ok(dispute)
}

/// The matter is settled, for us or against us.
pub(super) fn close_dispute(state: &mut State, dispute: &str, won: bool) -> Result<Value, Refusal> {
    let held = state.need("dispute", dispute)?;
    if !is_open(&held) {
        return Err(Refusal::invalid("This dispute is already closed.", "dispute"));
    }
    let status = if won { "won" } else { "lost" };
    let closed = state.set("dispute", dispute, &[("/status", status.into())]);
    state.emit("charge.dispute.closed", &closed);
    Ok(closed)
}

/// Whether a dispute is not settled yet.
pub(super) fn is_open(dispute: &Value) -> bool {
    !["won", "lost"].contains(&text(dispute, "/status"))
}

/// What was taken in a stretch of time: charges, less refunds, less disputes that are open or lost, each counted on
/// its own day.
pub(super) fn taken_cents(state: &State, from: Timestamp, until: Timestamp) -> i64 {
    let sum = |kind: &str, counts: &dyn Fn(&Value) -> bool| {
        state
            .all(kind)
            .filter(|row| (from.as_second()..until.as_second()).contains(&number(row, "/created")) && counts(row))
            .map(|row| number(row, "/amount"))
            .sum::<i64>()
    };
    sum("charge", &|charge| charge["paid"] == true)
        - sum("refund", &|refund| text(refund, "/status") != "failed")
        - sum("dispute", &|dispute| text(dispute, "/status") != "won")
}
