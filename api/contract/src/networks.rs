//! Social networks, which are the first level of the catalogue.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::{NamedRef, Patch, Translations};
use crate::ids::{NetworkId, ServiceTypeId};
use crate::moment::Timestamp;
use crate::upload::ImageInput;

/// A network with the names of its service types.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Network {
    /// Id of the network.
    pub id: NetworkId,
    /// English name of the network.
    pub name: String,
    /// URL of the icon; null if there is none.
    pub icon: Option<String>,
    /// Color of the network, `#rrggbb`; null if there is none.
    pub color: Option<String>,
    /// Example links that show customers what to enter in an order.
    pub url_examples: Vec<String>,
    /// Sort position among the networks, from 1.
    pub sorting: i64,
    /// Service types of the network by id and name, in their order.
    pub service_types: Vec<NamedRef<ServiceTypeId>>,
    /// Ids of the same service types, in the same order.
    #[serde(default)]
    pub positions: Vec<ServiceTypeId>,
    /// Names by locale; English is always present.
    pub translations: Translations,
    /// When the record last changed; editors send this time back to detect conflicts.
    pub updated_at: Timestamp,
}

/// Body of `POST networks` and `PUT networks/{id}`. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkInput {
    /// English name, 1 to 100 characters; required for a new network, in this field or in `translations`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Icon file of the network.
    #[serde(skip_serializing_if = "ImageInput::is_unchanged")]
    pub icon: ImageInput,
    /// Color of the network, `#rrggbb`; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub color: Patch<String>,
    /// Example links that show customers what to enter in an order: at most 20 absolute http(s) URLs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url_examples: Option<Vec<String>>,
    /// All names by locale; empty texts are removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// `updated_at` of the network that the editor read; 409 `stale_record` if the network has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
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

crate::image_bodies!(NetworkInput);
crate::json_bodies!(Network, SortNetworksInput, SortServiceTypesInput);
