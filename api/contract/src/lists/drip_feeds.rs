//! The list of drip-feeds.

use crate::drip_feeds::RecurringOrderStatus;
use crate::endpoints::drip_feeds::ListDripFeeds;
use crate::lists::column::{Column, enum_value, id, json, money, number, record, text, time};
use crate::lists::{List, RecordKind};

/// Drip-feeds, newest first.
pub static DRIP_FEEDS: List = List::for_endpoint::<ListDripFeeds>("drip-feeds", COLUMNS)
    .filters(&[id("user_id", "")])
    .console_columns(&[
        "id",
        "created_at",
        "status",
        "service.name",
        "user.name",
        "url",
        "orders_count",
        "runs",
        "minutes_between_runs",
        "quantity",
        "total_quantity",
        "cost",
        "next_run_at",
    ])
    .terminal_columns(&[
        "id",
        "status",
        "created_at",
        "service.name",
        "user.email",
        "quantity",
        "orders_count",
        "runs",
        "minutes_between_runs",
        "cost",
        "next_run_at",
        "url",
    ])
    .validate();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    text("url", "Link"),
    enum_value("status", "Status", RecurringOrderStatus::VALUES),
    number("runs", "Runs"),
    number("orders_count", "Orders"),
    money("price", "Price"),
    number("quantity", "Quantity"),
    number("total_quantity", "Total"),
    money("cost", "Prepaid").short_label("cost"),
    money("refunded", "Refunded"),
    number("minutes_between_runs", "Every").short_label("minutes"),
    time("next_run_at", "Next run").nullable(),
    text("last_error", "Problem").nullable(),
    time("created_at", "Started").short_label("created"),
    time("completed_at", "Completed").nullable(),
    time("canceled_at", "Canceled").nullable(),
    record("service", "", RecordKind::Service).filter_only(),
    id("service.id", ""),
    text("service.name", "Service").filtered_by("service"),
    record("user", "", RecordKind::User).filter_only(),
    id("user.id", ""),
    text("user.name", "Customer").filtered_by("user"),
    text("user.email", "").short_label("user"),
    money("refund_amount", "Prepaid left").row_only(),
    json("countries", "Countries").row_only(),
    number("promotable.average_viewers", "Viewers").nullable().row_only(),
    text("promotable.region_restriction", "Region restriction").nullable().row_only(),
];
