//! The API's own pages at `/api/docs`, from the binary alone, and what the published description knows of methods.
//!
//! The viewer is the one that comes with the framework, which writes everything into one page. That page would need a
//! policy that allows inline scripts, so its parts are served as files instead, and the strict policy holds here too.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use poem::http::header;
use poem::{Body, IntoResponse, Response, Route, endpoint::make_sync};
use poem_openapi::OpenApiService;

const PAGE: &str = r#"<!doctype html>
<html lang="it">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Rimedio API</title>
<link rel="stylesheet" href="/api/docs/viewer.css">
<script src="/api/docs/viewer.js" defer></script>
<script src="/api/docs/start.js" defer></script>
</head>
<body><main id="ui"></main></body>
</html>
"#;

const START: &str = "SwaggerUIBundle({ dom_id: '#ui', url: '/api/docs/openapi.json', deepLinking: true });\n";

/// The viewer's parts, cut out of the framework's page when they are first asked for.
struct Viewer {
    style: Bytes,
    script: Bytes,
}

impl Viewer {
    fn get() -> &'static Self {
        static VIEWER: OnceLock<Viewer> = OnceLock::new();
        VIEWER.get_or_init(|| {
            let page = OpenApiService::new((), "", "").swagger_ui_html();
            Self { style: inner(&page, "style"), script: inner(&page, "script") }
        })
    }
}

/// What stands in the first element of a name.
fn inner(page: &str, element: &str) -> Bytes {
    let after = page.split_once(&format!("<{element}")).and_then(|(_, rest)| rest.split_once('>'));
    let text = after.and_then(|(_, rest)| rest.split_once(&format!("</{element}>"))).map_or("", |(text, _)| text);
    Bytes::copy_from_slice(text.as_bytes())
}

/// The pages, around the description that they show.
pub(super) fn pages(document: &str) -> Route {
    let document = Bytes::copy_from_slice(document.as_bytes());
    Route::new()
        .at("/", make_sync(|_| of_type("text/html", Bytes::from_static(PAGE.as_bytes()))))
        .at("/start.js", make_sync(|_| of_type("text/javascript", Bytes::from_static(START.as_bytes()))))
        .at("/viewer.css", make_sync(|_| of_type("text/css", Viewer::get().style.clone())))
        .at("/viewer.js", make_sync(|_| of_type("text/javascript", Viewer::get().script.clone())))
        .at("/openapi.json", make_sync(move |_| of_type("application/json", document.clone())))
}

fn of_type(media_type: &str, content: Bytes) -> Response {
    Body::from_bytes(content)
        .with_content_type(format!("{media_type}; charset=utf-8"))
        .with_header(header::CACHE_CONTROL, "no-cache")
        .into_response()
}

/// Which methods a path takes, as the description says; the framework does not tell when it refuses one.
#[derive(Clone, Debug)]
pub(super) struct Methods(Arc<[(Vec<String>, String)]>);

impl Methods {
    pub(super) fn of(document: &str) -> Self {
        let document: serde_json::Value = serde_json::from_str(document).unwrap_or_default();
        let paths = document.get("paths").and_then(|paths| paths.as_object());
        let known = paths.into_iter().flatten().map(|(path, operations)| {
            let methods = operations.as_object().into_iter().flat_map(|operations| operations.keys());
            let methods: Vec<String> = methods.map(|method| method.to_uppercase()).collect();
            (segments(path), methods.join(", "))
        });
        Self(known.collect())
    }

    /// The value of the `Allow` header for a path.
    pub(super) fn at(&self, path: &str) -> String {
        let asked = segments(path);
        let fits = |known: &[String]| {
            known.len() == asked.len()
                && known.iter().zip(&asked).all(|(known, asked)| known.starts_with('{') || known == asked)
        };
        self.0.iter().find(|(known, _)| fits(known)).map_or_else(|| "GET".to_owned(), |(_, methods)| methods.clone())
    }
}

fn segments(path: &str) -> Vec<String> {
    path.split('/').filter(|segment| !segment.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_viewer_is_whole_and_nothing_is_inline() {
        assert!(Viewer::get().script.len() > 1_000_000, "the viewer's script was found");
        assert!(Viewer::get().style.len() > 100_000, "the viewer's style was found");
        assert!(!PAGE.contains("<style") && PAGE.matches("<script").count() == PAGE.matches("<script src=").count());
    }

    #[test]
    fn a_path_with_a_parameter_is_found() {
        let methods =
            Methods::of(r#"{"paths":{"/api/v1/sessions/{id}":{"get":{},"delete":{}},"/api/v1/about":{"get":{}}}}"#);
        assert_eq!(methods.at("/api/v1/sessions/42"), "DELETE, GET");
        assert_eq!(methods.at("/api/v1/about"), "GET");
    }
}
