//! `external-panel-orders`: lists the orders that the server placed at external panels, and places orders again.

use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::external_panel_orders::RecreateExternalPanelOrder;
use panel_contract::lists;

use crate::command::bulk::{BulkCommand, action_per_id, single_record_request};
use crate::command::confirm::Reversibility;
use crate::command::filter::Filter;
use crate::command::list::ListCommand;
use crate::command::{CommandGroup, CommandSpec};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "external-panel-orders",
    alias: Some("external-orders"),
    about: "Manage external orders: orders that this panel placed at external panels",
    commands: &[CommandSpec::List(&LIST), CommandSpec::Bulk(&RECREATE), CommandSpec::Export(&LIST)],
};

const LIST: ListCommand = ListCommand {
    declaration: &lists::external_panel_orders::EXTERNAL_PANEL_ORDERS,
    plural: "external panel orders",
    singular: "external panel order",
    about: "List external orders, newest first",
    filters: &[
        Filter::new("status", "status", "Filter by status at the external panel"),
        Filter::new(
            "stuck",
            "stuck",
            "Only external orders that need attention: open unusually long, or waiting for a decision of staff",
        ),
        Filter::new("order-id", "order_id", "Filter by order id"),
        Filter::new("order-status", "order.status", "Filter by the order's status"),
        Filter::new("provider-id", "provider_id", "Filter by provider id"),
        Filter::new("provider", "provider", "Filter by part of the provider's name"),
        Filter::new("panel-id", "external_panel_id", "Filter by external panel id"),
        Filter::new("panel", "external_panel", "Filter by part of the external panel's name"),
        Filter::new("external-id", "external_panel_order_id", "Filter by the id at the external panel")
            .text_value("ID"),
        Filter::new("alert", "alert_at", "Filter by the time since which it needs attention"),
        Filter::new(
            "unknown-message",
            "unknown_message",
            "Filter by part of the external panel's message when it stayed unknown whether it accepted the order",
        ),
        Filter::new("created", "created_at", "Filter by creation time"),
    ],
    time_column: "created_at",
    examples: &[
        ("external-panel-orders list --stuck 1", "external orders that need attention"),
        (
            "external-panel-orders list --stuck 1 --columns id,order.id,external_panel.id,unknown_message",
            "messages after which it is unknown whether the order was accepted; if one means \"rejected\", add it with external-panels add-rejection-message",
        ),
        ("external-panel-orders list --order-id 981204", "all external orders of one order"),
    ],
};

const RECREATE: BulkCommand = BulkCommand {
    name: "recreate",
    past_participle: "recreated",
    about: "Place the undelivered quantity again at the same provider. If it is unknown whether the external panel accepted the order, first check there that it did not",
    list: &LIST,
    reversibility: Reversibility::Irreversible,
    operations: &[RecreateExternalPanelOrder::OP],
    single_record_flags: &[],
    args: |command| command,
    bulk_action: action_per_id::<RecreateExternalPanelOrder>,
    single_request: single_record_request::<RecreateExternalPanelOrder>,
    examples: &[
        ("external-panel-orders recreate 9001 9002", "place two orders again"),
        (
            "external-panel-orders recreate --stuck 1 --status Canceled --all-matching --dry-run",
            "show what would be placed again",
        ),
    ],
};
