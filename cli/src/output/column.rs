//! Columns of tables and CSV: the path of a value in a record, and how the value is displayed.

use serde_json::Value;

/// The kind of value that a column holds, which determines alignment and cutting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A record's id; never cut.
    Id,
    /// Whole numbers, money and percentages; right-aligned.
    Number,
    /// A time; never cut.
    Time,
    /// A word of a closed set; colored, never cut.
    Word,
    /// Free text; cut to fit.
    Text,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    /// The path of the value in a record, by API names, such as `user.email`.
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// Whether a table shows the column by default.
    pub(crate) in_table: bool,
    /// The header, if it differs from the name.
    title: Option<&'static str>,
}

impl Column {
    /// A column that tables show by default.
    pub(crate) const fn new(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, in_table: true, title: None }
    }

    /// A column for CSV and `--columns` only.
    pub(crate) const fn extra(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, in_table: false, title: None }
    }

    /// Sets a header other than the name.
    pub(crate) const fn titled(mut self, title: &'static str) -> Self {
        self.title = Some(title);
        self
    }

    /// The header.
    pub(crate) fn title(&self) -> String {
        self.title.unwrap_or(self.name).replace(['_', '.'], " ").to_uppercase()
    }
}

/// The value at a dotted path; null if it does not exist.
pub(crate) fn value_at<'v>(value: &'v Value, path: &str) -> &'v Value {
    // A projected record has the whole path as one key.
    if let Some(found) = value.get(path) {
        return found;
    }
    path.split('.').try_fold(value, |value, key| value.get(key)).unwrap_or(&Value::Null)
}

/// The text of a value: strings without quotes, the empty text for null.
pub(crate) fn display_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Array(values) if values.iter().all(|value| !value.is_object() && !value.is_array()) => {
            values.iter().map(display_text).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

/// A shorter text for people: of a list of records only the names, such as roles.
pub(crate) fn brief_text(value: &Value) -> String {
    match value {
        Value::Array(values) if values.iter().all(|value| value["name"].is_string()) => {
            values.iter().map(|value| display_text(&value["name"])).collect::<Vec<_>>().join(", ")
        }
        other => display_text(other),
    }
}

/// Whether a card omits a value for people: null or an empty list.
pub(crate) fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty)
}

/// Whether a value is a list of records, which a card draws as a table.
pub(crate) fn is_table(value: &Value) -> bool {
    value.as_array().is_some_and(|rows| !rows.is_empty() && rows.iter().all(Value::is_object))
}

/// The leaves of a record with their paths, identifying fields first; lists stay whole.
pub(crate) fn flatten(value: &Value) -> Vec<(String, Value)> {
    fn walk(path: &str, value: &Value, into: &mut Vec<(String, Value)>) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                    walk(&path, value, into);
                }
            }
            other => into.push((path.to_owned(), other.clone())),
        }
    }
    let mut fields = Vec::new();
    walk("", value, &mut fields);
    let first = ["id", "name", "status", "email"];
    let rank = |path: &str| match first.iter().position(|first| *first == path) {
        Some(index) => index,
        None if path.starts_with("actions.") => first.len() + 1,
        None => first.len(),
    };
    fields.sort_by_key(|(path, _)| rank(path));
    fields
}
