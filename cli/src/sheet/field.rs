//! A field of a file: how it is written as a text and read back. Money and fractions stay decimal, so nothing is rounded
//! on the way.

use panel_contract::amount::{Fraction, Money};
use serde_json::{Map, Value, json};

use crate::input::quoted;

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Whole,
    Money,
    Fraction,
    Flag,
    /// Ids with commas, in their order.
    Ids,
    /// Country codes with commas.
    Codes,
}

/// One field.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    /// As the API calls it.
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// An empty cell takes the value away.
    pub(crate) clears: bool,
    /// The list has it; the others are asked for service by service.
    pub(crate) listed: bool,
}

impl Field {
    /// Whether it is a text in one language.
    pub(crate) fn is_translated(&self) -> bool {
        self.name.contains('.')
    }

    /// What a record has, as the text of a cell; none without a value.
    pub(crate) fn text_of(&self, record: &Map<String, Value>) -> String {
        let value = match (self.name, self.name.split_once('.')) {
            ("service_type_id", _) if record.contains_key("service_type") => {
                record.get("service_type").and_then(|kind| kind.get("id"))
            }
            (_, Some((text, locale))) => {
                record.get("translations").and_then(|all| all.get(locale)).and_then(|texts| texts.get(text))
            }
            (name, None) => record.get(name),
        };
        let Some(value) = value else { return String::new() };
        match value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            Value::Array(all) => {
                let one = |value: &Value| match value.get("id").unwrap_or(value) {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                all.iter().map(one).collect::<Vec<_>>().join(",")
            }
            other => other.to_string(),
        }
    }

    /// The same text for the same value, however it was written; or why it is none.
    pub(crate) fn canonical(&self, cell: &str) -> Result<String, String> {
        let cell = if self.kind == Kind::Text { cell.trim_end() } else { cell.trim() };
        if cell.is_empty() {
            return if self.clears { Ok(String::new()) } else { Err("a value is needed".to_owned()) };
        }
        let plain = |cell: &str| cell.replace([' ', '\u{a0}'], "");
        match self.kind {
            Kind::Text => Ok(cell.to_owned()),
            Kind::Whole => plain(cell)
                .parse::<i64>()
                .map(|number| number.to_string())
                .map_err(|_| format!("{} is no whole number", quoted(cell))),
            Kind::Money => plain(cell)
                .parse::<Money>()
                .map(|money| money.to_string())
                .map_err(|_| format!("{} is no amount with up to six decimals", quoted(cell))),
            Kind::Fraction => plain(cell)
                .parse::<Fraction>()
                .map(|share| share.to_string())
                .map_err(|_| format!("{} is no fraction with up to six decimals", quoted(cell))),
            Kind::Flag => match cell.to_ascii_lowercase().as_str() {
                "true" | "1" | "yes" => Ok("true".to_owned()),
                "false" | "0" | "no" => Ok("false".to_owned()),
                _ => Err(format!("{} is neither true nor false", quoted(cell))),
            },
            Kind::Ids => listed_as(cell, |one| one.parse::<i64>().ok().map(|id| id.to_string())),
            Kind::Codes => listed_as(cell, |one| Some(one.to_ascii_uppercase())),
        }
    }

    /// A canonical text as the API takes it.
    pub(crate) fn value(&self, text: &str) -> Value {
        let parts = || text.split(',').filter(|part| !part.is_empty());
        match self.kind {
            Kind::Ids => json!(parts().filter_map(|id| id.parse::<i64>().ok()).collect::<Vec<_>>()),
            Kind::Codes => json!(parts().collect::<Vec<_>>()),
            _ if text.is_empty() => Value::Null,
            Kind::Whole => text.parse::<i64>().map_or(Value::Null, Value::from),
            Kind::Flag => Value::from(text == "true"),
            Kind::Text | Kind::Money | Kind::Fraction => text.into(),
        }
    }
}

fn listed_as(cell: &str, one: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let parts = cell.split([',', ';']).map(str::trim).filter(|part| !part.is_empty());
    let parts: Option<Vec<String>> = parts.map(one).collect();
    parts
        .map(|parts| parts.join(","))
        .ok_or_else(|| format!("{} is no list of ids with commas", quoted(cell)))
}
