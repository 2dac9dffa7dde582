//! Refuses empty values: an unset variable in a script must never widen the effect of a command. One check covers the whole
//! command line before anything is sent, so that no command can forget it.
//!
//! The word `none` clears a field; an empty text never has a meaning.

use std::ffi::{OsStr, OsString};

use clap::error::{ContextKind, ContextValue};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

use crate::failure::{CmdResult, Failure};

/// Variables that replace an option or a folder. An empty one is refused like an empty option: the command would use another
/// panel or account than the script intended.
const VARIABLES: [&str; 7] = [
    "PANELCTL_PROFILE",
    "PANELCTL_SERVER",
    "PANELCTL_TOKEN",
    "PANELCTL_PASSWORD",
    "PANELCTL_OUTPUT",
    "PANELCTL_HOME",
    "PANELCTL_ALLOW_HTTP",
];

/// Value names of comma-separated lists that clap does not split.
const LISTS: [&str; 10] =
    ["ID", "IDS", "IDS|none", "CODES", "COLUMN", "WORD", "KIND", "EVENT", "VALUES", "FROM..TO"];

/// Why a command line is refused before anything is sent.
#[derive(Debug)]
pub(crate) enum ParseError {
    /// Help and versions, which are not errors, and errors that clap prints best.
    Clap(clap::Error),
    Panelctl(Failure),
}

impl ParseError {
    /// Whether the caller asked for help or the version.
    pub(crate) fn is_help(&self) -> bool {
        matches!(self, Self::Clap(error) if !error.use_stderr())
    }
}

/// Parses a command line and refuses empty values.
pub(crate) fn parse(
    command: &mut Command,
    words: impl Iterator<Item = OsString>,
) -> Result<ArgMatches, ParseError> {
    let matches = command
        .try_get_matches_from_mut(words)
        .map_err(|error| of_clap(&error).map_or(ParseError::Clap(error), ParseError::Panelctl))?;
    check(command, &matches).map(|()| matches).map_err(ParseError::Panelctl)
}

/// Refuses an empty environment variable.
pub(crate) fn environment() -> CmdResult<()> {
    let empty = |name: &&str| std::env::var_os(name).is_some_and(|value| is_blank(&value));
    match VARIABLES.iter().find(|name| empty(name)) {
        Some(name) => Err(Failure::usage(format!("{name} is empty: set a value or unset it."))),
        None => Ok(()),
    }
}

/// Refuses the first empty value, of the selected command or of one above it. `command` must be built.
fn check(command: &Command, matches: &ArgMatches) -> CmdResult<()> {
    for arg in command.get_arguments() {
        let id = arg.get_id().as_str();
        // Default values are not the user's input.
        if !arg.get_action().takes_values() || matches.value_source(id) != Some(ValueSource::CommandLine) {
            continue;
        }
        // clap has already split the lists that it knows.
        for value in matches.get_raw(id).into_iter().flatten() {
            if let Some(fault) = fault(&value_name(arg), value) {
                let can_clear = accepts_none(command, arg);
                return Err(empty_value(
                    &label(arg),
                    &value_name(arg),
                    &fault,
                    arg.is_required_set(),
                    can_clear,
                ));
            }
        }
    }
    match matches.subcommand() {
        Some((name, below)) => command.find_subcommand(name).map_or(Ok(()), |command| check(command, below)),
        None => Ok(()),
    }
}

/// The same error where clap met the empty value first, because it parses it as a number or as one word of a set.
fn of_clap(error: &clap::Error) -> Option<Failure> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let value = text(ContextKind::InvalidValue)?;
    let arg = text(ContextKind::InvalidArg)?;
    // `--limit <ROWS>`, `<ID>...`
    let (flag, name) = arg.split_once(' ').filter(|_| arg.starts_with('-')).unwrap_or(("", arg));
    let name = name.trim_start_matches(['[', '<']).trim_end_matches('.').trim_end_matches([']', '>']);
    let label = if flag.is_empty() { name } else { flag };
    fault(name, OsStr::new(value)).map(|fault| empty_value(label, name, &fault, flag.is_empty(), false))
}

/// Whether a text is empty or only white space.
fn is_blank(value: &OsStr) -> bool {
    value.to_str().is_some_and(|text| text.trim().is_empty())
}

/// What is empty in a value: all of it, one side of `NAME=VALUE`, an element of a list, or both bounds of a range.
fn fault(name: &str, value: &OsStr) -> Option<String> {
    if is_blank(value) {
        return Some("is empty".to_owned());
    }
    let text = value.to_str()?;
    if let Some(between) = ['=', ':'].into_iter().find(|between| is_pair(name, *between))
        && let Some((left, right)) = text.split_once(between)
    {
        return match (left.trim(), right.trim()) {
            ("", _) => Some(format!("{text} has nothing before the {between}")),
            (_, "") => Some(format!("{text} has nothing after the {between}")),
            // Only the filter's column knows whether a comma separates values.
            (_, right) if is_hollow(right) => Some(format!("{text} selects nothing")),
            _ => None,
        };
    }
    if !LISTS.contains(&name) {
        return None;
    }
    if is_hollow(text) {
        return Some(format!("{text} has neither a value nor a bound of a range"));
    }
    let has_gap = text.split(',').any(|part| part.trim().is_empty());
    has_gap.then(|| format!("{text} has an empty element in its list"))
}

/// Whether a value name has the form `NAME=VALUE`, `NAME:VALUE` or `SERVICE:NAME=VALUE`.
fn is_pair(name: &str, between: char) -> bool {
    name.split_once(between)
        .is_some_and(|(left, _)| left.chars().all(|c| c.is_ascii_uppercase() || matches!(c, '.' | ':')))
}

/// Whether a list or range has no value, such as `,` and `..`: what remains if its variables were empty.
fn is_hollow(text: &str) -> bool {
    text.chars().all(|c| matches!(c, ',' | ' ')) || text.split("..").all(|end| end.trim().is_empty())
}

/// The error: what is empty, and what to do.
fn empty_value(label: &str, name: &str, fault: &str, is_required: bool, can_clear: bool) -> Failure {
    let expected = match name {
        "ID" => "an id",
        "IDS" | "IDS|none" => "ids",
        "TEXT" => "a text",
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
    let failure = Failure::usage(format!("{label} {fault}: specify {expected}{alternative}."));
    if can_clear { failure.hint("none as the value, which clears the field") } else { failure }
}

/// Whether the help offers the value `none`.
fn accepts_none(command: &Command, arg: &Arg) -> bool {
    let offered = |text: Option<String>| text.is_some_and(|text| text.contains("none"));
    offered(arg.get_help().map(ToString::to_string))
        || (arg.get_long().is_some() && offered(command.get_about().map(ToString::to_string)))
}

fn label(arg: &Arg) -> String {
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

    fn fault_of(name: &str, value: &str) -> Option<String> {
        fault(name, OsStr::new(value))
    }

    #[test]
    fn finds_empty_values_and_accepts_others() {
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
            assert!(fault_of(name, value).is_some(), "{name} {value:?}");
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
            assert_eq!(fault_of(name, value), None, "{name} {value:?}");
        }
    }
}
