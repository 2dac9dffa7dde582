//! `dictionaries`: what the panel's words are, and what it tells everybody.

use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::session::{GetApplication, GetPublicSettings, ListCountries, ListLocales};

use crate::command::call::{Call, of};
use crate::command::{Cmd, Noun};
use crate::output::column::{Column, Kind};

/// `dictionaries`.
pub(crate) const NOUN: Noun = Noun {
    name: "dictionaries",
    alias: Some("dictionary"),
    about: "Countries, languages, statuses and public settings",
    verbs: &[Cmd::Call(&COUNTRIES), Cmd::Call(&LOCALES), Cmd::Call(&STATUSES), Cmd::Call(&SETTINGS)],
};

const COUNTRIES: Call = Call {
    name: "countries",
    about: "Countries by ISO code",
    examples: &[],
    op: ListCountries::OP,
    args: |command| command,
    request: |_, _| of::<ListCountries>((), &NoQuery {}, &NoBody {}),
    at: "/data",
    columns: &[Column::new("iso_code_2", Kind::Word), Column::new("name", Kind::Text)],
    write: None,
};

const LOCALES: Call = Call {
    name: "locales",
    about: "Languages of the interface",
    op: ListLocales::OP,
    request: |_, _| of::<ListLocales>((), &NoQuery {}, &NoBody {}),
    columns: &[Column::new("code", Kind::Word), Column::new("name", Kind::Text)],
    ..COUNTRIES
};

const STATUSES: Call = Call {
    name: "statuses",
    about: "What a user's status can be, with labels",
    op: GetApplication::OP,
    request: |_, _| of::<GetApplication>((), &NoQuery {}, &NoBody {}),
    at: "/data/user_statuses",
    columns: &[Column::new("type", Kind::Word), Column::new("label", Kind::Text)],
    ..COUNTRIES
};

const SETTINGS: Call = Call {
    name: "settings",
    about: "What the panel tells everybody of itself; works without signing in",
    op: GetPublicSettings::OP,
    request: |_, _| of::<GetPublicSettings>((), &NoQuery {}, &NoBody {}),
    columns: &[],
    ..COUNTRIES
};
