//! Endpoints of service types.

use crate::common::{Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::ServiceTypeId;
use crate::service_types::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_service_types_endpoint "service-types";
    /// Service types.
    ListServiceTypes list_service_types: GET "/api/v1/admin/service-types" [ViewServices | ManageServiceTypes] ((), TableQuery, NoBody) -> Page<ServiceTypeRow>;
    /// A new service type, placed last in its network.
    CreateServiceType create_service_type: POST "/api/v1/admin/service-types" [ManageServiceTypes] ((), NoQuery, ServiceTypeInput) -> Data<ServiceType>;
    /// What a service type can be about.
    ListServiceTypeCollections list_service_type_collections: GET "/api/v1/admin/service-types/collections" [ViewServices | ManageServiceTypes] ((), NoQuery, NoBody) -> Data<ServiceTypeCollections>;
    /// One service type with everything about it.
    GetServiceType get_service_type: GET "/api/v1/admin/service-types/{id}" [ViewServices | ManageServiceTypes] (ServiceTypeId, NoQuery, NoBody) -> Data<ServiceType>;
    /// Changes a service type.
    UpdateServiceType update_service_type: PUT "/api/v1/admin/service-types/{id}" [ManageServiceTypes] (ServiceTypeId, NoQuery, ServiceTypeChange) -> Data<ServiceType>;
    /// Deletes a service type; a 409 names what uses it.
    DeleteServiceType delete_service_type: DELETE "/api/v1/admin/service-types/{id}" [ManageServiceTypes] (ServiceTypeId, DryRun, NoBody) -> NoBody;
    /// The services of a service type that are not archived, in their order.
    ListServicesOfType list_services_of_type: GET "/api/v1/admin/service-types/{id}/services" [ViewServices | ManageServiceTypes] (ServiceTypeId, NoQuery, NoBody) -> Data<Vec<PlacedService>>;
    /// Puts all services of a service type in an order.
    SortServices sort_services: POST "/api/v1/admin/service-types/{id}/sort-services" [ManageServiceTypes] (ServiceTypeId, NoQuery, SortServicesInput) -> NoBody;
}
