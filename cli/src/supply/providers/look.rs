//! Providers as they are looked at: the list, one, the report.

use clap::Arg;
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::providers::{GetProvider, ProvidersCollections, ProvidersReport};
use panel_contract::lists;
use panel_contract::providers::{ReportBy, ReportQuery};

use crate::command::call::{Call, of, opt, word};
use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::output::column::{Column, Kind};

pub(super) const LIST: List = List {
    of: &lists::providers::PROVIDERS,
    noun: "providers",
    one: "provider",
    about: "Providers, by name",
    filters: &[
        Filter::new("name", "name", "Part of the name"),
        Filter::new("type", "type", "How they deliver"),
        Filter::new("status", "status", "Where they stand"),
        Filter::new("panel", "external_panel", "Part of the external panel's name"),
        Filter::new("available", "is_available", "Whether orders can go to them now"),
        Filter::new("archived", "is_archived", "Whether they are archived"),
    ],
    since: "created_at",
    examples: &[
        ("providers list --archived 0 --available 0", "who delivers nothing now"),
        ("providers list --panel boost --status disabled", "what is switched off at a panel"),
    ],
};

pub(super) const GET: Get = Get {
    one: "provider",
    about: "Providers with their services and how many orders are with them",
    op: GetProvider::OP,
    columns: &[],
    examples: &[("providers get 3", "one provider")],
};

/// `providers collections`.
pub(super) const COLLECTIONS: Call = Call {
    name: "collections",
    about: "The ten available providers that most services use",
    examples: &[("providers collections", "what pickers start with")],
    op: ProvidersCollections::OP,
    args: |command| command,
    request: |_, _| of::<ProvidersCollections>((), &NoQuery {}, &NoBody {}),
    at: "/data/topProviders",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("source_price", Kind::Number).titled("price"),
        Column::new("source_currency", Kind::Word).titled("currency"),
        Column::new("source_pricing_per", Kind::Number).titled("per"),
    ],
    write: None,
};

/// `providers report`.
pub(super) const REPORT: Call = Call {
    name: "report",
    about: "Speed, failures and margin of each provider, service or panel, and what is open now",
    examples: &[
        ("providers report", "each provider in the last 30 days"),
        ("providers report --by panel --days 7", "how the panels did this week, and our balances there"),
    ],
    op: ProvidersReport::OP,
    args: |command| {
        let days = clap::value_parser!(i64).range(1..=90);
        command.args([
            Arg::new("by")
                .long("by")
                .value_name("provider|service|panel")
                .value_parser(clap::builder::PossibleValuesParser::new(ReportBy::WORDS.texts))
                .hide_possible_values(true)
                .help("What a row is [default: provider]"),
            Arg::new("days")
                .long("days")
                .value_name("DAYS")
                .value_parser(days)
                .help("How many days back, 1 to 90 [default: 30]"),
        ])
    },
    request: |_, matches| {
        let query = ReportQuery { by: word(matches, "by"), days: opt(matches, "days") };
        of::<ProvidersReport>((), &query, &NoBody {})
    },
    at: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("status", Kind::Word),
        Column::new("open", Kind::Number),
        Column::new("completed", Kind::Number).titled("done"),
        Column::new("partial", Kind::Number),
        Column::new("failed", Kind::Number),
        Column::new("error_share_percent", Kind::Number).titled("failed %"),
        Column::new("mean_minutes", Kind::Number).titled("minutes"),
        Column::new("revenue", Kind::Number),
        Column::new("cost", Kind::Number),
        Column::new("margin_percent", Kind::Number).titled("margin %"),
        Column::more("oldest_open_order_id", Kind::Id),
        Column::more("oldest_open_at", Kind::Time),
        Column::more("quantity", Kind::Number),
        Column::more("balance", Kind::Number),
        Column::more("currency", Kind::Word),
        Column::more("last_ok_at", Kind::Time),
        Column::more("last_error", Kind::Text),
    ],
    write: None,
};
