//! Packages as they cross the wire: services that are sold together, and what they cost.

mod of_panels;

use std::collections::BTreeMap;

pub use of_panels::{ProviderPackage, ProviderPackageContent, ProviderPackageRow};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::amount::{Fraction, Money};
use crate::common::{Named, Patch, Translations};
use crate::ids::{NetworkId, PackageId, ProviderId, ProviderPackageId, ServiceId, ServiceTypeId, UserId};
use crate::moment::{Stamp, Time};
use crate::targets::AskedTarget;

crate::words! {
    /// What happens when a package is bought.
    PackageType {
        /// Its orders start by themselves.
        Auto = "auto",
        /// Staff look at them first.
        Manual = "manual",
    }
}

/// One row of the packages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PackageRow {
    /// The package's id.
    pub id: PackageId,
    /// English name.
    pub name: String,
    /// What happens when it is bought.
    #[serde(rename = "type")]
    pub kind: PackageType,
    /// Its network.
    pub network: Named<NetworkId>,
    /// Its service type.
    pub service_type: Option<Named<ServiceTypeId>>,
    /// Whether it is archived.
    pub is_archived: bool,
    /// Whether it is on sale.
    pub is_enabled: bool,
    /// Sold only to chosen customers.
    pub restricted_access: bool,
    /// Whether it follows the panel that it came from.
    pub sync: bool,
    /// The external panel that it came from.
    pub provider: Option<Named<ProviderId>>,
    /// The package of an external panel that it was made of.
    #[serde(default)]
    pub provider_package_id: Option<ProviderPackageId>,
    /// Part of its address.
    pub slug: Option<String>,
    /// What it costs, whatever is in it.
    pub fixed_cost: Option<Money>,
    /// Off the sum of its contents.
    pub discount_percent: Fraction,
    /// Whether staff confirmed that it costs less than its providers and the least margin on them; it is charged so.
    #[serde(default)]
    pub below_margin_confirmed: bool,
    /// What its contents cost one by one at the services' prices.
    pub default_cost: Money,
    /// What customers pay.
    pub total_cost: Money,
    /// What they save: the default cost less the total cost.
    pub difference: Money,
    /// How many services are in it.
    pub contents_count: i64,
    /// When it was made.
    pub created_at: Time,
    /// What the caller may do with it.
    pub actions: PackageActions,
}

/// What the caller may do with a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PackageActions {
    /// Change it.
    pub editable: bool,
    /// Take it off sale for good.
    pub archivable: bool,
    /// Bring it back.
    pub restore: bool,
    /// Buy it for a customer: it is on sale.
    #[serde(default)]
    pub buyable: bool,
}

/// One package with everything about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Package {
    /// What the list shows.
    #[serde(flatten)]
    pub row: PackageRow,
    /// Its own page.
    pub buy_page_url: Option<String>,
    /// What is in it, in this order.
    pub package_contents: Vec<PackageContent>,
    /// Locale → field → text.
    pub translations: Translations,
    /// When it last changed; echoed by editors.
    pub updated_at: Stamp,
}

/// A service of a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PackageContent {
    /// The service's id.
    pub id: ServiceId,
    /// Its name.
    pub name: String,
    /// How many of it.
    pub quantity: i64,
    /// Its price within the package, where that is not the service's own.
    pub price: Option<Money>,
    /// Whether customers see it in the package.
    pub is_displayable: bool,
    /// What it costs within the package, before a discount on the whole.
    pub cost: Money,
    /// The service's own price.
    pub default_price: Money,
    /// Units that prices are for.
    pub pricing_per: i64,
    /// Smallest order.
    pub min_quantity: i64,
    /// Largest order.
    pub max_quantity: i64,
    /// Steps between.
    pub quantity_step: i64,
    /// What it asks its customers beside the address.
    #[serde(default)]
    pub asks: Vec<AskedTarget>,
}

/// A service that shall be in a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PackageContentInput {
    /// The service.
    pub id: ServiceId,
    /// How many of it: a quantity that can be ordered.
    pub quantity: i64,
    /// Its price within the package; none for the service's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Money>,
    /// Whether customers see it in the package; yes when nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_displayable: Option<bool>,
}

/// Body of `POST packages` and `PUT packages/{id}`: what is left out stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PackageInput {
    /// English name, 1 to 255 characters; required for a new one, here or among the translations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What happens when it is bought; `auto` when nothing is said.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<PackageType>,
    /// Its network; required for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_id: Option<NetworkId>,
    /// A service type of the network.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub service_type_id: Patch<ServiceTypeId>,
    /// On sale.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_enabled: Option<bool>,
    /// Sold only to chosen customers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restricted_access: Option<bool>,
    /// Follows the panel that it came from; for those that came from one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync: Option<bool>,
    /// The package of an external panel that a new one is made of: name, type, network, deal and contents are taken from
    /// it where nothing else is said. Its services must be imported before. It stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_package_id: Option<ProviderPackageId>,
    /// What it costs, whatever is in it; null for the sum of its contents.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub fixed_cost: Patch<Money>,
    /// Off the sum of its contents: 0 to 1 with three decimals. Not beside a fixed cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discount_percent: Option<Fraction>,
    /// Small letters, digits and hyphens, no other package's.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub slug: Patch<String>,
    /// Absolute http(s) address of its own page.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub buy_page_url: Patch<String>,
    /// Everything in it, in this order: 1 to 50 services; required for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package_contents: Option<Vec<PackageContentInput>>,
    /// All texts; empty ones are dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// Sets a cost below the least margin all the same, where the setting `min_margin_action` is `warn`.
    #[serde(skip_serializing_if = "crate::common::is_false")]
    pub confirm_below_margin: bool,
    /// As it was read: refused when somebody changed the package meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// Body of `POST packages/total-cost`: a package that need not be saved.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TotalCostInput {
    /// Everything in it.
    pub package_contents: Vec<PackageContentInput>,
    /// What it costs, whatever is in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed_cost: Option<Money>,
    /// Off the sum of its contents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discount_percent: Option<Fraction>,
}

/// What a package costs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TotalCost {
    /// What its contents cost one by one at the services' prices.
    pub default_cost: Money,
    /// What customers pay.
    pub total_cost: Money,
    /// What they save: the default cost less the total cost.
    pub difference: Money,
    /// The lowest possible cost: what the providers ask and the least margin on it; 0 where none of them asks anything.
    pub lowest_cost: Money,
    /// Whether it costs less than that: saving is refused, or asks for `confirm_below_margin` where the panel only warns.
    pub is_below_least_margin: bool,
    /// What each service costs within the package, before a discount on the whole, in the order given.
    pub package_contents: Vec<PackageContent>,
}

/// Body of `POST packages/{id}/buy`: a package bought by staff for a customer, charged to their main balance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BuyPackageInput {
    /// The customer; must be active.
    pub user_id: UserId,
    /// Where to deliver.
    pub url: String,
    /// What its services ask for beside the address: service id → name → value. Errors are named `targets.ID.NAME`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub targets: BTreeMap<String, BTreeMap<String, String>>,
}

/// One package of a bulk change, with what changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BulkPackage {
    /// The package.
    pub id: PackageId,
    /// On sale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_enabled: Option<bool>,
    /// Sold only to chosen customers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restricted_access: Option<bool>,
    /// Follows the panel that it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync: Option<bool>,
    /// What it costs, whatever is in it; null for the sum of its contents.
    #[serde(default, skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub fixed_cost: Patch<Money>,
    /// Off the sum of its contents: 0 to 1 with three decimals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discount_percent: Option<Fraction>,
}

impl BulkPackage {
    /// A package that stays as it is.
    #[must_use]
    pub fn new(id: PackageId) -> Self {
        Self {
            id,
            is_enabled: None,
            restricted_access: None,
            sync: None,
            fixed_cost: Patch::Keep,
            discount_percent: None,
        }
    }
}

/// Body of `PATCH packages/bulk`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BulkPackagesInput {
    /// 1 to 1,000 packages; errors are named `packages.N.field`.
    pub packages: Vec<BulkPackage>,
    /// Sets costs below the least margin all the same, where the setting `min_margin_action` is `warn`.
    #[serde(default, skip_serializing_if = "crate::common::is_false")]
    pub confirm_below_margin: bool,
}

/// Query of `GET packages/available-services`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct PackageServicesQuery {
    /// Part of a name, or an id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
    /// Only services of this network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network_id: Option<NetworkId>,
}

crate::plain_query!(PackageServicesQuery);

/// A service that a package can have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PackageService {
    /// The service's id.
    pub id: ServiceId,
    /// Its name.
    pub name: String,
    /// Its own price.
    pub default_price: Money,
    /// Units that prices are for.
    pub pricing_per: i64,
    /// Smallest order.
    pub min_quantity: i64,
    /// Largest order.
    pub max_quantity: i64,
    /// Steps between.
    pub quantity_step: i64,
}

/// A service type that a package can have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PackageServiceType {
    /// The service type's id.
    pub id: ServiceTypeId,
    /// Its name.
    pub name: String,
    /// Its network.
    pub network: Named<NetworkId>,
}

crate::wire!(
    Package,
    PackageInput,
    TotalCostInput,
    TotalCost,
    BuyPackageInput,
    BulkPackagesInput,
    PackageService,
    PackageServiceType,
    ProviderPackage
);
