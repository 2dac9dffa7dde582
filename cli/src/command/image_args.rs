//! Image options of a record, such as `--icon FILE`. panelctl only reads the file; the server validates and re-encodes it.

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_contract::upload::ImageInput;

use crate::command::request_command::optional_value;
use crate::failure::{CommandResult, Failure};

/// Maximum size of an image file.
const MAX_BYTES: u64 = 16 << 20;

/// Adds `--NAME FILE`, and the option `remove_option` that removes the image.
pub(crate) fn add(command: Command, name: &'static str, remove_option: &'static str) -> Command {
    command.args([
        Arg::new(name)
            .long(name)
            .value_name("FILE")
            .value_parser(clap::value_parser!(std::path::PathBuf))
            .help("Image file: PNG, JPEG, WebP or GIF"),
        Arg::new(remove_option)
            .long(remove_option)
            .action(ArgAction::SetTrue)
            .conflicts_with(name)
            .help("Remove the image"),
    ])
}

/// Reads the image of the options that [`add`] added.
pub(crate) fn read(matches: &ArgMatches, name: &str, remove_option: &str) -> CommandResult<ImageInput> {
    if matches.get_flag(remove_option) {
        return Ok(ImageInput::None);
    }
    let Some(path) = optional_value::<std::path::PathBuf>(matches, name) else {
        return Ok(ImageInput::Unchanged);
    };
    let file_failure = |error: String| Failure::usage(format!("--{name} {}: {error}.", path.display()));
    let size = std::fs::metadata(&path).map_err(|error| file_failure(error.to_string()))?.len();
    if size == 0 || size > MAX_BYTES {
        return Err(file_failure(format!("the file must have 1 to {MAX_BYTES} bytes")));
    }
    std::fs::read(&path).map(ImageInput::New).map_err(|error| file_failure(error.to_string()))
}
