//! Providers.

use clap::Arg;
use panel_contract::endpoint::{Endpoint as _, NoBody};
use panel_contract::endpoints::providers::AvailableForOrderRecreate;
use panel_contract::providers::AvailableProvidersQuery;

use crate::command::call::{Call, of, opt};
use crate::command::{Cmd, Noun};
use crate::output::column::{Column, Kind};

/// `providers`.
pub(crate) const NOUN: Noun = Noun {
    name: "providers",
    alias: Some("provider"),
    about: "Who delivers",
    verbs: &[Cmd::Call(&AVAILABLE)],
};

const AVAILABLE: Call = Call {
    name: "available",
    about: "Active providers that an order can move to, by name, 30 a page",
    examples: &[("providers available --name boost", "for orders change-provider --provider")],
    op: AvailableForOrderRecreate::OP,
    args: |command| {
        let page = clap::value_parser!(i64).range(1..);
        command.args([
            Arg::new("name").long("name").value_name("TEXT").help("Part of a name"),
            Arg::new("page").long("page").value_name("PAGE").value_parser(page).help("The page, from 1"),
        ])
    },
    request: |_, matches| {
        let query = AvailableProvidersQuery { name: opt(matches, "name"), page: opt(matches, "page") };
        of::<AvailableForOrderRecreate>((), &query, &NoBody {})
    },
    at: "/items",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("source_price", Kind::Number).titled("price"),
        Column::new("source_currency", Kind::Word).titled("currency"),
        Column::new("source_pricing_per", Kind::Number).titled("per"),
    ],
    write: None,
};
