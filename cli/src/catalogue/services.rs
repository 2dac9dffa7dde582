//! Services.

mod edit;
mod sheet;

#[cfg(test)]
pub(crate) use sheet::SCHEMA;

use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::services::{GetService, ListServices};

use crate::command::filter::{Filter, Takes};
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::{Cmd, Noun};
use crate::output::column::{Column, Kind};

/// `services`.
pub(crate) const NOUN: Noun = Noun {
    name: "services",
    alias: Some("service"),
    about: "What is sold, at which price and within which bounds",
    verbs: &[
        Cmd::List(&LIST),
        Cmd::Get(&GET),
        Cmd::Own(&sheet::EXPORT),
        Cmd::Own(&sheet::IMPORT),
        Cmd::Call(&edit::CREATE),
        Cmd::Call(&edit::UPDATE),
        Cmd::Call(&edit::BULK_UPDATE),
        Cmd::Call(&edit::ARCHIVE),
        Cmd::Call(&edit::UNARCHIVE),
        Cmd::Call(&edit::COPY),
        Cmd::Call(&edit::PRICES),
    ],
};

const LIST: List = List {
    noun: "services",
    one: "service",
    about: "Services",
    op: ListServices::OP,
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("network.name", Kind::Text).titled("network"),
        Column::new("service_type.name", Kind::Text).titled("type"),
        Column::new("default_price", Kind::Number).titled("price"),
        Column::new("pricing_per", Kind::Number).titled("per"),
        Column::new("min_quantity", Kind::Number).titled("min"),
        Column::new("max_quantity", Kind::Number).titled("max"),
        Column::new("is_enabled", Kind::Word).titled("enabled"),
        Column::new("has_no_active_providers", Kind::Word).titled("no provider"),
        Column::more("panel_service_type", Kind::Word).titled("sold as"),
        Column::more("min_price", Kind::Number),
        Column::more("quantity_step", Kind::Number),
        Column::more("is_archived", Kind::Word),
        Column::more("moderation_is_enabled", Kind::Word),
        Column::more("has_refill", Kind::Word),
        Column::more("drip_feed_is_allowed", Kind::Word),
        Column::more("network.id", Kind::Id),
        Column::more("service_type.id", Kind::Id),
        Column::more("external_panels", Kind::Text),
        Column::more("created_at", Kind::Time),
    ],
    filters: &[
        Filter { flag: "name", column: "name", takes: Takes::Any("TEXT"), help: "Part of the name" },
        Filter {
            flag: "network",
            column: "network",
            takes: Takes::Any("TEXT"),
            help: "Part of the network's name",
        },
        Filter { flag: "type", column: "type", takes: Takes::Any("TEXT"), help: "Part of the type's name" },
        Filter {
            flag: "panel",
            column: "external_panels",
            takes: Takes::Any("TEXT"),
            help: "Id or part of the name of an external panel that delivers it",
        },
        Filter { flag: "price", column: "default_price", takes: Takes::Numbers, help: "Its price" },
        Filter { flag: "enabled", column: "is_enabled", takes: Takes::Flag, help: "Whether it is on sale" },
        Filter {
            flag: "archived",
            column: "is_archived",
            takes: Takes::Plain(&Takes::Flag),
            help: "Whether it is archived",
        },
        Filter {
            flag: "no-active-providers",
            column: "has_no_active_providers",
            takes: Takes::Flag,
            help: "Whether nobody delivers it",
        },
    ],
    also_filters: &["price", "service_type_id"],
    since: "created_at",
    examples: &[
        ("services list --network instagram --sort default_price", "the cheapest first"),
        ("services list --enabled 1 --no-active-providers 1", "what is on sale and nobody delivers"),
    ],
};

const GET: Get = Get {
    one: "service",
    about: "Services with everything about them",
    op: GetService::OP,
    columns: &[],
    examples: &[("services get 17", "one service")],
};
