//! Stripe's way of writing: forms with brackets in the names, answers in JSON, lists in pages, objects in the place
//! of their names when the caller asks for it.

use poem::Response;
use poem::http::{StatusCode, header};
use serde_json::{Map, Value, json};
use url::Url;

use super::refusal::Refusal;
use super::state::{State, text};

/// An answer in JSON.
pub(super) fn answer(status: u16, body: &Value, replayed: bool) -> Response {
    let mut response = Response::builder()
        .status(StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR))
        .header(header::CONTENT_TYPE, "application/json; charset=utf-8")
        .header("Stripe-Version", super::state::API_VERSION);
    if replayed {
        response = response.header("Idempotent-Replayed", "true");
    }
    response.body(body.to_string())
}

/// A form or a query as one object: `a[b]=1` is `{"a": {"b": "1"}}`, `a[]=1` and `a[0]=1` are `{"a": ["1"]}`.
pub(super) fn parse_form(form: &[u8]) -> Value {
    let mut root = Value::Object(Map::new());
    for (name, value) in url::form_urlencoded::parse(form) {
        let mut place = &mut root;
        for piece in name.split('[') {
            let piece = piece.trim_end_matches(']');
            if !place.is_object() {
                *place = Value::Object(Map::new());
            }
            let Value::Object(fields) = place else { break };
            let key = if piece.is_empty() { fields.len().to_string() } else { piece.to_owned() };
            place = fields.entry(key).or_insert(Value::Null);
        }
        *place = Value::String(value.into_owned());
    }
    with_arrays(root)
}

/// Objects whose names are 0, 1, 2 … become arrays, but for metadata, where the names are the caller's.
fn with_arrays(value: Value) -> Value {
    let Value::Object(fields) = value else { return value };
    let numbered = |count: usize| (0..count).all(|index| fields.contains_key(&index.to_string()));
    if !fields.is_empty() && numbered(fields.len()) {
        let mut fields = fields;
        let names = (0..fields.len()).map(|index| index.to_string()).collect::<Vec<_>>();
        return names.iter().filter_map(|name| fields.remove(name)).map(with_arrays).collect();
    }
    let plain = |(name, value): (String, Value)| {
        let value = if name == "metadata" { value } else { with_arrays(value) };
        (name, value)
    };
    Value::Object(fields.into_iter().map(plain).collect())
}

/// A parameter that is there and not empty.
pub(super) fn given<'a>(params: &'a Value, name: &str) -> Option<&'a str> {
    params.get(name).and_then(Value::as_str).filter(|value| !value.is_empty())
}

/// A parameter that must be there.
pub(super) fn required<'a>(params: &'a Value, name: &str) -> Result<&'a str, Refusal> {
    given(params, name).ok_or_else(|| Refusal::lacking(name))
}

/// An address to which pages lead. It may be absent; anything but the web is refused.
pub(super) fn web_address<'a>(params: &'a Value, name: &str) -> Result<Option<&'a str>, Refusal> {
    let web = |address: &str| Url::parse(address).is_ok_and(|url| ["http", "https"].contains(&url.scheme()));
    match given(params, name) {
        Some(address) if !web(address) => Err(Refusal::invalid("Not a valid URL", name).with_code("url_invalid")),
        address => Ok(address),
    }
}

/// A whole number that may be there.
pub(super) fn integer(params: &Value, name: &str) -> Result<Option<i64>, Refusal> {
    let refuse = |_| Refusal::invalid(format!("Invalid integer: {name}"), name).with_code("parameter_invalid_integer");
    given(params, name).map(|value| value.parse().map_err(refuse)).transpose()
}

/// The metadata that the caller gives.
pub(super) fn metadata(params: &Value) -> Value {
    params.get("metadata").filter(|metadata| metadata.is_object()).cloned().unwrap_or_else(|| json!({}))
}

/// Refuses parameters that the route does not know, as Stripe does: a misspelt one must not pass unseen.
pub(super) fn only(params: &Value, known: &[&str]) -> Result<(), Refusal> {
    let unknown = params
        .as_object()
        .into_iter()
        .flatten()
        .find(|(name, _)| !known.contains(&name.as_str()) && name.as_str() != "expand");
    match unknown {
        Some((name, _)) => {
            Err(Refusal::invalid(format!("Received unknown parameter: {name}"), name).with_code("parameter_unknown"))
        }
        None => Ok(()),
    }
}

/// A page of a list. `rows` are the newest first; each filter is a parameter and where its value stands in a row.
pub(super) fn page(
    rows: impl Iterator<Item = Value>,
    params: &Value,
    url: &str,
    filters: &[(&str, &str)],
) -> Result<Value, Refusal> {
    let mut known = vec!["limit", "starting_after", "ending_before", "created"];
    known.extend(filters.iter().map(|(name, _)| *name));
    only(params, &known)?;
    let limit = integer(params, "limit")?.unwrap_or(10);
    let limit = usize::try_from(limit).ok().filter(|limit| (1..=100).contains(limit));
    let limit = limit.ok_or_else(|| Refusal::invalid("Invalid limit: must be between 1 and 100", "limit"))?;
    let mut rows: Vec<Value> = rows
        .filter(|row| filters.iter().all(|(name, at)| given(params, name).is_none_or(|value| text(row, at) == value)))
        .filter(|row| within(row, params.get("created")))
        .collect();
    let position = |rows: &[Value], name: &str, id: &str| {
        let missing = || Refusal::missing("object", id).named_by(name);
        rows.iter().position(|row| text(row, "/id") == id).ok_or_else(missing)
    };
    let mut has_more = rows.len() > limit;
    if let Some(id) = given(params, "ending_before") {
        rows.truncate(position(&rows, "ending_before", id)?);
        has_more = rows.len() > limit;
        rows.drain(..rows.len().saturating_sub(limit));
    } else if let Some(id) = given(params, "starting_after") {
        rows.drain(..=position(&rows, "starting_after", id)?);
        has_more = rows.len() > limit;
    }
    rows.truncate(limit);
    Ok(json!({ "object": "list", "data": rows, "has_more": has_more, "url": url }))
}

/// Whether a row was created in the interval that the caller asks for.
fn within(row: &Value, interval: Option<&Value>) -> bool {
    let created = super::state::number(row, "/created");
    let bounds = match interval {
        Some(Value::String(exact)) => return exact.parse() == Ok(created),
        Some(Value::Object(bounds)) => bounds,
        _ => return true,
    };
    bounds.iter().all(|(name, bound)| {
        let Some(Ok(bound)) = bound.as_str().map(str::parse::<i64>) else { return false };
        match name.as_str() {
            "gt" => created > bound,
            "gte" => created >= bound,
            "lt" => created < bound,
            "lte" => created <= bound,
            _ => false,
        }
    })
}

/// A list inside an object.
pub(super) fn inner_list(rows: Vec<Value>, url: &str) -> Value {
    json!({ "object": "list", "data": rows, "has_more": false, "url": url })
}

/// Puts objects in the place of their names, as the caller asks with `expand[]`.
pub(super) fn expand(state: &State, answer: &mut Value, params: &Value) -> Result<(), Refusal> {
    for path in params.get("expand").and_then(Value::as_array).into_iter().flatten() {
        let path = path.as_str().unwrap_or_default();
        if path.split('.').count() > 4 {
            return Err(Refusal::invalid("You cannot expand more than 4 levels of a property.", "expand"));
        }
        if !expand_path(state, answer, path) {
            let message = format!("This property cannot be expanded ({path}).");
            return Err(Refusal::invalid(message, "expand"));
        }
    }
    Ok(())
}

fn expand_path(state: &State, value: &mut Value, path: &str) -> bool {
    if let Value::Array(rows) = value {
        return rows.iter_mut().all(|row| expand_path(state, row, path));
    }
    let (name, rest) = path.split_once('.').map_or((path, None), |(name, rest)| (name, Some(rest)));
    if value.get(name).is_none()
        && let Some(included) = includable(state, value, name)
    {
        value[name] = included;
    }
    let Some(held) = value.get_mut(name) else {
        return false;
    };
    if let Some(object) = held.as_str().and_then(|id| state.any(id)) {
        *held = object.clone();
    }
    rest.is_none_or(|rest| held.is_null() || expand_path(state, held, rest))
}

/// Lists that Stripe sends only on request.
fn includable(state: &State, object: &Value, name: &str) -> Option<Value> {
    let id = text(object, "/id");
    let of = |kind: &str, field: &str| {
        state.all(kind).rev().filter(|row| text(row, field) == id).cloned().collect::<Vec<_>>()
    };
    match (text(object, "/object"), name) {
        ("charge", "refunds") => Some(inner_list(of("refund", "/charge"), &format!("/v1/charges/{id}/refunds"))),
        ("invoice", "payments") => Some(inner_list(of("invoice_payment", "/invoice"), "/v1/invoice_payments")),
        ("customer", "subscriptions") => {
            let mut rows = of("subscription", "/customer");
            rows.retain(|row| text(row, "/status") != "canceled");
            Some(inner_list(rows, &format!("/v1/customers/{id}/subscriptions")))
        }
        ("checkout.session", "line_items") => {
            let rows = state.get("stand_in.order", id)?["line_items"].as_array().cloned().unwrap_or_default();
            Some(inner_list(rows, &format!("/v1/checkout/sessions/{id}/line_items")))
        }
        _ => None,
    }
}
