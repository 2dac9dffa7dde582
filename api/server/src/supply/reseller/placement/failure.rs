//! Reads the failure that an answer reports. An answer is a rejection only if it contains nothing else: a field that is not known
//! to be harmless may be the id of an accepted order, under a name that no panel used before. Pure.

use serde_json::{Map, Value};

/// The failure that an answer reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AnswerFailure {
    /// The answer reports no failure.
    None,
    /// The answer reports a failure and nothing else; its sentences, if any.
    Messages(Vec<String>),
    /// The answer reports a failure beside other fields.
    Contradicted,
}

pub(super) fn read_failure(value: &Value) -> AnswerFailure {
    let mut reader = FailureReader::default();
    if let Value::Object(fields) = value {
        reader.read(fields);
    }
    match (reader.has_failed, reader.has_more) {
        (false, _) => AnswerFailure::None,
        (true, false) => AnswerFailure::Messages(reader.sentences),
        (true, true) => AnswerFailure::Contradicted,
    }
}

#[derive(Default)]
struct FailureReader {
    has_failed: bool,
    /// The answer has a field that is not known to be part of a failure.
    has_more: bool,
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
                    other => self.has_more |= !is_empty_value(other),
                },
                _ => self.has_more |= !(is_empty_value(value) || is_detail(name, value)),
            }
        }
    }

    /// Reads the sentences of an error: a text, a code, a list of them, an object with a message, or one with a list for
    /// each field of the order.
    fn read_sentences(&mut self, value: &Value) {
        match value {
            Value::String(text) if !text.trim().is_empty() => self.sentences.push(text.trim().to_owned()),
            Value::Number(code) => self.sentences.push(code.to_string()),
            Value::Array(all) => all.iter().for_each(|one| self.read_sentences(one)),
            Value::Object(fields) => {
                for (name, value) in fields.iter().filter(|(name, value)| !is_detail(name, value)) {
                    match value {
                        _ if is_outcome(name) => self.read_outcome(value),
                        // Texts and lists describe what is wrong with a field; a number may be something else.
                        Value::String(_) | Value::Array(_) | Value::Object(_) => self.read_sentences(value),
                        other => self.has_more |= !is_empty_value(other),
                    }
                }
            }
            _ => {}
        }
    }

    /// Reads `status: "fail"`, `success: false` and the like; a success beside an error contradicts it.
    fn read_outcome(&mut self, value: &Value) {
        let is_refusing_status =
            |number: &serde_json::Number| number.as_u64().is_some_and(|status| (400..500).contains(&status));
        match value {
            Value::Null => {}
            Value::Bool(false) => self.has_failed = true,
            Value::Number(number) if number.as_f64() == Some(0.0) => self.has_failed = true,
            Value::Number(number) if is_refusing_status(number) => {}
            Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
                "" => {}
                "error" | "fail" | "failed" | "failure" | "false" | "0" => self.has_failed = true,
                _ => self.has_more = true,
            },
            _ => self.has_more = true,
        }
    }
}

/// Whether a field reports the outcome of the call.
fn is_outcome(name: &str) -> bool {
    matches!(name, "status" | "success" | "ok" | "result")
}

/// Whether a value means "nothing", as panels send it in the `error` field of an answer without an error.
fn is_empty_value(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => matches!(text.trim(), "" | "0" | "false" | "null"),
        Value::Array(all) => all.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

/// Whether panels are known to send this field beside an error, and its value is a number or one word.
fn is_detail(name: &str, value: &Value) -> bool {
    let is_known = matches!(name, "code" | "error_code" | "errorCode" | "balance" | "currency");
    let is_short = match value {
        Value::Number(_) => true,
        Value::String(text) => text.len() <= 40 && !text.contains(char::is_whitespace),
        _ => false,
    };
    is_known && is_short
}
