//! Orders.

mod act;
pub(crate) mod create;
mod edit;
mod list;
mod look;
mod refill;
mod stats;
mod wait;

use crate::command::{Cmd, Noun};

/// `orders`.
pub(crate) const NOUN: Noun = Noun {
    name: "orders",
    alias: Some("order"),
    about: "Orders: lists, one order, every action on one or many",
    verbs: &[
        Cmd::List(&list::ORDERS),
        Cmd::Get(&look::GET),
        Cmd::Call(&create::CREATE),
        Cmd::Act(&act::CANCEL),
        Cmd::Act(&act::APPROVE),
        Cmd::Act(&act::REJECT),
        Cmd::Act(&act::ACTIVATE),
        Cmd::Act(&act::PAUSE),
        Cmd::Act(&act::COMPLETE),
        Cmd::Act(&act::CHANGE_PROVIDER),
        Cmd::Call(&look::REFUND_AMOUNT),
        Cmd::Call(&look::CANCEL_REASONS),
        Cmd::Own(&stats::STATS),
        Cmd::Call(&look::VIEWERS),
        Cmd::Own(&wait::WAIT),
        Cmd::Export(&list::ORDERS),
        Cmd::Call(&edit::SET_URL),
        Cmd::Call(&edit::SET_COMMENT),
        Cmd::Call(&edit::SET_REFILL),
        Cmd::Call(&edit::SET_AUTO_REFILL),
        Cmd::Nested(&refill::AUTO_REFILL),
        Cmd::Nested(&refill::REFILL),
    ],
};

/// `child-panel-orders`.
pub(crate) const CHILD_PANEL_NOUN: Noun = Noun {
    name: "child-panel-orders",
    alias: Some("child-panel-order"),
    about: "Orders of child panels",
    verbs: &[Cmd::List(&list::CHILD_PANEL_ORDERS), Cmd::Export(&list::CHILD_PANEL_ORDERS)],
};
