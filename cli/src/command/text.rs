//! Options that set fields of a record: `--title TEXT`, where `none` clears the field, and `--translations FILE` with all texts.

use clap::{Arg, ArgMatches};
use panel_contract::common::{Patch, Translations};
use panel_contract::ids::Id;
use panel_contract::upload::ImageInput;

use crate::failure::{CommandResult, Failure};

/// The option `--NAME TEXT`.
pub(crate) fn text_arg(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name("TEXT").help(help)
}

/// Reads a [`text_arg`] as the change of a field: unchanged without the option, cleared by `none`.
pub(crate) fn read_text_or_none(matches: &ArgMatches, name: &str) -> Patch<String> {
    match matches.get_one::<String>(name).map(String::as_str) {
        None => Patch::Keep,
        Some("none") => Patch::Clear,
        Some(text) => Patch::Set(text.to_owned()),
    }
}

/// Replaces `none` by an empty string, which clears a translation.
pub(crate) fn empty_if_word_none(text: &str) -> &str {
    if text == "none" { "" } else { text }
}

/// The option `--translations FILE`.
pub(crate) fn translations_arg() -> Arg {
    Arg::new("translations")
        .long("translations")
        .value_name("FILE")
        .help("JSON file with all texts, such as {\"en\":{\"name\":\"Likes\"}}")
}

/// Reads the file of `--translations`; `None` without the option.
pub(crate) fn read_translations(matches: &ArgMatches) -> CommandResult<Option<Translations>> {
    let Some(file) = matches.get_one::<String>("translations") else { return Ok(None) };
    let file_failure = |error: String| Failure::usage(format!("--translations {file}: {error}."));
    let text = std::fs::read_to_string(file).map_err(|error| file_failure(error.to_string()))?;
    serde_json::from_str(&text).map(Some).map_err(|error| file_failure(error.to_string()))
}

/// Parses an option with comma-separated ids; `none` is the empty list. `None` without the option.
pub(crate) fn parse_ids<I: Id>(matches: &ArgMatches, name: &str) -> CommandResult<Option<Vec<I>>> {
    match matches.get_one::<String>(name).map(String::as_str) {
        None => Ok(None),
        Some("none") => Ok(Some(Vec::new())),
        Some(text) => {
            let ids: Result<Vec<I>, _> = text.split(',').map(|id| id.trim().parse().map(I::new)).collect();
            ids.map(Some).map_err(|_| Failure::usage(format!("--{name}: {text} is not a list of ids.")))
        }
    }
}

/// Reads the image of `--NAME FILE`; `none` removes the image.
pub(crate) fn read_image(matches: &ArgMatches, name: &str) -> CommandResult<ImageInput> {
    match matches.get_one::<String>(name).map(String::as_str) {
        None => Ok(ImageInput::Unchanged),
        Some("none") => Ok(ImageInput::None),
        Some(file) => std::fs::read(file)
            .map(ImageInput::New)
            .map_err(|error| Failure::usage(format!("--{name} {file}: {error}."))),
    }
}
