//! Checks of single input fields that many records have. Each `apply_*` function stores a valid value in `current`, and adds an
//! error for `field` if the value is invalid. An absent input keeps the current value. Pure functions.

use std::ops::RangeInclusive;

use panel_contract::amount::Fraction;
use panel_contract::common::Patch;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::Id;

const MAX_URL_BYTES: usize = 2_000;
const MAX_SLUG_BYTES: usize = 100;

/// Applies a text of at most `max_chars` characters after trimming; an empty text clears the field.
pub fn apply_text(
    errors: &mut FieldErrors,
    field: &str,
    input: &Patch<String>,
    current: &mut Option<String>,
    max_chars: usize,
) {
    let Some(text) = trim_input(input) else { return };
    match text.as_deref().map_or(Ok(()), |text| check_text(text, max_chars)) {
        Ok(()) => *current = text,
        Err(message) => errors.add(field, message),
    }
}

/// Applies a color, `#rrggbb`, which is stored in lower case; an empty string clears the field.
pub fn apply_color(
    errors: &mut FieldErrors,
    field: &str,
    input: &Patch<String>,
    current: &mut Option<String>,
) {
    let Some(color) = trim_input(input) else { return };
    let is_color = |text: &str| {
        text.strip_prefix('#')
            .is_some_and(|hex| hex.len() == 6 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    if color.as_deref().is_none_or(is_color) {
        *current = color.map(|color| color.to_ascii_lowercase());
    } else {
        errors.add(field, "Enter a color as # and six hexadecimal digits, such as #ff0033.");
    }
}

/// Applies a slug, which is one segment of a URL path; an empty string clears the field.
pub fn apply_slug(
    errors: &mut FieldErrors,
    field: &str,
    input: &Patch<String>,
    current: &mut Option<String>,
) {
    let Some(slug) = trim_input(input) else { return };
    let is_slug = |text: &str| {
        let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        text.len() <= MAX_SLUG_BYTES
            && text.bytes().all(is_allowed)
            && !text.starts_with('-')
            && !text.ends_with('-')
    };
    if slug.as_deref().is_none_or(is_slug) {
        *current = slug;
    } else {
        errors.add(
            field,
            "Use at most 100 lowercase letters, digits and hyphens, with no hyphen at either end.",
        );
    }
}

/// Applies an absolute HTTP(S) URL; an empty string clears the field.
pub fn apply_http_url(
    errors: &mut FieldErrors,
    field: &str,
    input: &Patch<String>,
    current: &mut Option<String>,
) {
    let Some(url) = trim_input(input) else { return };
    if url.as_deref().is_none_or(is_http_url) {
        *current = url;
    } else {
        errors.add(field, "Enter a full URL that begins with http:// or https://.");
    }
}

/// Whether the string is an absolute HTTP(S) URL of at most 2,000 bytes.
#[must_use]
pub fn is_http_url(text: &str) -> bool {
    text.len() <= MAX_URL_BYTES
        && url::Url::parse(text)
            .is_ok_and(|parsed| matches!(parsed.scheme(), "http" | "https") && parsed.has_host())
}

/// Applies an integer within `bounds`, for a field that cannot be cleared.
pub fn apply_integer(
    errors: &mut FieldErrors,
    field: &str,
    input: Option<i64>,
    current: &mut i64,
    bounds: RangeInclusive<i64>,
) {
    let Some(number) = input else { return };
    if bounds.contains(&number) {
        *current = number;
    } else {
        errors.add(field, format!("Enter a whole number from {} to {}.", bounds.start(), bounds.end()));
    }
}

/// Applies an integer within `bounds`; null clears the field.
pub fn apply_optional_integer(
    errors: &mut FieldErrors,
    field: &str,
    input: &Patch<i64>,
    current: &mut Option<i64>,
    bounds: RangeInclusive<i64>,
) {
    match input.as_update() {
        None => {}
        Some(Some(number)) if !bounds.contains(number) => {
            errors.add(field, format!("Enter a whole number from {} to {}.", bounds.start(), bounds.end()));
        }
        Some(number) => *current = number.copied(),
    }
}

/// Applies an id of at least 1; null clears the field. Does not check that the record exists.
pub fn apply_optional_id<I: Id>(
    errors: &mut FieldErrors,
    field: &str,
    input: &Patch<I>,
    current: &mut Option<I>,
) {
    match input.as_update() {
        None => {}
        Some(Some(id)) if id.get() < 1 => {
            errors.add(field, format!("Enter a whole number from 1 to {}.", i64::MAX));
        }
        Some(id) => *current = id.copied(),
    }
}

/// Applies a fraction from 0 to `max_ppm` parts per million; null clears the field.
pub fn apply_optional_fraction(
    errors: &mut FieldErrors,
    field: &str,
    input: &Patch<Fraction>,
    current: &mut Option<Fraction>,
    max_ppm: i64,
) {
    match input.as_update() {
        None => {}
        Some(Some(fraction)) if !(0..=max_ppm).contains(&fraction.0) => {
            errors.add(field, format!("Enter a fraction from 0 to {}.", Fraction(max_ppm)));
        }
        Some(fraction) => *current = fraction.copied(),
    }
}

/// Returns an error message for a text that is too long or contains control characters other than line ends and tabs.
pub fn check_text(text: &str, max_chars: usize) -> Result<(), String> {
    let char_count = text.chars().count();
    if char_count > max_chars {
        return Err(format!("Use at most {max_chars} characters instead of {char_count}."));
    }
    match text.chars().any(|letter| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t')) {
        true => Err("Remove the control characters.".to_owned()),
        false => Ok(()),
    }
}

/// Trims the input. Returns `None` if the input is absent, and `Some(None)` if it is null or empty after trimming.
fn trim_input(input: &Patch<String>) -> Option<Option<String>> {
    input.as_update().map(|text| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_value_adds_an_error_and_keeps_the_current_value() {
        let (mut errors, mut current) = (FieldErrors::default(), Some("before".to_owned()));
        let set = |text: &str| Patch::Set(text.to_owned());
        for invalid in ["#12345", "red", "#12345g"] {
            apply_color(&mut errors, "color", &set(invalid), &mut current);
        }
        for invalid in ["-a", "A", "a b", "é"] {
            apply_slug(&mut errors, "slug", &set(invalid), &mut current);
        }
        for invalid in ["a.example", "ftp://a.example", "https://"] {
            apply_http_url(&mut errors, "url", &set(invalid), &mut current);
        }
        apply_text(&mut errors, "title", &set("abc"), &mut current, 2);
        assert_eq!(current.as_deref(), Some("before"));
        let counts: Vec<_> =
            errors.0.iter().map(|(field, messages)| (field.as_str(), messages.len())).collect();
        assert_eq!(counts, [("color", 3), ("slug", 4), ("title", 1), ("url", 3)]);
        apply_color(&mut errors, "color", &set(" #AABBCC "), &mut current);
        assert_eq!(current.as_deref(), Some("#aabbcc"));
        apply_text(&mut errors, "title", &set("  "), &mut current, 2);
        assert_eq!(current, None);
    }
}
