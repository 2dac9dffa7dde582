//! Parses the failure that a response reports. A response is a rejection only if it contains no other data: an unknown field may be
//! the id of an accepted order, under a name that no external panel has used before.

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
    let mut parser = FailureParser::default();
    if let Value::Object(fields) = value {
        parser.parse_fields(fields);
    }
    match (parser.has_failed, parser.has_other_fields) {
        (false, _) => ResponseFailure::None,
        (true, false) => ResponseFailure::Messages(parser.sentences),
        (true, true) => ResponseFailure::WithOtherFields,
    }
}

#[derive(Default)]
struct FailureParser {
    has_failed: bool,
    /// The response has a field that is not known to be part of a failure.
    has_other_fields: bool,
    sentences: Vec<String>,
}

impl FailureParser {
    fn parse_fields(&mut self, fields: &Map<String, Value>) {
        for (name, value) in fields {
            match name.as_str() {
                "error" | "errors" if !is_empty_value(value) => {
                    self.has_failed = true;
                    self.parse_sentences(value);
                }
                "message" | "msg" | "description" => self.parse_sentences(value),
                name if is_outcome_field(name) => self.parse_outcome(value),
                "data" => match value {
                    Value::Object(data_fields) => self.parse_fields(data_fields),
                    other_value => self.has_other_fields |= !is_empty_value(other_value),
                },
                _ => self.has_other_fields |= !(is_empty_value(value) || is_harmless_detail(name, value)),
            }
        }
    }

    /// Parses the sentences of an error, which may be a string, a code, an array of these, an object with a message, or an object
    /// with an array for each invalid field of the order.
    fn parse_sentences(&mut self, value: &Value) {
        match value {
            Value::String(text) if !text.trim().is_empty() => self.sentences.push(text.trim().to_owned()),
            Value::Number(code) => self.sentences.push(code.to_string()),
            Value::Array(values) => values.iter().for_each(|value| self.parse_sentences(value)),
            Value::Object(fields) => {
                for (name, value) in fields.iter().filter(|(name, value)| !is_harmless_detail(name, value)) {
                    match value {
                        _ if is_outcome_field(name) => self.parse_outcome(value),
                        // Strings and arrays describe an invalid field. A number may be something else, such as an order id.
                        Value::String(_) | Value::Array(_) | Value::Object(_) => self.parse_sentences(value),
                        other_value => self.has_other_fields |= !is_empty_value(other_value),
                    }
                }
            }
            _ => {}
        }
    }

    /// Parses fields such as `status: "fail"` and `success: false`. A value that means success contradicts the failure.
    fn parse_outcome(&mut self, value: &Value) {
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

/// Whether a field reports the outcome of the request.
fn is_outcome_field(name: &str) -> bool {
    matches!(name, "status" | "success" | "ok" | "result")
}

/// Whether a value means "no error". External panels send such values in the `error` field of a successful response.
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

/// Whether external panels are known to send this field together with an error, and the value is a number or one word.
fn is_harmless_detail(name: &str, value: &Value) -> bool {
    let is_known = matches!(name, "code" | "error_code" | "errorCode" | "balance" | "currency");
    let is_short = match value {
        Value::Number(_) => true,
        Value::String(text) => text.len() <= 40 && !text.contains(char::is_whitespace),
        _ => false,
    };
    is_known && is_short
}
