//! Endpoints of services.

use crate::common::{BulkOutcome, Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::ServiceId;
use crate::services::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_services_endpoint "services";
    /// Lists services; `is_archived=1` selects archived services.
    ListServices list_services: GET "/api/v1/admin/services" [ViewServices] ((), TableQuery, EmptyBody) -> Page<ServiceRow>;
    /// Retrieves a service with its providers, labels and texts.
    GetService get_service: GET "/api/v1/admin/services/{id}" [ViewServices] (ServiceId, EmptyQuery, EmptyBody) -> Data<Service>;
    /// Creates a service in the last position of its service type; with `dry_run=1`, only validates the service.
    CreateService create_service: POST "/api/v1/admin/services" [ManageServicesAndProviders] ((), DryRun, ServiceInput) -> Data<Service>;
    /// Updates a service; with `dry_run=1`, only validates the change.
    UpdateService update_service: PUT "/api/v1/admin/services/{id}" [ManageServicesAndProviders] (ServiceId, DryRun, ServiceInput) -> Data<Service>;
    /// Updates switches of up to 10,000 services, all or none.
    BulkUpdateServices bulk_update_services: PATCH "/api/v1/admin/services/bulk" [ManageServicesAndProviders] ((), DryRun, BulkServicesInput) -> BulkOutcome;
    /// Archives a service; placed orders continue.
    ArchiveService archive_service: POST "/api/v1/admin/services/{id}/archive" [ManageServicesAndProviders] (ServiceId, DryRun, EmptyBody) -> Data<Service>;
    /// Restores an archived service to the last position of its service type.
    UnarchiveService unarchive_service: POST "/api/v1/admin/services/{id}/unarchive" [ManageServicesAndProviders] (ServiceId, DryRun, EmptyBody) -> Data<Service>;
    /// Copies a service; the copy is inactive.
    CopyService copy_service: POST "/api/v1/admin/services/{id}/copy" [ManageServicesAndProviders] (ServiceId, DryRun, EmptyBody) -> Data<Service>;
    /// Calculates the cost of a quantity for customers of each grade, at the prices in the request.
    PreviewPrices preview_prices: POST "/api/v1/admin/services/price-preview" [ViewServices] ((), EmptyQuery, PricePreviewInput) -> Data<Vec<GradePrice>>;
}
