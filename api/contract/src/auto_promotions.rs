//! Auto-promotion: the networks, service types and services that customers can choose for the automatic promotion of an account.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::amount::Fraction;
use crate::common::{NamedRef, Patch};
use crate::ids::{AutoPromotionServiceId, NetworkId, ServiceId, ServiceTypeId};

/// A network of the auto-promotion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AutoPromotionNetwork {
    /// Id of the network.
    pub id: NetworkId,
    /// Name of the network.
    pub name: String,
    /// URL of the icon; null if there is none.
    pub icon: Option<String>,
    /// Whether customers can choose the network.
    pub is_enabled: bool,
    /// Markup on prices, as a fraction, for services without their own markup and without a markup of their service type; null for
    /// none.
    pub resale_margin_fraction: Option<Fraction>,
    /// Sort position among the networks.
    pub sorting: i64,
    /// Number of services in the auto-promotion, enabled or not.
    pub services_count: i64,
    /// Number of enabled services in the auto-promotion.
    pub enabled_services_count: i64,
}

/// A service type with services in the auto-promotion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AutoPromotionServiceType {
    /// Id of the service type.
    pub id: ServiceTypeId,
    /// Name of the service type.
    pub name: String,
    /// Network of the service type, by id and name.
    pub network: NamedRef<NetworkId>,
    /// Whether customers can choose the service type; always false without services in the auto-promotion.
    pub is_enabled: bool,
    /// Markup on prices, as a fraction, for services without their own markup; null inherits the markup of the network.
    pub resale_margin_fraction: Option<Fraction>,
    /// Sort position among the service types of the network.
    pub sorting: i64,
    /// Number of services in the auto-promotion, enabled or not.
    pub services_count: i64,
    /// Number of enabled services in the auto-promotion.
    pub enabled_services_count: i64,
    /// Number of active services of the type that are not in the auto-promotion.
    pub other_services_count: i64,
}

/// A service of the auto-promotion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AutoPromotionService {
    /// Id of the entry in the auto-promotion.
    pub id: AutoPromotionServiceId,
    /// Service that customers can choose, by id and name.
    pub service: NamedRef<ServiceId>,
    /// Service type of the service, by id and name.
    pub service_type: NamedRef<ServiceTypeId>,
    /// Network of the service, by id and name.
    pub network: NamedRef<NetworkId>,
    /// Whether customers can choose the service, if its service type and network are enabled too.
    pub is_enabled: bool,
    /// Markup on the price, as a fraction; null inherits from the service type, then the network, then the service itself.
    pub resale_margin_fraction: Option<Fraction>,
    /// Sort position among the services of the service type.
    pub sorting: i64,
}

/// Query of `GET auto-promotions/service-types` and `GET auto-promotions/services`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct AutoPromotionQuery {
    /// Return only entries of this network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "3")]
    pub network_id: Option<NetworkId>,
    /// Return only entries of this service type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "7")]
    pub service_type_id: Option<ServiceTypeId>,
}

crate::serde_queries!(AutoPromotionQuery);

/// Body of `POST auto-promotions/services`, which adds services, or updates services that are already in the auto-promotion.
/// Without `services` the request applies to all active services of the service type or network.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AutoPromotionServicesInput {
    /// Ids of the services, at most 10,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub services: Option<Vec<ServiceId>>,
    /// Network whose active services are added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_id: Option<NetworkId>,
    /// Service type whose active services are added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_type_id: Option<ServiceTypeId>,
    /// Whether customers can choose the services; defaults to true for services that are added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_enabled: Option<bool>,
    /// Markup on the prices, a fraction from 0 to 1; null inherits the markup of the service type.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub resale_margin_fraction: Patch<Fraction>,
    /// Accept a margin below the minimum; only possible if the setting `min_margin_action` is `warn`.
    #[serde(default, skip_serializing_if = "crate::common::is_false")]
    pub confirm_below_margin: bool,
}

/// Body of `POST auto-promotions/sort`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SortAutoPromotionNetworksInput {
    /// Ids of all networks of the auto-promotion, in their new order.
    pub networks: Vec<NetworkId>,
}

/// Body of `PATCH auto-promotions/networks/{id}` and `PATCH auto-promotions/service-types/{id}`. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AutoPromotionLevelInput {
    /// Whether customers can choose the network or service type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_enabled: Option<bool>,
    /// Markup on prices, a fraction from 0 to 1; null inherits from the level above.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub resale_margin_fraction: Patch<Fraction>,
    /// Accept a margin below the minimum; only possible if the setting `min_margin_action` is `warn`.
    #[serde(default, skip_serializing_if = "crate::common::is_false")]
    pub confirm_below_margin: bool,
}

/// Body of `POST auto-promotions/networks/{id}/sort-service-types`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SortAutoPromotionServiceTypesInput {
    /// Ids of all service types of the network in the auto-promotion, in their new order.
    pub service_types: Vec<ServiceTypeId>,
}

/// Body of `POST auto-promotions/service-types/{id}/sort-services`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SortAutoPromotionServicesInput {
    /// Ids of all services of the service type in the auto-promotion, in their new order.
    pub services: Vec<ServiceId>,
}

crate::json_bodies!(
    AutoPromotionServicesInput,
    SortAutoPromotionNetworksInput,
    AutoPromotionLevelInput,
    SortAutoPromotionServiceTypesInput,
    SortAutoPromotionServicesInput
);
