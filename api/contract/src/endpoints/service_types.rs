//! Endpoints of service types.

use crate::common::{Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::ServiceTypeId;
use crate::service_types::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_service_types_endpoint "service-types";
    /// Lists service types, newest first.
    ListServiceTypes list_service_types: GET "/api/v1/admin/service-types" [ViewServices | ManageServiceTypes] ((), TableQuery, EmptyBody) -> Page<ServiceTypeRow>;
    /// Creates a service type in the last position of its network.
    CreateServiceType create_service_type: POST "/api/v1/admin/service-types" [ManageServiceTypes] ((), EmptyQuery, ServiceTypeInput) -> Data<ServiceType>;
    /// Lists the platforms of service types.
    GetServiceTypeCollections list_service_type_collections: GET "/api/v1/admin/service-types/collections" [ViewServices | ManageServiceTypes] ((), EmptyQuery, EmptyBody) -> Data<ServiceTypeCollections>;
    /// Retrieves a service type with its texts.
    GetServiceType get_service_type: GET "/api/v1/admin/service-types/{id}" [ViewServices | ManageServiceTypes] (ServiceTypeId, EmptyQuery, EmptyBody) -> Data<ServiceType>;
    /// Updates a service type.
    UpdateServiceType update_service_type: PUT "/api/v1/admin/service-types/{id}" [ManageServiceTypes] (ServiceTypeId, EmptyQuery, ServiceTypeUpdate) -> Data<ServiceType>;
    /// Deletes a service type. If records use the service type, the response is 409 and lists them.
    DeleteServiceType delete_service_type: DELETE "/api/v1/admin/service-types/{id}" [ManageServiceTypes] (ServiceTypeId, DryRun, EmptyBody) -> EmptyBody;
    /// Lists the services of a service type that are not archived, in their order.
    ListServicesOfType list_services_of_type: GET "/api/v1/admin/service-types/{id}/services" [ViewServices | ManageServiceTypes] (ServiceTypeId, EmptyQuery, EmptyBody) -> Data<Vec<PositionedService>>;
    /// Sorts all services of a service type.
    SortServices sort_services: POST "/api/v1/admin/service-types/{id}/sort-services" [ManageServiceTypes] (ServiceTypeId, EmptyQuery, SortServicesInput) -> EmptyBody;
}
