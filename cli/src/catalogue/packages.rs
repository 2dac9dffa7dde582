//! `packages`: manages packages, which are services sold together.

mod actions;

use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::packages::{GetPackage, GetProviderPackage};
use panel_contract::lists;

use crate::command::filter::Filter;
use crate::command::get::GetCommand;
use crate::command::list::ListCommand;
use crate::command::{CommandGroup, CommandSpec};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "packages",
    alias: Some("package"),
    about: "Manage packages: services that are sold together",
    commands: &[
        CommandSpec::List(&LIST),
        CommandSpec::Get(&GET),
        CommandSpec::Request(&actions::CREATE),
        CommandSpec::Request(&actions::UPDATE),
        CommandSpec::Request(&actions::BULK_UPDATE),
        CommandSpec::Request(&actions::ARCHIVE),
        CommandSpec::Request(&actions::UNARCHIVE),
        CommandSpec::Request(&actions::BUY),
        CommandSpec::Request(&actions::SHOW_TOTAL_COST),
        CommandSpec::Request(&actions::LIST_AVAILABLE_SERVICES),
        CommandSpec::Request(&actions::LIST_SERVICE_TYPES),
        CommandSpec::Export(&LIST),
        CommandSpec::Nested(&EXTERNAL_PANEL_PACKAGES),
    ],
};

const EXTERNAL_PANEL_PACKAGES: CommandGroup = CommandGroup {
    name: "from-panels",
    alias: None,
    about: "List packages that external panels sell",
    commands: &[
        CommandSpec::List(&LIST_EXTERNAL_PANEL_PACKAGES),
        CommandSpec::Get(&GET_EXTERNAL_PANEL_PACKAGE),
    ],
};

const LIST: ListCommand = ListCommand {
    declaration: &lists::packages::PACKAGES,
    plural: "packages",
    singular: "package",
    about: "List packages, newest first",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("type", "type", "Filter by type"),
        Filter::new("network", "network", "Filter by part of the network's name"),
        Filter::new("panel", "provider", "Filter by external panel (id or part of the name)"),
        Filter::new("enabled", "is_enabled", "Filter by enabled (1) or disabled (0)"),
        Filter::new("archived", "is_archived", "Filter by archived (1) or not archived (0)"),
    ],
    time_column: "created_at",
    examples: &[("packages list --archived 0 --enabled 1", "packages that customers can buy")],
};

const GET: GetCommand = GetCommand {
    singular: "package",
    about: "Show packages with their contents",
    op: GetPackage::OP,
    columns: &[],
    examples: &[("packages get 3", "show one package")],
};

const LIST_EXTERNAL_PANEL_PACKAGES: ListCommand = ListCommand {
    declaration: &lists::packages::PROVIDER_PACKAGES,
    plural: "packages of external panels",
    singular: "package of an external panel",
    about: "List packages that external panels sell, newest first",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("panel", "external_panel", "Filter by part of the external panel's name"),
    ],
    time_column: "created_at",
    examples: &[("packages from-panels list", "all packages of external panels")],
};

const GET_EXTERNAL_PANEL_PACKAGE: GetCommand = GetCommand {
    singular: "package of an external panel",
    about: "Show packages of external panels with their contents",
    op: GetProviderPackage::OP,
    columns: &[],
    examples: &[("packages from-panels get 3", "show one package")],
};
