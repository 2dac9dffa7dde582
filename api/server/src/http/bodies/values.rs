//! Computes the memory that a body needs after parsing. A parsed value can need fifty times the bytes of its JSON (`[],`), so this
//! module counts the values before a parser reads the body. It must not build values.

use axum::http::{HeaderMap, header};
use panel_contract::fields::FieldErrors;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::RejectionKind;
use panel_kernel::untrusted_data::{JsonLimits, MAX_DEPTH, UntrustedDataError, count_json_within};

use panel_platform::config::OVERHEAD_BYTES;

/// Maximum number of values in a body of an unauthenticated client. A request of the reseller API has up to a hundred ids or some
/// thousand comments. The memory of these values and a body of one megabyte fit into the limit of an address.
const MAX_PUBLIC_VALUES: usize = 5_000;
/// Maximum number of values in any other body, enough for ten thousand services with nine fields each.
const MAX_VALUES: usize = 100_000;
/// Memory of a typical value, a field with a short string, in bytes: two allocations and a part of a map.
const VALUE_BYTES: usize = 128;

/// Number of bytes to reserve for the parsed values of `body`. It is 0 for few values, because every body has already reserved an
/// overhead that covers them.
pub(super) fn parsed_values_bytes(headers: &HeaderMap, body: &[u8], is_signed_in: bool) -> Result<usize> {
    let max_values = if is_signed_in { MAX_VALUES } else { MAX_PUBLIC_VALUES };
    let value_count = count_json_values(body, max_values)?.max(count_form_fields(headers, body));
    if value_count > max_values {
        return Err(too_many_values_error(max_values));
    }
    Ok((value_count * VALUE_BYTES).saturating_sub(OVERHEAD_BYTES))
}

/// Counts the values of a JSON object, regardless of the `Content-Type`. Other bodies have 0, because handlers parse only objects
/// as JSON.
fn count_json_values(body: &[u8], max_values: usize) -> Result<usize> {
    if body.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
        return Ok(0);
    }
    count_json_within(body, JsonLimits { depth: MAX_DEPTH, values: max_values }).map_err(
        |error| match error {
            UntrustedDataError::TooManyValues { limit } => too_many_values_error(limit),
            error => FieldErrors::single("body", format!("The body cannot be parsed: {error}.")).into(),
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

    /// The reserved bytes, or the HTTP status of the error.
    fn bytes_or_status(content_type: &'static str, body: &str, is_signed_in: bool) -> Result<usize, u16> {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
        parsed_values_bytes(&headers, body.as_bytes(), is_signed_in)
            .map_err(|error| error.report("").kind.status())
    }

    #[test]
    fn the_limit_of_values_depends_on_the_sender() {
        const JSON: &str = "application/json";
        let json_with_values =
            |value_count: usize| format!("{{\"a\":[{}]}}", vec!["1"; value_count - 1].join(","));
        let reserved_bytes = MAX_PUBLIC_VALUES * VALUE_BYTES - OVERHEAD_BYTES;
        assert_eq!(bytes_or_status(JSON, &json_with_values(MAX_PUBLIC_VALUES), false), Ok(reserved_bytes));
        assert_eq!(bytes_or_status(JSON, &json_with_values(MAX_PUBLIC_VALUES + 1), false), Err(413));
        assert_eq!(
            bytes_or_status("text/plain", &json_with_values(MAX_PUBLIC_VALUES + 1), false),
            Err(413),
            "values must be counted even if the content type is wrong"
        );
        assert_eq!(
            bytes_or_status(JSON, &json_with_values(MAX_PUBLIC_VALUES + 1), true),
            Ok(reserved_bytes + VALUE_BYTES)
        );
        assert_eq!(
            bytes_or_status(JSON, &json_with_values(MAX_VALUES), true),
            Ok(MAX_VALUES * VALUE_BYTES - OVERHEAD_BYTES)
        );
        assert_eq!(bytes_or_status(JSON, &json_with_values(MAX_VALUES + 1), true), Err(413));
        assert_eq!(
            bytes_or_status(JSON, "{\"a\":[1,2,3]}", false),
            Ok(0),
            "the overhead must cover few values"
        );
        assert_eq!(bytes_or_status(JSON, &format!("{{\"a\":{}", "[".repeat(MAX_DEPTH)), true), Err(422));
    }

    #[test]
    fn counts_the_fields_of_forms() {
        const FORM: &str = "Application/X-WWW-Form-URLencoded; charset=utf-8";
        let form_with_fields = |field_count: usize| vec!["a=1"; field_count].join("&");
        assert_eq!(bytes_or_status(FORM, "", false), Ok(0));
        assert_eq!(
            bytes_or_status(FORM, &form_with_fields(MAX_PUBLIC_VALUES), false),
            Ok(MAX_PUBLIC_VALUES * VALUE_BYTES - OVERHEAD_BYTES)
        );
        assert_eq!(bytes_or_status(FORM, &form_with_fields(MAX_PUBLIC_VALUES + 1), false), Err(413));
        assert_eq!(
            bytes_or_status(FORM, &form_with_fields(MAX_PUBLIC_VALUES + 1), true).map(|bytes| bytes > 0),
            Ok(true)
        );
        // `multipart` counts the parts of a multipart body.
        assert_eq!(
            bytes_or_status(
                "multipart/form-data; boundary=x",
                &form_with_fields(MAX_PUBLIC_VALUES + 1),
                false
            ),
            Ok(0)
        );
    }
}
