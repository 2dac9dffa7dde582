//! Orders.

mod act;
pub(crate) mod create;
mod details;
mod edit;
mod list;
mod refill;
mod stats;
mod wait;

use crate::command::{Cmd, Noun};

pub(crate) const NOUN: Noun = Noun {
    name: "orders",
    alias: Some("order"),
    about: "Manage orders",
    verbs: &[
        Cmd::List(&list::ORDERS),
        Cmd::Get(&details::GET),
        Cmd::Call(&create::CREATE),
        Cmd::Act(&act::CANCEL),
        Cmd::Act(&act::APPROVE),
        Cmd::Act(&act::REJECT),
        Cmd::Act(&act::ACTIVATE),
        Cmd::Act(&act::PAUSE),
        Cmd::Act(&act::COMPLETE),
        Cmd::Act(&act::CHANGE_PROVIDER),
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

pub(crate) const CHILD_PANEL_NOUN: Noun = Noun {
    name: "child-panel-orders",
    alias: Some("child-panel-order"),
    about: "List orders of child panels",
    verbs: &[Cmd::List(&list::CHILD_PANEL_ORDERS), Cmd::Export(&list::CHILD_PANEL_ORDERS)],
};
