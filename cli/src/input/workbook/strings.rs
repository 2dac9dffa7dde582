//! The shared texts of a workbook, stored as one string, so that a million empty texts take four megabytes. The announced number of
//! texts is ignored.

use std::io::{Read, Seek};

use super::escape::unescape;
use super::package::Package;
use super::part::{Piece, Tag};
use super::{MAX_CELL_CHARS, WorkbookError};

/// Limit of the table's inflated size in bytes.
const MAX_PART_BYTES: u64 = 32 << 20;
/// Limit of all texts together in bytes.
const MAX_TEXT_BYTES: usize = 12 << 20;
/// Limit of the number of texts.
const MAX_COUNT: usize = 1_000_000;

/// The texts by index.
#[derive(Debug, Default)]
pub(super) struct SharedStrings {
    text: String,
    /// The end of each text.
    ends: Vec<u32>,
}

impl SharedStrings {
    pub(super) fn read(package: &mut Package<impl Read + Seek>, part: &str) -> Result<Self, WorkbookError> {
        let (mut strings, mut text) = (Self::default(), TextReader::default());
        package.read(part, MAX_PART_BYTES, |piece| {
            let ends = matches!(piece, Piece::End("si"));
            text.handle(piece).map_err(|limit| WorkbookError::TextTooLong {
                location: format!("text {} of {part}", strings.ends.len() + 1),
                limit,
            })?;
            if ends { strings.push(&text.finish()) } else { Ok(()) }
        })?;
        Ok(strings)
    }

    /// The text at an index from 0.
    pub(super) fn get(&self, index: usize) -> Option<&str> {
        let end_of = |index: usize| self.ends.get(index).and_then(|end| usize::try_from(*end).ok());
        let start = index.checked_sub(1).map_or(Some(0), end_of)?;
        self.text.get(start..end_of(index)?)
    }

    fn push(&mut self, text: &str) -> Result<(), WorkbookError> {
        self.text.push_str(text);
        let end = u32::try_from(self.text.len()).ok().filter(|_| self.text.len() <= MAX_TEXT_BYTES);
        let end = end.ok_or(WorkbookError::TooMuchText { limit: MAX_TEXT_BYTES })?;
        if self.ends.len() == MAX_COUNT {
            return Err(WorkbookError::TooManyTexts { limit: MAX_COUNT });
        }
        self.ends.push(end);
        Ok(())
    }
}

/// Collects the text of one cell or shared text: all `t` elements except phonetic readings.
#[derive(Debug, Default)]
pub(super) struct TextReader {
    collected: String,
    /// The text of the open `t` element.
    open: Option<OpenText>,
    /// Whether a phonetic reading (`rPh`) is open.
    is_phonetic: bool,
}

#[derive(Debug, Default)]
struct OpenText {
    text: String,
    keeps_spaces: bool,
}

impl TextReader {
    /// Handles a piece of the part; the error is the limit of characters in a text.
    pub(super) fn handle(&mut self, piece: Piece<'_>) -> Result<(), usize> {
        match piece {
            Piece::Start(tag) if tag.name() == "rPh" => self.is_phonetic = true,
            Piece::End("rPh") => self.is_phonetic = false,
            Piece::Start(tag) if tag.name() == "t" && !self.is_phonetic => {
                self.open = Some(OpenText::new(&tag))
            }
            Piece::Text(text) => {
                if let Some(open) = &mut self.open {
                    open.text.push_str(&text);
                    return check_cell_bytes(self.collected.len() + open.text.len());
                }
            }
            Piece::End("t") => {
                if let Some(open) = self.open.take() {
                    self.collected.push_str(&unescape(open.trimmed()));
                }
            }
            Piece::Start(_) | Piece::End(_) => {}
        }
        Ok(())
    }

    /// Returns the collected text and starts a new one.
    pub(super) fn finish(&mut self) -> String {
        self.open = None;
        std::mem::take(&mut self.collected)
    }
}

impl OpenText {
    fn new(tag: &Tag<'_>) -> Self {
        Self { text: String::new(), keeps_spaces: tag.attribute("space").as_deref() == Some("preserve") }
    }

    fn trimmed(&self) -> &str {
        if self.keeps_spaces { &self.text } else { self.text.trim_matches([' ', '\t', '\r', '\n']) }
    }
}

/// Refuses a length that a cell of [`MAX_CELL_CHARS`] characters cannot have, even if every character is escaped.
pub(super) fn check_cell_bytes(bytes: usize) -> Result<(), usize> {
    if bytes <= MAX_CELL_CHARS * ESCAPED_CHAR_BYTES { Ok(()) } else { Err(MAX_CELL_CHARS) }
}

/// The longest form of one character, as an escape, in bytes.
const ESCAPED_CHAR_BYTES: usize = 7;
