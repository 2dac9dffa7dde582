//! Record fields as options: `--title TEXT`, where `none` clears, and `--translations` with a file of all texts.

use clap::{Arg, ArgMatches};
use panel_contract::common::{Patch, Translations};
use panel_contract::ids::Id;
use panel_contract::upload::Picture;

use crate::failure::{CmdResult, Failure};

/// `--NAME TEXT`.
pub(crate) fn text_arg(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name("TEXT").help(help)
}

/// The value of a [`text_arg`]: unchanged if absent, cleared by `none`.
pub(crate) fn patch(matches: &ArgMatches, name: &str) -> Patch<String> {
    match matches.get_one::<String>(name).map(String::as_str) {
        None => Patch::Keep,
        Some("none") => Patch::Clear,
        Some(text) => Patch::Set(text.to_owned()),
    }
}

/// The text of a translation: empty for `none`, which clears it.
pub(crate) fn unless_none(text: &str) -> &str {
    if text == "none" { "" } else { text }
}

/// `--translations FILE`.
pub(crate) fn translations_arg() -> Arg {
    Arg::new("translations")
        .long("translations")
        .value_name("FILE")
        .help("JSON file with all texts, such as {\"en\":{\"name\":\"Likes\"}}")
}

/// The texts of the file, if the option is set.
pub(crate) fn translations_of(matches: &ArgMatches) -> CmdResult<Option<Translations>> {
    let Some(file) = matches.get_one::<String>("translations") else { return Ok(None) };
    let invalid = |why: String| Failure::usage(format!("--translations {file}: {why}."));
    let text = std::fs::read_to_string(file).map_err(|error| invalid(error.to_string()))?;
    serde_json::from_str(&text).map(Some).map_err(|error| invalid(error.to_string()))
}

/// A comma-separated list of ids; `none` is the empty list.
pub(crate) fn ids_of<I: Id>(matches: &ArgMatches, name: &str) -> CmdResult<Option<Vec<I>>> {
    match matches.get_one::<String>(name).map(String::as_str) {
        None => Ok(None),
        Some("none") => Ok(Some(Vec::new())),
        Some(text) => {
            let ids: Result<Vec<I>, _> = text.split(',').map(|id| id.trim().parse().map(I::new)).collect();
            ids.map(Some).map_err(|_| Failure::usage(format!("--{name}: {text} is not a list of ids.")))
        }
    }
}

/// The image of `--NAME FILE`; `none` removes it.
pub(crate) fn picture_of(matches: &ArgMatches, name: &str) -> CmdResult<Picture> {
    match matches.get_one::<String>(name).map(String::as_str) {
        None => Ok(Picture::Unchanged),
        Some("none") => Ok(Picture::None),
        Some(file) => std::fs::read(file)
            .map(Picture::New)
            .map_err(|error| Failure::usage(format!("--{name} {file}: {error}."))),
    }
}
