//! Decodes characters that XML cannot contain, as spreadsheets write them: `_x000D_` is a carriage return, and `_x005F_` an underscore
//! before text that looks like such an escape.

use std::borrow::Cow;

/// Replaces the escapes of a text; other text stays unchanged.
pub(super) fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains("_x") {
        return text.into();
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("_x") {
        plain.push_str(&rest[..start]);
        rest = &rest[start..];
        match parse_escape(rest) {
            Some(character) => {
                plain.push(character);
                rest = &rest[ESCAPE_BYTES..];
            }
            None => {
                plain.push('_');
                rest = &rest[1..];
            }
        }
    }
    plain.push_str(rest);
    plain.into()
}

/// Bytes of one escape.
const ESCAPE_BYTES: usize = "_x000D_".len();

/// The character of the escape at the start of a text.
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
        for (written, plain) in [
            ("a_x000D_\nb", "a\r\nb"),
            ("_x005F_x000D_", "_x000D_"),
            ("_x00e4__x", "ä_x"),
            ("_xD800_ _x+123_ _x12_ _xüüü_", "_xD800_ _x+123_ _x12_ _xüüü_"),
            ("plain", "plain"),
        ] {
            assert_eq!(unescape(written), plain);
        }
    }
}
