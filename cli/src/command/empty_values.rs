//! Rejects empty values, because an unset variable in a script must never widen the effect of a command. One function checks the
//! arguments of all commands, before a command sends a request.
//!
//! To clear a field, the user writes `none`.

use std::ffi::{OsStr, OsString};

use clap::error::{ContextKind, ContextValue};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

use crate::failure::{CommandResult, Failure};

/// Environment variables that replace an option or a folder. If panelctl accepted an empty variable, the command would use another
/// server or account than the script intended.
const CHECKED_VARIABLES: [&str; 7] = [
    "PANELCTL_PROFILE",
    "PANELCTL_SERVER",
    "PANELCTL_TOKEN",
    "PANELCTL_PASSWORD",
    "PANELCTL_OUTPUT",
    "PANELCTL_HOME",
    "PANELCTL_ALLOW_HTTP",
];

/// Value names of options whose value is a comma-separated list that clap does not split.
const LIST_VALUE_NAMES: [&str; 11] =
    ["ID", "IDS", "IDS|none", "CODES", "COLUMN", "VALUE", "WORD", "KIND", "EVENT", "VALUES", "FROM..TO"];

/// Why panelctl rejects a command line before it sends a request.
#[derive(Debug)]
pub(crate) enum ParseError {
    /// Output that clap prints itself: help, the version, and its own errors.
    Clap(clap::Error),
    EmptyValue(Failure),
}

impl ParseError {
    /// Whether the caller asked for help or the version.
    pub(crate) fn is_help(&self) -> bool {
        matches!(self, Self::Clap(error) if !error.use_stderr())
    }
}

/// Parses a command line and rejects empty values.
pub(crate) fn parse(
    command: &mut Command,
    args: impl Iterator<Item = OsString>,
) -> Result<ArgMatches, ParseError> {
    let matches = command.try_get_matches_from_mut(args).map_err(|error| {
        empty_value_error_of_clap(&error).map_or(ParseError::Clap(error), ParseError::EmptyValue)
    })?;
    check_values(command, &matches).map(|()| matches).map_err(ParseError::EmptyValue)
}

/// Rejects an empty variable of [`CHECKED_VARIABLES`].
pub(crate) fn check_environment() -> CommandResult<()> {
    let is_empty = |name: &&str| std::env::var_os(name).is_some_and(|value| is_blank(&value));
    match CHECKED_VARIABLES.iter().find(|name| is_empty(name)) {
        Some(name) => Err(Failure::usage(format!("{name} is empty: set a value or unset it."))),
        None => Ok(()),
    }
}

/// Rejects an empty value of the command or of its selected subcommand. The caller must have built `command`.
fn check_values(command: &Command, matches: &ArgMatches) -> CommandResult<()> {
    for arg in command.get_arguments() {
        let id = arg.get_id().as_str();
        // Default values are not the user's input.
        if !arg.get_action().takes_values() || matches.value_source(id) != Some(ValueSource::CommandLine) {
            continue;
        }
        // clap has already split the lists that it knows.
        for value in matches.get_raw(id).into_iter().flatten() {
            if let Some(problem) = find_empty_part(&value_name(arg), value) {
                let can_clear = accepts_none(command, arg);
                return Err(empty_value_failure(
                    &display_name(arg),
                    &value_name(arg),
                    &problem,
                    arg.is_required_set(),
                    can_clear,
                ));
            }
        }
    }
    match matches.subcommand() {
        Some((name, matches)) => {
            command.find_subcommand(name).map_or(Ok(()), |command| check_values(command, matches))
        }
        None => Ok(()),
    }
}

/// Converts an error of clap, which reports an empty number or enumeration value as an invalid value.
fn empty_value_error_of_clap(error: &clap::Error) -> Option<Failure> {
    let context_text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let value = context_text(ContextKind::InvalidValue)?;
    let arg = context_text(ContextKind::InvalidArg)?;
    // `--limit <ROWS>`, `<ID>...`
    let (flag, name) = arg.split_once(' ').filter(|_| arg.starts_with('-')).unwrap_or(("", arg));
    let name = name.trim_start_matches(['[', '<']).trim_end_matches('.').trim_end_matches([']', '>']);
    let label = if flag.is_empty() { name } else { flag };
    find_empty_part(name, OsStr::new(value))
        .map(|problem| empty_value_failure(label, name, &problem, flag.is_empty(), false))
}

/// Whether a value is empty or only white space.
fn is_blank(value: &OsStr) -> bool {
    value.to_str().is_some_and(|text| text.trim().is_empty())
}

/// Describes what is empty: the whole value, one side of `NAME=VALUE`, an element of a list, or both bounds of a range.
fn find_empty_part(value_name: &str, value: &OsStr) -> Option<String> {
    if is_blank(value) {
        return Some("is empty".to_owned());
    }
    let text = value.to_str()?;
    if let Some(separator) = ['=', ':'].into_iter().find(|separator| has_pair_form(value_name, *separator))
        && let Some((left, right)) = text.split_once(separator)
    {
        return match (left.trim(), right.trim()) {
            ("", _) => Some(format!("{text} has nothing before the {separator}")),
            (_, "") => Some(format!("{text} has nothing after the {separator}")),
            // Other commas are not checked here: only the kind of the column determines whether a comma separates values.
            (_, right) if has_no_value(right) => Some(format!("{text} selects nothing")),
            _ => None,
        };
    }
    if !LIST_VALUE_NAMES.contains(&value_name) {
        return None;
    }
    if has_no_value(text) {
        return Some(format!("{text} has neither a value nor a bound of a range"));
    }
    let has_empty_element = text.split(',').any(|part| part.trim().is_empty());
    has_empty_element.then(|| format!("{text} has an empty element in its list"))
}

/// Whether a value name has the form `NAME=VALUE`, `NAME:VALUE` or `SERVICE:NAME=VALUE`.
fn has_pair_form(value_name: &str, separator: char) -> bool {
    value_name
        .split_once(separator)
        .is_some_and(|(left, _)| left.chars().all(|c| c.is_ascii_uppercase() || matches!(c, '.' | ':')))
}

/// Whether a list or range has no value, such as `,` or `..`. This happens if a script uses empty variables for all its parts.
fn has_no_value(text: &str) -> bool {
    text.chars().all(|c| matches!(c, ',' | ' ')) || text.split("..").all(|bound| bound.trim().is_empty())
}

/// Builds the error: which value is empty, and what to do.
fn empty_value_failure(
    label: &str,
    value_name: &str,
    problem: &str,
    is_required: bool,
    can_clear: bool,
) -> Failure {
    let expected = match value_name {
        "ID" => "an id",
        "IDS" | "IDS|none" => "ids",
        "TEXT" => "a value",
        "NAME" => "a name",
        "FILE" => "a file",
        "URL" => "a URL",
        other => other,
    };
    let alternative = match (is_required, label.starts_with('-')) {
        (true, _) => "",
        (false, true) => " or omit the option",
        (false, false) => " or omit it",
    };
    let failure = Failure::usage(format!("{label} {problem}: specify {expected}{alternative}."));
    if can_clear { failure.hint("none as the value, which clears the field") } else { failure }
}

/// Whether the help of an argument mentions the value `none`.
fn accepts_none(command: &Command, arg: &Arg) -> bool {
    let mentions_none = |text: Option<String>| text.is_some_and(|text| text.contains("none"));
    mentions_none(arg.get_help().map(ToString::to_string))
        || (arg.get_long().is_some() && mentions_none(command.get_about().map(ToString::to_string)))
}

fn display_name(arg: &Arg) -> String {
    match (arg.get_long(), arg.get_short()) {
        (Some(long), _) => format!("--{long}"),
        (None, Some(short)) => format!("-{short}"),
        (None, None) => value_name(arg),
    }
}

fn value_name(arg: &Arg) -> String {
    let names = arg.get_value_names().and_then(|names| names.first());
    names.map_or_else(|| arg.get_id().as_str().to_uppercase(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty_part(name: &str, value: &str) -> Option<String> {
        find_empty_part(name, OsStr::new(value))
    }

    #[test]
    fn finds_empty_parts_of_values() {
        for (name, value) in [
            ("TEXT", ""),
            ("TEXT", " \t"),
            ("COLUMN=VALUE", "user.id="),
            ("COLUMN=VALUE", "user.id= "),
            ("COLUMN=VALUE", "=7"),
            ("COLUMN=VALUE", "cost=.."),
            ("COLUMN=VALUE", "id=,"),
            ("LOCALE.FIELD=TEXT", "de.name="),
            ("NAME:VALUE", "X-Trace:"),
            ("ID", "7,,9"),
            ("IDS", "7,"),
            ("ID", ","),
            ("FROM..TO", ".."),
            ("FROM..TO", " .. "),
        ] {
            assert!(empty_part(name, value).is_some(), "{name} {value:?}");
        }
        for (name, value) in [
            ("TEXT", "Hello,, you.."),
            ("TEXT", ".."),
            ("COLUMN=VALUE", "url=https://a.example/?x="),
            ("COLUMN=VALUE", "cost=5.."),
            ("COLUMN=VALUE", "cost"),
            ("ID", "7, 9"),
            ("FROM..TO", "..5"),
            ("FILE", "../a,b"),
            ("URL", "https://a.example"),
        ] {
            assert_eq!(empty_part(name, value), None, "{name} {value:?}");
        }
    }
}
