//! Reads a file of records, whatever its form. Says every fault with its line; knows nothing of the records but the names
//! of their columns.

use std::io::{Cursor, Read, Seek};

use panel_kernel::spreadsheet::unguarded;

use super::json::lines_of_json;
use super::line::{Column, Line, Lines, columns};
use super::{Form, Schema};
use crate::failure::{Done, Failure};
use crate::input::csv::CsvRecords;
use crate::input::read_file;
use crate::input::workbook::{Cell, read_rows};

/// The lines of a file.
pub(crate) fn read(schema: &'static Schema, file: &str) -> Done<Vec<Line>> {
    let wrong = |why: &str| Failure::usage(format!("--file {file}: {why}."));
    let form = Form::of(file)?;
    let bytes = read_file("--file", file)?;
    let lines = match form {
        Form::Csv => lines_of_csv(schema, &bytes),
        Form::Xlsx => lines_of_workbook(schema, Cursor::new(bytes)),
        Form::Json => lines_of_json(schema, &bytes),
    };
    let lines = lines.map_err(|why| wrong(&why))?;
    if lines.is_empty() {
        return Err(wrong(&format!("there is no {} in it", schema.one)));
    }
    Ok(lines)
}

fn lines_of_csv(schema: &Schema, bytes: &[u8]) -> Result<Vec<Line>, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is no UTF-8 text".to_owned())?;
    let (mut head, mut lines) = (None, Lines::default());
    for record in CsvRecords::new(text) {
        let record = record?;
        let cells: Vec<String> = record.cells.iter().map(|cell| unguarded(cell).to_owned()).collect();
        let texts = cells.iter().map(String::as_str);
        match &head {
            None => head = Some(columns(schema, texts)?),
            Some(head) => lines.push(record.line, head, texts, cells.len())?,
        }
    }
    Ok(lines.into_vec())
}

fn lines_of_workbook(schema: &Schema, file: impl Read + Seek) -> Result<Vec<Line>, String> {
    let (mut table, mut lines) = (None, Lines::default());
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

/// Where a table stands in a sheet: its first row may begin in any column.
struct Table {
    /// The first column of the sheet that it has, from 0.
    first: usize,
    columns: Vec<Column>,
}

impl Table {
    fn of(schema: &Schema, cells: &[Cell<'_>]) -> Result<Self, String> {
        let first = cells.first().map_or(0, |(column, _)| *column);
        Ok(Self { first, columns: columns(schema, in_columns(cells, first, end(cells) - first))? })
    }

    /// Adds a row; cells at its end that have no value are as if they were there.
    fn add_row(&self, lines: &mut Lines, row: u64, cells: &[Cell<'_>]) -> Result<(), String> {
        let own = cells.get(cells.iter().take_while(|(column, _)| *column < self.first).count()..);
        let own = own.unwrap_or_default();
        let width = end(own).saturating_sub(self.first).max(self.columns.len());
        lines.push(row, &self.columns, in_columns(own, self.first, self.columns.len()), width)
    }
}

/// The column behind the last cell.
fn end(cells: &[Cell<'_>]) -> usize {
    cells.last().map_or(0, |(column, _)| column + 1)
}

/// The texts of some columns, in their order.
fn in_columns<'t>(
    cells: &'t [Cell<'_>],
    first: usize,
    count: usize,
) -> impl Iterator<Item = &'t str> + Clone {
    let mut rest = cells.iter().peekable();
    (first..first + count)
        .map(move |column| rest.next_if(|(at, _)| *at == column).map_or("", |(_, text)| text.as_ref()))
}

#[cfg(test)]
mod memory;
#[cfg(test)]
mod tests;
