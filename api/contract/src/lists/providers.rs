//! The list of providers.

use crate::endpoints::providers::ListProviders;
use crate::lists::column::{Column, exact, flag, id, money, number, record, text, time, word};
use crate::lists::{List, Record};
use crate::providers::{ProviderStatus, ProviderType};

/// All providers, by name.
pub static PROVIDERS: List = List::of::<ListProviders>("providers", COLUMNS)
    .filters(&[flag("is_archived", "Archived")])
    .order(&[("name", false)])
    .wide(&[
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
    .narrow(&[
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
    .checked();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    word("type", "Type", ProviderType::VALUES),
    record("external_panel", "", Record::ExternalPanel).nullable().filter_only(),
    id("external_panel.id", "").nullable(),
    text("external_panel.name", "External panel").short("panel").nullable().filtered_by("external_panel"),
    exact("external_panel_service_id", "External service").nullable(),
    money("source_price.amount", "Price"),
    exact("source_price.currency", "Currency"),
    number("source_pricing_per", "Per"),
    number("services_count", "Services"),
    word("status", "Status", ProviderStatus::VALUES),
    flag("is_archived", ""),
    flag("is_available", "Available"),
    time("last_available_at", "Last available").nullable(),
    time("created_at", "Created"),
    time("updated_at", "Updated"),
];
