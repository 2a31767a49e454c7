//! The pages and scripts, from the binary. Each file comes with the two compressed forms that the frontend's build
//! laid beside it; names with a hash may be kept for ever, pages are asked for anew each time.

use std::borrow::Cow;

use bytes::Bytes;
use poem::http::{HeaderMap, Method, StatusCode, header};
use poem::{Body, Endpoint, IntoResponse, Request, Response};
use rust_embed::{EmbeddedFile, RustEmbed};

use super::problem;
use crate::error::Code;

/// What `npm run build` made. Absent in a clone that never built it: then [`NOT_BUILT`] is served.
#[derive(RustEmbed)]
#[folder = "frontend/dist"]
#[allow_missing = true]
struct Built;

const NOT_BUILT: &str = r#"<!doctype html>
<html lang="it">
<head><meta charset="utf-8"><title>Rimedio</title></head>
<body>
<h1>Le pagine non sono ancora state costruite</h1>
<p>This binary was built without the frontend. Run <code>npx --yes rust-just start</code>, which builds both; the API answers already.</p>
</body>
</html>
"#;

/// The endpoint of everything that is no call of the API.
pub(super) struct Pages;

impl Endpoint for Pages {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            let mut refused = problem::respond(Code::MethodNotAllowed);
            refused.headers_mut().insert(header::ALLOW, header::HeaderValue::from_static("GET, HEAD"));
            return Ok(refused);
        }
        let mut response = find(request.uri().path(), request.headers());
        if *request.method() == Method::HEAD {
            let length = response.headers().get(header::CONTENT_LENGTH).cloned();
            response.set_body(Body::empty());
            if let Some(length) = length {
                response.headers_mut().insert(header::CONTENT_LENGTH, length);
            }
        }
        Ok(response)
    }
}

fn find(path: &str, headers: &HeaderMap) -> Response {
    let name = path.trim_start_matches('/');
    // Some files are compressed in themselves; a compressed form lies beside the file that it is one of.
    let plain = name.strip_suffix(".br").or_else(|| name.strip_suffix(".gz"));
    let is_compressed_form = plain.is_some_and(|plain| Built::get(plain).is_some());
    if !name.is_empty() && !is_compressed_form && Built::get(name).is_some() {
        return serve(name, headers, StatusCode::OK);
    }
    // A page that was prerendered at build lies in a folder of its name.
    let page = format!("{}/index.html", name.trim_end_matches('/'));
    if !name.is_empty() && Built::get(&page).is_some() {
        return serve(&page, headers, StatusCode::OK);
    }
    let last_segment = name.rsplit('/').next().unwrap_or_default();
    if last_segment.contains('.') {
        return problem::respond(Code::NotFound);
    }
    serve("index.html", headers, StatusCode::OK)
}

/// A form in which a file lies there, and its name in `Content-Encoding`.
const ENCODINGS: [(&str, &str); 2] = [("br", ".br"), ("gzip", ".gz")];

fn serve(name: &str, headers: &HeaderMap, status: StatusCode) -> Response {
    let Some(plain) = Built::get(name) else {
        let page = poem::web::Html(NOT_BUILT).with_status(StatusCode::SERVICE_UNAVAILABLE);
        return page.with_header(header::CACHE_CONTROL, "no-store").into_response();
    };
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let compressed = ENCODINGS
        .into_iter()
        .filter(|(encoding, _)| accepts(accepted, encoding))
        .find_map(|(encoding, ending)| Built::get(&format!("{name}{ending}")).map(|file| (encoding, file)));
    let media_type = media_type_of(name, &plain);
    let (encoding, file) = compressed.map_or((None, plain), |(encoding, file)| (Some(encoding), file));
    let tag = entity_tag(&file, encoding);
    let unchanged = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let unchanged = unchanged.flat_map(|value| value.split(',')).any(|held| {
        let held = held.trim();
        held == "*" || held.trim_start_matches("W/") == tag
    });
    let cache = if name.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    let response = Response::builder()
        .header(header::ETAG, tag)
        .header(header::CACHE_CONTROL, cache)
        .header(header::VARY, "Accept-Encoding");
    if unchanged {
        return response.status(StatusCode::NOT_MODIFIED).finish();
    }
    let content = match file.data {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => Bytes::from(bytes),
    };
    let response =
        response.status(status).header(header::CONTENT_TYPE, media_type).header(header::CONTENT_LENGTH, content.len());
    let response = match encoding {
        Some(encoding) => response.header(header::CONTENT_ENCODING, encoding),
        None => response,
    };
    response.body(Body::from_bytes(content))
}

fn media_type_of(name: &str, file: &EmbeddedFile) -> String {
    let guessed = match name.rsplit('.').next() {
        Some("webmanifest") => "application/manifest+json",
        Some("wasm") => "application/wasm",
        _ => file.metadata.mimetype(),
    };
    if guessed.starts_with("text/") { format!("{guessed}; charset=utf-8") } else { guessed.to_owned() }
}

/// A strong tag: the hash of the content, and the form, because each form is other bytes.
fn entity_tag(file: &EmbeddedFile, encoding: Option<&str>) -> String {
    use std::fmt::Write;
    let mut tag = String::from("\"");
    for byte in file.metadata.sha256_hash().iter().take(12) {
        // Writing into a text cannot fail.
        let _ = write!(tag, "{byte:02x}");
    }
    tag.push_str(encoding.map_or("", |encoding| if encoding == "br" { "-br" } else { "-gz" }));
    tag.push('"');
    tag
}

/// Whether `Accept-Encoding` takes an encoding: named, or meant by `*`, and not with a weight of zero.
fn accepts(header: &str, encoding: &str) -> bool {
    let mut by_star = false;
    for part in header.split(',') {
        let mut pieces = part.split(';').map(str::trim);
        let name = pieces.next().unwrap_or_default();
        let weight = pieces.find_map(|piece| piece.strip_prefix("q=")?.trim().parse::<f32>().ok()).unwrap_or(1.0);
        if name.eq_ignore_ascii_case(encoding) {
            return weight > 0.0;
        }
        if name == "*" {
            by_star = weight > 0.0;
        }
    }
    by_star
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encoding_with_a_weight_of_zero_is_not_taken() {
        let cases = [
            ("gzip, deflate, br", "br", true),
            ("gzip", "br", false),
            ("br;q=0, gzip", "br", false),
            ("br; q=0.5", "br", true),
            ("*", "br", true),
            ("*;q=0", "br", false),
            ("", "gzip", false),
            ("GZIP", "gzip", true),
        ];
        for (header, encoding, expected) in cases {
            assert_eq!(accepts(header, encoding), expected, "{header:?} {encoding}");
        }
    }
}
