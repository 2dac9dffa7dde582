//! Reads a record file in any format. This module finds columns and lines; it does not interpret the values.

use std::io::{Cursor, Read, Seek};

use panel_kernel::spreadsheet::unescape_formula;

use super::json::parse_json_lines;
use super::line::{Line, LineCollector, SheetColumn, parse_header};
use super::{Schema, SheetFormat};
use crate::failure::{CommandResult, Failure};
use crate::input::csv::CsvRecords;
use crate::input::read_file;
use crate::input::workbook::{Cell, read_rows};

/// Reads the lines of the file of `--file`; a file without lines is an error.
pub(crate) fn read_file_lines(schema: &'static Schema, file: &str) -> CommandResult<Vec<Line>> {
    let file_failure = |error: &str| Failure::usage(format!("--file {file}: {error}."));
    let format = SheetFormat::from_path(file)?;
    let bytes = read_file("--file", file)?;
    let lines = match format {
        SheetFormat::Csv => parse_csv_lines(schema, &bytes),
        SheetFormat::Xlsx => parse_workbook_lines(schema, Cursor::new(bytes)),
        SheetFormat::Json => parse_json_lines(schema, &bytes),
    };
    let lines = lines.map_err(|error| file_failure(&error))?;
    if lines.is_empty() {
        return Err(file_failure(&format!("the file has no {}", schema.singular)));
    }
    Ok(lines)
}

fn parse_csv_lines(schema: &Schema, bytes: &[u8]) -> Result<Vec<Line>, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "the file is not UTF-8 text".to_owned())?;
    let (mut header, mut lines) = (None, LineCollector::default());
    for record in CsvRecords::new(text) {
        let record = record?;
        let cells: Vec<String> = record.cells.iter().map(|cell| unescape_formula(cell).to_owned()).collect();
        let texts = cells.iter().map(String::as_str);
        match &header {
            None => header = Some(parse_header(schema, texts)?),
            Some(header) => lines.push(record.line, header, texts, cells.len())?,
        }
    }
    Ok(lines.into_vec())
}

fn parse_workbook_lines(schema: &Schema, file: impl Read + Seek) -> Result<Vec<Line>, String> {
    let (mut table, mut lines) = (None, LineCollector::default());
    read_rows(file, |row, cells| match &table {
        None => {
            table = Some(Table::from_header(schema, cells)?);
            Ok(())
        }
        Some(table) => table.add_row(&mut lines, row, cells),
    })
    .map_err(|error| error.to_string())?;
    Ok(lines.into_vec())
}

/// A table in the sheet of a workbook. It may start in any column.
struct Table {
    /// The first column of the table, from 0.
    first_column: usize,
    columns: Vec<SheetColumn>,
}

impl Table {
    fn from_header(schema: &Schema, cells: &[Cell<'_>]) -> Result<Self, String> {
        let first_column = cells.first().map_or(0, |cell| cell.column);
        Ok(Self {
            first_column,
            columns: parse_header(
                schema,
                texts_in_columns(cells, first_column, column_after_last_cell(cells) - first_column),
            )?,
        })
    }

    /// Adds a row; missing cells at the end of the row count as empty.
    fn add_row(&self, lines: &mut LineCollector, row: u64, cells: &[Cell<'_>]) -> Result<(), String> {
        let table_cells =
            cells.get(cells.iter().take_while(|cell| cell.column < self.first_column).count()..);
        let table_cells = table_cells.unwrap_or_default();
        let row_cell_count =
            column_after_last_cell(table_cells).saturating_sub(self.first_column).max(self.columns.len());
        lines.push(
            row,
            &self.columns,
            texts_in_columns(table_cells, self.first_column, self.columns.len()),
            row_cell_count,
        )
    }
}

/// The index of the column after the last cell.
fn column_after_last_cell(cells: &[Cell<'_>]) -> usize {
    cells.last().map_or(0, |cell| cell.column + 1)
}

/// The texts of `count` columns from `first_column` on; the text of a missing cell is empty.
fn texts_in_columns<'t>(
    cells: &'t [Cell<'_>],
    first_column: usize,
    count: usize,
) -> impl Iterator<Item = &'t str> + Clone {
    let mut remaining_cells = cells.iter().peekable();
    (first_column..first_column + count).map(move |column| {
        remaining_cells.next_if(|cell| cell.column == column).map_or("", |cell| cell.text.as_ref())
    })
}

#[cfg(test)]
mod memory;
#[cfg(test)]
mod tests;
