//! The lines of a file of records, whatever its form: which columns there are, which record each line is about, and its
//! cells. Bounded together, so that no file takes more memory than it may. Knows nothing of values.

use std::collections::HashSet;
use std::fmt::Write as _;

use panel_contract::ids::RecordId;

use super::Schema;
use super::field::Field;
use crate::input::{quoted, shortened};

/// Lines of one file.
const MAX_LINES: usize = 100_000;
/// Cells of all lines together: 20,000 services with 50 columns.
const MAX_CELLS: usize = 1_000_000;
/// Bytes of all cells together.
const MAX_TEXT_BYTES: usize = 20 << 20;
/// Unknown columns that an error names.
const NAMED: usize = 5;
/// Unknown columns that are counted.
const COUNTED: usize = 1_000;

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// Where it stands: the line of a text, the row of a workbook, the place in a list of JSON, from 1.
    pub(crate) line: u64,
    /// The record it is about; none for a new one.
    pub(crate) id: Option<RecordId>,
    /// Its cells; what a JSON object does not name is not there.
    pub(crate) cells: Cells,
    /// What is wrong with it as a whole.
    pub(crate) fault: Option<String>,
}

/// The cells of a line by their field: in one text, as a file has up to a million of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Cells {
    text: String,
    /// The place of each cell's field, and where its text ends.
    ends: Vec<(u16, u32)>,
}

impl Cells {
    pub(crate) fn push(&mut self, column: Column, text: &str) {
        let Column::Field(place) = column else { return };
        self.text.push_str(text);
        // A line has at most the bytes of a file.
        self.ends.push((place, u32::try_from(self.text.len()).unwrap_or(u32::MAX)));
    }

    /// The cells with their fields.
    pub(crate) fn iter(&self, schema: &'static Schema) -> impl Iterator<Item = (&'static Field, &str)> {
        let end = |index: usize| self.ends.get(index).map_or(0, |(_, end)| *end as usize);
        self.ends.iter().enumerate().filter_map(move |(index, (place, _))| {
            let start = index.checked_sub(1).map_or(0, end);
            Some((schema.fields().nth(usize::from(*place))?, self.text.get(start..end(index))?))
        })
    }
}

/// What a column is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    /// The record's id; a new one has none.
    Id,
    /// The field at a place of [`Schema::fields`].
    Field(u16),
}

impl Column {
    /// The column of a name.
    pub(crate) fn of(schema: &Schema, name: &str) -> Option<Self> {
        match name.trim() {
            "id" => Some(Self::Id),
            name => schema.place_of(name).map(Self::Field),
        }
    }
}

/// The columns that a file's first line names. Unknown ones are refused with the known ones.
pub(crate) fn columns<'n>(
    schema: &Schema,
    names: impl IntoIterator<Item = &'n str>,
) -> Result<Vec<Column>, String> {
    let (mut columns, mut unknown) = (Vec::new(), Unknown::default());
    for name in names {
        match Column::of(schema, name) {
            None => unknown.push(name),
            Some(column) if columns.contains(&column) => {
                return Err(format!("the column {} is there twice", name.trim()));
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

/// Columns that no record has: the first few by name, the others counted.
#[derive(Debug, Default)]
pub(crate) struct Unknown {
    first: Vec<String>,
    all: HashSet<String>,
}

impl Unknown {
    pub(crate) fn push(&mut self, name: &str) {
        if self.all.len() == COUNTED {
            return;
        }
        let name = shortened(name.trim()).into_owned();
        if self.all.insert(name.clone()) && self.first.len() < NAMED {
            self.first.push(name);
        }
    }

    pub(crate) fn refuse(self, schema: &Schema) -> Result<(), String> {
        if self.first.is_empty() {
            return Ok(());
        }
        let mut text = format!("there is no column {}", self.first.join(", "));
        match self.all.len() {
            COUNTED => text.push_str(" and many more"),
            count if count > NAMED => {
                let _ = write!(text, " and {} more", count - NAMED);
            }
            _ => {}
        }
        let known: Vec<&str> = std::iter::once("id").chain(schema.fields().map(|field| field.name)).collect();
        Err(format!("{text}; known are {}", known.join(", ")))
    }
}

/// Gathers the lines of a file.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    all: Vec<Line>,
    cells: usize,
    text_bytes: usize,
}

impl Lines {
    /// The lines that were gathered.
    pub(crate) fn into_vec(self) -> Vec<Line> {
        self.all
    }

    /// Adds a line of cells in the order of the columns; one without a value is passed over. `width` is the cells that it
    /// has in the file.
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
        let fault = (width != columns.len()).then(|| format!("{width} cells instead of {}", columns.len()));
        self.add(line, id, cells, fault)
    }

    /// Adds a line with the text of its id.
    pub(crate) fn add(
        &mut self,
        line: u64,
        id: &str,
        cells: Cells,
        fault: Option<String>,
    ) -> Result<(), String> {
        self.cells += cells.ends.len();
        self.text_bytes += cells.text.len();
        let too_many = |what: &str| Err(format!("it has more than {what}; split it"));
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
        let no_id = (number.is_none() && !id.is_empty()).then(|| format!("{} is no id", quoted(id)));
        self.all.push(Line { line, id: number, cells, fault: fault.or(no_id) });
        Ok(())
    }
}
