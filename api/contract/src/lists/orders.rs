//! Lists of orders: all orders, and the orders of child panels.

use crate::endpoints::orders::{ListChildPanelOrders, ListOrders};
use crate::lists::column::{Column, enum_value, flag, id, money, number, percent, record, text, time};
use crate::lists::{List, RecordKind};
use crate::orders::{Approval, OrderSource, OrderStatus};

/// Orders, newest first.
pub static ORDERS: List = List::for_endpoint::<ListOrders>("orders", COLUMNS)
    .filters(&[
        id("subscription_id", "Subscription"),
        id("drip_feed_id", "Drip-feed"),
        id("combo_order_id", "Combo order"),
    ])
    .console_columns(&[
        "id",
        "created_at",
        "status",
        "service.name",
        "user.name",
        "url",
        "quantity",
        "cost",
        "has_no_active_providers",
    ])
    .terminal_columns(&[
        "id",
        "status",
        "approval",
        "created_at",
        "service.name",
        "user.email",
        "quantity",
        "current_quantity",
        "cost",
        "url",
    ])
    .validate();

/// Orders that child panels placed, newest first.
pub static CHILD_PANEL_ORDERS: List = ORDERS.served_by::<ListChildPanelOrders>("child-panel-orders");

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    text("url", "Link"),
    enum_value("status", "Status", OrderStatus::VALUES),
    enum_value("approval", "Moderation", Approval::VALUES).short_label("approval").nullable(),
    enum_value("source", "Source", OrderSource::VALUES),
    money("cost", "Cost"),
    money("refunded", "Refunded"),
    money("price", "Price"),
    number("quantity", "Quantity"),
    number("current_quantity", "Delivered"),
    percent("percent_of_current_fill", "Filled"),
    percent("margin_percent", "Margin").nullable(),
    time("created_at", "Created"),
    time("completed_at", "Completed").nullable(),
    time("updated_at", "Updated"),
    flag("is_paid", "Paid"),
    flag("has_refill", "Refill"),
    flag("auto_refill_is_allowed", "Auto-refill"),
    flag("has_no_active_providers", "No active provider"),
    text("comment", "Comment").nullable(),
    // Only the detail page of an order shows these fields.
    text("keyword", "Keyword").nullable().filter_only(),
    text("seo_keyword", "SEO keyword").nullable().filter_only(),
    text("countries", "Countries").filter_only(),
    id("child_id", "Order ID at the child panel").nullable().filter_only(),
    number("quantity_for_full_fill", "Quantity for full fill").nullable().filter_only(),
    number("refill_quantity", "Quantity to refill").nullable().filter_only(),
    number("refill.first.quantity", "First count for refills").nullable().filter_only(),
    number("refill.last.quantity", "Last count for refills").nullable().filter_only(),
    text("promotable.embed_url", "Embedded at").nullable().filter_only(),
    text("promotable.region_restriction", "Region restriction").nullable().filter_only(),
    number("promotable.average_viewers", "Average viewers").nullable().filter_only(),
    number("promotable.first_statistic_viewers", "Viewers at the start").nullable().filter_only(),
    time("promotable.supported_at", "Supported from").nullable().filter_only(),
    time("promotable.supported_until", "Supported until").nullable().filter_only(),
    // The record that placed the order; NULL if a customer placed it.
    id("subscription_id", "Subscription").nullable(),
    id("drip_feed_id", "Drip-feed").nullable(),
    id("combo_order_id", "Combo order").nullable(),
    record("service", "", RecordKind::Service).filter_only(),
    id("service.id", ""),
    text("service.name", "Service").filtered_by("service"),
    record("user", "", RecordKind::User).filter_only(),
    id("user.id", ""),
    text("user.name", "Customer").filtered_by("user"),
    text("user.email", "Customer email").short_label("user"),
    text("user.telegram_username", "Telegram").nullable(),
    money("user.balance", "Customer balance"),
    money("user.spent", "Customer spent"),
];
