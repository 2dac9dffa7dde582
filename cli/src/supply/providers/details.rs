//! Commands that show providers: the list, one provider, the report.

use clap::Arg;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::providers::{GetProvider, GetProviderCollections, ProvidersReport};
use panel_contract::lists;
use panel_contract::providers::{SupplyReportGrouping, SupplyReportQuery};

use crate::command::call::{Call, enum_value, optional_value, request_for};
use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::output::column::{Column, Kind};

pub(super) const LIST: List = List {
    declaration: &lists::providers::PROVIDERS,
    plural: "providers",
    singular: "provider",
    about: "List providers by name",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("type", "type", "Filter by type"),
        Filter::new("status", "status", "Filter by status"),
        Filter::new("panel", "external_panel", "Filter by part of the external panel's name"),
        Filter::new("available", "is_available", "Available for orders or not"),
        Filter::new("archived", "is_archived", "Archived or not"),
    ],
    time_column: "created_at",
    examples: &[
        ("providers list --archived 0 --available 0", "providers that cannot take orders now"),
        ("providers list --panel boost --status disabled", "disabled providers of a panel"),
    ],
};

pub(super) const GET: Get = Get {
    singular: "provider",
    about: "Show providers with their services and order counts",
    op: GetProvider::OP,
    columns: &[],
    examples: &[("providers get 3", "show one provider")],
};

pub(super) const COLLECTIONS: Call = Call {
    name: "collections",
    about: "List the ten available providers used by most services",
    examples: &[("providers collections", "list the most used providers")],
    op: GetProviderCollections::OP,
    args: |command| command,
    request: |_, _| request_for::<GetProviderCollections>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data/topProviders",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("source_price", Kind::Number).with_title("price"),
        Column::new("source_currency", Kind::Enum).with_title("currency"),
        Column::new("source_pricing_per", Kind::Number).with_title("per"),
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
                .value_parser(clap::builder::PossibleValuesParser::new(SupplyReportGrouping::VALUES.texts))
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
        let query =
            SupplyReportQuery { by: enum_value(matches, "by"), days: optional_value(matches, "days") };
        request_for::<ProvidersReport>((), &query, &EmptyBody {})
    },
    pointer: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("status", Kind::Enum),
        Column::new("open", Kind::Number),
        Column::new("completed", Kind::Number).with_title("completed"),
        Column::new("partial", Kind::Number),
        Column::new("failed", Kind::Number),
        Column::new("error_share_percent", Kind::Number).with_title("failed %"),
        Column::new("mean_minutes", Kind::Number).with_title("minutes"),
        Column::new("revenue", Kind::Number),
        Column::new("cost", Kind::Number),
        Column::new("margin_percent", Kind::Number).with_title("margin %"),
        Column::hidden("oldest_open_order_id", Kind::Id),
        Column::hidden("oldest_open_at", Kind::Time),
        Column::hidden("quantity", Kind::Number),
        Column::hidden("balance", Kind::Number),
        Column::hidden("currency", Kind::Enum),
        Column::hidden("last_ok_at", Kind::Time),
        Column::hidden("last_error", Kind::Text),
    ],
    write: None,
};
