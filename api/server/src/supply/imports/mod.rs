//! Stores the service lists of external panels, imports services from them, and keeps imported services in sync.
//!
//! A sync must never cause a sale at a loss: a synced price is at least the cost plus the minimum margin, a service that cannot be
//! synced is deactivated, and a change that looks like a mistake of the external panel is held until a staff member approves it.

/// SQL expression: the id of the first provider that was created from `k`, a service of an external panel. With `min(id)` instead
/// of `min(id + 0)`, PostgreSQL would scan all providers by id for each service, because it expects an early match.
macro_rules! first_provider_id {
    () => {
        "(SELECT min(x.id + 0) FROM providers x WHERE x.external_panel_id = k.external_panel_id
            AND x.external_panel_service_id = k.external_panel_service_id AND NOT x.is_archived)"
    };
}

pub mod apply;
pub mod compare;
pub mod customer_prices;
pub mod import_rule;
pub mod imported_targets;
pub mod labels;
pub mod lines;
pub mod new_services;
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
    AcceptSyncChange, FetchAvailableServices, GetImportRule, ImportPackages, ImportProviders, ImportServices,
    ListPanelServices, ListSyncChanges, ListSyncRuns, PricePanelServices, RefreshAvailableServices,
    RejectSyncChange, SyncPanel, UpdateImportRule,
};

use crate::http::api::Api;

pub use panel_services::PANEL_SERVICES;
pub use sync_log::{SYNC_CHANGES, SYNC_RUNS};

pub fn routes(api: Api) -> Api {
    api.route_with_response::<ListPanelServices, _, _>(panel_services::list)
        .describe_list::<ListPanelServices>(&PANEL_SERVICES)
        .route::<PricePanelServices, _, _, _>(panel_services::calculate_prices)
        .route::<RefreshAvailableServices, _, _, _>(panel_services::preview)
        .route::<FetchAvailableServices, _, _, _>(panel_services::fetch_and_store)
        .route::<ImportServices, _, _, _>(services::import)
        .route::<ImportPackages, _, _, _>(packages::import)
        .route::<ImportProviders, _, _, _>(providers::import)
        .route::<GetImportRule, _, _, _>(import_rule::get)
        .route::<UpdateImportRule, _, _, _>(import_rule::update)
        .route::<SyncPanel, _, _, _>(sync::request_sync)
        .list_route::<ListSyncRuns, _, _>(&SYNC_RUNS, |run: sync_log::SyncRunRecord, _| run.into_row())
        .list_route::<ListSyncChanges, _, _>(&SYNC_CHANGES, |change: sync_log::SyncChangeRecord, ctx| {
            change.into_row(ctx)
        })
        .route::<AcceptSyncChange, _, _, _>(sync_log::accept)
        .route::<RejectSyncChange, _, _, _>(sync_log::reject)
}
