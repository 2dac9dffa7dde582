//! A field of a record file: converts its value to the text of a cell and back. Money and fractions stay decimal, so that nothing
//! is rounded.

use panel_contract::amount::{Fraction, Money};
use serde_json::{Map, Value, json};

use crate::input::quote_start;

/// The kind of value that a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldKind {
    Text,
    WholeNumber,
    Money,
    Fraction,
    Flag,
    /// Ids separated by commas, in order.
    Ids,
    /// Country codes separated by commas.
    CountryCodes,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    /// The name in the API.
    pub(crate) name: &'static str,
    pub(crate) kind: FieldKind,
    /// Whether an empty cell clears the value. If not, an empty cell is an error.
    pub(crate) can_be_empty: bool,
    /// Whether the rows of the list endpoint contain the field. For other fields, an export sends one more request per record.
    pub(crate) is_in_list: bool,
}

impl Field {
    /// Whether the field holds the text of one language, such as `name.de`.
    pub(crate) fn is_translated(&self) -> bool {
        self.name.contains('.')
    }

    /// Formats the value of the field in `record` as the text of a cell; empty if the record has no value.
    pub(crate) fn format_cell(&self, record: &Map<String, Value>) -> String {
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

    /// Converts the text of a cell to its canonical form: equal values have the same canonical form. Returns a message if the text is
    /// invalid.
    pub(crate) fn canonicalize(&self, cell: &str) -> Result<String, String> {
        let cell = if self.kind == FieldKind::Text { cell.trim_end() } else { cell.trim() };
        if cell.is_empty() {
            return if self.can_be_empty { Ok(String::new()) } else { Err("a value is required".to_owned()) };
        }
        let without_spaces = |cell: &str| cell.replace([' ', '\u{a0}'], "");
        match self.kind {
            FieldKind::Text => Ok(cell.to_owned()),
            FieldKind::WholeNumber => without_spaces(cell)
                .parse::<i64>()
                .map(|number| number.to_string())
                .map_err(|_| format!("{} is not a whole number", quote_start(cell))),
            FieldKind::Money => without_spaces(cell)
                .parse::<Money>()
                .map(|money| money.to_string())
                .map_err(|_| format!("{} is not an amount with up to six decimals", quote_start(cell))),
            FieldKind::Fraction => without_spaces(cell)
                .parse::<Fraction>()
                .map(|fraction| fraction.to_string())
                .map_err(|_| format!("{} is not a fraction with up to six decimals", quote_start(cell))),
            FieldKind::Flag => match cell.to_ascii_lowercase().as_str() {
                "true" | "1" | "yes" => Ok("true".to_owned()),
                "false" | "0" | "no" => Ok("false".to_owned()),
                _ => Err(format!("{} is neither true nor false", quote_start(cell))),
            },
            FieldKind::Ids => canonicalize_list(cell, |id| id.parse::<i64>().ok().map(|id| id.to_string())),
            FieldKind::CountryCodes => canonicalize_list(cell, |code| Some(code.to_ascii_uppercase())),
        }
    }

    /// Converts text that [`Field::canonicalize`] returned to a JSON value.
    pub(crate) fn to_json_value(self, text: &str) -> Value {
        let elements = || text.split(',').filter(|element| !element.is_empty());
        match self.kind {
            FieldKind::Ids => json!(elements().filter_map(|id| id.parse::<i64>().ok()).collect::<Vec<_>>()),
            FieldKind::CountryCodes => json!(elements().collect::<Vec<_>>()),
            _ if text.is_empty() => Value::Null,
            FieldKind::WholeNumber => text.parse::<i64>().map_or(Value::Null, Value::from),
            FieldKind::Flag => Value::from(text == "true"),
            FieldKind::Text | FieldKind::Money | FieldKind::Fraction => text.into(),
        }
    }
}

fn canonicalize_list(
    cell: &str,
    canonicalize_element: impl Fn(&str) -> Option<String>,
) -> Result<String, String> {
    let elements = cell.split([',', ';']).map(str::trim).filter(|part| !part.is_empty());
    let elements: Option<Vec<String>> = elements.map(canonicalize_element).collect();
    elements
        .map(|elements| elements.join(","))
        .ok_or_else(|| format!("{} is not a list of ids separated by commas", quote_start(cell)))
}
