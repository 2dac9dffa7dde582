//! The shared texts of a workbook, stored in one string, so that a million empty texts need only four megabytes. The declared
//! number of texts is ignored.

use std::io::{Read, Seek};

use super::escape::unescape;
use super::package::Package;
use super::part::{Tag, XmlToken};
use super::{MAX_CELL_CHARS, WorkbookError};

/// Maximum inflated size of the table in bytes.
const MAX_PART_BYTES: u64 = 32 << 20;
/// Maximum size of all texts together in bytes.
const MAX_TEXT_BYTES: usize = 12 << 20;
/// Maximum number of texts.
const MAX_TEXTS: usize = 1_000_000;

/// The texts by index.
#[derive(Debug, Default)]
pub(super) struct SharedStrings {
    text: String,
    /// For each text, the position in `text` where it ends.
    text_ends: Vec<u32>,
}

impl SharedStrings {
    pub(super) fn read(package: &mut Package<impl Read + Seek>, part: &str) -> Result<Self, WorkbookError> {
        let (mut strings, mut text_reader) = (Self::default(), TextReader::default());
        package.read(part, MAX_PART_BYTES, |token| {
            let is_end_of_text = matches!(token, XmlToken::End("si"));
            text_reader.handle(token).map_err(|limit| WorkbookError::TextTooLong {
                location: format!("text {} of {part}", strings.text_ends.len() + 1),
                limit,
            })?;
            if is_end_of_text { strings.push(&text_reader.finish()) } else { Ok(()) }
        })?;
        Ok(strings)
    }

    /// The text at an index from 0.
    pub(super) fn get(&self, index: usize) -> Option<&str> {
        let end_of = |index: usize| self.text_ends.get(index).and_then(|end| usize::try_from(*end).ok());
        let start = index.checked_sub(1).map_or(Some(0), end_of)?;
        self.text.get(start..end_of(index)?)
    }

    fn push(&mut self, text: &str) -> Result<(), WorkbookError> {
        self.text.push_str(text);
        let end = u32::try_from(self.text.len()).ok().filter(|_| self.text.len() <= MAX_TEXT_BYTES);
        let end = end.ok_or(WorkbookError::TooMuchText { limit: MAX_TEXT_BYTES })?;
        if self.text_ends.len() == MAX_TEXTS {
            return Err(WorkbookError::TooManyTexts { limit: MAX_TEXTS });
        }
        self.text_ends.push(end);
        Ok(())
    }
}

/// Collects the text of one cell or shared text: all `t` elements except phonetic readings.
#[derive(Debug, Default)]
pub(super) struct TextReader {
    collected_text: String,
    /// The text of the current `t` element, whose end tag has not been read yet.
    open_text: Option<OpenText>,
    /// Whether a phonetic reading (`rPh`) is open.
    is_phonetic: bool,
}

#[derive(Debug, Default)]
struct OpenText {
    text: String,
    keeps_spaces: bool,
}

impl TextReader {
    /// Handles a token of the part. The error is the maximum number of characters in one text.
    pub(super) fn handle(&mut self, token: XmlToken<'_>) -> Result<(), usize> {
        match token {
            XmlToken::Start(tag) if tag.name() == "rPh" => self.is_phonetic = true,
            XmlToken::End("rPh") => self.is_phonetic = false,
            XmlToken::Start(tag) if tag.name() == "t" && !self.is_phonetic => {
                self.open_text = Some(OpenText::new(&tag))
            }
            XmlToken::Text(text) => {
                if let Some(open_text) = &mut self.open_text {
                    open_text.text.push_str(&text);
                    return check_cell_bytes(self.collected_text.len() + open_text.text.len());
                }
            }
            XmlToken::End("t") => {
                if let Some(open_text) = self.open_text.take() {
                    self.collected_text.push_str(&unescape(open_text.trim_unless_preserved()));
                }
            }
            XmlToken::Start(_) | XmlToken::End(_) => {}
        }
        Ok(())
    }

    /// Returns the collected text, and clears it for the next text.
    pub(super) fn finish(&mut self) -> String {
        self.open_text = None;
        std::mem::take(&mut self.collected_text)
    }
}

impl OpenText {
    fn new(tag: &Tag<'_>) -> Self {
        Self { text: String::new(), keeps_spaces: tag.attribute("space").as_deref() == Some("preserve") }
    }

    fn trim_unless_preserved(&self) -> &str {
        if self.keeps_spaces { &self.text } else { self.text.trim_matches([' ', '\t', '\r', '\n']) }
    }
}

/// Rejects text that has more than [`MAX_CELL_CHARS`] characters, even if every character is an escape.
pub(super) fn check_cell_bytes(bytes: usize) -> Result<(), usize> {
    if bytes <= MAX_CELL_CHARS * ESCAPED_CHAR_BYTES { Ok(()) } else { Err(MAX_CELL_CHARS) }
}

/// The size of an escaped character in bytes, which is the longest form of a character.
const ESCAPED_CHAR_BYTES: usize = 7;
