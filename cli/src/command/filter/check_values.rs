//! Checks the values of filters before panelctl sends the request.

use crate::failure::{CommandResult, Failure};

/// Maximum number of suggestions in a hint.
const MAX_SUGGESTIONS: usize = 30;

pub(super) fn check_enum_values(
    flag: &str,
    column: &str,
    text: &str,
    is_allowed: impl Fn(&str) -> bool,
    allowed_values: &[&str],
) -> CommandResult<()> {
    let Some(invalid_value) = text.split(',').map(str::trim).find(|value| !is_allowed(value)) else {
        return Ok(());
    };
    let failure = Failure::usage(format!("--{flag}: {invalid_value} is not a valid value of {column}."));
    if allowed_values.len() <= MAX_SUGGESTIONS {
        return Err(failure.hint(format!("one of {}", allowed_values.join(", "))));
    }
    let (prefix, _) = invalid_value.split_once('.').unwrap_or((invalid_value, ""));
    let suggestions: Vec<_> = allowed_values
        .iter()
        .filter(|value| value.starts_with(prefix))
        .take(MAX_SUGGESTIONS)
        .copied()
        .collect();
    Err(if suggestions.is_empty() {
        failure
    } else {
        failure.hint(format!("such as {}", suggestions.join(", ")))
    })
}

/// Rejects text that is not a number, a range, or a list of numbers in the syntax of the server.
pub(super) fn check_numbers<N: PartialOrd>(
    flag: &str,
    text: &str,
    parse_number: impl Fn(&str) -> Option<N>,
) -> CommandResult<()> {
    if text.trim().is_empty() {
        return Ok(());
    }
    let reject = |reason: String| Err(Failure::usage(format!("--{flag} {text}: {reason}")));
    let Some((from, to)) = text.split_once("..") else {
        let mut parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        return match parts.find(|part| parse_number(part).is_none()) {
            Some(part) => reject(format!(
                "{part} is not a number; specify one number, from..to, or several numbers separated by commas."
            )),
            None => Ok(()),
        };
    };
    let (from, to) = (from.trim(), to.trim());
    if text.contains(',') || to.contains("..") {
        return reject("a range cannot be combined with other values; specify from..to, or several numbers separated by commas.".into());
    }
    let bounds = [from, to]
        .map(|bound| if bound.is_empty() { Ok(None) } else { parse_number(bound).map(Some).ok_or(bound) });
    match bounds {
        [Err(bound), _] | [_, Err(bound)] => {
            reject(format!("{bound} is not a number; specify from..to, from.. or ..to."))
        }
        [Ok(None), Ok(None)] => reject("specify at least one bound: from..to, from.. or ..to.".into()),
        [Ok(Some(from_number)), Ok(Some(to_number))] if from_number > to_number => {
            reject(format!("the range is reversed and selects nothing; use {to}..{from}."))
        }
        _ => Ok(()),
    }
}
