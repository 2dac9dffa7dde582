//! Endpoints of the auto-promotion.

use crate::auto_promotions::*;
use crate::common::{Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::{AutoPromotionServiceId, NetworkId, ServiceTypeId};

crate::endpoints! { $ for_each_auto_promotions_endpoint "auto-promotions";
    /// Lists the networks of the auto-promotion, in their order.
    ListAutoPromotionNetworks auto_promotion_networks: GET "/api/v1/admin/auto-promotions/networks" [ManagePanelSettings] ((), EmptyQuery, EmptyBody) -> Data<Vec<AutoPromotionNetwork>>;
    /// Lists service types with active services, and the number of services that are in the auto-promotion.
    ListAutoPromotionServiceTypes auto_promotion_service_types: GET "/api/v1/admin/auto-promotions/service-types" [ManagePanelSettings] ((), AutoPromotionQuery, EmptyBody) -> Data<Vec<AutoPromotionServiceType>>;
    /// Lists the services of the auto-promotion, in the order of the catalogue.
    ListAutoPromotionServices auto_promotion_services: GET "/api/v1/admin/auto-promotions/services" [ManagePanelSettings] ((), AutoPromotionQuery, EmptyBody) -> Data<Vec<AutoPromotionService>>;
    /// Adds services to the auto-promotion, or enables, disables and changes the markup of services that are already in it.
    AddAutoPromotionServices add_auto_promotion_services: POST "/api/v1/admin/auto-promotions/services" [ManagePanelSettings] ((), EmptyQuery, AutoPromotionServicesInput) -> Data<Vec<AutoPromotionService>>;
    /// Enables a disabled network of the auto-promotion, or disables an enabled network.
    ToggleAutoPromotionNetwork toggle_auto_promotion_network: POST "/api/v1/admin/auto-promotions/networks/{id}/toggle" [ManagePanelSettings] (NetworkId, EmptyQuery, EmptyBody) -> Data<AutoPromotionNetwork>;
    /// Sorts the networks of the auto-promotion.
    SortAutoPromotionNetworks sort_auto_promotions: POST "/api/v1/admin/auto-promotions/sort" [ManagePanelSettings] ((), EmptyQuery, SortAutoPromotionNetworksInput) -> Data<Vec<AutoPromotionNetwork>>;
    /// Updates a network of the auto-promotion: whether it is enabled, and its markup.
    UpdateAutoPromotionNetwork update_auto_promotion_network: PATCH "/api/v1/admin/auto-promotions/networks/{id}" [ManagePanelSettings] (NetworkId, EmptyQuery, AutoPromotionLevelInput) -> Data<AutoPromotionNetwork>;
    /// Updates a service type of the auto-promotion: whether it is enabled, and its markup.
    UpdateAutoPromotionServiceType update_auto_promotion_service_type: PATCH "/api/v1/admin/auto-promotions/service-types/{id}" [ManagePanelSettings] (ServiceTypeId, EmptyQuery, AutoPromotionLevelInput) -> Data<AutoPromotionServiceType>;
    /// Sorts the service types of a network of the auto-promotion.
    SortAutoPromotionServiceTypes sort_auto_promotion_service_types: POST "/api/v1/admin/auto-promotions/networks/{id}/sort-service-types" [ManagePanelSettings] (NetworkId, EmptyQuery, SortAutoPromotionServiceTypesInput) -> Data<Vec<AutoPromotionServiceType>>;
    /// Sorts the services of a service type of the auto-promotion.
    SortAutoPromotionServices sort_auto_promotion_services: POST "/api/v1/admin/auto-promotions/service-types/{id}/sort-services" [ManagePanelSettings] (ServiceTypeId, EmptyQuery, SortAutoPromotionServicesInput) -> Data<Vec<AutoPromotionService>>;
    /// Removes a service from the auto-promotion.
    DeleteAutoPromotionService delete_auto_promotion: DELETE "/api/v1/admin/auto-promotions/{id}" [ManagePanelSettings] (AutoPromotionServiceId, DryRun, EmptyBody) -> EmptyBody;
}
