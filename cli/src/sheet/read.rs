//! Reads a file of records in any format. Every error names its line. Knows only the column names of the records.

use std::io::{Cursor, Read, Seek};

use panel_kernel::spreadsheet::unescape_formula;

use super::json::lines_of_json;
use super::line::{Column, Line, LineCollector, columns};
use super::{Schema, SheetFormat};
use crate::failure::{CmdResult, Failure};
use crate::input::csv::CsvRecords;
use crate::input::read_file;
use crate::input::workbook::{Cell, read_rows};

/// Reads the lines of a file.
pub(crate) fn read(schema: &'static Schema, file: &str) -> CmdResult<Vec<Line>> {
    let invalid = |why: &str| Failure::usage(format!("--file {file}: {why}."));
    let format = SheetFormat::of(file)?;
    let bytes = read_file("--file", file)?;
    let lines = match format {
        SheetFormat::Csv => lines_of_csv(schema, &bytes),
        SheetFormat::Xlsx => lines_of_workbook(schema, Cursor::new(bytes)),
        SheetFormat::Json => lines_of_json(schema, &bytes),
    };
    let lines = lines.map_err(|why| invalid(&why))?;
    if lines.is_empty() {
        return Err(invalid(&format!("it has no {}", schema.one)));
    }
    Ok(lines)
}

fn lines_of_csv(schema: &Schema, bytes: &[u8]) -> Result<Vec<Line>, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())?;
    let (mut header, mut lines) = (None, LineCollector::default());
    for record in CsvRecords::new(text) {
        let record = record?;
        let cells: Vec<String> = record.cells.iter().map(|cell| unescape_formula(cell).to_owned()).collect();
        let texts = cells.iter().map(String::as_str);
        match &header {
            None => header = Some(columns(schema, texts)?),
            Some(header) => lines.push(record.line, header, texts, cells.len())?,
        }
    }
    Ok(lines.into_vec())
}

fn lines_of_workbook(schema: &Schema, file: impl Read + Seek) -> Result<Vec<Line>, String> {
    let (mut table, mut lines) = (None, LineCollector::default());
    read_rows(file, |row, cells| match &table {
        None => {
            table = Some(Table::of(schema, cells)?);
            Ok(())
        }
        Some(table) => table.add_row(&mut lines, row, cells),
    })
    .map_err(|error| error.to_string())?;
    Ok(lines.into_vec())
}

/// The position of a table in a sheet: its header may start in any column.
struct Table {
    /// The first column of the table, from 0.
    first: usize,
    columns: Vec<Column>,
}

impl Table {
    fn of(schema: &Schema, cells: &[Cell<'_>]) -> Result<Self, String> {
        let first = cells.first().map_or(0, |(column, _)| *column);
        Ok(Self { first, columns: columns(schema, in_columns(cells, first, end(cells) - first))? })
    }

    /// Adds a row; missing cells at its end count as empty.
    fn add_row(&self, lines: &mut LineCollector, row: u64, cells: &[Cell<'_>]) -> Result<(), String> {
        let table_cells = cells.get(cells.iter().take_while(|(column, _)| *column < self.first).count()..);
        let table_cells = table_cells.unwrap_or_default();
        let width = end(table_cells).saturating_sub(self.first).max(self.columns.len());
        lines.push(row, &self.columns, in_columns(table_cells, self.first, self.columns.len()), width)
    }
}

/// The column after the last cell.
fn end(cells: &[Cell<'_>]) -> usize {
    cells.last().map_or(0, |(column, _)| column + 1)
}

/// The texts of `count` columns in order; empty for missing cells.
fn in_columns<'t>(
    cells: &'t [Cell<'_>],
    first: usize,
    count: usize,
) -> impl Iterator<Item = &'t str> + Clone {
    let mut rest = cells.iter().peekable();
    (first..first + count)
        .map(move |column| rest.next_if(|(index, _)| *index == column).map_or("", |(_, text)| text.as_ref()))
}

#[cfg(test)]
mod memory;
#[cfg(test)]
mod tests;
