//! The hosted checkout as someone sees it: what is bought, for how much, and with which card.

use std::fmt::Write as _;
use std::sync::Arc;

use poem::http::StatusCode;
use poem::web::{Data, Form, Path, Query};
use poem::{Response, handler};
use serde_json::Value;

use super::StripeStandIn;
use super::cards::{Card, Moment, NOT_CONFIRMED, Verdict};
use super::checkout;
use super::pages::{
    self, CardForm, PageQuery, UNKNOWN_CARD, bank_question, escape, euros, frame, leading_to, see_other,
};
use super::state::{State, number, text};

#[handler]
pub(super) fn show(stripe: Data<&Arc<StripeStandIn>>, Path(id): Path<String>, query: Query<PageQuery>) -> Response {
    stripe.with(|state| match open_session(state, &id) {
        Ok(session) => form(state, &session, query.number(), None),
        Err(response) => *response,
    })
}

#[handler]
pub(super) fn pay(stripe: Data<&Arc<StripeStandIn>>, Path(id): Path<String>, sent: Form<CardForm>) -> Response {
    stripe.with(|state| {
        let session = match state.get("checkout.session", &id) {
            // Pressed twice: the second answer leads to the same place.
            Some(session) if text(session, "/status") == "complete" => return see_other(&checkout::way_back(session)),
            _ => match open_session(state, &id) {
                Ok(session) => session,
                Err(response) => return *response,
            },
        };
        let Some(card) = Card::with_number(&sent.number) else {
            return form(state, &session, &sent.number, Some(UNKNOWN_CARD));
        };
        let moment = match sent.answer.as_deref() {
            Some("yes") => Moment::Confirmed,
            Some(_) => return form(state, &session, card.number(), Some(NOT_CONFIRMED.sentence)),
            None => Moment::Present,
        };
        // A card that fails later does so only when nobody is there, and who confirms is there.
        let moment = if card == Card::AsksToConfirm { moment } else { Moment::Present };
        match card.judge(moment) {
            Verdict::Accepted => see_other(&checkout::complete(state, &id, card, moment)),
            Verdict::NeedsConfirmation => {
                let what = format!("Vuoi pagare {} a Rimedio?", euros(number(&session, "/amount_total")));
                let question = bank_question(&format!("/c/pay/{id}"), &what, &[("number", card.number())]);
                leading_to(question, text(&session, "/success_url"))
            }
            Verdict::Refused(decline) => form(state, &session, card.number(), Some(decline.sentence)),
        }
    })
}

/// The session, or the page that says why it cannot be paid.
fn open_session(state: &State, id: &str) -> Result<Value, Box<Response>> {
    let session = state.get("checkout.session", id).ok_or_else(|| Box::new(pages::not_found()))?;
    match text(session, "/status") {
        "open" => Ok(session.clone()),
        "complete" => {
            let body = format!(
                r#"<h1>Hai già pagato</h1>
<p>Questo pagamento è andato a buon fine. Non devi fare altro.</p>
<p><a class="button first" href="{}">Torna a Rimedio</a></p>"#,
                escape(&checkout::way_back(session))
            );
            Err(Box::new(frame(StatusCode::OK, "Pagamento fatto", &body)))
        }
        _ => {
            let body = format!(
                r#"<h1>Questa pagina è scaduta</h1>
<p>Non hai pagato nulla. Torna a Rimedio e scegli di nuovo il piano.</p>
{}"#,
                way_out(session)
            );
            Err(Box::new(frame(StatusCode::OK, "Pagina scaduta", &body)))
        }
    }
}

fn way_out(session: &Value) -> String {
    match text(session, "/cancel_url") {
        "" => String::new(),
        address => format!(r#"<p><a class="back" href="{}">Torna a Rimedio</a></p>"#, escape(address)),
    }
}

fn form(state: &State, session: &Value, card_number: &str, wrong: Option<&str>) -> Response {
    let id = text(session, "/id");
    let order = state.get("stand_in.order", id).cloned().unwrap_or_default();
    let mut items = String::new();
    for item in order["line_items"].as_array().into_iter().flatten() {
        let rhythm = match text(item, "/price/recurring/interval") {
            "month" => " al mese",
            "year" => " all'anno",
            _ => "",
        };
        // Writing to a String does not fail.
        let _ = write!(
            items,
            r#"<p>{}</p><p class="price">{}{rhythm}</p>"#,
            escape(text(item, "/description")),
            euros(number(item, "/amount_total")),
        );
    }
    let total = euros(number(session, "/amount_total"));
    let body = format!(
        r#"{alert}<h1>Paga il tuo piano</h1>
{items}
{card}
{way_out}"#,
        alert = pages::alert(wrong),
        card = pages::card_form(
            &format!("/c/pay/{id}"),
            &format!("/c/pay/{id}"),
            card_number,
            wrong.is_some(),
            &format!("Paga {total}"),
        ),
        way_out = way_out(session),
    );
    let status = if wrong.is_some() { StatusCode::PAYMENT_REQUIRED } else { StatusCode::OK };
    leading_to(frame(status, "Paga il tuo piano", &body), text(session, "/success_url"))
}
