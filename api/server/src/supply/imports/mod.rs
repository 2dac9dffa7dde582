//! Stores the service lists of external panels, imports services from them, and keeps imported services in sync.
//!
//! A sync must never sell at a loss: a synced price is at least the cost plus the minimum margin, a service that cannot be
//! synced is taken off sale, and a change that looks like a mistake of the panel is held until a staff member approves it.

/// SQL: the first provider that was created from `k`, a service of a panel. With a plain `min(id)`, PostgreSQL scans all
/// providers by id for each service, because it expects an early match.
macro_rules! first_provider {
    () => {
        "(SELECT min(x.id + 0) FROM providers x WHERE x.external_panel_id = k.external_panel_id
            AND x.external_panel_service_id = k.external_panel_service_id AND NOT x.is_archived)"
    };
}

pub mod apply;
pub mod compare;
pub mod import_rule;
pub mod imported_targets;
pub mod labels;
pub mod lines;
pub mod new_services;
pub mod own_prices;
pub mod packages;
pub mod panel_pricing;
pub mod panel_services;
pub mod prices;
pub mod providers;
pub mod services;
pub mod stored_catalogue;
pub mod sync;
pub mod sync_flags;
pub mod sync_log;
pub mod sync_packages;
pub mod sync_store;
mod synced_panels;
pub mod synced_services;

use panel_contract::endpoints::external_services::{
    AcceptSyncChange, AskAvailableServices, FetchAvailableServices, GetImportRule, ImportPackages,
    ImportProviders, ImportServices, ListPanelServices, ListSyncChanges, ListSyncRuns, PricePanelServices,
    RefuseSyncChange, SyncPanel, UpdateImportRule,
};

use crate::http::api::Api;

pub use panel_services::PANEL_SERVICES;
pub use sync_log::{SYNC_CHANGES, SYNC_RUNS};

pub fn routes(api: Api) -> Api {
    api.raw::<ListPanelServices, _, _>(panel_services::list)
        .described_by::<ListPanelServices>(&PANEL_SERVICES)
        .on::<PricePanelServices, _, _, _>(panel_services::price)
        .on::<AskAvailableServices, _, _, _>(panel_services::preview)
        .on::<FetchAvailableServices, _, _, _>(panel_services::fetch)
        .on::<ImportServices, _, _, _>(services::import)
        .on::<ImportPackages, _, _, _>(packages::import)
        .on::<ImportProviders, _, _, _>(providers::import)
        .on::<GetImportRule, _, _, _>(import_rule::get)
        .on::<UpdateImportRule, _, _, _>(import_rule::update)
        .on::<SyncPanel, _, _, _>(sync::request_sync)
        .table::<ListSyncRuns, _, _>(&SYNC_RUNS, |run: sync_log::SyncRunRecord, _| run.into_row())
        .table::<ListSyncChanges, _, _>(&SYNC_CHANGES, |change: sync_log::SyncChangeRecord, ctx| {
            change.into_row(ctx)
        })
        .on::<AcceptSyncChange, _, _, _>(sync_log::accept)
        .on::<RefuseSyncChange, _, _, _>(sync_log::refuse)
}
