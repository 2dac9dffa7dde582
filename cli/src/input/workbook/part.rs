//! One part of a workbook as a stream of XML. Bounded in bytes, depth, and the number and length of tags and texts; attributes are never compared with each other,
//! which would take the square of their number.

use std::borrow::Cow;
use std::io::{self, BufReader, Read};

use panel_kernel::foreign::MAX_DEPTH;
use quick_xml::Reader;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::WorkbookError;

/// Bytes of one tag, or of a text between two tags: the reader holds it in memory as a whole.
const MAX_PIECE_BYTES: u64 = 1 << 20;

/// Tags and texts of one part, which bounds the time that it takes: a million cells have six each.
const MAX_PIECES: usize = 8_000_000;

/// What stands in a part.
pub(super) enum Piece<'p> {
    /// A start tag. An empty element has an end as well.
    Start(Tag<'p>),
    /// The end of an element, by its name without a prefix.
    End(&'p str),
    /// Text between tags; what was written as a reference comes as a piece of its own.
    Text(Cow<'p, str>),
}

/// A start tag.
pub(super) struct Tag<'p>(&'p BytesStart<'p>);

impl<'p> Tag<'p> {
    /// Its name without a prefix.
    pub(super) fn name(&self) -> &'p str {
        self.0.local_name().into_inner()
    }

    /// The value of an attribute, by its name without a prefix; none where it cannot be read.
    pub(super) fn attribute(&self, name: &str) -> Option<Cow<'p, str>> {
        let mut attributes = self.0.attributes();
        let mut attributes = attributes.with_checks(false).flatten();
        let attribute = attributes.find(|attribute| attribute.key.local_name().into_inner() == name)?;
        attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).ok()
    }
}

/// The error for a part that is not as it should be.
pub(super) fn damaged(part: &str, why: impl Into<String>) -> WorkbookError {
    WorkbookError::Damaged { part: part.to_owned(), why: why.into() }
}

/// Hands the pieces of a part to `visit` until its end or the first error. `limit` is the bytes that it may inflate to.
pub(super) fn read_part(
    name: &str,
    source: impl Read,
    limit: u64,
    mut visit: impl FnMut(Piece<'_>) -> Result<(), WorkbookError>,
) -> Result<(), WorkbookError> {
    let bounded = Bounded { source, left: limit, left_of_piece: MAX_PIECE_BYTES };
    let mut xml = Reader::from_reader(BufReader::new(bounded));
    xml.config_mut().expand_empty_elements = true;
    let (mut buffer, mut depth) = (Vec::new(), 0_usize);
    for _ in 0..MAX_PIECES {
        buffer.clear();
        xml.get_mut().get_mut().left_of_piece = MAX_PIECE_BYTES;
        match xml.read_event_into(&mut buffer).map_err(|error| unreadable(name, limit, &error))? {
            Event::Start(_) if depth == MAX_DEPTH => {
                return Err(damaged(name, format!("it nests deeper than {MAX_DEPTH} levels")));
            }
            Event::Start(tag) => {
                depth += 1;
                visit(Piece::Start(Tag(&tag)))?;
            }
            Event::End(tag) => {
                depth -= 1;
                visit(Piece::End(tag.local_name().into_inner()))?;
            }
            Event::Text(text) => visit(Piece::Text(text.xml10_content()))?,
            Event::CData(text) => visit(Piece::Text(text.xml10_content()))?,
            Event::GeneralRef(reference) => visit(Piece::Text(referred(name, &reference)?))?,
            Event::Eof if depth > 0 => return Err(damaged(name, "it ends within an element")),
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
    Err(damaged(name, format!("it has more than {MAX_PIECES} tags and texts")))
}

/// The text of a reference such as `&amp;` or `&#10;`. Entities that a document declares itself are refused.
fn referred(name: &str, reference: &BytesRef<'_>) -> Result<Cow<'static, str>, WorkbookError> {
    if let Some(text) = resolve_xml_entity(reference) {
        return Ok(text.into());
    }
    match reference.resolve_char_ref() {
        Ok(Some(character)) => Ok(character.to_string().into()),
        _ => Err(damaged(name, "it refers to an unknown entity")),
    }
}

fn unreadable(name: &str, limit: u64, error: &quick_xml::Error) -> WorkbookError {
    let overrun = match error {
        quick_xml::Error::Io(error) => error.get_ref().and_then(|error| error.downcast_ref::<Overrun>()),
        _ => None,
    };
    match overrun {
        Some(Overrun::Part) => WorkbookError::PartTooLarge { part: name.to_owned(), limit },
        Some(Overrun::Piece) => damaged(name, Overrun::Piece.to_string()),
        None => damaged(name, crate::input::shortened(&error.to_string())),
    }
}

/// Which limit was reached.
#[derive(Debug, thiserror::Error)]
enum Overrun {
    #[error("it is too large")]
    Part,
    #[error("a tag or a text is longer than {} KiB", MAX_PIECE_BYTES >> 10)]
    Piece,
}

/// Bytes up to two limits, that of the part and that of the piece which is being read; what goes on is an error.
struct Bounded<R> {
    source: R,
    /// Bytes of the part that may still be read.
    left: u64,
    /// Bytes of the piece that may still be read.
    left_of_piece: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        let without = |left: u64| u64::try_from(read).ok().and_then(|read| left.checked_sub(read));
        self.left = without(self.left).ok_or_else(|| io::Error::other(Overrun::Part))?;
        self.left_of_piece = without(self.left_of_piece).ok_or_else(|| io::Error::other(Overrun::Piece))?;
        Ok(read)
    }
}
