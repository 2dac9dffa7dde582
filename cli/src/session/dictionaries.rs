//! `dictionaries`: values that other commands use, and the panel's public settings.

use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::session::{GetApplication, GetPublicSettings, ListCountries, ListLocales};

use crate::command::call::{Call, request_for};
use crate::command::{Cmd, CommandGroup};
use crate::output::column::{Column, Kind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "dictionaries",
    alias: Some("dictionary"),
    about: "List countries, languages, statuses and public settings",
    commands: &[Cmd::Call(&COUNTRIES), Cmd::Call(&LOCALES), Cmd::Call(&STATUSES), Cmd::Call(&SETTINGS)],
};

const COUNTRIES: Call = Call {
    name: "countries",
    about: "List countries with their ISO codes",
    examples: &[],
    op: ListCountries::OP,
    args: |command| command,
    request: |_, _| request_for::<ListCountries>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
    columns: &[Column::new("iso_code_2", Kind::Enum), Column::new("name", Kind::Text)],
    write: None,
};

const LOCALES: Call = Call {
    name: "locales",
    about: "List languages of the interface",
    op: ListLocales::OP,
    request: |_, _| request_for::<ListLocales>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[Column::new("code", Kind::Enum), Column::new("name", Kind::Text)],
    ..COUNTRIES
};

const STATUSES: Call = Call {
    name: "statuses",
    about: "List user statuses with their labels",
    op: GetApplication::OP,
    request: |_, _| request_for::<GetApplication>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data/user_statuses",
    columns: &[Column::new("type", Kind::Enum), Column::new("label", Kind::Text)],
    ..COUNTRIES
};

const SETTINGS: Call = Call {
    name: "settings",
    about: "Show the panel's public settings; works without signing in",
    op: GetPublicSettings::OP,
    request: |_, _| request_for::<GetPublicSettings>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[],
    ..COUNTRIES
};
