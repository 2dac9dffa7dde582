//! A field of a record file: converts its value to the text of a cell and back. Money and fractions stay decimal, so that nothing
//! is rounded.

use panel_contract::amount::{Fraction, Money};
use serde_json::{Map, Value, json};

use crate::input::quote_start;

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
    /// Whether an empty cell clears the value. In a field without this, an empty cell is an error.
    pub(crate) can_be_empty: bool,
    /// Whether the rows of the list endpoint contain the field. An export sends one more request per record for other fields.
    pub(crate) is_in_list: bool,
}

impl Field {
    /// Whether the field is a text in one language.
    pub(crate) fn is_translated(&self) -> bool {
        self.name.contains('.')
    }

    /// The value of the field in `record` as the text of a cell; empty if the record has no value.
    pub(crate) fn cell_text(&self, record: &Map<String, Value>) -> String {
        let value = match (self.name, self.name.split_once('.')) {
            ("service_type_id", _) if record.contains_key("service_type") => {
                record.get("service_type").and_then(|service_type| service_type.get("id"))
            }
            (_, Some((text, locale))) => record
                .get("translations")
                .and_then(|translations| translations.get(locale))
                .and_then(|texts| texts.get(text)),
            (name, None) => record.get(name),
        };
        let Some(value) = value else { return String::new() };
        match value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            Value::Array(elements) => {
                let element_text = |element: &Value| match element.get("id").unwrap_or(element) {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                elements.iter().map(element_text).collect::<Vec<_>>().join(",")
            }
            other => other.to_string(),
        }
    }

    /// Converts the text of a cell to a form that is equal for equal values. Returns a message if the text is invalid.
    pub(crate) fn canonicalize(&self, cell: &str) -> Result<String, String> {
        let cell = if self.kind == Kind::Text { cell.trim_end() } else { cell.trim() };
        if cell.is_empty() {
            return if self.can_be_empty { Ok(String::new()) } else { Err("a value is required".to_owned()) };
        }
        let without_spaces = |cell: &str| cell.replace([' ', '\u{a0}'], "");
        match self.kind {
            Kind::Text => Ok(cell.to_owned()),
            Kind::Whole => without_spaces(cell)
                .parse::<i64>()
                .map(|number| number.to_string())
                .map_err(|_| format!("{} is not a whole number", quote_start(cell))),
            Kind::Money => without_spaces(cell)
                .parse::<Money>()
                .map(|money| money.to_string())
                .map_err(|_| format!("{} is not an amount with up to six decimals", quote_start(cell))),
            Kind::Fraction => without_spaces(cell)
                .parse::<Fraction>()
                .map(|fraction| fraction.to_string())
                .map_err(|_| format!("{} is not a fraction with up to six decimals", quote_start(cell))),
            Kind::Flag => match cell.to_ascii_lowercase().as_str() {
                "true" | "1" | "yes" => Ok("true".to_owned()),
                "false" | "0" | "no" => Ok("false".to_owned()),
                _ => Err(format!("{} is neither true nor false", quote_start(cell))),
            },
            Kind::Ids => canonicalize_list(cell, |id| id.parse::<i64>().ok().map(|id| id.to_string())),
            Kind::Codes => canonicalize_list(cell, |code| Some(code.to_ascii_uppercase())),
        }
    }

    /// The JSON value of a text that [`Field::canonicalize`] returned.
    pub(crate) fn json_value(&self, text: &str) -> Value {
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

fn canonicalize_list(
    cell: &str,
    canonicalize_element: impl Fn(&str) -> Option<String>,
) -> Result<String, String> {
    let parts = cell.split([',', ';']).map(str::trim).filter(|part| !part.is_empty());
    let parts: Option<Vec<String>> = parts.map(canonicalize_element).collect();
    parts
        .map(|parts| parts.join(","))
        .ok_or_else(|| format!("{} is not a list of ids separated by commas", quote_start(cell)))
}
