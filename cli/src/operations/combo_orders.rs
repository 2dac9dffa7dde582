//! Combo orders: packages of orders that are bought and moderated as one.

use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::combo_orders::{
    ApproveComboOrder, CompleteComboOrder, CountCombosInModeration, RejectComboOrder,
};
use panel_contract::lists;

use crate::command::act::{Verb, one_request_each, single};
use crate::command::call::{Call, of};
use crate::command::confirm::Danger;
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, Noun};

pub(crate) const NOUN: Noun = Noun {
    name: "combo-orders",
    alias: Some("combo-order"),
    about: "Manage combo orders: packages of orders that are bought as one",
    verbs: &[
        Cmd::List(&LIST),
        Cmd::Act(&APPROVE),
        Cmd::Act(&REJECT),
        Cmd::Act(&COMPLETE),
        Cmd::Call(&COUNT),
        Cmd::Export(&LIST),
    ],
};

const LIST: List = List {
    declaration: &lists::combo_orders::COMBO_ORDERS,
    noun: "combo orders",
    one: "combo order",
    about: "List combo orders, newest first",
    filters: &[
        Filter::new("status", "status", "Filter by status"),
        Filter::new("source", "source", "Filter by source"),
        Filter::new("package", "package", "Filter by part of the package's name"),
        Filter::new("url", "url", "Filter by part of the link"),
        Filter::new("user-id", "user_id", "Filter by customer id"),
        Filter::new("user", "user", "Filter by the customer's name or email"),
        Filter::new("created", "created_at", "Filter by creation time"),
    ],
    since: "created_at",
    examples: &[
        ("combo-orders list --status in_moderation", "combo orders that wait for moderation"),
        ("orders list --combo-order-id 17", "the orders of one combo order"),
    ],
};

const APPROVE: Verb = Verb {
    name: "approve",
    past: "approved",
    about: "Approve combo orders in moderation, including their orders",
    list: &LIST,
    danger: Danger::Final,
    ops: &[ApproveComboOrder::OP],
    single_record_flags: &[],
    args: |command| command,
    bulk: one_request_each::<ApproveComboOrder>,
    single: single::<ApproveComboOrder>,
    examples: &[("combo-orders approve 17 18", "approve two combo orders")],
};

const REJECT: Verb = Verb {
    name: "reject",
    past: "rejected",
    about: "Reject combo orders in moderation; cancels and refunds their orders",
    ops: &[RejectComboOrder::OP],
    bulk: one_request_each::<RejectComboOrder>,
    single: single::<RejectComboOrder>,
    examples: &[(
        "combo-orders reject --status in_moderation --user-id 42 --all-matching --dry-run",
        "show what would be refunded",
    )],
    ..APPROVE
};

const COMPLETE: Verb = Verb {
    name: "complete",
    past: "completed",
    about: "Complete combo orders in processing, including their orders",
    ops: &[CompleteComboOrder::OP],
    bulk: one_request_each::<CompleteComboOrder>,
    single: single::<CompleteComboOrder>,
    examples: &[("combo-orders complete 17", "complete one combo order")],
    ..APPROVE
};

const COUNT: Call = Call {
    name: "count",
    about: "Count combo orders that wait for moderation",
    examples: &[("combo-orders count --jq .count", "print only the number")],
    op: CountCombosInModeration::OP,
    args: |command| command,
    request: |_, _| of::<CountCombosInModeration>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "",
    columns: &[],
    write: None,
};
