//! Writes rows: streams them if the format allows it, otherwise buffers them.

use panel_kernel::spreadsheet;
use serde_json::Value;

use crate::failure::{CmdResult, Failure};
use crate::output::column::{Column, Kind, brief_text, display_text, value_at};
use crate::output::{Format, Out, jq, table};

/// Accepts rows and writes them in the selected format. JSON is one array, regardless of the number of rows.
pub(crate) struct Rows<'o> {
    out: &'o Out,
    columns: Vec<Column>,
    /// Rows buffered to compute a table's widths, or for jq.
    buffered: Vec<Value>,
    count: usize,
}

impl<'o> Rows<'o> {
    pub(super) fn new(out: &'o Out, declared: &[Column]) -> CmdResult<Self> {
        Ok(Self { out, columns: select_columns(out, declared)?, buffered: Vec::new(), count: 0 })
    }

    pub(crate) fn push(&mut self, row: Value) -> CmdResult<()> {
        self.count += 1;
        if self.columns.is_empty() {
            self.columns = undeclared_columns(&row);
        }
        if self.buffers() {
            self.buffered.push(row);
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

    /// Writes buffered rows and the end of the output.
    pub(crate) fn finish(self) -> CmdResult<()> {
        if let Some(filter) = &self.out.jq {
            return jq::print(self.out, filter, &Value::Array(self.buffered));
        }
        match (self.out.format, self.count) {
            (Format::Json, 0) | (Format::Yaml, 0) => self.out.line("[]"),
            (Format::Json, _) => self.out.line("\n]"),
            (Format::Csv, 0) => self.csv_head(),
            (Format::Table, _) if self.out.draws_tables => {
                table::draw(self.out, &self.columns, &self.buffered)
            }
            (Format::Table, 0) => self.tabs_head(),
            _ => Ok(()),
        }
    }

    fn buffers(&self) -> bool {
        self.out.jq.is_some() || (self.out.format == Format::Table && self.out.draws_tables)
    }

    fn json(&self, row: &Value) -> CmdResult<()> {
        let text = serde_json::to_string_pretty(&self.out.project(row)).unwrap_or_default();
        let text = text.replace('\n', "\n  ");
        // The separator is written before the next row, because no row knows whether it is the last.
        self.out.json_piece(&if self.count == 1 { format!("[\n  {text}") } else { format!(",\n  {text}") })
    }

    fn id(&self, row: &Value) -> CmdResult<()> {
        match row.get("id") {
            Some(id) => self.out.text(&display_text(id)),
            None => Err(Failure::usage("These rows have no ids. Choose another format with -o.")),
        }
    }

    fn csv_head(&self) -> CmdResult<()> {
        if !self.out.header || self.columns.is_empty() {
            return Ok(());
        }
        self.record(self.columns.iter().map(|column| column.name.to_owned()))
    }

    fn csv(&self, row: &Value) -> CmdResult<()> {
        if self.count == 1 {
            self.csv_head()?;
        }
        self.record(self.columns.iter().map(|column| cell(column, row)))
    }

    fn record(&self, cells: impl Iterator<Item = String>) -> CmdResult<()> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let failed = |error: &dyn std::error::Error| Failure::failed(error.to_string());
        let guarded = cells.map(|cell| spreadsheet::escape_formula(&cell).into_owned());
        writer.write_record(guarded).map_err(|error| failed(&error))?;
        let bytes = writer.into_inner().map_err(|error| failed(&error.into_error()))?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        self.out.text(text.trim_end_matches('\n'))
    }

    fn tabs_head(&self) -> CmdResult<()> {
        if !self.out.header || self.columns.is_empty() {
            return Ok(());
        }
        self.out.line(&self.columns.iter().map(Column::title).collect::<Vec<_>>().join("\t"))
    }

    fn tabs(&self, row: &Value) -> CmdResult<()> {
        if self.count == 1 {
            self.tabs_head()?;
        }
        let cells: Vec<_> = self
            .columns
            .iter()
            .map(|column| crate::output::clean::clean(&brief_text(value_at(row, column.name))).into_owned())
            .collect();
        self.out.line(&cells.join("\t"))
    }
}

/// The raw text of a CSV cell; the writer guards it against formulas.
fn cell(column: &Column, row: &Value) -> String {
    match value_at(row, column.name) {
        Value::Bool(flag) => flag.to_string(),
        value => display_text(value),
    }
}

/// The columns of `--columns`, otherwise those of a table, or all for CSV.
fn select_columns(out: &Out, declared: &[Column]) -> CmdResult<Vec<Column>> {
    let Some(names) = &out.columns else {
        let is_default = |column: &&Column| column.in_table || out.format == Format::Csv;
        return Ok(declared.iter().filter(is_default).copied().collect());
    };
    let available = || declared.iter().map(|column| column.name).collect::<Vec<_>>().join(", ");
    names
        .iter()
        .map(|name| match declared.iter().find(|column| column.name == name) {
            Some(column) => Ok(*column),
            None if declared.is_empty() => Ok(Column::new(leak(name), Kind::Text)),
            None => Err(Failure::usage(format!("Unknown column: {name}. The columns are: {}.", available()))),
        })
        .collect()
}

/// The columns of rows without a declaration: the fields of the first row.
fn undeclared_columns(row: &Value) -> Vec<Column> {
    let names = row.as_object().into_iter().flat_map(|fields| fields.keys());
    names.map(|name| Column::new(leak(name), Kind::Text)).collect()
}

/// Columns of `api` calls are known only at run time; a process leaks only a few names.
pub(super) fn leak(name: &str) -> &'static str {
    Box::leak(name.to_owned().into_boxed_str())
}
