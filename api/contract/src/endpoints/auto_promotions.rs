//! Endpoints of the auto-promotion.

use crate::auto_promotions::*;
use crate::common::{Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::{NetworkId, PromotedServiceId, ServiceTypeId};

crate::endpoints! { $ for_each_auto_promotions_endpoint "auto-promotions";
    /// Networks of the auto-promotion, in their order.
    ListPromotedNetworks auto_promotion_networks: GET "/api/v1/admin/auto-promotions/networks" [ManagePanelSettings] ((), NoQuery, NoBody) -> Data<Vec<PromotedNetwork>>;
    /// Service types with services on sale, and how many of them are in the auto-promotion.
    ListPromotedTypes auto_promotion_service_types: GET "/api/v1/admin/auto-promotions/service-types" [ManagePanelSettings] ((), PromotedQuery, NoBody) -> Data<Vec<PromotedType>>;
    /// Services of the auto-promotion, as the catalogue has them in order.
    ListPromotedServices auto_promotion_services: GET "/api/v1/admin/auto-promotions/services" [ManagePanelSettings] ((), PromotedQuery, NoBody) -> Data<Vec<PromotedService>>;
    /// Adds services, or changes whether they are offered and with which margin.
    AddPromotedServices add_auto_promotion_services: POST "/api/v1/admin/auto-promotions/services" [ManagePanelSettings] ((), NoQuery, PromotedServicesInput) -> Data<Vec<PromotedService>>;
    /// Offers a network that is not offered, and the other way round.
    TogglePromotedNetwork toggle_auto_promotion_network: POST "/api/v1/admin/auto-promotions/networks/{id}/toggle" [ManagePanelSettings] (NetworkId, NoQuery, NoBody) -> Data<PromotedNetwork>;
    /// Puts the networks in order.
    SortPromotedNetworks sort_auto_promotions: POST "/api/v1/admin/auto-promotions/sort" [ManagePanelSettings] ((), NoQuery, SortPromotedInput) -> Data<Vec<PromotedNetwork>>;
    /// Changes whether a network is offered and with which margin.
    UpdatePromotedNetwork update_auto_promotion_network: PATCH "/api/v1/admin/auto-promotions/networks/{id}" [ManagePanelSettings] (NetworkId, NoQuery, PromotedLevelInput) -> Data<PromotedNetwork>;
    /// Changes whether a service type is offered and with which margin.
    UpdatePromotedType update_auto_promotion_service_type: PATCH "/api/v1/admin/auto-promotions/service-types/{id}" [ManagePanelSettings] (ServiceTypeId, NoQuery, PromotedLevelInput) -> Data<PromotedType>;
    /// Puts the service types of a network in order.
    SortPromotedTypes sort_auto_promotion_service_types: POST "/api/v1/admin/auto-promotions/networks/{id}/sort-service-types" [ManagePanelSettings] (NetworkId, NoQuery, SortPromotedTypesInput) -> Data<Vec<PromotedType>>;
    /// Puts the services of a service type in order.
    SortPromotedServices sort_auto_promotion_services: POST "/api/v1/admin/auto-promotions/service-types/{id}/sort-services" [ManagePanelSettings] (ServiceTypeId, NoQuery, SortPromotedServicesInput) -> Data<Vec<PromotedService>>;
    /// Takes a service out of the auto-promotion.
    DeletePromotedService delete_auto_promotion: DELETE "/api/v1/admin/auto-promotions/{id}" [ManagePanelSettings] (PromotedServiceId, DryRun, NoBody) -> NoBody;
}
