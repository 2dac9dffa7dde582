//! Networks, the first level of the catalogue, as they cross the wire.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::{Named, Patch, Translations};
use crate::ids::{NetworkId, ServiceTypeId};
use crate::moment::Stamp;
use crate::upload::Picture;

/// A network with the names of its service types.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Network {
    /// The network's id.
    pub id: NetworkId,
    /// English name.
    pub name: String,
    /// Address of its icon.
    pub icon: Option<String>,
    /// `#rrggbb`.
    pub color: Option<String>,
    /// Addresses that show a customer what to enter.
    pub url_examples: Vec<String>,
    /// Its place among the networks, from 1.
    pub sorting: i64,
    /// Its service types, in their order.
    pub service_types: Vec<Named<ServiceTypeId>>,
    /// Ids of its service types, in their order.
    #[serde(default)]
    pub positions: Vec<ServiceTypeId>,
    /// Locale → `name` → text.
    pub translations: Translations,
    /// When it last changed; echoed by editors.
    pub updated_at: Stamp,
}

/// Body of `POST networks` and `PUT networks/{id}`: what is left out stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkInput {
    /// English name, 1 to 100 characters; required for a new one, here or among the translations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its icon.
    #[serde(skip_serializing_if = "Picture::is_unchanged")]
    pub icon: Picture,
    /// `#rrggbb`; null clears.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub color: Patch<String>,
    /// At most 20 absolute http(s) addresses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url_examples: Option<Vec<String>>,
    /// All of them; empty texts are dropped. Field: `name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// As it was read: refused when somebody changed the network meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// Body of `POST networks/sort`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SortNetworksInput {
    /// All network ids in their new order.
    pub networks: Vec<NetworkId>,
}

/// Body of `POST networks/{id}/sort-service-types`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SortServiceTypesInput {
    /// All service types of the network in their new order.
    pub service_types: Vec<ServiceTypeId>,
}

crate::upload!(NetworkInput);
crate::wire!(Network, SortNetworksInput, SortServiceTypesInput);
