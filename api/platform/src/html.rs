//! Texts as parts of HTML. Pure; what a customer typed never becomes markup.

/// A text within an element or a quoted attribute.
#[must_use]
pub fn escaped(text: &str) -> String {
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
    fn nothing_ends_an_attribute_or_begins_a_tag() {
        assert_eq!(escaped("a\"><b>'&"), "a&quot;&gt;&lt;b&gt;&#39;&amp;");
    }
}
