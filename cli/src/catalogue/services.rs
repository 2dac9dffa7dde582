//! `services`: manages the services of the catalogue.

mod actions;
mod sheet;

#[cfg(test)]
pub(crate) use sheet::SCHEMA;

use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::services::GetService;
use panel_contract::lists;

use crate::command::filter::Filter;
use crate::command::get::GetCommand;
use crate::command::list::ListCommand;
use crate::command::{CommandGroup, CommandSpec};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "services",
    alias: Some("service"),
    about: "Manage services: prices, quantities and providers",
    commands: &[
        CommandSpec::List(&LIST),
        CommandSpec::Get(&GET),
        CommandSpec::Custom(&sheet::EXPORT),
        CommandSpec::Custom(&sheet::IMPORT),
        CommandSpec::Request(&actions::CREATE),
        CommandSpec::Request(&actions::UPDATE),
        CommandSpec::Request(&actions::BULK_UPDATE),
        CommandSpec::Request(&actions::ARCHIVE),
        CommandSpec::Request(&actions::UNARCHIVE),
        CommandSpec::Request(&actions::COPY),
        CommandSpec::Request(&actions::PREVIEW_PRICES),
    ],
};

const LIST: ListCommand = ListCommand {
    declaration: &lists::services::SERVICES,
    plural: "services",
    singular: "service",
    about: "List services",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("network", "network", "Filter by part of the network's name"),
        Filter::new("type", "type", "Filter by part of the type's name"),
        Filter::new(
            "panel",
            "external_panels",
            "Filter by external panel that provides the service (id or part of the name)",
        ),
        Filter::new("price", "default_price", "Filter by price"),
        Filter::new("enabled", "is_enabled", "Filter by enabled (1) or disabled (0)"),
        Filter::new("archived", "is_archived", "Filter by archived (1) or not archived (0)"),
        Filter::new(
            "no-active-providers",
            "has_no_active_providers",
            "Filter by services without an available provider (1) or with one (0); see providers list --available",
        ),
    ],
    time_column: "created_at",
    examples: &[
        (
            "services list --network instagram --sort default_price",
            "the cheapest services of a network first",
        ),
        ("services list --enabled 1 --no-active-providers 1", "enabled services without an active provider"),
    ],
};

const GET: GetCommand = GetCommand {
    singular: "service",
    about: "Show services with all details",
    op: GetService::OP,
    columns: &[],
    examples: &[("services get 17", "show one service")],
};
