//! Importing services of external panels: what staff see and edit of each line, what is imported, and what came of it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::{Fraction, Money};
use crate::ids::{CheckerGroupId, ExternalPanelId, ImportableServiceId, NetworkId, RecordId, ServiceTypeId};

/// Body of `POST external-panels/{id}/services`: what some of them would cost here, and which lines an import would take.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PriceServicesInput {
    /// 1 to 1,000 of the panel's services.
    pub ids: Vec<ImportableServiceId>,
    /// On top of what the panel asks, as a fraction; none for the panel's own.
    #[serde(alias = "marginPercent", default, skip_serializing_if = "Option::is_none")]
    pub margin_percent: Option<Fraction>,
    /// The network that they are for: with it the lines name the service types of the panel's categories that exist.
    #[serde(alias = "networkId", default, skip_serializing_if = "Option::is_none")]
    pub network_id: Option<NetworkId>,
    /// Whether they are to be imported as packages: `refusal` then says what `import-packages` would refuse, and a package
    /// that was imported as a service is none.
    #[serde(alias = "asPackages", default, skip_serializing_if = "std::ops::Not::not")]
    pub as_packages: bool,
}

/// A line of an import as its dialog shows it first: what the panel sells, what it would cost here, and what can be edited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportableService {
    /// Its id here.
    pub id: ImportableServiceId,
    /// Its id there.
    pub external_panel_service_id: String,
    /// What it is called there.
    pub name: String,
    /// What the panel says about it, as text.
    pub description: Option<String>,
    /// The panel's word for its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The panel's category.
    pub category: String,
    /// What the panel asks, in the panel's currency.
    pub external_panel_price: Money,
    /// The same in our currency; none without an exchange rate.
    pub provider_price: Option<Money>,
    /// What customers would pay.
    pub price: Option<Money>,
    /// The lowest price that an import takes: the cost and the least margin.
    pub lowest_price: Option<Money>,
    /// The margin that `price` has.
    pub margin_percent: Fraction,
    /// Units that these prices are for.
    pub pricing_per: i64,
    /// The network that was asked for.
    pub network_id: Option<NetworkId>,
    /// The service type of that network that keeps the panel's category; none where an import makes it.
    pub service_type_id: Option<ServiceTypeId>,
    /// Its promotable checker group: none until staff choose one.
    pub promotable_checker_group_id: Option<CheckerGroupId>,
    /// Whether the smallest and largest order follow the panel, as the panel has it.
    pub sync_params: bool,
    /// Whether the prices follow.
    pub sync_prices: bool,
    /// Whether the labels follow.
    pub sync_labels: bool,
    /// Whether the name follows.
    pub sync_name: bool,
    /// Whether the texts for search engines follow.
    pub sync_meta: bool,
    /// Whether refill and drip-feed follow.
    pub sync_service_details: bool,
    /// Whether the description follows.
    pub sync_description_field: bool,
    /// Whether the short description follows.
    pub sync_short_description: bool,
    /// Whether the reviews follow.
    pub sync_reviews: bool,
    /// Why it cannot be imported, in a sentence; none where it can.
    pub refusal: Option<String>,
}

/// Body of `POST external-panels/import-services`. What stands beside the list is for every service of it that does not
/// say otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportServicesInput {
    /// The panel.
    #[serde(alias = "externalPanelId")]
    pub external_panel_id: ExternalPanelId,
    /// 1 to 20,000 services, each once.
    pub services: Vec<ImportServiceItem>,
    /// On top of what the panel asks, as a fraction; none for the panel's own. At least the panel's least margin.
    #[serde(alias = "marginPercent", default, skip_serializing_if = "Option::is_none")]
    pub margin_percent: Option<Fraction>,
    /// The network, where a service names none; required with `keep_categories`.
    #[serde(alias = "networkId", default, skip_serializing_if = "Option::is_none")]
    pub network_id: Option<NetworkId>,
    /// The service type, where a service names none; with `keep_categories` only for services that have no category.
    #[serde(alias = "serviceTypeId", default, skip_serializing_if = "Option::is_none")]
    pub service_type_id: Option<ServiceTypeId>,
    /// Whether each service that names no service type goes into the one of its network that keeps the panel's category,
    /// which the import makes where there is none.
    #[serde(alias = "keepCategories", default, skip_serializing_if = "std::ops::Not::not")]
    pub keep_categories: bool,
}

impl ImportServicesInput {
    /// An import from a panel, of no services yet.
    #[must_use]
    pub fn new(external_panel_id: ExternalPanelId) -> Self {
        Self {
            external_panel_id,
            services: Vec::new(),
            margin_percent: None,
            network_id: None,
            service_type_id: None,
            keep_categories: false,
        }
    }
}

/// One service to import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportServiceItem {
    /// Its id in the list of the panel's services.
    pub id: ImportableServiceId,
    /// What it is called here, 1 to 255 characters; none for its name there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its English description, at most 50,000 characters; none for what the panel says about it, empty for no description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What customers pay; none for the panel's price and the margin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Money>,
    /// On top of what the panel asks, as a fraction; none for the import's. Give a price or a margin, not both.
    #[serde(alias = "marginPercent", default, skip_serializing_if = "Option::is_none")]
    pub margin_percent: Option<Fraction>,
    /// What the panel asked when the line was edited: a line whose panel asks something else by now is refused.
    #[serde(alias = "externalPanelPrice", default, skip_serializing_if = "Option::is_none")]
    pub external_panel_price: Option<Money>,
    /// The same in our currency: a line that costs something else by now is refused.
    #[serde(alias = "providerPrice", default, skip_serializing_if = "Option::is_none")]
    pub provider_price: Option<Money>,
    /// The network; the service type must be one of it.
    #[serde(alias = "networkId", default, skip_serializing_if = "Option::is_none")]
    pub network_id: Option<NetworkId>,
    /// The service type.
    #[serde(alias = "serviceTypeId", default, skip_serializing_if = "Option::is_none")]
    pub service_type_id: Option<ServiceTypeId>,
    /// Its promotable checker group.
    #[serde(alias = "promotableCheckerGroupId", default, skip_serializing_if = "Option::is_none")]
    pub promotable_checker_group_id: Option<CheckerGroupId>,
    /// Whether the smallest and largest order follow the panel; as the panel has it where it is not given, like the following.
    #[serde(alias = "syncParams", default, skip_serializing_if = "Option::is_none")]
    pub sync_params: Option<bool>,
    /// Whether the prices follow.
    #[serde(alias = "syncPrices", default, skip_serializing_if = "Option::is_none")]
    pub sync_prices: Option<bool>,
    /// Whether the labels follow.
    #[serde(alias = "syncLabels", default, skip_serializing_if = "Option::is_none")]
    pub sync_labels: Option<bool>,
    /// Whether the name follows.
    #[serde(alias = "syncName", default, skip_serializing_if = "Option::is_none")]
    pub sync_name: Option<bool>,
    /// Whether the texts for search engines follow.
    #[serde(alias = "syncMeta", default, skip_serializing_if = "Option::is_none")]
    pub sync_meta: Option<bool>,
    /// Whether refill and drip-feed follow.
    #[serde(alias = "syncServiceDetails", default, skip_serializing_if = "Option::is_none")]
    pub sync_service_details: Option<bool>,
    /// Whether the description follows.
    #[serde(alias = "syncDescriptionField", default, skip_serializing_if = "Option::is_none")]
    pub sync_description_field: Option<bool>,
    /// Whether the short description follows.
    #[serde(alias = "syncShortDescription", default, skip_serializing_if = "Option::is_none")]
    pub sync_short_description: Option<bool>,
    /// Whether the reviews follow.
    #[serde(alias = "syncReviews", default, skip_serializing_if = "Option::is_none")]
    pub sync_reviews: Option<bool>,
}

impl ImportServiceItem {
    /// A service imported as the panel has it.
    #[must_use]
    pub fn new(id: ImportableServiceId) -> Self {
        Self {
            id,
            name: None,
            description: None,
            price: None,
            margin_percent: None,
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

/// What an import makes, or would make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportOutcome {
    /// How many.
    pub created: i64,
    /// Whether this was only tried.
    pub dry_run: bool,
    /// The first 1,000, in the order of the request.
    pub items: Vec<ImportedItem>,
    /// Names of the service types that are made for the panel's categories.
    #[serde(default)]
    pub service_types: Vec<String>,
}

/// One thing that is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportedItem {
    /// The id that the request named.
    pub id: RecordId,
    /// What it is called here.
    pub name: String,
    /// What the panel asks, in its currency.
    pub external_panel_price: Money,
    /// The same in our currency.
    pub provider_price: Option<Money>,
    /// What customers pay; none where no service is made.
    pub price: Option<Money>,
    /// Units that these prices are for.
    pub pricing_per: i64,
}

crate::wire!(PriceServicesInput, ImportServicesInput);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::external_services::ImportPackagesInput;
    use crate::fields::FieldErrors;

    #[test]
    fn imports_are_read_in_both_spellings() {
        let read = |body: &str| FieldErrors::from_json::<ImportServicesInput>(body.as_bytes()).unwrap();
        let ours = r#"{"external_panel_id":1,"services":[{"id":2,"network_id":3,"service_type_id":4,"promotable_checker_group_id":5}],"network_id":6,"service_type_id":7}"#;
        let theirs = r#"{"externalPanelId":1,"services":[{"id":2,"networkId":3,"serviceTypeId":4,"promotableCheckerGroupId":5}],"networkId":6,"serviceTypeId":7}"#;
        assert_eq!(read(ours), read(theirs));
        assert_eq!(read(ours).services[0].promotable_checker_group_id, Some(CheckerGroupId::new(5)));
        let package = r#"{"externalPanelId":1,"packages":[{"id":2,"networkId":3}]}"#;
        let package = FieldErrors::from_json::<ImportPackagesInput>(package.as_bytes()).unwrap();
        assert_eq!(package.packages[0].network_id, Some(NetworkId::new(3)));
    }
}
