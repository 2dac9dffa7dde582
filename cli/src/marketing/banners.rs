//! Banners: at most one per place.

use clap::{Arg, ArgMatches, Command};
use panel_contract::banners::{BannerInput, BannerPlace, BannerType};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::banners::{CreateBanner, DeleteBanner, ListBanners, UpdateBanner};
use panel_contract::string_enum::EnumValues;
use panel_contract::upload::data_url;
use serde_json::{Map, Value};

use crate::command::call::{Call, Write, id, id_arg, id_value, of, opt};
use crate::command::confirm::{Danger, dry_run};
use crate::command::{Cmd, Noun};
use crate::failure::{CmdResult, Failure};
use crate::output::column::{Column, Kind};

pub(crate) const NOUN: Noun = Noun {
    name: "banners",
    alias: Some("banner"),
    about: "Manage banners, at most one per place",
    verbs: &[Cmd::Call(&LIST), Cmd::Call(&CREATE), Cmd::Call(&UPDATE), Cmd::Call(&DELETE)],
};

const LIST: Call = Call {
    name: "list",
    about: "List banners by place; a place without a banner shows none",
    examples: &[
        ("banners list", "list all banners"),
        ("banners list -o json --jq '.[].informations'", "print their slides"),
    ],
    op: ListBanners::OP,
    args: |command| command,
    request: |_, _| of::<ListBanners>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("place", Kind::Word),
        Column::new("type", Kind::Word),
        Column::new("scroll_delay", Kind::Number).titled("seconds"),
        Column::extra("is_enabled", Kind::Word),
        Column::extra("content", Kind::Text),
    ],
    write: None,
};

const CREATE: Call = Call {
    name: "create",
    about: "Create a banner for a place without one",
    examples: &[(
        "banners create --place sidebar --file sidebar.json",
        "read its slides from a file, with images as @picture.png",
    )],
    op: CreateBanner::OP,
    args: banner_args,
    request: |_, matches| of::<CreateBanner>((), &EmptyQuery {}, &banner(matches)?),
    columns: &[],
    write: Some(Write {
        question: |_| "Create this banner?".to_owned(),
        danger: Danger::Reversible("panelctl banners delete"),
        success: |_| "Banner created.".to_owned(),
        has_dry_run: false,
    }),
    ..LIST
};

const UPDATE: Call = Call {
    name: "update",
    about: "Update a banner; fields without an option keep their values",
    examples: &[("banners update 3 --type none", "disable a banner and keep its slides")],
    op: UpdateBanner::OP,
    args: |command| banner_args(command.arg(id_arg())),
    request: |_, matches| of::<UpdateBanner>(id(matches)?, &EmptyQuery {}, &banner(matches)?),
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Update banner {}?", id_value(matches)),
        danger: Danger::Reversible("run the command again with the old values"),
        success: |matches| format!("Banner {} updated.", id_value(matches)),
        has_dry_run: false,
    }),
    ..LIST
};

const DELETE: Call = Call {
    name: "delete",
    about: "Delete a banner and its slides",
    examples: &[("banners delete 3", "delete permanently; use --type none to only disable it")],
    op: DeleteBanner::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<DeleteBanner>(id(matches)?, &dry_run(matches), &EmptyBody {}),
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Delete banner {}?", id_value(matches)),
        danger: Danger::Final,
        success: |matches| format!("Banner {} deleted.", id_value(matches)),
        has_dry_run: true,
    }),
    ..LIST
};

fn banner_args(command: Command) -> Command {
    let word = |name: &'static str, words: EnumValues, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("WORD")
            .value_parser(clap::builder::PossibleValuesParser::new(words.texts))
            .hide_possible_values(true)
            .help(help)
    };
    command.args([
        word("place", BannerPlace::VALUES, "Place of the banner"),
        word("type", BannerType::VALUES, "slider, content, or none to disable it"),
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

fn banner(matches: &ArgMatches) -> CmdResult<BannerInput> {
    let mut body: Map<String, Value> = match matches.get_one::<String>("file") {
        Some(file) => read_json(file)?,
        None => Map::new(),
    };
    for slide in body.get_mut("informations").and_then(Value::as_array_mut).into_iter().flatten() {
        for name in ["image", "background_image"] {
            let file = slide.get(name).and_then(Value::as_str).and_then(|text| text.strip_prefix('@'));
            if let Some(file) = file.map(str::to_owned) {
                let bytes =
                    std::fs::read(&file).map_err(|error| Failure::usage(format!("{file}: {error}.")))?;
                slide[name] = data_url(&bytes).into();
            }
        }
    }
    for name in ["place", "type"] {
        if let Some(word) = opt::<String>(matches, name) {
            body.insert(name.to_owned(), word.into());
        }
    }
    if let Some(seconds) = opt::<i64>(matches, "scroll-delay") {
        body.insert("scroll_delay".to_owned(), seconds.into());
    }
    if body.is_empty() {
        return Err(Failure::usage("Nothing to change: set an option (see --help)."));
    }
    serde_json::from_value(body.into()).map_err(|error| Failure::usage(format!("{error}.")))
}

fn read_json(file: &str) -> CmdResult<Map<String, Value>> {
    let invalid = |why: String| Failure::usage(format!("{file}: {why}."));
    let text = std::fs::read_to_string(file).map_err(|error| invalid(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| invalid(error.to_string()))
}
