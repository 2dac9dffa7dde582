//! Endpoints of services of external panels: lists, imports and synchronization.

use crate::common::{Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::external_services::*;
use crate::ids::{ExternalPanelId, SyncChangeId};
use crate::import_rules::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_external_services_endpoint "external-panels";
    /// Lists the services of an external panel as of the last synchronization, newest first.
    ListPanelServices list_panel_services: GET "/api/v1/admin/external-panels/{id}/services" [ManageExternalPanels] (ExternalPanelId, TableQuery, EmptyBody) -> Page<PanelService>;
    /// Calculates the prices that services of an external panel would have in this panel.
    PricePanelServices price_panel_services: POST "/api/v1/admin/external-panels/{id}/services" [ManageExternalPanels] (ExternalPanelId, EmptyQuery, PriceServicesInput) -> Data<Vec<ImportableService>>;
    /// Fetches the current services of an external panel without storing them.
    RefreshAvailableServices refresh_available_services: GET "/api/v1/admin/external-panels/{id}/available-services" [ManageExternalPanels] (ExternalPanelId, EmptyQuery, EmptyBody) -> Data<Vec<AvailableService>>;
    /// Fetches and stores the current services of an external panel, for imports.
    FetchAvailableServices fetch_available_services: POST "/api/v1/admin/external-panels/{id}/available-services" [ManageExternalPanels] (ExternalPanelId, EmptyQuery, EmptyBody) -> Data<FetchedServices>;
    /// Imports services with their providers, all or none; field errors contain the position in the list.
    ImportServices import_services: POST "/api/v1/admin/external-panels/import-services" [ManageExternalPanels] ((), DryRun, ImportServicesInput) -> Data<ImportOutcome>;
    /// Retrieves the rule for the automatic import of new services; returns a disabled rule if no rule is stored.
    GetImportRule get_import_rule: GET "/api/v1/admin/external-panels/{id}/import-rule" [ManageExternalPanels] (ExternalPanelId, EmptyQuery, EmptyBody) -> Data<ImportRule>;
    /// Replaces the rule for the automatic import of new services, and enables or disables it.
    UpdateImportRule update_import_rule: PUT "/api/v1/admin/external-panels/{id}/import-rule" [ManageExternalPanels] (ExternalPanelId, DryRun, ImportRuleInput) -> Data<ImportRule>;
    /// Imports packages of an external panel, from which packages of this panel can be created.
    ImportPackages import_packages: POST "/api/v1/admin/external-panels/import-packages" [ManageExternalPanels] ((), DryRun, ImportPackagesInput) -> Data<ImportOutcome>;
    /// Imports providers from an external panel, without services.
    ImportProviders import_providers: POST "/api/v1/admin/external-panels/import-providers" [ManageExternalPanels] ((), DryRun, ImportProvidersInput) -> Data<ImportOutcome>;
    /// Starts a synchronization with an external panel in the background.
    SyncPanel sync_panel: POST "/api/v1/admin/external-panels/{id}/sync" [ManageExternalPanels] (ExternalPanelId, EmptyQuery, EmptyBody) -> Data<ScheduledSync>;
    /// Lists synchronization runs, newest first.
    ListSyncRuns list_sync_runs: GET "/api/v1/admin/external-panels/sync-runs" [ManageExternalPanels] ((), TableQuery, EmptyBody) -> Page<SyncRunRow>;
    /// Lists changes that synchronizations found, newest first.
    ListSyncChanges list_sync_changes: GET "/api/v1/admin/external-panels/sync-changes" [ManageExternalPanels] ((), TableQuery, EmptyBody) -> Page<SyncChangeRow>;
    /// Accepts and applies a change that waits for a decision.
    AcceptSyncChange accept_sync_change: POST "/api/v1/admin/external-panels/sync-changes/{id}/accept" [ManageExternalPanels] (SyncChangeId, DryRun, EmptyBody) -> Data<SyncChangeRow>;
    /// Rejects a change that waits for a decision. Synchronization does not propose the same change again.
    RejectSyncChange reject_sync_change: POST "/api/v1/admin/external-panels/sync-changes/{id}/reject" [ManageExternalPanels] (SyncChangeId, DryRun, EmptyBody) -> Data<SyncChangeRow>;
}
