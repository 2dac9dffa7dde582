//! Commands that print one order, and values that belong to it.

use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::orders::{CancelReasons, GetOrder, GetRefundAmount, PromotableStatistics};
use panel_contract::orders::PromotableQuery;

use crate::command::call::{Call, id_arg, request_for, required_id};
use crate::command::get::Get;
use crate::output::column::{Column, Kind};

pub(crate) const GET: Get = Get {
    singular: "order",
    about: "Show orders with all details",
    op: GetOrder::OP,
    columns: DETAIL_COLUMNS,
    examples: &[
        ("orders get 981204", "show one order"),
        (
            "orders get 981204 --jq '.external_panel_orders[].external_panel_order_id'",
            "print its ids at external panels",
        ),
        (
            "orders get 981204 981207 -o json --columns id,status,refund_amount",
            "print selected fields of two orders",
        ),
    ],
};

/// The fields of one order, the most used first.
const DETAIL_COLUMNS: &[Column] = &[
    Column::new("id", Kind::Id),
    Column::new("status", Kind::Enum),
    Column::new("approval", Kind::Enum),
    Column::new("name", Kind::Text),
    Column::new("url", Kind::Text),
    Column::new("user.id", Kind::Id),
    Column::new("user.email", Kind::Text),
    Column::new("service.id", Kind::Id),
    Column::new("service.name", Kind::Text),
    Column::new("quantity", Kind::Number),
    Column::new("current_quantity", Kind::Number),
    Column::new("percent_of_current_fill", Kind::Number),
    Column::new("cost", Kind::Number),
    Column::new("refunded", Kind::Number),
    Column::new("refund_amount", Kind::Number),
    Column::new("price", Kind::Number),
    Column::new("pricing_per", Kind::Number),
    Column::new("provider_cost", Kind::Number),
    Column::new("revenue", Kind::Number),
    Column::new("margin_percent", Kind::Number),
    Column::new("is_paid", Kind::Enum),
    Column::new("source", Kind::Enum),
    Column::new("created_at", Kind::Time),
    Column::new("completed_at", Kind::Time),
    Column::new("updated_at", Kind::Time),
    Column::new("cancel_reason", Kind::Enum),
    Column::new("cancel_description", Kind::Text),
    Column::new("comment", Kind::Text),
    Column::new("has_refill", Kind::Enum),
    Column::new("auto_refill_is_allowed", Kind::Enum),
    Column::new("has_no_active_providers", Kind::Enum),
    Column::new("countries", Kind::Text),
    Column::new("keyword", Kind::Text),
    Column::new("seo_keyword", Kind::Text),
    Column::new("child_id", Kind::Id),
    Column::new("quantity_for_full_fill", Kind::Number),
    Column::new("refill_quantity", Kind::Number),
    Column::new("refill.first.quantity", Kind::Number).with_title("first count"),
    Column::new("refill.last.quantity", Kind::Number).with_title("last count"),
    Column::new("refill.source", Kind::Enum).with_title("counted by"),
    Column::new("refill.drop_quantity", Kind::Number).with_title("dropped"),
    Column::new("promotable", Kind::Text),
    Column::new("providers", Kind::Text),
    Column::new("external_panel_orders", Kind::Text),
    Column::new("price_modifications", Kind::Text),
    Column::new("refund_payments", Kind::Text),
    Column::new("order_balance_payments", Kind::Text),
    Column::new("targetable_values", Kind::Text),
];

pub(crate) const REFUND_AMOUNT: Call = Call {
    name: "refund-amount",
    about: "Show the default refund of an order",
    examples: &[("orders refund-amount 981204", "show the refund of canceling one order")],
    op: GetRefundAmount::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        request_for::<GetRefundAmount>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
    },
    pointer: "/data",
    columns: &[],
    write: None,
};

pub(crate) const CANCEL_REASONS: Call = Call {
    name: "cancel-reasons",
    about: "List the reasons for orders cancel --reason",
    examples: &[],
    op: CancelReasons::OP,
    args: |command| command,
    request: |_, _| request_for::<CancelReasons>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "",
    columns: &[Column::new("type", Kind::Enum), Column::new("label", Kind::Text)],
    write: None,
};

pub(crate) const VIEWERS: Call = Call {
    name: "viewers",
    about: "Show the viewer counts of the stream or video that an order promotes",
    examples: &[("orders viewers 981204", "show the viewers of one order")],
    op: PromotableStatistics::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        request_for::<PromotableStatistics>(
            (),
            &PromotableQuery { order: required_id(matches)? },
            &EmptyBody {},
        )
    },
    pointer: "/data",
    columns: &[Column::new("date", Kind::Time), Column::new("viewers", Kind::Number)],
    write: None,
};
