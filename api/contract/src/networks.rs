//! Networks, the first level of the catalogue, on the wire.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::{Named, Patch, Translations};
use crate::ids::{NetworkId, ServiceTypeId};
use crate::moment::Stamp;
use crate::upload::Picture;

/// A network with the names of its service types.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Network {
    /// Id of the network.
    pub id: NetworkId,
    /// English name of the network.
    pub name: String,
    /// URL of the icon.
    pub icon: Option<String>,
    /// Color, `#rrggbb`.
    pub color: Option<String>,
    /// Example links that show customers what to enter.
    pub url_examples: Vec<String>,
    /// Sort position, from 1.
    pub sorting: i64,
    /// Service types of the network, in their order.
    pub service_types: Vec<Named<ServiceTypeId>>,
    /// Ids of the service types, in their order.
    #[serde(default)]
    pub positions: Vec<ServiceTypeId>,
    /// Names by locale.
    pub translations: Translations,
    /// When the record last changed; editors send it back to detect conflicts.
    pub updated_at: Stamp,
}

/// Body of `POST networks` and `PUT networks/{id}`. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkInput {
    /// English name, 1 to 100 characters; required for a new record, here or in `translations`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Icon image.
    #[serde(skip_serializing_if = "Picture::is_unchanged")]
    pub icon: Picture,
    /// Color, `#rrggbb`; null clears.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub color: Patch<String>,
    /// At most 20 absolute http(s) URLs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url_examples: Option<Vec<String>>,
    /// All names by locale; empty texts are removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// `updated_at` of the network that the editor read; a 409 `stale_record` if it has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// Body of `POST networks/sort`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SortNetworksInput {
    /// Ids of all networks, in their new order.
    pub networks: Vec<NetworkId>,
}

/// Body of `POST networks/{id}/sort-service-types`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SortServiceTypesInput {
    /// Ids of all service types of the network, in their new order.
    pub service_types: Vec<ServiceTypeId>,
}

crate::upload!(NetworkInput);
crate::wire!(Network, SortNetworksInput, SortServiceTypesInput);
