//! Removes or escapes characters of customers' texts that a terminal would interpret.

use std::borrow::Cow;

use panel_contract::hidden;

/// Whether a character is hidden or a joiner. Such a character could rewrite the screen, or make `evil.example` look like another
/// address.
fn is_unsafe(c: char) -> bool {
    hidden::is_hidden(c) || matches!(c, '\u{200c}' | '\u{200d}')
}

/// One line of text that is safe to print: line breaks and tabs become spaces, other unsafe characters a replacement character.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let replace = |c| match c {
        '\n' | '\r' | '\t' => ' ',
        c if is_unsafe(c) => '\u{fffd}',
        c => c,
    };
    Cow::Owned(text.chars().map(replace).collect())
}

/// Escapes unsafe characters of a JSON text, so that its value stays the same.
pub(crate) fn escape(json: &str) -> Cow<'_, str> {
    let must_escape = |c: char| c != '\n' && is_unsafe(c);
    if !json.contains(must_escape) {
        return Cow::Borrowed(json);
    }
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if must_escape(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                text.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            text.push(c);
        }
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_unsafe_character_remains() {
        assert_eq!(clean("plain 鈴木 ü 😀"), "plain 鈴木 ü 😀");
        assert_eq!(clean("a\u{1b}[2Jb\u{202e}c\td"), "a\u{fffd}[2Jb\u{fffd}c d");
        let json = escape("{\n\"a\":\"x\u{9b}\u{202e}\u{e0041}\"}").into_owned();
        assert_eq!(json, "{\n\"a\":\"x\\u009b\\u202e\\udb40\\udc41\"}");
        let bidi = ('\u{202a}'..='\u{202e}')
            .chain('\u{2066}'..='\u{2069}')
            .chain(['\u{200e}', '\u{200f}', '\u{61c}']);
        assert!(bidi.clone().all(|c| clean(&format!("a{c}b")) == "a\u{fffd}b"));
        assert!(bidi.clone().all(|c| escape(&format!("\"{c}\"")).is_ascii()));
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value["a"], "x\u{9b}\u{202e}\u{e0041}");
    }
}
