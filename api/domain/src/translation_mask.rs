//! Protects HTML tags and placeholders (`{name}`, `{{ name }}`, `%s`, `%1$d`) during machine translation. Placeholders are sent as
//! empty tags. A translation in which a tag or placeholder is missing must be rejected. Pure functions.

/// Maximum length of a placeholder in bytes.
const MAX_PLACEHOLDER_BYTES: usize = 80;

/// A text in the form that is sent to the translation service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaskedText {
    pub text: String,
    /// Whether `text` is HTML, because the original is HTML or has placeholders.
    pub is_html: bool,
    original_is_html: bool,
    placeholders: Vec<String>,
    /// Names of the tags of the original text.
    tags: Vec<String>,
}

impl MaskedText {
    #[must_use]
    pub fn new(text: &str) -> Self {
        let tags = find_tag_names(text);
        let original_is_html = !tags.is_empty();
        let (mut masked, mut placeholders, mut remaining) = (String::new(), Vec::new(), text);
        while let Some(char) = remaining.chars().next() {
            // `5%d` is a percentage, not a placeholder.
            let follows_digit = char == '%' && masked.ends_with(|previous: char| previous.is_ascii_digit());
            if let Some(length) = placeholder_length(remaining).filter(|_| !follows_digit) {
                let (placeholder, after) = remaining.split_at(length);
                masked.push_str(&placeholder_tag(placeholders.len()));
                placeholders.push(placeholder.to_owned());
                remaining = after;
                continue;
            }
            match char {
                '&' if !original_is_html => masked.push_str("&amp;"),
                '<' if !original_is_html => masked.push_str("&lt;"),
                '>' if !original_is_html => masked.push_str("&gt;"),
                '\n' if !original_is_html => masked.push_str("<br>"),
                char => masked.push(char),
            }
            remaining = &remaining[char.len_utf8()..];
        }
        let is_html = original_is_html || !placeholders.is_empty();
        let text = if is_html { masked } else { text.to_owned() };
        Self { text, is_html, original_is_html, placeholders, tags }
    }

    /// The translation with the original placeholders. `None` if the translation is empty, or if a tag or placeholder is missing or
    /// repeated.
    #[must_use]
    pub fn restore(&self, translation: &str) -> Option<String> {
        let translation = translation.trim();
        if translation.is_empty() {
            return None;
        }
        if !self.is_html {
            return Some(translation.to_owned());
        }
        let mut text = translation.to_owned();
        for (index, placeholder) in self.placeholders.iter().enumerate() {
            text = restore_placeholder(&text, index, placeholder)?;
        }
        if self.original_is_html {
            // The tags are compared after sorting, because the word order depends on the language.
            let (mut translated_tags, mut original_tags) = (find_tag_names(&text), self.tags.clone());
            translated_tags.sort_unstable();
            original_tags.sort_unstable();
            return (translated_tags == original_tags).then_some(text);
        }
        for (encoded, plain) in [
            ("<br>", "\n"),
            ("<br/>", "\n"),
            ("<br />", "\n"),
            ("&lt;", "<"),
            ("&gt;", ">"),
            ("&quot;", "\""),
            ("&#39;", "'"),
            ("&amp;", "&"),
        ] {
            text = text.replace(encoded, plain);
        }
        Some(text)
    }
}

fn placeholder_tag(index: usize) -> String {
    format!("<x id=\"{index}\"></x>")
}

/// Replaces the tag of a placeholder by the placeholder; `None` unless the text contains the tag exactly once.
fn restore_placeholder(text: &str, index: usize, placeholder: &str) -> Option<String> {
    let tag = [
        placeholder_tag(index),
        format!("<x id=\"{index}\"/>"),
        format!("<x id=\"{index}\" />"),
        format!("<x id='{index}'></x>"),
    ]
    .into_iter()
    .find(|form| text.contains(form.as_str()))?;
    (text.matches(&tag).count() == 1).then(|| text.replacen(&tag, placeholder, 1))
}

/// The length in bytes of the placeholder at the beginning of a text; `None` if the text does not begin with a placeholder.
fn placeholder_length(text: &str) -> Option<usize> {
    if text.starts_with("{{") {
        let end = text.find("}}")? + 2;
        return (end <= MAX_PLACEHOLDER_BYTES && !text[..end].contains('\n')).then_some(end);
    }
    if text.starts_with('{') {
        let end = text.find('}')? + 1;
        let name = &text[1..end - 1];
        let is_allowed = |char: char| char.is_ascii_alphanumeric() || "_.-: ,".contains(char);
        return (end <= MAX_PLACEHOLDER_BYTES && !name.trim().is_empty() && name.chars().all(is_allowed))
            .then_some(end);
    }
    let format = text.strip_prefix('%')?;
    let digit_count = format.bytes().take_while(u8::is_ascii_digit).count();
    let conversion = format[digit_count..].strip_prefix('$').unwrap_or(&format[digit_count..]);
    let position_length = format.len() - conversion.len();
    // `%5d` is not a placeholder, because a number must be a position, which ends with `$`.
    let has_valid_position = digit_count == 0 || position_length > digit_count;
    let word_ends = !conversion.chars().nth(1).is_some_and(char::is_alphanumeric);
    (has_valid_position && conversion.starts_with(['s', 'd', 'f', '@']) && word_ends)
        .then_some(1 + position_length + 1)
}

/// The names of the tags of a text, such as `b` and `/b`.
fn find_tag_names(text: &str) -> Vec<String> {
    let mut tags = Vec::new();
    for part in text.split('<').skip(1) {
        let Some((tag, _)) = part.split_once('>') else { continue };
        let name: String = tag
            .chars()
            .enumerate()
            .take_while(|(index, char)| char.is_ascii_alphanumeric() || (*index == 0 && *char == '/'))
            .map(|(_, char)| char.to_ascii_lowercase())
            .collect();
        if name.trim_start_matches('/').starts_with(|char: char| char.is_ascii_alphabetic()) {
            tags.push(name);
        }
    }
    tags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_tags_and_placeholders_is_sent_unchanged() {
        let masked = MaskedText::new("Fast & cheap, 50% off < 3 days\nsecond line");
        assert!(!masked.is_html);
        assert_eq!(masked.text, "Fast & cheap, 50% off < 3 days\nsecond line");
        assert_eq!(masked.restore(" Schnell & billig "), Some("Schnell & billig".into()));
        assert_eq!(masked.restore("  "), None);
    }

    #[test]
    fn restores_placeholders_in_the_order_of_the_translation() {
        let masked = MaskedText::new("Hello {name}, {{ count }} of %s & <3\nBye %1$d");
        assert_eq!(
            masked.text,
            "Hello <x id=\"0\"></x>, <x id=\"1\"></x> of <x id=\"2\"></x> &amp; &lt;3<br>Bye <x id=\"3\"></x>"
        );
        let translation = "<x id=\"1\"/> von <x id=\"2\"></x>, Hallo <x id=\"0\"></x> &amp; &lt;3<br>Tschüss <x id=\"3\"></x>";
        assert_eq!(
            masked.restore(translation),
            Some("{{ count }} von %s, Hallo {name} & <3\nTschüss %1$d".into())
        );
        assert_eq!(
            masked.restore("Hallo <x id=\"0\"></x>"),
            None,
            "a translation with a missing placeholder must be rejected"
        );
        let repeated = translation.replace("Hallo", "<x id=\"0\"></x>");
        assert_eq!(
            masked.restore(&repeated),
            None,
            "a translation with a repeated placeholder must be rejected"
        );
    }

    #[test]
    fn a_translation_must_have_the_tags_of_the_original() {
        let masked = MaskedText::new("<p>Fast <b>start</b> &amp; {x}</p>");
        assert_eq!(masked.text, "<p>Fast <b>start</b> &amp; <x id=\"0\"></x></p>");
        assert_eq!(
            masked.restore("<p><b>Schneller</b> Start &amp; <x id=\"0\"></x></p>"),
            Some("<p><b>Schneller</b> Start &amp; {x}</p>".into())
        );
        assert_eq!(masked.restore("<p>Schneller Start <x id=\"0\"></x></p>"), None);
    }

    #[test]
    fn not_every_percent_sign_and_brace_is_a_placeholder() {
        for text in ["50% sale", "100 %", "{ }", "{a;b}", "{}", "5%d", "a { b"] {
            assert!(!MaskedText::new(text).is_html, "{text}");
        }
        for text in ["%s", "{n}", "{{n}}", "(%d)"] {
            assert!(MaskedText::new(text).is_html, "{text}");
        }
    }
}
