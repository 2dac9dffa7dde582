//! Scans an XML document for depth, number of attributes and length of tags without parsing it. Constructs that parsers interpret
//! differently (a document type with a subset, `<` within a tag, comments that close at once, unclosed parts) are refused, so that
//! the scan and the parser see the same elements.

use memchr::{memchr, memchr2, memmem};

use super::{ForeignDataError, MAX_DEPTH};

/// Limits of an XML document.
#[derive(Debug, Clone, Copy)]
pub struct XmlLimits {
    /// Levels of elements that may nest.
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

/// A token of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct XmlPart<'d> {
    /// All of its bytes, with the brackets of markup.
    pub raw: &'d [u8],
    /// The kind of this part, with its level where it is an element.
    pub kind: XmlKind<'d>,
}

/// What a part of a document is. Levels begin at 1 for the root; an element's tags have the same level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum XmlKind<'d> {
    /// `<name …>`, or `<name …/>`, which has no end tag.
    Start {
        /// The name with its prefix.
        name: &'d [u8],
        /// Its level.
        level: usize,
        /// Whether it ends at once.
        is_empty: bool,
    },
    /// `</name>`.
    End {
        /// Its level.
        level: usize,
    },
    /// Text between tags, or a CDATA section.
    Text,
    /// `<?…?>`.
    Instruction,
    /// A comment or a document type.
    Other,
}

/// Refuses a document that is outside of the limits or not well formed around its tags.
pub fn check_xml(document: &[u8], limits: XmlLimits) -> Result<(), ForeignDataError> {
    scan_xml(document, limits, |_| Ok(()))
}

/// Passes the tokens of a document to `visit` in order, up to the first one that exceeds a limit, is malformed, or that `visit`
/// refuses.
pub fn scan_xml<'d>(
    document: &'d [u8],
    limits: XmlLimits,
    mut visit: impl FnMut(XmlPart<'d>) -> Result<(), ForeignDataError>,
) -> Result<(), ForeignDataError> {
    // NUL is UTF-16 and ESC is ISO-2022: encodings in which `<` is not always a tag.
    if memchr2(0, 0x1b, document).is_some() {
        return Err(ForeignDataError::Malformed("it is not in an encoding like UTF-8"));
    }
    let mut scan = Scan { rest: document, open: Vec::new(), limits };
    while !scan.rest.is_empty() {
        let part = scan.next()?;
        visit(part)?;
    }
    if scan.open.is_empty() { Ok(()) } else { Err(ForeignDataError::Malformed("an element is not closed")) }
}

const UNCLOSED_TAG: ForeignDataError = ForeignDataError::Malformed("a tag is not closed");

struct Scan<'d> {
    /// The remaining input.
    rest: &'d [u8],
    /// Names of the open elements; at most `limits.depth`.
    open: Vec<&'d [u8]>,
    limits: XmlLimits,
}

impl<'d> Scan<'d> {
    fn next(&mut self) -> Result<XmlPart<'d>, ForeignDataError> {
        let Some(markup) = self.rest.strip_prefix(b"<") else {
            let end = memchr(b'<', self.rest).unwrap_or(self.rest.len());
            return Ok(self.take(end, XmlKind::Text));
        };
        if let Some(text) = markup.strip_prefix(b"!--") {
            if text.starts_with(b">") || text.starts_with(b"->") {
                return Err(ForeignDataError::Malformed("a comment closes at once"));
            }
            self.until(4, b"-->", XmlKind::Other, "a comment is not closed")
        } else if markup.starts_with(b"![CDATA[") {
            self.until(9, b"]]>", XmlKind::Text, "a CDATA section is not closed")
        } else if markup.starts_with(b"?") {
            // Start after the first question mark: `<?>` is not a complete instruction.
            self.until(2, b"?>", XmlKind::Instruction, "a processing instruction is not closed")
        } else if markup.starts_with(b"!") {
            self.document_type()
        } else if markup.starts_with(b"/") {
            self.end_tag()
        } else {
            self.start_tag()
        }
    }

    /// The next `bytes` bytes.
    fn take(&mut self, bytes: usize, kind: XmlKind<'d>) -> XmlPart<'d> {
        let (raw, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        XmlPart { raw, kind }
    }

    /// Everything until `end`, which is looked for behind the first `from` bytes.
    fn until(
        &mut self,
        from: usize,
        end: &[u8],
        kind: XmlKind<'d>,
        why: &'static str,
    ) -> Result<XmlPart<'d>, ForeignDataError> {
        let at = memmem::find(&self.rest[from..], end).ok_or(ForeignDataError::Malformed(why))?;
        Ok(self.take(from + at + end.len(), kind))
    }

    /// `<!DOCTYPE …>` as old feeds have it, without declarations of its own.
    fn document_type(&mut self) -> Result<XmlPart<'d>, ForeignDataError> {
        let end = memchr(b'>', self.rest).ok_or(UNCLOSED_TAG)?;
        let text = &self.rest[1..end];
        let quotes = |quote: u8| text.iter().filter(|byte| **byte == quote).count() % 2;
        let is_plain = memchr2(b'[', b'<', text).is_none() && quotes(b'"') + quotes(b'\'') == 0;
        if !text.get(..8).is_some_and(|word| word.eq_ignore_ascii_case(b"!DOCTYPE")) || !is_plain {
            return Err(ForeignDataError::Malformed("it declares types of its own"));
        }
        Ok(self.take(end + 1, XmlKind::Other))
    }

    fn end_tag(&mut self) -> Result<XmlPart<'d>, ForeignDataError> {
        let end = memchr(b'>', self.rest).ok_or(UNCLOSED_TAG)?;
        let (name, level) = (self.rest[2..end].trim_ascii_end(), self.open.len());
        if self.open.pop() != Some(name) {
            return Err(ForeignDataError::Malformed("an end tag closes another element"));
        }
        Ok(self.take(end + 1, XmlKind::End { level }))
    }

    fn start_tag(&mut self) -> Result<XmlPart<'d>, ForeignDataError> {
        let (end, attributes) = self.tag_end()?;
        if attributes > self.limits.attributes {
            return Err(ForeignDataError::TooManyAttributes { limit: self.limits.attributes });
        }
        if self.open.len() >= self.limits.depth {
            return Err(ForeignDataError::TooDeep { limit: self.limits.depth });
        }
        let (tag, level) = (&self.rest[1..end], self.open.len() + 1);
        let is_empty = tag.ends_with(b"/");
        let name = tag.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        if is_empty {
            let name = name.strip_suffix(b"/").unwrap_or(name);
            return Ok(self.take(end + 1, XmlKind::Start { name, level, is_empty }));
        }
        self.open.push(name);
        Ok(self.take(end + 1, XmlKind::Start { name, level, is_empty }))
    }

    /// The end of the start tag, and the number of `=` outside of quotes.
    fn tag_end(&self) -> Result<(usize, usize), ForeignDataError> {
        let (mut quote, mut attributes) = (None, 0);
        for (at, byte) in self.rest.iter().enumerate().skip(1) {
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
        Err(UNCLOSED_TAG)
    }
}

#[cfg(test)]
mod tests {
    use panel_fuzz::{Run, xml_texts};
    use quick_xml::NsReader;
    use quick_xml::encoding::DecodingReader;
    use quick_xml::events::Event;

    use super::*;

    const FEW: XmlLimits = XmlLimits { depth: 3, attributes: 2, tag_bytes: 60 };

    fn check(text: &str) -> Result<(), ForeignDataError> {
        check_xml(text.as_bytes(), FEW)
    }

    #[test]
    fn only_elements_count() {
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
    fn enforces_limits() {
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
    fn refuses_constructs_that_parsers_interpret_differently() {
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
            assert!(matches!(check(odd), Err(ForeignDataError::Malformed(_))), "{odd}: {:?}", check(odd));
        }
    }

    #[test]
    fn tokens_cover_the_document_in_order() {
        let text = "<?xml version='1.0'?><!-- c --><a:r x='1'>t<![CDATA[<b>]]><e/></a:r >\n";
        let mut parts = Vec::new();
        scan_xml(text.as_bytes(), FEW, |part| {
            parts.push(part);
            Ok(())
        })
        .unwrap();
        let raw: Vec<u8> = parts.iter().flat_map(|part| part.raw.to_vec()).collect();
        assert_eq!(String::from_utf8(raw).unwrap(), text);
        let kinds: Vec<XmlKind<'_>> = parts.iter().map(|part| part.kind).collect();
        let start =
            |name: &'static str, level, is_empty| XmlKind::Start { name: name.as_bytes(), level, is_empty };
        assert_eq!(
            kinds,
            [
                XmlKind::Instruction,
                XmlKind::Other,
                start("a:r", 1, false),
                XmlKind::Text,
                XmlKind::Text,
                start("e", 2, true),
                XmlKind::End { level: 1 },
                XmlKind::Text,
            ]
        );
    }

    /// The deepest level that the feeds' own parser sees, until it ends or gives up.
    fn depth_by_the_parser(text: &[u8]) -> usize {
        let mut reader = NsReader::from_reader(DecodingReader::new(text));
        reader.config_mut().trim_markup_names_in_closing_tags = true;
        let (mut depth, mut deepest, mut buffer, has_begun) = (0_usize, 0, Vec::new(), text.len() > 60);
        loop {
            buffer.clear();
            match reader.read_event_into(&mut buffer) {
                Ok(Event::Start(_)) => depth += 1,
                Ok(Event::Empty(_)) => deepest = deepest.max(depth + 1),
                Ok(Event::End(_)) => depth = depth.saturating_sub(1),
                Ok(Event::Decl(declared)) => {
                    // As feed-rs does; a late declaration panics there.
                    let encoding = declared.encoder().filter(|_| !has_begun);
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
        Run::new("panel-kernel", "xml_scan").on(xml_texts(&["a", "b:c", "div"], samples), |text| {
            let mut bytes = 0;
            let accepted = scan_xml(text, FEW, |part| {
                bytes += part.raw.len();
                Ok(())
            });
            if accepted.is_ok() {
                assert_eq!(bytes, text.len());
                assert!(depth_by_the_parser(text) <= FEW.depth, "{}", String::from_utf8_lossy(text));
            }
        });
    }
}
