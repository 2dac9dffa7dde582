//! Lists of services of external panels and of synchronizations.

use crate::endpoints::external_services::{ListPanelServices, ListSyncChanges, ListSyncRuns};
use crate::external_services::{PanelServiceRejection, SyncField, SyncState};
use crate::lists::column::{Column, enum_value, exact_text, flag, id, money, number, record, text, time};
use crate::lists::{List, RecordKind};

/// Changes that synchronizations found, newest first.
pub static SYNC_CHANGES: List = List::for_endpoint::<ListSyncChanges>("sync-changes", SYNC_CHANGES_COLUMNS)
    .console_columns(&[
        "id",
        "created_at",
        "state",
        "external_panel.name",
        "provider.name",
        "service.name",
        "field",
        "old_value",
        "new_value",
    ])
    .terminal_columns(&[
        "id",
        "external_panel.name",
        "provider.name",
        "service.name",
        "field",
        "old_value",
        "new_value",
        "state",
    ])
    .validate();

const SYNC_CHANGES_COLUMNS: &[Column] = &[
    id("id", "ID"),
    // Without a label, because the page of a run lists its changes.
    id("sync_run_id", ""),
    record("external_panel", "", RecordKind::ExternalPanel).filter_only(),
    id("external_panel.id", ""),
    text("external_panel.name", "Panel").filtered_by("external_panel"),
    // Without a label, because the name of the service identifies the change.
    exact_text("external_panel_service_id", ""),
    record("provider", "", RecordKind::Provider).filter_only(),
    id("provider.id", ""),
    text("provider.name", "Provider").filtered_by("provider"),
    record("service", "", RecordKind::Service).nullable().filter_only(),
    id("service.id", "").nullable(),
    text("service.name", "Service").nullable().filtered_by("service"),
    enum_value("field", "Field", SyncField::VALUES).short_label("field"),
    text("old_value", "Before").short_label("old"),
    text("new_value", "After").short_label("new"),
    enum_value("state", "State", SyncState::VALUES),
    time("created_at", "Found"),
    time("decided_at", "Decided").nullable(),
    id("decided_by.id", "Decided by").nullable(),
    text("decided_by.name", "").nullable().row_only(),
];

/// Synchronization runs, newest first.
pub static SYNC_RUNS: List = List::for_endpoint::<ListSyncRuns>("sync-runs", SYNC_RUNS_COLUMNS)
    .console_columns(&[
        "id",
        "started_at",
        "external_panel.name",
        "services_count",
        "new_count",
        "vanished_count",
        "applied_count",
        "held_count",
        "imported_count",
        "not_imported_count",
        "error",
    ])
    .terminal_columns(&[
        "id",
        "external_panel.name",
        "started_at",
        "services_count",
        "new_count",
        "vanished_count",
        "applied_count",
        "held_count",
        "imported_count",
        "error",
    ])
    .validate();

const SYNC_RUNS_COLUMNS: &[Column] = &[
    id("id", "ID"),
    record("external_panel", "", RecordKind::ExternalPanel).filter_only(),
    id("external_panel.id", ""),
    text("external_panel.name", "Panel").filtered_by("external_panel"),
    time("started_at", "Started"),
    time("ended_at", "Ended").nullable(),
    number("services_count", "Services"),
    number("unreadable_count", "Unreadable"),
    number("new_count", "New"),
    number("vanished_count", "Gone"),
    number("applied_count", "Applied"),
    number("held_count", "Held"),
    number("imported_count", "Imported"),
    number("not_imported_count", "Not imported"),
    text("error", "Error").nullable(),
];

/// Services that one external panel sells, newest first.
pub static PANEL_SERVICES: List =
    List::for_endpoint::<ListPanelServices>("external-panel-services", PANEL_SERVICES_COLUMNS)
        .filters(&[id("external_panel_id", "")])
        .console_columns(&[
            "external_panel_service_id",
            "name",
            "category",
            "type",
            "external_panel_price",
            "pricing_per",
            "min_quantity",
            "max_quantity",
            "refill",
            "is_imported",
            "rejection_kind",
            "is_vanished",
        ])
        .terminal_columns(&[
            "external_panel_service_id",
            "name",
            "category",
            "type",
            "external_panel_price",
            "pricing_per",
            "min_quantity",
            "max_quantity",
            "refill",
        ])
        .validate();

const PANEL_SERVICES_COLUMNS: &[Column] = &[
    id("id", "ID"),
    exact_text("external_panel_service_id", "Their ID"),
    text("name", "Name"),
    exact_text("type", "Type"),
    text("category", "Category"),
    money("external_panel_price", "Price"),
    number("pricing_per", "Per"),
    number("min_quantity", "Min"),
    number("max_quantity", "Max"),
    flag("refill", "Refill"),
    flag("cancel", "Cancelable"),
    // Without a label, because the page of the provider shows the service of the external panel.
    id("provider.id", "").nullable(),
    flag("is_imported", "Imported as").filter_only(),
    enum_value("rejection_kind", "Why it cannot be imported", PanelServiceRejection::VALUES).nullable(),
    flag("is_rejected", "Cannot be imported").filter_only(),
    flag("is_vanished", "No longer sold").filter_only(),
    time("vanished_at", "Gone since").nullable(),
    time("created_at", "First seen"),
];
