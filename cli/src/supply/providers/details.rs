//! Commands that show providers: the list, one provider, the report.

use clap::Arg;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::providers::{GetProvider, GetProviderCollections, ProvidersReport};
use panel_contract::lists;
use panel_contract::providers::{SupplyReportGrouping, SupplyReportQuery};

use crate::command::filter::Filter;
use crate::command::get::GetCommand;
use crate::command::list::ListCommand;
use crate::command::request_command::{RequestCommand, build_request, enum_value, optional_value};
use crate::output::column::{Column, DisplayKind};

pub(super) const LIST: ListCommand = ListCommand {
    declaration: &lists::providers::PROVIDERS,
    plural: "providers",
    singular: "provider",
    about: "List providers by name",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("type", "type", "Filter by type"),
        Filter::new(
            "status",
            "status",
            "Filter by status; active does not tell whether the external panel is enabled (see --available)",
        ),
        Filter::new("panel", "external_panel", "Filter by part of the external panel's name"),
        Filter::new(
            "available",
            "is_available",
            "Filter by providers that can get orders (1) or cannot (0): active, and the external panel neither disabled nor archived",
        ),
        Filter::new("archived", "is_archived", "Filter by archived (1) or not archived (0)"),
    ],
    time_column: "created_at",
    examples: &[
        ("providers list --archived 0 --available 0", "providers that cannot take orders now"),
        ("providers list --panel boost --status disabled", "disabled providers of an external panel"),
    ],
};

pub(super) const GET: GetCommand = GetCommand {
    singular: "provider",
    about: "Show providers with their services and order counts",
    op: GetProvider::OP,
    columns: &[],
    examples: &[("providers get 3", "show one provider")],
};

pub(super) const COLLECTIONS: RequestCommand = RequestCommand {
    name: "collections",
    about: "List the ten available providers used by most services",
    examples: &[("providers collections", "list the most used providers")],
    op: GetProviderCollections::OP,
    args: |command| command,
    request: |_, _| build_request::<GetProviderCollections>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "/data/topProviders",
    columns: &[
        Column::new("id", DisplayKind::Id),
        Column::new("name", DisplayKind::Text),
        Column::new("source_price", DisplayKind::Number).with_title("price"),
        Column::new("source_currency", DisplayKind::Enum).with_title("currency"),
        Column::new("source_pricing_per", DisplayKind::Number).with_title("per"),
    ],
    write: None,
};

pub(super) const REPORT: RequestCommand = RequestCommand {
    name: "report",
    about: "Show speed, failures, margin and open orders of each provider, service or external panel",
    examples: &[
        ("providers report", "show all providers of the last 30 days"),
        (
            "providers report --by panel --days 7",
            "show the last week by external panel, with our balance at each",
        ),
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
                .help("How to group the rows [default: provider]"),
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
        build_request::<ProvidersReport>((), &query, &EmptyBody {})
    },
    json_pointer: "/data",
    columns: &[
        Column::new("id", DisplayKind::Id),
        Column::new("name", DisplayKind::Text),
        Column::new("status", DisplayKind::Enum),
        Column::new("open", DisplayKind::Number),
        Column::new("completed", DisplayKind::Number).with_title("completed"),
        Column::new("partial", DisplayKind::Number),
        Column::new("failed", DisplayKind::Number),
        Column::new("error_share_percent", DisplayKind::Number).with_title("failed %"),
        Column::new("mean_minutes", DisplayKind::Number).with_title("minutes"),
        Column::new("revenue", DisplayKind::Number),
        Column::new("cost", DisplayKind::Number),
        Column::new("margin_percent", DisplayKind::Number).with_title("margin %"),
        Column::hidden("oldest_open_order_id", DisplayKind::Id),
        Column::hidden("oldest_open_at", DisplayKind::Time),
        Column::hidden("quantity", DisplayKind::Number),
        Column::hidden("balance", DisplayKind::Number),
        Column::hidden("currency", DisplayKind::Enum),
        Column::hidden("last_ok_at", DisplayKind::Time),
        Column::hidden("last_error", DisplayKind::Text),
    ],
    write: None,
};
