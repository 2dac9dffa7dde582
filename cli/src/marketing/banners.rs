//! `banners`: manages banners. Each placement on the site has at most one banner.

use clap::{Arg, ArgMatches, Command};
use panel_contract::banners::{BannerInput, BannerPlace, BannerType};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::banners::{CreateBanner, DeleteBanner, ListBanners, UpdateBanner};
use panel_contract::string_enum::EnumValues;
use panel_contract::upload::to_data_url;
use serde_json::{Map, Value};

use crate::command::confirm::{Reversibility, dry_run_query};
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, id_arg, id_for_message, optional_value,
    required_id,
};
use crate::command::{CommandGroup, CommandSpec};
use crate::failure::{CommandResult, Failure};
use crate::output::column::{Column, DisplayKind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "banners",
    alias: Some("banner"),
    about: "Manage banners, at most one per placement",
    commands: &[
        CommandSpec::Request(&LIST),
        CommandSpec::Request(&CREATE),
        CommandSpec::Request(&UPDATE),
        CommandSpec::Request(&DELETE),
    ],
};

const LIST: RequestCommand = RequestCommand {
    name: "list",
    about: "List banners by placement",
    examples: &[
        ("banners list", "list all banners"),
        ("banners list -o json --jq '.[].informations'", "print the slides of all banners"),
    ],
    op: ListBanners::OP,
    args: |command| command,
    request: |_, _| build_request::<ListBanners>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "/data",
    columns: &[
        Column::new("id", DisplayKind::Id),
        Column::new("place", DisplayKind::Enum),
        Column::new("type", DisplayKind::Enum),
        Column::new("scroll_delay", DisplayKind::Number).with_title("seconds"),
        Column::hidden("is_enabled", DisplayKind::Enum),
        Column::hidden("content", DisplayKind::Text),
    ],
    write: None,
};

const CREATE: RequestCommand = RequestCommand {
    name: "create",
    about: "Create a banner for a placement without a banner",
    examples: &[(
        "banners create --place sidebar --file sidebar.json",
        "read the slides from a file, with images as @image.png",
    )],
    op: CreateBanner::OP,
    args: banner_args,
    request: |_, matches| build_request::<CreateBanner>((), &EmptyQuery {}, &read_input(matches)?),
    columns: &[],
    write: Some(WriteSpec {
        question: |_| "Create this banner?".to_owned(),
        reversibility: Reversibility::Reversible("panelctl banners delete"),
        success: |_| "Banner created.".to_owned(),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const UPDATE: RequestCommand = RequestCommand {
    name: "update",
    about: "Update a banner; fields without an option keep their values",
    examples: &[("banners update 3 --type none", "disable a banner and keep its slides")],
    op: UpdateBanner::OP,
    args: |command| banner_args(command.arg(id_arg())),
    request: |_, matches| {
        build_request::<UpdateBanner>(required_id(matches)?, &EmptyQuery {}, &read_input(matches)?)
    },
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Update banner {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |matches| format!("Banner {} updated.", id_for_message(matches)),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const DELETE: RequestCommand = RequestCommand {
    name: "delete",
    about: "Delete a banner and its slides",
    examples: &[("banners delete 3", "delete permanently; use update --type none to only disable a banner")],
    op: DeleteBanner::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<DeleteBanner>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Delete banner {}?", id_for_message(matches)),
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("Banner {} deleted.", id_for_message(matches)),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

fn banner_args(command: Command) -> Command {
    let enum_arg = |name: &'static str, values: EnumValues, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("VALUE")
            .value_parser(clap::builder::PossibleValuesParser::new(values.texts))
            .hide_possible_values(true)
            .help(help)
    };
    command.args([
        enum_arg("place", BannerPlace::VALUES, "Placement of the banner; banners list shows all placements"),
        enum_arg("type", BannerType::VALUES, "slider, content, or none to disable the banner"),
        Arg::new("scroll-delay")
            .long("scroll-delay")
            .value_name("SECONDS")
            .value_parser(clap::value_parser!(i64).range(1..=15))
            .help("Seconds per slide, 1 to 15"),
        Arg::new("file")
            .long("file")
            .value_name("FILE")
            .help("JSON file with any field of the API, with images as @FILE; flags override it"),
    ])
}

fn read_input(matches: &ArgMatches) -> CommandResult<BannerInput> {
    let mut body: Map<String, Value> = match matches.get_one::<String>("file") {
        Some(file) => read_json_object(file)?,
        None => Map::new(),
    };
    for slide in body.get_mut("informations").and_then(Value::as_array_mut).into_iter().flatten() {
        for name in ["image", "background_image"] {
            let file = slide.get(name).and_then(Value::as_str).and_then(|text| text.strip_prefix('@'));
            if let Some(file) = file.map(str::to_owned) {
                let bytes =
                    std::fs::read(&file).map_err(|error| Failure::usage(format!("{file}: {error}.")))?;
                slide[name] = to_data_url(&bytes).into();
            }
        }
    }
    for name in ["place", "type"] {
        if let Some(value) = optional_value::<String>(matches, name) {
            body.insert(name.to_owned(), value.into());
        }
    }
    if let Some(seconds) = optional_value::<i64>(matches, "scroll-delay") {
        body.insert("scroll_delay".to_owned(), seconds.into());
    }
    if body.is_empty() {
        return Err(Failure::usage("Nothing to change: set an option (see --help)."));
    }
    serde_json::from_value(body.into()).map_err(|error| Failure::usage(format!("{error}.")))
}

fn read_json_object(file: &str) -> CommandResult<Map<String, Value>> {
    let usage_error = |error: String| Failure::usage(format!("{file}: {error}."));
    let text = std::fs::read_to_string(file).map_err(|error| usage_error(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| usage_error(error.to_string()))
}
