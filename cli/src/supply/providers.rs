//! `providers`: manages providers. A provider delivers the orders of a service.

mod details;
mod edit;

use clap::Arg;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::providers::{
    AddProviderStatistics, AvailableForOrderRecreate, ListProvidersOfOrder,
};
use panel_contract::moment::Day;
use panel_contract::providers::{
    AvailableProvidersQuery, OrderProvidersQuery, ProviderStatistic, ProviderStatisticsInput,
};

use crate::command::confirm::Reversibility;
use crate::command::request_command::{
    RequestCommand, WriteSpec, build_request, id_arg, optional_value, required_id, required_value,
};
use crate::command::{CommandGroup, CommandSpec};
use crate::output::column::{Column, DisplayKind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "providers",
    alias: Some("provider"),
    about: "Manage providers: services of external panels, or your own staff, that deliver the orders of your services",
    commands: &[
        CommandSpec::List(&details::LIST),
        CommandSpec::Get(&details::GET),
        CommandSpec::Request(&edit::CREATE),
        CommandSpec::Request(&edit::UPDATE),
        CommandSpec::Bulk(&edit::ARCHIVE),
        CommandSpec::Bulk(&edit::UNARCHIVE),
        CommandSpec::Request(&details::COLLECTIONS),
        CommandSpec::Request(&details::REPORT),
        CommandSpec::Request(&LIST_AVAILABLE),
        CommandSpec::Request(&LIST_PROVIDERS_OF_ORDER),
        CommandSpec::Request(&ADD_STATISTICS),
        CommandSpec::Export(&details::LIST),
    ],
};

const LIST_AVAILABLE: RequestCommand = RequestCommand {
    name: "available",
    about: "List active providers that an order can move to, by name, 30 per page",
    examples: &[
        ("providers available --name boost", "find an id for orders change-provider --provider"),
        (
            "providers available --for-order 981204",
            "show the undelivered quantity, provider cost and margin of an order at each provider",
        ),
    ],
    op: AvailableForOrderRecreate::OP,
    args: |command| {
        let page_parser = clap::value_parser!(i64).range(1..);
        command.args([
            Arg::new("name").long("name").value_name("TEXT").help("Filter by part of the name"),
            Arg::new("page")
                .long("page")
                .value_name("PAGE")
                .value_parser(page_parser)
                .help("Page number, from 1"),
            Arg::new("for-order")
                .long("for-order")
                .value_name("ORDER")
                .value_parser(clap::value_parser!(i64))
                .help("Show the provider cost and margin of this order at each provider"),
        ])
    },
    request: |_, matches| {
        let query = AvailableProvidersQuery {
            name: optional_value(matches, "name"),
            page: optional_value(matches, "page"),
            order_id: optional_value(matches, "for-order"),
        };
        build_request::<AvailableForOrderRecreate>((), &query, &EmptyBody {})
    },
    json_pointer: "/items",
    columns: &[
        Column::new("id", DisplayKind::Id),
        Column::new("name", DisplayKind::Text),
        Column::new("source_price", DisplayKind::Number).with_title("price"),
        Column::new("source_currency", DisplayKind::Enum).with_title("currency"),
        Column::new("source_pricing_per", DisplayKind::Number).with_title("per"),
        Column::new("offer.quantity", DisplayKind::Number).with_title("missing"),
        Column::new("offer.margin.provider_cost", DisplayKind::Number).with_title("provider cost"),
        Column::new("offer.margin.margin", DisplayKind::Number).with_title("margin"),
    ],
    write: None,
};

const LIST_PROVIDERS_OF_ORDER: RequestCommand = RequestCommand {
    name: "of-order",
    about: "List the providers of an order's service, with the quantity that each provider delivered",
    examples: &[("providers of-order 981204", "check this before providers add-statistics")],
    op: ListProvidersOfOrder::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<ListProvidersOfOrder>(
            (),
            &OrderProvidersQuery { order_id: required_id(matches)? },
            &EmptyBody {},
        )
    },
    json_pointer: "/data",
    columns: STATISTICS_COLUMNS,
    write: None,
};

const ADD_STATISTICS: RequestCommand = RequestCommand {
    name: "add-statistics",
    about: "Record manually what providers delivered for an order on a day; replaces the entries of that day",
    examples: &[(
        "providers add-statistics 981204 --date 2026-11-20 --delivered 3=1.25:500 --delivered 7=0.40:160",
        "provider 3 delivered 500 for 1.25, provider 7 delivered 160 for 0.40",
    )],
    op: AddProviderStatistics::OP,
    args: |command| {
        command.args([
            id_arg(),
            Arg::new("date")
                .long("date")
                .value_name("DAY")
                .required(true)
                .value_parser(clap::value_parser!(Day))
                .help("Day, such as 2026-11-20"),
            Arg::new("delivered")
                .long("delivered")
                .value_name("PROVIDER=COST:QUANTITY")
                .required(true)
                .action(clap::ArgAction::Append)
                .value_parser(parse_statistic)
                .help("Provider cost and delivered quantity of a provider; may be repeated. 0:0 removes the entry"),
        ])
    },
    request: |_, matches| {
        let body = ProviderStatisticsInput {
            order_id: required_id(matches)?,
            date: required_value(matches, "date")?,
            provider_statistics: matches.get_many("delivered").into_iter().flatten().copied().collect(),
        };
        build_request::<AddProviderStatistics>((), &EmptyQuery {}, &body)
    },
    json_pointer: "/data",
    columns: STATISTICS_COLUMNS,
    write: Some(WriteSpec {
        question: |_| "Record these statistics for the order?".into(),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |_| "Statistics recorded.".into(),
        has_dry_run: false,
    }),
};

const STATISTICS_COLUMNS: &[Column] = &[
    Column::new("id", DisplayKind::Id),
    Column::new("name", DisplayKind::Text),
    Column::new("status", DisplayKind::Enum),
    Column::new("quantity", DisplayKind::Number),
    Column::new("cost", DisplayKind::Number),
];

/// Parses the value of `--delivered`, `PROVIDER=COST:QUANTITY`.
fn parse_statistic(text: &str) -> Result<ProviderStatistic, String> {
    let usage_error = || format!("{text}: expected PROVIDER=COST:QUANTITY, such as 3=1.25:500");
    let (provider_id, cost_and_quantity) = text.split_once('=').ok_or_else(usage_error)?;
    let (cost, quantity) = cost_and_quantity.split_once(':').ok_or_else(usage_error)?;
    Ok(ProviderStatistic {
        provider_id: provider_id.trim().parse().map_err(|_| usage_error())?,
        cost: cost.trim().parse().map_err(|_| usage_error())?,
        quantity: quantity.trim().parse().map_err(|_| usage_error())?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_a_statistic_and_rejects_invalid_texts() {
        let statistic = parse_statistic("3=1.25:500").unwrap();
        assert_eq!(
            (statistic.provider_id.get(), statistic.cost.to_string(), statistic.quantity),
            (3, "1.25".into(), 500)
        );
        for text in ["", "3", "3=1", "x=1:1", "3=a:1", "3=1:1.5"] {
            assert!(parse_statistic(text).unwrap_err().contains("PROVIDER=COST:QUANTITY"));
        }
    }
}
