//! The rule by which a panel's new services are imported by themselves, as it crosses the wire.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::{Fraction, Money};
use crate::ids::{CheckerGroupId, ExternalPanelId, NetworkId, ServiceTypeId};
use crate::moment::{Stamp, Time};
use crate::panel_service_types::PanelServiceType;

/// How new services of an external panel are imported by themselves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportRule {
    /// The panel.
    pub external_panel_id: ExternalPanelId,
    /// Whether the rule is on: the panel's switch `sync_services`.
    pub is_enabled: bool,
    /// Since when it is on. Services that the panel sold before are not imported by it. None until the first sync where the
    /// panel's list was not known when the rule was switched on.
    pub enabled_since: Option<Time>,
    /// On top of what the panel asks, as a fraction; none for the panel's own. At least the least margin.
    pub margin_percent: Option<Fraction>,
    /// The network of the services; required with `keep_categories`.
    pub network_id: Option<NetworkId>,
    /// The service type of the services; with `keep_categories` only for those that have no category.
    pub service_type_id: Option<ServiceTypeId>,
    /// Whether each service goes into the service type of the network that keeps the panel's category, which the import makes
    /// where there is none.
    pub keep_categories: bool,
    /// Their promotable checker group.
    pub promotable_checker_group_id: Option<CheckerGroupId>,
    /// Whether the smallest and largest order follow the panel; as the panel has it where it is not given, like the following.
    pub sync_params: Option<bool>,
    /// Whether the prices follow.
    pub sync_prices: Option<bool>,
    /// Whether the labels follow.
    pub sync_labels: Option<bool>,
    /// Whether the name follows.
    pub sync_name: Option<bool>,
    /// Whether the texts for search engines follow.
    pub sync_meta: Option<bool>,
    /// Whether refill and drip-feed follow.
    pub sync_service_details: Option<bool>,
    /// Whether the description follows.
    pub sync_description_field: Option<bool>,
    /// Whether the short description follows.
    pub sync_short_description: Option<bool>,
    /// Whether the reviews follow.
    pub sync_reviews: Option<bool>,
    /// Only services of these categories of the panel, exactly as it writes them; empty for all.
    pub categories: Vec<String>,
    /// Only services of these types; empty for all that can be sold here.
    pub types: Vec<PanelServiceType>,
    /// Only services with this text in their name, upper and lower case alike.
    pub name_contains: Option<String>,
    /// No services with this text in their name.
    pub name_excludes: Option<String>,
    /// Only services that cost at least this much, as the panel asks it, in the panel's currency.
    pub price_from: Option<Money>,
    /// Only services that cost at most this much.
    pub price_to: Option<Money>,
    /// When the rule last changed, echoed by editors; none where no rule was ever stored.
    pub updated_at: Option<Stamp>,
}

/// Body of `PUT external-panels/{id}/import-rule`: the whole rule; what is left out is none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ImportRuleInput {
    /// Whether the rule is on. A rule that is on says where its services belong: a service type, or a network and
    /// `keep_categories`.
    pub is_enabled: bool,
    /// On top of what the panel asks, as a fraction; none for the panel's own. At least the least margin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin_percent: Option<Fraction>,
    /// The network of the services; required with `keep_categories`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_id: Option<NetworkId>,
    /// The service type of the services; with `keep_categories` only for those that have no category.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_type_id: Option<ServiceTypeId>,
    /// Whether each service goes into the service type of the network that keeps the panel's category, which the import makes
    /// where there is none.
    pub keep_categories: bool,
    /// Their promotable checker group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promotable_checker_group_id: Option<CheckerGroupId>,
    /// Whether the smallest and largest order follow the panel; as the panel has it where it is not given, like the following.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_params: Option<bool>,
    /// Whether the prices follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_prices: Option<bool>,
    /// Whether the labels follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_labels: Option<bool>,
    /// Whether the name follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_name: Option<bool>,
    /// Whether the texts for search engines follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_meta: Option<bool>,
    /// Whether refill and drip-feed follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_service_details: Option<bool>,
    /// Whether the description follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_description_field: Option<bool>,
    /// Whether the short description follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_short_description: Option<bool>,
    /// Whether the reviews follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_reviews: Option<bool>,
    /// Only services of these categories of the panel, exactly as it writes them; empty for all.
    pub categories: Vec<String>,
    /// Only services of these types; empty for all that can be sold here.
    pub types: Vec<PanelServiceType>,
    /// Only services with this text in their name, upper and lower case alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name_contains: Option<String>,
    /// No services with this text in their name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name_excludes: Option<String>,
    /// Only services that cost at least this much, as the panel asks it, in the panel's currency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_from: Option<Money>,
    /// Only services that cost at most this much.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_to: Option<Money>,
    /// As it was read: refused when another member of staff changed the rule meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

crate::wire!(ImportRule, ImportRuleInput);
