//! `orders`: manages orders.

mod bulk_actions;
pub(crate) mod create;
mod details;
mod edit;
mod list;
mod refill;
mod stats;
mod wait;

use crate::command::{CommandGroup, CommandSpec};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "orders",
    alias: Some("order"),
    about: "Manage orders",
    commands: &[
        CommandSpec::List(&list::ORDERS),
        CommandSpec::Get(&details::GET),
        CommandSpec::Request(&create::CREATE),
        CommandSpec::Bulk(&bulk_actions::CANCEL),
        CommandSpec::Bulk(&bulk_actions::APPROVE),
        CommandSpec::Bulk(&bulk_actions::REJECT),
        CommandSpec::Bulk(&bulk_actions::ACTIVATE),
        CommandSpec::Bulk(&bulk_actions::PAUSE),
        CommandSpec::Bulk(&bulk_actions::COMPLETE),
        CommandSpec::Bulk(&bulk_actions::CHANGE_PROVIDER),
        CommandSpec::Request(&details::REFUND_AMOUNT),
        CommandSpec::Request(&details::CANCEL_REASONS),
        CommandSpec::Custom(&stats::STATS),
        CommandSpec::Request(&details::VIEWERS),
        CommandSpec::Custom(&wait::WAIT),
        CommandSpec::Export(&list::ORDERS),
        CommandSpec::Request(&edit::SET_URL),
        CommandSpec::Request(&edit::SET_COMMENT),
        CommandSpec::Request(&edit::SET_REFILL),
        CommandSpec::Request(&edit::SET_AUTO_REFILL),
        CommandSpec::Nested(&refill::AUTO_REFILL),
        CommandSpec::Nested(&refill::REFILL),
    ],
};

pub(crate) const CHILD_PANEL_COMMANDS: CommandGroup = CommandGroup {
    name: "child-panel-orders",
    alias: Some("child-panel-order"),
    about: "List orders of child panels",
    commands: &[CommandSpec::List(&list::CHILD_PANEL_ORDERS), CommandSpec::Export(&list::CHILD_PANEL_ORDERS)],
};
