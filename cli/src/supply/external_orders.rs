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
    about: "Manage orders placed at external panels",
    commands: &[CommandSpec::List(&LIST), CommandSpec::Bulk(&RECREATE), CommandSpec::Export(&LIST)],
};

const LIST: ListCommand = ListCommand {
    declaration: &lists::external_panel_orders::EXTERNAL_PANEL_ORDERS,
    plural: "external panel orders",
    singular: "external panel order",
    about: "List orders placed at external panels, newest first",
    filters: &[
        Filter::new("status", "status", "Filter by status at the external panel"),
        Filter::new(
            "stuck",
            "stuck",
            "Only external orders that have been open unusually long or wait for staff",
        ),
        Filter::new("order-id", "order_id", "Filter by order id"),
        Filter::new("order-status", "order.status", "Filter by the order's status"),
        Filter::new("provider-id", "provider_id", "Filter by provider id"),
        Filter::new("provider", "provider", "Filter by part of the provider's name"),
        Filter::new("panel-id", "external_panel_id", "Filter by external panel id"),
        Filter::new("panel", "external_panel", "Filter by part of the external panel's name"),
        Filter::new("id-there", "external_panel_order_id", "Filter by the id at the external panel")
            .text_value("ID"),
        Filter::new("alert", "alert_at", "Filter by the time since which staff attention is required"),
        Filter::new(
            "unknown-message",
            "unknown_message",
            "Filter by part of the message of a request with an unknown outcome",
        ),
        Filter::new("created", "created_at", "Filter by creation time"),
    ],
    time_column: "created_at",
    examples: &[
        ("external-panel-orders list --stuck 1", "orders that require the attention of staff"),
        (
            "external-panel-orders list --stuck 1 --columns id,order.id,external_panel.id,unknown_message",
            "messages with an unknown outcome; if a message means \"rejected\", add the message with external-panels add-rejection-message",
        ),
        ("external-panel-orders list --order-id 981204", "all placement attempts of one order"),
    ],
};

const RECREATE: BulkCommand = BulkCommand {
    name: "recreate",
    past_participle: "recreated",
    about: "Place the undelivered quantity again at the same provider. If the outcome of the order is unknown, first check at the external panel that the order was not accepted",
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
