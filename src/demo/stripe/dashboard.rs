//! The bench of whoever tries the demonstration: who pays what, and levers for what otherwise takes weeks or a bad
//! day: refunds, disputes, time, lost webhooks, a provider that does not answer.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use poem::http::StatusCode;
use poem::web::{Data, Form, Path};
use poem::{Response, handler};
use serde::Deserialize;
use serde_json::{Value, json};

use super::pages::{self, day, escape, euros, frame, see_other};
use super::refusal::Refusal;
use super::state::{State, number, text};
use super::subscriptions::{PERIOD_END, PRICE};
use super::{StripeStandIn, Weather, cards, payments};

/// By how many days the clock can be moved at once.
const STEPS: [u64; 4] = [1, 7, 8, 31];

/// What a button sends.
#[derive(Deserialize)]
pub(super) struct Lever {
    #[serde(default)]
    value: String,
}

#[handler]
pub(super) fn show(stripe: Data<&Arc<StripeStandIn>>) -> Response {
    page(&stripe, None)
}

#[handler]
pub(super) fn act(stripe: Data<&Arc<StripeStandIn>>, Path(action): Path<String>, lever: Form<Lever>) -> Response {
    let value = &lever.value;
    let weather = stripe.weather();
    let result: Result<(), Refusal> = match action.as_str() {
        "refund" => stripe.with(|state| payments::refund(state, value, None, &json!({}), None).map(|_| ())),
        "dispute" => stripe.with(|state| payments::dispute(state, value).map(|_| ())),
        "win" => stripe.with(|state| payments::close_dispute(state, value, true).map(|_| ())),
        "lose" => stripe.with(|state| payments::close_dispute(state, value, false).map(|_| ())),
        "advance" => match value.parse().ok().filter(|days| STEPS.contains(days)) {
            Some(days) => {
                let by = Duration::from_secs(days * cards::DAY.unsigned_abs());
                stripe.with(|state| stripe.move_clock(state, by));
                Ok(())
            }
            None => return pages::not_found(),
        },
        "webhooks" => {
            stripe.set_weather(Weather { lose_webhooks: value == "off", ..weather });
            Ok(())
        }
        "offline" => {
            stripe.set_weather(Weather { offline: value == "on", ..weather });
            Ok(())
        }
        _ => return pages::not_found(),
    };
    match result {
        Ok(()) => see_other("/dashboard"),
        Err(refusal) => page(&stripe, Some(&refusal.message)),
    }
}

fn page(stripe: &StripeStandIn, wrong: Option<&str>) -> Response {
    let weather = stripe.weather();
    let webhooks = if weather.lose_webhooks {
        lever("webhooks", "on", "Consegna di nuovo gli avvisi")
    } else {
        lever("webhooks", "off", "Smetti di consegnare gli avvisi")
    };
    let offline = if weather.offline {
        lever("offline", "off", "Fai rispondere di nuovo Stripe")
    } else {
        lever("offline", "on", "Non far rispondere Stripe")
    };
    let steps = STEPS.iter().fold(String::new(), |steps, days| {
        let button = if *days == 1 { "Avanti di 1 giorno".into() } else { format!("Avanti di {days} giorni") };
        steps + &lever("advance", &days.to_string(), &button)
    });
    let (now, people) = stripe.with(|state| {
        let people = state.all("customer").rev().map(|customer| person(state, customer)).collect::<String>();
        (state.now, people)
    });
    let people = if people.is_empty() { "<p>Ancora nessuno.</p>".to_owned() } else { people };
    let body = format!(
        r#"{alert}<h1>Banco di prova dei pagamenti</h1>
<p>Qui muovi il tempo e provi che cosa succede quando qualcosa va storto.</p>
<h2>Tempo</h2>
<p>Oggi è il {today}.</p>
{steps}
<h2>Guasti</h2>
{webhooks}
{offline}
<h2>Clienti</h2>
{people}"#,
        alert = wrong.map_or_else(String::new, |why| format!(
            r#"<p class="alert" role="alert">Non è possibile. <span lang="en">{}</span></p>"#,
            escape(why)
        )),
        today = day(now),
    );
    let status = if wrong.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    frame(status, "Banco di prova", &body)
}

fn lever(action: &str, value: &str, button: &str) -> String {
    format!(
        r#"<form method="post" action="/dashboard/{action}"><button type="submit" name="value" value="{}">{button}</button></form>"#,
        escape(value)
    )
}

fn person(state: &State, customer: &Value) -> String {
    let id = text(customer, "/id");
    let owned = |row: &&Value| text(row, "/customer") == id;
    let mut body = format!(r#"<section class="entry"><h3>{}</h3>"#, escape(text(customer, "/email")));
    for subscription in state.all("subscription").rev().filter(owned) {
        let status = match text(subscription, "/status") {
            "active" if subscription["cancel_at_period_end"] == true => "attivo, finisce il",
            "active" => "attivo, si rinnova il",
            "past_due" => "con un pagamento in sospeso, periodo fino al",
            _ => "finito, periodo fino al",
        };
        // Writing to a String does not fail.
        let _ = write!(
            body,
            "<p>{}: {status} {}</p>",
            escape(text(subscription.pointer(PRICE).unwrap_or(&Value::Null), "/nickname")),
            day(number(subscription, PERIOD_END)),
        );
    }
    for charge in state.all("charge").rev().filter(owned) {
        body += &payment(state, charge);
    }
    body + "</section>"
}

fn payment(state: &State, charge: &Value) -> String {
    let id = text(charge, "/id");
    let (amount, returned) = (number(charge, "/amount"), number(charge, "/amount_refunded"));
    let mut body = format!("<p>{}, {}: ", day(number(charge, "/created")), euros(amount));
    let dispute = state.all("dispute").find(|dispute| text(dispute, "/charge") == id);
    if charge["paid"] != true {
        return body + "rifiutato</p>";
    }
    body += match dispute.map(|dispute| text(dispute, "/status")) {
        Some("won") => "pagato, contestazione vinta",
        Some("lost") => "contestazione persa",
        Some(_) => "contestato",
        None if returned == amount => "rimborsato",
        None if returned > 0 => "rimborsato in parte",
        None => "pagato",
    };
    body += "</p>";
    match dispute {
        Some(dispute) if payments::is_open(dispute) => {
            body += &lever("win", text(dispute, "/id"), "Vinci la contestazione");
            body += &lever("lose", text(dispute, "/id"), "Perdi la contestazione");
        }
        None if returned < amount => {
            body += &lever("refund", id, &format!("Rimborsa {}", euros(amount - returned)));
            body += &lever("dispute", id, "Apri una contestazione");
        }
        _ => {}
    }
    body
}
