//! Decodes the escapes that spreadsheets write for characters that XML cannot contain: `_x000D_` is a carriage return, and
//! `_x005F_` an underscore before text that looks like such an escape.

use std::borrow::Cow;

/// Replaces the escapes in the text by their characters.
pub(super) fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains("_x") {
        return text.into();
    }
    let mut unescaped = String::with_capacity(text.len());
    let mut remaining = text;
    while let Some(start) = remaining.find("_x") {
        unescaped.push_str(&remaining[..start]);
        remaining = &remaining[start..];
        match parse_escape(remaining) {
            Some(character) => {
                unescaped.push(character);
                remaining = &remaining[ESCAPE_BYTES..];
            }
            None => {
                unescaped.push('_');
                remaining = &remaining[1..];
            }
        }
    }
    unescaped.push_str(remaining);
    unescaped.into()
}

/// Bytes of one escape.
const ESCAPE_BYTES: usize = "_x000D_".len();

/// Parses an escape at the start of the text; `None` if the text does not start with an escape.
fn parse_escape(text: &str) -> Option<char> {
    let digits = text.get(..ESCAPE_BYTES)?.strip_prefix("_x")?.strip_suffix('_')?;
    let is_hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let code = u32::from_str_radix(digits, 16).ok().filter(|_| is_hexadecimal)?;
    char::from_u32(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_only_valid_escapes() {
        for (escaped, unescaped) in [
            ("a_x000D_\nb", "a\r\nb"),
            ("_x005F_x000D_", "_x000D_"),
            ("_x00e4__x", "ä_x"),
            ("_xD800_ _x+123_ _x12_ _xüüü_", "_xD800_ _x+123_ _x12_ _xüüü_"),
            ("plain", "plain"),
        ] {
            assert_eq!(unescape(escaped), unescaped);
        }
    }
}
