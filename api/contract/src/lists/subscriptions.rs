//! The list of subscriptions.

use crate::drip_feeds::RecurringOrderStatus;
use crate::endpoints::subscriptions::ListSubscriptions;
use crate::lists::column::{Column, enum_value, exact_text, id, money, number, record, text, time};
use crate::lists::{List, RecordKind};
use crate::subscriptions::BillingType;

/// Subscriptions, newest first.
pub static SUBSCRIPTIONS: List = List::for_endpoint::<ListSubscriptions>("subscriptions", COLUMNS)
    .filters(&[id("user_id", "")])
    .console_columns(&[
        "id",
        "created_at",
        "status",
        "name",
        "user.name",
        "url",
        "subscription_contents_count",
        "contents_limit",
        "orders_count",
        "subscription_services",
        "billing_type",
        "expired_at",
    ])
    .terminal_columns(&[
        "id",
        "status",
        "created_at",
        "name",
        "user.email",
        "billing_type",
        "subscription_contents_count",
        "contents_limit",
        "orders_count",
        "cost",
        "expired_at",
        "url",
    ])
    .validate();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    text("url", "Link"),
    exact_text("type", "Type"),
    enum_value("status", "Status", RecurringOrderStatus::VALUES),
    enum_value("billing_type", "Billing", BillingType::VALUES),
    number("contents_limit", "Limit"),
    number("subscription_contents_count", "Content"),
    number("orders_count", "Orders"),
    money("cost", "Prepaid").short_label("cost"),
    money("refunded", "Refunded"),
    number("delay_minutes", "Delay, minutes").short_label("delay"),
    number("old_contents", "Older content").short_label("old"),
    time("last_polled_at", "Last check").short_label("polled").nullable(),
    time("next_poll_at", "Next check").short_label("looks").nullable(),
    text("last_error", "Channel error").short_label("error").nullable(),
    text("wait_reason", "Why content is waiting").short_label("wait reason").nullable(),
    number("period_days", "Period, days").short_label("period").nullable(),
    time("renews_at", "Renews").short_label("renews").nullable(),
    time("paused_at", "Paused since").short_label("paused").nullable(),
    time("expired_at", "Ends").nullable(),
    time("created_at", "Started").short_label("created"),
    time("completed_at", "Completed").nullable(),
    time("canceled_at", "Canceled").nullable(),
    record("subscription_services", "Service", RecordKind::Service).nullable().filter_only(),
    record("user", "", RecordKind::User).filter_only(),
    id("user.id", ""),
    text("user.name", "Customer").filtered_by("user"),
    text("user.email", "").short_label("user"),
];
