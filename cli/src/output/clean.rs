//! What a terminal would act on, taken out of texts that customers wrote.

use std::borrow::Cow;

use panel_contract::hidden;

/// Hidden characters and joiners: a name could else rewrite the screen, or make `evil.example` read as another address.
fn acts(letter: char) -> bool {
    hidden::is_hidden(letter) || matches!(letter, '\u{200c}' | '\u{200d}')
}

/// One line of text that is safe to print: line breaks become spaces, the rest a replacement mark.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let letter = |letter| match letter {
        '\n' | '\r' | '\t' => ' ',
        letter if acts(letter) => '\u{fffd}',
        letter => letter,
    };
    Cow::Owned(text.chars().map(letter).collect())
}

/// The same for a JSON text: escaped, so that it stays the same value.
pub(crate) fn escape(json: &str) -> Cow<'_, str> {
    let harmful = |letter: char| letter != '\n' && acts(letter);
    if !json.contains(harmful) {
        return Cow::Borrowed(json);
    }
    let mut text = String::with_capacity(json.len());
    for letter in json.chars() {
        if harmful(letter) {
            let mut units = [0; 2];
            for unit in letter.encode_utf16(&mut units) {
                text.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            text.push(letter);
        }
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_acts() {
        assert_eq!(clean("plain 鈴木 ü 😀"), "plain 鈴木 ü 😀");
        assert_eq!(clean("a\u{1b}[2Jb\u{202e}c\td"), "a\u{fffd}[2Jb\u{fffd}c d");
        let json = escape("{\n\"a\":\"x\u{9b}\u{202e}\u{e0041}\"}").into_owned();
        assert_eq!(json, "{\n\"a\":\"x\\u009b\\u202e\\udb40\\udc41\"}");
        let bidi = ('\u{202a}'..='\u{202e}')
            .chain('\u{2066}'..='\u{2069}')
            .chain(['\u{200e}', '\u{200f}', '\u{61c}']);
        assert!(bidi.clone().all(|letter| clean(&format!("a{letter}b")) == "a\u{fffd}b"));
        assert!(bidi.clone().all(|letter| escape(&format!("\"{letter}\"")).is_ascii()));
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value["a"], "x\u{9b}\u{202e}\u{e0041}");
    }
}
