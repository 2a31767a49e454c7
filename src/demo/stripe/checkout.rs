//! Hosted checkout: a session that someone opens, pays and leaves, or that expires unpaid.

use serde_json::{Value, json};

use super::cards::{Card, DAY, Moment};
use super::objects::{self, CURRENCY};
use super::payments;
use super::refusal::Refusal;
use super::state::{State, number, text};
use super::subscriptions;
use super::wire::{given, integer, metadata, only, required, web_address};

/// The shortest and the longest time for which a session may be open.
const LIFETIME: std::ops::RangeInclusive<i64> = 30 * 60..=DAY;

/// The parameters of a new session. Those that change nothing here are taken and not looked at.
const PARAMETERS: [&str; 23] = [
    "allow_promotion_codes",
    "allowed_payment_method_types",
    "automatic_tax",
    "billing_address_collection",
    "cancel_url",
    "client_reference_id",
    "consent_collection",
    "custom_text",
    "customer",
    "customer_email",
    "customer_update",
    "expires_at",
    "line_items",
    "locale",
    "metadata",
    "mode",
    "payment_intent_data",
    "payment_method_collection",
    "payment_method_types",
    "submit_type",
    "subscription_data",
    "success_url",
    "ui_mode",
];

/// A new session.
pub(super) fn create(state: &mut State, params: &Value) -> Result<Value, Refusal> {
    only(params, &PARAMETERS)?;
    let mode = required(params, "mode")?;
    let success_url = web_address(params, "success_url")?.ok_or_else(|| Refusal::lacking("success_url"))?;
    if !["payment", "subscription"].contains(&mode) {
        return Err(Refusal::invalid("Invalid mode: must be one of payment or subscription", "mode"));
    }
    if mode == "payment" && params.get("subscription_data").is_some() {
        return Err(Refusal::invalid("You can not pass `subscription_data` in `payment` mode.", "subscription_data"));
    }
    if mode == "subscription" && params.get("payment_intent_data").is_some() {
        let message = "You can not pass `payment_intent_data` in `subscription` mode.";
        return Err(Refusal::invalid(message, "payment_intent_data"));
    }
    let customer = match given(params, "customer") {
        Some(id) => state.need("customer", id).map_err(|refusal| refusal.named_by("customer"))?,
        None => Value::Null,
    };
    let cancel_url = web_address(params, "cancel_url")?;
    let expires_at = integer(params, "expires_at")?.unwrap_or(state.now + DAY);
    // A few seconds pass between the caller's clock and this one.
    if !LIFETIME.contains(&(expires_at - state.now)) && !LIFETIME.contains(&(expires_at - state.now + 60)) {
        let message = "The `expires_at` timestamp must be between 30 minutes and 24 hours from now.";
        return Err(Refusal::invalid(message, "expires_at"));
    }
    let items = line_items(state, params, mode)?;
    let total = items.iter().map(|item| number(item, "/amount_total")).sum::<i64>();
    let id = state.name("cs_test");
    let session = json!({
        "id": id,
        "object": "checkout.session",
        "allow_promotion_codes": null,
        "amount_subtotal": total,
        "amount_total": total,
        "automatic_tax": { "enabled": false, "liability": null, "provider": null, "status": null },
        "billing_address_collection": null,
        "cancel_url": cancel_url,
        "client_reference_id": given(params, "client_reference_id"),
        "client_secret": null,
        "created": state.now,
        "currency": CURRENCY,
        "custom_fields": [],
        "custom_text": {
            "after_submit": null, "shipping_address": null, "submit": null, "terms_of_service_acceptance": null,
        },
        "customer": customer["id"],
        "customer_creation": if mode == "payment" { Some("if_required") } else { None },
        "customer_details": null,
        "customer_email": given(params, "customer_email"),
        "discounts": [],
        "expires_at": expires_at,
        "invoice": null,
        "livemode": false,
        "locale": given(params, "locale"),
        "metadata": metadata(params),
        "mode": mode,
        "payment_intent": null,
        "payment_link": null,
        "payment_method_collection": "always",
        "payment_method_types": ["card"],
        "payment_status": "unpaid",
        "setup_intent": null,
        "shipping_options": [],
        "status": "open",
        "submit_type": null,
        "subscription": null,
        "success_url": success_url,
        "total_details": { "amount_discount": 0, "amount_shipping": 0, "amount_tax": 0 },
        "ui_mode": "hosted_page",
        "url": format!("{}/c/pay/{id}", state.address),
    });
    state.put(json!({
        "id": id,
        "object": "stand_in.order",
        "line_items": items,
        "data": params.get("subscription_data").or_else(|| params.get("payment_intent_data")).unwrap_or(&json!({})),
    }));
    state.put(session.clone());
    Ok(session)
}

fn line_items(state: &mut State, params: &Value, mode: &str) -> Result<Vec<Value>, Refusal> {
    let asked = params.get("line_items").and_then(Value::as_array).filter(|items| !items.is_empty());
    let mut items = Vec::new();
    for (index, item) in asked.ok_or_else(|| Refusal::lacking("line_items"))?.iter().enumerate() {
        let param = format!("line_items[{index}][price]");
        let id = given(item, "price").ok_or_else(|| Refusal::lacking(&param))?;
        let price = state.get("price", id).filter(|price| price["active"] == true).cloned();
        let missing = || Refusal::invalid(format!("No such price: '{id}'"), &param).with_code("resource_missing");
        let price = price.ok_or_else(missing)?;
        if (mode == "payment") != price["recurring"].is_null() {
            let message = format!("The price '{id}' does not go with `mode` {mode}.");
            return Err(Refusal::invalid(message, "mode"));
        }
        let quantity = integer(item, "quantity")?.unwrap_or(1).max(1);
        if mode == "subscription" && quantity != 1 {
            return Err(Refusal::invalid("The stand-in takes subscriptions one at a time.", "line_items"));
        }
        let amount = number(&price, "/unit_amount") * quantity;
        items.push(json!({
            "id": state.name("li"),
            "object": "item",
            "amount_discount": 0,
            "amount_subtotal": amount,
            "amount_tax": 0,
            "amount_total": amount,
            "currency": CURRENCY,
            "description": subscriptions::description(state, &price),
            "price": price,
            "quantity": quantity,
        }));
    }
    if mode == "subscription" && items.len() != 1 {
        return Err(Refusal::invalid("The stand-in takes subscriptions one at a time.", "line_items"));
    }
    Ok(items)
}

/// Closes an open session before its time.
pub(super) fn expire(state: &mut State, id: &str) -> Result<Value, Refusal> {
    let session = state.need("checkout.session", id)?;
    if text(&session, "/status") != "open" {
        let message = format!(
            "Only Checkout Sessions with a status in [\"open\"] can be expired. This Checkout Session has a status of {}.",
            text(&session, "/status")
        );
        return Err(Refusal::invalid(message, ""));
    }
    close_unpaid(state, id);
    state.need("checkout.session", id)
}

/// A session is over and nobody paid.
pub(super) fn close_unpaid(state: &mut State, id: &str) {
    let fields = [("/status", "expired".into()), ("/url", Value::Null)];
    let session = state.set("checkout.session", id, &fields);
    state.emit("checkout.session.expired", &session);
}

/// Someone paid: makes everything that a payment makes, and tells where the browser goes now.
pub(super) fn complete(state: &mut State, id: &str, card: Card, moment: Moment) -> String {
    let session = state.get("checkout.session", id).cloned().unwrap_or_default();
    let order = state.get("stand_in.order", id).cloned().unwrap_or_default();
    let mut customer = text(&session, "/customer").to_owned();
    let mut made = Vec::new();
    if text(&session, "/mode") == "subscription" {
        if customer.is_empty() {
            let email = session["customer_email"].as_str().unwrap_or("prova@example.com");
            let new = objects::customer(state, Some(email), None, &json!({}));
            text(&new, "/id").clone_into(&mut customer);
            state.put(new.clone());
            state.emit("customer.created", &new);
        }
        let price = &order["line_items"][0]["price"];
        let (subscription, invoice) = subscriptions::start(state, &customer, price, card, moment, &order["data"]);
        made.push(("/subscription", subscription["id"].clone()));
        made.push(("/invoice", invoice["id"].clone()));
    } else {
        let amount = number(&session, "/amount_total");
        let mut intent = objects::payment_intent(state, &session["customer"], amount, &metadata(&order["data"]));
        intent["description"] = order["data"]["description"].clone();
        state.put(intent.clone());
        let method = payments::keep_card(state, &customer, card);
        payments::confirm(state, text(&intent, "/id"), &method, moment);
        made.push(("/payment_intent", intent["id"].clone()));
    }
    let buyer = state.get("customer", &customer).cloned().unwrap_or_default();
    let email = Some(buyer["email"].clone()).filter(|email| !email.is_null());
    let details = json!({
        "address": null, "email": email.unwrap_or_else(|| session["customer_email"].clone()),
        "name": buyer["name"], "phone": null, "tax_exempt": "none", "tax_ids": [],
    });
    made.extend([
        ("/customer", buyer["id"].clone()),
        ("/customer_details", details),
        ("/status", "complete".into()),
        ("/payment_status", "paid".into()),
        ("/url", Value::Null),
    ]);
    let session = state.set("checkout.session", id, &made);
    state.emit("checkout.session.completed", &session);
    way_back(&session)
}

/// Where the browser goes after the payment.
pub(super) fn way_back(session: &Value) -> String {
    text(session, "/success_url").replace("{CHECKOUT_SESSION_ID}", text(session, "/id"))
}
