//! Packages that external panels sell.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::PackageType;
use crate::amount::{Fraction, Money};
use crate::common::Named;
use crate::ids::{ExternalPanelId, NetworkId, ProviderPackageId};
use crate::moment::Time;

/// A package that an external panel sells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderPackageRow {
    /// Id of the package in this panel.
    pub id: ProviderPackageId,
    /// Name at the external panel.
    pub name: String,
    /// Type of the package.
    #[serde(rename = "type")]
    pub kind: PackageType,
    /// External panel that sells it.
    pub external_panel: Named<ExternalPanelId>,
    /// Network, if it was recognized.
    pub network: Option<Named<NetworkId>>,
    /// Fixed price of packages created from it, in this panel's currency.
    pub fixed_cost: Option<Money>,
    /// Discount of packages created from it, as a fraction.
    pub discount_percent: Fraction,
    /// Whether synchronization updates packages created from it.
    pub sync: bool,
    /// Number of services in the package.
    pub contents_count: i64,
    /// Number of packages created from it.
    pub packages_count: i64,
    /// When the package was first found.
    pub created_at: Time,
}

/// A package of an external panel with its contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderPackage {
    /// The fields of the list row.
    #[serde(flatten)]
    pub row: ProviderPackageRow,
    /// Contents of the package.
    pub contents: Vec<ProviderPackageContent>,
}

/// A service in a package of an external panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderPackageContent {
    /// Id of the service at the external panel.
    pub external_panel_service_id: String,
    /// Name at the external panel.
    pub name: String,
    /// Quantity of the service.
    pub quantity: i64,
    /// Price at the external panel, per `pricing_per` units.
    pub price: Money,
    /// Units that the price is for.
    pub pricing_per: i64,
}
