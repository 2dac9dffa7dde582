//! The only place that writes to standard output and standard error: data on the one, words on the other.
//!
//! Whatever comes from a customer is cleaned before a terminal sees it.

pub(crate) mod chart;
pub(crate) mod clean;
pub(crate) mod column;
pub(crate) mod jq;
pub(crate) mod lines;
pub(crate) mod listed;
pub(crate) mod new_file;
pub(crate) mod paint;
pub(crate) mod qr_code;
pub(crate) mod rows;
pub(crate) mod table;

use std::io::{self, IsTerminal as _, Write as _};

use clap::ValueEnum;
use serde_json::Value;

use crate::failure::{Done, Failure};
use crate::output::clean::{clean, escape};
use crate::output::column::{Column, shown};
use crate::output::paint::Paint;
use crate::output::rows::Rows;

/// How data is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Columns for people; tab-separated when piped.
    Table,
    /// One JSON value.
    Json,
    /// One JSON value a line, as they come.
    Jsonl,
    /// Comma-separated, for spreadsheets.
    Csv,
    /// YAML.
    Yaml,
    /// Only ids, one a line.
    Ids,
}

/// Where and how to write.
#[derive(Debug, Clone)]
pub(crate) struct Out {
    /// What was asked for.
    pub(crate) format: Format,
    /// A table is drawn for eyes, else tabs for programs.
    pub(crate) drawn: bool,
    /// The columns asked for.
    pub(crate) columns: Option<Vec<String>>,
    /// Whether a table or CSV begins with its titles.
    pub(crate) header: bool,
    /// A jq filter over the JSON.
    pub(crate) jq: Option<String>,
    /// Colours of standard output.
    pub(crate) paint: Paint,
    /// Colours of standard error.
    pub(crate) paint_words: Paint,
    /// Standard output is a terminal.
    pub(crate) to_terminal: bool,
    /// Standard error is a terminal.
    pub(crate) words_to_terminal: bool,
    /// Columns of the terminal.
    pub(crate) width: usize,
}

impl Out {
    /// Writes one line of data as it is.
    pub(crate) fn line(&self, text: &str) -> Done<()> {
        self.bytes(format!("{text}\n").as_bytes())
    }

    /// Writes one line of text that came from the panel.
    pub(crate) fn text(&self, text: &str) -> Done<()> {
        if self.to_terminal { self.line(&clean(text)) } else { self.line(text) }
    }

    /// Writes data as it is.
    pub(crate) fn bytes(&self, bytes: &[u8]) -> Done<()> {
        let mut out = io::stdout().lock();
        Ok(out.write_all(bytes).and_then(|()| out.flush())?)
    }

    /// Writes a JSON text: what a terminal would act on is escaped.
    pub(crate) fn json(&self, text: &str) -> Done<()> {
        if self.to_terminal { self.line(&escape(text)) } else { self.line(text) }
    }

    /// The same without an end of line.
    pub(crate) fn piece_of_json(&self, text: &str) -> Done<()> {
        if self.to_terminal { self.bytes(escape(text).as_bytes()) } else { self.bytes(text.as_bytes()) }
    }

    /// Says something to the person, on standard error.
    pub(crate) fn say(&self, text: &str) {
        if text.is_empty() {
            return;
        }
        let lines: Vec<_> = text.lines().map(clean).collect();
        // A closed standard error is no reason to stop.
        drop(writeln!(io::stderr().lock(), "{}", lines.join("\n")));
    }

    /// Tells of a failure.
    pub(crate) fn fail(&self, failure: &Failure) {
        match self.format {
            Format::Json | Format::Jsonl => {
                drop(writeln!(io::stderr().lock(), "{}", escape(&failure.json().to_string())))
            }
            _ => {
                let text = failure.text();
                let rest = text.strip_prefix("error:").unwrap_or(&text);
                let lines: Vec<_> = rest.lines().map(clean).collect();
                let word = self.paint_words.bad("error:");
                drop(writeln!(io::stderr().lock(), "{word}{}", lines.join("\n")));
            }
        }
    }

    /// Rows of these columns.
    pub(crate) fn rows(&self, columns: &[Column]) -> Done<Rows<'_>> {
        Rows::new(self, columns)
    }

    /// One record: a card of fields for people, one value for programs. Without declared columns the card shows
    /// every field.
    pub(crate) fn record(&self, value: &Value, columns: &'static [Column]) -> Done<()> {
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

    /// Many records at once.
    pub(crate) fn records(&self, values: Vec<Value>, columns: &'static [Column]) -> Done<()> {
        let mut rows = self.rows(columns)?;
        for value in values {
            rows.push(value)?;
        }
        rows.finish()
    }

    pub(crate) fn yaml(&self, value: &Value) -> Done<()> {
        let text = serde_yaml_ng::to_string(value).map_err(|error| Failure::failed(error.to_string()))?;
        text.trim_end().lines().try_for_each(|line| self.text(line))
    }

    /// The fields that `--columns` asked for, named by their paths.
    pub(crate) fn project(&self, value: &Value) -> Value {
        match &self.columns {
            None => value.clone(),
            Some(names) => {
                let field = |name: &String| (name.clone(), column::at(value, name).clone());
                Value::Object(names.iter().map(field).collect())
            }
        }
    }

    fn card(&self, value: &Value, columns: &'static [Column]) -> Done<()> {
        let fields = match &self.columns {
            Some(_) => column::flat(value),
            None if columns.is_empty() => column::flat(value),
            None => columns
                .iter()
                .map(|column| (column.name.to_owned(), column::at(value, column.name).clone()))
                .collect(),
        };
        let (tables, fields): (Vec<_>, Vec<_>) =
            fields.into_iter().partition(|(_, value)| self.drawn && column::is_table(value));
        let fields: Vec<_> =
            fields.into_iter().filter(|(_, value)| !self.drawn || !column::is_nothing(value)).collect();
        let width = fields.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, value) in fields {
            let text = clean(&shown(&value)).into_owned();
            if self.drawn {
                self.line(&format!("{}  {text}", self.paint.title(&format!("{name:width$}"))))?;
            } else {
                self.line(&format!("{name}\t{text}"))?;
            }
        }
        tables.into_iter().try_for_each(|(name, rows)| {
            self.line(&format!("\n{}", self.paint.title(&name)))?;
            table::draw_own(self, rows.as_array().map_or(&[], Vec::as_slice))
        })
    }
}

/// What COLUMNS says, else the columns of the terminal behind standard output; plenty when there is none.
pub(crate) fn terminal_width() -> usize {
    let told = std::env::var("COLUMNS").ok().and_then(|text| text.parse::<usize>().ok());
    if let Some(width) = told {
        return width.max(40);
    }
    terminal_size::terminal_size().map_or(200, |(width, _)| usize::from(width.0).max(40))
}

/// Whether a person can be asked.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}
