//! `site`: the data that the customers' site reads, for debugging the site.

use clap::Arg;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::site::{GetSiteContent, GetSiteSettings, ListSiteServices};
use panel_contract::site::SiteServicesQuery;

use crate::command::call::{Call, optional_value, request_for};
use crate::command::{Cmd, CommandGroup};
use crate::output::column::{Column, Kind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "site",
    alias: None,
    about: "Show the data that the customers' site reads",
    commands: &[Cmd::Call(&SETTINGS), Cmd::Call(&CONTENT), Cmd::Call(&SERVICES)],
};

const SETTINGS: Call = Call {
    name: "settings",
    about: "Show the site's settings, including secrets",
    examples: &[("site settings -o json", "show them as the site's server reads them")],
    op: GetSiteSettings::OP,
    args: |command| command,
    request: |_, _| request_for::<GetSiteSettings>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
    columns: &[],
    write: None,
};

const CONTENT: Call = Call {
    name: "content",
    about: "Show the site's content: menu, pages, banners, special offers and the auto-promotion",
    examples: &[("site content -o json", "show it as the site's server reads it")],
    op: GetSiteContent::OP,
    args: |command| command,
    request: |_, _| request_for::<GetSiteContent>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
    columns: &[],
    write: None,
};

const SERVICES: Call = Call {
    name: "services",
    about: "List enabled services for the site's order form, 500 at a time",
    examples: &[("site services --after 500", "list the services after id 500")],
    op: ListSiteServices::OP,
    args: |command| {
        command.arg(
            Arg::new("after")
                .long("after")
                .value_name("ID")
                .value_parser(clap::value_parser!(i64))
                .help("List services with a higher id"),
        )
    },
    request: |_, matches| {
        request_for::<ListSiteServices>(
            (),
            &SiteServicesQuery { after: optional_value(matches, "after") },
            &EmptyBody {},
        )
    },
    pointer: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("service_type.name", Kind::Text).with_title("type"),
        Column::new("calculable_quantity", Kind::Enum).with_title("calculable"),
        Column::new("budget_multiplier", Kind::Number),
        Column::hidden("live_stream_support_minutes", Kind::Number),
        Column::hidden("live_stream_retention_quantity_multiplier", Kind::Number),
        Column::hidden("full_description_location", Kind::Enum),
        Column::hidden("buy_page_url", Kind::Text),
        Column::hidden("can_speedup", Kind::Enum),
        Column::hidden("updated_at", Kind::Time),
    ],
    write: None,
};
