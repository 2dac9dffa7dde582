//! The list of services.

use crate::endpoints::services::ListServices;
use crate::lists::column::{Column, enum_value, flag, id, money, number, record, text, time};
use crate::lists::{List, RecordKind};
use crate::panel_service_types::PanelServiceType;

/// Services, newest first.
pub static SERVICES: List = List::for_endpoint::<ListServices>("services", COLUMNS)
    .filters(&[flag("is_archived", "Archived")])
    .console_columns(&[
        "id",
        "name",
        "network.name",
        "service_type.name",
        "panel_service_type",
        "default_price",
        "min_quantity",
        "max_quantity",
        "is_enabled",
        "has_refill",
        "has_no_active_providers",
    ])
    .terminal_columns(&[
        "id",
        "name",
        "network.name",
        "service_type.name",
        "default_price",
        "pricing_per",
        "min_quantity",
        "max_quantity",
        "is_enabled",
        "has_no_active_providers",
    ])
    .validate();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    text("type", "").alias_of("service_type.name").filter_only(),
    id("service_type.id", ""),
    id("service_type_id", "").alias_of("service_type.id"),
    text("service_type.name", "Type"),
    text("network", "").filter_only(),
    id("network.id", ""),
    text("network.name", "Network"),
    money("price", "").alias_of("default_price").filter_only(),
    money("default_price", "Price"),
    money("min_price", "Minimum price"),
    number("pricing_per", "Price per").short_label("per"),
    number("min_quantity", "Min"),
    number("max_quantity", "Max"),
    number("quantity_step", "Step"),
    flag("is_enabled", "Status").short_label("enabled"),
    flag("is_archived", "Archived"),
    flag("moderation_is_enabled", "New orders need approval"),
    flag("has_refill", "Refill"),
    flag("drip_feed_is_allowed", "Drip-feed allowed"),
    enum_value("panel_service_type", "API type", PanelServiceType::VALUES).short_label("sold as"),
    flag("has_no_active_providers", "No active provider"),
    record("external_panels", "External panels", RecordKind::ExternalPanel).nullable(),
    time("created_at", "Created"),
];
