//! Reads the failure that a response reports. A response is a rejection only if it contains nothing else: a field that is not known
//! to be harmless may be the id of an accepted order, under a name that no panel used before. Pure.

use serde_json::{Map, Value};

/// The failure that a response reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ResponseFailure {
    /// The response reports no failure.
    None,
    /// The response reports only a failure. Holds the sentences of the failure, if there are any.
    Messages(Vec<String>),
    /// The response reports a failure and has other fields, so it is not certainly a rejection.
    WithOtherFields,
}

pub(super) fn parse_failure(value: &Value) -> ResponseFailure {
    let mut reader = FailureReader::default();
    if let Value::Object(fields) = value {
        reader.read(fields);
    }
    match (reader.has_failed, reader.has_other_fields) {
        (false, _) => ResponseFailure::None,
        (true, false) => ResponseFailure::Messages(reader.sentences),
        (true, true) => ResponseFailure::WithOtherFields,
    }
}

#[derive(Default)]
struct FailureReader {
    has_failed: bool,
    /// The response has a field that is not known to be part of a failure.
    has_other_fields: bool,
    sentences: Vec<String>,
}

impl FailureReader {
    fn read(&mut self, fields: &Map<String, Value>) {
        for (name, value) in fields {
            match name.as_str() {
                "error" | "errors" if !is_empty_value(value) => {
                    self.has_failed = true;
                    self.read_sentences(value);
                }
                "message" | "msg" | "description" => self.read_sentences(value),
                name if is_outcome(name) => self.read_outcome(value),
                "data" => match value {
                    Value::Object(inner) => self.read(inner),
                    other => self.has_other_fields |= !is_empty_value(other),
                },
                _ => self.has_other_fields |= !(is_empty_value(value) || is_harmless_detail(name, value)),
            }
        }
    }

    /// Reads the sentences of an error: a text, a code, a list of texts or codes, an object with a message, or an object with a
    /// list for each field of the order.
    fn read_sentences(&mut self, value: &Value) {
        match value {
            Value::String(text) if !text.trim().is_empty() => self.sentences.push(text.trim().to_owned()),
            Value::Number(code) => self.sentences.push(code.to_string()),
            Value::Array(values) => values.iter().for_each(|value| self.read_sentences(value)),
            Value::Object(fields) => {
                for (name, value) in fields.iter().filter(|(name, value)| !is_harmless_detail(name, value)) {
                    match value {
                        _ if is_outcome(name) => self.read_outcome(value),
                        // Texts and lists describe what is wrong with a field; a number may be something else.
                        Value::String(_) | Value::Array(_) | Value::Object(_) => self.read_sentences(value),
                        other => self.has_other_fields |= !is_empty_value(other),
                    }
                }
            }
            _ => {}
        }
    }

    /// Reads fields such as `status: "fail"` and `success: false`. A value that means success contradicts the failure.
    fn read_outcome(&mut self, value: &Value) {
        let is_client_error_status =
            |number: &serde_json::Number| number.as_u64().is_some_and(|status| (400..500).contains(&status));
        match value {
            Value::Null => {}
            Value::Bool(false) => self.has_failed = true,
            Value::Number(number) if number.as_f64() == Some(0.0) => self.has_failed = true,
            Value::Number(number) if is_client_error_status(number) => {}
            Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
                "" => {}
                "error" | "fail" | "failed" | "failure" | "false" | "0" => self.has_failed = true,
                _ => self.has_other_fields = true,
            },
            _ => self.has_other_fields = true,
        }
    }
}

/// Whether a field reports the outcome of the call.
fn is_outcome(name: &str) -> bool {
    matches!(name, "status" | "success" | "ok" | "result")
}

/// Whether a value means "nothing", as panels send it in the `error` field of a response without an error.
fn is_empty_value(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => matches!(text.trim(), "" | "0" | "false" | "null"),
        Value::Array(values) => values.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

/// Whether panels are known to send this field beside an error, and its value is a number or one word.
fn is_harmless_detail(name: &str, value: &Value) -> bool {
    let is_known = matches!(name, "code" | "error_code" | "errorCode" | "balance" | "currency");
    let is_short = match value {
        Value::Number(_) => true,
        Value::String(text) => text.len() <= 40 && !text.contains(char::is_whitespace),
        _ => false,
    };
    is_known && is_short
}
