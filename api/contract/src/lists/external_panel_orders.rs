//! The list of external orders.

use crate::endpoints::external_panel_orders::ListExternalPanelOrders;
use crate::lists::column::{
    Column, enum_value, exact_text, flag, id, json, money, number, record, text, time,
};
use crate::lists::{List, RecordKind};
use crate::orders::{ExternalStatus, OrderStatus};

/// External orders, newest first. Each is one attempt to place an order at an external panel.
pub static EXTERNAL_PANEL_ORDERS: List =
    List::for_endpoint::<ListExternalPanelOrders>("external-panel-orders", COLUMNS)
        .filters(&[
            flag("stuck", "Needs attention"),
            id("order_id", "Order"),
            id("provider_id", "Provider"),
            id("external_panel_id", "External panel"),
        ])
        .console_columns(&[
            "id",
            "order.id",
            "status",
            "service.name",
            "provider.name",
            "external_panel.name",
            "external_panel_order_id",
            "initial_quantity",
            "remains",
            "charge",
            "last_error",
            "created_at",
        ])
        .terminal_columns(&[
            "id",
            "order.id",
            "status",
            "provider.name",
            "external_panel_order_id",
            "initial_quantity",
            "remains",
            "charge",
            "created_at",
            "last_error",
        ])
        .validate();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    id("order.id", "Order"),
    text("order.name", "Order name"),
    enum_value("order.status", "Order status", OrderStatus::VALUES),
    record("service", "", RecordKind::Service).filter_only(),
    id("service.id", ""),
    text("service.name", "Service").filtered_by("service"),
    record("provider", "", RecordKind::Provider).filter_only(),
    id("provider.id", ""),
    text("provider.name", "Provider").filtered_by("provider"),
    record("external_panel", "", RecordKind::ExternalPanel).nullable().filter_only(),
    id("external_panel.id", "").nullable(),
    text("external_panel.name", "External panel").nullable().filtered_by("external_panel"),
    exact_text("external_panel_service_id", "External service").nullable(),
    exact_text("external_panel_order_id", "External ID").nullable(),
    enum_value("status", "Status", ExternalStatus::VALUES),
    money("charge", "Charge"),
    money("initial_charge", "Initial charge"),
    exact_text("currency", "Currency").nullable(),
    number("initial_quantity", "Quantity"),
    number("sold_quantity", "Sold quantity"),
    number("remains", "Remains").nullable(),
    number("start_count", "Start count").nullable(),
    text("last_error", "Last error").short_label("error").nullable(),
    text("last_request", "").nullable().not_searchable(),
    text("last_response", "").nullable().not_searchable(),
    json("not_forwarded", "").nullable().not_searchable(),
    text("unknown_message", "Panel message").nullable(),
    time("alert_at", "Needs attention since").nullable(),
    time("sent_at", "Sent").nullable(),
    time("cancel_requested_at", "Cancel requested").nullable(),
    time("ended_at", "Ended").nullable(),
    time("created_at", "Created"),
];
