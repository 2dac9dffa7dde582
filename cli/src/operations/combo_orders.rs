//! Combo orders: a package of orders, bought and moderated as one.

use panel_contract::combo_orders::ComboStatus;
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::combo_orders::{
    ApproveComboOrder, CompleteComboOrder, CountCombosInModeration, ListComboOrders, RejectComboOrder,
};
use panel_contract::orders::OrderSource;

use crate::command::act::{Verb, each, one};
use crate::command::call::{Call, of};
use crate::command::confirm::Danger;
use crate::command::filter::{Filter, Takes};
use crate::command::list::List;
use crate::command::{Cmd, Noun};
use crate::output::column::{Column, Kind};
use crate::words_of;

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
    noun: "combo-orders",
    one: "combo order",
    about: "Combo orders, newest first",
    op: ListComboOrders::OP,
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("status", Kind::Word),
        Column::new("created_at", Kind::Time).titled("created"),
        Column::new("package.name", Kind::Text).titled("package"),
        Column::new("user.email", Kind::Text).titled("user"),
        Column::new("orders_count", Kind::Number).titled("orders"),
        Column::new("cost", Kind::Number),
        Column::new("url", Kind::Text),
        Column::more("returned", Kind::Number),
        Column::more("source", Kind::Word),
        Column::more("package.type", Kind::Word),
        Column::more("package.id", Kind::Id),
        Column::more("completed_at", Kind::Time),
        Column::more("canceled_at", Kind::Time),
        Column::more("user.id", Kind::Id),
        Column::more("user.name", Kind::Text),
    ],
    filters: &[
        Filter { flag: "status", column: "status", takes: words_of!(ComboStatus), help: "Where they stand" },
        Filter {
            flag: "source",
            column: "source",
            takes: words_of!(OrderSource),
            help: "Where they came from",
        },
        Filter {
            flag: "package",
            column: "package",
            takes: Takes::Any("TEXT"),
            help: "Part of the package's name",
        },
        Filter { flag: "url", column: "url", takes: Takes::Any("TEXT"), help: "Part of the address" },
        Filter { flag: "user-id", column: "user_id", takes: Takes::Plain(&Takes::Ids), help: "The customer" },
        Filter {
            flag: "user",
            column: "user",
            takes: Takes::Any("TEXT"),
            help: "The customer, by name or email",
        },
        Filter { flag: "created", column: "created_at", takes: Takes::Time, help: "When it was placed" },
    ],
    also_filters: &[],
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
