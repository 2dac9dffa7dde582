//! `providers`: manages providers, which deliver the orders of services.

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

use crate::command::call::{
    Call, WriteSpec, id_arg, optional_value, request_for, required_id, required_value,
};
use crate::command::confirm::Reversibility;
use crate::command::{Cmd, CommandGroup};
use crate::output::column::{Column, Kind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "providers",
    alias: Some("provider"),
    about: "Manage providers, which deliver orders",
    commands: &[
        Cmd::List(&details::LIST),
        Cmd::Get(&details::GET),
        Cmd::Call(&edit::CREATE),
        Cmd::Call(&edit::UPDATE),
        Cmd::Bulk(&edit::ARCHIVE),
        Cmd::Bulk(&edit::UNARCHIVE),
        Cmd::Call(&details::COLLECTIONS),
        Cmd::Call(&details::REPORT),
        Cmd::Call(&AVAILABLE),
        Cmd::Call(&OF_ORDER),
        Cmd::Call(&ADD_STATISTICS),
        Cmd::Export(&details::LIST),
    ],
};

const AVAILABLE: Call = Call {
    name: "available",
    about: "List active providers that an order can move to, by name, 30 per page",
    examples: &[
        ("providers available --name boost", "find an id for orders change-provider --provider"),
        (
            "providers available --for-order 981204",
            "show the undelivered quantity, cost and margin of an order at each provider",
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
                .help("Show the cost and margin of this order at each provider"),
        ])
    },
    request: |_, matches| {
        let query = AvailableProvidersQuery {
            name: optional_value(matches, "name"),
            page: optional_value(matches, "page"),
            order_id: optional_value(matches, "for-order"),
        };
        request_for::<AvailableForOrderRecreate>((), &query, &EmptyBody {})
    },
    pointer: "/items",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("source_price", Kind::Number).with_title("price"),
        Column::new("source_currency", Kind::Enum).with_title("currency"),
        Column::new("source_pricing_per", Kind::Number).with_title("per"),
        Column::new("offer.quantity", Kind::Number).with_title("missing"),
        Column::new("offer.margin.provider_cost", Kind::Number).with_title("cost"),
        Column::new("offer.margin.margin", Kind::Number).with_title("margin"),
    ],
    write: None,
};

const OF_ORDER: Call = Call {
    name: "of-order",
    about: "List the providers of an order's service, with the quantity that each delivered",
    examples: &[("providers of-order 981204", "check this before providers add-statistics")],
    op: ListProvidersOfOrder::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        request_for::<ListProvidersOfOrder>(
            (),
            &OrderProvidersQuery { order_id: required_id(matches)? },
            &EmptyBody {},
        )
    },
    pointer: "/data",
    columns: STATISTICS_COLUMNS,
    write: None,
};

const ADD_STATISTICS: Call = Call {
    name: "add-statistics",
    about: "Record manually what providers delivered for an order on a day; replaces the entries of that day",
    examples: &[(
        "providers add-statistics 981204 --date 2026-11-20 --did 3=1.25:500 --did 7=0.40:160",
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
            Arg::new("did")
                .long("did")
                .value_name("PROVIDER=COST:QUANTITY")
                .required(true)
                .action(clap::ArgAction::Append)
                .value_parser(parse_statistic)
                .help("Cost and delivered quantity of a provider; may be repeated. 0:0 removes the entry"),
        ])
    },
    request: |_, matches| {
        let body = ProviderStatisticsInput {
            order_id: required_id(matches)?,
            date: required_value(matches, "date")?,
            provider_statistics: matches.get_many("did").into_iter().flatten().copied().collect(),
        };
        request_for::<AddProviderStatistics>((), &EmptyQuery {}, &body)
    },
    pointer: "/data",
    columns: STATISTICS_COLUMNS,
    write: Some(WriteSpec {
        question: |_| "Record these statistics for the order?".into(),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |_| "Statistics recorded.".into(),
        has_dry_run: false,
    }),
};

const STATISTICS_COLUMNS: &[Column] = &[
    Column::new("id", Kind::Id),
    Column::new("name", Kind::Text),
    Column::new("status", Kind::Enum),
    Column::new("quantity", Kind::Number),
    Column::new("cost", Kind::Number),
];

/// Parses the value of `--did`, `PROVIDER=COST:QUANTITY`.
fn parse_statistic(text: &str) -> Result<ProviderStatistic, String> {
    let invalid = || format!("{text}: expected PROVIDER=COST:QUANTITY, such as 3=1.25:500");
    let (provider, value) = text.split_once('=').ok_or_else(invalid)?;
    let (cost, quantity) = value.split_once(':').ok_or_else(invalid)?;
    Ok(ProviderStatistic {
        provider_id: provider.trim().parse().map_err(|_| invalid())?,
        cost: cost.trim().parse().map_err(|_| invalid())?,
        quantity: quantity.trim().parse().map_err(|_| invalid())?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_a_statistic_and_refuses_invalid_texts() {
        let parsed = parse_statistic("3=1.25:500").unwrap();
        assert_eq!(
            (parsed.provider_id.get(), parsed.cost.to_string(), parsed.quantity),
            (3, "1.25".into(), 500)
        );
        for invalid in ["", "3", "3=1", "x=1:1", "3=a:1", "3=1:1.5"] {
            assert!(parse_statistic(invalid).unwrap_err().contains("PROVIDER=COST:QUANTITY"));
        }
    }
}
