//! What a whole body takes once it is decoded: its values are counted before a parser sees it, as a parsed value takes up to
//! fifty times its bytes (`[],`). Pure; it never builds a value.

use axum::http::{HeaderMap, header};
use panel_contract::fields::FieldErrors;
use panel_kernel::error::{Error, Result};
use panel_kernel::foreign::{ForeignDataError, JsonLimits, MAX_DEPTH, count_json_within};
use panel_kernel::rejection::RejectionKind;

use panel_platform::config::OVERHEAD_BYTES;

/// Values of a body of a caller who is not signed in: an order of the reseller API has a hundred ids or some thousand
/// comments. With their memory and a body of a megabyte they are within the share of one address.
const PUBLIC_VALUES: usize = 5_000;
/// Values of any other body: ten thousand services with nine fields each are as many.
const MOST_VALUES: usize = 100_000;
/// What a value takes when it is a field of its own with a short text, in bytes: two allocations, and its part of a map.
const VALUE_BYTES: usize = 128;

/// The bytes to reserve for the values of `body`; few values are part of the overhead that every body has had.
pub(super) fn decoded_bytes(headers: &HeaderMap, body: &[u8], is_signed_in: bool) -> Result<usize> {
    let most = if is_signed_in { MOST_VALUES } else { PUBLIC_VALUES };
    let values = json_values(body, most)?.max(form_fields(headers, body));
    if values > most {
        return Err(too_many(most));
    }
    Ok((values * VALUE_BYTES).saturating_sub(OVERHEAD_BYTES))
}

/// Only an object is read as JSON, whatever its type is said to be.
fn json_values(body: &[u8], most: usize) -> Result<usize> {
    if body.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
        return Ok(0);
    }
    count_json_within(body, JsonLimits { depth: MAX_DEPTH, values: most }).map_err(|error| match error {
        ForeignDataError::TooManyValues { limit } => too_many(limit),
        error => FieldErrors::one("body", format!("The body cannot be read: {error}.")).into(),
    })
}

fn form_fields(headers: &HeaderMap, body: &[u8]) -> usize {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_form = kind.trim_start().to_ascii_lowercase().starts_with("application/x-www-form-urlencoded");
    if is_form && !body.is_empty() { body.iter().filter(|byte| **byte == b'&').count() + 1 } else { 0 }
}

fn too_many(most: usize) -> Error {
    let message = format!("The body holds too many values: send at most {most} in one request.");
    Error::rejected(RejectionKind::TooLarge, "too_many_values", message)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn status(kind: &'static str, body: &str, is_signed_in: bool) -> Result<usize, u16> {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        decoded_bytes(&headers, body.as_bytes(), is_signed_in).map_err(|error| error.report("").kind.status())
    }

    #[test]
    fn values_are_counted_by_who_sends_them() {
        const JSON: &str = "application/json";
        let list = |values: usize| format!("{{\"a\":[{}]}}", vec!["1"; values - 1].join(","));
        let memory = PUBLIC_VALUES * VALUE_BYTES - OVERHEAD_BYTES;
        assert_eq!(status(JSON, &list(PUBLIC_VALUES), false), Ok(memory));
        assert_eq!(status(JSON, &list(PUBLIC_VALUES + 1), false), Err(413));
        assert_eq!(status("text/plain", &list(PUBLIC_VALUES + 1), false), Err(413), "the type may lie");
        assert_eq!(status(JSON, &list(PUBLIC_VALUES + 1), true), Ok(memory + VALUE_BYTES));
        assert_eq!(status(JSON, &list(MOST_VALUES), true), Ok(MOST_VALUES * VALUE_BYTES - OVERHEAD_BYTES));
        assert_eq!(status(JSON, &list(MOST_VALUES + 1), true), Err(413));
        assert_eq!(status(JSON, "{\"a\":[1,2,3]}", false), Ok(0), "few values are part of the overhead");
        assert_eq!(status(JSON, &format!("{{\"a\":{}", "[".repeat(MAX_DEPTH)), true), Err(422));
    }

    #[test]
    fn fields_of_forms_are_counted_as_well() {
        const FORM: &str = "Application/X-WWW-Form-URLencoded; charset=utf-8";
        let form = |fields: usize| vec!["a=1"; fields].join("&");
        assert_eq!(status(FORM, "", false), Ok(0));
        assert_eq!(
            status(FORM, &form(PUBLIC_VALUES), false),
            Ok(PUBLIC_VALUES * VALUE_BYTES - OVERHEAD_BYTES)
        );
        assert_eq!(status(FORM, &form(PUBLIC_VALUES + 1), false), Err(413));
        assert_eq!(status(FORM, &form(PUBLIC_VALUES + 1), true).map(|bytes| bytes > 0), Ok(true));
        // The parts of a multipart body are counted where they are read.
        assert_eq!(status("multipart/form-data; boundary=x", &form(PUBLIC_VALUES + 1), false), Ok(0));
    }
}
