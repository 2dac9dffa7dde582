//! Lists of services of external panels and of synchronizations.

use crate::endpoints::external_services::{ListPanelServices, ListSyncChanges, ListSyncRuns};
use crate::external_services::{PanelServiceRefusal, SyncField, SyncState};
use crate::lists::column::{Column, exact, flag, id, money, number, record, text, time, word};
use crate::lists::{List, Record};

/// Changes that synchronizations found, newest first.
pub static SYNC_CHANGES: List = List::of::<ListSyncChanges>("sync-changes", SYNC_CHANGES_COLUMNS)
    .wide(&[
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
    .narrow(&[
        "id",
        "external_panel.name",
        "provider.name",
        "service.name",
        "field",
        "old_value",
        "new_value",
        "state",
    ])
    .checked();

const SYNC_CHANGES_COLUMNS: &[Column] = &[
    id("id", "ID"),
    // The page of a run shows its changes.
    id("sync_run_id", ""),
    record("external_panel", "", Record::ExternalPanel).filter_only(),
    id("external_panel.id", ""),
    text("external_panel.name", "Panel").filtered_by("external_panel"),
    // The service identifies the change.
    exact("external_panel_service_id", ""),
    record("provider", "", Record::Provider).filter_only(),
    id("provider.id", ""),
    text("provider.name", "Provider").filtered_by("provider"),
    record("service", "", Record::Service).nullable().filter_only(),
    id("service.id", "").nullable(),
    text("service.name", "Service").nullable().filtered_by("service"),
    word("field", "Field", SyncField::VALUES).short("field"),
    text("old_value", "Before").short("old"),
    text("new_value", "After").short("new"),
    word("state", "State", SyncState::VALUES),
    time("created_at", "Found"),
    time("decided_at", "Decided").nullable(),
    id("decided_by.id", "Decided by").nullable(),
    text("decided_by.name", "").nullable().row_only(),
];

/// Synchronization runs, newest first.
pub static SYNC_RUNS: List = List::of::<ListSyncRuns>("sync-runs", SYNC_RUNS_COLUMNS)
    .wide(&[
        "id",
        "started_at",
        "external_panel.name",
        "services_count",
        "new_count",
        "gone_count",
        "applied_count",
        "held_count",
        "imported_count",
        "not_imported_count",
        "error",
    ])
    .narrow(&[
        "id",
        "external_panel.name",
        "started_at",
        "services_count",
        "new_count",
        "gone_count",
        "applied_count",
        "held_count",
        "imported_count",
        "error",
    ])
    .checked();

const SYNC_RUNS_COLUMNS: &[Column] = &[
    id("id", "ID"),
    record("external_panel", "", Record::ExternalPanel).filter_only(),
    id("external_panel.id", ""),
    text("external_panel.name", "Panel").filtered_by("external_panel"),
    time("started_at", "Started"),
    time("ended_at", "Ended").nullable(),
    number("services_count", "Services"),
    number("unreadable_count", "Unreadable"),
    number("new_count", "New"),
    number("gone_count", "Gone"),
    number("applied_count", "Applied"),
    number("held_count", "Held"),
    number("imported_count", "Imported"),
    number("not_imported_count", "Not imported"),
    text("error", "Error").nullable(),
];

/// Services that one external panel sells, newest first.
pub static PANEL_SERVICES: List =
    List::of::<ListPanelServices>("external-panel-services", PANEL_SERVICES_COLUMNS)
        .filters(&[id("external_panel_id", "")])
        .wide(&[
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
            "refusal_kind",
            "is_gone",
        ])
        .narrow(&[
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
        .checked();

const PANEL_SERVICES_COLUMNS: &[Column] = &[
    id("id", "ID"),
    exact("external_panel_service_id", "Their ID"),
    text("name", "Name"),
    exact("type", "Type"),
    text("category", "Category"),
    money("external_panel_price", "Price"),
    number("pricing_per", "Per"),
    number("min_quantity", "Min"),
    number("max_quantity", "Max"),
    flag("refill", "Refill"),
    flag("cancel", "Cancelable"),
    // The provider's page names the service of the panel.
    id("provider.id", "").nullable(),
    flag("is_imported", "Imported as").filter_only(),
    word("refusal_kind", "Why it cannot be imported", PanelServiceRefusal::VALUES).nullable(),
    flag("is_refused", "Cannot be imported").filter_only(),
    flag("is_gone", "No longer sold").filter_only(),
    time("gone_at", "Gone since").nullable(),
    time("created_at", "First seen"),
];
