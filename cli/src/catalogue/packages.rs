//! Packages: services that are sold together.

mod edit;

use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::packages::{GetPackage, GetProviderPackage};
use panel_contract::lists;

use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::{Cmd, Noun};

/// `packages`.
pub(crate) const NOUN: Noun = Noun {
    name: "packages",
    alias: Some("package"),
    about: "Services that are sold together",
    verbs: &[
        Cmd::List(&LIST),
        Cmd::Get(&GET),
        Cmd::Call(&edit::CREATE),
        Cmd::Call(&edit::UPDATE),
        Cmd::Call(&edit::BULK_UPDATE),
        Cmd::Call(&edit::ARCHIVE),
        Cmd::Call(&edit::UNARCHIVE),
        Cmd::Call(&edit::BUY),
        Cmd::Call(&edit::TOTAL_COST),
        Cmd::Call(&edit::AVAILABLE),
        Cmd::Call(&edit::TYPES),
        Cmd::Export(&LIST),
        Cmd::Nested(&PROVIDED),
    ],
};

/// `packages from-providers`.
const PROVIDED: Noun = Noun {
    name: "from-providers",
    alias: None,
    about: "Packages that external panels sell",
    verbs: &[Cmd::List(&PROVIDED_LIST), Cmd::Get(&PROVIDED_GET)],
};

const LIST: List = List {
    of: &lists::packages::PACKAGES,
    noun: "packages",
    one: "package",
    about: "Packages, newest first",
    filters: &[
        Filter::new("name", "name", "Part of the name"),
        Filter::new("type", "type", "Its type"),
        Filter::new("network", "network", "Part of the network's name"),
        Filter::new("panel", "provider", "Id or part of the name of the external panel that it comes from"),
        Filter::new("enabled", "is_enabled", "Whether it is on sale"),
        Filter::new("archived", "is_archived", "Whether it is archived"),
    ],
    since: "created_at",
    examples: &[("packages list --archived 0 --enabled 1", "what is on sale")],
};

const GET: Get = Get {
    one: "package",
    about: "Packages with everything in them",
    op: GetPackage::OP,
    columns: &[],
    examples: &[("packages get 3", "one package")],
};

const PROVIDED_LIST: List = List {
    of: &lists::packages::PROVIDER_PACKAGES,
    noun: "packages of external panels",
    one: "package of an external panel",
    about: "Packages that external panels sell, newest first",
    filters: &[
        Filter::new("name", "name", "Part of the name"),
        Filter::new("panel", "external_panel", "Part of the panel's name"),
    ],
    since: "created_at",
    examples: &[("packages from-providers list", "what could be imported")],
};

const PROVIDED_GET: Get = Get {
    one: "package of an external panel",
    about: "Packages of external panels with what is in them",
    op: GetProviderPackage::OP,
    columns: &[],
    examples: &[("packages from-providers get 3", "one of them")],
};
