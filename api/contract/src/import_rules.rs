//! The import rule of an external panel, by which synchronization imports new services.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::{Fraction, Money};
use crate::ids::{CheckerGroupId, ExternalPanelId, NetworkId, ServiceTypeId};
use crate::moment::{Time, Timestamp};
use crate::panel_service_types::PanelServiceType;

/// Rule for the automatic import of new services of an external panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportRule {
    /// Id of the external panel.
    pub external_panel_id: ExternalPanelId,
    /// Whether the rule is enabled; the same as `sync_services` of the external panel.
    pub is_enabled: bool,
    /// When the rule was enabled. The rule imports only services that the external panel started to sell later. If the services of
    /// the external panel were not known when the rule was enabled, the value is null until the first synchronization.
    pub enabled_since: Option<Time>,
    /// Markup on the price of the external panel, as a fraction, at least the minimum margin; null for the default markup of the
    /// external panel.
    pub margin_fraction: Option<Fraction>,
    /// Id of the network of imported services; required with `keep_categories`.
    pub network_id: Option<NetworkId>,
    /// Id of the service type of imported services; with `keep_categories` only for services without a category.
    pub service_type_id: Option<ServiceTypeId>,
    /// Whether the import puts each service into the service type that corresponds to its category, and creates missing service
    /// types.
    pub keep_categories: bool,
    /// Id of the checker group for the links of orders of imported services.
    pub promotable_checker_group_id: Option<CheckerGroupId>,
    /// Whether synchronization updates minimum and maximum quantities. This field and the following `sync_` fields default to
    /// the settings of the external panel.
    pub sync_params: Option<bool>,
    /// Whether synchronization updates prices.
    pub sync_prices: Option<bool>,
    /// Whether synchronization updates labels.
    pub sync_labels: Option<bool>,
    /// Whether synchronization updates names.
    pub sync_name: Option<bool>,
    /// Whether synchronization updates texts for search engines.
    pub sync_meta: Option<bool>,
    /// Whether synchronization updates refill and drip-feed support.
    pub sync_service_details: Option<bool>,
    /// Whether synchronization updates descriptions.
    pub sync_description_field: Option<bool>,
    /// Whether synchronization updates short descriptions.
    pub sync_short_description: Option<bool>,
    /// Whether synchronization updates reviews.
    pub sync_reviews: Option<bool>,
    /// Import only services of these categories, spelled as at the external panel; empty for all categories.
    pub categories: Vec<String>,
    /// Import only services of these types; empty for all supported types.
    pub types: Vec<PanelServiceType>,
    /// Import only services whose name contains this string, case-insensitively.
    pub name_contains: Option<String>,
    /// Skip services whose name contains this string, case-insensitively.
    pub name_excludes: Option<String>,
    /// Import only services with at least this price, in the currency of the external panel.
    pub price_from: Option<Money>,
    /// Import only services with at most this price, in the currency of the external panel.
    pub price_to: Option<Money>,
    /// When the rule last changed; editors send this time back to detect conflicts. Null if no rule was saved yet.
    pub updated_at: Option<Timestamp>,
}

/// Body of `PUT external-panels/{id}/import-rule`, the whole rule. Absent fields are cleared.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ImportRuleInput {
    /// Whether the rule is enabled. An enabled rule requires a service type, or a network and `keep_categories`.
    pub is_enabled: bool,
    /// Markup on the price of the external panel, as a fraction, at least the minimum margin; null for the default markup of the
    /// external panel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin_fraction: Option<Fraction>,
    /// Id of the network of imported services; required with `keep_categories`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_id: Option<NetworkId>,
    /// Id of the service type of imported services; with `keep_categories` only for services without a category.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_type_id: Option<ServiceTypeId>,
    /// Whether the import puts each service into the service type that corresponds to its category, and creates missing service
    /// types.
    pub keep_categories: bool,
    /// Id of the checker group for the links of orders of imported services.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promotable_checker_group_id: Option<CheckerGroupId>,
    /// Whether synchronization updates minimum and maximum quantities. This field and the following `sync_` fields default to
    /// the settings of the external panel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_params: Option<bool>,
    /// Whether synchronization updates prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_prices: Option<bool>,
    /// Whether synchronization updates labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_labels: Option<bool>,
    /// Whether synchronization updates names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_name: Option<bool>,
    /// Whether synchronization updates texts for search engines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_meta: Option<bool>,
    /// Whether synchronization updates refill and drip-feed support.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_service_details: Option<bool>,
    /// Whether synchronization updates descriptions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_description_field: Option<bool>,
    /// Whether synchronization updates short descriptions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_short_description: Option<bool>,
    /// Whether synchronization updates reviews.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_reviews: Option<bool>,
    /// Import only services of these categories, spelled as at the external panel; empty for all categories.
    pub categories: Vec<String>,
    /// Import only services of these types; empty for all supported types.
    pub types: Vec<PanelServiceType>,
    /// Import only services whose name contains this string, case-insensitively.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name_contains: Option<String>,
    /// Skip services whose name contains this string, case-insensitively.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name_excludes: Option<String>,
    /// Import only services with at least this price, in the currency of the external panel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_from: Option<Money>,
    /// Import only services with at most this price, in the currency of the external panel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_to: Option<Money>,
    /// `updated_at` of the rule that the editor read; 409 `stale_record` if the rule has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

crate::json_bodies!(ImportRule, ImportRuleInput);
