//! Packages that external panels sell.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::PackageType;
use crate::amount::{Fraction, Money};
use crate::common::NamedRef;
use crate::ids::{ExternalPanelId, NetworkId, ProviderPackageId};
use crate::moment::Time;

/// A row of the list of packages that external panels sell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderPackageRow {
    /// Id of the package in this panel.
    pub id: ProviderPackageId,
    /// Name at the external panel.
    pub name: String,
    /// Type of the packages that are created from this package.
    #[serde(rename = "type")]
    pub kind: PackageType,
    /// External panel that sells the package, by id and name.
    pub external_panel: NamedRef<ExternalPanelId>,
    /// Network, by id and name; null if synchronization did not recognize the network.
    pub network: Option<NamedRef<NetworkId>>,
    /// Fixed price of the packages that are created from this package, in this panel's currency; null for none.
    pub fixed_cost: Option<Money>,
    /// Discount of the packages that are created from this package, as a fraction.
    pub discount_fraction: Fraction,
    /// Whether synchronization updates the packages that are created from this package.
    pub sync: bool,
    /// Number of services in the package.
    pub contents_count: i64,
    /// Number of packages of this panel that were created from this package.
    pub packages_count: i64,
    /// When a synchronization first found the package.
    pub created_at: Time,
}

/// A package of an external panel with its contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderPackage {
    /// Fields of a row of the list.
    #[serde(flatten)]
    pub row: ProviderPackageRow,
    /// Services in the package.
    pub contents: Vec<ProviderPackageContent>,
}

/// A service in a package of an external panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderPackageContent {
    /// Id of the service at the external panel.
    pub external_panel_service_id: String,
    /// Name at the external panel.
    pub name: String,
    /// Quantity of the service in units.
    pub quantity: i64,
    /// Price per `pricing_per` units, in the currency of the external panel.
    pub price: Money,
    /// Number of units that the price is for.
    pub pricing_per: i64,
}
