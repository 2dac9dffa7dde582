//! Commands that show providers: the list, one provider, the report.

use clap::Arg;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::providers::{GetProvider, ProvidersCollections, ProvidersReport};
use panel_contract::lists;
use panel_contract::providers::{ReportBy, ReportQuery};

use crate::command::call::{Call, of, opt, word};
use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::output::column::{Column, Kind};

pub(super) const LIST: List = List {
    declaration: &lists::providers::PROVIDERS,
    noun: "providers",
    one: "provider",
    about: "List providers by name",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("type", "type", "Filter by type"),
        Filter::new("status", "status", "Filter by status"),
        Filter::new("panel", "external_panel", "Filter by part of the external panel's name"),
        Filter::new("available", "is_available", "Available for orders or not"),
        Filter::new("archived", "is_archived", "Archived or not"),
    ],
    since: "created_at",
    examples: &[
        ("providers list --archived 0 --available 0", "providers that cannot take orders now"),
        ("providers list --panel boost --status disabled", "disabled providers of a panel"),
    ],
};

pub(super) const GET: Get = Get {
    one: "provider",
    about: "Show providers with their services and order counts",
    op: GetProvider::OP,
    columns: &[],
    examples: &[("providers get 3", "show one provider")],
};

pub(super) const COLLECTIONS: Call = Call {
    name: "collections",
    about: "List the ten available providers used by most services",
    examples: &[("providers collections", "list the most used providers")],
    op: ProvidersCollections::OP,
    args: |command| command,
    request: |_, _| of::<ProvidersCollections>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data/topProviders",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("source_price", Kind::Number).titled("price"),
        Column::new("source_currency", Kind::Word).titled("currency"),
        Column::new("source_pricing_per", Kind::Number).titled("per"),
    ],
    write: None,
};

pub(super) const REPORT: Call = Call {
    name: "report",
    about: "Show speed, failures, margin and open orders of each provider, service or panel",
    examples: &[
        ("providers report", "show all providers of the last 30 days"),
        ("providers report --by panel --days 7", "show the panels of the last week, with our balances there"),
    ],
    op: ProvidersReport::OP,
    args: |command| {
        let days = clap::value_parser!(i64).range(1..=90);
        command.args([
            Arg::new("by")
                .long("by")
                .value_name("provider|service|panel")
                .value_parser(clap::builder::PossibleValuesParser::new(ReportBy::VALUES.texts))
                .hide_possible_values(true)
                .help("Group rows by this [default: provider]"),
            Arg::new("days")
                .long("days")
                .value_name("DAYS")
                .value_parser(days)
                .help("Number of days, 1 to 90 [default: 30]"),
        ])
    },
    request: |_, matches| {
        let query = ReportQuery { by: word(matches, "by"), days: opt(matches, "days") };
        of::<ProvidersReport>((), &query, &EmptyBody {})
    },
    pointer: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("status", Kind::Word),
        Column::new("open", Kind::Number),
        Column::new("completed", Kind::Number).titled("completed"),
        Column::new("partial", Kind::Number),
        Column::new("failed", Kind::Number),
        Column::new("error_share_percent", Kind::Number).titled("failed %"),
        Column::new("mean_minutes", Kind::Number).titled("minutes"),
        Column::new("revenue", Kind::Number),
        Column::new("cost", Kind::Number),
        Column::new("margin_percent", Kind::Number).titled("margin %"),
        Column::extra("oldest_open_order_id", Kind::Id),
        Column::extra("oldest_open_at", Kind::Time),
        Column::extra("quantity", Kind::Number),
        Column::extra("balance", Kind::Number),
        Column::extra("currency", Kind::Word),
        Column::extra("last_ok_at", Kind::Time),
        Column::extra("last_error", Kind::Text),
    ],
    write: None,
};
