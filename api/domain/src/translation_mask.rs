//! What a translator must leave alone: tags of HTML, and placeholders (`{name}`, `{{ name }}`, `%s`, `%1$d`). Placeholders
//! travel as empty tags; what comes back without all of them is no translation. Pure.

/// Longest placeholder.
const LONGEST: usize = 80;

/// A text as it travels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Masked {
    /// What is sent.
    pub text: String,
    /// Whether it is HTML.
    pub is_marked: bool,
    was_html: bool,
    kept: Vec<String>,
    tags: Vec<String>,
}

impl Masked {
    /// Puts the mask on.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let tags = tags_of(text);
        let was_html = !tags.is_empty();
        let (mut masked, mut kept, mut rest) = (String::new(), Vec::new(), text);
        while let Some(letter) = rest.chars().next() {
            // `5%d` is a share of something, not a placeholder.
            let follows_digit = letter == '%' && masked.ends_with(|before: char| before.is_ascii_digit());
            if let Some(length) = placeholder(rest).filter(|_| !follows_digit) {
                let (found, after) = rest.split_at(length);
                masked.push_str(&mark(kept.len()));
                kept.push(found.to_owned());
                rest = after;
                continue;
            }
            match letter {
                '&' if !was_html => masked.push_str("&amp;"),
                '<' if !was_html => masked.push_str("&lt;"),
                '>' if !was_html => masked.push_str("&gt;"),
                '\n' if !was_html => masked.push_str("<br>"),
                letter => masked.push(letter),
            }
            rest = &rest[letter.len_utf8()..];
        }
        let is_marked = was_html || !kept.is_empty();
        let text = if is_marked { masked } else { text.to_owned() };
        Self { text, is_marked, was_html, kept, tags }
    }

    /// Takes the mask off an answer; none when something got lost on the way.
    #[must_use]
    pub fn back(&self, answer: &str) -> Option<String> {
        let answer = answer.trim();
        if answer.is_empty() {
            return None;
        }
        if !self.is_marked {
            return Some(answer.to_owned());
        }
        let mut text = answer.to_owned();
        for (at, kept) in self.kept.iter().enumerate() {
            text = put_back(&text, at, kept)?;
        }
        if self.was_html {
            // Sorted: a language may say things in another order.
            let (mut now, mut was) = (tags_of(&text), self.tags.clone());
            now.sort_unstable();
            was.sort_unstable();
            return (now == was).then_some(text);
        }
        for (tag, letter) in [
            ("<br>", "\n"),
            ("<br/>", "\n"),
            ("<br />", "\n"),
            ("&lt;", "<"),
            ("&gt;", ">"),
            ("&quot;", "\""),
            ("&#39;", "'"),
            ("&amp;", "&"),
        ] {
            text = text.replace(tag, letter);
        }
        Some(text)
    }
}

fn mark(at: usize) -> String {
    format!("<x id=\"{at}\"></x>")
}

/// The text with placeholder `at` in its place; none unless it stands there once.
fn put_back(text: &str, at: usize, kept: &str) -> Option<String> {
    let found =
        [mark(at), format!("<x id=\"{at}\"/>"), format!("<x id=\"{at}\" />"), format!("<x id='{at}'></x>")]
            .into_iter()
            .find(|form| text.contains(form.as_str()))?;
    (text.matches(&found).count() == 1).then(|| text.replacen(&found, kept, 1))
}

/// How long the placeholder is that a text begins with.
fn placeholder(text: &str) -> Option<usize> {
    if text.starts_with("{{") {
        let end = text.find("}}")? + 2;
        return (end <= LONGEST && !text[..end].contains('\n')).then_some(end);
    }
    if text.starts_with('{') {
        let end = text.find('}')? + 1;
        let name = &text[1..end - 1];
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "_.-: ,".contains(letter);
        return (end <= LONGEST && !name.trim().is_empty() && name.chars().all(plain)).then_some(end);
    }
    let rest = text.strip_prefix('%')?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let after = rest[digits..].strip_prefix('$').unwrap_or(&rest[digits..]);
    let skipped = rest.len() - after.len();
    // 50 % of something is no placeholder: the letter stands right behind.
    let is_plain = digits == 0 || skipped > digits;
    let word_ends = !after.chars().nth(1).is_some_and(char::is_alphanumeric);
    (is_plain && after.starts_with(['s', 'd', 'f', '@']) && word_ends).then_some(1 + skipped + 1)
}

/// The tags of a text, by name: `b`, `/b`.
fn tags_of(text: &str) -> Vec<String> {
    let mut tags = Vec::new();
    for part in text.split('<').skip(1) {
        let Some((tag, _)) = part.split_once('>') else { continue };
        let name: String = tag
            .chars()
            .enumerate()
            .take_while(|(at, letter)| letter.is_ascii_alphanumeric() || (*at == 0 && *letter == '/'))
            .map(|(_, letter)| letter.to_ascii_lowercase())
            .collect();
        if name.trim_start_matches('/').starts_with(|letter: char| letter.is_ascii_alphabetic()) {
            tags.push(name);
        }
    }
    tags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_text_travels_as_it_is() {
        let masked = Masked::of("Fast & cheap, 50% off < 3 days\nsecond line");
        assert!(!masked.is_marked);
        assert_eq!(masked.text, "Fast & cheap, 50% off < 3 days\nsecond line");
        assert_eq!(masked.back(" Schnell & billig "), Some("Schnell & billig".into()));
        assert_eq!(masked.back("  "), None);
    }

    #[test]
    fn placeholders_come_back_where_they_belong() {
        let masked = Masked::of("Hello {name}, {{ count }} of %s & <3\nBye %1$d");
        assert_eq!(
            masked.text,
            "Hello <x id=\"0\"></x>, <x id=\"1\"></x> of <x id=\"2\"></x> &amp; &lt;3<br>Bye <x id=\"3\"></x>"
        );
        let answer = "<x id=\"1\"/> von <x id=\"2\"></x>, Hallo <x id=\"0\"></x> &amp; &lt;3<br>Tschüss <x id=\"3\"></x>";
        assert_eq!(masked.back(answer), Some("{{ count }} von %s, Hallo {name} & <3\nTschüss %1$d".into()));
        assert_eq!(masked.back("Hallo <x id=\"0\"></x>"), None, "one got lost");
        let twice = answer.replace("Hallo", "<x id=\"0\"></x>");
        assert_eq!(masked.back(&twice), None, "one came twice");
    }

    #[test]
    fn tags_are_counted() {
        let masked = Masked::of("<p>Fast <b>start</b> &amp; {x}</p>");
        assert_eq!(masked.text, "<p>Fast <b>start</b> &amp; <x id=\"0\"></x></p>");
        assert_eq!(
            masked.back("<p><b>Schneller</b> Start &amp; <x id=\"0\"></x></p>"),
            Some("<p><b>Schneller</b> Start &amp; {x}</p>".into())
        );
        assert_eq!(masked.back("<p>Schneller Start <x id=\"0\"></x></p>"), None);
    }

    #[test]
    fn percents_and_braces_are_not_always_placeholders() {
        for text in ["50% sale", "100 %", "{ }", "{a;b}", "{}", "5%d", "a { b"] {
            assert!(!Masked::of(text).is_marked, "{text}");
        }
        for text in ["%s", "{n}", "{{n}}", "(%d)"] {
            assert!(Masked::of(text).is_marked, "{text}");
        }
    }
}
