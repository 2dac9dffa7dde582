//! Banners: one for a place at most.

use clap::{Arg, ArgMatches, Command};
use panel_contract::banners::{BannerInput, BannerPlace, BannerType};
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::banners::{CreateBanner, DeleteBanner, ListBanners, UpdateBanner};
use panel_contract::upload::data_url;
use panel_contract::words::Words;
use serde_json::{Map, Value};

use crate::command::call::{Call, Write, given_id, id, id_arg, of, opt};
use crate::command::confirm::{Danger, dry_run};
use crate::command::{Cmd, Noun};
use crate::failure::{Done, Failure};
use crate::output::column::{Column, Kind};

/// `banners`.
pub(crate) const NOUN: Noun = Noun {
    name: "banners",
    alias: Some("banner"),
    about: "Banners of the panel, one for a place at most",
    verbs: &[Cmd::Call(&LIST), Cmd::Call(&CREATE), Cmd::Call(&UPDATE), Cmd::Call(&DELETE)],
};

const LIST: Call = Call {
    name: "list",
    about: "Banners by place; a place that is missing is switched off",
    examples: &[
        ("banners list", "all of them"),
        ("banners list -o json --jq '.[].informations'", "their slides"),
    ],
    op: ListBanners::OP,
    args: |command| command,
    request: |_, _| of::<ListBanners>((), &NoQuery {}, &NoBody {}),
    at: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("place", Kind::Word),
        Column::new("type", Kind::Word),
        Column::new("scroll_delay", Kind::Number).titled("seconds"),
        Column::more("is_enabled", Kind::Word),
        Column::more("content", Kind::Text),
    ],
    write: None,
};

const CREATE: Call = Call {
    name: "create",
    about: "Makes a banner for a place that has none",
    examples: &[(
        "banners create --place sidebar --file sidebar.json",
        "its slides from a file, images as @picture.png",
    )],
    op: CreateBanner::OP,
    args: banner_args,
    request: |_, matches| of::<CreateBanner>((), &NoQuery {}, &banner(matches)?),
    columns: &[],
    write: Some(Write {
        question: |_| "Make this banner?".to_owned(),
        danger: Danger::Reversible("banners delete"),
        said: |_| "The banner is made.".to_owned(),
        rehearses: false,
    }),
    ..LIST
};

const UPDATE: Call = Call {
    name: "update",
    about: "Changes a banner; only what is named",
    examples: &[("banners update 3 --type none", "switched off, with its slides kept")],
    op: UpdateBanner::OP,
    args: |command| banner_args(command.arg(id_arg())),
    request: |_, matches| of::<UpdateBanner>(id(matches)?, &NoQuery {}, &banner(matches)?),
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Change banner {}?", given_id(matches)),
        danger: Danger::Reversible("The same command with the old values"),
        said: |matches| format!("Banner {} is changed.", given_id(matches)),
        rehearses: false,
    }),
    ..LIST
};

const DELETE: Call = Call {
    name: "delete",
    about: "Deletes a banner with its slides",
    examples: &[("banners delete 3", "for good; --type none only switches it off")],
    op: DeleteBanner::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<DeleteBanner>(id(matches)?, &dry_run(matches), &NoBody {}),
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Delete banner {}?", given_id(matches)),
        danger: Danger::Final,
        said: |matches| format!("Banner {} is deleted.", given_id(matches)),
        rehearses: true,
    }),
    ..LIST
};

fn banner_args(command: Command) -> Command {
    let word = |name: &'static str, words: Words, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("WORD")
            .value_parser(clap::builder::PossibleValuesParser::new(words.texts))
            .hide_possible_values(true)
            .help(help)
    };
    command.args([
        word("place", BannerPlace::WORDS, "Where it stands"),
        word("type", BannerType::WORDS, "slider, content, or none to switch it off"),
        Arg::new("scroll-delay")
            .long("scroll-delay")
            .value_name("SECONDS")
            .value_parser(clap::value_parser!(i64).range(1..=15))
            .help("How long a slide is shown, 1 to 15"),
        Arg::new("file")
            .long("file")
            .value_name("FILE")
            .help("JSON with any field of the API, images as @FILE; flags come on top"),
    ])
}

fn banner(matches: &ArgMatches) -> Done<BannerInput> {
    let mut body: Map<String, Value> = match matches.get_one::<String>("file") {
        Some(file) => read(file)?,
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
        return Err(Failure::usage("Say what to write; --help lists it."));
    }
    serde_json::from_value(body.into()).map_err(|error| Failure::usage(format!("{error}.")))
}

fn read(file: &str) -> Done<Map<String, Value>> {
    let told = |why: String| Failure::usage(format!("{file}: {why}."));
    let text = std::fs::read_to_string(file).map_err(|error| told(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| told(error.to_string()))
}
