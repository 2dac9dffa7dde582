//! The memory of a body once it is parsed: its values are counted before a parser reads it, because a parsed value takes up to
//! fifty times its bytes (`[],`). Pure; it never builds a value.

use axum::http::{HeaderMap, header};
use panel_contract::fields::FieldErrors;
use panel_kernel::error::{Error, Result};
use panel_kernel::foreign::{ForeignDataError, JsonLimits, MAX_DEPTH, count_json_within};
use panel_kernel::rejection::RejectionKind;

use panel_platform::config::OVERHEAD_BYTES;

/// The largest number of values in a body of an unauthenticated caller: an order of the reseller API has a hundred ids or some
/// thousand comments. Their memory and a body of a megabyte fit into the limit of one address.
const MAX_PUBLIC_VALUES: usize = 5_000;
/// The largest number of values in any other body: ten thousand services with nine fields each have about as many.
const MAX_VALUES: usize = 100_000;
/// Memory of a value that is a field with a short text, in bytes: two allocations and its share of a map.
const VALUE_BYTES: usize = 128;

/// The bytes to reserve for the values of `body`. Few values are covered by the overhead that every body has reserved.
pub(super) fn decoded_bytes(headers: &HeaderMap, body: &[u8], is_signed_in: bool) -> Result<usize> {
    let max_values = if is_signed_in { MAX_VALUES } else { MAX_PUBLIC_VALUES };
    let values = count_json_values(body, max_values)?.max(count_form_fields(headers, body));
    if values > max_values {
        return Err(too_many_values_error(max_values));
    }
    Ok((values * VALUE_BYTES).saturating_sub(OVERHEAD_BYTES))
}

/// Counts the values of a JSON object, whatever the `Content-Type` is. Handlers parse nothing else as JSON.
fn count_json_values(body: &[u8], max_values: usize) -> Result<usize> {
    if body.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
        return Ok(0);
    }
    count_json_within(body, JsonLimits { depth: MAX_DEPTH, values: max_values }).map_err(
        |error| match error {
            ForeignDataError::TooManyValues { limit } => too_many_values_error(limit),
            error => FieldErrors::single("body", format!("The body cannot be read: {error}.")).into(),
        },
    )
}

fn count_form_fields(headers: &HeaderMap, body: &[u8]) -> usize {
    let content_type =
        headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_form =
        content_type.trim_start().to_ascii_lowercase().starts_with("application/x-www-form-urlencoded");
    if is_form && !body.is_empty() { body.iter().filter(|byte| **byte == b'&').count() + 1 } else { 0 }
}

fn too_many_values_error(max_values: usize) -> Error {
    let message = format!("The body has too many values. Send at most {max_values} in one request.");
    Error::rejected(RejectionKind::TooLarge, "too_many_values", message)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn status(content_type: &'static str, body: &str, is_signed_in: bool) -> Result<usize, u16> {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
        decoded_bytes(&headers, body.as_bytes(), is_signed_in).map_err(|error| error.report("").kind.status())
    }

    #[test]
    fn the_limit_of_values_depends_on_the_sender() {
        const JSON: &str = "application/json";
        let list = |values: usize| format!("{{\"a\":[{}]}}", vec!["1"; values - 1].join(","));
        let memory = MAX_PUBLIC_VALUES * VALUE_BYTES - OVERHEAD_BYTES;
        assert_eq!(status(JSON, &list(MAX_PUBLIC_VALUES), false), Ok(memory));
        assert_eq!(status(JSON, &list(MAX_PUBLIC_VALUES + 1), false), Err(413));
        assert_eq!(
            status("text/plain", &list(MAX_PUBLIC_VALUES + 1), false),
            Err(413),
            "values are counted even if the content type is wrong"
        );
        assert_eq!(status(JSON, &list(MAX_PUBLIC_VALUES + 1), true), Ok(memory + VALUE_BYTES));
        assert_eq!(status(JSON, &list(MAX_VALUES), true), Ok(MAX_VALUES * VALUE_BYTES - OVERHEAD_BYTES));
        assert_eq!(status(JSON, &list(MAX_VALUES + 1), true), Err(413));
        assert_eq!(status(JSON, "{\"a\":[1,2,3]}", false), Ok(0), "few values are part of the overhead");
        assert_eq!(status(JSON, &format!("{{\"a\":{}", "[".repeat(MAX_DEPTH)), true), Err(422));
    }

    #[test]
    fn counts_the_fields_of_forms() {
        const FORM: &str = "Application/X-WWW-Form-URLencoded; charset=utf-8";
        let form = |fields: usize| vec!["a=1"; fields].join("&");
        assert_eq!(status(FORM, "", false), Ok(0));
        assert_eq!(
            status(FORM, &form(MAX_PUBLIC_VALUES), false),
            Ok(MAX_PUBLIC_VALUES * VALUE_BYTES - OVERHEAD_BYTES)
        );
        assert_eq!(status(FORM, &form(MAX_PUBLIC_VALUES + 1), false), Err(413));
        assert_eq!(status(FORM, &form(MAX_PUBLIC_VALUES + 1), true).map(|bytes| bytes > 0), Ok(true));
        // The parts of a multipart body are counted where they are read.
        assert_eq!(status("multipart/form-data; boundary=x", &form(MAX_PUBLIC_VALUES + 1), false), Ok(0));
    }
}
