//! Packages: services that are sold together.

mod edit;

use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::packages::{GetPackage, GetProviderPackage};
use panel_contract::lists;

use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::{Cmd, Noun};

pub(crate) const NOUN: Noun = Noun {
    name: "packages",
    alias: Some("package"),
    about: "Manage packages: services that are sold together",
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
        Cmd::Nested(&FROM_PROVIDERS),
    ],
};

const FROM_PROVIDERS: Noun = Noun {
    name: "from-providers",
    alias: None,
    about: "List packages that external panels sell",
    verbs: &[Cmd::List(&PROVIDER_LIST), Cmd::Get(&PROVIDER_GET)],
};

const LIST: List = List {
    declaration: &lists::packages::PACKAGES,
    noun: "packages",
    one: "package",
    about: "List packages, newest first",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("type", "type", "Filter by type"),
        Filter::new("network", "network", "Filter by part of the network's name"),
        Filter::new(
            "panel",
            "provider",
            "Filter by the id or part of the name of the external panel it comes from",
        ),
        Filter::new("enabled", "is_enabled", "Enabled or not"),
        Filter::new("archived", "is_archived", "Archived or not"),
    ],
    since: "created_at",
    examples: &[("packages list --archived 0 --enabled 1", "packages that customers can buy")],
};

const GET: Get = Get {
    one: "package",
    about: "Show packages with their contents",
    op: GetPackage::OP,
    columns: &[],
    examples: &[("packages get 3", "show one package")],
};

const PROVIDER_LIST: List = List {
    declaration: &lists::packages::PROVIDER_PACKAGES,
    noun: "packages of external panels",
    one: "package of an external panel",
    about: "List packages that external panels sell, newest first",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("panel", "external_panel", "Filter by part of the external panel's name"),
    ],
    since: "created_at",
    examples: &[("packages from-providers list", "packages that can be imported")],
};

const PROVIDER_GET: Get = Get {
    one: "package of an external panel",
    about: "Show packages of external panels with their contents",
    op: GetProviderPackage::OP,
    columns: &[],
    examples: &[("packages from-providers get 3", "show one package")],
};
