//! The calls under `/v1`: who may call, what was called, and which part of the stand-in answers.

use std::sync::Arc;
use std::time::Duration;

use poem::http::{Method, header};
use poem::web::Data;
use poem::{Body, Request, Response, handler};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use super::refusal::Refusal;
use super::state::{Answer, State, text};
use super::wire::{self, given, integer, metadata, only, page, required, web_address};
use super::{StripeStandIn, checkout, objects, payments, subscriptions};

/// The longest body that is read; no call of the product comes near.
const LONGEST_BODY: usize = 64 * 1024;

/// Any call under `/v1`.
#[handler]
pub(super) async fn call(stripe: Data<&Arc<StripeStandIn>>, request: &Request, body: Body) -> Response {
    let path = request.uri().path().to_owned();
    stripe.note_call(request.method().as_str(), &path);
    if stripe.weather().offline {
        let refusal = Refusal::offline();
        return wire::answer(refusal.status, &refusal.body(), false);
    }
    let expected = format!("Bearer {}", stripe.settings.secret_key);
    let sent = request.header(header::AUTHORIZATION).unwrap_or_default();
    if !bool::from(sent.as_bytes().ct_eq(expected.as_bytes())) {
        let refusal = Refusal::unauthorized();
        return wire::answer(refusal.status, &refusal.body(), false);
    }
    let Ok(form) = body.into_bytes_limit(LONGEST_BODY).await else {
        let refusal = Refusal::invalid("The request is too large.", "");
        return wire::answer(413, &refusal.body(), false);
    };
    let is_get = *request.method() == Method::GET;
    let form = if is_get { request.uri().query().unwrap_or_default().as_bytes() } else { &form };
    let key = request.header("Idempotency-Key").filter(|_| !is_get);
    let (status, body, replayed) = stripe.with(|state| answer(state, &stripe, request.method(), &path, form, key));
    wire::answer(status, &body, replayed)
}

/// The answer to a call, or the one that was given before under the same key.
fn answer(
    state: &mut State,
    stripe: &StripeStandIn,
    method: &Method,
    path: &str,
    form: &[u8],
    key: Option<&str>,
) -> (u16, Value, bool) {
    let mut digest = Sha256::new();
    for part in [method.as_str().as_bytes(), path.as_bytes(), form] {
        digest.update(part);
        digest.update([0]);
    }
    let request = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let now = state.now;
    state.answers.retain(|_, answer| now - answer.at < super::cards::DAY);
    if let Some(held) = key.and_then(|key| state.answers.get(key)) {
        if held.request == request {
            return (held.status, held.body.clone(), true);
        }
        let refusal = Refusal::other_parameters();
        return (refusal.status, refusal.body(), false);
    }
    let params = wire::parse_form(form);
    let segments: Vec<_> = path.split('/').skip(2).collect();
    let result = dispatch(state, stripe, method.as_str(), &segments, path, &params).and_then(|mut body| {
        wire::expand(state, &mut body, &params)?;
        Ok(body)
    });
    let keep = !result.as_ref().is_err_and(Refusal::leaves_key_free);
    let (status, body) = result.map_or_else(|refusal| (refusal.status, refusal.body()), |body| (200, body));
    if let Some(key) = key.filter(|_| keep) {
        state.answers.insert(key.to_owned(), Answer { request, at: now, status, body: body.clone() });
        state.changed = true;
    }
    (status, body, false)
}

fn dispatch(
    state: &mut State,
    stripe: &StripeStandIn,
    method: &str,
    segments: &[&str],
    path: &str,
    params: &Value,
) -> Result<Value, Refusal> {
    match (method, segments) {
        ("GET", segments) => read(state, segments, path, params),
        ("POST", ["customers"]) => create_customer(state, params),
        ("POST", ["customers", id]) => update_customer(state, id, params),
        ("DELETE", ["customers", id]) => delete_customer(state, id),
        ("POST", ["checkout", "sessions"]) => checkout::create(state, params),
        ("POST", ["checkout", "sessions", id, "expire"]) => checkout::expire(state, id),
        ("POST", ["subscriptions", id]) => update_subscription(state, id, params),
        ("DELETE", ["subscriptions", id]) => {
            only(params, &["invoice_now", "prorate", "cancellation_details"])?;
            running(state, id)?;
            subscriptions::end(state, id, "cancellation_requested");
            state.need("subscription", id)
        }
        ("POST", ["invoices", id, "void"]) => {
            let invoice = state.need("invoice", id)?;
            if text(&invoice, "/status") != "open" {
                return Err(Refusal::invalid("This invoice can not be voided.", "invoice"));
            }
            Ok(subscriptions::void(state, id))
        }
        ("POST", ["refunds"]) => create_refund(state, params),
        ("POST", ["billing_portal", "sessions"]) => create_portal_session(state, params),
        ("POST", ["test_helpers", "test_clocks", "stand_in", "advance"]) => {
            let seconds = integer(params, "seconds")?.and_then(|seconds| u64::try_from(seconds).ok());
            let seconds = seconds.ok_or_else(|| Refusal::lacking("seconds"))?;
            stripe.move_clock(state, Duration::from_secs(seconds));
            Ok(
                json!({ "id": "stand_in", "object": "test_helpers.test_clock", "frozen_time": state.now, "status": "ready" }),
            )
        }
        _ => Err(Refusal::unknown_route(method, path)),
    }
}

/// Everything that changes nothing.
fn read(state: &State, segments: &[&str], path: &str, params: &Value) -> Result<Value, Refusal> {
    if let Some(customer) = given(params, "customer") {
        state.need("customer", customer).map_err(|refusal| refusal.named_by("customer"))?;
    }
    let list = |kind: &str, filters: &[(&str, &str)]| page(state.all(kind).rev().cloned(), params, path, filters);
    let of_charge = [("charge", "/charge"), ("payment_intent", "/payment_intent")];
    match segments {
        ["customers"] => list("customer", &[("email", "/email")]),
        ["customers", "search"] => search(state, params, path),
        ["customers", id] => one(state, "customer", id, params),
        ["products", id] => one(state, "product", id, params),
        ["prices"] => {
            let mut asked = params.clone();
            let active = asked.as_object_mut().and_then(|asked| asked.remove("active"));
            let wanted = active.as_ref().map(|active| active == "true");
            let rows = state.all("price").rev().filter(|price| wanted.is_none_or(|wanted| price["active"] == wanted));
            page(rows.cloned(), &asked, path, &[("product", "/product"), ("type", "/type"), ("currency", "/currency")])
        }
        ["prices", id] => one(state, "price", id, params),
        ["checkout", "sessions"] => list(
            "checkout.session",
            &[
                ("customer", "/customer"),
                ("subscription", "/subscription"),
                ("payment_intent", "/payment_intent"),
                ("status", "/status"),
            ],
        ),
        ["checkout", "sessions", id] => one(state, "checkout.session", id, params),
        ["checkout", "sessions", id, "line_items"] => {
            state.need("checkout.session", id)?;
            let order = state.get("stand_in.order", id).cloned().unwrap_or_default();
            page(order["line_items"].as_array().into_iter().flatten().cloned(), params, path, &[])
        }
        ["subscriptions"] => list_subscriptions(state, params, path),
        ["subscriptions", id] => one(state, "subscription", id, params),
        ["invoices"] => list(
            "invoice",
            &[("customer", "/customer"), ("subscription", subscriptions::OF_SUBSCRIPTION), ("status", "/status")],
        ),
        ["invoices", id] => one(state, "invoice", id, params),
        ["invoice_payments"] => list("invoice_payment", &[("invoice", "/invoice"), ("status", "/status")]),
        ["payment_intents"] => list("payment_intent", &[("customer", "/customer")]),
        ["payment_intents", id] => one(state, "payment_intent", id, params),
        ["payment_methods", id] => one(state, "payment_method", id, params),
        ["charges"] => list("charge", &[("customer", "/customer"), ("payment_intent", "/payment_intent")]),
        ["charges", id] => one(state, "charge", id, params),
        ["refunds"] => list("refund", &of_charge),
        ["refunds", id] => one(state, "refund", id, params),
        ["disputes"] => list("dispute", &of_charge),
        ["disputes", id] => one(state, "dispute", id, params),
        ["events"] => {
            let mut asked = params.clone();
            let types = asked.as_object_mut().and_then(|asked| asked.remove("types")).unwrap_or_default();
            let types = types.as_array();
            let rows = state.all("event").rev();
            let rows = rows.filter(|event| types.is_none_or(|types| types.contains(&event["type"])));
            page(rows.cloned(), &asked, path, &[("type", "/type")])
        }
        ["events", id] => one(state, "event", id, params),
        _ => Err(Refusal::unknown_route("GET", path)),
    }
}

fn one(state: &State, kind: &str, id: &str, params: &Value) -> Result<Value, Refusal> {
    only(params, &[])?;
    state.need(kind, id)
}

fn create_customer(state: &mut State, params: &Value) -> Result<Value, Refusal> {
    only(params, &["email", "name", "metadata", "preferred_locales", "description", "phone", "address"])?;
    let mut customer = objects::customer(state, given(params, "email"), given(params, "name"), &metadata(params));
    customer["description"] = params.get("description").cloned().unwrap_or_default();
    state.put(customer.clone());
    state.emit("customer.created", &customer);
    Ok(customer)
}

fn update_customer(state: &mut State, id: &str, params: &Value) -> Result<Value, Refusal> {
    only(params, &["email", "name", "metadata", "preferred_locales", "description", "phone", "address"])?;
    let held = state.need("customer", id)?;
    let mut fields = vec![("/metadata", merged(&held["metadata"], &metadata(params)))];
    for (name, pointer) in [("email", "/email"), ("name", "/name"), ("description", "/description")] {
        fields.extend(params.get(name).map(|value| (pointer, value.clone())));
    }
    Ok(state.update("customer", id, "customer.updated", &fields))
}

/// Metadata with changes: an empty value takes a name away.
fn merged(held: &Value, change: &Value) -> Value {
    let mut merged = held.as_object().cloned().unwrap_or_default();
    for (name, value) in change.as_object().into_iter().flatten() {
        if value == "" {
            merged.remove(name);
        } else {
            merged.insert(name.clone(), value.clone());
        }
    }
    Value::Object(merged)
}

fn delete_customer(state: &mut State, id: &str) -> Result<Value, Refusal> {
    let customer = state.need("customer", id)?;
    let running: Vec<_> = state
        .all("subscription")
        .filter(|subscription| text(subscription, "/customer") == id && text(subscription, "/status") != "canceled")
        .map(|subscription| text(subscription, "/id").to_owned())
        .collect();
    for subscription in running {
        subscriptions::end(state, &subscription, "cancellation_requested");
    }
    state.remove("customer", id);
    state.emit("customer.deleted", &customer);
    Ok(json!({ "id": id, "object": "customer", "deleted": true }))
}

/// Search in customers: clauses of `field:'value'` joined by AND, where a field is `email`, `name` or
/// `metadata['key']`.
fn search(state: &State, params: &Value, path: &str) -> Result<Value, Refusal> {
    only(params, &["query", "limit", "page"])?;
    let unreadable = || Refusal::invalid("We were unable to parse your search query.", "query");
    let mut clauses = Vec::new();
    for clause in required(params, "query")?.split(" AND ") {
        let (field, value) = clause.trim().rsplit_once(':').ok_or_else(unreadable)?;
        let plain = |text: &str| text.trim_matches(['\'', '"']).replace("\\'", "'");
        let key = field.strip_prefix("metadata[").and_then(|rest| rest.strip_suffix(']'));
        let pointer = match (key, field) {
            (Some(key), _) => format!("/metadata/{}", plain(key).replace('~', "~0").replace('/', "~1")),
            (None, "email" | "name") => format!("/{field}"),
            (None, _) => return Err(unreadable()),
        };
        clauses.push((pointer, plain(value)));
    }
    let found = state.all("customer").rev().filter(|customer| {
        clauses.iter().all(|(pointer, value)| customer.pointer(pointer).is_some_and(|held| held == value.as_str()))
    });
    let limit = integer(params, "limit")?.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(10);
    let found: Vec<_> = found.take(limit.clamp(1, 100)).cloned().collect();
    Ok(json!({ "object": "search_result", "data": found, "has_more": false, "next_page": null, "url": path }))
}

/// Without a status, those that are not over; `all` for all of them.
fn list_subscriptions(state: &State, params: &Value, path: &str) -> Result<Value, Refusal> {
    let mut asked = params.clone();
    let status = asked.as_object_mut().and_then(|asked| asked.remove("status"));
    let status = status.as_ref().and_then(Value::as_str);
    let rows = state.all("subscription").rev().filter(|subscription| match (status, text(subscription, "/status")) {
        (Some("all"), _) => true,
        (Some("ended") | None, held) => (held == "canceled") == status.is_some(),
        (Some(wanted), held) => wanted == held,
    });
    page(rows.cloned(), &asked, path, &[("customer", "/customer"), ("price", "/items/data/0/price/id")])
}

/// A subscription that is not over; of the others Stripe says that there are none.
fn running(state: &State, id: &str) -> Result<Value, Refusal> {
    let subscription = state.need("subscription", id)?;
    let over = text(&subscription, "/status") == "canceled";
    if over { Err(Refusal::missing("subscription", id)) } else { Ok(subscription) }
}

fn update_subscription(state: &mut State, id: &str, params: &Value) -> Result<Value, Refusal> {
    only(params, &["cancel_at_period_end", "metadata", "cancellation_details", "description"])?;
    let held = running(state, id)?;
    if params.get("metadata").is_some() {
        let metadata = merged(&held["metadata"], &metadata(params));
        state.update("subscription", id, "customer.subscription.updated", &[("/metadata", metadata)]);
    }
    match given(params, "cancel_at_period_end") {
        None => state.need("subscription", id),
        Some(asked @ ("true" | "false")) => {
            let later = asked == "true";
            if held["cancel_at_period_end"] == later {
                return state.need("subscription", id);
            }
            Ok(subscriptions::end_later(state, id, later))
        }
        Some(_) => Err(Refusal::invalid("Invalid boolean", "cancel_at_period_end")),
    }
}

fn create_refund(state: &mut State, params: &Value) -> Result<Value, Refusal> {
    only(params, &["charge", "payment_intent", "amount", "metadata", "reason"])?;
    let amount = integer(params, "amount")?;
    let charge = match (given(params, "charge"), given(params, "payment_intent")) {
        (Some(charge), None) => charge.to_owned(),
        (None, Some(intent)) => text(&state.need("payment_intent", intent)?, "/latest_charge").to_owned(),
        _ => {
            return Err(Refusal::invalid(
                "One of the following params should be provided: payment_intent or charge.",
                "",
            ));
        }
    };
    payments::refund(state, &charge, amount, &metadata(params), given(params, "reason"))
}

fn create_portal_session(state: &mut State, params: &Value) -> Result<Value, Refusal> {
    only(params, &["customer", "return_url", "locale", "configuration"])?;
    let customer = required(params, "customer")?;
    let return_url = web_address(params, "return_url")?;
    state.need("customer", customer)?;
    let id = state.name("bps");
    let session = json!({
        "id": id,
        "object": "billing_portal.session",
        "configuration": "bpc_standin",
        "created": state.now,
        "customer": customer,
        "flow": null,
        "livemode": false,
        "locale": given(params, "locale"),
        "on_behalf_of": null,
        "return_url": return_url,
        "url": format!("{}/p/session/{id}", state.address),
    });
    state.put(session.clone());
    Ok(session)
}
