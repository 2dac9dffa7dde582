//! Reads the cells of a sheet, row by row.

use std::borrow::Cow;
use std::io::{Read, Seek};

use super::escape::unescape;
use super::package::Package;
use super::part::{Tag, XmlToken, damaged_part_error};
use super::strings::{SharedStrings, TextReader, check_cell_bytes};
use super::{Cell, WorkbookError};

/// Maximum inflated size of a sheet in bytes: about 20,000 rows with 45 cells.
const MAX_PART_BYTES: u64 = 64 << 20;
/// The number of rows that a spreadsheet can have.
const MAX_ROW: u64 = 1_048_576;
/// The number of columns that a spreadsheet can have.
const MAX_COLUMNS: usize = 16_384;

/// Calls `visit` for each row with cells.
pub(super) fn read_sheet(
    package: &mut Package<impl Read + Seek>,
    part: &str,
    strings: &SharedStrings,
    visit: &mut impl FnMut(u64, &[Cell<'_>]) -> Result<(), String>,
) -> Result<(), WorkbookError> {
    let mut sheet =
        SheetReader { part, strings, row: 0, cells: Vec::new(), next_column: 0, open_cell: None, visit };
    package.read(part, MAX_PART_BYTES, |token| sheet.handle(token))
}

struct SheetReader<'s, V> {
    part: &'s str,
    strings: &'s SharedStrings,
    /// The current or last row, from 1.
    row: u64,
    /// The cells of the row that have a value, from left to right.
    cells: Vec<Cell<'s>>,
    /// The column of a cell without a reference, from 0.
    next_column: usize,
    /// The cell whose end tag has not been read yet.
    open_cell: Option<OpenCell>,
    visit: V,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CellKind {
    /// The index of a text in the table of shared texts.
    SharedText,
    /// Text that the cell itself contains.
    InlineText,
    /// A boolean, written as 0 or 1.
    Flag,
    /// A number, or an unknown type.
    Number,
    /// The result of a formula, an error or a date, written as text.
    PlainText,
}

struct OpenCell {
    column: usize,
    kind: CellKind,
    /// The raw content of its `v` element.
    value: String,
    is_in_value: bool,
    /// The content of its `is` element.
    text: TextReader,
}

impl<V: FnMut(u64, &[Cell<'_>]) -> Result<(), String>> SheetReader<'_, V> {
    fn handle(&mut self, token: XmlToken<'_>) -> Result<(), WorkbookError> {
        match (token, &mut self.open_cell) {
            (XmlToken::Start(tag), None) if tag.name() == "row" => self.start_row(&tag),
            (XmlToken::End("row"), None) => self.end_row(),
            (XmlToken::Start(tag), None) if tag.name() == "c" => self.start_cell(&tag),
            (XmlToken::End("c"), Some(_)) => self.end_cell(),
            (token, Some(cell)) => cell.handle(token).map_err(|limit| {
                let reference = format!("{}{}", format_column_letters(cell.column), self.row);
                WorkbookError::TextTooLong { location: reference, limit }
            }),
            (_, None) => Ok(()),
        }
    }

    fn start_row(&mut self, tag: &Tag<'_>) -> Result<(), WorkbookError> {
        let number = tag.attribute("r").map_or(Some(self.row + 1), |number| number.parse().ok());
        let number = number.filter(|number| *number > self.row && *number <= MAX_ROW);
        self.row = number.ok_or_else(|| self.damaged_part_error("the rows are not in order"))?;
        self.cells.clear();
        self.next_column = 0;
        Ok(())
    }

    fn end_row(&mut self) -> Result<(), WorkbookError> {
        if self.cells.is_empty() {
            return Ok(());
        }
        let visit_result = (self.visit)(self.row, &self.cells).map_err(WorkbookError::Visitor);
        self.cells.clear();
        visit_result
    }

    fn start_cell(&mut self, tag: &Tag<'_>) -> Result<(), WorkbookError> {
        let column = tag.attribute("r").map_or(Some(self.next_column), |reference| parse_column(&reference));
        let column = column.filter(|column| *column >= self.next_column && *column < MAX_COLUMNS);
        let column = column.ok_or_else(|| self.damaged_part_error("the cells are not in order"))?;
        let kind = match tag.attribute("t").as_deref() {
            Some("s") => CellKind::SharedText,
            Some("inlineStr") => CellKind::InlineText,
            Some("b") => CellKind::Flag,
            None | Some("n") => CellKind::Number,
            Some(_) => CellKind::PlainText,
        };
        self.next_column = column + 1;
        let (value, text) = (String::new(), TextReader::default());
        self.open_cell = Some(OpenCell { column, kind, value, is_in_value: false, text });
        Ok(())
    }

    fn end_cell(&mut self) -> Result<(), WorkbookError> {
        let Some(cell) = self.open_cell.take() else { return Ok(()) };
        let column = cell.column;
        let text = cell
            .into_text(self.strings)
            .ok_or_else(|| self.damaged_part_error("a cell refers to a missing shared text"))?;
        if !text.is_empty() {
            self.cells.push(Cell { column, text });
        }
        Ok(())
    }

    fn damaged_part_error(&self, problem: &str) -> WorkbookError {
        damaged_part_error(self.part, format!("{problem} after row {}", self.row))
    }
}

impl OpenCell {
    /// Handles a token. The error is the maximum number of characters in a cell.
    fn handle(&mut self, token: XmlToken<'_>) -> Result<(), usize> {
        match token {
            XmlToken::Start(tag) if tag.name() == "v" => self.is_in_value = true,
            XmlToken::End("v") => self.is_in_value = false,
            XmlToken::Text(text) if self.is_in_value => {
                self.value.push_str(&text);
                return check_cell_bytes(self.value.len());
            }
            token if self.kind == CellKind::InlineText => return self.text.handle(token),
            _ => {}
        }
        Ok(())
    }

    /// The text of the cell; `None` if the cell refers to a shared text that does not exist.
    fn into_text(mut self, strings: &SharedStrings) -> Option<Cow<'_, str>> {
        let value = self.value.trim();
        Some(match self.kind {
            CellKind::InlineText => self.text.finish().into(),
            _ if value.is_empty() => "".into(),
            CellKind::SharedText => strings.get(value.parse().ok()?)?.into(),
            CellKind::Flag if value == "1" => "true".into(),
            CellKind::Flag if value == "0" => "false".into(),
            CellKind::Number => shorten_number(value).into(),
            CellKind::Flag | CellKind::PlainText => unescape(&self.value).into_owned().into(),
        })
    }
}

/// Returns a number as the user entered it: spreadsheets store 0.1 with 17 digits and large numbers with an exponent.
fn shorten_number(number: &str) -> String {
    number.parse::<f64>().map_or_else(|_| number.to_owned(), |number| number.to_string())
}

/// Parses the column of a cell reference such as `AB12`; the first column is 0.
fn parse_column(reference: &str) -> Option<usize> {
    let letters = reference.bytes().take_while(u8::is_ascii_alphabetic);
    let digit = |letter: u8| usize::from(letter.to_ascii_uppercase() - b'A') + 1;
    let column = letters.take(4).fold(0, |column, letter| column * 26 + digit(letter));
    column.checked_sub(1)
}

/// The letters of a column index, such as `AB` for 27.
fn format_column_letters(column: usize) -> String {
    let (quotient, letter) = (column / 26, b'A' + u8::try_from(column % 26).unwrap_or(0));
    let leading_letters = quotient.checked_sub(1).map(format_column_letters).unwrap_or_default();
    format!("{leading_letters}{}", char::from(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts_between_cell_references_and_column_numbers() {
        for (reference, column) in [("A1", 0), ("Z9", 25), ("AA1", 26), ("xfd1048576", 16_383)] {
            assert_eq!(parse_column(reference), Some(column));
            assert_eq!(
                format_column_letters(column),
                reference.trim_end_matches(|c: char| c.is_ascii_digit()).to_uppercase()
            );
        }
        assert_eq!(parse_column("12"), None);
        assert!(parse_column("AAAAAAAAAAAAAAAAAAAAAAAAAA1") > Some(MAX_COLUMNS));
    }

    #[test]
    fn numbers_have_the_form_that_the_user_entered() {
        for (written, expected) in
            [("0.10000000000000001", "0.1"), ("1.5E-3", "0.0015"), ("12", "12"), ("1e3", "1000"), ("x", "x")]
        {
            assert_eq!(shorten_number(written), expected);
        }
    }
}
