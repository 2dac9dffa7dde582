//! The only module that writes to standard output (data) and standard error (messages).
//!
//! Texts of customers are cleaned before they reach a terminal.

pub(crate) mod chart;
pub(crate) mod clean;
pub(crate) mod column;
pub(crate) mod jq;
pub(crate) mod lines;
pub(crate) mod list_columns;
pub(crate) mod new_file;
pub(crate) mod paint;
pub(crate) mod qr_code;
pub(crate) mod rows;
pub(crate) mod table;

use std::io::{self, IsTerminal as _, Write as _};

use clap::ValueEnum;
use serde_json::Value;

use crate::failure::{CmdResult, Failure};
use crate::output::clean::{clean, escape};
use crate::output::column::{Column, display_text};
use crate::output::paint::Paint;
use crate::output::rows::Rows;

/// Output format
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Columns for people; tab-separated in a pipe
    Table,
    /// One JSON value
    Json,
    /// One JSON value per line
    Jsonl,
    /// CSV with all columns, for spreadsheets
    Csv,
    /// YAML
    Yaml,
    /// Only ids, one per line
    Ids,
}

/// Where and how to write.
#[derive(Debug, Clone)]
pub(crate) struct Out {
    pub(crate) format: Format,
    /// Draw aligned tables and cards for people instead of tab-separated lines.
    pub(crate) draws_tables: bool,
    /// The columns of `--columns`.
    pub(crate) columns: Option<Vec<String>>,
    /// Whether a table or CSV starts with a header line.
    pub(crate) header: bool,
    /// The filter of `--jq`.
    pub(crate) jq: Option<String>,
    /// Colors of standard output.
    pub(crate) paint: Paint,
    /// Colors of standard error.
    pub(crate) stderr_paint: Paint,
    pub(crate) stdout_is_terminal: bool,
    pub(crate) stderr_is_terminal: bool,
    /// Width of the terminal in columns.
    pub(crate) width: usize,
}

impl Out {
    /// Writes one line of data unchanged.
    pub(crate) fn line(&self, text: &str) -> CmdResult<()> {
        self.bytes(format!("{text}\n").as_bytes())
    }

    /// Writes one line of text from the panel, cleaned for a terminal.
    pub(crate) fn text(&self, text: &str) -> CmdResult<()> {
        if self.stdout_is_terminal { self.line(&clean(text)) } else { self.line(text) }
    }

    /// Writes data unchanged.
    pub(crate) fn bytes(&self, bytes: &[u8]) -> CmdResult<()> {
        let mut out = io::stdout().lock();
        Ok(out.write_all(bytes).and_then(|()| out.flush())?)
    }

    /// Writes a line of JSON, with unsafe characters escaped for a terminal.
    pub(crate) fn json(&self, text: &str) -> CmdResult<()> {
        if self.stdout_is_terminal { self.line(&escape(text)) } else { self.line(text) }
    }

    /// Like [`Out::json`], without a line break.
    pub(crate) fn json_piece(&self, text: &str) -> CmdResult<()> {
        if self.stdout_is_terminal {
            self.bytes(escape(text).as_bytes())
        } else {
            self.bytes(text.as_bytes())
        }
    }

    /// Prints a message to standard error.
    pub(crate) fn print_message(&self, text: &str) {
        if text.is_empty() {
            return;
        }
        let lines: Vec<_> = text.lines().map(clean).collect();
        // Failing to write to a closed standard error must not stop the command.
        drop(writeln!(io::stderr().lock(), "{}", lines.join("\n")));
    }

    /// Prints a failure to standard error.
    pub(crate) fn print_failure(&self, failure: &Failure) {
        match self.format {
            Format::Json | Format::Jsonl => {
                drop(writeln!(io::stderr().lock(), "{}", escape(&failure.json().to_string())))
            }
            _ => {
                let text = failure.text();
                let rest = text.strip_prefix("error:").unwrap_or(&text);
                let lines: Vec<_> = rest.lines().map(clean).collect();
                let prefix = self.stderr_paint.error("error:");
                drop(writeln!(io::stderr().lock(), "{prefix}{}", lines.join("\n")));
            }
        }
    }

    /// A writer for rows of these columns.
    pub(crate) fn rows(&self, columns: &[Column]) -> CmdResult<Rows<'_>> {
        Rows::new(self, columns)
    }

    /// Writes one record: a card of fields for people, one value for programs. Without declared columns the card shows all fields.
    pub(crate) fn record(&self, value: &Value, columns: &'static [Column]) -> CmdResult<()> {
        if let Some(filter) = &self.jq {
            return jq::print(self, filter, value);
        }
        let value = &self.project(value);
        match self.format {
            Format::Json => self.json(&serde_json::to_string_pretty(value).unwrap_or_default()),
            Format::Jsonl => self.json(&value.to_string()),
            Format::Yaml => self.yaml(value),
            Format::Table => self.card(value, columns),
            Format::Csv | Format::Ids => {
                let mut rows = self.rows(columns)?;
                rows.push(value.clone())?;
                rows.finish()
            }
        }
    }

    /// Writes several records.
    pub(crate) fn records(&self, values: Vec<Value>, columns: &'static [Column]) -> CmdResult<()> {
        let mut rows = self.rows(columns)?;
        for value in values {
            rows.push(value)?;
        }
        rows.finish()
    }

    pub(crate) fn yaml(&self, value: &Value) -> CmdResult<()> {
        let text = serde_yaml_ng::to_string(value).map_err(|error| Failure::failed(error.to_string()))?;
        text.trim_end().lines().try_for_each(|line| self.text(line))
    }

    /// The fields of `--columns`, by their paths; the whole value without `--columns`.
    pub(crate) fn project(&self, value: &Value) -> Value {
        match &self.columns {
            None => value.clone(),
            Some(names) => {
                let field = |name: &String| (name.clone(), column::value_at(value, name).clone());
                Value::Object(names.iter().map(field).collect())
            }
        }
    }

    fn card(&self, value: &Value, columns: &'static [Column]) -> CmdResult<()> {
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
        let width = fields.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, value) in fields {
            let text = clean(&display_text(&value)).into_owned();
            if self.draws_tables {
                self.line(&format!("{}  {text}", self.paint.title(&format!("{name:width$}"))))?;
            } else {
                self.line(&format!("{name}\t{text}"))?;
            }
        }
        tables.into_iter().try_for_each(|(name, rows)| {
            self.line(&format!("\n{}", self.paint.title(&name)))?;
            table::draw_undeclared(self, rows.as_array().map_or(&[], Vec::as_slice))
        })
    }
}

/// The width of `COLUMNS` or of the terminal, at least 40 columns; 200 without a terminal.
pub(crate) fn terminal_width() -> usize {
    let variable = std::env::var("COLUMNS").ok().and_then(|text| text.parse::<usize>().ok());
    if let Some(width) = variable {
        return width.max(40);
    }
    terminal_size::terminal_size().map_or(200, |(width, _)| usize::from(width.0).max(40))
}

/// Whether the user can be asked: standard input and standard error are terminals.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}
