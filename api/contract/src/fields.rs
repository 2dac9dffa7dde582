//! Validation errors by field, and the JSON and query parsers that report them. Fields are named as in the request (`order_ids.3`,
//! `columns.2.search`).

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::all_errors;

/// Error messages by field name. Each message is one sentence about the problem or its solution.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FieldErrors(pub BTreeMap<String, Vec<String>>);

impl FieldErrors {
    /// A single error of a single field.
    pub fn single(field: impl Into<String>, message: impl Into<String>) -> Self {
        let mut errors = Self::default();
        errors.add(field, message);
        errors
    }

    /// Adds an error to a field, which may have several.
    pub fn add(&mut self, field: impl Into<String>, message: impl Into<String>) {
        self.0.entry(field.into()).or_default().push(message.into());
    }

    /// `Ok(value)` if there are no errors, otherwise these errors.
    pub fn into_result<T>(self, value: T) -> Result<T, Self> {
        if self.0.is_empty() { Ok(value) } else { Err(self) }
    }

    /// A summary in the format of Laravel: the first message and the number of other messages.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut messages = self.0.values().flatten();
        let first_message = messages.next().cloned().unwrap_or_default();
        match messages.count() {
            0 => first_message,
            1 => format!("{first_message} (and 1 more error)"),
            other_count => format!("{first_message} (and {other_count} more errors)"),
        }
    }

    /// The same errors with `prefix` and a dot before each field name.
    #[must_use]
    pub fn with_prefix(self, prefix: &str) -> Self {
        Self(self.0.into_iter().map(|(field, messages)| (format!("{prefix}.{field}"), messages)).collect())
    }

    /// Adds all errors of `other`.
    pub fn extend(&mut self, other: Self) {
        for (field, messages) in other.0 {
            self.0.entry(field).or_default().extend(messages);
        }
    }

    /// Parses a JSON object. The errors name each invalid field by its path.
    pub fn from_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Self> {
        // serde would also accept a list with the fields of a struct in their order, which is never intended.
        if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
            return Err(Self::single("body", "The body must be a JSON object."));
        }
        reject_nul_characters(bytes)?;
        let mut deserializer = serde_json::Deserializer::from_slice(bytes);
        let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
            let first_error = to_field_errors(&error);
            match serde_json::from_slice(bytes) {
                Ok(value) => {
                    all_errors::find_all_errors(value, first_error, &|value| try_deserialize::<T, _>(value))
                }
                // Malformed JSON has no fields with further errors.
                Err(_) => first_error,
            }
        })?;
        deserializer
            .end()
            .map_err(|error| Self::single("body", format!("The body is not one JSON value: {error}.")))?;
        Ok(value)
    }

    /// Parses decoded `name=value` pairs of a query. A repeated name becomes a list. The errors name each invalid parameter.
    pub fn from_pairs<T: DeserializeOwned>(pairs: &[(String, String)]) -> Result<T, Self> {
        let text =
            serde_html_form::to_string(pairs).map_err(|error| Self::single("query", error.to_string()))?;
        let deserializer = serde_html_form::Deserializer::from_bytes(text.as_bytes());
        serde_path_to_error::deserialize(deserializer).map_err(|error| {
            all_errors::find_all_errors(
                group_pairs(pairs),
                to_field_errors(&error),
                &try_deserialize_pairs::<T>,
            )
        })
    }
}

/// Deserializes a value only to learn why it is invalid; drops a valid value.
pub(crate) fn try_deserialize<'de, T, D>(deserializer: D) -> Result<(), all_errors::DeserializeError>
where
    T: serde::Deserialize<'de>,
    D: serde::Deserializer<'de>,
{
    let result: Result<T, _> = serde_path_to_error::deserialize(deserializer);
    result.map(drop).map_err(|error| all_errors::DeserializeError::from_serde(&error))
}

/// Groups pairs by name: a string, or a list of strings for a repeated name.
fn group_pairs(pairs: &[(String, String)]) -> Value {
    let mut fields = Map::new();
    for (name, text) in pairs {
        let text = Value::String(text.clone());
        match fields.get_mut(name) {
            None => drop(fields.insert(name.clone(), text)),
            Some(Value::Array(values)) => values.push(text),
            Some(first_value) => *first_value = Value::Array(vec![first_value.take(), text]),
        }
    }
    Value::Object(fields)
}

/// Like [`try_deserialize`], for the output of [`group_pairs`].
fn try_deserialize_pairs<T: DeserializeOwned>(value: &Value) -> Result<(), all_errors::DeserializeError> {
    let mut pairs: Vec<(&str, String)> = Vec::new();
    for (name, value) in value.as_object().into_iter().flatten() {
        match value {
            Value::Array(values) => {
                pairs.extend(values.iter().map(|value| (name.as_str(), to_query_text(value))))
            }
            single_value => pairs.push((name, to_query_text(single_value))),
        }
    }
    let text = serde_html_form::to_string(&pairs).unwrap_or_default();
    try_deserialize::<T, _>(serde_html_form::Deserializer::from_bytes(text.as_bytes()))
}

/// Converts a JSON value to the value of a query parameter.
fn to_query_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns an error for each U+0000, which JSON can escape but PostgreSQL cannot store.
fn reject_nul_characters(bytes: &[u8]) -> Result<(), FieldErrors> {
    if !bytes.windows(6).any(|part| part == br"\u0000") {
        return Ok(());
    }
    // The caller parses the body afterwards and reports malformed JSON.
    let Ok(value) = serde_json::from_slice(bytes) else { return Ok(()) };
    let mut errors = FieldErrors::default();
    add_nul_errors(&value, "", &mut errors);
    errors.into_result(())
}

/// Adds an error for each string or field name with U+0000.
fn add_nul_errors(value: &Value, path: &str, errors: &mut FieldErrors) {
    let child_path = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    let mut add_error = || match path {
        "" => errors.add("body", "The body must not contain the character U+0000."),
        path => errors.add(path, format!("The {path} field must not contain the character U+0000.")),
    };
    match value {
        Value::String(text) if text.contains('\0') => add_error(),
        Value::Array(values) => {
            values
                .iter()
                .enumerate()
                .for_each(|(index, value)| add_nul_errors(value, &child_path(&index.to_string()), errors));
        }
        Value::Object(fields) => {
            if fields.keys().any(|name| name.contains('\0')) {
                add_error();
            }
            let valid_names = fields.iter().filter(|(name, _)| !name.contains('\0'));
            valid_names.for_each(|(name, value)| add_nul_errors(value, &child_path(name), errors));
        }
        _ => {}
    }
}

/// Serializes a query to decoded name-value pairs, in the order of its fields. Absent fields are omitted.
#[must_use]
pub fn to_pairs<T: serde::Serialize>(query: &T) -> Vec<(String, String)> {
    let text = serde_html_form::to_string(query).unwrap_or_default();
    serde_html_form::from_str(&text).unwrap_or_default()
}

/// Converts the error of a failed deserialization to an error of the field.
pub(crate) fn to_field_errors<E: std::fmt::Display>(error: &serde_path_to_error::Error<E>) -> FieldErrors {
    let path = error.path().to_string().replace('[', ".").replace(']', "");
    let (field, message) = to_user_message(&path, &error.inner().to_string());
    FieldErrors::single(field, message)
}

/// Rewrites an error message of serde for the user. Returns the path of the field and the new message. If serde names a field in
/// its message, this field becomes the end of the path.
pub(crate) fn to_user_message(path: &str, serde_message: &str) -> (String, String) {
    let path = path.trim_start_matches('.');
    let named_field = serde_message.split('`').nth(1).unwrap_or_default();
    let join_path = |field: &str| match path {
        "" | "?" => field.to_owned(),
        _ if path == field || path.ends_with(&format!(".{field}")) => path.to_owned(),
        _ => format!("{path}.{field}"),
    };
    if serde_message.starts_with("unknown field") {
        return (join_path(named_field), format!("The field {named_field} is unknown; remove it."));
    }
    if serde_message.starts_with("missing field") {
        return (join_path(named_field), format!("The {named_field} field is required."));
    }
    if serde_message.starts_with("duplicate field") {
        return (join_path(named_field), format!("The field {named_field} appears twice; send it once."));
    }
    let field = if matches!(path, "" | "." | "?") { "body" } else { path };
    let reason = serde_message.split(" at line ").next().unwrap_or(serde_message);
    (field.to_owned(), format!("The {field} field is not valid: {reason}."))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Input {
        #[serde(rename = "ids")]
        _ids: Vec<i64>,
        #[serde(default, rename = "name")]
        _name: Option<String>,
    }

    fn invalid_fields(json: &str) -> Vec<String> {
        FieldErrors::from_json::<Input>(json.as_bytes()).unwrap_err().0.into_keys().collect()
    }

    #[test]
    fn errors_name_the_field() {
        assert_eq!(invalid_fields(r#"{"ids":[1],"nam":"x"}"#), ["nam"]);
        assert_eq!(invalid_fields("{}"), ["ids"]);
        assert_eq!(invalid_fields(r#"{"ids":[1,"x"]}"#), ["ids.1"]);
        assert_eq!(invalid_fields(r#"{"ids":[99999999999999999999]}"#), ["ids.0"]);
        assert_eq!(invalid_fields(r#"{"ids":[],"ids":[]}"#), ["ids"]);
        assert_eq!(invalid_fields("[]"), ["body"]);
        assert_eq!(invalid_fields(r#"{"ids":[]} x"#), ["body"]);
        assert_eq!(invalid_fields(&"[".repeat(10_000)), ["body"]);
        assert_eq!(invalid_fields(r#"{"ids":[],"name":"a\u0000b"}"#), ["name"]);
        assert_eq!(invalid_fields(r#"{"ids":[],"na\u0000me":"b"}"#), ["body"]);
        assert!(FieldErrors::from_json::<Input>(br#"{"ids":[],"name":"a\\u0000b"}"#).is_ok());
    }

    #[test]
    fn the_summary_counts_further_errors() {
        let mut errors = FieldErrors::single("a", "A is wrong.");
        assert_eq!(errors.summary(), "A is wrong.");
        errors.add("b", "B is wrong.");
        assert_eq!(errors.summary(), "A is wrong. (and 1 more error)");
    }

    // The stack of a test thread is as large as that of a worker thread.
    #[test]
    fn rejects_deeply_nested_bodies() {
        for depth in [100, 127, 128, 6_000, 100_000] {
            let text = format!("{{\"a\":{}\"\\u0000\"{}}}", "[".repeat(depth), "]".repeat(depth));
            assert!(FieldErrors::from_json::<Value>(text.as_bytes()).is_err(), "{depth}");
        }
    }

    #[test]
    fn fuzz_json_bodies() {
        let texts = panel_fuzz::json_documents(&["ids", "name", "a"], &[r#"{"ids":[1],"name":"x"}"#]);
        panel_fuzz::FuzzTarget::new("panel-contract", "json_bodies").run(texts, |text| {
            drop(FieldErrors::from_json::<Input>(text));
            drop(FieldErrors::from_json::<Value>(text));
            drop(FieldErrors::from_json::<crate::order_requests::ResellerRequest>(text));
        });
    }
}
