//! The portal: where someone sees the subscription, changes it, changes the card, ends it or takes that back.

use std::fmt::Write as _;
use std::sync::Arc;

use poem::http::StatusCode;
use poem::web::{Data, Form, Path, Query};
use poem::{Response, handler};
use serde_json::Value;

use super::StripeStandIn;
use super::cards::{Card, Moment, NOT_CONFIRMED, Verdict};
use super::pages::{self, CardForm, PageQuery, UNKNOWN_CARD, bank_question, day, escape, euros, frame, see_other};
use super::payments;
use super::state::{State, number, text};
use super::subscriptions::{self, OF_SUBSCRIPTION, PERIOD_END, PRICE};

#[handler]
pub(super) fn show(stripe: Data<&Arc<StripeStandIn>>, Path(id): Path<String>, query: Query<PageQuery>) -> Response {
    stripe.with(|state| match Visit::begin(state, &id) {
        Some(visit) => visit.page(state, query.number(), query.done.as_deref(), None),
        None => pages::not_found(),
    })
}

#[handler]
pub(super) fn change_plan(stripe: Data<&Arc<StripeStandIn>>, Path(id): Path<String>, sent: Form<CardForm>) -> Response {
    stripe.with(|state| {
        let Some(visit) = Visit::begin(state, &id) else { return pages::not_found() };
        let offered = visit.offers(state).into_iter().find(|price| text(price, "/id") == sent.price);
        let (Some(subscription), Some(price)) = (&visit.subscription, offered) else {
            return visit.page(
                state,
                "",
                None,
                Some("Questo cambio ora non è possibile. Scegli tra i piani qui sotto."),
            );
        };
        let moment = match sent.answer.as_deref() {
            Some("yes") => Moment::Confirmed,
            Some(_) => return visit.page(state, "", None, Some(NOT_CONFIRMED.sentence)),
            None => Moment::Absent,
        };
        match subscriptions::change(state, text(subscription, "/id"), &price, moment) {
            Err(Verdict::NeedsConfirmation) => {
                let (_, cost) = subscriptions::cost_of_change(state, subscription, &price);
                let what = format!("Vuoi pagare {} a Rimedio per cambiare piano?", euros(cost));
                bank_question(&visit.path("/plan"), &what, &[("price", &sent.price)])
            }
            Err(Verdict::Refused(decline)) => visit.page(state, "", None, Some(decline.sentence)),
            Ok(()) | Err(Verdict::Accepted) => see_other(&visit.path("?done=plan")),
        }
    })
}

#[handler]
pub(super) fn change_card(stripe: Data<&Arc<StripeStandIn>>, Path(id): Path<String>, sent: Form<CardForm>) -> Response {
    stripe.with(|state| {
        let Some(visit) = Visit::begin(state, &id) else { return pages::not_found() };
        let Some(card) = Card::with_number(&sent.number) else {
            return visit.page(state, &sent.number, None, Some(UNKNOWN_CARD));
        };
        let moment = match sent.answer.as_deref() {
            Some("yes") => Moment::Confirmed,
            Some(_) => return visit.page(state, card.number(), None, Some(NOT_CONFIRMED.sentence)),
            None => Moment::Present,
        };
        match card.judge_for_later(moment) {
            Verdict::NeedsConfirmation => {
                let what = "Vuoi usare questa carta per i prossimi pagamenti a Rimedio?";
                bank_question(&visit.path("/card"), what, &[("number", card.number())])
            }
            Verdict::Refused(decline) => visit.page(state, card.number(), None, Some(decline.sentence)),
            Verdict::Accepted => {
                let method = payments::keep_card(state, &visit.customer, card);
                if let Some(subscription) = &visit.subscription {
                    let field = [("/default_payment_method", method["id"].clone())];
                    state.update("subscription", text(subscription, "/id"), "customer.subscription.updated", &field);
                }
                see_other(&visit.path("?done=card"))
            }
        }
    })
}

#[handler]
pub(super) fn cancel(stripe: Data<&Arc<StripeStandIn>>, Path(id): Path<String>) -> Response {
    stripe.with(|state| end_later(state, &id, true))
}

#[handler]
pub(super) fn resume(stripe: Data<&Arc<StripeStandIn>>, Path(id): Path<String>) -> Response {
    stripe.with(|state| end_later(state, &id, false))
}

fn end_later(state: &mut State, id: &str, later: bool) -> Response {
    let Some(visit) = Visit::begin(state, id) else { return pages::not_found() };
    if let Some(subscription) = visit.subscription.as_ref().filter(|held| held["cancel_at_period_end"] != later) {
        subscriptions::end_later(state, text(subscription, "/id"), later);
    }
    see_other(&visit.path(if later { "?done=cancel" } else { "?done=resume" }))
}

/// Somebody's visit to the portal.
struct Visit {
    session: Value,
    customer: String,
    /// The subscription that runs; there may be none.
    subscription: Option<Value>,
}

impl Visit {
    fn begin(state: &State, id: &str) -> Option<Self> {
        let session = state.get("billing_portal.session", id)?.clone();
        let customer = text(&session, "/customer").to_owned();
        let runs = |held: &&Value| text(held, "/customer") == customer && text(held, "/status") != "canceled";
        let subscription = state.all("subscription").rev().find(runs).cloned();
        Some(Self { session, customer, subscription })
    }

    fn path(&self, rest: &str) -> String {
        format!("/p/session/{}{rest}", text(&self.session, "/id"))
    }

    /// The plans to which the subscription can change now: none while something is unpaid or about to end.
    fn offers(&self, state: &State) -> Vec<Value> {
        let Some(held) = &self.subscription else { return Vec::new() };
        if text(held, "/status") != "active" || held["cancel_at_period_end"] == true {
            return Vec::new();
        }
        let offered = |price: &&Value| {
            price["active"] == true
                && !price["recurring"].is_null()
                && held.pointer(PRICE).map(|own| &own["id"]) != Some(&price["id"])
        };
        state.all("price").filter(offered).cloned().collect()
    }

    fn page(&self, state: &State, card_number: &str, done: Option<&str>, wrong: Option<&str>) -> Response {
        let done = match done {
            Some("plan") => "Il piano è cambiato.",
            Some("card") => "La nuova carta è salvata. Serve per i prossimi pagamenti.",
            Some("cancel") => "L'abbonamento non si rinnova più.",
            Some("resume") => "L'abbonamento si rinnova di nuovo.",
            _ => "",
        };
        let done = if done.is_empty() { String::new() } else { format!(r#"<p class="done" role="status">{done}</p>"#) };
        let body = format!(
            r#"{done}{alert}<h1>Il tuo abbonamento</h1>
{subscription}
{invoices}
{back}"#,
            alert = pages::alert(wrong),
            subscription = self.subscription.as_ref().map_or_else(
                || "<p>Non hai un abbonamento attivo.</p>".to_owned(),
                |held| self.details(state, held, card_number, wrong.is_some())
            ),
            invoices = self.invoices(state),
            back = match text(&self.session, "/return_url") {
                "" => String::new(),
                address => format!(r#"<p><a class="button first" href="{}">Torna a Rimedio</a></p>"#, escape(address)),
            },
        );
        let status = if wrong.is_some() { StatusCode::PAYMENT_REQUIRED } else { StatusCode::OK };
        frame(status, "Il tuo abbonamento", &body)
    }

    fn details(&self, state: &State, held: &Value, card_number: &str, wrong: bool) -> String {
        let price = held.pointer(PRICE).cloned().unwrap_or_default();
        let ends = day(number(held, PERIOD_END));
        let last4 = payments::card_of(state, text(held, "/default_payment_method")).last4();
        let leaving = held["cancel_at_period_end"] == true;
        let sentence = match text(held, "/status") {
            "past_due" => "C'è un pagamento da sistemare. Trovi la fattura qui sotto.".to_owned(),
            _ if leaving => format!("Resta attivo fino al {ends}, poi finisce."),
            _ => format!("È attivo. Si rinnova il {ends}."),
        };
        let (action, button) =
            if leaving { ("/resume", "Riattiva il rinnovo") } else { ("/cancel", "Disdici l'abbonamento") };
        format!(
            r#"<p class="price">{name}: {amount} {rhythm}</p>
<p>{sentence}</p>
{offers}
<h2>Rinnovo</h2>
<form method="post" action="{end}"><button type="submit">{button}</button></form>
<h2>Carta</h2>
<p>Paghi con la carta che finisce con {last4}.</p>
{card}"#,
            name = escape(&subscriptions::description(state, &price)),
            amount = euros(number(&price, "/unit_amount")),
            rhythm = rhythm(&price),
            offers = self.offer_forms(state, held),
            end = self.path(action),
            card = pages::card_form(&self.path(""), &self.path("/card"), card_number, wrong, "Salva la carta"),
        )
    }

    fn offer_forms(&self, state: &State, held: &Value) -> String {
        let mut forms = String::new();
        for price in self.offers(state) {
            let name = escape(&subscriptions::description(state, &price));
            let (credit, cost) = subscriptions::cost_of_change(state, held, &price);
            let what = if cost > 0 {
                format!("Paghi adesso {}: abbiamo tolto {} per i giorni che non hai usato.", euros(cost), euros(credit))
            } else {
                format!("Non paghi nulla adesso. Ti restano {} per i prossimi pagamenti.", euros(-cost))
            };
            // Writing to a String does not fail.
            let _ = write!(
                forms,
                r#"<h2>Cambia piano</h2>
<p>{name}: {amount} {rhythm}. {what}</p>
<form method="post" action="{action}"><input type="hidden" name="price" value="{id}">
<button type="submit">Passa a {name}</button></form>"#,
                amount = euros(number(&price, "/unit_amount")),
                rhythm = rhythm(&price),
                action = self.path("/plan"),
                id = escape(text(&price, "/id")),
            );
        }
        forms
    }

    fn invoices(&self, state: &State) -> String {
        let mut rows = String::new();
        for invoice in state.all("invoice").rev().filter(|invoice| text(invoice, "/customer") == self.customer) {
            let running = self.subscription.as_ref().map(|held| &held["id"]) == invoice.pointer(OF_SUBSCRIPTION);
            let word = match text(invoice, "/status") {
                "open" if running => "Paga la fattura",
                "open" => "Fattura non pagata",
                "paid" => "Fattura pagata",
                _ => "Fattura annullata",
            };
            let _ = write!(
                rows,
                r#"<li><a href="/i/{id}">{word} del {day}: {amount}</a></li>"#,
                id = text(invoice, "/id"),
                day = day(number(invoice, "/created")),
                amount = euros(number(invoice, "/amount_due")),
            );
        }
        if rows.is_empty() { rows } else { format!(r#"<h2>Fatture</h2><ul class="cards">{rows}</ul>"#) }
    }
}

fn rhythm(price: &Value) -> &'static str {
    if text(price, "/recurring/interval") == "year" { "all'anno" } else { "al mese" }
}
