//! Serves uploaded files: public images, and private files with an audit entry for each view.

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

/// Browsers may cache public images for a year. The files never change, because the server never uses a file name twice.
const IMMUTABLE_CACHE_CONTROL: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// A private file, and the audit entry that the server writes when staff view the file.
#[derive(Debug, Clone, Copy)]
pub struct AuditedFile<'a> {
    /// The event of the audit entry, such as `verification_document.viewed`.
    pub event: &'static str,
    /// The type of the record that the file belongs to, such as `user`.
    pub record_type: &'static str,
    /// Id of that record.
    pub id: RecordId,
    /// The file's key, as `Uploads::store_private` returned it.
    pub key: &'a str,
}

pub(crate) fn public_images_route() -> Router<App> {
    Router::new().route("/uploads/{name}", get(serve_public_image))
}

async fn serve_public_image(State(app): State<App>, Path(name): Path<String>) -> Response {
    match app.uploads.read("public", &name).await {
        Ok(Some(bytes)) => {
            let mut response = file_response(&name, bytes);
            let headers = response.headers_mut();
            headers.insert(header::CACHE_CONTROL, IMMUTABLE_CACHE_CONTROL);
            // Pages of the customers' site and emails embed these images from other origins.
            let cross_origin = HeaderValue::from_static("cross-origin");
            headers.insert(HeaderName::from_static("cross-origin-resource-policy"), cross_origin);
            response
        }
        Ok(None) => error_response(layers::route_not_found(&format!("uploads/{name}")), ""),
        Err(error) => error_response(error, ""),
    }
}

fn file_response(name: &str, bytes: Bytes) -> Response {
    let media_type = HeaderValue::from_static(panel_images::media_type(name));
    // A browser that opens the URL must show the image instead of saving it. The name is safe in the header, because the server
    // generated it.
    let disposition = HeaderValue::try_from(format!("inline; filename=\"{name}\""))
        .unwrap_or(HeaderValue::from_static("inline"));
    ([(header::CONTENT_TYPE, media_type), (header::CONTENT_DISPOSITION, disposition)], bytes).into_response()
}

/// Serves a private file. The audit entry is committed before the first byte is sent.
pub async fn serve_audited(ctx: &Ctx, file: AuditedFile<'_>) -> Result<Response> {
    let bytes = ctx.app.uploads.read_private(file.key).await?;
    let bytes = bytes.ok_or_else(|| Error::not_found("file", file.id))?;
    let mut work = ctx.begin().await?;
    let change = AuditChange { id: file.id, old: json!({}), new: json!({ "file": file.key }) };
    audit::record(&mut work, file.event, file.record_type, change).await?;
    work.finish(()).await?;
    let mut response = file_response(file.key, bytes);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    Ok(response)
}
