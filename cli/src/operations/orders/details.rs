//! Commands that print one order, and values that belong to it.

use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::orders::{CancelReasons, GetOrder, GetRefundAmount, PromotableStatistics};
use panel_contract::orders::PromotableQuery;

use crate::command::get::GetCommand;
use crate::command::request_command::{RequestCommand, build_request, id_arg, required_id};
use crate::output::column::{Column, DisplayKind};

pub(crate) const GET: GetCommand = GetCommand {
    singular: "order",
    about: "Show orders with all details",
    op: GetOrder::OP,
    columns: DETAIL_COLUMNS,
    examples: &[
        ("orders get 981204", "show one order"),
        (
            "orders get 981204 --jq '.external_panel_orders[].external_panel_order_id'",
            "print the ids of an order at external panels",
        ),
        (
            "orders get 981204 981207 -o json --columns id,status,refund_amount",
            "print selected fields of two orders",
        ),
    ],
};

/// The fields of one order, the most used first.
const DETAIL_COLUMNS: &[Column] = &[
    Column::new("id", DisplayKind::Id),
    Column::new("status", DisplayKind::Enum),
    Column::new("approval", DisplayKind::Enum),
    Column::new("name", DisplayKind::Text),
    Column::new("url", DisplayKind::Text),
    Column::new("user.id", DisplayKind::Id),
    Column::new("user.email", DisplayKind::Text),
    Column::new("service.id", DisplayKind::Id),
    Column::new("service.name", DisplayKind::Text),
    Column::new("quantity", DisplayKind::Number),
    Column::new("current_quantity", DisplayKind::Number),
    Column::new("percent_of_current_fill", DisplayKind::Number),
    Column::new("cost", DisplayKind::Number),
    Column::new("refunded", DisplayKind::Number),
    Column::new("refund_amount", DisplayKind::Number),
    Column::new("price", DisplayKind::Number),
    Column::new("pricing_per", DisplayKind::Number),
    Column::new("provider_cost", DisplayKind::Number),
    Column::new("revenue", DisplayKind::Number),
    Column::new("margin_percent", DisplayKind::Number),
    Column::new("is_paid", DisplayKind::Enum),
    Column::new("source", DisplayKind::Enum),
    Column::new("created_at", DisplayKind::Time),
    Column::new("completed_at", DisplayKind::Time),
    Column::new("updated_at", DisplayKind::Time),
    Column::new("cancel_reason", DisplayKind::Enum),
    Column::new("cancel_description", DisplayKind::Text),
    Column::new("comment", DisplayKind::Text),
    Column::new("has_refill", DisplayKind::Enum),
    Column::new("auto_refill_is_allowed", DisplayKind::Enum),
    Column::new("has_no_active_providers", DisplayKind::Enum),
    Column::new("countries", DisplayKind::Text),
    Column::new("keyword", DisplayKind::Text),
    Column::new("seo_keyword", DisplayKind::Text),
    Column::new("child_id", DisplayKind::Id),
    Column::new("quantity_for_full_fill", DisplayKind::Number),
    Column::new("refill_quantity", DisplayKind::Number),
    Column::new("refill.first.quantity", DisplayKind::Number).with_title("first count"),
    Column::new("refill.last.quantity", DisplayKind::Number).with_title("last count"),
    Column::new("refill.source", DisplayKind::Enum).with_title("counted by"),
    Column::new("refill.drop_quantity", DisplayKind::Number).with_title("dropped"),
    Column::new("promotable", DisplayKind::Text),
    Column::new("providers", DisplayKind::Text),
    Column::new("external_panel_orders", DisplayKind::Text),
    Column::new("price_modifications", DisplayKind::Text),
    Column::new("refund_payments", DisplayKind::Text),
    Column::new("order_balance_payments", DisplayKind::Text),
    Column::new("targetable_values", DisplayKind::Text),
];

pub(crate) const REFUND_AMOUNT: RequestCommand = RequestCommand {
    name: "refund-amount",
    about: "Show the default refund of an order",
    examples: &[("orders refund-amount 981204", "show the refund of canceling one order")],
    op: GetRefundAmount::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<GetRefundAmount>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
    },
    json_pointer: "/data",
    columns: &[],
    write: None,
};

pub(crate) const CANCEL_REASONS: RequestCommand = RequestCommand {
    name: "cancel-reasons",
    about: "List the reasons for orders cancel --reason",
    examples: &[],
    op: CancelReasons::OP,
    args: |command| command,
    request: |_, _| build_request::<CancelReasons>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "",
    columns: &[Column::new("type", DisplayKind::Enum), Column::new("label", DisplayKind::Text)],
    write: None,
};

pub(crate) const VIEWERS: RequestCommand = RequestCommand {
    name: "viewers",
    about: "Show the viewer counts of the stream or video that an order promotes",
    examples: &[("orders viewers 981204", "show the viewers of one order")],
    op: PromotableStatistics::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<PromotableStatistics>(
            (),
            &PromotableQuery { order: required_id(matches)? },
            &EmptyBody {},
        )
    },
    json_pointer: "/data",
    columns: &[Column::new("date", DisplayKind::Time), Column::new("viewers", DisplayKind::Number)],
    write: None,
};
