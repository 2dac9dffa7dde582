//! What an answer says of a failure. An answer is a refusal only where all that it says is that: a field that is not known
//! to be harmless may be the order that the panel took, under a name that no panel used before. Pure.

use serde_json::{Map, Value};

/// What an answer says of a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Rejection {
    /// The answer says nothing of a failure.
    None,
    /// That there was one, and nothing else; its sentences, if any.
    Words(Vec<String>),
    /// That there was one, beside something else.
    Contradicted,
}

/// Reads the failure of an answer.
pub(super) fn refusal(value: &Value) -> Rejection {
    let mut reading = Reading::default();
    if let Value::Object(fields) = value {
        reading.read(fields);
    }
    match (reading.has_failed, reading.has_more) {
        (false, _) => Rejection::None,
        (true, false) => Rejection::Words(reading.words),
        (true, true) => Rejection::Contradicted,
    }
}

#[derive(Default)]
struct Reading {
    has_failed: bool,
    /// There is something that is not known to be part of a failure.
    has_more: bool,
    words: Vec<String>,
}

impl Reading {
    fn read(&mut self, fields: &Map<String, Value>) {
        for (name, value) in fields {
            match name.as_str() {
                "error" | "errors" if !is_nothing(value) => {
                    self.has_failed = true;
                    self.read_sentences(value);
                }
                "message" | "msg" | "description" => self.read_sentences(value),
                name if is_outcome(name) => self.read_outcome(value),
                "data" => match value {
                    Value::Object(inner) => self.read(inner),
                    other => self.has_more |= !is_nothing(other),
                },
                _ => self.has_more |= !(is_nothing(value) || is_detail(name, value)),
            }
        }
    }

    /// Reads the sentences of an error: a text, a code, a list of them, an object with a message, or one with a list for
    /// each field of the order.
    fn read_sentences(&mut self, value: &Value) {
        match value {
            Value::String(text) if !text.trim().is_empty() => self.words.push(text.trim().to_owned()),
            Value::Number(code) => self.words.push(code.to_string()),
            Value::Array(all) => all.iter().for_each(|one| self.read_sentences(one)),
            Value::Object(fields) => {
                for (name, value) in fields.iter().filter(|(name, value)| !is_detail(name, value)) {
                    match value {
                        _ if is_outcome(name) => self.read_outcome(value),
                        // A text or a list of them says what is wrong with a field; a number is none of that.
                        Value::String(_) | Value::Array(_) | Value::Object(_) => self.read_sentences(value),
                        other => self.has_more |= !is_nothing(other),
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

/// Whether a field says how the call ended.
fn is_outcome(name: &str) -> bool {
    matches!(name, "status" | "success" | "ok" | "result")
}

/// How panels write that there is nothing, as in the `error` field of an answer without one.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => matches!(text.trim(), "" | "0" | "false" | "null"),
        Value::Array(all) => all.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

/// Whether a field is one that panels send beside an error, and says no more than a number or one word.
fn is_detail(name: &str, value: &Value) -> bool {
    let is_known = matches!(name, "code" | "error_code" | "errorCode" | "balance" | "currency");
    let is_short = match value {
        Value::Number(_) => true,
        Value::String(text) => text.len() <= 40 && !text.contains(char::is_whitespace),
        _ => false,
    };
    is_known && is_short
}
