//! One invoice: what it is for, and how it is paid when it is still open.

use std::fmt::Write as _;
use std::sync::Arc;

use poem::http::StatusCode;
use poem::web::{Data, Form, Path, Query};
use poem::{Response, handler};
use serde_json::Value;

use super::StripeStandIn;
use super::cards::{Card, Moment, NOT_CONFIRMED, Verdict};
use super::pages::{self, CardForm, PageQuery, UNKNOWN_CARD, bank_question, day, escape, euros, frame, see_other};
use super::state::{State, number, text};
use super::{payments, subscriptions};

#[handler]
pub(super) fn show(stripe: Data<&Arc<StripeStandIn>>, Path(id): Path<String>, query: Query<PageQuery>) -> Response {
    stripe.with(|state| match state.get("invoice", &id) {
        Some(invoice) => page(state, invoice, query.number(), None),
        None => pages::not_found(),
    })
}

#[handler]
pub(super) fn pay(stripe: Data<&Arc<StripeStandIn>>, Path(id): Path<String>, sent: Form<CardForm>) -> Response {
    let here = format!("/i/{id}");
    stripe.with(|state| {
        let Some(invoice) = state.get("invoice", &id).cloned() else { return pages::not_found() };
        if text(&invoice, "/status") != "open" {
            return see_other(&here);
        }
        let Some(card) = Card::with_number(&sent.number) else {
            return page(state, &invoice, &sent.number, Some(UNKNOWN_CARD));
        };
        let moment = match sent.answer.as_deref() {
            Some("yes") => Moment::Confirmed,
            Some(_) => {
                subscriptions::abandon(state, &id);
                let invoice = state.get("invoice", &id).cloned().unwrap_or_default();
                return page(state, &invoice, "", Some(NOT_CONFIRMED.sentence));
            }
            // The card was refused when nobody was there; it is refused again.
            None => Moment::Absent,
        };
        if card.judge(moment) == Verdict::NeedsConfirmation {
            let what = format!("Vuoi pagare {} a Rimedio?", euros(number(&invoice, "/amount_due")));
            return bank_question(&here, &what, &[("number", card.number())]);
        }
        let method = payments::keep_card(state, text(&invoice, "/customer"), card);
        match subscriptions::pay(state, &id, &method, moment) {
            Verdict::Refused(decline) => {
                let invoice = state.get("invoice", &id).cloned().unwrap_or_default();
                page(state, &invoice, card.number(), Some(decline.sentence))
            }
            _ => see_other(&here),
        }
    })
}

fn page(state: &State, invoice: &Value, card_number: &str, wrong: Option<&str>) -> Response {
    let here = format!("/i/{}", text(invoice, "/id"));
    let mut facts = format!(
        "<dt>Numero</dt><dd>{}</dd><dt>Data</dt><dd>{}</dd>",
        escape(text(invoice, "/number")),
        day(number(invoice, "/created"))
    );
    for line in invoice["lines"]["data"].as_array().into_iter().flatten() {
        // Writing to a String does not fail.
        let _ =
            write!(facts, "<dt>{}</dt><dd>{}</dd>", escape(text(line, "/description")), euros(number(line, "/amount")));
    }
    let due = number(invoice, "/amount_due");
    let intent = subscriptions::payment_of(state, text(invoice, "/id"));
    let intent = intent.and_then(|(_, intent)| state.get("payment_intent", &intent));
    let waits = intent.is_some_and(|intent| text(intent, "/status") == "requires_action");
    let (state_of_it, rest) = match text(invoice, "/status") {
        "open" if waits && wrong.is_none() && card_number.is_empty() => {
            let method = intent.map(|intent| text(intent, "/payment_method")).unwrap_or_default();
            let number = payments::card_of(state, method).number();
            let rest = format!(
                r#"<form method="post" action="{here}">
<input type="hidden" name="number" value="{number}">
<button class="first" type="submit" name="answer" value="yes">Conferma</button>
<button type="submit" name="answer" value="no">Rifiuta</button>
</form>"#
            );
            ("La banca chiede la tua conferma per questo pagamento.", rest)
        }
        "open" => {
            let button = format!("Paga {}", euros(due));
            let form = pages::card_form(&here, &here, card_number, wrong.is_some(), &button);
            ("Questa fattura è ancora da pagare.", form)
        }
        "paid" => ("Questa fattura è pagata. Puoi chiudere questa pagina e tornare a Rimedio.", String::new()),
        _ => ("Questa fattura è annullata. Non devi pagare nulla.", String::new()),
    };
    let body = format!(
        r#"{alert}<h1>Fattura di Rimedio</h1>
<p class="price">{due}</p>
<p>{state_of_it}</p>
<dl class="facts">{facts}</dl>
{rest}"#,
        alert = pages::alert(wrong),
        due = euros(due),
    );
    let status = if wrong.is_some() { StatusCode::PAYMENT_REQUIRED } else { StatusCode::OK };
    frame(status, "Fattura", &body)
}
