//! The list of providers.

use crate::endpoints::providers::ListProviders;
use crate::lists::column::{Column, enum_value, exact_text, flag, id, money, number, record, text, time};
use crate::lists::{ASCENDING, List, RecordKind};
use crate::providers::{ProviderStatus, ProviderType};

/// Providers, sorted by name.
pub static PROVIDERS: List = List::for_endpoint::<ListProviders>("providers", COLUMNS)
    .filters(&[flag("is_archived", "Archived")])
    .order(&[("name", ASCENDING)])
    .console_columns(&[
        "id",
        "name",
        "status",
        "is_available",
        "external_panel.name",
        "external_panel_service_id",
        "source_price.amount",
        "source_pricing_per",
        "services_count",
    ])
    .terminal_columns(&[
        "id",
        "name",
        "status",
        "is_available",
        "external_panel.name",
        "external_panel_service_id",
        "source_price.amount",
        "source_price.currency",
        "source_pricing_per",
        "services_count",
    ])
    .validate();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    enum_value("type", "Type", ProviderType::VALUES),
    record("external_panel", "", RecordKind::ExternalPanel).nullable().filter_only(),
    id("external_panel.id", "").nullable(),
    text("external_panel.name", "External panel")
        .short_label("panel")
        .nullable()
        .filtered_by("external_panel"),
    exact_text("external_panel_service_id", "External service").nullable(),
    money("source_price.amount", "Price"),
    exact_text("source_price.currency", "Currency"),
    number("source_pricing_per", "Per"),
    number("services_count", "Services"),
    enum_value("status", "Status", ProviderStatus::VALUES),
    flag("is_archived", ""),
    flag("is_available", "Available"),
    time("last_available_at", "Last available").nullable(),
    time("created_at", "Created"),
    time("updated_at", "Updated"),
];
