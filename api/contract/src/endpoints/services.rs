//! Endpoints of services.

use crate::common::{BulkOutcome, Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::ServiceId;
use crate::services::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_services_endpoint "services";
    /// Services; `is_archived` 0 or 1.
    ListServices list_services: GET "/api/v1/admin/services" [ViewServices] ((), TableQuery, NoBody) -> Page<ServiceRow>;
    /// One service with everything about it.
    GetService get_service: GET "/api/v1/admin/services/{id}" [ViewServices] (ServiceId, NoQuery, NoBody) -> Data<Service>;
    /// A new service, placed last in its service type; with `dry_run=1`, judged only.
    CreateService create_service: POST "/api/v1/admin/services" [ManageServicesAndProviders] ((), DryRun, ServiceInput) -> Data<Service>;
    /// Changes a service; with `dry_run=1`, judged only.
    UpdateService update_service: PUT "/api/v1/admin/services/{id}" [ManageServicesAndProviders] (ServiceId, DryRun, ServiceInput) -> Data<Service>;
    /// Changes switches of up to 10,000 services at once, all of them or none.
    BulkUpdateServices bulk_update_services: PATCH "/api/v1/admin/services/bulk" [ManageServicesAndProviders] ((), DryRun, BulkServicesInput) -> BulkOutcome;
    /// Takes a service off sale for good; orders that were placed go on.
    ArchiveService archive_service: POST "/api/v1/admin/services/{id}/archive" [ManageServicesAndProviders] (ServiceId, DryRun, NoBody) -> Data<Service>;
    /// Brings an archived service back, placed last in its service type.
    UnarchiveService unarchive_service: POST "/api/v1/admin/services/{id}/unarchive" [ManageServicesAndProviders] (ServiceId, DryRun, NoBody) -> Data<Service>;
    /// Another service like it, not on sale yet.
    CopyService copy_service: POST "/api/v1/admin/services/{id}/copy" [ManageServicesAndProviders] (ServiceId, DryRun, NoBody) -> Data<Service>;
    /// What a quantity costs customers of each grade at given prices.
    PreviewPrices preview_prices: POST "/api/v1/admin/services/price-preview" [ViewServices] ((), NoQuery, PricePreviewInput) -> Data<Vec<GradePrice>>;
}
