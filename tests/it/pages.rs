//! The pages, from the binary: compressed forms, what may be kept and what is asked for anew, and what is not there.

use std::path::Path;

use reqwest::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use reqwest::{Method, Response, StatusCode};

use crate::support::Town;

/// The frontend as its build left it; a clone without Node has none.
const BUILT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/frontend/dist");

fn is_built() -> bool {
    Path::new(BUILT).join("index.html").exists()
}

async fn get(town: &Town, path: &str, accepts: &str) -> Response {
    town.call(Method::GET, path).header(ACCEPT_ENCODING, accepts).send().await.expect("an answer")
}

fn header<'a>(response: &'a Response, name: &reqwest::header::HeaderName) -> &'a str {
    response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

#[tokio::test]
async fn without_a_build_a_page_says_how_to_make_one_and_the_api_answers() {
    let town = Town::start().await;
    let page = get(&town, "/", "identity").await;
    if is_built() {
        assert_eq!(page.status(), StatusCode::OK);
    } else {
        assert_eq!(page.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert!(page.text().await.expect("a page").contains("rust-just start"));
    }
    assert_eq!(get(&town, "/api/v1/about", "identity").await.status(), StatusCode::OK);
}

#[tokio::test]
async fn each_client_gets_the_smallest_form_that_it_takes() {
    let town = Town::start().await;
    if !is_built() {
        return;
    }
    let plain = get(&town, "/", "identity").await;
    assert_eq!((header(&plain, &CONTENT_ENCODING), header(&plain, &VARY)), ("", "Accept-Encoding"));
    assert_eq!(header(&plain, &CONTENT_TYPE), "text/html; charset=utf-8");
    assert_eq!(header(&plain, &CACHE_CONTROL), "no-cache", "a page is asked for anew each time");
    let size = |response: &Response| -> u64 { header(response, &CONTENT_LENGTH).parse().expect("a length") };
    let (gzip, brotli) = (get(&town, "/", "gzip").await, get(&town, "/", "gzip, deflate, br").await);
    assert_eq!((header(&gzip, &CONTENT_ENCODING), header(&brotli, &CONTENT_ENCODING)), ("gzip", "br"));
    assert!(size(&brotli) < size(&gzip) && size(&gzip) < size(&plain));
    let refused = get(&town, "/", "br;q=0, gzip;q=0").await;
    assert_eq!(header(&refused, &CONTENT_ENCODING), "", "what is refused is not sent");
    assert_ne!(header(&plain, &ETAG), header(&gzip, &ETAG), "each form is a thing of its own");
}

#[tokio::test]
async fn what_was_fetched_once_is_not_sent_again() {
    let town = Town::start().await;
    if !is_built() {
        return;
    }
    let first = get(&town, "/", "br").await;
    let tag = header(&first, &ETAG).to_owned();
    let again = |held: String| {
        let call = town.call(Method::GET, "/").header(ACCEPT_ENCODING, "br").header(IF_NONE_MATCH, held);
        async move { call.send().await.expect("an answer") }
    };
    for held in [tag.clone(), format!("W/{tag}"), format!("\"other\", {tag}"), "*".to_owned()] {
        let answer = again(held.clone()).await;
        assert_eq!(answer.status(), StatusCode::NOT_MODIFIED, "{held}");
        assert!(answer.bytes().await.expect("nothing").is_empty());
    }
    assert_eq!(again("\"other\"".into()).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn scripts_with_a_hash_may_be_kept_for_ever() {
    let town = Town::start().await;
    if !is_built() {
        return;
    }
    let page = get(&town, "/", "identity").await.text().await.expect("a page");
    let assets: Vec<&str> = page.split('"').filter(|part| part.starts_with("/assets/")).collect();
    assert!(assets.len() >= 2, "{page}");
    for asset in assets {
        let answer = get(&town, asset, "br").await;
        assert_eq!(answer.status(), StatusCode::OK, "{asset}");
        assert_eq!(header(&answer, &CACHE_CONTROL), "public, max-age=31536000, immutable", "{asset}");
    }
    let head = town.call(Method::HEAD, "/first-paint.js").send().await.expect("an answer");
    assert_eq!((head.status(), header(&head, &CACHE_CONTROL)), (StatusCode::OK, "no-cache"));
    assert!(header(&head, &CONTENT_TYPE).starts_with("text/javascript"), "{:?}", head.headers());
    assert!(header(&head, &CONTENT_LENGTH).parse::<u64>().is_ok_and(|length| length > 0));
}

#[tokio::test]
async fn an_address_of_the_product_is_the_page_and_a_missing_file_is_none() {
    let town = Town::start().await;
    let home = get(&town, "/", "identity").await.text().await.expect("a page");
    for path in ["/app", "/richieste/0190", "/account/subscription", "/non-esiste"] {
        let page = get(&town, path, "identity").await;
        assert_eq!(page.text().await.expect("a page"), home, "{path}");
    }
    for path in ["/assets/none-1234.js", "/robots.txt.br", "/index.html.br", "/../Cargo.toml", "/%2e%2e/Cargo.toml"] {
        let answer = get(&town, path, "identity").await;
        assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{path}");
        assert!(!answer.text().await.expect("a text").contains("[package]"), "{path}");
    }
    let posted = town.call(Method::POST, "/app").send().await.expect("an answer");
    assert_eq!(
        (posted.status(), &posted.headers()["allow"]),
        (StatusCode::METHOD_NOT_ALLOWED, &"GET, HEAD".parse().expect("ASCII"))
    );
}

#[tokio::test]
async fn what_reads_pictures_comes_as_it_is() {
    let town = Town::start().await;
    if !is_built() {
        return;
    }
    let assets = std::fs::read_dir(Path::new(BUILT).join("assets")).expect("assets");
    let folder =
        assets.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).find(|name| name.starts_with("reader-"));
    let folder = folder.expect("the reader's folder");
    let words = get(&town, &format!("/assets/{folder}/ita.traineddata.gz"), "br, gzip").await;
    assert_eq!((words.status(), header(&words, &CONTENT_ENCODING)), (StatusCode::OK, ""), "compressed in itself");
    let core = get(&town, &format!("/assets/{folder}/tesseract-core-simd-lstm.wasm"), "br").await;
    assert_eq!((header(&core, &CONTENT_TYPE), header(&core, &CONTENT_ENCODING)), ("application/wasm", "br"));
}
