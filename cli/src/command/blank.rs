//! No value is empty: a variable that a script forgot to set must never widen what a command does. One check over
//! the whole command line, before anything is sent, so that no command can forget it.
//!
//! A field is cleared by the word `none`; nothing here gives an empty text a meaning.

use std::ffi::{OsStr, OsString};

use clap::error::{ContextKind, ContextValue};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

use crate::failure::{Done, Failure};

/// Variables that stand for an option or a folder. An empty one is as much a mistake as an empty option: the command
/// would go to another panel, or as another person, than the script meant.
const VARIABLES: [&str; 7] = [
    "PANELCTL_PROFILE",
    "PANELCTL_SERVER",
    "PANELCTL_TOKEN",
    "PANELCTL_PASSWORD",
    "PANELCTL_OUTPUT",
    "PANELCTL_HOME",
    "PANELCTL_ALLOW_HTTP",
];

/// Names of values that are lists with commas although clap does not split them.
const LISTS: [&str; 10] =
    ["ID", "IDS", "IDS|none", "CODES", "COLUMN", "WORD", "KIND", "EVENT", "VALUES", "FROM..TO"];

/// Why a command line is refused before anything is done.
#[derive(Debug)]
pub(crate) enum Refused {
    /// Help and versions, which are no errors, and errors that clap prints best.
    ByClap(clap::Error),
    /// In this program's own words.
    Here(Failure),
}

impl Refused {
    /// Whether help or the version was asked for.
    pub(crate) fn is_help(&self) -> bool {
        matches!(self, Self::ByClap(error) if !error.use_stderr())
    }
}

/// Reads a command line and refuses empty values in it.
pub(crate) fn read(
    command: &mut Command,
    words: impl Iterator<Item = OsString>,
) -> Result<ArgMatches, Refused> {
    let matches = command
        .try_get_matches_from_mut(words)
        .map_err(|error| of_clap(&error).map_or(Refused::ByClap(error), Refused::Here))?;
    check(command, &matches).map(|()| matches).map_err(Refused::Here)
}

/// Refuses an empty environment variable.
pub(crate) fn environment() -> Done<()> {
    let empty = |name: &&str| std::env::var_os(name).is_some_and(|value| is_blank(&value));
    match VARIABLES.iter().find(|name| empty(name)) {
        Some(name) => Err(Failure::usage(format!("{name} is empty: give it a value or unset it."))),
        None => Ok(()),
    }
}

/// Refuses the first empty value on a command line, of the command meant and of all above it. `command` is built.
fn check(command: &Command, matches: &ArgMatches) -> Done<()> {
    for arg in command.get_arguments() {
        let id = arg.get_id().as_str();
        // Defaults are this program's own.
        if !arg.get_action().takes_values() || matches.value_source(id) != Some(ValueSource::CommandLine) {
            continue;
        }
        // Clap has split the lists that it knows.
        for value in matches.get_raw(id).into_iter().flatten() {
            if let Some(fault) = fault(&value_name(arg), value) {
                let clears = says_none(command, arg);
                return Err(refused(&called(arg), &value_name(arg), &fault, arg.is_required_set(), clears));
            }
        }
    }
    match matches.subcommand() {
        Some((name, below)) => command.find_subcommand(name).map_or(Ok(()), |command| check(command, below)),
        None => Ok(()),
    }
}

/// The same refusal where clap met the empty value first, because it reads it as a number or a word of a closed set.
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
    let called = if flag.is_empty() { name } else { flag };
    fault(name, OsStr::new(value)).map(|fault| refused(called, name, &fault, flag.is_empty(), false))
}

/// Whether a text has nothing in it but white space.
fn is_blank(value: &OsStr) -> bool {
    value.to_str().is_some_and(|text| text.trim().is_empty())
}

/// What is empty in a value: it, a side of `NAME=VALUE`, an element of a list, or both ends of a range.
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
            // A filter takes ranges and lists whose column alone knows whether a comma is one.
            (_, right) if is_hollow(right) => Some(format!("{text} selects nothing")),
            _ => None,
        };
    }
    if !LISTS.contains(&name) {
        return None;
    }
    if is_hollow(text) {
        return Some(format!("{text} has neither a value nor an end of a range"));
    }
    let has_gap = text.split(',').any(|part| part.trim().is_empty());
    has_gap.then(|| format!("{text} has an empty element between its commas"))
}

/// `NAME=VALUE`, `NAME:VALUE`, `SERVICE:NAME=VALUE`.
fn is_pair(name: &str, between: char) -> bool {
    name.split_once(between).is_some_and(|(left, _)| {
        left.chars().all(|letter| letter.is_ascii_uppercase() || matches!(letter, '.' | ':'))
    })
}

/// `,` and `..`: what remains of a list or a range whose variables were empty.
fn is_hollow(text: &str) -> bool {
    text.chars().all(|letter| matches!(letter, ',' | ' '))
        || text.split("..").all(|end| end.trim().is_empty())
}

/// The sentence: what is empty, and what to do.
fn refused(called: &str, name: &str, fault: &str, is_required: bool, clears: bool) -> Failure {
    let give = match name {
        "ID" => "an id",
        "IDS" | "IDS|none" => "ids",
        "TEXT" => "a text",
        "NAME" => "a name",
        "FILE" => "a file",
        "URL" => "an address",
        other => other,
    };
    let out = match (is_required, called.starts_with('-')) {
        (true, _) => "",
        (false, true) => " or leave the option out",
        (false, false) => " or leave it out",
    };
    let failure = Failure::usage(format!("{called} {fault}: give {give}{out}."));
    if clears { failure.hint("none in its place, which clears it") } else { failure }
}

/// Whether the help offers the word `none`.
fn says_none(command: &Command, arg: &Arg) -> bool {
    let offered = |text: Option<String>| text.is_some_and(|text| text.contains("none"));
    offered(arg.get_help().map(ToString::to_string))
        || (arg.get_long().is_some() && offered(command.get_about().map(ToString::to_string)))
}

fn called(arg: &Arg) -> String {
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

    fn says(name: &str, value: &str) -> Option<String> {
        fault(name, OsStr::new(value))
    }

    #[test]
    fn what_is_empty_is_found() {
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
            assert!(says(name, value).is_some(), "{name} {value:?}");
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
            assert_eq!(says(name, value), None, "{name} {value:?}");
        }
    }
}
