//! What the stand-in for Google shows: who one wants to be, and what went wrong; and the frame of all stand-ins' pages.

use std::fmt::Write as _;

use poem::Response;
use poem::http::{StatusCode, header};

use super::people::DemoPerson;

/// The page's only style sheet.
const STYLE: &str = include_str!("stand_in.css");

/// The chooser. `request` is a name of our own making: letters, digits, `-` and `_`.
pub(crate) fn chooser(request: &str, people: &[DemoPerson]) -> Response {
    let mut cards = String::new();
    for person in people {
        // The people are constants of ours: nothing in them needs escaping. Writing to a String does not fail.
        let _ = write!(
            cards,
            r#"<li><a class="person" href="/authorize/continue?request={request}&amp;person={key}">
<span class="badge" aria-hidden="true">{initials}</span>
<span><span class="name">{name}</span><span class="detail">{email}</span><span class="detail">{description}</span></span>
</a></li>"#,
            key = person.key,
            initials = person.initials(),
            name = person.full_name,
            email = person.email,
            description = person.description,
        );
    }
    let body = format!(
        r#"<h1>Chi vuoi essere?</h1>
<p>Scegli una persona per accedere a Rimedio.</p>
<ul class="people">{cards}</ul>
<p><a class="back" href="/authorize/continue?request={request}">Annulla e torna indietro</a></p>
<p class="note">Questa pagina sta al posto di Google. È una dimostrazione: le persone sono inventate e nessun dato esce da questo computer.</p>"#
    );
    page(StatusCode::OK, "Scegli una persona", &body)
}

/// Something in the request is not as the protocol wants it. `why` is for a developer, a constant of ours.
pub(crate) fn trouble(why: &str) -> Response {
    let body = format!(
        r#"<h1>Questa richiesta non va</h1>
<p>Torna alla pagina di accesso e riprova.</p>
<p class="note" lang="en">{why}</p>"#
    );
    page(StatusCode::BAD_REQUEST, "Richiesta non valida", &body)
}

/// What stands at the root: somebody opened the wrong port.
pub(crate) fn front() -> Response {
    let body = r#"<h1>Qui risponde il finto Google</h1>
<p>Questo indirizzo serve solo all'accesso della dimostrazione. Apri l'indirizzo che vedi nel terminale.</p>"#;
    page(StatusCode::OK, "Dimostrazione", body)
}

/// The style sheet.
pub(crate) fn style() -> Response {
    Response::builder().header(header::CONTENT_TYPE, "text/css; charset=utf-8").body(STYLE)
}

fn page(status: StatusCode, title: &str, body: &str) -> Response {
    frame(status, &format!("{title} – accesso di dimostrazione"), body)
}

/// The frame of every page of a stand-in. `body` is HTML of ours, `title` a text of ours.
pub(super) fn frame(status: StatusCode, title: &str, body: &str) -> Response {
    let page = format!(
        r#"<!doctype html>
<html lang="it">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="stylesheet" href="/stand-in.css">
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"#
    );
    Response::builder().status(status).header(header::CONTENT_TYPE, "text/html; charset=utf-8").body(page)
}
