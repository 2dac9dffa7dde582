//! Combo orders: a package of orders, bought and moderated as one.

use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::combo_orders::{
    ApproveComboOrder, CompleteComboOrder, CountCombosInModeration, RejectComboOrder,
};
use panel_contract::lists;

use crate::command::act::{Verb, each, one};
use crate::command::call::{Call, of};
use crate::command::confirm::Danger;
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, Noun};

/// `combo-orders`.
pub(crate) const NOUN: Noun = Noun {
    name: "combo-orders",
    alias: Some("combo-order"),
    about: "Combo orders: packages of orders, moderated as one",
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
    of: &lists::combo_orders::COMBO_ORDERS,
    noun: "combo-orders",
    one: "combo order",
    about: "Combo orders, newest first",
    filters: &[
        Filter::new("status", "status", "Where they stand"),
        Filter::new("source", "source", "Where they came from"),
        Filter::new("package", "package", "Part of the package's name"),
        Filter::new("url", "url", "Part of the address"),
        Filter::new("user-id", "user_id", "The customer"),
        Filter::new("user", "user", "The customer, by name or email"),
        Filter::new("created", "created_at", "When it was placed"),
    ],
    since: "created_at",
    examples: &[
        ("combo-orders list --status in_moderation", "what waits for moderation"),
        ("orders list --combo-order-id 17", "the orders of one"),
    ],
};

const APPROVE: Verb = Verb {
    name: "approve",
    past: "approved",
    about: "Approves combo orders in moderation, and their orders with them",
    list: &LIST,
    danger: Danger::Final,
    reaches: &[ApproveComboOrder::OP],
    of_one: &[],
    args: |command| command,
    many: each::<ApproveComboOrder>,
    one: one::<ApproveComboOrder>,
    examples: &[("combo-orders approve 17 18", "two of them")],
};

const REJECT: Verb = Verb {
    name: "reject",
    past: "rejected",
    about: "Rejects combo orders in moderation: their orders are canceled, their money goes back",
    reaches: &[RejectComboOrder::OP],
    many: each::<RejectComboOrder>,
    one: one::<RejectComboOrder>,
    examples: &[(
        "combo-orders reject --status in_moderation --user-id 42 --all-matching --dry-run",
        "what would go back",
    )],
    ..APPROVE
};

const COMPLETE: Verb = Verb {
    name: "complete",
    past: "completed",
    about: "Completes combo orders in processing, and their orders with them",
    reaches: &[CompleteComboOrder::OP],
    many: each::<CompleteComboOrder>,
    one: one::<CompleteComboOrder>,
    examples: &[("combo-orders complete 17", "one of them")],
    ..APPROVE
};

const COUNT: Call = Call {
    name: "count",
    about: "How many wait for moderation",
    examples: &[("combo-orders count --jq .count", "the number alone")],
    op: CountCombosInModeration::OP,
    args: |command| command,
    request: |_, _| of::<CountCombosInModeration>((), &NoQuery {}, &NoBody {}),
    at: "",
    columns: &[],
    write: None,
};
