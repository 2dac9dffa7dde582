//! Reads the first sheet of a workbook (XLSX) row by row. A workbook is an archive whose parts can inflate a thousand times and
//! whose attributes can contain false sizes, so this module inflates parts piece by piece up to a limit, reserves no memory for a
//! declared size, and stores only the cells that exist. Never evaluates a formula or opens a part that it does not need.

mod cells;
mod escape;
mod package;
mod part;
mod strings;

use std::borrow::Cow;
use std::io::{Read, Seek};

use package::{Package, folder_of, relationships_part_of};
use strings::SharedStrings;

/// A cell with a value.
pub(crate) struct Cell<'s> {
    /// Column number, from 0.
    pub(crate) column: usize,
    pub(crate) text: Cow<'s, str>,
}

/// Why a workbook cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WorkbookError {
    /// The file is not a workbook.
    #[error("the file is not a workbook: {0}")]
    NotAWorkbook(String),
    /// The archive has too many parts.
    #[error("the archive has more than {limit} parts")]
    TooManyParts { limit: usize },
    /// A part inflates to too many bytes.
    #[error("{part} inflates to more than {} MiB; split the file", .limit >> 20)]
    PartTooLarge {
        /// The name of the part in the archive.
        part: String,
        /// In bytes.
        limit: u64,
    },
    /// The shared texts are too large.
    #[error("the texts are larger than {} MiB; split the file", .limit >> 20)]
    TooMuchText {
        /// In bytes.
        limit: usize,
    },
    /// There are too many shared texts.
    #[error("the file has more than {limit} texts; split it")]
    TooManyTexts { limit: usize },
    /// The text of a cell is longer than a spreadsheet allows.
    #[error("{location} has more than {limit} characters")]
    TextTooLong {
        /// The cell reference, or the index of the shared text.
        location: String,
        limit: usize,
    },
    /// A part is not valid.
    #[error("{part} is damaged: {problem}")]
    Damaged {
        /// The name of the part in the archive.
        part: String,
        problem: String,
    },
    /// The visitor of the rows returned this error.
    #[error("{0}")]
    Visitor(String),
}

/// The number of characters that a cell of a spreadsheet can have.
const MAX_CELL_CHARS: usize = 32_767;

/// Calls `visit` for each row of the first sheet that has values, in order, with the row number from 1 and its cells from left to
/// right.
pub(crate) fn read_rows(
    file: impl Read + Seek,
    mut visit: impl FnMut(u64, &[Cell<'_>]) -> Result<(), String>,
) -> Result<(), WorkbookError> {
    let mut package = Package::open(file)?;
    let root_relationships = package.read_relationships("_rels/.rels", "")?;
    let workbook_part =
        root_relationships.into_iter().find(|part| part.has_kind("officeDocument")).map(|part| part.target);
    let workbook_part = workbook_part
        .ok_or_else(|| WorkbookError::NotAWorkbook("the archive contains no workbook".to_owned()))?;
    let parts =
        package.read_relationships(&relationships_part_of(&workbook_part), folder_of(&workbook_part))?;
    let sheet_ids = package.read_sheet_ids(&workbook_part)?;
    let sheet = sheet_ids
        .iter()
        .find_map(|id| parts.iter().find(|part| part.id == *id && part.has_kind("worksheet")));
    let sheet = sheet.ok_or_else(|| WorkbookError::NotAWorkbook("the workbook has no sheet".to_owned()))?;
    let strings = match parts.iter().find(|part| part.has_kind("sharedStrings")) {
        Some(part) => SharedStrings::read(&mut package, &part.target)?,
        None => SharedStrings::default(),
    };
    cells::read_sheet(&mut package, &sheet.target, &strings, &mut visit)
}

#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;
