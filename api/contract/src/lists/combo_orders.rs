//! The list of combo orders.

use crate::combo_orders::ComboStatus;
use crate::endpoints::combo_orders::ListComboOrders;
use crate::lists::column::{Column, enum_value, exact_text, id, money, number, record, text, time};
use crate::lists::{List, RecordKind};
use crate::orders::OrderSource;

/// Combo orders, newest first.
pub static COMBO_ORDERS: List = List::for_endpoint::<ListComboOrders>("combo-orders", COLUMNS)
    .filters(&[id("user_id", "")])
    .console_columns(&[
        "id",
        "created_at",
        "status",
        "package.name",
        "user.name",
        "url",
        "orders_count",
        "cost",
        "source",
    ])
    .terminal_columns(&[
        "id",
        "status",
        "created_at",
        "package.name",
        "user.email",
        "orders_count",
        "cost",
        "url",
    ])
    .validate();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("url", "Link"),
    enum_value("status", "Status", ComboStatus::VALUES),
    enum_value("source", "Source", OrderSource::VALUES),
    number("orders_count", "Orders"),
    text("package", "").filter_only(),
    id("package.id", "").nullable(),
    text("package.name", "Package").filtered_by("package"),
    exact_text("package.type", "Type"),
    time("created_at", "Created"),
    time("completed_at", "Completed").nullable(),
    time("canceled_at", "Canceled").nullable(),
    record("user", "", RecordKind::User).filter_only(),
    id("user.id", ""),
    text("user.name", "Customer").filtered_by("user"),
    text("user.email", "").short_label("user"),
    money("cost", "Cost").row_only(),
    money("refunded", "Refunded").row_only(),
];
