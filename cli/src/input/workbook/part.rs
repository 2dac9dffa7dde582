//! Reads one part of a workbook as a stream of XML, with limits for bytes, depth, and the number and length of tags and texts.
//! Attributes are not checked for duplicates, which would take quadratic time.

use std::borrow::Cow;
use std::io::{self, BufReader, Read};

use panel_kernel::untrusted_data::MAX_DEPTH;
use quick_xml::Reader;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::WorkbookError;

/// Maximum size of one tag or text in bytes, because the XML reader keeps it in memory.
const MAX_TOKEN_BYTES: u64 = 1 << 20;

/// Maximum number of tags and texts in one part, so that reading ends in time. A million cells have six each.
const MAX_TOKENS: usize = 8_000_000;

/// A tag or text in a part.
pub(super) enum XmlToken<'p> {
    /// A start tag. An empty element also has an `End`.
    Start(Tag<'p>),
    /// The end of an element, by its local name.
    End(&'p str),
    /// Text between tags; a reference such as `&amp;` is a separate token.
    Text(Cow<'p, str>),
}

pub(super) struct Tag<'p>(&'p BytesStart<'p>);

impl<'p> Tag<'p> {
    pub(super) fn name(&self) -> &'p str {
        self.0.local_name().into_inner()
    }

    /// The value of an attribute by its local name; `None` if it is missing or cannot be parsed.
    pub(super) fn attribute(&self, name: &str) -> Option<Cow<'p, str>> {
        let mut attributes = self.0.attributes();
        let mut attributes = attributes.with_checks(false).flatten();
        let attribute = attributes.find(|attribute| attribute.key.local_name().into_inner() == name)?;
        attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).ok()
    }
}

pub(super) fn damaged_part_error(part: &str, problem: impl Into<String>) -> WorkbookError {
    WorkbookError::Damaged { part: part.to_owned(), problem: problem.into() }
}

/// Calls `visit` for each token of a part, until its end or the first error. `limit` is the maximum inflated size in bytes.
pub(super) fn read_part(
    name: &str,
    source: impl Read,
    limit: u64,
    mut visit: impl FnMut(XmlToken<'_>) -> Result<(), WorkbookError>,
) -> Result<(), WorkbookError> {
    let limited_reader =
        LimitedReader { source, remaining_in_part: limit, remaining_in_token: MAX_TOKEN_BYTES };
    let mut xml = Reader::from_reader(BufReader::new(limited_reader));
    xml.config_mut().expand_empty_elements = true;
    let (mut buffer, mut depth) = (Vec::new(), 0_usize);
    for _ in 0..MAX_TOKENS {
        buffer.clear();
        xml.get_mut().get_mut().remaining_in_token = MAX_TOKEN_BYTES;
        match xml.read_event_into(&mut buffer).map_err(|error| convert_xml_error(name, limit, &error))? {
            Event::Start(_) if depth == MAX_DEPTH => {
                return Err(damaged_part_error(
                    name,
                    format!("the tags are nested deeper than {MAX_DEPTH} levels"),
                ));
            }
            Event::Start(tag) => {
                depth += 1;
                visit(XmlToken::Start(Tag(&tag)))?;
            }
            Event::End(tag) => {
                depth -= 1;
                visit(XmlToken::End(tag.local_name().into_inner()))?;
            }
            Event::Text(text) => visit(XmlToken::Text(text.xml10_content()))?,
            Event::CData(text) => visit(XmlToken::Text(text.xml10_content()))?,
            Event::GeneralRef(reference) => visit(XmlToken::Text(resolve_reference(name, &reference)?))?,
            Event::Eof if depth > 0 => {
                return Err(damaged_part_error(name, "the file ends within an element"));
            }
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
    Err(damaged_part_error(name, format!("there are more than {MAX_TOKENS} tags and texts")))
}

/// The text of a reference such as `&amp;` or `&#10;`. Entities that the document declares are rejected.
fn resolve_reference(name: &str, reference: &BytesRef<'_>) -> Result<Cow<'static, str>, WorkbookError> {
    if let Some(text) = resolve_xml_entity(reference) {
        return Ok(text.into());
    }
    match reference.resolve_char_ref() {
        Ok(Some(character)) => Ok(character.to_string().into()),
        _ => Err(damaged_part_error(name, "the text refers to an unknown entity")),
    }
}

fn convert_xml_error(name: &str, limit: u64, error: &quick_xml::Error) -> WorkbookError {
    let exceeded_limit = match error {
        quick_xml::Error::Io(error) => {
            error.get_ref().and_then(|error| error.downcast_ref::<LimitExceeded>())
        }
        _ => None,
    };
    match exceeded_limit {
        Some(LimitExceeded::Part) => WorkbookError::PartTooLarge { part: name.to_owned(), limit },
        Some(LimitExceeded::XmlToken) => damaged_part_error(name, LimitExceeded::XmlToken.to_string()),
        None => damaged_part_error(name, crate::input::shorten(&error.to_string())),
    }
}

/// The limit that was exceeded.
#[derive(Debug, thiserror::Error)]
enum LimitExceeded {
    #[error("the part is too large")]
    Part,
    #[error("a tag or text is longer than {} KiB", MAX_TOKEN_BYTES >> 10)]
    XmlToken,
}

/// A reader that returns an error if the part or the current token is larger than its limit.
struct LimitedReader<R> {
    source: R,
    /// Remaining bytes of the part.
    remaining_in_part: u64,
    /// Remaining bytes of the current token.
    remaining_in_token: u64,
}

impl<R: Read> Read for LimitedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read_bytes = self.source.read(buffer)?;
        let subtract =
            |remaining: u64| u64::try_from(read_bytes).ok().and_then(|bytes| remaining.checked_sub(bytes));
        self.remaining_in_part =
            subtract(self.remaining_in_part).ok_or_else(|| io::Error::other(LimitExceeded::Part))?;
        self.remaining_in_token =
            subtract(self.remaining_in_token).ok_or_else(|| io::Error::other(LimitExceeded::XmlToken))?;
        Ok(read_bytes)
    }
}
