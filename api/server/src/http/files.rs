//! Answers with kept files: public images, and private files whose every look is audited.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use bytes::Bytes;
use panel_contract::ids::RecordId;
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::app::App;
use crate::context::Ctx;
use crate::http::error::error_response;
use crate::http::layers;
use panel_platform::audit;
use panel_platform::audit::change::Change;

/// A year; names are never used twice.
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// A look at a private file, as the audit trail keeps it.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// Such as `verification_document.viewed`.
    pub event: &'static str,
    /// The kind of record, such as `user`.
    pub kind: &'static str,
    /// The record.
    pub id: RecordId,
    /// The file's key, as `Uploads::keep_private` gave it.
    pub key: &'a str,
}

/// The route of public images.
pub(crate) fn route() -> Router<App> {
    Router::new().route("/uploads/{name}", get(public))
}

async fn public(State(app): State<App>, Path(name): Path<String>) -> Response {
    match app.uploads.read("public", &name).await {
        Ok(Some(bytes)) => {
            let mut response = file(&name, bytes);
            let headers = response.headers_mut();
            headers.insert(header::CACHE_CONTROL, FOR_EVER);
            // Shops and mails on other hosts show them.
            let everywhere = HeaderValue::from_static("cross-origin");
            headers.insert(HeaderName::from_static("cross-origin-resource-policy"), everywhere);
            response
        }
        Ok(None) => error_response(layers::no_route(&format!("uploads/{name}")), ""),
        Err(error) => error_response(error, ""),
    }
}

fn file(name: &str, bytes: Bytes) -> Response {
    let kind = HeaderValue::from_static(panel_images::media_type(name));
    // Should a browser ever open it as a page: an image, and nothing else. The name is ours, whatever the file was called.
    let place = HeaderValue::try_from(format!("inline; filename=\"{name}\""))
        .unwrap_or(HeaderValue::from_static("inline"));
    ([(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, place)], bytes).into_response()
}

/// Answers with a private file. The audit trail has the look before a byte is sent.
pub async fn reveal(ctx: &Ctx, look: Look<'_>) -> Result<Response> {
    let bytes = ctx.app.uploads.read_private(look.key).await?;
    let bytes = bytes.ok_or_else(|| Error::not_found("file of record", look.id))?;
    let mut work = ctx.begin().await?;
    let change = Change { id: look.id, old: json!({}), new: json!({ "file": look.key }) };
    audit::record(&mut work, look.event, look.kind, change).await?;
    work.finish(()).await?;
    let mut response = file(look.key, bytes);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    Ok(response)
}
