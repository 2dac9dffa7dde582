//! What the customers' site reads of the panel, to see it as the site does.

use clap::Arg;
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::site::{GetSiteContent, GetSiteSettings, ListSiteServices};
use panel_contract::site::SiteServicesQuery;

use crate::command::call::{Call, of, opt};
use crate::command::{Cmd, Noun};
use crate::output::column::{Column, Kind};

/// `site`.
pub(crate) const NOUN: Noun = Noun {
    name: "site",
    alias: None,
    about: "What the customers' site reads with its own account",
    verbs: &[Cmd::Call(&SETTINGS), Cmd::Call(&CONTENT), Cmd::Call(&SERVICES)],
};

const SETTINGS: Call = Call {
    name: "settings",
    about: "The settings that the site obeys; secrets are shown",
    examples: &[("site settings -o json", "as the site's server reads them")],
    op: GetSiteSettings::OP,
    args: |command| command,
    request: |_, _| of::<GetSiteSettings>((), &NoQuery {}, &NoBody {}),
    at: "/data",
    columns: &[],
    write: None,
};

const CONTENT: Call = Call {
    name: "content",
    about: "What staff put on the site: menu, pages, banners, special offers and the auto-promotion",
    examples: &[("site content -o json", "as the site's server reads it")],
    op: GetSiteContent::OP,
    args: |command| command,
    request: |_, _| of::<GetSiteContent>((), &NoQuery {}, &NoBody {}),
    at: "/data",
    columns: &[],
    write: None,
};

const SERVICES: Call = Call {
    name: "services",
    about: "Services on sale as the site's order form needs them, 500 at a time",
    examples: &[("site services --after 500", "the next ones")],
    op: ListSiteServices::OP,
    args: |command| {
        command.arg(
            Arg::new("after")
                .long("after")
                .value_name("ID")
                .value_parser(clap::value_parser!(i64))
                .help("Services with a higher id"),
        )
    },
    request: |_, matches| {
        of::<ListSiteServices>((), &SiteServicesQuery { after: opt(matches, "after") }, &NoBody {})
    },
    at: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("service_type.name", Kind::Text).titled("type"),
        Column::new("calculable_quantity", Kind::Word).titled("calculable"),
        Column::new("budget_multiplier", Kind::Number),
        Column::more("live_stream_support_minutes", Kind::Number),
        Column::more("live_stream_retention_quantity_multiplier", Kind::Number),
        Column::more("full_description_location", Kind::Word),
        Column::more("buy_page_url", Kind::Text),
        Column::more("can_speedup", Kind::Word),
        Column::more("updated_at", Kind::Time),
    ],
    write: None,
};
