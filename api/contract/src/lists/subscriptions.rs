//! The list of subscriptions.

use crate::drip_feeds::BatchStatus;
use crate::endpoints::subscriptions::ListSubscriptions;
use crate::lists::column::{Column, exact, id, money, number, record, text, time, word};
use crate::lists::{List, Record};
use crate::subscriptions::BillingType;

/// All subscriptions, newest first.
pub static SUBSCRIPTIONS: List = List::of::<ListSubscriptions>("subscriptions", COLUMNS)
    .filters(&[id("user_id", "")])
    .wide(&[
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
    .narrow(&[
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
    .checked();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    text("url", "Link"),
    exact("type", "Type"),
    word("status", "Status", BatchStatus::VALUES),
    word("billing_type", "Billing", BillingType::VALUES),
    number("contents_limit", "Limit"),
    number("subscription_contents_count", "Content"),
    number("orders_count", "Orders"),
    money("cost", "Prepaid").short("cost"),
    money("returned", "Refunded"),
    number("delay_minutes", "Delay, minutes").short("delay"),
    number("old_contents", "Older content").short("old"),
    time("looked_at", "Last check").short("looked").nullable(),
    time("look_at", "Next check").short("looks").nullable(),
    text("last_error", "Channel error").short("trouble").nullable(),
    text("wait_reason", "Why content is waiting").short("waits").nullable(),
    number("period_days", "Period, days").short("period").nullable(),
    time("renews_at", "Renews").short("renews").nullable(),
    time("paused_at", "Paused since").short("paused").nullable(),
    time("expired_at", "Ends").nullable(),
    time("created_at", "Started").short("created"),
    time("completed_at", "Completed").nullable(),
    time("canceled_at", "Canceled").nullable(),
    record("subscription_services", "Service", Record::Service).nullable().filter_only(),
    record("user", "", Record::User).filter_only(),
    id("user.id", ""),
    text("user.name", "Customer").filtered_by("user"),
    text("user.email", "").short("user"),
];
