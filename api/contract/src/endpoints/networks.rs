//! Endpoints of networks.

use crate::common::{Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::NetworkId;
use crate::networks::*;
use crate::service_types::ServiceTypeRow;

crate::endpoints! { $ for_each_networks_endpoint "networks";
    /// Lists all networks with their service types, in their order.
    ListNetworks list_networks: GET "/api/v1/admin/networks" [ViewServices | ManageServiceTypes | ManagePackages | ManageExternalPanels] ((), EmptyQuery, EmptyBody) -> Data<Vec<Network>>;
    /// Creates a network in the last position.
    CreateNetwork create_network: POST "/api/v1/admin/networks" [ManageServiceTypes] ((), EmptyQuery, NetworkInput) -> Data<Network>;
    /// Updates a network.
    UpdateNetwork update_network: PUT "/api/v1/admin/networks/{id}" [ManageServiceTypes] (NetworkId, EmptyQuery, NetworkInput) -> Data<Network>;
    /// Deletes a network. If records use the network, the response is 409 and lists them.
    DeleteNetwork delete_network: DELETE "/api/v1/admin/networks/{id}" [ManageServiceTypes] (NetworkId, DryRun, EmptyBody) -> EmptyBody;
    /// Sorts all networks.
    SortNetworks sort_networks: POST "/api/v1/admin/networks/sort" [ManageServiceTypes] ((), EmptyQuery, SortNetworksInput) -> EmptyBody;
    /// Lists the service types of a network, in their order.
    ListNetworkServiceTypes list_network_service_types: GET "/api/v1/admin/networks/{id}/service-types" [ViewServices | ManageServiceTypes | ManagePackages | ManageExternalPanels] (NetworkId, EmptyQuery, EmptyBody) -> Data<Vec<ServiceTypeRow>>;
    /// Sorts all service types of a network.
    SortServiceTypes sort_service_types: POST "/api/v1/admin/networks/{id}/sort-service-types" [ManageServiceTypes] (NetworkId, EmptyQuery, SortServiceTypesInput) -> EmptyBody;
}
