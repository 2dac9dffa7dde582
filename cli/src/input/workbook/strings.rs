//! The texts that the cells of a workbook share. They are kept in one piece, so that a million empty ones take four
//! megabytes; how many there are is counted and never believed.

use std::io::{Read, Seek};

use super::escape::unescape;
use super::package::Package;
use super::part::{Piece, Tag};
use super::{MAX_CELL_CHARS, WorkbookError};

/// Bytes that the table may inflate to.
const MAX_PART_BYTES: u64 = 32 << 20;
/// Bytes of all texts together.
const MAX_TEXT_BYTES: usize = 12 << 20;
/// Texts in the table.
const MAX_COUNT: usize = 1_000_000;

/// The texts by their place.
#[derive(Debug, Default)]
pub(super) struct SharedStrings {
    text: String,
    /// Where each ends.
    ends: Vec<u32>,
}

impl SharedStrings {
    pub(super) fn read(package: &mut Package<impl Read + Seek>, part: &str) -> Result<Self, WorkbookError> {
        let (mut strings, mut text) = (Self::default(), TextReader::default());
        package.read(part, MAX_PART_BYTES, |piece| {
            let ends = matches!(piece, Piece::End("si"));
            text.take(piece).map_err(|limit| WorkbookError::TextTooLong {
                place: format!("text {} of {part}", strings.ends.len() + 1),
                limit,
            })?;
            if ends { strings.push(&text.finish()) } else { Ok(()) }
        })?;
        Ok(strings)
    }

    /// The text at a place, counted from 0.
    pub(super) fn get(&self, place: usize) -> Option<&str> {
        let at = |index: usize| self.ends.get(index).and_then(|end| usize::try_from(*end).ok());
        let start = place.checked_sub(1).map_or(Some(0), at)?;
        self.text.get(start..at(place)?)
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

/// Gathers the text of one cell or shared text: every `t` of it but those that say how it is pronounced.
#[derive(Debug, Default)]
pub(super) struct TextReader {
    whole: String,
    /// The text of the `t` that is open.
    open: Option<OpenText>,
    /// Elements with the pronunciation that are open.
    is_phonetic: bool,
}

#[derive(Debug, Default)]
struct OpenText {
    text: String,
    keeps_spaces: bool,
}

impl TextReader {
    /// Takes a piece of the part; the error is the number of characters that a text may have.
    pub(super) fn take(&mut self, piece: Piece<'_>) -> Result<(), usize> {
        match piece {
            Piece::Start(tag) if tag.name() == "rPh" => self.is_phonetic = true,
            Piece::End("rPh") => self.is_phonetic = false,
            Piece::Start(tag) if tag.name() == "t" && !self.is_phonetic => {
                self.open = Some(OpenText::new(&tag))
            }
            Piece::Text(text) => {
                if let Some(open) = &mut self.open {
                    open.text.push_str(&text);
                    return within_a_cell(self.whole.len() + open.text.len());
                }
            }
            Piece::End("t") => {
                if let Some(open) = self.open.take() {
                    self.whole.push_str(&unescape(open.kept()));
                }
            }
            Piece::Start(_) | Piece::End(_) => {}
        }
        Ok(())
    }

    /// The text that was gathered; the next one begins empty.
    pub(super) fn finish(&mut self) -> String {
        self.open = None;
        std::mem::take(&mut self.whole)
    }
}

impl OpenText {
    fn new(tag: &Tag<'_>) -> Self {
        Self { text: String::new(), keeps_spaces: tag.attribute("space").as_deref() == Some("preserve") }
    }

    fn kept(&self) -> &str {
        if self.keeps_spaces { &self.text } else { self.text.trim_matches([' ', '\t', '\r', '\n']) }
    }
}

/// Refuses bytes that a cell of [`MAX_CELL_CHARS`] characters cannot have, escapes included.
pub(super) fn within_a_cell(bytes: usize) -> Result<(), usize> {
    if bytes <= MAX_CELL_CHARS * ESCAPED_CHAR_BYTES { Ok(()) } else { Err(MAX_CELL_CHARS) }
}

/// Bytes that one character takes at most, as an escape.
const ESCAPED_CHAR_BYTES: usize = 7;
