//! Serves uploaded files: public images, and private files, each view of which is audited.

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
use panel_platform::audit::change::AuditChange;

/// A year; names are never used twice.
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// A private file with the audit entry of its view.
#[derive(Debug, Clone, Copy)]
pub struct AuditedFile<'a> {
    /// Such as `verification_document.viewed`.
    pub event: &'static str,
    /// The kind of record, such as `user`.
    pub kind: &'static str,
    /// The record that the file belongs to.
    pub id: RecordId,
    /// The file's key, as `Uploads::store_private` returned it.
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
            headers.insert(header::CACHE_CONTROL, IMMUTABLE);
            // Shops and emails on other hosts show these images.
            let cross_origin = HeaderValue::from_static("cross-origin");
            headers.insert(HeaderName::from_static("cross-origin-resource-policy"), cross_origin);
            response
        }
        Ok(None) => error_response(layers::no_route(&format!("uploads/{name}")), ""),
        Err(error) => error_response(error, ""),
    }
}

fn file(name: &str, bytes: Bytes) -> Response {
    let kind = HeaderValue::from_static(panel_images::media_type(name));
    // A browser that opens it as a page must show an image and nothing else. The name is the server's own, never the uploader's.
    let disposition = HeaderValue::try_from(format!("inline; filename=\"{name}\""))
        .unwrap_or(HeaderValue::from_static("inline"));
    ([(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, disposition)], bytes).into_response()
}

/// Serves a private file. The audit entry is committed before the first byte is sent.
pub async fn serve_audited(ctx: &Ctx, view: AuditedFile<'_>) -> Result<Response> {
    let bytes = ctx.app.uploads.read_private(view.key).await?;
    let bytes = bytes.ok_or_else(|| Error::not_found("file of record", view.id))?;
    let mut work = ctx.begin().await?;
    let change = AuditChange { id: view.id, old: json!({}), new: json!({ "file": view.key }) };
    audit::record(&mut work, view.event, view.kind, change).await?;
    work.finish(()).await?;
    let mut response = file(view.key, bytes);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    Ok(response)
}
