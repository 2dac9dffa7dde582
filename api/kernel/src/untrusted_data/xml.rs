//! Scans an XML document for depth, number of attributes and length of tags without parsing it. Constructs that parsers interpret
//! differently (a document type with a subset, `<` within a tag, comments that close immediately, unclosed tokens) are rejected, so
//! that the scan and the parser see the same elements.

use memchr::{memchr, memchr2, memmem};

use super::{MAX_DEPTH, UntrustedDataError};

/// Limits of an XML document.
#[derive(Debug, Clone, Copy)]
pub struct XmlLimits {
    /// Maximum nesting of elements.
    pub depth: usize,
    /// Maximum number of attributes of one element: parsers compare each with every other, so their time grows with the square.
    pub attributes: usize,
    /// Maximum length of one tag.
    pub tag_bytes: usize,
}

impl Default for XmlLimits {
    fn default() -> Self {
        Self { depth: MAX_DEPTH, attributes: 64, tag_bytes: 256 << 10 }
    }
}

/// A token of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct XmlToken<'d> {
    /// All bytes of the token, including the brackets of markup.
    pub raw: &'d [u8],
    pub kind: XmlTokenKind<'d>,
}

/// Kind of a token. The level of the root element is 1; both tags of an element have the same level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum XmlTokenKind<'d> {
    /// `<name …>` or `<name …/>`.
    Start {
        /// The name with its prefix.
        name: &'d [u8],
        level: usize,
        /// Whether the element has no content and no end tag: `<name …/>`.
        is_empty: bool,
    },
    /// `</name>`.
    End { level: usize },
    /// Text between tags, or a CDATA section.
    Text,
    /// `<?…?>`.
    Instruction,
    /// A comment or a document type.
    Other,
}

/// Rejects a document that is outside of the limits or not well formed around its tags.
pub fn check_xml(document: &[u8], limits: XmlLimits) -> Result<(), UntrustedDataError> {
    scan_xml(document, limits, |_| Ok(()))
}

/// Passes the tokens of a document to `visit` in order, up to the first one that exceeds a limit, is malformed, or that `visit`
/// rejects.
pub fn scan_xml<'d>(
    document: &'d [u8],
    limits: XmlLimits,
    mut visit: impl FnMut(XmlToken<'d>) -> Result<(), UntrustedDataError>,
) -> Result<(), UntrustedDataError> {
    // NUL occurs in UTF-16 and ESC in ISO-2022, encodings in which the byte `<` is not always the start of a tag.
    if memchr2(0, 0x1b, document).is_some() {
        return Err(UntrustedDataError::Malformed("the encoding is not a superset of ASCII"));
    }
    let mut scanner = XmlScanner { rest: document, open: Vec::new(), limits };
    while !scanner.rest.is_empty() {
        let token = scanner.next()?;
        visit(token)?;
    }
    if scanner.open.is_empty() {
        Ok(())
    } else {
        Err(UntrustedDataError::Malformed("an element is not closed"))
    }
}

const UNCLOSED_TAG: UntrustedDataError = UntrustedDataError::Malformed("a tag is not closed");

struct XmlScanner<'d> {
    rest: &'d [u8],
    /// Names of the open elements; at most `limits.depth`.
    open: Vec<&'d [u8]>,
    limits: XmlLimits,
}

impl<'d> XmlScanner<'d> {
    fn next(&mut self) -> Result<XmlToken<'d>, UntrustedDataError> {
        let Some(markup) = self.rest.strip_prefix(b"<") else {
            let end = memchr(b'<', self.rest).unwrap_or(self.rest.len());
            return Ok(self.take(end, XmlTokenKind::Text));
        };
        if let Some(text) = markup.strip_prefix(b"!--") {
            if text.starts_with(b">") || text.starts_with(b"->") {
                return Err(UntrustedDataError::Malformed("a comment closes immediately"));
            }
            self.take_until(4, b"-->", XmlTokenKind::Other, "a comment is not closed")
        } else if markup.starts_with(b"![CDATA[") {
            self.take_until(9, b"]]>", XmlTokenKind::Text, "a CDATA section is not closed")
        } else if markup.starts_with(b"?") {
            // Start after the first question mark: `<?>` is not a complete instruction.
            self.take_until(2, b"?>", XmlTokenKind::Instruction, "a processing instruction is not closed")
        } else if markup.starts_with(b"!") {
            self.document_type()
        } else if markup.starts_with(b"/") {
            self.end_tag()
        } else {
            self.start_tag()
        }
    }

    /// The token of the next `bytes` bytes.
    fn take(&mut self, bytes: usize, kind: XmlTokenKind<'d>) -> XmlToken<'d> {
        let (raw, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        XmlToken { raw, kind }
    }

    /// The token up to and including `end`, searched after the first `from` bytes.
    fn take_until(
        &mut self,
        from: usize,
        end: &[u8],
        kind: XmlTokenKind<'d>,
        unclosed_error: &'static str,
    ) -> Result<XmlToken<'d>, UntrustedDataError> {
        let at =
            memmem::find(&self.rest[from..], end).ok_or(UntrustedDataError::Malformed(unclosed_error))?;
        Ok(self.take(from + at + end.len(), kind))
    }

    /// `<!DOCTYPE …>`, which old feeds have. Own declarations are rejected, because they could define entities.
    fn document_type(&mut self) -> Result<XmlToken<'d>, UntrustedDataError> {
        let end = memchr(b'>', self.rest).ok_or(UNCLOSED_TAG)?;
        let text = &self.rest[1..end];
        let unpaired_quotes = |quote: u8| text.iter().filter(|byte| **byte == quote).count() % 2;
        let is_plain =
            memchr2(b'[', b'<', text).is_none() && unpaired_quotes(b'"') + unpaired_quotes(b'\'') == 0;
        if !text.get(..8).is_some_and(|keyword| keyword.eq_ignore_ascii_case(b"!DOCTYPE")) || !is_plain {
            return Err(UntrustedDataError::Malformed("it declares its own types"));
        }
        Ok(self.take(end + 1, XmlTokenKind::Other))
    }

    fn end_tag(&mut self) -> Result<XmlToken<'d>, UntrustedDataError> {
        let end = memchr(b'>', self.rest).ok_or(UNCLOSED_TAG)?;
        let (name, level) = (self.rest[2..end].trim_ascii_end(), self.open.len());
        if self.open.pop() != Some(name) {
            return Err(UntrustedDataError::Malformed("an end tag closes another element"));
        }
        Ok(self.take(end + 1, XmlTokenKind::End { level }))
    }

    fn start_tag(&mut self) -> Result<XmlToken<'d>, UntrustedDataError> {
        let (end, attributes) = self.tag_end()?;
        if attributes > self.limits.attributes {
            return Err(UntrustedDataError::TooManyAttributes { limit: self.limits.attributes });
        }
        if self.open.len() >= self.limits.depth {
            return Err(UntrustedDataError::TooDeep { limit: self.limits.depth });
        }
        let (tag, level) = (&self.rest[1..end], self.open.len() + 1);
        let is_empty = tag.ends_with(b"/");
        let name = tag.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        if is_empty {
            let name = name.strip_suffix(b"/").unwrap_or(name);
            return Ok(self.take(end + 1, XmlTokenKind::Start { name, level, is_empty }));
        }
        self.open.push(name);
        Ok(self.take(end + 1, XmlTokenKind::Start { name, level, is_empty }))
    }

    /// The end of the start tag, and the number of `=` outside of quotes.
    fn tag_end(&self) -> Result<(usize, usize), UntrustedDataError> {
        let (mut quote, mut attributes) = (None, 0);
        for (at, byte) in self.rest.iter().enumerate().skip(1) {
            if at > self.limits.tag_bytes {
                return Err(UntrustedDataError::TagTooLong { limit: self.limits.tag_bytes });
            }
            match (quote, byte) {
                (_, b'<') => return Err(UntrustedDataError::Malformed("a tag contains `<`")),
                (None, b'>') => return Ok((at, attributes)),
                (None, b'"' | b'\'') => quote = Some(*byte),
                (None, b'=') => attributes += 1,
                (Some(open), byte) if open == *byte => quote = None,
                _ => {}
            }
        }
        Err(UNCLOSED_TAG)
    }
}

#[cfg(test)]
mod tests {
    use panel_fuzz::{FuzzTarget, xml_documents};
    use quick_xml::NsReader;
    use quick_xml::encoding::DecodingReader;
    use quick_xml::events::Event;

    use super::*;

    const TEST_LIMITS: XmlLimits = XmlLimits { depth: 3, attributes: 2, tag_bytes: 60 };

    fn check(text: &str) -> Result<(), UntrustedDataError> {
        check_xml(text.as_bytes(), TEST_LIMITS)
    }

    #[test]
    fn counts_only_elements() {
        for accepted in [
            "",
            "text only",
            "<a><b><c/></b><b><c></c ></b></a>",
            "<a><![CDATA[<p><br><br><br><br>]]></a>",
            "<?xml version=\"1.0\"?><!-- <a><b><c><d> --><a/>",
            "<!DOCTYPE rss PUBLIC \"-//N//DTD RSS 0.91//EN\" \"http://n.example/rss.dtd\"><rss/>",
            "<a x='>' y=\"a=b=c=d\">1 > 0</a>",
        ] {
            assert_eq!(check(accepted), Ok(()), "{accepted}");
        }
    }

    #[test]
    fn enforces_limits() {
        assert_eq!(check("<a><b><c><d/></c></b></a>"), Err(UntrustedDataError::TooDeep { limit: 3 }));
        assert_eq!(check("<a x='' y='' z=''/>"), Err(UntrustedDataError::TooManyAttributes { limit: 2 }));
        let long = format!("<a x='{}'/>", "x".repeat(60));
        assert_eq!(check(&long), Err(UntrustedDataError::TagTooLong { limit: 60 }));
        for depth in [2_000, 6_000, 60_000] {
            let deep = format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth));
            let limits = XmlLimits::default();
            assert_eq!(
                check_xml(deep.as_bytes(), limits),
                Err(UntrustedDataError::TooDeep { limit: MAX_DEPTH })
            );
        }
    }

    #[test]
    fn rejects_constructs_that_parsers_interpret_differently() {
        for malformed in [
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
            "<",
            "<a x='",
            "<a x='<b>'/>",
            "<a>",
            "<!-- <a>",
            "<!",
            "<![CDATA[ ",
            "<\0a\0>\0",
            "<a>\u{1b}$B</a>",
        ] {
            assert!(
                matches!(check(malformed), Err(UntrustedDataError::Malformed(_))),
                "{malformed}: {:?}",
                check(malformed)
            );
        }
    }

    #[test]
    fn tokens_cover_the_document_in_order() {
        let text = "<?xml version='1.0'?><!-- c --><a:r x='1'>t<![CDATA[<b>]]><e/></a:r >\n";
        let mut tokens = Vec::new();
        scan_xml(text.as_bytes(), TEST_LIMITS, |token| {
            tokens.push(token);
            Ok(())
        })
        .unwrap();
        let raw: Vec<u8> = tokens.iter().flat_map(|token| token.raw.to_vec()).collect();
        assert_eq!(String::from_utf8(raw).unwrap(), text);
        let kinds: Vec<XmlTokenKind<'_>> = tokens.iter().map(|token| token.kind).collect();
        let start = |name: &'static str, level, is_empty| XmlTokenKind::Start {
            name: name.as_bytes(),
            level,
            is_empty,
        };
        assert_eq!(
            kinds,
            [
                XmlTokenKind::Instruction,
                XmlTokenKind::Other,
                start("a:r", 1, false),
                XmlTokenKind::Text,
                XmlTokenKind::Text,
                start("e", 2, true),
                XmlTokenKind::End { level: 1 },
                XmlTokenKind::Text,
            ]
        );
    }

    /// The deepest level that the parser of feeds sees before it ends or fails.
    fn depth_in_parser(text: &[u8]) -> usize {
        let mut reader = NsReader::from_reader(DecodingReader::new(text));
        reader.config_mut().trim_markup_names_in_closing_tags = true;
        let (mut depth, mut deepest, mut buffer, has_begun) = (0_usize, 0, Vec::new(), text.len() > 60);
        loop {
            buffer.clear();
            match reader.read_event_into(&mut buffer) {
                Ok(Event::Start(_)) => depth += 1,
                Ok(Event::Empty(_)) => deepest = deepest.max(depth + 1),
                Ok(Event::End(_)) => depth = depth.saturating_sub(1),
                Ok(Event::Decl(declaration)) => {
                    // As feed-rs does, which panics on a declaration after the start.
                    let encoding = declaration.encoder().filter(|_| !has_begun);
                    if let Some(encoding) = encoding {
                        reader.get_mut().set_encoding(encoding);
                    }
                }
                Ok(Event::Eof) | Err(_) => return deepest,
                Ok(_) => {}
            }
            deepest = deepest.max(depth);
        }
    }

    /// A document that passes the scan is no deeper for the parser, and its tokens cover the whole document.
    #[test]
    fn fuzz_scan_and_parser_see_the_same_elements() {
        let samples = &[
            "<!DOCTYPE rss PUBLIC \"-//N//DTD\" 'x'><?xml?><a:b x=\"1\" y='2'><![CDATA[x]]>&lt;<!-- c --><d/></a:b >",
        ];
        FuzzTarget::new("panel-kernel", "xml_scan").run(
            xml_documents(&["a", "b:c", "div"], samples),
            |text| {
                let mut bytes = 0;
                let accepted = scan_xml(text, TEST_LIMITS, |token| {
                    bytes += token.raw.len();
                    Ok(())
                });
                if accepted.is_ok() {
                    assert_eq!(bytes, text.len());
                    assert!(depth_in_parser(text) <= TEST_LIMITS.depth, "{}", String::from_utf8_lossy(text));
                }
            },
        );
    }
}
