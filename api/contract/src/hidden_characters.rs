//! Detects hidden characters: control characters, bidirectional controls, and invisible characters that make two different names
//! look the same.

/// Whether a character is invisible and not needed by any language or emoji: control characters, bidirectional controls,
/// invisible spaces and operators, annotations, tags. The two joiners (U+200C, U+200D) and the variation selectors of emoji are not
/// hidden characters; [`find_in_name`] checks their position.
#[must_use]
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || is_direction_control(character)
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'
            | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character changes the direction of the text around it: marks, embeddings, overrides and isolates.
#[must_use]
pub fn is_direction_control(character: char) -> bool {
    is_direction_override(character)
        || matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character is a bidirectional embedding or override. These characters can also reorder the text after the string. The
/// newer isolates (Unicode 6.3) cannot.
#[must_use]
pub fn is_direction_override(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}')
}

/// The first character that is not allowed in a name; `None` if all are allowed. Joiners may follow non-ASCII letters and emoji,
/// and tags may follow the black flag emoji, as in the flag of Scotland.
#[must_use]
pub fn find_in_name(name: &str) -> Option<char> {
    mark_forbidden_characters(name).find_map(|(character, is_forbidden)| is_forbidden.then_some(character))
}

/// Replaces each character that is not allowed in a name by a space, for names from other systems.
#[must_use]
pub fn replace_with_spaces(name: &str) -> String {
    mark_forbidden_characters(name)
        .map(|(character, is_forbidden)| if is_forbidden { ' ' } else { character })
        .collect()
}

/// Each character of a name, and whether the character is forbidden at its position.
fn mark_forbidden_characters(name: &str) -> impl Iterator<Item = (char, bool)> {
    name.chars().scan(('a', false), |(previous, is_in_flag), character| {
        let is_joiner = matches!(character, '\u{200c}' | '\u{200d}');
        let is_tag = matches!(character, '\u{e0020}'..='\u{e007f}');
        let is_forbidden =
            (is_joiner && previous.is_ascii()) || (is_hidden(character) && !(is_tag && *is_in_flag));
        *is_in_flag = character == '\u{1f3f4}' || (is_tag && *is_in_flag);
        *previous = character;
        Some((character, is_forbidden))
    })
}

/// The first character that is not allowed in a text of several lines; `None` if all are allowed. Allowed are line ends, tabs, and
/// direction marks and isolates, which texts in Arabic and Hebrew need next to words of other scripts.
#[must_use]
pub fn find_in_text(text: &str) -> Option<char> {
    let is_forbidden = |character: &char| {
        is_direction_override(*character)
            || (character.is_control() && !matches!(character, '\n' | '\r' | '\t'))
    };
    text.chars().find(is_forbidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_hidden_characters_in_names() {
        for character in ('\u{202a}'..='\u{202e}')
            .chain('\u{2066}'..='\u{2069}')
            .chain([
                '\u{200e}', '\u{200f}', '\u{61c}', '\u{200b}', '\u{feff}', '\u{2060}', '\u{ad}', '\n', '\t',
                '\u{7f}', '\u{85}',
            ])
            .chain(['\u{e0041}', '\u{200d}', '\u{200c}', '\u{2028}', '\u{e0100}'])
        {
            let name = format!("a{character}b");
            assert_eq!(
                (find_in_name(&name), replace_with_spaces(&name).as_str()),
                (Some(character), "a b"),
                "{character:?}"
            );
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
            assert_eq!((find_in_name(name), replace_with_spaces(name).as_str()), (None, name), "{name}");
        }
    }

    #[test]
    fn accepts_direction_marks_and_isolates_in_texts() {
        assert_eq!(find_in_text("a\u{200f}b\u{2067}c\u{2069}\r\n\td"), None);
        assert_eq!(find_in_text("a\u{202e}b"), Some('\u{202e}'));
        assert_eq!(find_in_text("a\u{1b}b"), Some('\u{1b}'));
    }
}
