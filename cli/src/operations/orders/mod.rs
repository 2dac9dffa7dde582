//! `orders`: manages orders.

mod bulk_actions;
pub(crate) mod create;
mod details;
mod edit;
mod list;
mod refill;
mod stats;
mod wait;

use crate::command::{Cmd, CommandGroup};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "orders",
    alias: Some("order"),
    about: "Manage orders",
    commands: &[
        Cmd::List(&list::ORDERS),
        Cmd::Get(&details::GET),
        Cmd::Call(&create::CREATE),
        Cmd::Bulk(&bulk_actions::CANCEL),
        Cmd::Bulk(&bulk_actions::APPROVE),
        Cmd::Bulk(&bulk_actions::REJECT),
        Cmd::Bulk(&bulk_actions::ACTIVATE),
        Cmd::Bulk(&bulk_actions::PAUSE),
        Cmd::Bulk(&bulk_actions::COMPLETE),
        Cmd::Bulk(&bulk_actions::CHANGE_PROVIDER),
        Cmd::Call(&details::REFUND_AMOUNT),
        Cmd::Call(&details::CANCEL_REASONS),
        Cmd::Custom(&stats::STATS),
        Cmd::Call(&details::VIEWERS),
        Cmd::Custom(&wait::WAIT),
        Cmd::Export(&list::ORDERS),
        Cmd::Call(&edit::SET_URL),
        Cmd::Call(&edit::SET_COMMENT),
        Cmd::Call(&edit::SET_REFILL),
        Cmd::Call(&edit::SET_AUTO_REFILL),
        Cmd::Nested(&refill::AUTO_REFILL),
        Cmd::Nested(&refill::REFILL),
    ],
};

pub(crate) const CHILD_PANEL_COMMANDS: CommandGroup = CommandGroup {
    name: "child-panel-orders",
    alias: Some("child-panel-order"),
    about: "List orders of child panels",
    commands: &[Cmd::List(&list::CHILD_PANEL_ORDERS), Cmd::Export(&list::CHILD_PANEL_ORDERS)],
};
