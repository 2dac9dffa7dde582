//! `dictionaries`: values that other commands use, and the server's public settings.

use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::session::{GetApplication, GetPublicSettings, ListCountries, ListLocales};

use crate::command::request_command::{BASE_COMMAND, RequestCommand, build_request};
use crate::command::{CommandGroup, CommandSpec};
use crate::output::column::{Column, DisplayKind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "dictionaries",
    alias: Some("dictionary"),
    about: "List countries, languages, statuses and public settings",
    commands: &[
        CommandSpec::Request(&COUNTRIES),
        CommandSpec::Request(&LOCALES),
        CommandSpec::Request(&STATUSES),
        CommandSpec::Request(&SETTINGS),
    ],
};

const COUNTRIES: RequestCommand = RequestCommand {
    name: "countries",
    about: "List countries with their ISO codes",
    examples: &[],
    op: ListCountries::OP,
    args: |command| command,
    request: |_, _| build_request::<ListCountries>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "/data",
    columns: &[Column::new("iso_code_2", DisplayKind::Enum), Column::new("name", DisplayKind::Text)],
    write: None,
};

const LOCALES: RequestCommand = RequestCommand {
    name: "locales",
    about: "List languages of the interface",
    op: ListLocales::OP,
    request: |_, _| build_request::<ListLocales>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[Column::new("code", DisplayKind::Enum), Column::new("name", DisplayKind::Text)],
    ..BASE_COMMAND
};

const STATUSES: RequestCommand = RequestCommand {
    name: "statuses",
    about: "List user statuses with their labels",
    op: GetApplication::OP,
    request: |_, _| build_request::<GetApplication>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "/data/user_statuses",
    columns: &[Column::new("type", DisplayKind::Enum), Column::new("label", DisplayKind::Text)],
    ..BASE_COMMAND
};

const SETTINGS: RequestCommand = RequestCommand {
    name: "settings",
    about: "Show the server's public settings; works without signing in",
    op: GetPublicSettings::OP,
    request: |_, _| build_request::<GetPublicSettings>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[],
    ..BASE_COMMAND
};
