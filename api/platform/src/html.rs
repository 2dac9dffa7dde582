//! Escapes texts for HTML, so that a customer's input never becomes markup. Pure.

/// Escapes a text for an element or a quoted attribute.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            _ => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_quotes_and_tags() {
        assert_eq!(escape("a\"><b>'&"), "a&quot;&gt;&lt;b&gt;&#39;&amp;");
    }
}
