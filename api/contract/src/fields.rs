//! Validation errors by field, named as in the request (`order_ids.3`, `columns.2.search`), and the parsers that report them.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::probe;

/// Error messages by field name. Each message is a sentence that states the problem or what to do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FieldErrors(pub BTreeMap<String, Vec<String>>);

impl FieldErrors {
    /// A single error of a single field.
    pub fn one(field: impl Into<String>, message: impl Into<String>) -> Self {
        let mut errors = Self::default();
        errors.add(field, message);
        errors
    }

    /// Adds an error; a field may have several.
    pub fn add(&mut self, field: impl Into<String>, message: impl Into<String>) {
        self.0.entry(field.into()).or_default().push(message.into());
    }

    /// `Ok(value)` when nothing was added.
    pub fn or<T>(self, value: T) -> Result<T, Self> {
        if self.0.is_empty() { Ok(value) } else { Err(self) }
    }

    /// The summary in Laravel's form: the first error and the number of further errors.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut all = self.0.values().flatten();
        let first = all.next().cloned().unwrap_or_default();
        match all.count() {
            0 => first,
            1 => format!("{first} (and 1 more error)"),
            more => format!("{first} (and {more} more errors)"),
        }
    }

    /// The errors with `part` as the prefix of each field name.
    #[must_use]
    pub fn within(self, part: &str) -> Self {
        Self(self.0.into_iter().map(|(field, messages)| (format!("{part}.{field}"), messages)).collect())
    }

    /// Adds all errors of `more`.
    pub fn extend(&mut self, more: Self) {
        for (field, messages) in more.0 {
            self.0.entry(field).or_default().extend(messages);
        }
    }

    /// Parses a JSON object. The errors name every wrong field by its path.
    pub fn from_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Self> {
        // serde would accept a list as the fields of a struct in their order, which no caller intends.
        if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
            return Err(Self::one("body", "The body must be a JSON object."));
        }
        refuse_nul(bytes)?;
        let mut source = serde_json::Deserializer::from_slice(bytes);
        let value = serde_path_to_error::deserialize(&mut source).map_err(|error| {
            let first = field_error(&error);
            match serde_json::from_slice(bytes) {
                Ok(value) => probe::all(value, first, &|value| read_from::<T, _>(value)),
                // Malformed JSON has no fields to probe for further errors.
                Err(_) => first,
            }
        })?;
        source
            .end()
            .map_err(|error| Self::one("body", format!("The body is not one JSON value: {error}.")))?;
        Ok(value)
    }

    /// Parses decoded `name=value` pairs of a query or form; a repeated name makes a list.
    pub fn from_pairs<T: DeserializeOwned>(pairs: &[(String, String)]) -> Result<T, Self> {
        let text =
            serde_html_form::to_string(pairs).map_err(|error| Self::one("query", error.to_string()))?;
        let source = serde_html_form::Deserializer::from_bytes(text.as_bytes());
        serde_path_to_error::deserialize(source)
            .map_err(|error| probe::all(grouped(pairs), field_error(&error), &read_pairs::<T>))
    }
}

/// Deserializes a value only to find its error.
pub(crate) fn read_from<'de, T, D>(source: D) -> Result<(), probe::Fault>
where
    T: serde::Deserialize<'de>,
    D: serde::Deserializer<'de>,
{
    let read: Result<T, _> = serde_path_to_error::deserialize(source);
    read.map(drop).map_err(|error| probe::Fault::of(&error))
}

/// Groups pairs by name: a text, or a list of texts for a repeated name.
fn grouped(pairs: &[(String, String)]) -> Value {
    let mut fields = Map::new();
    for (name, text) in pairs {
        let text = Value::String(text.clone());
        match fields.get_mut(name) {
            None => drop(fields.insert(name.clone(), text)),
            Some(Value::Array(texts)) => texts.push(text),
            Some(one) => *one = Value::Array(vec![one.take(), text]),
        }
    }
    Value::Object(fields)
}

/// Deserializes the output of [`grouped`], only to find its error.
fn read_pairs<T: DeserializeOwned>(value: &Value) -> Result<(), probe::Fault> {
    let mut pairs: Vec<(&str, String)> = Vec::new();
    for (name, value) in value.as_object().into_iter().flatten() {
        match value {
            Value::Array(texts) => pairs.extend(texts.iter().map(|text| (name.as_str(), text_of(text)))),
            one => pairs.push((name, text_of(one))),
        }
    }
    let text = serde_html_form::to_string(&pairs).unwrap_or_default();
    read_from::<T, _>(serde_html_form::Deserializer::from_bytes(text.as_bytes()))
}

/// The text of a value in a query.
fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Refuses U+0000, which JSON can escape but PostgreSQL cannot store.
fn refuse_nul(bytes: &[u8]) -> Result<(), FieldErrors> {
    if !bytes.windows(6).any(|part| part == br"\u0000") {
        return Ok(());
    }
    // The parser reports malformed JSON.
    let Ok(value) = serde_json::from_slice(bytes) else { return Ok(()) };
    let mut errors = FieldErrors::default();
    nul_in(&value, "", &mut errors);
    errors.or(())
}

/// Adds an error for each text or field name with U+0000.
fn nul_in(value: &Value, path: &str, errors: &mut FieldErrors) {
    let inner = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    let mut refuse = || match path {
        "" => errors.add("body", "The body must not contain the character U+0000."),
        path => errors.add(path, format!("The {path} field must not contain the character U+0000.")),
    };
    match value {
        Value::String(text) if text.contains('\0') => refuse(),
        Value::Array(values) => {
            values.iter().enumerate().for_each(|(at, value)| nul_in(value, &inner(&at.to_string()), errors));
        }
        Value::Object(fields) => {
            if fields.keys().any(|name| name.contains('\0')) {
                refuse();
            }
            let plain = fields.iter().filter(|(name, _)| !name.contains('\0'));
            plain.for_each(|(name, value)| nul_in(value, &inner(name), errors));
        }
        _ => {}
    }
}

/// Serializes a query to pairs, in the order of its fields and without absent ones.
#[must_use]
pub fn to_pairs<T: serde::Serialize>(query: &T) -> Vec<(String, String)> {
    let text = serde_html_form::to_string(query).unwrap_or_default();
    serde_html_form::from_str(&text).unwrap_or_default()
}

/// The field error of a failed deserialization.
pub(crate) fn field_error<E: std::fmt::Display>(error: &serde_path_to_error::Error<E>) -> FieldErrors {
    let path = error.path().to_string().replace('[', ".").replace(']', "");
    let (field, sentence) = user_message(&path, &error.inner().to_string());
    FieldErrors::one(field, sentence)
}

/// Moves the field that serde's message names into the path, and rewrites the message for the user.
pub(crate) fn user_message(path: &str, inner: &str) -> (String, String) {
    let path = path.trim_start_matches('.');
    let quoted = inner.split('`').nth(1).unwrap_or_default();
    let join = |field: &str| match path {
        "" | "?" => field.to_owned(),
        _ if path == field || path.ends_with(&format!(".{field}")) => path.to_owned(),
        _ => format!("{path}.{field}"),
    };
    if inner.starts_with("unknown field") {
        return (join(quoted), format!("The field {quoted} is unknown; remove it."));
    }
    if inner.starts_with("missing field") {
        return (join(quoted), format!("The {quoted} field is required."));
    }
    if inner.starts_with("duplicate field") {
        return (join(quoted), format!("The field {quoted} appears twice; send it once."));
    }
    let field = if matches!(path, "" | "." | "?") { "body" } else { path };
    let sentence = inner.split(" at line ").next().unwrap_or(inner);
    (field.to_owned(), format!("The {field} field is not valid: {sentence}."))
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

    fn fields(json: &str) -> Vec<String> {
        FieldErrors::from_json::<Input>(json.as_bytes()).unwrap_err().0.into_keys().collect()
    }

    #[test]
    fn errors_name_the_field() {
        assert_eq!(fields(r#"{"ids":[1],"nam":"x"}"#), ["nam"]);
        assert_eq!(fields("{}"), ["ids"]);
        assert_eq!(fields(r#"{"ids":[1,"x"]}"#), ["ids.1"]);
        assert_eq!(fields(r#"{"ids":[99999999999999999999]}"#), ["ids.0"]);
        assert_eq!(fields(r#"{"ids":[],"ids":[]}"#), ["ids"]);
        assert_eq!(fields("[]"), ["body"]);
        assert_eq!(fields(r#"{"ids":[]} x"#), ["body"]);
        assert_eq!(fields(&"[".repeat(10_000)), ["body"]);
        assert_eq!(fields(r#"{"ids":[],"name":"a\u0000b"}"#), ["name"]);
        assert_eq!(fields(r#"{"ids":[],"na\u0000me":"b"}"#), ["body"]);
        assert!(FieldErrors::from_json::<Input>(br#"{"ids":[],"name":"a\\u0000b"}"#).is_ok());
    }

    #[test]
    fn the_summary_counts_further_errors() {
        let mut errors = FieldErrors::one("a", "A is wrong.");
        assert_eq!(errors.summary(), "A is wrong.");
        errors.add("b", "B is wrong.");
        assert_eq!(errors.summary(), "A is wrong. (and 1 more error)");
    }

    /// Up to serde's recursion limit, on a test thread's stack, which is as large as a worker's.
    #[test]
    fn deep_bodies_are_refused() {
        for depth in [100, 127, 128, 6_000, 100_000] {
            let text = format!("{{\"a\":{}\"\\u0000\"{}}}", "[".repeat(depth), "]".repeat(depth));
            assert!(FieldErrors::from_json::<Value>(text.as_bytes()).is_err(), "{depth}");
        }
    }

    #[test]
    fn fuzz_json_bodies() {
        let texts = panel_fuzz::json_texts(&["ids", "name", "a"], &[r#"{"ids":[1],"name":"x"}"#]);
        panel_fuzz::Run::new("panel-contract", "json_bodies").on(texts, |text| {
            drop(FieldErrors::from_json::<Input>(text));
            drop(FieldErrors::from_json::<Value>(text));
            drop(FieldErrors::from_json::<crate::intake::ResellerCall>(text));
        });
    }
}
