//! Columns as data: where a value stands in a record, and how it is shown.

use serde_json::Value;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A number that names a record: never cut.
    Id,
    /// Whole numbers, money, percents: to the right.
    Number,
    /// A moment: never cut.
    Time,
    /// One of a closed set: coloured, never cut.
    Word,
    /// Anything a person typed.
    Text,
}

/// One column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    /// The path of the value in a record, as in the API: `user.email`.
    pub(crate) name: &'static str,
    /// What it holds.
    pub(crate) kind: Kind,
    /// Shown in a table without being asked for.
    pub(crate) shown: bool,
    /// The words at its head, where the name is too long for them.
    title: Option<&'static str>,
}

impl Column {
    /// A column of every table.
    pub(crate) const fn new(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, shown: true, title: None }
    }

    /// A column on request, and of CSV.
    pub(crate) const fn more(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, shown: false, title: None }
    }

    /// With other words at its head than its name.
    pub(crate) const fn titled(mut self, title: &'static str) -> Self {
        self.title = Some(title);
        self
    }

    /// The words at its head.
    pub(crate) fn title(&self) -> String {
        self.title.unwrap_or(self.name).replace(['_', '.'], " ").to_uppercase()
    }
}

/// The value at a dotted path; null where there is none.
pub(crate) fn at<'v>(value: &'v Value, path: &str) -> &'v Value {
    // A projected record has the whole path as its key.
    if let Some(found) = value.get(path) {
        return found;
    }
    path.split('.').try_fold(value, |value, key| value.get(key)).unwrap_or(&Value::Null)
}

/// A value in one line: texts bare, nothing for null.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Array(values) if values.iter().all(|value| !value.is_object() && !value.is_array()) => {
            values.iter().map(shown).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

/// The same for eyes: of records in a list only their names, such as roles.
pub(crate) fn brief(value: &Value) -> String {
    match value {
        Value::Array(values) if values.iter().all(|value| value["name"].is_string()) => {
            values.iter().map(|value| shown(&value["name"])).collect::<Vec<_>>().join(", ")
        }
        other => shown(other),
    }
}

/// Whether a card for eyes leaves a value out: there is none, or an empty list.
pub(crate) fn is_nothing(value: &Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty)
}

/// Whether a value is a table of its own: some records in a list.
pub(crate) fn is_table(value: &Value) -> bool {
    value.as_array().is_some_and(|rows| !rows.is_empty() && rows.iter().all(Value::is_object))
}

/// The leaves of a record with their paths, what names it first; lists stay whole.
pub(crate) fn flat(value: &Value) -> Vec<(String, Value)> {
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
        Some(at) => at,
        None if path.starts_with("actions.") => first.len() + 1,
        None => first.len(),
    };
    fields.sort_by_key(|(path, _)| rank(path));
    fields
}
