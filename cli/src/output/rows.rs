//! Writes rows. Buffers all rows for a table and for jq; other formats are written row by row.

use panel_kernel::spreadsheet;
use serde_json::Value;

use crate::failure::{CommandResult, Failure};
use crate::output::column::{Column, DisplayKind, brief_text, display_text, value_at};
use crate::output::{Format, Output, jq, table};

/// Accepts rows and writes them in the selected format. JSON is one array, regardless of the number of rows.
pub(crate) struct RowWriter<'o> {
    out: &'o Output,
    columns: Vec<Column>,
    /// Rows buffered to compute a table's widths, or for jq.
    buffered_rows: Vec<Value>,
    row_count: usize,
}

impl<'o> RowWriter<'o> {
    pub(super) fn new(out: &'o Output, declared_columns: &[Column]) -> CommandResult<Self> {
        Ok(Self {
            out,
            columns: select_columns(out, declared_columns)?,
            buffered_rows: Vec::new(),
            row_count: 0,
        })
    }

    pub(crate) fn push(&mut self, row: Value) -> CommandResult<()> {
        self.row_count += 1;
        if self.columns.is_empty() {
            self.columns = columns_of_row(&row);
        }
        if self.is_buffered() {
            self.buffered_rows.push(row);
            return Ok(());
        }
        match self.out.format {
            Format::Json => self.write_json(&row),
            Format::Jsonl => self.out.print_json(&self.out.select_fields(&row).to_string()),
            Format::Yaml => self.out.print_yaml(&Value::Array(vec![self.out.select_fields(&row)])),
            Format::Ids => self.write_id(&row),
            Format::Csv => self.write_csv(&row),
            Format::Table => self.write_tab_separated(&row),
        }
    }

    /// Writes buffered rows and the end of the output.
    pub(crate) fn finish(self) -> CommandResult<()> {
        if let Some(filter) = &self.out.jq {
            return jq::print_filtered(self.out, filter, &Value::Array(self.buffered_rows));
        }
        match (self.out.format, self.row_count) {
            (Format::Json, 0) | (Format::Yaml, 0) => self.out.print_line("[]"),
            (Format::Json, _) => self.out.print_line("\n]"),
            (Format::Csv, 0) => self.write_csv_header(),
            (Format::Table, _) if self.out.draws_tables => {
                table::draw(self.out, &self.columns, &self.buffered_rows)
            }
            (Format::Table, 0) => self.write_tab_separated_header(),
            _ => Ok(()),
        }
    }

    fn is_buffered(&self) -> bool {
        self.out.jq.is_some() || (self.out.format == Format::Table && self.out.draws_tables)
    }

    fn write_json(&self, row: &Value) -> CommandResult<()> {
        let text = serde_json::to_string_pretty(&self.out.select_fields(row)).unwrap_or_default();
        let text = text.replace('\n', "\n  ");
        // The comma precedes the next row, because it is unknown whether a row is the last one.
        self.out.print_json_fragment(&if self.row_count == 1 {
            format!("[\n  {text}")
        } else {
            format!(",\n  {text}")
        })
    }

    fn write_id(&self, row: &Value) -> CommandResult<()> {
        match row.get("id") {
            Some(id) => self.out.print_text(&display_text(id)),
            None => Err(Failure::usage("These rows have no ids. Choose another format with -o.")),
        }
    }

    fn write_csv_header(&self) -> CommandResult<()> {
        if !self.out.has_header || self.columns.is_empty() {
            return Ok(());
        }
        self.write_csv_record(self.columns.iter().map(|column| column.name.to_owned()))
    }

    fn write_csv(&self, row: &Value) -> CommandResult<()> {
        if self.row_count == 1 {
            self.write_csv_header()?;
        }
        self.write_csv_record(self.columns.iter().map(|column| csv_cell(column, row)))
    }

    fn write_csv_record(&self, cells: impl Iterator<Item = String>) -> CommandResult<()> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let to_failure = |error: &dyn std::error::Error| Failure::failed(error.to_string());
        let escaped_cells = cells.map(|cell| spreadsheet::escape_formula(&cell).into_owned());
        writer.write_record(escaped_cells).map_err(|error| to_failure(&error))?;
        let bytes = writer.into_inner().map_err(|error| to_failure(&error.into_error()))?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        self.out.print_text(text.trim_end_matches('\n'))
    }

    fn write_tab_separated_header(&self) -> CommandResult<()> {
        if !self.out.has_header || self.columns.is_empty() {
            return Ok(());
        }
        self.out.print_line(&self.columns.iter().map(Column::title).collect::<Vec<_>>().join("\t"))
    }

    fn write_tab_separated(&self, row: &Value) -> CommandResult<()> {
        if self.row_count == 1 {
            self.write_tab_separated_header()?;
        }
        let cells: Vec<_> = self
            .columns
            .iter()
            .map(|column| {
                crate::output::unsafe_characters::replace_unsafe(&brief_text(value_at(row, column.name)))
                    .into_owned()
            })
            .collect();
        self.out.print_line(&cells.join("\t"))
    }
}

/// The text of a CSV cell, before the writer escapes formulas.
fn csv_cell(column: &Column, row: &Value) -> String {
    match value_at(row, column.name) {
        Value::Bool(flag) => flag.to_string(),
        value => display_text(value),
    }
}

/// The columns of `--columns`. Without `--columns`: the default columns of a table, or all columns for CSV.
fn select_columns(out: &Output, declared_columns: &[Column]) -> CommandResult<Vec<Column>> {
    let Some(names) = &out.columns else {
        let is_default = |column: &&Column| column.in_table || out.format == Format::Csv;
        return Ok(declared_columns.iter().filter(is_default).copied().collect());
    };
    let join_names = || declared_columns.iter().map(|column| column.name).collect::<Vec<_>>().join(", ");
    names
        .iter()
        .map(|name| match declared_columns.iter().find(|column| column.name == name) {
            Some(column) => Ok(*column),
            None if declared_columns.is_empty() => Ok(Column::new(leak_name(name), DisplayKind::Text)),
            None => {
                Err(Failure::usage(format!("Unknown column: {name}. The columns are: {}.", join_names())))
            }
        })
        .collect()
}

/// The columns of rows without a declaration: the fields of the first row.
fn columns_of_row(row: &Value) -> Vec<Column> {
    let names = row.as_object().into_iter().flat_map(|fields| fields.keys());
    names.map(|name| Column::new(leak_name(name), DisplayKind::Text)).collect()
}

/// Leaks a column name, because columns have static names, but the columns of `api` responses are known only at run time. A process
/// leaks only a few names.
pub(super) fn leak_name(name: &str) -> &'static str {
    Box::leak(name.to_owned().into_boxed_str())
}
