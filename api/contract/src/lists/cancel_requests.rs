//! The list of cancel requests.

use crate::cancel_requests::{CancelRequestCause, CancelRequestStatus};
use crate::endpoints::cancel_requests::ListCancelRequests;
use crate::lists::column::{Column, enum_value, flag, id, money, number, record, text, time};
use crate::lists::{List, RecordKind};
use crate::orders::OrderStatus;

/// Requests of customers to cancel an order, newest first.
pub static CANCEL_REQUESTS: List = List::for_endpoint::<ListCancelRequests>("order-cancel-requests", COLUMNS)
    .filters(&[flag("waiting", "Awaits staff"), id("order_id", "")])
    .console_columns(&[
        "id",
        "created_at",
        "status",
        "cause",
        "order.id",
        "order.current_quantity",
        "refunded",
        "user.name",
        "provider.name",
        "provider_response",
        "deadline_at",
        "decided_by.name",
    ])
    .terminal_columns(&[
        "id",
        "status",
        "cause",
        "created_at",
        "order.id",
        "order.current_quantity",
        "order.quantity",
        "refunded",
        "user.email",
        "provider.name",
        "provider_response",
        "deadline_at",
    ])
    .validate();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    id("order.id", "Order"),
    text("order.name", "Order name"),
    enum_value("order.status", "Order status", OrderStatus::VALUES),
    number("order.quantity", "Quantity"),
    number("order.current_quantity", "Delivered"),
    record("user", "", RecordKind::User).filter_only(),
    id("user.id", ""),
    text("user.name", "Customer").filtered_by("user"),
    text("user.email", "").short_label("user"),
    id("external_order_id", "External panel order").nullable(),
    record("provider", "", RecordKind::Provider).nullable().filter_only(),
    id("provider.id", "").nullable(),
    text("provider.name", "Provider").nullable().filtered_by("provider"),
    enum_value("status", "Status", CancelRequestStatus::VALUES),
    enum_value("cause", "Reason for review", CancelRequestCause::VALUES).short_label("cause").nullable(),
    time("escalated_at", "Escalated").nullable(),
    text("provider_response", "Response of the provider").short_label("response").nullable(),
    money("refunded", "Refund").short_label("refunded").not_searchable(),
    time("created_at", "Created"),
    time("sent_at", "Sent to provider").nullable(),
    time("acknowledged_at", "Provider agreed").nullable(),
    time("deadline_at", "Deadline"),
    time("decided_at", "Decided").nullable(),
    record("decided_by", "", RecordKind::User).nullable().filter_only(),
    id("decided_by.id", "").nullable(),
    text("decided_by.name", "Decided by").nullable().filtered_by("decided_by"),
];
