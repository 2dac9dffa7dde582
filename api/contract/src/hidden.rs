//! Detects hidden characters, which are invisible but change what a reader sees: control characters, bidirectional controls, and
//! invisible letters that make two different names look the same.

/// Whether a character is invisible and no language or emoji needs it: control characters, bidirectional controls, invisible
/// spaces and operators, annotations, tags. The two joiners (U+200C, U+200D) and the variation selectors of emoji are not
/// hidden; [`in_name`] checks their position.
#[must_use]
pub fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || is_direction(letter)
        || matches!(letter,
            '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'
            | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character changes the direction of the text around it: marks, embeddings, overrides and isolates.
#[must_use]
pub fn is_direction(letter: char) -> bool {
    is_override(letter) || matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character is an embedding or an override, which also reorder the text after their own. Isolates replaced them in
/// Unicode 6.3.
#[must_use]
pub fn is_override(letter: char) -> bool {
    matches!(letter, '\u{202a}'..='\u{202e}')
}

/// The first character that a name must not have. Joiners may follow non-ASCII letters and emoji, and tags may follow the black
/// flag emoji, as in the flag of Scotland.
#[must_use]
pub fn in_name(name: &str) -> Option<char> {
    check_letters(name).find_map(|(letter, is_wrong)| is_wrong.then_some(letter))
}

/// A name from another system, with each character that a name must not have replaced by a space.
#[must_use]
pub fn blanked(name: &str) -> String {
    check_letters(name).map(|(letter, is_wrong)| if is_wrong { ' ' } else { letter }).collect()
}

/// Each character of a name, and whether it is forbidden at its position.
fn check_letters(name: &str) -> impl Iterator<Item = (char, bool)> {
    name.chars().scan(('a', false), |(before, is_flag), letter| {
        let is_joiner = matches!(letter, '\u{200c}' | '\u{200d}');
        let is_tag = matches!(letter, '\u{e0020}'..='\u{e007f}');
        let is_wrong = (is_joiner && before.is_ascii()) || (is_hidden(letter) && !(is_tag && *is_flag));
        *is_flag = letter == '\u{1f3f4}' || (is_tag && *is_flag);
        *before = letter;
        Some((letter, is_wrong))
    })
}

/// The first character that a multi-line text must not have. Line ends and tabs are allowed, as are marks and isolates, which
/// texts in Arabic and Hebrew need next to words of other scripts.
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
    fn finds_hidden_characters_in_names() {
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
    fn accepts_names_of_all_languages() {
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
    fn accepts_marks_and_isolates_in_texts() {
        assert_eq!(in_text("a\u{200f}b\u{2067}c\u{2069}\r\n\td"), None);
        assert_eq!(in_text("a\u{202e}b"), Some('\u{202e}'));
        assert_eq!(in_text("a\u{1b}b"), Some('\u{1b}'));
    }
}
