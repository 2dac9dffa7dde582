//! Counts the depth and the values of a JSON text without parsing it.

use memchr::memchr2;

use super::{MAX_DEPTH, UntrustedDataError};

/// Limits of a JSON text.
#[derive(Debug, Clone, Copy)]
pub struct JsonLimits {
    /// Maximum nesting of lists and objects, because parsers recurse.
    pub depth: usize,
    /// Maximum number of values of lists and objects: a value of two bytes of text takes 30 to 300 bytes after parsing.
    pub values: usize,
}

impl Default for JsonLimits {
    fn default() -> Self {
        Self { depth: MAX_DEPTH, values: usize::MAX }
    }
}

/// Rejects a text whose lists and objects nest deeper than `max_depth`. The parser finds all other errors: brackets within strings
/// are skipped, and an unclosed string ends the scan.
pub fn check_json(text: &[u8], max_depth: usize) -> Result<(), UntrustedDataError> {
    check_json_within(text, JsonLimits { depth: max_depth, ..JsonLimits::default() })
}

/// As [`check_json`], and rejects a text that holds too many values.
pub fn check_json_within(text: &[u8], limits: JsonLimits) -> Result<(), UntrustedDataError> {
    count_json_within(text, limits).map(drop)
}

/// As [`check_json_within`], and returns the number of values.
pub fn count_json_within(text: &[u8], limits: JsonLimits) -> Result<usize, UntrustedDataError> {
    let (mut depth, mut values, mut position) = (0_usize, 0_usize, 0);
    while let Some(byte) = text.get(position) {
        position += 1;
        match byte {
            b'[' | b'{' => (depth, values) = (depth + 1, values + 1),
            b']' | b'}' => depth = depth.saturating_sub(1),
            b',' => values += 1,
            b'"' => position = after_string(text, position),
            _ => {}
        }
        if depth > limits.depth {
            return Err(UntrustedDataError::TooDeep { limit: limits.depth });
        }
        if values > limits.values {
            return Err(UntrustedDataError::TooManyValues { limit: limits.values });
        }
    }
    Ok(values)
}

/// The position after the end of the string that starts before `at`.
fn after_string(text: &[u8], mut at: usize) -> usize {
    while let Some(found) = text.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found;
        if text[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use panel_fuzz::{FuzzTarget, json_documents};
    use serde_json::Value;

    use super::*;

    #[test]
    fn counts_depth_outside_of_strings() {
        let at_most_two = |text: &str| check_json(text.as_bytes(), 2);
        for accepted in [r#"{"a":[1,2],"b":[]}"#, r#"{"a":"[[[{{{\"[[["}"#, "[] [] []", "", r#"["\\",[]]"#] {
            assert_eq!(at_most_two(accepted), Ok(()), "{accepted}");
        }
        for deep in [r#"{"a":[{}]}"#, "[[[", r#"["\\",[[]]]"#, r#"{"\"":[["#] {
            assert_eq!(at_most_two(deep), Err(UntrustedDataError::TooDeep { limit: 2 }), "{deep}");
        }
        for unclosed in [r#"["[[["#, r#"["\"#, r#"["\\\"[[["#] {
            assert_eq!(at_most_two(unclosed), Ok(()), "{unclosed}");
        }
    }

    #[test]
    fn counts_values() {
        let at_most_four = |text: &str| {
            count_json_within(text.as_bytes(), JsonLimits { values: 4, ..JsonLimits::default() })
        };
        for (few, values) in [("[1,2,3,4]", 4), (r#"{"a":"b,c,d,e,f","b":[1]}"#, 3), ("[[[[]]]]", 4), ("", 0)]
        {
            assert_eq!(at_most_four(few), Ok(values), "{few}");
        }
        for many in ["[1,2,3,4,5]", "[[],[],[]]", "[[[[[]]]]]"] {
            assert_eq!(at_most_four(many), Err(UntrustedDataError::TooManyValues { limit: 4 }), "{many}");
        }
    }

    fn depth(value: &Value) -> usize {
        match value {
            Value::Array(all) => 1 + all.iter().map(depth).max().unwrap_or(0),
            Value::Object(all) => 1 + all.values().map(depth).max().unwrap_or(0),
            _ => 0,
        }
    }

    /// A text that passes the scan is never deeper for serde than for the scan.
    #[test]
    fn fuzz_scan_and_parser_count_the_same_depth() {
        FuzzTarget::new("panel-kernel", "json_scan").run(json_documents(&["a", "items"], &[]), |text| {
            let accepted = check_json(text, 6).is_ok();
            if let Ok(value) = serde_json::from_slice::<Value>(text) {
                // If an object repeats a name, serde uses the last value, and the scan counts all values.
                assert!(!accepted || depth(&value) <= 6, "{value}");
            }
        });
    }
}
