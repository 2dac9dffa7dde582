//! Image options of a record, such as `--icon FILE`. panelctl only reads the file; the panel validates and re-encodes it.

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_contract::upload::Picture;

use crate::command::call::opt;
use crate::failure::{CmdResult, Failure};

/// Larger files are not sent.
const MAX_BYTES: u64 = 16 << 20;

/// `--NAME FILE`, and an option that removes the image.
pub(crate) fn args(command: Command, name: &'static str, without: &'static str) -> Command {
    command.args([
        Arg::new(name)
            .long(name)
            .value_name("FILE")
            .value_parser(clap::value_parser!(std::path::PathBuf))
            .help("Image file: PNG, JPEG, WebP or GIF"),
        Arg::new(without)
            .long(without)
            .action(ArgAction::SetTrue)
            .conflicts_with(name)
            .help("Remove the image"),
    ])
}

/// The image of the options added by `args`.
pub(crate) fn read(matches: &ArgMatches, name: &str, without: &str) -> CmdResult<Picture> {
    if matches.get_flag(without) {
        return Ok(Picture::None);
    }
    let Some(path) = opt::<std::path::PathBuf>(matches, name) else { return Ok(Picture::Unchanged) };
    let wrong = |what: String| Failure::usage(format!("--{name} {}: {what}.", path.display()));
    let size = std::fs::metadata(&path).map_err(|error| wrong(error.to_string()))?.len();
    if size == 0 || size > MAX_BYTES {
        return Err(wrong(format!("the file must have 1 to {MAX_BYTES} bytes")));
    }
    std::fs::read(&path).map(Picture::New).map_err(|error| wrong(error.to_string()))
}
