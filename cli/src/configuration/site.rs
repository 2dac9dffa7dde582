//! `site`: the data that the customers' site reads, for debugging the site.

use clap::Arg;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::site::{GetSiteContent, GetSiteSettings, ListSiteServices};
use panel_contract::site::SiteServicesQuery;

use crate::command::call::{Call, of, opt};
use crate::command::{Cmd, Noun};
use crate::output::column::{Column, Kind};

pub(crate) const NOUN: Noun = Noun {
    name: "site",
    alias: None,
    about: "Show the data that the customers' site reads",
    verbs: &[Cmd::Call(&SETTINGS), Cmd::Call(&CONTENT), Cmd::Call(&SERVICES)],
};

const SETTINGS: Call = Call {
    name: "settings",
    about: "Show the site's settings, including secrets",
    examples: &[("site settings -o json", "show them as the site's server reads them")],
    op: GetSiteSettings::OP,
    args: |command| command,
    request: |_, _| of::<GetSiteSettings>((), &EmptyQuery {}, &EmptyBody {}),
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
    request: |_, _| of::<GetSiteContent>((), &EmptyQuery {}, &EmptyBody {}),
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
        of::<ListSiteServices>((), &SiteServicesQuery { after: opt(matches, "after") }, &EmptyBody {})
    },
    pointer: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("service_type.name", Kind::Text).titled("type"),
        Column::new("calculable_quantity", Kind::Word).titled("calculable"),
        Column::new("budget_multiplier", Kind::Number),
        Column::extra("live_stream_support_minutes", Kind::Number),
        Column::extra("live_stream_retention_quantity_multiplier", Kind::Number),
        Column::extra("full_description_location", Kind::Word),
        Column::extra("buy_page_url", Kind::Text),
        Column::extra("can_speedup", Kind::Word),
        Column::extra("updated_at", Kind::Time),
    ],
    write: None,
};
