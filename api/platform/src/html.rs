//! Escapes texts for HTML, so that a customer's input never becomes markup. Pure.

/// Escapes a text for an element or a quoted attribute.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_quotes_and_tags() {
        assert_eq!(escape("a\"><b>'&"), "a&quot;&gt;&lt;b&gt;&#39;&amp;");
    }
}
