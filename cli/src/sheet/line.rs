//! The lines of a record file in any format: columns, ids and cells. The total size is limited, so that a file cannot exhaust the
//! memory. This module does not interpret values.

use std::collections::HashSet;
use std::fmt::Write as _;

use panel_contract::ids::RecordId;

use super::Schema;
use super::field::Field;
use crate::input::{quote_start, shorten};

/// Maximum number of lines in one file.
const MAX_LINES: usize = 100_000;
/// Maximum number of cells in one file: 20,000 services with 50 columns.
const MAX_CELLS: usize = 1_000_000;
/// Maximum size of the texts of all cells in one file, in bytes.
const MAX_TEXT_BYTES: usize = 20 << 20;
/// Maximum number of unknown columns that an error lists.
const MAX_LISTED_COLUMNS: usize = 5;
/// Maximum number of unknown columns that are counted.
const MAX_COUNTED_COLUMNS: usize = 1_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// From 1: the line of a CSV file, the row of a workbook, or the position in a JSON list.
    pub(crate) line_number: u64,
    /// The id of the record; `None` for a new record.
    pub(crate) id: Option<RecordId>,
    /// The cells. Fields that a JSON object does not contain have no cell.
    pub(crate) cells: Cells,
    /// An error of the line, such as an invalid id or a wrong number of cells.
    pub(crate) error: Option<String>,
}

/// The cells of a line. Their texts are stored in one string, because a file has up to a million cells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Cells {
    text: String,
    /// For each cell, the index of its field, and the position in `text` where the text of the cell ends.
    cell_ends: Vec<(u16, u32)>,
}

impl Cells {
    pub(crate) fn push(&mut self, column: SheetColumn, text: &str) {
        let SheetColumn::Field(index) = column else { return };
        self.text.push_str(text);
        // A line is never longer than the file, so the length fits.
        self.cell_ends.push((index, u32::try_from(self.text.len()).unwrap_or(u32::MAX)));
    }

    /// The cells with their fields.
    pub(crate) fn iter(&self, schema: &'static Schema) -> impl Iterator<Item = (&'static Field, &str)> {
        let end = |index: usize| self.cell_ends.get(index).map_or(0, |(_, end)| *end as usize);
        self.cell_ends.iter().enumerate().filter_map(move |(position, (index, _))| {
            let start = position.checked_sub(1).map_or(0, end);
            Some((schema.fields().nth(usize::from(*index))?, self.text.get(start..end(position))?))
        })
    }
}

/// What a column of a record file contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SheetColumn {
    /// The id of the record; empty for a new record.
    Id,
    /// The field at this index of [`Schema::fields`].
    Field(u16),
}

impl SheetColumn {
    pub(crate) fn from_name(schema: &Schema, name: &str) -> Option<Self> {
        match name.trim() {
            "id" => Some(Self::Id),
            name => schema.field_index(name).map(Self::Field),
        }
    }
}

/// Parses the header line. If a column is unknown, the error lists the allowed columns.
pub(crate) fn parse_header<'n>(
    schema: &Schema,
    names: impl IntoIterator<Item = &'n str>,
) -> Result<Vec<SheetColumn>, String> {
    let (mut columns, mut unknown_columns) = (Vec::new(), UnknownColumns::default());
    for name in names {
        match SheetColumn::from_name(schema, name) {
            None => unknown_columns.push(name),
            Some(column) if columns.contains(&column) => {
                return Err(format!("the column {} occurs twice", name.trim()));
            }
            Some(column) => columns.push(column),
        }
    }
    unknown_columns.into_result(schema)?;
    match columns.contains(&SheetColumn::Id) {
        true => Ok(columns),
        false => Err(format!("the column id is missing; {}", schema.id_advice)),
    }
}

/// Collects unknown columns: the names of the first few, and the number of all.
#[derive(Debug, Default)]
pub(crate) struct UnknownColumns {
    listed_columns: Vec<String>,
    distinct_columns: HashSet<String>,
}

impl UnknownColumns {
    pub(crate) fn push(&mut self, name: &str) {
        if self.distinct_columns.len() == MAX_COUNTED_COLUMNS {
            return;
        }
        let name = shorten(name.trim()).into_owned();
        if self.distinct_columns.insert(name.clone()) && self.listed_columns.len() < MAX_LISTED_COLUMNS {
            self.listed_columns.push(name);
        }
    }

    pub(crate) fn into_result(self, schema: &Schema) -> Result<(), String> {
        if self.listed_columns.is_empty() {
            return Ok(());
        }
        let mut text = format!("unknown columns: {}", self.listed_columns.join(", "));
        match self.distinct_columns.len() {
            MAX_COUNTED_COLUMNS => text.push_str(" and many more"),
            count if count > MAX_LISTED_COLUMNS => {
                let _ = write!(text, " and {} more", count - MAX_LISTED_COLUMNS);
            }
            _ => {}
        }
        let allowed_columns: Vec<&str> =
            std::iter::once("id").chain(schema.fields().map(|field| field.name)).collect();
        Err(format!("{text}; allowed columns: {}", allowed_columns.join(", ")))
    }
}

/// Collects the lines of a file within its limits.
#[derive(Debug, Default)]
pub(crate) struct LineCollector {
    lines: Vec<Line>,
    cell_count: usize,
    text_bytes: usize,
}

impl LineCollector {
    pub(crate) fn into_vec(self) -> Vec<Line> {
        self.lines
    }

    /// Adds a line whose cells are in the order of the columns. Skips a line whose cells are all empty. `line_cell_count` is the number
    /// of cells that the file has in this line.
    pub(crate) fn push<'t>(
        &mut self,
        line_number: u64,
        columns: &[SheetColumn],
        texts: impl Iterator<Item = &'t str> + Clone,
        line_cell_count: usize,
    ) -> Result<(), String> {
        if texts.clone().all(|text| text.trim().is_empty()) {
            return Ok(());
        }
        let (mut id, mut cells) = ("", Cells::default());
        for (column, text) in columns.iter().zip(texts) {
            match column {
                SheetColumn::Id => id = text,
                SheetColumn::Field(_) => cells.push(*column, text),
            }
        }
        let error = (line_cell_count != columns.len())
            .then(|| format!("{line_cell_count} cells instead of {}", columns.len()));
        self.push_cells(line_number, id, cells, error)
    }

    /// Adds a line with parsed cells; `id` is the text of the record's id. Returns an error if the file exceeds a limit.
    pub(crate) fn push_cells(
        &mut self,
        line_number: u64,
        id: &str,
        cells: Cells,
        error: Option<String>,
    ) -> Result<(), String> {
        self.cell_count += cells.cell_ends.len();
        self.text_bytes += cells.text.len();
        let limit_error = |limit: &str| Err(format!("the file has more than {limit}; split it"));
        if self.lines.len() == MAX_LINES {
            return limit_error(&format!("{MAX_LINES} lines"));
        }
        if self.cell_count > MAX_CELLS {
            return limit_error(&format!("{MAX_CELLS} cells"));
        }
        if self.text_bytes > MAX_TEXT_BYTES {
            return limit_error(&format!("{} MiB of text", MAX_TEXT_BYTES >> 20));
        }
        let id = id.trim();
        let record_id = id.parse::<i64>().ok().filter(|id| *id > 0).map(RecordId::new);
        let id_error =
            (record_id.is_none() && !id.is_empty()).then(|| format!("{} is not an id", quote_start(id)));
        self.lines.push(Line { line_number, id: record_id, cells, error: error.or(id_error) });
        Ok(())
    }
}
