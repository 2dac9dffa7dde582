//! Replaces or escapes characters in customers' texts that a terminal would interpret.

use std::borrow::Cow;

use panel_contract::hidden_characters;

/// Whether a character is invisible, such as a control character or a joiner. It could rewrite the screen, or make `evil.example`
/// look like another address.
fn is_unsafe(c: char) -> bool {
    hidden_characters::is_hidden(c) || matches!(c, '\u{200c}' | '\u{200d}')
}

/// Makes one line of text that is safe to print: replaces line breaks and tabs by spaces, other unsafe characters by U+FFFD.
pub(crate) fn replace_unsafe(text: &str) -> Cow<'_, str> {
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

/// Escapes the unsafe characters of a JSON text. The JSON value stays the same.
pub(crate) fn escape_unsafe(json: &str) -> Cow<'_, str> {
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
        assert_eq!(replace_unsafe("plain 鈴木 ü 😀"), "plain 鈴木 ü 😀");
        assert_eq!(replace_unsafe("a\u{1b}[2Jb\u{202e}c\td"), "a\u{fffd}[2Jb\u{fffd}c d");
        let json = escape_unsafe("{\n\"a\":\"x\u{9b}\u{202e}\u{e0041}\"}").into_owned();
        assert_eq!(json, "{\n\"a\":\"x\\u009b\\u202e\\udb40\\udc41\"}");
        let direction_marks = ('\u{202a}'..='\u{202e}')
            .chain('\u{2066}'..='\u{2069}')
            .chain(['\u{200e}', '\u{200f}', '\u{61c}']);
        assert!(direction_marks.clone().all(|c| replace_unsafe(&format!("a{c}b")) == "a\u{fffd}b"));
        assert!(direction_marks.clone().all(|c| escape_unsafe(&format!("\"{c}\"")).is_ascii()));
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value["a"], "x\u{9b}\u{202e}\u{e0041}");
    }
}
