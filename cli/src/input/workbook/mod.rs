//! The first sheet of a workbook (XLSX), row by row. A workbook is an archive whose parts inflate a thousand times and
//! whose attributes announce what is not there, so nothing is taken at its word: parts are inflated piece by piece up to
//! a limit, no memory is reserved by an announced number, and a row has only the cells that stand in it. Never evaluates
//! a formula, and never opens a part that it does not need.

mod cells;
mod escape;
mod package;
mod part;
mod strings;

use std::borrow::Cow;
use std::io::{Read, Seek};

use package::{Package, folder_of, relationships_of};
use strings::SharedStrings;

/// A cell with a value: its column, counted from 0, and its text.
pub(crate) type Cell<'s> = (usize, Cow<'s, str>);

/// Why a workbook is not read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WorkbookError {
    /// It cannot be read as what its name says.
    #[error("it is not a workbook: {0}")]
    NotAWorkbook(String),
    /// Its archive lists too many parts.
    #[error("it has more than {limit} parts")]
    TooManyParts {
        /// Parts that are allowed.
        limit: usize,
    },
    /// A part inflates to too much.
    #[error("{part} inflates to more than {} MiB; split the file", .limit >> 20)]
    PartTooLarge {
        /// The part's name in the archive.
        part: String,
        /// Bytes that are allowed.
        limit: u64,
    },
    /// The table of texts is too large.
    #[error("its texts take more than {} MiB; split the file", .limit >> 20)]
    TooMuchText {
        /// Bytes that are allowed.
        limit: usize,
    },
    /// The table of texts is too long.
    #[error("it has more than {limit} texts; split the file")]
    TooManyTexts {
        /// Texts that are allowed.
        limit: usize,
    },
    /// One text is longer than a spreadsheet's cell can be.
    #[error("{place} has more than {limit} characters")]
    TextTooLong {
        /// Where it stands.
        place: String,
        /// Characters that are allowed.
        limit: usize,
    },
    /// A part is not what it should be.
    #[error("{part} is damaged: {why}")]
    Damaged {
        /// The part's name in the archive.
        part: String,
        /// What is wrong with it.
        why: String,
    },
    /// The reader of the rows refuses one.
    #[error("{0}")]
    Refused(String),
}

/// Characters that a cell of a spreadsheet can have.
const MAX_CELL_CHARS: usize = 32_767;

/// Hands the rows of the first sheet that have values to `visit`, in their order: the row's number, counted from 1, and its
/// cells from left to right.
pub(crate) fn read_rows(
    file: impl Read + Seek,
    mut visit: impl FnMut(u64, &[Cell<'_>]) -> Result<(), String>,
) -> Result<(), WorkbookError> {
    let mut package = Package::open(file)?;
    let roots = package.relationships("_rels/.rels", "")?;
    let book = roots.into_iter().find(|one| one.is("officeDocument")).map(|one| one.target);
    let book = book.ok_or_else(|| WorkbookError::NotAWorkbook("it names no workbook".to_owned()))?;
    let parts = package.relationships(&relationships_of(&book), folder_of(&book))?;
    let sheets = package.sheet_ids(&book)?;
    let sheet = sheets.iter().find_map(|id| parts.iter().find(|part| part.id == *id && part.is("worksheet")));
    let sheet = sheet.ok_or_else(|| WorkbookError::NotAWorkbook("it has no sheet".to_owned()))?;
    let strings = match parts.iter().find(|part| part.is("sharedStrings")) {
        Some(part) => SharedStrings::read(&mut package, &part.target)?,
        None => SharedStrings::default(),
    };
    cells::read(&mut package, &sheet.target, &strings, &mut visit)
}

#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;
