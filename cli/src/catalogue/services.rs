//! Services.

mod edit;
mod sheet;

#[cfg(test)]
pub(crate) use sheet::SCHEMA;

use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::services::GetService;
use panel_contract::lists;

use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::{Cmd, Noun};

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
    of: &lists::services::SERVICES,
    noun: "services",
    one: "service",
    about: "Services",
    filters: &[
        Filter::new("name", "name", "Part of the name"),
        Filter::new("network", "network", "Part of the network's name"),
        Filter::new("type", "type", "Part of the type's name"),
        Filter::new(
            "panel",
            "external_panels",
            "Id or part of the name of an external panel that delivers it",
        ),
        Filter::new("price", "default_price", "Its price"),
        Filter::new("enabled", "is_enabled", "Whether it is on sale"),
        Filter::new("archived", "is_archived", "Whether it is archived"),
        Filter::new("no-active-providers", "has_no_active_providers", "Whether nobody delivers it"),
    ],
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
