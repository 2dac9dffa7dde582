//! The only module that writes to standard output (data) and standard error (messages).
//!
//! On a terminal, this module removes control characters from customers' texts.

pub(crate) mod chart;
pub(crate) mod column;
pub(crate) mod jq;
pub(crate) mod lines;
pub(crate) mod list_columns;
pub(crate) mod new_file;
pub(crate) mod paint;
pub(crate) mod qr_code;
pub(crate) mod rows;
pub(crate) mod table;
pub(crate) mod unsafe_characters;

use std::io::{self, IsTerminal as _, Write as _};

use clap::ValueEnum;
use serde_json::Value;

use crate::failure::{CommandResult, Failure};
use crate::output::column::{Column, display_text};
use crate::output::paint::Paint;
use crate::output::rows::RowWriter;
use crate::output::unsafe_characters::{escape_unsafe, replace_unsafe};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Columns for people; tab-separated in a pipe
    Table,
    Json,
    /// One JSON value per line
    Jsonl,
    /// CSV with all columns, for spreadsheets
    Csv,
    Yaml,
    /// Only ids, one per line
    Ids,
}

/// The output streams, their format and their colors.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    pub(crate) format: Format,
    /// Whether to draw aligned tables and cards for people, instead of tab-separated lines.
    pub(crate) draws_tables: bool,
    /// The columns of `--columns`.
    pub(crate) columns: Option<Vec<String>>,
    /// Whether a table or CSV starts with a header line.
    pub(crate) has_header: bool,
    /// The filter of `--jq`.
    pub(crate) jq: Option<String>,
    /// Colors of standard output.
    pub(crate) stdout_paint: Paint,
    /// Colors of standard error.
    pub(crate) stderr_paint: Paint,
    pub(crate) stdout_is_terminal: bool,
    pub(crate) stderr_is_terminal: bool,
    /// Width of the terminal in columns.
    pub(crate) width: usize,
}

impl Output {
    /// Prints one line of data unchanged.
    pub(crate) fn print_line(&self, text: &str) -> CommandResult<()> {
        self.write_bytes(format!("{text}\n").as_bytes())
    }

    /// Prints one line of text from the server. On a terminal, removes control characters.
    pub(crate) fn print_text(&self, text: &str) -> CommandResult<()> {
        if self.stdout_is_terminal { self.print_line(&replace_unsafe(text)) } else { self.print_line(text) }
    }

    pub(crate) fn write_bytes(&self, bytes: &[u8]) -> CommandResult<()> {
        let mut out = io::stdout().lock();
        Ok(out.write_all(bytes).and_then(|()| out.flush())?)
    }

    /// Prints a line of JSON. On a terminal, escapes control characters.
    pub(crate) fn print_json(&self, text: &str) -> CommandResult<()> {
        if self.stdout_is_terminal { self.print_line(&escape_unsafe(text)) } else { self.print_line(text) }
    }

    /// Like [`Output::print_json`], without a line break.
    pub(crate) fn print_json_fragment(&self, text: &str) -> CommandResult<()> {
        if self.stdout_is_terminal {
            self.write_bytes(escape_unsafe(text).as_bytes())
        } else {
            self.write_bytes(text.as_bytes())
        }
    }

    /// Prints a message to standard error.
    pub(crate) fn print_message(&self, text: &str) {
        if text.is_empty() {
            return;
        }
        let lines: Vec<_> = text.lines().map(replace_unsafe).collect();
        // A closed standard error must not stop the command.
        drop(writeln!(io::stderr().lock(), "{}", lines.join("\n")));
    }

    /// Prints a failure to standard error.
    pub(crate) fn print_failure(&self, failure: &Failure) {
        match self.format {
            Format::Json | Format::Jsonl => {
                drop(writeln!(io::stderr().lock(), "{}", escape_unsafe(&failure.to_json().to_string())))
            }
            _ => {
                let text = failure.to_text();
                let message = text.strip_prefix("error:").unwrap_or(&text);
                let lines: Vec<_> = message.lines().map(replace_unsafe).collect();
                let prefix = self.stderr_paint.paint_error("error:");
                drop(writeln!(io::stderr().lock(), "{prefix}{}", lines.join("\n")));
            }
        }
    }

    /// Returns a writer for rows with these columns.
    pub(crate) fn row_writer(&self, columns: &[Column]) -> CommandResult<RowWriter<'_>> {
        RowWriter::new(self, columns)
    }

    /// Prints one record: a card of fields for people, one value for programs. If `columns` is empty, the card shows all fields.
    pub(crate) fn print_record(&self, value: &Value, columns: &'static [Column]) -> CommandResult<()> {
        if let Some(filter) = &self.jq {
            return jq::print_filtered(self, filter, value);
        }
        let value = &self.select_fields(value);
        match self.format {
            Format::Json => self.print_json(&serde_json::to_string_pretty(value).unwrap_or_default()),
            Format::Jsonl => self.print_json(&value.to_string()),
            Format::Yaml => self.print_yaml(value),
            Format::Table => self.print_card(value, columns),
            Format::Csv | Format::Ids => {
                let mut row_writer = self.row_writer(columns)?;
                row_writer.push(value.clone())?;
                row_writer.finish()
            }
        }
    }

    pub(crate) fn print_records(&self, values: Vec<Value>, columns: &'static [Column]) -> CommandResult<()> {
        let mut row_writer = self.row_writer(columns)?;
        for value in values {
            row_writer.push(value)?;
        }
        row_writer.finish()
    }

    pub(crate) fn print_yaml(&self, value: &Value) -> CommandResult<()> {
        let text = serde_yaml_ng::to_string(value).map_err(|error| Failure::failed(error.to_string()))?;
        text.trim_end().lines().try_for_each(|line| self.print_text(line))
    }

    /// Returns the fields of `--columns`, with their paths as names; without `--columns` the whole value.
    pub(crate) fn select_fields(&self, value: &Value) -> Value {
        match &self.columns {
            None => value.clone(),
            Some(names) => {
                let select_field = |name: &String| (name.clone(), column::value_at(value, name).clone());
                Value::Object(names.iter().map(select_field).collect())
            }
        }
    }

    fn print_card(&self, value: &Value, columns: &'static [Column]) -> CommandResult<()> {
        let fields = match &self.columns {
            Some(_) => column::flatten(value),
            None if columns.is_empty() => column::flatten(value),
            None => columns
                .iter()
                .map(|column| (column.name.to_owned(), column::value_at(value, column.name).clone()))
                .collect(),
        };
        let (tables, fields): (Vec<_>, Vec<_>) =
            fields.into_iter().partition(|(_, value)| self.draws_tables && column::is_table(value));
        let fields: Vec<_> =
            fields.into_iter().filter(|(_, value)| !self.draws_tables || !column::is_empty(value)).collect();
        let name_width = fields.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, value) in fields {
            let text = replace_unsafe(&display_text(&value)).into_owned();
            if self.draws_tables {
                self.print_line(&format!(
                    "{}  {text}",
                    self.stdout_paint.paint_title(&format!("{name:name_width$}"))
                ))?;
            } else {
                self.print_line(&format!("{name}\t{text}"))?;
            }
        }
        tables.into_iter().try_for_each(|(name, rows)| {
            self.print_line(&format!("\n{}", self.stdout_paint.paint_title(&name)))?;
            table::draw_without_declared_columns(self, rows.as_array().map_or(&[], Vec::as_slice))
        })
    }
}

/// The width of the environment variable `COLUMNS` or of the terminal, at least 40 columns; 200 without a terminal.
pub(crate) fn terminal_width() -> usize {
    let width_of_variable = std::env::var("COLUMNS").ok().and_then(|text| text.parse::<usize>().ok());
    if let Some(width) = width_of_variable {
        return width.max(40);
    }
    terminal_size::terminal_size().map_or(200, |(width, _)| usize::from(width.0).max(40))
}

/// Whether panelctl can ask the user: standard input and standard error are terminals.
pub(crate) fn can_prompt() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}
