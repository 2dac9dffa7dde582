//! Rows as they come: streamed where the format allows it, held back where it does not.

use panel_kernel::spreadsheet;
use serde_json::Value;

use crate::failure::{Done, Failure};
use crate::output::column::{Column, Kind, at, brief, shown};
use crate::output::{Format, Out, jq, table};

/// Takes rows and writes them in the format asked for. JSON of many rows is one array, however many there are.
pub(crate) struct Rows<'o> {
    out: &'o Out,
    columns: Vec<Column>,
    /// Held back for a table's widths, or for jq.
    held: Vec<Value>,
    count: usize,
}

impl<'o> Rows<'o> {
    pub(super) fn new(out: &'o Out, declared: &[Column]) -> Done<Self> {
        Ok(Self { out, columns: chosen(out, declared)?, held: Vec::new(), count: 0 })
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, row: Value) -> Done<()> {
        self.count += 1;
        if self.columns.is_empty() {
            self.columns = columns_of(&row);
        }
        if self.is_held() {
            self.held.push(row);
            return Ok(());
        }
        match self.out.format {
            Format::Json => self.json(&row),
            Format::Jsonl => self.out.json(&self.out.project(&row).to_string()),
            Format::Yaml => self.out.yaml(&Value::Array(vec![self.out.project(&row)])),
            Format::Ids => self.id(&row),
            Format::Csv => self.csv(&row),
            Format::Table => self.tabs(&row),
        }
    }

    /// Writes what is left.
    pub(crate) fn finish(self) -> Done<()> {
        if let Some(filter) = &self.out.jq {
            return jq::print(self.out, filter, &Value::Array(self.held));
        }
        match (self.out.format, self.count) {
            (Format::Json, 0) | (Format::Yaml, 0) => self.out.line("[]"),
            (Format::Json, _) => self.out.line("\n]"),
            (Format::Csv, 0) => self.csv_head(),
            (Format::Table, _) if self.out.drawn => table::draw(self.out, &self.columns, &self.held),
            (Format::Table, 0) => self.tabs_head(),
            _ => Ok(()),
        }
    }

    fn is_held(&self) -> bool {
        self.out.jq.is_some() || (self.out.format == Format::Table && self.out.drawn)
    }

    fn json(&self, row: &Value) -> Done<()> {
        let text = serde_json::to_string_pretty(&self.out.project(row)).unwrap_or_default();
        let text = text.replace('\n', "\n  ");
        // What follows a row comes with the next one: none of them knows whether it is the last.
        self.out.piece_of_json(&if self.count == 1 { format!("[\n  {text}") } else { format!(",\n  {text}") })
    }

    fn id(&self, row: &Value) -> Done<()> {
        match row.get("id") {
            Some(id) => self.out.text(&shown(id)),
            None => Err(Failure::usage("These rows have no ids; choose another format with -o.")),
        }
    }

    fn csv_head(&self) -> Done<()> {
        if !self.out.header || self.columns.is_empty() {
            return Ok(());
        }
        self.record(self.columns.iter().map(|column| column.name.to_owned()))
    }

    fn csv(&self, row: &Value) -> Done<()> {
        if self.count == 1 {
            self.csv_head()?;
        }
        self.record(self.columns.iter().map(|column| cell(column, row)))
    }

    fn record(&self, cells: impl Iterator<Item = String>) -> Done<()> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let failed = |error: &dyn std::error::Error| Failure::failed(error.to_string());
        let guarded = cells.map(|cell| spreadsheet::guarded(&cell).into_owned());
        writer.write_record(guarded).map_err(|error| failed(&error))?;
        let bytes = writer.into_inner().map_err(|error| failed(&error.into_error()))?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        self.out.text(text.trim_end_matches('\n'))
    }

    fn tabs_head(&self) -> Done<()> {
        if !self.out.header || self.columns.is_empty() {
            return Ok(());
        }
        self.out.line(&self.columns.iter().map(Column::title).collect::<Vec<_>>().join("\t"))
    }

    fn tabs(&self, row: &Value) -> Done<()> {
        if self.count == 1 {
            self.tabs_head()?;
        }
        let cells: Vec<_> = self
            .columns
            .iter()
            .map(|column| crate::output::clean::clean(&brief(at(row, column.name))).into_owned())
            .collect();
        self.out.line(&cells.join("\t"))
    }
}

/// A cell of CSV: raw; the writer guards it against formulas.
fn cell(column: &Column, row: &Value) -> String {
    match at(row, column.name) {
        Value::Bool(flag) => flag.to_string(),
        value => shown(value),
    }
}

/// The columns to show: those asked for, else those of the table, or all of them for CSV.
fn chosen(out: &Out, declared: &[Column]) -> Done<Vec<Column>> {
    let Some(names) = &out.columns else {
        let wanted = |column: &&Column| column.shown || out.format == Format::Csv;
        return Ok(declared.iter().filter(wanted).copied().collect());
    };
    let known = || declared.iter().map(|column| column.name).collect::<Vec<_>>().join(", ");
    names
        .iter()
        .map(|name| match declared.iter().find(|column| column.name == name) {
            Some(column) => Ok(*column),
            None if declared.is_empty() => Ok(Column::new(leak(name), Kind::Text)),
            None => Err(Failure::usage(format!("There is no column {name}. The columns are: {}.", known()))),
        })
        .collect()
}

/// Columns of rows that nobody declared: the fields of the first.
fn columns_of(row: &Value) -> Vec<Column> {
    let names = row.as_object().into_iter().flat_map(|fields| fields.keys());
    names.map(|name| Column::new(leak(name), Kind::Text)).collect()
}

/// A few names per run of the program: columns of `api` calls are not known before.
pub(super) fn leak(name: &str) -> &'static str {
    Box::leak(name.to_owned().into_boxed_str())
}
