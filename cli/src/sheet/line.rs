//! The lines of a file of records in any format: columns, ids and cells. Bounded in total, so that a file cannot exhaust the
//! memory. Does not interpret values.

use std::collections::HashSet;
use std::fmt::Write as _;

use panel_contract::ids::RecordId;

use super::Schema;
use super::field::Field;
use crate::input::{quoted, shortened};

/// Limit of lines in one file.
const MAX_LINES: usize = 100_000;
/// Limit of cells in one file: 20,000 services with 50 columns.
const MAX_CELLS: usize = 1_000_000;
/// Limit of bytes of all cells in one file.
const MAX_TEXT_BYTES: usize = 20 << 20;
/// Limit of unknown columns that an error names.
const MAX_NAMED: usize = 5;
/// Limit of unknown columns that are counted.
const MAX_COUNTED: usize = 1_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// Position from 1: the line of a text, the row of a workbook, or the index in a JSON list.
    pub(crate) line: u64,
    /// The id of the record; none for a new one.
    pub(crate) id: Option<RecordId>,
    /// The cells; fields that a JSON object does not contain are absent.
    pub(crate) cells: Cells,
    /// An error that concerns the whole line.
    pub(crate) error: Option<String>,
}

/// The cells of a line by field, in one text, because a file has up to a million of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Cells {
    text: String,
    /// The index of each cell's field, and the end of its text.
    ends: Vec<(u16, u32)>,
}

impl Cells {
    pub(crate) fn push(&mut self, column: Column, text: &str) {
        let Column::Field(index) = column else { return };
        self.text.push_str(text);
        // A line is at most as long as the file, so the length fits.
        self.ends.push((index, u32::try_from(self.text.len()).unwrap_or(u32::MAX)));
    }

    /// The cells with their fields.
    pub(crate) fn iter(&self, schema: &'static Schema) -> impl Iterator<Item = (&'static Field, &str)> {
        let end = |index: usize| self.ends.get(index).map_or(0, |(_, end)| *end as usize);
        self.ends.iter().enumerate().filter_map(move |(position, (index, _))| {
            let start = position.checked_sub(1).map_or(0, end);
            Some((schema.fields().nth(usize::from(*index))?, self.text.get(start..end(position))?))
        })
    }
}

/// The content of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    /// The record's id; empty for a new record.
    Id,
    /// The field at this index of [`Schema::fields`].
    Field(u16),
}

impl Column {
    /// The column with this name.
    pub(crate) fn of(schema: &Schema, name: &str) -> Option<Self> {
        match name.trim() {
            "id" => Some(Self::Id),
            name => schema.index_of(name).map(Self::Field),
        }
    }
}

/// Parses the header line. The error for unknown columns lists the known ones.
pub(crate) fn columns<'n>(
    schema: &Schema,
    names: impl IntoIterator<Item = &'n str>,
) -> Result<Vec<Column>, String> {
    let (mut columns, mut unknown) = (Vec::new(), UnknownColumns::default());
    for name in names {
        match Column::of(schema, name) {
            None => unknown.push(name),
            Some(column) if columns.contains(&column) => {
                return Err(format!("the column {} occurs twice", name.trim()));
            }
            Some(column) => columns.push(column),
        }
    }
    unknown.refuse(schema)?;
    match columns.contains(&Column::Id) {
        true => Ok(columns),
        false => Err(format!("the column id is missing; {}", schema.id_advice)),
    }
}

/// Unknown columns: the first few by name, the others counted.
#[derive(Debug, Default)]
pub(crate) struct UnknownColumns {
    first: Vec<String>,
    all: HashSet<String>,
}

impl UnknownColumns {
    pub(crate) fn push(&mut self, name: &str) {
        if self.all.len() == MAX_COUNTED {
            return;
        }
        let name = shortened(name.trim()).into_owned();
        if self.all.insert(name.clone()) && self.first.len() < MAX_NAMED {
            self.first.push(name);
        }
    }

    pub(crate) fn refuse(self, schema: &Schema) -> Result<(), String> {
        if self.first.is_empty() {
            return Ok(());
        }
        let mut text = format!("unknown columns: {}", self.first.join(", "));
        match self.all.len() {
            MAX_COUNTED => text.push_str(" and many more"),
            count if count > MAX_NAMED => {
                let _ = write!(text, " and {} more", count - MAX_NAMED);
            }
            _ => {}
        }
        let allowed: Vec<&str> =
            std::iter::once("id").chain(schema.fields().map(|field| field.name)).collect();
        Err(format!("{text}; allowed are {}", allowed.join(", ")))
    }
}

/// Collects the lines of a file within its limits.
#[derive(Debug, Default)]
pub(crate) struct LineCollector {
    all: Vec<Line>,
    cells: usize,
    text_bytes: usize,
}

impl LineCollector {
    pub(crate) fn into_vec(self) -> Vec<Line> {
        self.all
    }

    /// Adds a line with cells in the order of the columns; skips a line without any value. `width` is the number of its cells in the
    /// file.
    pub(crate) fn push<'t>(
        &mut self,
        line: u64,
        columns: &[Column],
        texts: impl Iterator<Item = &'t str> + Clone,
        width: usize,
    ) -> Result<(), String> {
        if texts.clone().all(|text| text.trim().is_empty()) {
            return Ok(());
        }
        let (mut id, mut cells) = ("", Cells::default());
        for (column, text) in columns.iter().zip(texts) {
            match column {
                Column::Id => id = text,
                Column::Field(_) => cells.push(*column, text),
            }
        }
        let error = (width != columns.len()).then(|| format!("{width} cells instead of {}", columns.len()));
        self.add(line, id, cells, error)
    }

    /// Adds a line; `id` is the text of its id.
    pub(crate) fn add(
        &mut self,
        line: u64,
        id: &str,
        cells: Cells,
        error: Option<String>,
    ) -> Result<(), String> {
        self.cells += cells.ends.len();
        self.text_bytes += cells.text.len();
        let too_many = |what: &str| Err(format!("it has more than {what}; split the file"));
        if self.all.len() == MAX_LINES {
            return too_many(&format!("{MAX_LINES} lines"));
        }
        if self.cells > MAX_CELLS {
            return too_many(&format!("{MAX_CELLS} cells"));
        }
        if self.text_bytes > MAX_TEXT_BYTES {
            return too_many(&format!("{} MiB of text", MAX_TEXT_BYTES >> 20));
        }
        let id = id.trim();
        let number = id.parse::<i64>().ok().filter(|id| *id > 0).map(RecordId::new);
        let id_error = (number.is_none() && !id.is_empty()).then(|| format!("{} is not an id", quoted(id)));
        self.all.push(Line { line, id: number, cells, error: error.or(id_error) });
        Ok(())
    }
}
