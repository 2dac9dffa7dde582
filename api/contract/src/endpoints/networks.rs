//! Endpoints of networks.

use crate::common::{Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::NetworkId;
use crate::networks::*;
use crate::service_types::ServiceTypeRow;

crate::endpoints! { $ for_each_networks_endpoint "networks";
    /// All networks with their service types, in their order.
    ListNetworks list_networks: GET "/api/v1/admin/networks" [ViewServices | ManageServiceTypes | ManagePackages | ManageExternalPanels] ((), NoQuery, NoBody) -> Data<Vec<Network>>;
    /// A new network, placed last.
    CreateNetwork create_network: POST "/api/v1/admin/networks" [ManageServiceTypes] ((), NoQuery, NetworkInput) -> Data<Network>;
    /// Changes a network.
    UpdateNetwork update_network: PUT "/api/v1/admin/networks/{id}" [ManageServiceTypes] (NetworkId, NoQuery, NetworkInput) -> Data<Network>;
    /// Deletes a network; a 409 names what uses it.
    DeleteNetwork delete_network: DELETE "/api/v1/admin/networks/{id}" [ManageServiceTypes] (NetworkId, DryRun, NoBody) -> NoBody;
    /// Puts all networks in an order.
    SortNetworks sort_networks: POST "/api/v1/admin/networks/sort" [ManageServiceTypes] ((), NoQuery, SortNetworksInput) -> NoBody;
    /// The service types of a network, in their order.
    ListNetworkServiceTypes list_network_service_types: GET "/api/v1/admin/networks/{id}/service-types" [ViewServices | ManageServiceTypes | ManagePackages | ManageExternalPanels] (NetworkId, NoQuery, NoBody) -> Data<Vec<ServiceTypeRow>>;
    /// Puts all service types of a network in an order.
    SortServiceTypes sort_service_types: POST "/api/v1/admin/networks/{id}/sort-service-types" [ManageServiceTypes] (NetworkId, NoQuery, SortServiceTypesInput) -> NoBody;
}
