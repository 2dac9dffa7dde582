//! Endpoints of what external panels sell: the list, imports, and what following a panel changes.

use crate::common::{Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::external_services::*;
use crate::ids::{ExternalPanelId, SyncChangeId};
use crate::import_rules::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_external_services_endpoint "external-panels";
    /// What a panel sells, as it last said, newest first.
    ListPanelServices list_panel_services: GET "/api/v1/admin/external-panels/{id}/services" [ManageExternalPanels] (ExternalPanelId, TableQuery, NoBody) -> Page<PanelService>;
    /// What some of a panel's services would cost here.
    PricePanelServices price_panel_services: POST "/api/v1/admin/external-panels/{id}/services" [ManageExternalPanels] (ExternalPanelId, NoQuery, PriceServicesInput) -> Data<Vec<ImportableService>>;
    /// Asks a panel what it sells now; nothing is kept.
    AskAvailableServices ask_available_services: GET "/api/v1/admin/external-panels/{id}/available-services" [ManageExternalPanels] (ExternalPanelId, NoQuery, NoBody) -> Data<Vec<AvailableService>>;
    /// Asks a panel what it sells now and keeps it, to be imported from.
    FetchAvailableServices fetch_available_services: POST "/api/v1/admin/external-panels/{id}/available-services" [ManageExternalPanels] (ExternalPanelId, NoQuery, NoBody) -> Data<FetchedServices>;
    /// Makes services and their providers of what a panel sells, all of them or none; errors name the place in the list.
    ImportServices import_services: POST "/api/v1/admin/external-panels/import-services" [ManageExternalPanels] ((), DryRun, ImportServicesInput) -> Data<ImportOutcome>;
    /// The rule by which a panel's new services are imported by themselves; one that is off where none was stored.
    GetImportRule get_import_rule: GET "/api/v1/admin/external-panels/{id}/import-rule" [ManageExternalPanels] (ExternalPanelId, NoQuery, NoBody) -> Data<ImportRule>;
    /// Stores the rule by which a panel's new services are imported by themselves, and switches it on or off.
    UpdateImportRule update_import_rule: PUT "/api/v1/admin/external-panels/{id}/import-rule" [ManageExternalPanels] (ExternalPanelId, DryRun, ImportRuleInput) -> Data<ImportRule>;
    /// Makes packages of an external panel known, to make packages of.
    ImportPackages import_packages: POST "/api/v1/admin/external-panels/import-packages" [ManageExternalPanels] ((), DryRun, ImportPackagesInput) -> Data<ImportOutcome>;
    /// Makes providers of what a panel sells, without services.
    ImportProviders import_providers: POST "/api/v1/admin/external-panels/import-providers" [ManageExternalPanels] ((), DryRun, ImportProvidersInput) -> Data<ImportOutcome>;
    /// Looks at once what a panel sells and follows it, in the background.
    SyncPanel sync_panel: POST "/api/v1/admin/external-panels/{id}/sync" [ManageExternalPanels] (ExternalPanelId, NoQuery, NoBody) -> Data<SyncAsked>;
    /// Looks at panels' services, newest first.
    ListSyncRuns list_sync_runs: GET "/api/v1/admin/external-panels/sync-runs" [ManageExternalPanels] ((), TableQuery, NoBody) -> Page<SyncRunRow>;
    /// What those looks changed, and what waits for a yes or no, newest first.
    ListSyncChanges list_sync_changes: GET "/api/v1/admin/external-panels/sync-changes" [ManageExternalPanels] ((), TableQuery, NoBody) -> Page<SyncChangeRow>;
    /// Says yes to a change that waits: it is made.
    AcceptSyncChange accept_sync_change: POST "/api/v1/admin/external-panels/sync-changes/{id}/accept" [ManageExternalPanels] (SyncChangeId, DryRun, NoBody) -> Data<SyncChangeRow>;
    /// Says no to a change that waits: nothing changes, and the same is not asked again.
    RefuseSyncChange refuse_sync_change: POST "/api/v1/admin/external-panels/sync-changes/{id}/refuse" [ManageExternalPanels] (SyncChangeId, DryRun, NoBody) -> Data<SyncChangeRow>;
}
