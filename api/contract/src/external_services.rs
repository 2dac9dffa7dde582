//! Services of external panels, their import, and the changes that synchronization found.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::{Fraction, Money};
use crate::common::NamedRef;
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
    /// Field of a provider or service that a synchronization can change.
    SyncField {
        /// Price at the external panel.
        SourcePrice = "source_price",
        /// Price of the service for customers.
        DefaultPrice = "default_price",
        /// Lowest price that discounts can reach.
        MinPrice = "min_price",
        Name = "name",
        MinQuantity = "min_quantity",
        MaxQuantity = "max_quantity",
        /// Step between quantities: valid quantities are the minimum plus a multiple of the step.
        QuantityStep = "quantity_step",
        /// Individual prices of customers, which rise with the minimum price.
        OwnPrices = "own_prices",
        HasRefill = "has_refill",
        DripFeedIsAllowed = "drip_feed_is_allowed",
        /// English description of the service.
        Description = "description",
        /// English short description of the service.
        ShortDescription = "short_description",
        /// English title for search engines.
        MetaTitle = "meta_title",
        /// English description for search engines.
        MetaDescription = "meta_description",
        /// English reviews of the service.
        Reviews = "reviews",
        /// Names of the labels, separated by commas.
        Labels = "labels",
        /// Whether synchronization deactivates the service, because it would be sold at a loss.
        IsDeactivated = "is_deactivated",
        /// Whether the external panel sells the service.
        Availability = "availability",
    }
}

crate::string_enum! {
    /// State of a change that a synchronization found.
    SyncState {
        /// The run applied the change automatically.
        Applied = "applied",
        /// The change is not applied yet, because staff must accept or reject it first.
        Held = "held",
        /// Staff accepted the change, and the panel applied it.
        Accepted = "accepted",
        /// Staff rejected the change, so the panel did not apply it.
        Rejected = "rejected",
        /// The external panel reverted the change before staff decided.
        Outdated = "outdated",
    }
}

crate::string_enum! {
    /// Why a service of an external panel cannot be imported.
    PanelServiceRejection {
        /// This panel does not know the service type.
        UnknownType = "unknown_type",
        /// This panel does not sell services of the type.
        NotSold = "not_sold",
        /// Orders require a parameter that the order form of this panel does not support.
        UnknownParameter = "unknown_parameter",
    }
}

/// A service of an external panel, as of the last synchronization.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PanelService {
    /// Id of the service in this panel, by which imports refer to the service.
    pub id: ImportableServiceId,
    /// Id of the service at the external panel.
    pub external_panel_service_id: String,
    /// Name at the external panel.
    pub name: String,
    /// Service type as the external panel spells it, such as `Default` or `Package`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Category at the external panel.
    pub category: String,
    /// First 500 characters of the description as plain text; null if there is none.
    #[serde(default)]
    pub description: Option<String>,
    /// External panel that sells the service, by id and name.
    pub external_panel: NamedRef<ExternalPanelId>,
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
    /// Whether the external panel can refill orders.
    pub refill: bool,
    /// Whether the external panel can cancel orders.
    pub cancel: bool,
    /// Why the service cannot be imported, an English clause without a capital letter; null if it can be imported.
    #[serde(default)]
    pub rejection: Option<String>,
    /// Machine-readable reason why the service cannot be imported; null if it can be imported.
    #[serde(default)]
    pub rejection_kind: Option<PanelServiceRejection>,
    /// Provider that was imported from the service; null if the service was not imported.
    pub provider: Option<NamedRef<ProviderId>>,
    /// When a synchronization found that the external panel no longer sells the service; null while the external panel sells it.
    pub vanished_at: Option<Time>,
    /// When a synchronization first found the service.
    pub created_at: Time,
    /// Actions that the caller's permissions and the state of the record allow.
    #[serde(default)]
    pub actions: PanelServiceActions,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct PanelServiceActions {
    /// Whether the caller can import the service as a service or as a provider.
    pub importable: bool,
    /// Whether the caller can import the service as a package.
    pub importable_as_package: bool,
}

/// A service that an external panel currently sells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AvailableService {
    /// Id of the service at the external panel.
    pub external_panel_service_id: String,
    /// Name at the external panel.
    pub name: String,
    /// Service type as the external panel spells it, such as `Default`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Category at the external panel.
    pub category: String,
    /// Price per `pricing_per` units, in the currency of the external panel.
    pub external_panel_price: Money,
    /// Number of units that the price is for.
    pub pricing_per: i64,
    /// Minimum quantity of an order.
    pub min_quantity: i64,
    /// Maximum quantity of an order.
    pub max_quantity: i64,
}

/// Response of `POST external-panels/{id}/available-services`: differences to the previous fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct FetchedServices {
    /// Number of services that the external panel sells.
    pub services_count: i64,
    /// Number of services that were ignored because they could not be parsed.
    pub unreadable_count: i64,
    /// Number of new services, which earlier fetches did not contain.
    pub new_count: i64,
    /// Number of known services that changed.
    pub changed_count: i64,
    /// Number of services that the external panel no longer sells.
    pub vanished_count: i64,
}

/// Body of `POST external-panels/import-providers`: providers without services.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportProvidersInput {
    /// Id of the external panel.
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
    /// Id of the external panel.
    #[serde(alias = "externalPanelId")]
    pub external_panel_id: ExternalPanelId,
    /// 1 to 1,000 importable services of the type `Package`.
    pub packages: Vec<ImportPackageItem>,
}

impl ImportPackagesInput {
    /// A body that imports from an external panel, with an empty list of packages.
    #[must_use]
    pub fn new(external_panel_id: ExternalPanelId) -> Self {
        Self { external_panel_id, packages: Vec::new() }
    }
}

/// A package in the body of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportPackageItem {
    /// Id of the importable service, which has the type `Package`.
    pub id: ImportableServiceId,
    /// Name in this panel; defaults to the name at the external panel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Type of the package; defaults to `auto`.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<PackageType>,
    /// Id of the network of the package.
    #[serde(alias = "networkId", default, skip_serializing_if = "Option::is_none")]
    pub network_id: Option<NetworkId>,
    /// Fixed price for customers in the panel's currency; null for the sum of the contents. Mutually exclusive with
    /// `discount_fraction`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed_cost: Option<Money>,
    /// Discount on the sum of the contents, a fraction with at most three decimals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discount_fraction: Option<Fraction>,
    /// Whether synchronization updates the package that this import creates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync: Option<bool>,
}

impl ImportPackageItem {
    /// An import of the package with the values of the external panel.
    #[must_use]
    pub fn new(id: ImportableServiceId) -> Self {
        Self {
            id,
            name: None,
            kind: None,
            network_id: None,
            fixed_cost: None,
            discount_fraction: None,
            sync: None,
        }
    }
}

/// A run of the synchronization with an external panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SyncRunRow {
    /// Id of the run.
    pub id: SyncRunId,
    /// External panel, by id and name.
    pub external_panel: NamedRef<ExternalPanelId>,
    /// When the run started.
    pub started_at: Time,
    /// When the run ended; null while the run is in progress, or if the server stopped during the run.
    pub ended_at: Option<Time>,
    /// Number of services that the external panel sells.
    pub services_count: i64,
    /// Number of services that were ignored because they could not be parsed.
    pub unreadable_count: i64,
    /// Number of new services, which earlier fetches did not contain.
    pub new_count: i64,
    /// Number of services that the external panel no longer sells.
    pub vanished_count: i64,
    /// Number of changes that were applied automatically.
    pub applied_count: i64,
    /// Number of changes that are not applied until staff accept them, as of the end of the run.
    pub held_count: i64,
    /// Number of new services that the import rule imported.
    #[serde(default)]
    pub imported_count: i64,
    /// Number of new services that match the import rule but could not be imported.
    #[serde(default)]
    pub not_imported_count: i64,
    /// First 20 services that could not be imported, with reasons.
    #[serde(default)]
    pub not_imported: Vec<NotImportedService>,
    /// Why the run failed or was incomplete; null after a complete run.
    pub error: Option<String>,
}

/// A new service that matches the import rule but could not be imported.
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

/// A difference between the external panel and this panel that a synchronization found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SyncChangeRow {
    /// Id of the change.
    pub id: SyncChangeId,
    /// Id of the run that found the change.
    pub sync_run_id: SyncRunId,
    /// External panel, by id and name.
    pub external_panel: NamedRef<ExternalPanelId>,
    /// Id of the service at the external panel.
    pub external_panel_service_id: String,
    /// Provider that is linked to the service of the external panel, by id and name.
    pub provider: NamedRef<ProviderId>,
    /// Service that changes; null if only the provider changes.
    pub service: Option<NamedRef<ServiceId>>,
    /// Changed field of the provider or service.
    pub field: SyncField,
    /// Value before the change, as a string.
    pub old_value: String,
    /// New value as a string: the value at the external panel, or a value of this panel that is calculated from it.
    pub new_value: String,
    /// State of the change, such as applied or waiting for a decision.
    pub state: SyncState,
    /// When the run found the change.
    pub created_at: Time,
    /// When staff accepted or rejected the change; null for other changes.
    pub decided_at: Option<Time>,
    /// Staff member who accepted or rejected the change; null for other changes.
    pub decided_by: Option<NamedRef<UserId>>,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: SyncChangeActions,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SyncChangeActions {
    /// Whether the caller can accept the change.
    pub acceptable: bool,
    /// Whether the caller can reject the change.
    pub rejectable: bool,
}

/// Response of `POST external-panels/{id}/sync`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ScheduledSync {
    /// Id of the external panel.
    pub external_panel_id: ExternalPanelId,
    /// When the synchronization becomes due; a background worker then starts it.
    pub due_at: Time,
}

crate::json_bodies!(PanelService, ImportProvidersInput, ImportPackagesInput);
