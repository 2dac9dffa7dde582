//! Columns of tables and CSV: which field of a record a column shows, and how.

use serde_json::Value;

/// The kind of value that a column holds. Determines the alignment, and whether a table may truncate the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DisplayKind {
    /// The id of a record; a table never truncates it.
    Id,
    /// Whole numbers, money and percentages; right-aligned.
    Number,
    /// A time; a table never truncates it.
    Time,
    /// A value of an enumeration, such as a status; a table colors it and never truncates it.
    Enum,
    /// Free text; a table truncates it to fit.
    Text,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    /// The path of the value in a record, by API names, such as `user.email`.
    pub(crate) name: &'static str,
    pub(crate) kind: DisplayKind,
    /// Whether a table shows the column by default.
    pub(crate) in_table: bool,
    /// The header, if it differs from the name.
    title: Option<&'static str>,
}

impl Column {
    /// A column that tables show by default.
    pub(crate) const fn new(name: &'static str, kind: DisplayKind) -> Self {
        Self { name, kind, in_table: true, title: None }
    }

    /// A column that tables show only with `--columns`; CSV always contains it.
    pub(crate) const fn hidden(name: &'static str, kind: DisplayKind) -> Self {
        Self { name, kind, in_table: false, title: None }
    }

    /// Sets a header other than the name.
    pub(crate) const fn with_title(mut self, title: &'static str) -> Self {
        self.title = Some(title);
        self
    }

    pub(crate) fn title(&self) -> String {
        self.title.unwrap_or(self.name).replace(['_', '.'], " ").to_uppercase()
    }
}

/// The value at a dotted path; null if it does not exist.
pub(crate) fn value_at<'v>(value: &'v Value, path: &str) -> &'v Value {
    // A record with only the fields of `--columns` has the whole path as one key.
    if let Some(value_of_whole_path) = value.get(path) {
        return value_of_whole_path;
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

/// The text for people. Like [`display_text`], but a list of records, such as roles, shows only their names.
pub(crate) fn brief_text(value: &Value) -> String {
    match value {
        Value::Array(values) if values.iter().all(|value| value["name"].is_string()) => {
            values.iter().map(|value| display_text(&value["name"])).collect::<Vec<_>>().join(", ")
        }
        other => display_text(other),
    }
}

/// Whether a value is null or an empty list, which a card for people omits.
pub(crate) fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty)
}

/// Whether a value is a list of records, which a card draws as a table.
pub(crate) fn is_table(value: &Value) -> bool {
    value.as_array().is_some_and(|rows| !rows.is_empty() && rows.iter().all(Value::is_object))
}

/// The values of a record with their dotted paths. Does not descend into lists. Identifying fields come first.
pub(crate) fn flatten(value: &Value) -> Vec<(String, Value)> {
    fn collect_fields(path: &str, value: &Value, fields: &mut Vec<(String, Value)>) {
        match value {
            Value::Object(object) => {
                for (name, value) in object {
                    let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                    collect_fields(&path, value, fields);
                }
            }
            other => fields.push((path.to_owned(), other.clone())),
        }
    }
    let mut fields = Vec::new();
    collect_fields("", value, &mut fields);
    let identifying_fields = ["id", "name", "status", "email"];
    let rank = |path: &str| match identifying_fields.iter().position(|field| *field == path) {
        Some(index) => index,
        None if path.starts_with("actions.") => identifying_fields.len() + 1,
        None => identifying_fields.len(),
    };
    fields.sort_by_key(|(path, _)| rank(path));
    fields
}
