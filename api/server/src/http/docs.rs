//! `/docs`: the API reference as a page. The server delivers the page, its script and its style; nothing loads from other hosts.

use axum::Router;
use axum::http::{HeaderValue, header};
use axum::response::IntoResponse as _;
use axum::routing::get;

use crate::app::App;

const PAGE: &str = include_str!("docs/index.html");
const SCRIPT: &str = include_str!("docs/docs.js");
const STYLE: &str = include_str!("docs/docs.css");
const POLICY: &str = "default-src 'none'; object-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The routes of the page and its two files.
pub(crate) fn route() -> Router<App> {
    Router::new()
        .route("/docs", get(|| file("text/html; charset=utf-8", PAGE)))
        .route("/docs/docs.js", get(|| file("text/javascript; charset=utf-8", SCRIPT)))
        .route("/docs/docs.css", get(|| file("text/css; charset=utf-8", STYLE)))
}

async fn file(media_type: &'static str, text: &'static str) -> impl axum::response::IntoResponse {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
    ];
    (headers, text).into_response()
}
