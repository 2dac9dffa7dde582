//! Auto-promotion as it crosses the wire: what is offered to customers who want an account promoted by itself.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::amount::Fraction;
use crate::common::{Named, Patch};
use crate::ids::{NetworkId, PromotedServiceId, ServiceId, ServiceTypeId};

/// A network of the auto-promotion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PromotedNetwork {
    /// The network's id.
    pub id: NetworkId,
    /// Its name.
    pub name: String,
    /// Address of its icon.
    pub icon: Option<String>,
    /// Whether it is offered.
    pub is_enabled: bool,
    /// What is added to the prices of its services there, where neither service nor service type says.
    pub resale_margin_percent: Option<Fraction>,
    /// Its place among the networks.
    pub sorting: i64,
    /// Its services in the auto-promotion.
    pub services_count: i64,
    /// Those of them that are offered.
    pub enabled_services_count: i64,
}

/// A service type with services in the auto-promotion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PromotedType {
    /// The service type's id.
    pub id: ServiceTypeId,
    /// Its name.
    pub name: String,
    /// Its network.
    pub network: Named<NetworkId>,
    /// Whether it is offered; never without services in the auto-promotion.
    pub is_enabled: bool,
    /// What is added to the prices of its services there, where the service does not say; none: what the network says.
    pub resale_margin_percent: Option<Fraction>,
    /// Its place among the service types of its network.
    pub sorting: i64,
    /// Its services in the auto-promotion.
    pub services_count: i64,
    /// Those of them that are offered.
    pub enabled_services_count: i64,
    /// Its services on sale that are not in the auto-promotion yet.
    pub other_services_count: i64,
}

/// A service of the auto-promotion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PromotedService {
    /// Its id within the auto-promotion.
    pub id: PromotedServiceId,
    /// The service.
    pub service: Named<ServiceId>,
    /// Its service type.
    pub service_type: Named<ServiceTypeId>,
    /// Its network.
    pub network: Named<NetworkId>,
    /// Whether it is offered.
    pub is_enabled: bool,
    /// What is added to its price there; none: what its service type says, then its network, then the service itself.
    pub resale_margin_percent: Option<Fraction>,
    /// Its place among the services of its service type.
    pub sorting: i64,
}

/// Query of the lists of service types and services.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct PromotedQuery {
    /// Only of this network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "3")]
    pub network_id: Option<NetworkId>,
    /// Only of this service type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "7")]
    pub service_type_id: Option<ServiceTypeId>,
}

crate::plain_query!(PromotedQuery);

/// Body of `POST auto-promotions/services`: adds services, or changes those that are there. Without `services` it means all
/// services on sale of the service type, or of the network.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PromotedServicesInput {
    /// The services, at most 10,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub services: Option<Vec<ServiceId>>,
    /// The network that they are of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_id: Option<NetworkId>,
    /// The service type that they are of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_type_id: Option<ServiceTypeId>,
    /// Whether they are offered; new ones are when nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_enabled: Option<bool>,
    /// What is added to their prices there, 0 to 1; null: what each service itself says.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub resale_margin_percent: Patch<Fraction>,
    /// Sets a margin below the least one all the same, where the setting `min_margin_action` is `warn`.
    #[serde(default, skip_serializing_if = "crate::common::is_false")]
    pub confirm_below_margin: bool,
}

/// Body of `POST auto-promotions/sort`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SortPromotedInput {
    /// All networks of the auto-promotion, in their new order.
    pub networks: Vec<NetworkId>,
}

/// Body of `PATCH auto-promotions/networks/{id}` and `PATCH auto-promotions/service-types/{id}`: what is left out stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PromotedLevelInput {
    /// Whether it is offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_enabled: Option<bool>,
    /// What is added to prices there, 0 to 1; null: what the level above says.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub resale_margin_percent: Patch<Fraction>,
    /// Sets a margin below the least one all the same, where the setting `min_margin_action` is `warn`.
    #[serde(default, skip_serializing_if = "crate::common::is_false")]
    pub confirm_below_margin: bool,
}

/// Body of `POST auto-promotions/networks/{id}/sort-service-types`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SortPromotedTypesInput {
    /// All service types of the network that are in the auto-promotion, in their new order.
    pub service_types: Vec<ServiceTypeId>,
}

/// Body of `POST auto-promotions/service-types/{id}/sort-services`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SortPromotedServicesInput {
    /// All services of the service type that are in the auto-promotion, in their new order.
    pub services: Vec<ServiceId>,
}

crate::wire!(
    PromotedServicesInput,
    SortPromotedInput,
    PromotedLevelInput,
    SortPromotedTypesInput,
    SortPromotedServicesInput
);
