//! Providers: who delivers what services sell.

mod edit;
mod look;

use clap::Arg;
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::providers::{
    AddProviderStatistics, AvailableForOrderRecreate, ListProvidersOfOrder,
};
use panel_contract::moment::Day;
use panel_contract::providers::{
    AvailableProvidersQuery, OfOrderQuery, ProviderStatistic, ProviderStatisticsInput,
};

use crate::command::call::{Call, Write, arg, id, id_arg, of, opt};
use crate::command::confirm::Danger;
use crate::command::{Cmd, Noun};
use crate::output::column::{Column, Kind};

/// `providers`.
pub(crate) const NOUN: Noun = Noun {
    name: "providers",
    alias: Some("provider"),
    about: "Who delivers",
    verbs: &[
        Cmd::List(&look::LIST),
        Cmd::Get(&look::GET),
        Cmd::Call(&edit::CREATE),
        Cmd::Call(&edit::UPDATE),
        Cmd::Act(&edit::ARCHIVE),
        Cmd::Act(&edit::UNARCHIVE),
        Cmd::Call(&look::COLLECTIONS),
        Cmd::Call(&look::REPORT),
        Cmd::Call(&AVAILABLE),
        Cmd::Call(&OF_ORDER),
        Cmd::Call(&ADD_STATISTICS),
        Cmd::Export(&look::LIST),
    ],
};

const AVAILABLE: Call = Call {
    name: "available",
    about: "Active providers that an order can move to, by name, 30 a page",
    examples: &[
        ("providers available --name boost", "for orders change-provider --provider"),
        (
            "providers available --for-order 981204",
            "with what is missing of an order, its cost and what is left",
        ),
    ],
    op: AvailableForOrderRecreate::OP,
    args: |command| {
        let page = clap::value_parser!(i64).range(1..);
        command.args([
            Arg::new("name").long("name").value_name("TEXT").help("Part of a name"),
            Arg::new("page").long("page").value_name("PAGE").value_parser(page).help("The page, from 1"),
            Arg::new("for-order")
                .long("for-order")
                .value_name("ORDER")
                .value_parser(clap::value_parser!(i64))
                .help("Says what this order would come to at each"),
        ])
    },
    request: |_, matches| {
        let query = AvailableProvidersQuery {
            name: opt(matches, "name"),
            page: opt(matches, "page"),
            order_id: opt(matches, "for-order"),
        };
        of::<AvailableForOrderRecreate>((), &query, &NoBody {})
    },
    at: "/items",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("source_price", Kind::Number).titled("price"),
        Column::new("source_currency", Kind::Word).titled("currency"),
        Column::new("source_pricing_per", Kind::Number).titled("per"),
        Column::new("offer.quantity", Kind::Number).titled("missing"),
        Column::new("offer.margin.provider_cost", Kind::Number).titled("cost"),
        Column::new("offer.margin.margin", Kind::Number).titled("margin"),
    ],
    write: None,
};

/// `providers of-order`.
const OF_ORDER: Call = Call {
    name: "of-order",
    about: "The providers of an order's service, and what each did for it so far",
    examples: &[("providers of-order 981204", "before providers add-statistics")],
    op: ListProvidersOfOrder::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        of::<ListProvidersOfOrder>((), &OfOrderQuery { order_id: id(matches)? }, &NoBody {})
    },
    at: "/data",
    columns: DID,
    write: None,
};

/// `providers add-statistics`.
const ADD_STATISTICS: Call = Call {
    name: "add-statistics",
    about: "Books by hand what providers did for an order on a day; what stood there for that day is replaced",
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
                .help("The day, as 2026-11-20"),
            Arg::new("did")
                .long("did")
                .value_name("PROVIDER=COST:QUANTITY")
                .required(true)
                .action(clap::ArgAction::Append)
                .value_parser(did)
                .help("What a provider did; once for each provider. 0:0 takes the entry away"),
        ])
    },
    request: |_, matches| {
        let body = ProviderStatisticsInput {
            order_id: id(matches)?,
            date: arg(matches, "date")?,
            provider_statistics: matches.get_many("did").into_iter().flatten().copied().collect(),
        };
        of::<AddProviderStatistics>((), &NoQuery {}, &body)
    },
    at: "/data",
    columns: DID,
    write: Some(Write {
        question: |_| "Book this for the order?".into(),
        danger: Danger::Reversible("The same command with the old values"),
        said: |_| "Booked.".into(),
        rehearses: false,
    }),
};

const DID: &[Column] = &[
    Column::new("id", Kind::Id),
    Column::new("name", Kind::Text),
    Column::new("status", Kind::Word),
    Column::new("quantity", Kind::Number),
    Column::new("cost", Kind::Number),
];

/// Reads `PROVIDER=COST:QUANTITY`.
fn did(text: &str) -> Result<ProviderStatistic, String> {
    let wrong = || format!("{text}: write PROVIDER=COST:QUANTITY, such as 3=1.25:500");
    let (provider, did) = text.split_once('=').ok_or_else(wrong)?;
    let (cost, quantity) = did.split_once(':').ok_or_else(wrong)?;
    Ok(ProviderStatistic {
        provider_id: provider.trim().parse().map_err(|_| wrong())?,
        cost: cost.trim().parse().map_err(|_| wrong())?,
        quantity: quantity.trim().parse().map_err(|_| wrong())?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_provider_did_is_read_or_refused() {
        let read = did("3=1.25:500").unwrap();
        assert_eq!((read.provider_id.get(), read.cost.to_string(), read.quantity), (3, "1.25".into(), 500));
        for wrong in ["", "3", "3=1", "x=1:1", "3=a:1", "3=1:1.5"] {
            assert!(did(wrong).unwrap_err().contains("PROVIDER=COST:QUANTITY"));
        }
    }
}
