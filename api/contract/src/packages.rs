//! Packages of services that customers buy together, and their costs.

mod provider_packages;

use std::collections::BTreeMap;

pub use provider_packages::{ProviderPackage, ProviderPackageContent, ProviderPackageRow};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::amount::{Fraction, Money};
use crate::common::{NamedRef, Patch, Translations};
use crate::ids::{NetworkId, PackageId, ProviderId, ProviderPackageId, ServiceId, ServiceTypeId, UserId};
use crate::moment::{Time, Timestamp};
use crate::targets::RequestedTarget;

crate::string_enum! {
    /// Type of a package, which determines what happens after a purchase.
    PackageType {
        /// The orders start automatically.
        Auto = "auto",
        /// Staff moderate the orders first.
        Manual = "manual",
    }
}

/// A row of the packages list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PackageRow {
    /// Id of the package.
    pub id: PackageId,
    /// English name of the package.
    pub name: String,
    /// Type of the package: whether its orders start automatically.
    #[serde(rename = "type")]
    pub kind: PackageType,
    /// Network of the package, by id and name.
    pub network: NamedRef<NetworkId>,
    /// Service type of the package, by id and name; null if there is none.
    pub service_type: Option<NamedRef<ServiceTypeId>>,
    /// Whether the record is archived.
    pub is_archived: bool,
    /// Whether customers can buy the package.
    pub is_enabled: bool,
    /// Whether only selected customers can buy the package.
    pub restricted_access: bool,
    /// Whether synchronization updates the package from its external panel.
    pub sync: bool,
    /// External panel from whose package this package was created, by id and name; null for other packages.
    pub provider: Option<NamedRef<ProviderId>>,
    /// Id of the package of an external panel from which this package was created; null for other packages.
    #[serde(default)]
    pub provider_package_id: Option<ProviderPackageId>,
    /// URL slug of the page of the package; null if there is none.
    pub slug: Option<String>,
    /// Fixed price in the panel's currency, independent of the contents; null for the sum of the contents.
    pub fixed_cost: Option<Money>,
    /// Discount on the sum of the contents, as a fraction.
    pub discount_fraction: Fraction,
    /// Whether staff confirmed a price below the cost plus the minimum margin.
    #[serde(default)]
    pub below_margin_confirmed: bool,
    /// Cost of the contents at the prices of the services, in the panel's currency.
    pub default_cost: Money,
    /// Price for customers in the panel's currency.
    pub total_cost: Money,
    /// Savings of customers: `default_cost` minus `total_cost`.
    pub difference: Money,
    /// Number of services in the package.
    pub contents_count: i64,
    /// When the package was created.
    pub created_at: Time,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: PackageActions,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PackageActions {
    /// Whether the caller can update the record.
    pub editable: bool,
    /// Whether the caller can archive the package.
    pub archivable: bool,
    /// Whether the caller can restore the archived record.
    pub restore: bool,
    /// Whether the caller can buy the package for a customer.
    #[serde(default)]
    pub buyable: bool,
}

/// A package with all details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Package {
    /// Fields of a row of the packages list.
    #[serde(flatten)]
    pub row: PackageRow,
    /// URL of the order page of the package; null if there is none.
    pub buy_page_url: Option<String>,
    /// Services in the package, in their order.
    pub package_contents: Vec<PackageContent>,
    /// Texts by locale and field.
    pub translations: Translations,
    /// When the record last changed; editors send this time back to detect conflicts.
    pub updated_at: Timestamp,
}

/// A service in a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PackageContent {
    /// Id of the service.
    pub id: ServiceId,
    /// Name of the service.
    pub name: String,
    /// Quantity of the service in units.
    pub quantity: i64,
    /// Price within the package, per `pricing_per` units; null for the price of the service.
    pub price: Option<Money>,
    /// Whether customers see the service in the package.
    pub is_displayable: bool,
    /// Cost of the quantity within the package, before the discount of the package.
    pub cost: Money,
    /// Price of the service, per `pricing_per` units.
    pub default_price: Money,
    /// Number of units that prices are for.
    pub pricing_per: i64,
    /// Minimum quantity of an order.
    pub min_quantity: i64,
    /// Maximum quantity of an order.
    pub max_quantity: i64,
    /// Step of quantities: valid quantities are the minimum plus a multiple of the step.
    pub quantity_step: i64,
    /// Parameters that the service asks customers for, besides the link.
    #[serde(default)]
    pub requested_targets: Vec<RequestedTarget>,
}

/// A service in the body of a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PackageContentInput {
    /// Id of the service.
    pub id: ServiceId,
    /// Quantity in units, which must be a valid quantity of the service.
    pub quantity: i64,
    /// Price within the package, per `pricing_per` units of the service; null for the price of the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Money>,
    /// Whether customers see the service in the package; defaults to true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_displayable: Option<bool>,
}

/// Body of `POST packages` and `PUT packages/{id}`. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PackageInput {
    /// English name, 1 to 255 characters; required for a new package, in this field or in `translations`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Type of the package; defaults to `auto`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<PackageType>,
    /// Id of the network; required for a new package.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_id: Option<NetworkId>,
    /// Id of a service type of the network; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub service_type_id: Patch<ServiceTypeId>,
    /// Whether customers can buy the package.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_enabled: Option<bool>,
    /// Whether only selected customers can buy the package.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restricted_access: Option<bool>,
    /// Whether synchronization updates the package from its external panel; only for packages that were created from a package of
    /// an external panel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync: Option<bool>,
    /// Id of a package of an external panel from which the new package gets defaults for name, type, network, prices and contents.
    /// The services of that package must be imported first. The field cannot change later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_package_id: Option<ProviderPackageId>,
    /// Fixed price, independent of the contents; null for the sum of the contents.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub fixed_cost: Patch<Money>,
    /// Discount on the sum of the contents, 0 to 1 with three decimals. Mutually exclusive with `fixed_cost`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discount_fraction: Option<Fraction>,
    /// Unique URL slug of lowercase letters, digits and hyphens; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub slug: Patch<String>,
    /// Absolute http(s) URL of the order page of the package; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub buy_page_url: Patch<String>,
    /// All contents in their order, 1 to 50 services; required for a new package.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package_contents: Option<Vec<PackageContentInput>>,
    /// All texts by locale and field; empty texts are removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// Accept a price below the minimum margin; only possible if the setting `min_margin_action` is `warn`.
    #[serde(skip_serializing_if = "crate::common::is_false")]
    pub confirm_below_margin: bool,
    /// `updated_at` of the package that the editor read; 409 `stale_record` if the package has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

/// Body of `POST packages/total-cost`, for a package that is not saved.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TotalCostInput {
    /// Services in the package.
    pub package_contents: Vec<PackageContentInput>,
    /// Fixed price, independent of the contents; null for the sum of the contents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed_cost: Option<Money>,
    /// Discount on the sum of the contents, as a fraction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discount_fraction: Option<Fraction>,
}

/// Response of `POST packages/total-cost`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TotalCost {
    /// Cost of the contents at the prices of the services, in the panel's currency.
    pub default_cost: Money,
    /// Price for customers in the panel's currency.
    pub total_cost: Money,
    /// Savings of customers: `default_cost` minus `total_cost`.
    pub difference: Money,
    /// Lowest allowed cost: provider costs plus the minimum margin; 0 if no provider has a price.
    pub lowest_cost: Money,
    /// Whether the cost is below `lowest_cost`. The server then rejects the package, or requires `confirm_below_margin`.
    pub is_below_minimum_margin: bool,
    /// Services of the package with their costs before the discount, in the order of the request.
    pub package_contents: Vec<PackageContent>,
}

/// Body of `POST packages/{id}/buy`, which buys a package for a customer from their main balance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BuyPackageInput {
    /// Id of the customer, who must be active.
    pub user_id: UserId,
    /// Link to deliver to, for all orders of the package.
    pub url: String,
    /// Parameters that the services require besides the link, by service id and name. Errors have field names such as
    /// `targets.ID.NAME`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub targets: BTreeMap<String, BTreeMap<String, String>>,
}

/// A package in the body of a bulk update. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BulkPackage {
    /// Id of the package.
    pub id: PackageId,
    /// Whether customers can buy the package.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_enabled: Option<bool>,
    /// Whether only selected customers can buy the package.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restricted_access: Option<bool>,
    /// Whether synchronization updates the package from its external panel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync: Option<bool>,
    /// Fixed price, independent of the contents; null for the sum of the contents.
    #[serde(default, skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub fixed_cost: Patch<Money>,
    /// Discount on the sum of the contents, 0 to 1 with three decimals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discount_fraction: Option<Fraction>,
}

impl BulkPackage {
    /// An update of the package that changes nothing, until the caller sets fields.
    #[must_use]
    pub fn new(id: PackageId) -> Self {
        Self {
            id,
            is_enabled: None,
            restricted_access: None,
            sync: None,
            fixed_cost: Patch::Keep,
            discount_fraction: None,
        }
    }
}

/// Body of `PATCH packages/bulk`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BulkPackagesInput {
    /// 1 to 1,000 packages; errors have field names such as `packages.N.field`.
    pub packages: Vec<BulkPackage>,
    /// Accept prices below the minimum margin; only possible if the setting `min_margin_action` is `warn`.
    #[serde(default, skip_serializing_if = "crate::common::is_false")]
    pub confirm_below_margin: bool,
}

/// Query of `GET packages/available-services`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct PackageServicesQuery {
    /// Part of a name, or an id, to search for; absent for all services.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
    /// Return only services of this network; absent for all networks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network_id: Option<NetworkId>,
}

crate::serde_queries!(PackageServicesQuery);

/// A service that can be in a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PackageService {
    /// Id of the service.
    pub id: ServiceId,
    /// Name of the service.
    pub name: String,
    /// Price of the service, per `pricing_per` units.
    pub default_price: Money,
    /// Number of units that prices are for.
    pub pricing_per: i64,
    /// Minimum quantity of an order.
    pub min_quantity: i64,
    /// Maximum quantity of an order.
    pub max_quantity: i64,
    /// Step of quantities: valid quantities are the minimum plus a multiple of the step.
    pub quantity_step: i64,
}

/// A service type that a package can belong to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PackageServiceType {
    /// Id of the service type.
    pub id: ServiceTypeId,
    /// Name of the service type.
    pub name: String,
    /// Network of the service type, by id and name.
    pub network: NamedRef<NetworkId>,
}

crate::json_bodies!(
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
