//! Multipart bodies as fields: a text is its text, a file is its data URL, as the same field has it in JSON.
//! Nothing here knows what a field means.

use axum::body::Bytes;
use axum::http::{HeaderMap, header};
use futures_util::stream;
use multer::Multipart;
use panel_contract::fields::FieldErrors;
use panel_contract::upload::data_url;

use crate::http::error::Result;

/// The boundary that a request's content type names; none when it is no multipart body.
pub(crate) fn boundary(headers: &HeaderMap) -> Option<String> {
    multer::parse_boundary(headers.get(header::CONTENT_TYPE)?.to_str().ok()?).ok()
}

/// The fields of a whole body, in its order.
pub(crate) async fn fields(body: Bytes, boundary: String) -> Result<Vec<(String, String)>> {
    let mut parts = Multipart::new(stream::iter([Ok::<_, std::convert::Infallible>(body)]), boundary);
    let mut fields = Vec::new();
    while let Some(part) = parts.next_field().await.map_err(unreadable)? {
        let name = part.name().unwrap_or_default().to_owned();
        let is_file = part.file_name().is_some();
        let bytes = part.bytes().await.map_err(unreadable)?;
        let text = match is_file {
            // A browser sends a file field that was left empty as a file without a byte.
            true if bytes.is_empty() => String::new(),
            true => data_url(&bytes),
            false => String::from_utf8(bytes.to_vec())
                .map_err(|_| FieldErrors::one(&*name, "The text must be UTF-8."))?,
        };
        fields.push((name, text));
    }
    Ok(fields)
}

fn unreadable(_: multer::Error) -> FieldErrors {
    FieldErrors::one("body", "The multipart body cannot be read; send it again.")
}
