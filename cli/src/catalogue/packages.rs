//! `packages`: manages packages, which are services sold together.

mod edit;

use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::packages::{GetPackage, GetProviderPackage};
use panel_contract::lists;

use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::{Cmd, CommandGroup};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "packages",
    alias: Some("package"),
    about: "Manage packages: services that are sold together",
    commands: &[
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
        Cmd::Nested(&PROVIDER_PACKAGES),
    ],
};

const PROVIDER_PACKAGES: CommandGroup = CommandGroup {
    name: "from-providers",
    alias: None,
    about: "List packages that external panels sell",
    commands: &[Cmd::List(&PROVIDER_LIST), Cmd::Get(&PROVIDER_GET)],
};

const LIST: List = List {
    declaration: &lists::packages::PACKAGES,
    plural: "packages",
    singular: "package",
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
        Filter::new("enabled", "is_enabled", "Filter by enabled (1) or disabled (0)"),
        Filter::new("archived", "is_archived", "Filter by archived (1) or not archived (0)"),
    ],
    time_column: "created_at",
    examples: &[("packages list --archived 0 --enabled 1", "packages that customers can buy")],
};

const GET: Get = Get {
    singular: "package",
    about: "Show packages with their contents",
    op: GetPackage::OP,
    columns: &[],
    examples: &[("packages get 3", "show one package")],
};

const PROVIDER_LIST: List = List {
    declaration: &lists::packages::PROVIDER_PACKAGES,
    plural: "packages of external panels",
    singular: "package of an external panel",
    about: "List packages that external panels sell, newest first",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("panel", "external_panel", "Filter by part of the external panel's name"),
    ],
    time_column: "created_at",
    examples: &[("packages from-providers list", "packages that can be imported")],
};

const PROVIDER_GET: Get = Get {
    singular: "package of an external panel",
    about: "Show packages of external panels with their contents",
    op: GetProviderPackage::OP,
    columns: &[],
    examples: &[("packages from-providers get 3", "show one package")],
};
