//! What all pages share: the frame, the headers, the field for the card and the question of the bank.

use std::fmt::Write as _;
use std::sync::Arc;

use jiff::Timestamp;
use poem::http::{HeaderValue, Method, StatusCode, header};
use poem::{Endpoint, Request, Response, handler};
use serde::Deserialize;
use url::Url;

use super::super::page;
use super::cards::Card;
use crate::clock::italy;

/// The style sheet that the stand-ins share, and what these pages need besides.
const STYLE: &str = concat!(include_str!("../stand_in.css"), include_str!("stripe.css"));

/// What a form with a card sends.
#[derive(Deserialize)]
pub(super) struct CardForm {
    /// The number of the card.
    #[serde(default)]
    pub(super) number: String,
    /// What the owner said to the bank: `yes` or `no`; nothing before the bank asked.
    pub(super) answer: Option<String>,
    /// The price, where one is chosen.
    #[serde(default)]
    pub(super) price: String,
}

/// What is asked of a page in its address.
#[derive(Deserialize)]
pub(super) struct PageQuery {
    /// The last digits of the test card to fill in.
    pub(super) card: Option<String>,
    /// What was just done.
    pub(super) done: Option<String>,
}

impl PageQuery {
    /// The number to fill in.
    pub(super) fn number(&self) -> &'static str {
        self.card.as_deref().and_then(Card::ending).map_or("", Card::number)
    }
}

/// What to say when a number is none of the test cards.
pub(super) const UNKNOWN_CARD: &str =
    "Questo numero non è tra le carte di prova. Scegli una delle carte qui sotto. Non scrivere mai qui una carta vera.";

#[handler]
pub(super) fn front() -> Response {
    let body = r#"<h1>Qui risponde il finto Stripe</h1>
<p>Questo indirizzo serve solo ai pagamenti della dimostrazione. Apri l'indirizzo che vedi nel terminale.</p>
<p><a class="button" href="/dashboard">Apri il banco di prova</a></p>"#;
    frame(StatusCode::OK, "Dimostrazione", body)
}

#[handler]
pub(super) fn style() -> Response {
    Response::builder().header(header::CONTENT_TYPE, "text/css; charset=utf-8").body(STYLE)
}

/// A page.
pub(super) fn frame(status: StatusCode, title: &str, body: &str) -> Response {
    let body = format!(
        r#"{body}
<p class="note">Questa pagina sta al posto di Stripe. È una dimostrazione: le carte sono di prova e non si muove denaro. Non scrivere mai qui una carta vera. <a href="/dashboard">Apri il banco di prova</a></p>"#
    );
    page::frame(status, &format!("{title} – pagamenti di dimostrazione"), &body)
}

/// There is no such page.
pub(super) fn not_found() -> Response {
    let body = r#"<h1>Questa pagina non esiste</h1>
<p>Torna a Rimedio e apri di nuovo la pagina da lì.</p>"#;
    frame(StatusCode::NOT_FOUND, "Pagina non trovata", body)
}

/// Sends the browser on.
pub(super) fn see_other(address: &str) -> Response {
    Response::builder().status(StatusCode::SEE_OTHER).header(header::LOCATION, address).finish()
}

/// Lets the forms of a page lead on to another site: browsers hold redirects after a form to the policy too.
pub(super) fn leading_to(mut response: Response, address: &str) -> Response {
    let origin = Url::parse(address).map(|url| url.origin().ascii_serialization()).unwrap_or_default();
    if let Ok(policy) = HeaderValue::from_str(&policy(&origin)) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

fn policy(form_target: &str) -> String {
    format!(
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'self' {form_target}; frame-ancestors 'none'"
    )
}

/// A text that stands in a page.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

/// An amount as it is written in Italy.
pub(super) fn euros(cents: i64) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    format!("{sign}{},{:02} €", cents.abs() / 100, cents.abs() % 100)
}

/// A day as it is written in Italy.
pub(super) fn day(seconds: i64) -> String {
    let at = Timestamp::from_second(seconds).unwrap_or_default().to_zoned(italy());
    format!("{:02}/{:02}/{}", at.day(), at.month(), at.year())
}

/// What went wrong, at the top of a page; nothing when nothing did.
pub(super) fn alert(sentence: Option<&str>) -> String {
    sentence.map_or_else(String::new, |sentence| format!(r#"<p class="alert" role="alert">{}</p>"#, escape(sentence)))
}

/// The field for a card, its button and the test cards. `here` is where the page itself stands, `action` where the
/// form goes; both are paths of ours.
pub(super) fn card_form(here: &str, action: &str, number: &str, wrong: bool, button: &str) -> String {
    let mut cards = String::new();
    for card in Card::ALL {
        // Writing to a String does not fail.
        let _ = write!(
            cards,
            r#"<li><a href="{here}?card={last4}"><span class="name">{description}</span><span class="detail">{number}</span></a></li>"#,
            last4 = card.last4(),
            description = card.description(),
            number = card.number(),
        );
    }
    let invalid = if wrong { r#" aria-invalid="true""# } else { "" };
    format!(
        r#"<form method="post" action="{action}">
<p><label for="number">Numero della carta di prova</label>
<input type="text" id="number" name="number" value="{number}" inputmode="numeric" autocomplete="off" required{invalid}></p>
<p><button class="first" type="submit">{button}</button></p>
</form>
<h2>Carte di prova</h2>
<p>Tocca una carta: il suo numero viene scritto nel campo.</p>
<ul class="cards">{cards}</ul>"#,
        number = escape(number),
    )
}

/// The question of the bank. `hidden` are the fields that the form sends along.
pub(super) fn bank_question(action: &str, what: &str, hidden: &[(&str, &str)]) -> Response {
    let fields = hidden.iter().fold(String::new(), |mut fields, (name, value)| {
        let _ = write!(fields, r#"<input type="hidden" name="{name}" value="{}">"#, escape(value));
        fields
    });
    let body = format!(
        r#"<h1>La banca chiede conferma</h1>
<p>{what}</p>
<p>Di solito qui si apre l'app della banca. In questa dimostrazione scegli tu che cosa succede.</p>
<form method="post" action="{action}">
{fields}
<button class="first" type="submit" name="answer" value="yes">Conferma</button>
<button type="submit" name="answer" value="no">Rifiuta</button>
</form>"#,
        what = escape(what),
    );
    frame(StatusCode::OK, "La banca chiede conferma", &body)
}

/// As strict as the product's own pages, although nothing is at stake here; and no other site may press the buttons.
pub(super) async fn with_headers<E: Endpoint>(endpoint: Arc<E>, request: Request) -> poem::Result<Response> {
    let other_site = request.header("Sec-Fetch-Site").is_some_and(|site| site == "cross-site" || site == "same-site");
    let mut response = if other_site && *request.method() == Method::POST {
        Response::builder().status(StatusCode::FORBIDDEN).finish()
    } else {
        endpoint.get_response(request).await
    };
    let headers = response.headers_mut();
    if let (false, Ok(policy)) =
        (headers.contains_key(header::CONTENT_SECURITY_POLICY), HeaderValue::from_str(&policy("")))
    {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    Ok(response)
}
