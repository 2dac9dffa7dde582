//! Lists of webhooks and of the deliveries to one of them.

use crate::endpoints::webhooks::{ListWebhookDeliveries, ListWebhooks};
use crate::lists::List;
use crate::lists::column::{Column, enum_list, enum_value, exact_text, flag, id, number, text, time};
use crate::webhooks::{DeliveryStatus, EventType, WebhookStatus};

/// Deliveries to one webhook, newest first.
pub static WEBHOOK_DELIVERIES: List =
    List::for_endpoint::<ListWebhookDeliveries>("webhook-deliveries", WEBHOOK_DELIVERIES_COLUMNS)
        .filters(&[id("webhook_id", "")])
        .console_columns(&[
            "id",
            "created_at",
            "type",
            "status",
            "attempts",
            "response_status",
            "error",
            "next_attempt_at",
        ])
        .validate();

const WEBHOOK_DELIVERIES_COLUMNS: &[Column] = &[
    id("id", "ID"),
    exact_text("message_id", "Message ID"),
    enum_value("type", "Event", EventType::VALUES),
    enum_value("status", "Status", DeliveryStatus::VALUES),
    number("attempts", "Attempts"),
    number("response_status", "Response").nullable(),
    text("error", "Error").nullable(),
    time("next_attempt_at", "Next attempt").nullable(),
    time("attempted_at", "Attempted").nullable(),
    time("created_at", "Happened"),
    text("body", "Message"),
];

/// Webhooks, newest first.
pub static WEBHOOKS: List = List::for_endpoint::<ListWebhooks>("webhooks", WEBHOOKS_COLUMNS)
    .console_columns(&["id", "url", "status", "webhook_types", "last_delivered_at", "created_at"])
    .terminal_columns(&["id", "status", "url", "webhook_types", "last_delivered_at"])
    .validate();

const WEBHOOKS_COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("url", "URL").short_label("url"),
    flag("is_active", ""),
    enum_value("status", "Status", WebhookStatus::VALUES),
    enum_list("webhook_types", "Events", EventType::VALUES),
    time("failing_since", "Failing since").nullable(),
    time("last_delivered_at", "Last delivered").nullable(),
    time("created_at", "Created"),
    time("updated_at", "Updated"),
    text("notice", "").nullable().row_only(),
    time("old_secret_until", "").nullable().row_only(),
];
