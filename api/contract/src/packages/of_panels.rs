//! Packages that external panels sell, as they cross the wire.

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
    /// Its id here.
    pub id: ProviderPackageId,
    /// What it is called there.
    pub name: String,
    /// What happens when it is bought.
    #[serde(rename = "type")]
    pub kind: PackageType,
    /// Where it is sold.
    pub external_panel: Named<ExternalPanelId>,
    /// Its network, where it has been found.
    pub network: Option<Named<NetworkId>>,
    /// What packages made of it cost, whatever is in it, in our currency.
    pub fixed_cost: Option<Money>,
    /// Off the sum of the contents of packages made of it.
    pub discount_percent: Fraction,
    /// Whether packages made of it follow it.
    pub sync: bool,
    /// How many services are in it.
    pub contents_count: i64,
    /// Packages of ours that were made of it.
    pub packages_count: i64,
    /// When it was first seen.
    pub created_at: Time,
}

/// A package of an external panel with what is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderPackage {
    /// What the list shows.
    #[serde(flatten)]
    pub row: ProviderPackageRow,
    /// What is in it.
    pub contents: Vec<ProviderPackageContent>,
}

/// A service of a package of an external panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderPackageContent {
    /// The service's id there.
    pub external_panel_service_id: String,
    /// What it is called there.
    pub name: String,
    /// How many of it.
    pub quantity: i64,
    /// What it costs there, per `pricing_per`.
    pub price: Money,
    /// Units that the price is for.
    pub pricing_per: i64,
}
