//! Services of external panels, their import, and the changes that synchronization applied or holds for approval.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::{Fraction, Money};
use crate::common::Named;
use crate::ids::{
    ExternalPanelId, ImportableServiceId, NetworkId, ProviderId, ServiceId, SyncChangeId, SyncRunId, UserId,
};
use crate::moment::Time;
use crate::packages::PackageType;

mod imports;

pub use imports::{
    ImportOutcome, ImportServiceItem, ImportServicesInput, ImportableService, ImportedItem,
    PriceServicesInput,
};

crate::string_enum! {
    /// Field of a provider or service that synchronization updates.
    SyncField {
        /// Price of the external panel.
        SourcePrice = "source_price",
        /// Price for customers.
        DefaultPrice = "default_price",
        /// Lowest price that discounts can reach.
        MinPrice = "min_price",
        Name = "name",
        MinQuantity = "min_quantity",
        MaxQuantity = "max_quantity",
        /// Quantities are the minimum plus a multiple of the step.
        QuantityStep = "quantity_step",
        /// Individual prices of customers, which rise with the minimum price.
        OwnPrices = "own_prices",
        HasRefill = "has_refill",
        DripFeedIsAllowed = "drip_feed_is_allowed",
        /// English description.
        Description = "description",
        /// English short description.
        ShortDescription = "short_description",
        /// English title for search engines.
        MetaTitle = "meta_title",
        /// English description for search engines.
        MetaDescription = "meta_description",
        /// English reviews of the service.
        Reviews = "reviews",
        /// Names of the labels, separated by commas.
        Labels = "labels",
        /// Deactivated, because the service would be sold at a loss.
        IsDeactivated = "is_deactivated",
        /// Whether the external panel sells the service.
        Availability = "availability",
    }
}

crate::string_enum! {
    /// State of a change that a synchronization found.
    SyncState {
        /// Applied automatically.
        Applied = "applied",
        /// Waits for the decision of staff.
        Held = "held",
        /// Accepted by staff and applied.
        Accepted = "accepted",
        /// Refused by staff.
        Refused = "refused",
        /// Reverted by the external panel before a decision.
        Outdated = "outdated",
    }
}

crate::string_enum! {
    /// Why a service of an external panel cannot be imported.
    PanelServiceRefusal {
        /// Unknown service type.
        UnknownType = "unknown_type",
        /// Service type that this panel does not sell.
        NotSold = "not_sold",
        /// Requires a parameter that this panel cannot ask customers for.
        UnknownParameter = "unknown_parameter",
    }
}

/// A service of an external panel, as of the last synchronization.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PanelService {
    /// Id of the service in this panel, for imports.
    pub id: ImportableServiceId,
    /// Id of the service at the external panel.
    pub external_panel_service_id: String,
    /// Name at the external panel.
    pub name: String,
    /// Service type of the external panel, such as `Default` or `Package`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Category at the external panel.
    pub category: String,
    /// First 500 characters of the description, as plain text.
    #[serde(default)]
    pub description: Option<String>,
    /// External panel that sells the service.
    pub external_panel: Named<ExternalPanelId>,
    /// Price per `pricing_per` units, in the currency of the external panel.
    pub external_panel_price: Money,
    /// Currency code of the external panel.
    pub currency: String,
    /// Number of units that the price is for.
    pub pricing_per: i64,
    /// Minimum quantity of an order.
    pub min_quantity: i64,
    /// Maximum quantity of an order.
    pub max_quantity: i64,
    /// Whether the external panel refills orders.
    pub refill: bool,
    /// Whether orders can be canceled.
    pub cancel: bool,
    /// Why the service cannot be imported, as the end of a sentence; null where it can.
    #[serde(default)]
    pub refusal: Option<String>,
    /// Machine-readable reason why the service cannot be imported.
    #[serde(default)]
    pub refusal_kind: Option<PanelServiceRefusal>,
    /// Provider that was imported from the service; null before.
    pub provider: Option<Named<ProviderId>>,
    /// When the external panel stopped selling the service.
    pub gone_at: Option<Time>,
    /// When the service was first found.
    pub created_at: Time,
    /// Actions that the caller's permissions and the state of the record allow.
    #[serde(default)]
    pub actions: PanelServiceActions,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct PanelServiceActions {
    /// Whether the caller can import it as a service or as a provider.
    pub importable: bool,
    /// Whether the caller can import it as a package.
    pub importable_as_package: bool,
}

/// A service that an external panel currently sells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AvailableService {
    /// Id of the service at the external panel.
    pub external_panel_service_id: String,
    /// Name at the external panel.
    pub name: String,
    /// Service type of the external panel.
    #[serde(rename = "type")]
    pub kind: String,
    /// Category at the external panel.
    pub category: String,
    /// Price in the currency of the external panel.
    pub external_panel_price: Money,
    /// Number of units that the price is for.
    pub pricing_per: i64,
    /// Minimum quantity of an order.
    pub min_quantity: i64,
    /// Maximum quantity of an order.
    pub max_quantity: i64,
}

/// Result of fetching the services of an external panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct FetchedServices {
    /// Number of services that the external panel sells.
    pub services_count: i64,
    /// Number of services that could not be parsed.
    pub unreadable_count: i64,
    /// Number of new services.
    pub new_count: i64,
    /// Number of services that changed.
    pub changed_count: i64,
    /// Number of services that the external panel no longer sells.
    pub gone_count: i64,
}

/// Body of `POST external-panels/import-providers`: providers without services.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportProvidersInput {
    /// Id of the panel.
    #[serde(alias = "externalPanelId")]
    pub external_panel_id: ExternalPanelId,
    /// Ids of 1 to 20,000 importable services of the panel.
    #[serde(alias = "importableServicesIds")]
    pub importable_services_ids: Vec<ImportableServiceId>,
}

/// Body of `POST external-panels/import-packages`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportPackagesInput {
    /// Id of the panel.
    #[serde(alias = "externalPanelId")]
    pub external_panel_id: ExternalPanelId,
    /// 1 to 1,000 importable services of the type `Package`.
    pub packages: Vec<ImportPackageItem>,
}

impl ImportPackagesInput {
    /// An import from a panel without packages.
    #[must_use]
    pub fn new(external_panel_id: ExternalPanelId) -> Self {
        Self { external_panel_id, packages: Vec::new() }
    }
}

/// A package to import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportPackageItem {
    /// Id of the importable service.
    pub id: ImportableServiceId,
    /// Name in this panel; defaults to the name at the external panel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Type of the package; defaults to `auto`.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<PackageType>,
    /// Id of the network.
    #[serde(alias = "networkId", default, skip_serializing_if = "Option::is_none")]
    pub network_id: Option<NetworkId>,
    /// Fixed price for customers in the panel's currency; null for the sum of the contents. Mutually exclusive with
    /// `discount_percent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed_cost: Option<Money>,
    /// Discount on the sum of the contents, a fraction with at most three decimals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discount_percent: Option<Fraction>,
    /// Whether synchronization updates the package.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync: Option<bool>,
}

impl ImportPackageItem {
    /// An import with the values of the external panel.
    #[must_use]
    pub fn new(id: ImportableServiceId) -> Self {
        Self {
            id,
            name: None,
            kind: None,
            network_id: None,
            fixed_cost: None,
            discount_percent: None,
            sync: None,
        }
    }
}

/// A synchronization run of an external panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SyncRunRow {
    /// Id of the sync run.
    pub id: SyncRunId,
    /// Panel, by id and name.
    pub external_panel: Named<ExternalPanelId>,
    /// When the run started.
    pub started_at: Time,
    /// When the run ended; null while it is running or if its process died.
    pub ended_at: Option<Time>,
    /// Number of services that the external panel sells.
    pub services_count: i64,
    /// Number of services that could not be parsed.
    pub unreadable_count: i64,
    /// Number of new services.
    pub new_count: i64,
    /// Number of services that the external panel no longer sells.
    pub gone_count: i64,
    /// Number of applied changes.
    pub applied_count: i64,
    /// Number of changes that wait for a decision.
    pub held_count: i64,
    /// Number of new services that the import rule imported.
    #[serde(default)]
    pub imported_count: i64,
    /// Number of new services that match the import rule but could not be imported.
    #[serde(default)]
    pub not_imported_count: i64,
    /// The first 20 of those services, with reasons.
    #[serde(default)]
    pub not_imported: Vec<NotImportedService>,
    /// Why the run failed or was incomplete.
    pub error: Option<String>,
}

/// A service that matches the import rule but could not be imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NotImportedService {
    /// Id of the importable service.
    pub id: ImportableServiceId,
    /// Id of the service at the external panel.
    pub external_panel_service_id: String,
    /// Name at the external panel.
    pub name: String,
    /// Why the service could not be imported, one sentence.
    pub reason: String,
}

/// A change that a synchronization applied or proposes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SyncChangeRow {
    /// Id of the sync change.
    pub id: SyncChangeId,
    /// Id of the run that found the change.
    pub sync_run_id: SyncRunId,
    /// Panel, by id and name.
    pub external_panel: Named<ExternalPanelId>,
    /// Id of the service at the external panel.
    pub external_panel_service_id: String,
    /// Provider, by id and name.
    pub provider: Named<ProviderId>,
    /// Service that changes; null where only the provider changes.
    pub service: Option<Named<ServiceId>>,
    /// Field that changes.
    pub field: SyncField,
    /// Value before the change.
    pub old_value: String,
    /// Value of the external panel, or the value derived from it.
    pub new_value: String,
    /// State of the change.
    pub state: SyncState,
    /// When the sync change was found.
    pub created_at: Time,
    /// When staff decided; null before.
    pub decided_at: Option<Time>,
    /// Staff member who decided.
    pub decided_by: Option<Named<UserId>>,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: SyncChangeActions,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SyncChangeActions {
    /// Whether the caller can accept the change.
    pub acceptable: bool,
    /// Whether the caller can refuse the change.
    pub refusable: bool,
}

/// A requested synchronization.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SyncAsked {
    /// Id of the panel.
    pub external_panel_id: ExternalPanelId,
    /// When the synchronization is due.
    pub due_at: Time,
}

crate::wire!(PanelService, ImportProvidersInput, ImportPackagesInput);
