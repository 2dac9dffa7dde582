//! Stores the service lists of external panels, imports services from them, and keeps imported services in sync.
//!
//! A sync must never sell at a loss: a synced price is at least the cost plus the lowest margin, a service that cannot be
//! synced is taken off sale, and a change that looks like the panel's mistake waits for a staff member's approval.

/// SQL: the first provider that was created from `k`, a service of a panel. With a plain `min(id)`, PostgreSQL scans all
/// providers by id for each service, because it expects an early match.
macro_rules! first_provider {
    () => {
        "(SELECT min(x.id + 0) FROM providers x WHERE x.external_panel_id = k.external_panel_id
            AND x.external_panel_service_id = k.external_panel_service_id AND NOT x.is_archived)"
    };
}

pub mod apply;
pub mod follow_packages;
mod followed;
pub mod held;
pub mod import_rule;
pub mod judge;
pub mod labels;
pub mod lines;
pub mod listed;
pub mod new_services;
pub mod own_prices;
pub mod packages;
pub mod prices;
pub mod providers;
pub mod questions;
pub mod services;
pub mod sold;
pub mod store;
pub mod stored_catalogue;
pub mod sync;

use panel_contract::endpoints::external_services::{
    AcceptSyncChange, AskAvailableServices, FetchAvailableServices, GetImportRule, ImportPackages,
    ImportProviders, ImportServices, ListPanelServices, ListSyncChanges, ListSyncRuns, PricePanelServices,
    RefuseSyncChange, SyncPanel, UpdateImportRule,
};

use crate::http::api::Api;

pub use held::{SYNC_CHANGES, SYNC_RUNS};
pub use listed::PANEL_SERVICES;

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.raw::<ListPanelServices, _, _>(listed::list)
        .described_by::<ListPanelServices>(&PANEL_SERVICES)
        .on::<PricePanelServices, _, _, _>(listed::price)
        .on::<AskAvailableServices, _, _, _>(listed::ask)
        .on::<FetchAvailableServices, _, _, _>(listed::fetch)
        .on::<ImportServices, _, _, _>(services::import)
        .on::<ImportPackages, _, _, _>(packages::import)
        .on::<ImportProviders, _, _, _>(providers::import)
        .on::<GetImportRule, _, _, _>(import_rule::get)
        .on::<UpdateImportRule, _, _, _>(import_rule::update)
        .on::<SyncPanel, _, _, _>(sync::ask)
        .table::<ListSyncRuns, _, _>(&SYNC_RUNS, |run: held::Run, _| run.shown())
        .table::<ListSyncChanges, _, _>(&SYNC_CHANGES, |change: held::Record, ctx| change.shown(ctx))
        .on::<AcceptSyncChange, _, _, _>(held::accept)
        .on::<RefuseSyncChange, _, _, _>(held::refuse)
}
