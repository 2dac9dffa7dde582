//! The list of combo orders.

use crate::combo_orders::ComboStatus;
use crate::endpoints::combo_orders::ListComboOrders;
use crate::lists::column::{Column, exact, id, money, number, record, text, time, word};
use crate::lists::{List, Record};
use crate::orders::OrderSource;

/// Combo orders, newest first.
pub static COMBO_ORDERS: List = List::of::<ListComboOrders>("combo-orders", COLUMNS)
    .filters(&[id("user_id", "")])
    .wide(&[
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
    .narrow(&["id", "status", "created_at", "package.name", "user.email", "orders_count", "cost", "url"])
    .checked();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("url", "Link"),
    word("status", "Status", ComboStatus::VALUES),
    word("source", "Source", OrderSource::VALUES),
    number("orders_count", "Orders"),
    text("package", "").filter_only(),
    id("package.id", "").nullable(),
    text("package.name", "Package").filtered_by("package"),
    exact("package.type", "Type"),
    time("created_at", "Created"),
    time("completed_at", "Completed").nullable(),
    time("canceled_at", "Canceled").nullable(),
    record("user", "", Record::User).filter_only(),
    id("user.id", ""),
    text("user.name", "Customer").filtered_by("user"),
    text("user.email", "").short("user"),
    money("cost", "Cost").row_only(),
    money("returned", "Refunded").row_only(),
];
