//! Import of services from external panels: preview lines, request bodies and results.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::{Fraction, Money};
use crate::ids::{CheckerGroupId, ExternalPanelId, ImportableServiceId, NetworkId, RecordId, ServiceTypeId};

/// Body of `POST external-panels/{id}/services`, which previews the prices and errors of an import.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PriceServicesInput {
    /// Ids of 1 to 1,000 importable services of the external panel.
    pub ids: Vec<ImportableServiceId>,
    /// Markup on the price of the external panel, as a fraction; null for the default markup of the external panel.
    #[serde(alias = "marginPercent", default, skip_serializing_if = "Option::is_none")]
    pub margin_fraction: Option<Fraction>,
    /// Id of the network. If present, `service_type_id` of each line is the existing service type of the network for the category.
    #[serde(alias = "networkId", default, skip_serializing_if = "Option::is_none")]
    pub network_id: Option<NetworkId>,
    /// Whether to preview an import as packages: `rejection` then contains the errors of `import-packages`.
    #[serde(alias = "asPackages", default, skip_serializing_if = "std::ops::Not::not")]
    pub as_packages: bool,
}

/// A line of the preview of an import: a service of the external panel, its price in this panel, and the fields that staff can
/// edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportableService {
    /// Id of the importable service.
    pub id: ImportableServiceId,
    /// Id of the service at the external panel.
    pub external_panel_service_id: String,
    /// Name at the external panel.
    pub name: String,
    /// Description at the external panel, as plain text; null if there is none.
    pub description: Option<String>,
    /// Service type as the external panel spells it, such as `Default`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Category at the external panel.
    pub category: String,
    /// Price per `pricing_per` units, in the currency of the external panel.
    pub external_panel_price: Money,
    /// The same price in this panel's currency; null without an exchange rate.
    pub provider_price: Option<Money>,
    /// Price for customers in this panel's currency; null without an exchange rate.
    pub price: Option<Money>,
    /// Lowest price that an import accepts, which is the cost plus the minimum margin; null without an exchange rate.
    pub lowest_price: Option<Money>,
    /// Markup of `price` on `provider_price`, as a fraction.
    pub margin_fraction: Fraction,
    /// Number of units that the prices are for.
    pub pricing_per: i64,
    /// Id of the network, as in the request.
    pub network_id: Option<NetworkId>,
    /// Id of the service type of the network that corresponds to the category; null if an import would create it.
    pub service_type_id: Option<ServiceTypeId>,
    /// Id of the checker group for links; null until staff select one.
    pub promotable_checker_group_id: Option<CheckerGroupId>,
    /// Whether synchronization updates minimum and maximum quantities. This field and the following `sync_` fields are the settings
    /// of the external panel.
    pub sync_params: bool,
    /// Whether synchronization updates prices.
    pub sync_prices: bool,
    /// Whether synchronization updates labels.
    pub sync_labels: bool,
    /// Whether synchronization updates the name.
    pub sync_name: bool,
    /// Whether synchronization updates texts for search engines.
    pub sync_meta: bool,
    /// Whether synchronization updates refill and drip-feed support.
    pub sync_service_details: bool,
    /// Whether synchronization updates the description.
    pub sync_description_field: bool,
    /// Whether synchronization updates the short description.
    pub sync_short_description: bool,
    /// Whether synchronization updates reviews.
    pub sync_reviews: bool,
    /// Why the service cannot be imported, one sentence; null if it can be imported.
    pub rejection: Option<String>,
}

/// Body of `POST external-panels/import-services`. The fields next to `services` are defaults for each service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportServicesInput {
    /// Id of the external panel.
    #[serde(alias = "externalPanelId")]
    pub external_panel_id: ExternalPanelId,
    /// Services to import, 1 to 20,000, each once.
    pub services: Vec<ImportServiceItem>,
    /// Markup on the price of the external panel, as a fraction, at least the minimum margin; null for the default markup of the
    /// external panel.
    #[serde(alias = "marginPercent", default, skip_serializing_if = "Option::is_none")]
    pub margin_fraction: Option<Fraction>,
    /// Default network; required with `keep_categories`.
    #[serde(alias = "networkId", default, skip_serializing_if = "Option::is_none")]
    pub network_id: Option<NetworkId>,
    /// Default service type; with `keep_categories` only for services without a category.
    #[serde(alias = "serviceTypeId", default, skip_serializing_if = "Option::is_none")]
    pub service_type_id: Option<ServiceTypeId>,
    /// Whether services without `service_type_id` get the service type that corresponds to their category. The import creates
    /// missing service types.
    #[serde(alias = "keepCategories", default, skip_serializing_if = "std::ops::Not::not")]
    pub keep_categories: bool,
}

impl ImportServicesInput {
    /// A body that imports from an external panel, with an empty list of services.
    #[must_use]
    pub fn new(external_panel_id: ExternalPanelId) -> Self {
        Self {
            external_panel_id,
            services: Vec::new(),
            margin_fraction: None,
            network_id: None,
            service_type_id: None,
            keep_categories: false,
        }
    }
}

/// A service in the body of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportServiceItem {
    /// Id of the importable service.
    pub id: ImportableServiceId,
    /// Name in this panel, 1 to 255 characters; defaults to the name at the external panel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// English description, at most 50,000 characters. Null imports the description of the external panel, an empty string imports
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Price for customers; null to calculate it from the markup.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Money>,
    /// Markup on the price of the external panel, as a fraction; null for the markup of the import. Mutually exclusive with
    /// `price`.
    #[serde(alias = "marginPercent", default, skip_serializing_if = "Option::is_none")]
    pub margin_fraction: Option<Fraction>,
    /// Price at the external panel as the editor displayed it. If the price has changed since, the import is rejected.
    #[serde(alias = "externalPanelPrice", default, skip_serializing_if = "Option::is_none")]
    pub external_panel_price: Option<Money>,
    /// The same price in this panel's currency, as the editor displayed it. If the price has changed since, the import is rejected.
    #[serde(alias = "providerPrice", default, skip_serializing_if = "Option::is_none")]
    pub provider_price: Option<Money>,
    /// Id of the network, to which the service type must belong.
    #[serde(alias = "networkId", default, skip_serializing_if = "Option::is_none")]
    pub network_id: Option<NetworkId>,
    /// Id of the service type; defaults to `service_type_id` of the import.
    #[serde(alias = "serviceTypeId", default, skip_serializing_if = "Option::is_none")]
    pub service_type_id: Option<ServiceTypeId>,
    /// Id of the checker group for the links of orders.
    #[serde(alias = "promotableCheckerGroupId", default, skip_serializing_if = "Option::is_none")]
    pub promotable_checker_group_id: Option<CheckerGroupId>,
    /// Whether synchronization updates minimum and maximum quantities. This field and the following `sync_` fields default to the
    /// settings of the external panel.
    #[serde(alias = "syncParams", default, skip_serializing_if = "Option::is_none")]
    pub sync_params: Option<bool>,
    /// Whether synchronization updates prices.
    #[serde(alias = "syncPrices", default, skip_serializing_if = "Option::is_none")]
    pub sync_prices: Option<bool>,
    /// Whether synchronization updates labels.
    #[serde(alias = "syncLabels", default, skip_serializing_if = "Option::is_none")]
    pub sync_labels: Option<bool>,
    /// Whether synchronization updates the name.
    #[serde(alias = "syncName", default, skip_serializing_if = "Option::is_none")]
    pub sync_name: Option<bool>,
    /// Whether synchronization updates texts for search engines.
    #[serde(alias = "syncMeta", default, skip_serializing_if = "Option::is_none")]
    pub sync_meta: Option<bool>,
    /// Whether synchronization updates refill and drip-feed support.
    #[serde(alias = "syncServiceDetails", default, skip_serializing_if = "Option::is_none")]
    pub sync_service_details: Option<bool>,
    /// Whether synchronization updates the description.
    #[serde(alias = "syncDescriptionField", default, skip_serializing_if = "Option::is_none")]
    pub sync_description_field: Option<bool>,
    /// Whether synchronization updates the short description.
    #[serde(alias = "syncShortDescription", default, skip_serializing_if = "Option::is_none")]
    pub sync_short_description: Option<bool>,
    /// Whether synchronization updates reviews.
    #[serde(alias = "syncReviews", default, skip_serializing_if = "Option::is_none")]
    pub sync_reviews: Option<bool>,
}

impl ImportServiceItem {
    /// An import of the service with the values of the external panel.
    #[must_use]
    pub fn new(id: ImportableServiceId) -> Self {
        Self {
            id,
            name: None,
            description: None,
            price: None,
            margin_fraction: None,
            external_panel_price: None,
            provider_price: None,
            network_id: None,
            service_type_id: None,
            promotable_checker_group_id: None,
            sync_params: None,
            sync_prices: None,
            sync_labels: None,
            sync_name: None,
            sync_meta: None,
            sync_service_details: None,
            sync_description_field: None,
            sync_short_description: None,
            sync_reviews: None,
        }
    }
}

/// Result or preview of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportOutcome {
    /// Number of imported services, packages or providers.
    pub created: i64,
    /// Whether the request was a dry run, which writes nothing.
    pub dry_run: bool,
    /// The first 1,000 imported records, in the order of the request.
    pub items: Vec<ImportedItem>,
    /// Names of service types that the import creates for categories.
    #[serde(default)]
    pub service_types: Vec<String>,
}

/// An imported service, package or provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportedItem {
    /// Id of the importable service.
    pub id: RecordId,
    /// Name of the record in this panel.
    pub name: String,
    /// Price per `pricing_per` units, in the currency of the external panel.
    pub external_panel_price: Money,
    /// The same price in this panel's currency; null without an exchange rate.
    pub provider_price: Option<Money>,
    /// Price for customers; null if no service is created.
    pub price: Option<Money>,
    /// Number of units that the prices are for.
    pub pricing_per: i64,
}

crate::json_bodies!(PriceServicesInput, ImportServicesInput);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::external_services::ImportPackagesInput;
    use crate::fields::FieldErrors;

    #[test]
    fn imports_accept_snake_case_and_camel_case() {
        let parse = |body: &str| FieldErrors::from_json::<ImportServicesInput>(body.as_bytes()).unwrap();
        let snake_case = r#"{"external_panel_id":1,"services":[{"id":2,"network_id":3,"service_type_id":4,"promotable_checker_group_id":5}],"network_id":6,"service_type_id":7}"#;
        let camel_case = r#"{"externalPanelId":1,"services":[{"id":2,"networkId":3,"serviceTypeId":4,"promotableCheckerGroupId":5}],"networkId":6,"serviceTypeId":7}"#;
        assert_eq!(parse(snake_case), parse(camel_case));
        assert_eq!(parse(snake_case).services[0].promotable_checker_group_id, Some(CheckerGroupId::new(5)));
        let package_json = r#"{"externalPanelId":1,"packages":[{"id":2,"networkId":3}]}"#;
        let input = FieldErrors::from_json::<ImportPackagesInput>(package_json.as_bytes()).unwrap();
        assert_eq!(input.packages[0].network_id, Some(NetworkId::new(3)));
    }
}
