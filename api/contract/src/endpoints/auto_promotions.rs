//! Endpoints of the auto-promotion.

use crate::auto_promotions::*;
use crate::common::{Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::{NetworkId, PromotedServiceId, ServiceTypeId};

crate::endpoints! { $ for_each_auto_promotions_endpoint "auto-promotions";
    /// Lists the networks of the auto-promotion, in their order.
    ListPromotedNetworks auto_promotion_networks: GET "/api/v1/admin/auto-promotions/networks" [ManagePanelSettings] ((), EmptyQuery, EmptyBody) -> Data<Vec<PromotedNetwork>>;
    /// Lists service types with active services, and how many of them are in the auto-promotion.
    ListPromotedTypes auto_promotion_service_types: GET "/api/v1/admin/auto-promotions/service-types" [ManagePanelSettings] ((), PromotedQuery, EmptyBody) -> Data<Vec<PromotedType>>;
    /// Lists the services of the auto-promotion, in the order of the catalogue.
    ListPromotedServices auto_promotion_services: GET "/api/v1/admin/auto-promotions/services" [ManagePanelSettings] ((), PromotedQuery, EmptyBody) -> Data<Vec<PromotedService>>;
    /// Adds services to the auto-promotion, or updates their availability and margin.
    AddPromotedServices add_auto_promotion_services: POST "/api/v1/admin/auto-promotions/services" [ManagePanelSettings] ((), EmptyQuery, PromotedServicesInput) -> Data<Vec<PromotedService>>;
    /// Enables a disabled network of the auto-promotion, or disables an enabled one.
    TogglePromotedNetwork toggle_auto_promotion_network: POST "/api/v1/admin/auto-promotions/networks/{id}/toggle" [ManagePanelSettings] (NetworkId, EmptyQuery, EmptyBody) -> Data<PromotedNetwork>;
    /// Sorts the networks of the auto-promotion.
    SortPromotedNetworks sort_auto_promotions: POST "/api/v1/admin/auto-promotions/sort" [ManagePanelSettings] ((), EmptyQuery, SortPromotedInput) -> Data<Vec<PromotedNetwork>>;
    /// Updates availability and margin of a network of the auto-promotion.
    UpdatePromotedNetwork update_auto_promotion_network: PATCH "/api/v1/admin/auto-promotions/networks/{id}" [ManagePanelSettings] (NetworkId, EmptyQuery, PromotedLevelInput) -> Data<PromotedNetwork>;
    /// Updates availability and margin of a service type of the auto-promotion.
    UpdatePromotedType update_auto_promotion_service_type: PATCH "/api/v1/admin/auto-promotions/service-types/{id}" [ManagePanelSettings] (ServiceTypeId, EmptyQuery, PromotedLevelInput) -> Data<PromotedType>;
    /// Sorts the service types of a network of the auto-promotion.
    SortPromotedTypes sort_auto_promotion_service_types: POST "/api/v1/admin/auto-promotions/networks/{id}/sort-service-types" [ManagePanelSettings] (NetworkId, EmptyQuery, SortPromotedTypesInput) -> Data<Vec<PromotedType>>;
    /// Sorts the services of a service type of the auto-promotion.
    SortPromotedServices sort_auto_promotion_services: POST "/api/v1/admin/auto-promotions/service-types/{id}/sort-services" [ManagePanelSettings] (ServiceTypeId, EmptyQuery, SortPromotedServicesInput) -> Data<Vec<PromotedService>>;
    /// Removes a service from the auto-promotion.
    DeletePromotedService delete_auto_promotion: DELETE "/api/v1/admin/auto-promotions/{id}" [ManagePanelSettings] (PromotedServiceId, DryRun, EmptyBody) -> EmptyBody;
}
