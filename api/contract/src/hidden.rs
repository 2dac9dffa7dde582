//! Characters that are not visible but change what a reader sees: controls, those that turn the direction of text, and
//! invisible letters by which two different names look the same. Pure; it never changes a text.

/// Whether a character has no picture of its own and is no part of how a language or an emoji is written: control
/// characters, bidirectional controls, invisible spaces and operators, annotations, tags. The two joiners (U+200C, U+200D)
/// and the variation selectors of emoji are not among them; [`in_name`] says where they may stand.
#[must_use]
pub fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || is_direction(letter)
        || matches!(letter,
            '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'
            | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character turns the direction of the text around it: marks, embeddings, overrides and isolates.
#[must_use]
pub fn is_direction(letter: char) -> bool {
    is_override(letter) || matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2066}'..='\u{2069}')
}

/// Whether it is an embedding or an override, which reorder what follows them, beyond their own text too. Isolates replaced
/// them in Unicode 6.3.
#[must_use]
pub fn is_override(letter: char) -> bool {
    matches!(letter, '\u{202a}'..='\u{202e}')
}

/// The first character that a name must not have. Joiners may follow letters of the scripts and emoji that are written with
/// them, and tags may follow the black flag, as in the flag of Scotland.
#[must_use]
pub fn in_name(name: &str) -> Option<char> {
    judged(name).find_map(|(letter, is_wrong)| is_wrong.then_some(letter))
}

/// A foreign name with a space for each character that a name must not have.
#[must_use]
pub fn blanked(name: &str) -> String {
    judged(name).map(|(letter, is_wrong)| if is_wrong { ' ' } else { letter }).collect()
}

/// Each character of a name, and whether the name must not have it there.
fn judged(name: &str) -> impl Iterator<Item = (char, bool)> {
    name.chars().scan(('a', false), |(before, is_flag), letter| {
        let is_joiner = matches!(letter, '\u{200c}' | '\u{200d}');
        let is_tag = matches!(letter, '\u{e0020}'..='\u{e007f}');
        let is_wrong = (is_joiner && before.is_ascii()) || (is_hidden(letter) && !(is_tag && *is_flag));
        *is_flag = letter == '\u{1f3f4}' || (is_tag && *is_flag);
        *before = letter;
        Some((letter, is_wrong))
    })
}

/// The first character that a text of several lines must not have. It keeps line ends, tabs, marks and isolates, which
/// texts in Arabic and Hebrew need beside words of other scripts.
#[must_use]
pub fn in_text(text: &str) -> Option<char> {
    let is_wrong = |letter: &char| {
        is_override(*letter) || (letter.is_control() && !matches!(letter, '\n' | '\r' | '\t'))
    };
    text.chars().find(is_wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_no_hidden_characters() {
        for letter in ('\u{202a}'..='\u{202e}')
            .chain('\u{2066}'..='\u{2069}')
            .chain([
                '\u{200e}', '\u{200f}', '\u{61c}', '\u{200b}', '\u{feff}', '\u{2060}', '\u{ad}', '\n', '\t',
                '\u{7f}', '\u{85}',
            ])
            .chain(['\u{e0041}', '\u{200d}', '\u{200c}', '\u{2028}', '\u{e0100}'])
        {
            let name = format!("a{letter}b");
            assert_eq!((in_name(&name), blanked(&name).as_str()), (Some(letter), "a b"), "{letter:?}");
        }
    }

    #[test]
    fn names_are_written_in_every_language() {
        for name in [
            "Ann",
            "鈴木",
            "علی",
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "👨\u{200d}👩\u{200d}👧",
            "❤\u{fe0f}",
            "1\u{fe0f}\u{20e3}",
            "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
            "🇩🇪",
            "",
        ] {
            assert_eq!((in_name(name), blanked(name).as_str()), (None, name), "{name}");
        }
    }

    #[test]
    fn texts_keep_marks_and_isolates() {
        assert_eq!(in_text("a\u{200f}b\u{2067}c\u{2069}\r\n\td"), None);
        assert_eq!(in_text("a\u{202e}b"), Some('\u{202e}'));
        assert_eq!(in_text("a\u{1b}b"), Some('\u{1b}'));
    }
}
