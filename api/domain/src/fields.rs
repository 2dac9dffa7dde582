//! Checks of single fields that many records of the catalogue have: pure, each names the field that is wrong.

use std::ops::RangeInclusive;

use panel_contract::amount::Fraction;
use panel_contract::common::Patch;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::Id;

/// Longest address of a page.
const ADDRESS: usize = 2_000;

/// A text or none: trimmed, an empty one clears.
pub fn text(
    errors: &mut FieldErrors,
    field: &str,
    input: &Patch<String>,
    current: &mut Option<String>,
    most: usize,
) {
    let Some(text) = trimmed(input) else { return };
    match text.as_deref().map_or(Ok(()), |text| fits(text, most)) {
        Ok(()) => *current = text,
        Err(message) => errors.add(field, message),
    }
}

/// `#rrggbb` or none.
pub fn color(errors: &mut FieldErrors, field: &str, input: &Patch<String>, current: &mut Option<String>) {
    let Some(color) = trimmed(input) else { return };
    let is_color = |text: &str| {
        text.strip_prefix('#').is_some_and(|hex| hex.len() == 6 && hex.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    if color.as_deref().is_none_or(is_color) {
        *current = color.map(|color| color.to_ascii_lowercase());
    } else {
        errors.add(field, "Give a colour as # and six hexadecimal digits, such as #ff0033.");
    }
}

/// A part of an address or none.
pub fn slug(errors: &mut FieldErrors, field: &str, input: &Patch<String>, current: &mut Option<String>) {
    let Some(slug) = trimmed(input) else { return };
    let is_slug = |text: &str| {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        text.len() <= 100 && text.bytes().all(plain) && !text.starts_with('-') && !text.ends_with('-')
    };
    if slug.as_deref().is_none_or(is_slug) {
        *current = slug;
    } else {
        errors.add(field, "Use at most 100 small letters, digits and hyphens, with no hyphen at either end.");
    }
}

/// An absolute http(s) address or none.
pub fn address(errors: &mut FieldErrors, field: &str, input: &Patch<String>, current: &mut Option<String>) {
    let Some(address) = trimmed(input) else { return };
    if address.as_deref().is_none_or(is_address) {
        *current = address;
    } else {
        errors.add(field, "Give an absolute address that begins with http:// or https://.");
    }
}

/// Whether it is an absolute http(s) address.
#[must_use]
pub fn is_address(text: &str) -> bool {
    text.len() <= ADDRESS
        && url::Url::parse(text)
            .is_ok_and(|parsed| matches!(parsed.scheme(), "http" | "https") && parsed.has_host())
}

/// A whole number within bounds.
pub fn whole(
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
        errors.add(field, format!("Give a whole number from {} to {}.", bounds.start(), bounds.end()));
    }
}

/// A whole number within bounds, or none.
pub fn some_whole(
    errors: &mut FieldErrors,
    field: &str,
    input: &Patch<i64>,
    current: &mut Option<i64>,
    bounds: RangeInclusive<i64>,
) {
    match input.as_update() {
        None => {}
        Some(Some(number)) if !bounds.contains(number) => {
            errors.add(field, format!("Give a whole number from {} to {}.", bounds.start(), bounds.end()));
        }
        Some(number) => *current = number.copied(),
    }
}

/// An id, or none.
pub fn some_id<I: Id>(errors: &mut FieldErrors, field: &str, input: &Patch<I>, current: &mut Option<I>) {
    match input.as_update() {
        None => {}
        Some(Some(id)) if id.get() < 1 => {
            errors.add(field, format!("Give a whole number from 1 to {}.", i64::MAX));
        }
        Some(id) => *current = id.copied(),
    }
}

/// A share from 0 to `most` parts per million, or none.
pub fn share(
    errors: &mut FieldErrors,
    field: &str,
    input: &Patch<Fraction>,
    current: &mut Option<Fraction>,
    most: i64,
) {
    match input.as_update() {
        None => {}
        Some(Some(share)) if !(0..=most).contains(&share.0) => {
            errors.add(field, format!("Give a fraction from 0 to {}.", Fraction(most)));
        }
        Some(share) => *current = share.copied(),
    }
}

/// Why a text cannot be taken: its length, or control characters other than line ends and tabs.
pub fn fits(text: &str, most: usize) -> Result<(), String> {
    let length = text.chars().count();
    if length > most {
        return Err(format!("Use at most {most} characters; these are {length}."));
    }
    match text.chars().any(|letter| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t')) {
        true => Err("Remove the control characters.".to_owned()),
        false => Ok(()),
    }
}

/// The text trimmed for, trimmed; an empty one is none.
fn trimmed(input: &Patch<String>) -> Option<Option<String>> {
    input.as_update().map(|text| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_each_wrong_field() {
        let (mut errors, mut current) = (FieldErrors::default(), Some("before".to_owned()));
        let set = |text: &str| Patch::Set(text.to_owned());
        for bad in ["#12345", "red", "#12345g"] {
            color(&mut errors, "color", &set(bad), &mut current);
        }
        for bad in ["-a", "A", "a b", "é"] {
            slug(&mut errors, "slug", &set(bad), &mut current);
        }
        for bad in ["a.example", "ftp://a.example", "https://"] {
            address(&mut errors, "url", &set(bad), &mut current);
        }
        text(&mut errors, "title", &set("abc"), &mut current, 2);
        assert_eq!(current.as_deref(), Some("before"));
        let counts: Vec<_> = errors.0.iter().map(|(field, all)| (field.as_str(), all.len())).collect();
        assert_eq!(counts, [("color", 3), ("slug", 4), ("title", 1), ("url", 3)]);
        color(&mut errors, "color", &set(" #AABBCC "), &mut current);
        assert_eq!(current.as_deref(), Some("#aabbcc"));
        text(&mut errors, "title", &set("  "), &mut current, 2);
        assert_eq!(current, None);
    }
}
