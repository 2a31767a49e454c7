//! How objects look when they are new: every field that Stripe always sends, and those of the others that mean
//! something here.

use serde_json::{Value, json};

use super::cards::Card;
use super::state::{State, number, text};
use super::{Interval, StripePrice};

/// The one currency.
pub(super) const CURRENCY: &str = "eur";

pub(super) fn product(state: &State, price: &StripePrice) -> Value {
    json!({
        "id": product_id(price),
        "object": "product",
        "active": true,
        "created": state.now,
        "default_price": price.id,
        "description": null,
        "images": [],
        "livemode": false,
        "marketing_features": [],
        "metadata": {},
        "name": price.product_name,
        "type": "service",
        "updated": state.now,
    })
}

fn product_id(price: &StripePrice) -> String {
    format!("prod_{}", price.id.trim_start_matches("price_"))
}

pub(super) fn price(state: &State, price: &StripePrice) -> Value {
    let interval = price.interval.map(|interval| match interval {
        Interval::Month => "month",
        Interval::Year => "year",
    });
    let recurring = interval.map(|interval| {
        json!({ "interval": interval, "interval_count": 1, "meter": null, "trial_period_days": null, "usage_type": "licensed" })
    });
    json!({
        "id": price.id,
        "object": "price",
        "active": true,
        "billing_scheme": "per_unit",
        "created": state.now,
        "currency": CURRENCY,
        "livemode": false,
        "lookup_key": null,
        "metadata": {},
        "nickname": price.product_name,
        "product": product_id(price),
        "recurring": recurring,
        "tax_behavior": "inclusive",
        "tiers_mode": null,
        "transform_quantity": null,
        "type": if price.interval.is_some() { "recurring" } else { "one_time" },
        "unit_amount": price.unit_amount,
        "unit_amount_decimal": price.unit_amount.to_string(),
    })
}

/// The older form of a recurring price, which Stripe still sends beside it.
fn plan(price: &Value) -> Value {
    json!({
        "id": price["id"],
        "object": "plan",
        "active": true,
        "amount": price["unit_amount"],
        "amount_decimal": price["unit_amount_decimal"],
        "billing_scheme": "per_unit",
        "created": price["created"],
        "currency": CURRENCY,
        "interval": price["recurring"]["interval"],
        "interval_count": 1,
        "livemode": false,
        "metadata": {},
        "meter": null,
        "nickname": price["nickname"],
        "product": price["product"],
        "tiers_mode": null,
        "transform_usage": null,
        "trial_period_days": null,
        "usage_type": "licensed",
    })
}

pub(super) fn customer(state: &mut State, email: Option<&str>, name: Option<&str>, metadata: &Value) -> Value {
    json!({
        "id": state.name("cus"),
        "object": "customer",
        "address": null,
        "balance": 0,
        "created": state.now,
        "currency": null,
        "default_source": null,
        "delinquent": false,
        "description": null,
        "email": email,
        "invoice_prefix": "STANDIN",
        "invoice_settings": {
            "custom_fields": null, "default_payment_method": null, "footer": null, "rendering_options": null,
        },
        "livemode": false,
        "metadata": metadata,
        "name": name,
        "next_invoice_sequence": 1,
        "phone": null,
        "preferred_locales": ["it"],
        "shipping": null,
        "tax_exempt": "none",
        "test_clock": null,
    })
}

pub(super) fn payment_method(state: &mut State, customer: &str, card: Card) -> Value {
    json!({
        "id": state.name("pm"),
        "object": "payment_method",
        "allow_redisplay": "always",
        "billing_details": billing_details(),
        "card": {
            "brand": "visa", "checks": null, "country": "US", "display_brand": "visa", "exp_month": 12,
            "exp_year": 2034, "fingerprint": null, "funding": "credit", "generated_from": null,
            "last4": card.last4(), "networks": null, "regulated_status": "unregulated",
            "three_d_secure_usage": { "supported": true }, "wallet": null,
        },
        "created": state.now,
        "customer": Some(customer).filter(|customer| !customer.is_empty()),
        "livemode": false,
        "metadata": {},
        "type": "card",
    })
}

fn billing_details() -> Value {
    json!({ "address": null, "email": null, "name": null, "phone": null, "tax_id": null })
}

pub(super) fn payment_intent(state: &mut State, customer: &Value, amount: i64, metadata: &Value) -> Value {
    let id = state.name("pi");
    json!({
        "client_secret": format!("{id}_secret_standin"),
        "id": id,
        "object": "payment_intent",
        "amount": amount,
        "amount_capturable": 0,
        "amount_received": 0,
        "automatic_payment_methods": null,
        "canceled_at": null,
        "cancellation_reason": null,
        "capture_method": "automatic",
        "confirmation_method": "automatic",
        "created": state.now,
        "currency": CURRENCY,
        "customer": customer,
        "description": null,
        "last_payment_error": null,
        "latest_charge": null,
        "livemode": false,
        "metadata": metadata,
        "next_action": null,
        "payment_method": null,
        "payment_method_types": ["card"],
        "receipt_email": null,
        "setup_future_usage": null,
        "status": "requires_payment_method",
    })
}

pub(super) fn charge(state: &mut State, intent: &Value, method: &Value, failure: Option<(&str, &str)>) -> Value {
    let amount = number(intent, "/amount");
    let paid = failure.is_none();
    json!({
        "id": state.name("ch"),
        "object": "charge",
        "amount": amount,
        "amount_captured": if paid { amount } else { 0 },
        "amount_refunded": 0,
        "application": null,
        "balance_transaction": null,
        "billing_details": billing_details(),
        "calculated_statement_descriptor": "RIMEDIO",
        "captured": paid,
        "created": state.now,
        "currency": CURRENCY,
        "customer": intent["customer"],
        "description": intent["description"],
        "disputed": false,
        "failure_code": failure.map(|(code, _)| code),
        "failure_message": failure.map(|(_, message)| message),
        "fraud_details": {},
        "livemode": false,
        "metadata": intent["metadata"],
        "outcome": { "type": if paid { "authorized" } else { "issuer_declined" }, "network_status": null,
            "reason": null, "risk_level": "normal", "seller_message": null },
        "paid": paid,
        "payment_intent": intent["id"],
        "payment_method": method["id"],
        "payment_method_details": { "type": "card", "card": {
            "brand": "visa", "country": "US", "exp_month": 12, "exp_year": 2034, "funding": "credit",
            "last4": method["card"]["last4"], "network": "visa", "wallet": null } },
        "receipt_email": null,
        "receipt_url": null,
        "refunded": false,
        "status": if paid { "succeeded" } else { "failed" },
    })
}

pub(super) fn refund(state: &mut State, charge: &Value, amount: i64, metadata: &Value, reason: Option<&str>) -> Value {
    json!({
        "id": state.name("re"),
        "object": "refund",
        "amount": amount,
        "balance_transaction": null,
        "charge": charge["id"],
        "created": state.now,
        "currency": CURRENCY,
        "metadata": metadata,
        "payment_intent": charge["payment_intent"],
        "reason": reason,
        "receipt_number": null,
        "status": "succeeded",
    })
}

pub(super) fn dispute(state: &mut State, charge: &Value) -> Value {
    let due_by = state.now + 7 * super::cards::DAY;
    json!({
        "id": state.name("dp"),
        "object": "dispute",
        "amount": number(charge, "/amount") - number(charge, "/amount_refunded"),
        "balance_transactions": [],
        "charge": charge["id"],
        "created": state.now,
        "currency": CURRENCY,
        "enhanced_eligibility_types": [],
        "evidence": { "enhanced_evidence": {} },
        "evidence_details": {
            "due_by": due_by, "enhanced_eligibility": {}, "has_evidence": false, "past_due": false,
            "submission_count": 0,
        },
        "is_charge_refundable": false,
        "livemode": false,
        "metadata": {},
        "payment_intent": charge["payment_intent"],
        "reason": "fraudulent",
        "status": "needs_response",
    })
}

pub(super) fn subscription(state: &mut State, customer: &str, price: &Value, method: &Value, data: &Value) -> Value {
    let id = state.name("sub");
    let item =
        subscription_item(state, &id, price, state.now, super::periods::next_period(price, state.now, state.now));
    json!({
        "object": "subscription",
        "application": null,
        "automatic_tax": { "disabled_reason": null, "enabled": false, "liability": null },
        "billing_cycle_anchor": state.now,
        "billing_mode": { "type": "classic" },
        "billing_schedules": [],
        "billing_thresholds": null,
        "cancel_at": null,
        "cancel_at_period_end": false,
        "canceled_at": null,
        "cancellation_details": { "comment": null, "feedback": null, "reason": null },
        "collection_method": "charge_automatically",
        "created": state.now,
        "currency": CURRENCY,
        "customer": customer,
        "default_payment_method": method["id"],
        "default_tax_rates": [],
        "description": data.get("description"),
        "discounts": [],
        "ended_at": null,
        "invoice_settings": { "account_tax_ids": null, "issuer": { "type": "self" } },
        "items": super::wire::inner_list(vec![item], &format!("/v1/subscription_items?subscription={id}")),
        "id": id,
        "latest_invoice": null,
        "livemode": false,
        "metadata": super::wire::metadata(data),
        "next_pending_invoice_item_invoice": null,
        "pause_collection": null,
        "pending_setup_intent": null,
        "pending_update": null,
        "schedule": null,
        "start_date": state.now,
        "status": "active",
        "test_clock": null,
        "trial_end": null,
        "trial_start": null,
    })
}

fn subscription_item(state: &mut State, subscription: &str, price: &Value, start: i64, end: i64) -> Value {
    json!({
        "id": state.name("si"),
        "object": "subscription_item",
        "billing_thresholds": null,
        "created": state.now,
        "current_period_end": end,
        "current_period_start": start,
        "discounts": [],
        "metadata": {},
        "plan": plan(price),
        "price": price,
        "quantity": 1,
        "subscription": subscription,
        "tax_rates": [],
    })
}

/// What changes in a subscription that goes on with another price from `start` to `end`.
pub(super) fn change_of_price(price: &Value, start: i64, end: i64) -> [(&'static str, Value); 5] {
    [
        ("/items/data/0/price", price.clone()),
        ("/items/data/0/plan", plan(price)),
        ("/items/data/0/current_period_start", start.into()),
        ("/items/data/0/current_period_end", end.into()),
        ("/billing_cycle_anchor", start.into()),
    ]
}

/// One line of an invoice: what for, how much, for which time.
pub(super) struct Line<'a> {
    pub(super) description: String,
    pub(super) amount: i64,
    pub(super) price: &'a Value,
    pub(super) period: (i64, i64),
    pub(super) proration: bool,
}

fn invoice_line(state: &mut State, invoice: &str, subscription: &Value, line: &Line<'_>) -> Value {
    json!({
        "id": state.name("il"),
        "object": "line_item",
        "amount": line.amount,
        "currency": CURRENCY,
        "description": line.description,
        "discount_amounts": [],
        "discountable": true,
        "discounts": [],
        "invoice": invoice,
        "livemode": false,
        "metadata": subscription["metadata"],
        "parent": { "invoice_item_details": null, "subscription_item_details": {
            "invoice_item": null, "proration": line.proration, "proration_details": { "credited_items": null },
            "subscription": subscription["id"], "subscription_item": subscription["items"]["data"][0]["id"],
        }, "type": "subscription_item_details" },
        "period": { "start": line.period.0, "end": line.period.1 },
        "pretax_credit_amounts": [],
        "pricing": { "type": "price_details", "unit_amount_decimal": line.amount.to_string(),
            "price_details": { "price": line.price["id"], "product": line.price["product"] } },
        "quantity": 1,
        "subtotal": line.amount,
        "taxes": [],
    })
}

/// An invoice that is final and open. `balance` is the customer's, negative when there is credit.
pub(super) fn invoice(
    state: &mut State,
    subscription: &Value,
    customer: &Value,
    reason: &str,
    lines: &[Line<'_>],
) -> Value {
    let id = state.name("in");
    let total = lines.iter().map(|line| line.amount).sum::<i64>();
    let balance = number(customer, "/balance");
    let due = (total + balance).max(0);
    let sequence = number(customer, "/next_invoice_sequence");
    let period = lines.last().map_or((state.now, state.now), |line| line.period);
    let lines: Vec<_> = lines.iter().map(|line| invoice_line(state, &id, subscription, line)).collect();
    let amounts = json!({
        "amount_due": due,
        "amount_overpaid": 0,
        "amount_paid": 0,
        "amount_remaining": due,
        "amount_shipping": 0,
        "ending_balance": total + balance - due,
        "post_payment_credit_notes_amount": 0,
        "pre_payment_credit_notes_amount": 0,
        "starting_balance": balance,
        "subtotal": total,
        "total": total,
        "total_discount_amounts": [],
        "total_taxes": [],
    });
    let mut invoice = json!({
        "object": "invoice",
        "account_country": "IT",
        "account_name": "Rimedio",
        "attempt_count": 0,
        "attempted": false,
        "auto_advance": true,
        "automatic_tax": { "enabled": false, "liability": null, "status": null },
        "billing_reason": reason,
        "collection_method": "charge_automatically",
        "created": state.now,
        "currency": CURRENCY,
        "customer": customer["id"],
        "customer_email": customer["email"],
        "customer_name": customer["name"],
        "default_payment_method": null,
        "default_tax_rates": [],
        "description": null,
        "discounts": [],
        "due_date": null,
        "effective_at": state.now,
        "hosted_invoice_url": format!("{}/i/{id}", state.address),
        "invoice_pdf": null,
        "issuer": { "type": "self" },
        "lines": super::wire::inner_list(lines, &format!("/v1/invoices/{id}/lines")),
        "livemode": false,
        "metadata": {},
        "next_payment_attempt": null,
        "number": format!("{}-{sequence:04}", text(customer, "/invoice_prefix")),
        "parent": { "quote_details": null, "type": "subscription_details", "subscription_details": {
            "metadata": subscription["metadata"], "subscription": subscription["id"],
        } },
        "payment_settings": { "default_mandate": null, "payment_method_options": null, "payment_method_types": null },
        "period_end": period.1,
        "period_start": period.0,
        "id": id,
        "status": "open",
        "status_transitions": {
            "finalized_at": state.now, "marked_uncollectible_at": null, "paid_at": null, "voided_at": null,
        },
    });
    for (name, amount) in amounts.as_object().into_iter().flatten() {
        invoice[name] = amount.clone();
    }
    invoice
}

pub(super) fn invoice_payment(state: &mut State, invoice: &Value, intent: &Value) -> Value {
    json!({
        "id": state.name("inpay"),
        "object": "invoice_payment",
        "amount_paid": null,
        "amount_requested": invoice["amount_due"],
        "created": state.now,
        "currency": CURRENCY,
        "invoice": invoice["id"],
        "is_default": true,
        "livemode": false,
        "payment": { "payment_intent": intent["id"], "type": "payment_intent" },
        "status": "open",
        "status_transitions": { "canceled_at": null, "paid_at": null },
    })
}
