//! `/docs`: the page with the API reference. The page must not load files from other hosts.

use axum::Router;
use axum::http::{HeaderValue, header};
use axum::response::IntoResponse as _;
use axum::routing::get;

use crate::app::App;

const PAGE_HTML: &str = include_str!("docs/index.html");
const SCRIPT: &str = include_str!("docs/docs.js");
const STYLE: &str = include_str!("docs/docs.css");
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; object-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The routes of the page, its script and its style sheet.
pub(crate) fn docs_routes() -> Router<App> {
    Router::new()
        .route("/docs", get(|| file_response("text/html; charset=utf-8", PAGE_HTML)))
        .route("/docs/docs.js", get(|| file_response("text/javascript; charset=utf-8", SCRIPT)))
        .route("/docs/docs.css", get(|| file_response("text/css; charset=utf-8", STYLE)))
}

async fn file_response(media_type: &'static str, text: &'static str) -> impl axum::response::IntoResponse {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONTENT_SECURITY_POLICY)),
    ];
    (headers, text).into_response()
}
