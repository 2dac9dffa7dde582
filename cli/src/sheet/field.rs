//! A field of a file: how its value is written as text and parsed. Money and fractions stay decimal, so that nothing is rounded.

use panel_contract::amount::{Fraction, Money};
use serde_json::{Map, Value, json};

use crate::input::quoted;

/// The kind of value that a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Whole,
    Money,
    Fraction,
    Flag,
    /// Ids separated by commas, in order.
    Ids,
    /// Country codes separated by commas.
    Codes,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    /// The name in the API.
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// Whether an empty cell clears the value.
    pub(crate) clears: bool,
    /// Whether the list contains the field; other fields require one request per record.
    pub(crate) listed: bool,
}

impl Field {
    /// Whether the field is a text in one language.
    pub(crate) fn is_translated(&self) -> bool {
        self.name.contains('.')
    }

    /// The value of a record as the text of a cell; empty without a value.
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

    /// The canonical text of a cell, which is the same for equal values, or the reason why it is invalid.
    pub(crate) fn canonical(&self, cell: &str) -> Result<String, String> {
        let cell = if self.kind == Kind::Text { cell.trim_end() } else { cell.trim() };
        if cell.is_empty() {
            return if self.clears { Ok(String::new()) } else { Err("a value is required".to_owned()) };
        }
        let without_spaces = |cell: &str| cell.replace([' ', '\u{a0}'], "");
        match self.kind {
            Kind::Text => Ok(cell.to_owned()),
            Kind::Whole => without_spaces(cell)
                .parse::<i64>()
                .map(|number| number.to_string())
                .map_err(|_| format!("{} is not a whole number", quoted(cell))),
            Kind::Money => without_spaces(cell)
                .parse::<Money>()
                .map(|money| money.to_string())
                .map_err(|_| format!("{} is not an amount with up to six decimals", quoted(cell))),
            Kind::Fraction => without_spaces(cell)
                .parse::<Fraction>()
                .map(|share| share.to_string())
                .map_err(|_| format!("{} is not a fraction with up to six decimals", quoted(cell))),
            Kind::Flag => match cell.to_ascii_lowercase().as_str() {
                "true" | "1" | "yes" => Ok("true".to_owned()),
                "false" | "0" | "no" => Ok("false".to_owned()),
                _ => Err(format!("{} is neither true nor false", quoted(cell))),
            },
            Kind::Ids => canonical_list(cell, |one| one.parse::<i64>().ok().map(|id| id.to_string())),
            Kind::Codes => canonical_list(cell, |one| Some(one.to_ascii_uppercase())),
        }
    }

    /// The JSON value of a canonical text.
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

fn canonical_list(cell: &str, one: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let parts = cell.split([',', ';']).map(str::trim).filter(|part| !part.is_empty());
    let parts: Option<Vec<String>> = parts.map(one).collect();
    parts
        .map(|parts| parts.join(","))
        .ok_or_else(|| format!("{} is not a list of ids separated by commas", quoted(cell)))
}
