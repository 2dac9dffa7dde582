//! The list of cancel requests.

use crate::cancel_requests::{CancelRequestCause, CancelRequestStatus};
use crate::endpoints::cancel_requests::ListCancelRequests;
use crate::lists::column::{Column, flag, id, money, number, record, text, time, word};
use crate::lists::{List, Record};
use crate::orders::OrderStatus;

/// Requests of customers to cancel an order, newest first.
pub static CANCEL_REQUESTS: List = List::of::<ListCancelRequests>("order-cancel-requests", COLUMNS)
    .filters(&[flag("waiting", "Awaits staff"), id("order_id", "")])
    .wide(&[
        "id",
        "created_at",
        "status",
        "cause",
        "order.id",
        "order.current_quantity",
        "returned",
        "user.name",
        "provider.name",
        "answer",
        "deadline_at",
        "decided_by.name",
    ])
    .narrow(&[
        "id",
        "status",
        "cause",
        "created_at",
        "order.id",
        "order.current_quantity",
        "order.quantity",
        "returned",
        "user.email",
        "provider.name",
        "answer",
        "deadline_at",
    ])
    .checked();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    id("order.id", "Order"),
    text("order.name", "Order name"),
    word("order.status", "Order status", OrderStatus::VALUES),
    number("order.quantity", "Quantity"),
    number("order.current_quantity", "Delivered"),
    record("user", "", Record::User).filter_only(),
    id("user.id", ""),
    text("user.name", "Customer").filtered_by("user"),
    text("user.email", "").short("user"),
    id("external_order_id", "External panel order").nullable(),
    record("provider", "", Record::Provider).nullable().filter_only(),
    id("provider.id", "").nullable(),
    text("provider.name", "Provider").nullable().filtered_by("provider"),
    word("status", "Status", CancelRequestStatus::VALUES),
    word("cause", "Reason for review", CancelRequestCause::VALUES).short("cause").nullable(),
    time("escalated_at", "Escalated").nullable(),
    text("answer", "Provider answer").short("answer").nullable(),
    money("returned", "Refund").short("returned").not_searchable(),
    time("created_at", "Created"),
    time("asked_at", "Sent to provider").nullable(),
    time("acknowledged_at", "Provider agreed").nullable(),
    time("deadline_at", "Deadline"),
    time("decided_at", "Decided").nullable(),
    record("decided_by", "", Record::User).nullable().filter_only(),
    id("decided_by.id", "").nullable(),
    text("decided_by.name", "Decided by").nullable().filtered_by("decided_by"),
];
