//! `site`: the data that the customer site reads, for debugging the site.

use clap::Arg;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::site::{GetSiteContent, GetSiteSettings, ListSiteServices};
use panel_contract::site::SiteServicesQuery;

use crate::command::request_command::{RequestCommand, build_request, optional_value};
use crate::command::{CommandGroup, CommandSpec};
use crate::output::column::{Column, DisplayKind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "site",
    alias: None,
    about: "Show the data that the customer site reads",
    commands: &[
        CommandSpec::Request(&SETTINGS),
        CommandSpec::Request(&CONTENT),
        CommandSpec::Request(&SERVICES),
    ],
};

const SETTINGS: RequestCommand = RequestCommand {
    name: "settings",
    about: "Show the site's settings, including secrets",
    examples: &[("site settings -o json", "show them as the site's server reads them")],
    op: GetSiteSettings::OP,
    args: |command| command,
    request: |_, _| build_request::<GetSiteSettings>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "/data",
    columns: &[],
    write: None,
};

const CONTENT: RequestCommand = RequestCommand {
    name: "content",
    about: "Show the site's content: menu, pages, banners, special offers and the auto-promotion",
    examples: &[("site content -o json", "show it as the site's server reads it")],
    op: GetSiteContent::OP,
    args: |command| command,
    request: |_, _| build_request::<GetSiteContent>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "/data",
    columns: &[],
    write: None,
};

const SERVICES: RequestCommand = RequestCommand {
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
        build_request::<ListSiteServices>(
            (),
            &SiteServicesQuery { after: optional_value(matches, "after") },
            &EmptyBody {},
        )
    },
    json_pointer: "/data",
    columns: &[
        Column::new("id", DisplayKind::Id),
        Column::new("name", DisplayKind::Text),
        Column::new("service_type.name", DisplayKind::Text).with_title("type"),
        Column::new("calculable_quantity", DisplayKind::Enum).with_title("calculable"),
        Column::new("budget_multiplier", DisplayKind::Number),
        Column::hidden("live_stream_support_minutes", DisplayKind::Number),
        Column::hidden("live_stream_retention_quantity_multiplier", DisplayKind::Number),
        Column::hidden("full_description_location", DisplayKind::Enum),
        Column::hidden("buy_page_url", DisplayKind::Text),
        Column::hidden("can_speedup", DisplayKind::Enum),
        Column::hidden("updated_at", DisplayKind::Time),
    ],
    write: None,
};
