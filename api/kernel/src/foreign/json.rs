//! The depth of a JSON text, counted without parsing it.

use super::ForeignDataError;

/// Refuses a text whose lists and objects nest deeper than `max_depth`. Anything else that is wrong with it is the parser's
/// business: brackets within strings are skipped as JSON has them, and an unclosed string ends the scan.
pub fn check_json(text: &[u8], max_depth: usize) -> Result<(), ForeignDataError> {
    let mut depth = 0_usize;
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'[' | b'{' => {
                depth += 1;
                if depth > max_depth {
                    return Err(ForeignDataError::TooDeep { limit: max_depth });
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' => skip_string(&mut bytes),
            _ => {}
        }
    }
    Ok(())
}

fn skip_string(bytes: &mut std::slice::Iter<'_, u8>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'"' => return,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_counted_outside_of_strings() {
        let at_most_two = |text: &str| check_json(text.as_bytes(), 2);
        for fine in [r#"{"a":[1,2],"b":[]}"#, r#"{"a":"[[[{{{\"[[["}"#, "[] [] []", "", r#"["\\",[]]"#] {
            assert_eq!(at_most_two(fine), Ok(()), "{fine}");
        }
        for deep in [r#"{"a":[{}]}"#, "[[[", r#"["\\",[[]]]"#, r#"{"\"":[["#] {
            assert_eq!(at_most_two(deep), Err(ForeignDataError::TooDeep { limit: 2 }), "{deep}");
        }
    }
}
