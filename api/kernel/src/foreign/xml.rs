//! The shape of an XML document, checked without parsing it: depth, attributes and the length of tags. What parsers read
//! differently (a document type with a subset, `<` within a tag, comments that close at once, unclosed parts) is refused,
//! so that the scan and the parser after it see the same elements.

use super::{ForeignDataError, MAX_DEPTH};

/// What one document may have.
#[derive(Debug, Clone, Copy)]
pub struct XmlLimits {
    /// Levels of elements.
    pub depth: usize,
    /// Attributes of one element: parsers compare each with every other, so their time grows with the square.
    pub attributes: usize,
    /// Bytes of one tag.
    pub tag_bytes: usize,
}

impl Default for XmlLimits {
    fn default() -> Self {
        Self { depth: MAX_DEPTH, attributes: 64, tag_bytes: 256 << 10 }
    }
}

/// Refuses a document that is outside of the limits or not well formed around its tags.
pub fn check_xml(document: &[u8], limits: XmlLimits) -> Result<(), ForeignDataError> {
    // NUL is UTF-16 and ESC is ISO-2022: encodings in which `<` is not always a tag.
    if document.iter().any(|byte| matches!(byte, 0 | 0x1b)) {
        return Err(ForeignDataError::Malformed("it is not in an encoding like UTF-8"));
    }
    let mut scan = Scan { rest: document, open: Vec::new(), limits };
    while let Some(at) = position(scan.rest, b"<") {
        scan.rest = &scan.rest[at + 1..];
        scan.markup()?;
    }
    if scan.open.is_empty() { Ok(()) } else { Err(ForeignDataError::Malformed("an element is not closed")) }
}

struct Scan<'d> {
    /// What follows the last `<` that was read.
    rest: &'d [u8],
    /// Names of the elements that are open; at most `limits.depth`.
    open: Vec<&'d [u8]>,
    limits: XmlLimits,
}

impl<'d> Scan<'d> {
    fn markup(&mut self) -> Result<(), ForeignDataError> {
        if let Some(text) = self.rest.strip_prefix(b"!--") {
            if text.starts_with(b">") || text.starts_with(b"->") {
                return Err(ForeignDataError::Malformed("a comment closes at once"));
            }
            self.skip_past(b"-->", "a comment is not closed")
        } else if self.rest.starts_with(b"![CDATA[") {
            self.skip_past(b"]]>", "a CDATA section is not closed")
        } else if self.rest.starts_with(b"?") {
            self.skip_past(b"?>", "a processing instruction is not closed")
        } else if self.rest.starts_with(b"!") {
            self.document_type()
        } else if self.rest.starts_with(b"/") {
            self.end_tag()
        } else {
            self.start_tag()
        }
    }

    fn skip_past(&mut self, end: &[u8], why: &'static str) -> Result<(), ForeignDataError> {
        // Past the first byte after `<`: `<?>` is no whole instruction.
        let from = match end {
            b"-->" => 3,
            b"?>" => 1,
            _ => 0,
        };
        let at = position(&self.rest[from..], end).ok_or(ForeignDataError::Malformed(why))?;
        self.rest = &self.rest[from + at + end.len()..];
        Ok(())
    }

    /// `<!DOCTYPE …>` as old feeds have it, without declarations of its own.
    fn document_type(&mut self) -> Result<(), ForeignDataError> {
        let end = position(self.rest, b">").ok_or(ForeignDataError::Malformed("a tag is not closed"))?;
        let text = &self.rest[..end];
        let quotes = |quote: u8| text.iter().filter(|byte| **byte == quote).count() % 2;
        let is_plain =
            !text.iter().any(|byte| matches!(byte, b'[' | b'<')) && quotes(b'"') + quotes(b'\'') == 0;
        if !text.get(..8).is_some_and(|word| word.eq_ignore_ascii_case(b"!DOCTYPE")) || !is_plain {
            return Err(ForeignDataError::Malformed("it declares types of its own"));
        }
        self.rest = &self.rest[end + 1..];
        Ok(())
    }

    fn end_tag(&mut self) -> Result<(), ForeignDataError> {
        let end = position(self.rest, b">").ok_or(ForeignDataError::Malformed("a tag is not closed"))?;
        let name = self.rest[1..end].trim_ascii_end();
        if self.open.pop() != Some(name) {
            return Err(ForeignDataError::Malformed("an end tag closes another element"));
        }
        self.rest = &self.rest[end + 1..];
        Ok(())
    }

    fn start_tag(&mut self) -> Result<(), ForeignDataError> {
        let (end, attributes) = self.tag_end()?;
        if attributes > self.limits.attributes {
            return Err(ForeignDataError::TooManyAttributes { limit: self.limits.attributes });
        }
        let tag = &self.rest[..end];
        self.rest = &self.rest[end + 1..];
        let is_empty = tag.ends_with(b"/");
        if self.open.len() >= self.limits.depth {
            return Err(ForeignDataError::TooDeep { limit: self.limits.depth });
        }
        if !is_empty {
            let name = tag.split(u8::is_ascii_whitespace).next().unwrap_or_default();
            self.open.push(name);
        }
        Ok(())
    }

    /// Where the start tag ends, and how many `=` stand outside of its quotes.
    fn tag_end(&self) -> Result<(usize, usize), ForeignDataError> {
        let (mut quote, mut attributes) = (None, 0);
        for (at, byte) in self.rest.iter().enumerate() {
            if at > self.limits.tag_bytes {
                return Err(ForeignDataError::TagTooLong { limit: self.limits.tag_bytes });
            }
            match (quote, byte) {
                (_, b'<') => return Err(ForeignDataError::Malformed("`<` stands within a tag")),
                (None, b'>') => return Ok((at, attributes)),
                (None, b'"' | b'\'') => quote = Some(*byte),
                (None, b'=') => attributes += 1,
                (Some(open), byte) if open == *byte => quote = None,
                _ => {}
            }
        }
        Err(ForeignDataError::Malformed("a tag is not closed"))
    }
}

fn position(text: &[u8], part: &[u8]) -> Option<usize> {
    let first = *part.first()?;
    let mut from = 0;
    while let Some(at) = text.get(from..)?.iter().position(|byte| *byte == first) {
        if text[from + at..].starts_with(part) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FEW: XmlLimits = XmlLimits { depth: 3, attributes: 2, tag_bytes: 60 };

    fn check(text: &str) -> Result<(), ForeignDataError> {
        check_xml(text.as_bytes(), FEW)
    }

    #[test]
    fn what_is_no_element_counts_for_nothing() {
        for fine in [
            "",
            "text only",
            "<a><b><c/></b><b><c></c ></b></a>",
            "<a><![CDATA[<p><br><br><br><br>]]></a>",
            "<?xml version=\"1.0\"?><!-- <a><b><c><d> --><a/>",
            "<!DOCTYPE rss PUBLIC \"-//N//DTD RSS 0.91//EN\" \"http://n.example/rss.dtd\"><rss/>",
            "<a x='>' y=\"a=b=c=d\">1 > 0</a>",
        ] {
            assert_eq!(check(fine), Ok(()), "{fine}");
        }
    }

    #[test]
    fn limits_hold() {
        assert_eq!(check("<a><b><c><d/></c></b></a>"), Err(ForeignDataError::TooDeep { limit: 3 }));
        assert_eq!(check("<a x='' y='' z=''/>"), Err(ForeignDataError::TooManyAttributes { limit: 2 }));
        let long = format!("<a x='{}'/>", "x".repeat(60));
        assert_eq!(check(&long), Err(ForeignDataError::TagTooLong { limit: 60 }));
        for depth in [2_000, 6_000, 60_000] {
            let deep = format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth));
            let limits = XmlLimits::default();
            assert_eq!(
                check_xml(deep.as_bytes(), limits),
                Err(ForeignDataError::TooDeep { limit: MAX_DEPTH })
            );
        }
    }

    #[test]
    fn what_parsers_read_differently_is_refused() {
        for odd in [
            "<!--><a><a><a><a>-->",
            "<!---><a><a>-->",
            "<?><a><a>",
            "<!DOCTYPE a [<!ENTITY b 'c'>]><a/>",
            "<!DOCTYPE a \"><a><a>\"",
            "<!ELEMENT a>",
            "<a><b></a></b>",
            "<a></b><a></b>",
            "</a>",
            "<a",
            "<a x='",
            "<a x='<b>'/>",
            "<a>",
            "<!-- <a>",
            "<![CDATA[ ",
            "<\0a\0>\0",
            "<a>\u{1b}$B</a>",
        ] {
            assert!(matches!(check(odd), Err(ForeignDataError::Malformed(_))), "{odd}: {:?}", check(odd));
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_scan_fail(text in "(<|>|/|!|--|\\[CDATA\\[|]]>|a|b|=|'|\"|\\?| ){0,200}") {
            // Any verdict is fine; it must not panic, and what it accepts is balanced.
            if check(&text).is_ok() {
                prop_assert!(text.matches("</").count() <= text.matches('<').count());
            }
        }
    }
}
