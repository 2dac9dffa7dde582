//! What external panels sell, as it is kept here; importing it; and what following it changed or waits for a yes or no.

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

crate::words! {
    /// What of a provider or a service follows its panel.
    SyncField {
        /// What the panel asks.
        SourcePrice = "source_price",
        /// What customers pay.
        DefaultPrice = "default_price",
        /// Below it no discount goes.
        MinPrice = "min_price",
        Name = "name",
        MinQuantity = "min_quantity",
        MaxQuantity = "max_quantity",
        /// Quantities are the smallest order plus a multiple of it.
        QuantityStep = "quantity_step",
        /// Customers' own prices of the service, which rise with the lowest one.
        OwnPrices = "own_prices",
        HasRefill = "has_refill",
        DripFeedIsAllowed = "drip_feed_is_allowed",
        /// The English description.
        Description = "description",
        /// The English short description.
        ShortDescription = "short_description",
        /// The English title for search engines.
        MetaTitle = "meta_title",
        /// The English description for search engines.
        MetaDescription = "meta_description",
        /// The English reviews.
        Reviews = "reviews",
        /// Names of the labels, separated by commas.
        Labels = "labels",
        /// Off sale, as it would be sold at a loss.
        IsDeactivated = "is_deactivated",
        /// Whether the panel sells it at all.
        Availability = "availability",
    }
}

crate::words! {
    /// What became of a change that a sync found.
    SyncState {
        /// It was made.
        Applied = "applied",
        /// It waits for a yes or no.
        Held = "held",
        /// Somebody said yes.
        Accepted = "accepted",
        /// Somebody said no.
        Refused = "refused",
        /// The panel took it back before anybody decided.
        Outdated = "outdated",
    }
}

crate::words! {
    /// Why a service of an external panel cannot be imported.
    PanelServiceRefusal {
        /// Its type is not known here.
        UnknownType = "unknown_type",
        /// Services of its type are not sold here.
        NotSold = "not_sold",
        /// It requires an answer that customers cannot be asked for here.
        UnknownParameter = "unknown_parameter",
    }
}

/// A service of an external panel, as the panel last said it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PanelService {
    /// Its id here: what imports name.
    pub id: ImportableServiceId,
    /// Its id there.
    pub external_panel_service_id: String,
    /// What it is called there.
    pub name: String,
    /// The panel's word, such as `Default` or `Package`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The panel's category.
    pub category: String,
    /// What the panel says about it, as text; the first 500 characters.
    #[serde(default)]
    pub description: Option<String>,
    /// Its panel.
    pub external_panel: Named<ExternalPanelId>,
    /// What the panel asks, per `pricing_per`, in the panel's currency.
    pub external_panel_price: Money,
    /// The panel's currency.
    pub currency: String,
    /// Units that the price is for.
    pub pricing_per: i64,
    /// Smallest order.
    pub min_quantity: i64,
    /// Largest order.
    pub max_quantity: i64,
    /// Whether it is refilled.
    pub refill: bool,
    /// Whether it can be canceled.
    pub cancel: bool,
    /// Why it cannot be imported, as the end of a sentence; none where it can.
    #[serde(default)]
    pub refusal: Option<String>,
    /// The kind of that reason, by which the list is filtered.
    #[serde(default)]
    pub refusal_kind: Option<PanelServiceRefusal>,
    /// The provider that was made of it.
    pub provider: Option<Named<ProviderId>>,
    /// Since when the panel no longer sells it.
    pub gone_at: Option<Time>,
    /// When it was first seen.
    pub created_at: Time,
    /// What the caller may do with it.
    #[serde(default)]
    pub actions: PanelServiceActions,
}

/// What the caller may do with a service of an external panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct PanelServiceActions {
    /// Import it as a service, or its provider alone.
    pub importable: bool,
    /// Import it as a package.
    pub importable_as_package: bool,
}

/// A service that a panel sells at this moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AvailableService {
    /// Its id there.
    pub external_panel_service_id: String,
    /// What it is called there.
    pub name: String,
    /// The panel's word.
    #[serde(rename = "type")]
    pub kind: String,
    /// The panel's category.
    pub category: String,
    /// What the panel asks, in its currency.
    pub external_panel_price: Money,
    /// Units that the price is for.
    pub pricing_per: i64,
    /// Smallest order.
    pub min_quantity: i64,
    /// Largest order.
    pub max_quantity: i64,
}

/// What asking a panel for its services brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct FetchedServices {
    /// How many it sells.
    pub services_count: i64,
    /// How many could not be read.
    pub unreadable_count: i64,
    /// How many were not known.
    pub new_count: i64,
    /// How many differ from what was known.
    pub changed_count: i64,
    /// How many are gone.
    pub gone_count: i64,
}

/// Body of `POST external-panels/import-providers`: providers without services.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportProvidersInput {
    /// The panel.
    #[serde(alias = "externalPanelId")]
    pub external_panel_id: ExternalPanelId,
    /// 1 to 20,000 of its services.
    #[serde(alias = "importableServicesIds")]
    pub importable_services_ids: Vec<ImportableServiceId>,
}

/// Body of `POST external-panels/import-packages`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportPackagesInput {
    /// The panel.
    #[serde(alias = "externalPanelId")]
    pub external_panel_id: ExternalPanelId,
    /// 1 to 1,000 of its services of the type `Package`.
    pub packages: Vec<ImportPackageItem>,
}

impl ImportPackagesInput {
    /// An import from a panel, of no packages yet.
    #[must_use]
    pub fn new(external_panel_id: ExternalPanelId) -> Self {
        Self { external_panel_id, packages: Vec::new() }
    }
}

/// One package to import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportPackageItem {
    /// Its id in the list of the panel's services.
    pub id: ImportableServiceId,
    /// What it is called here; none for its name there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What happens when it is bought; `auto` when not said.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<PackageType>,
    /// The network.
    #[serde(alias = "networkId", default, skip_serializing_if = "Option::is_none")]
    pub network_id: Option<NetworkId>,
    /// What it costs customers whatever is in it, in our currency; none for the sum of its contents. A fixed cost or a
    /// discount, not both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed_cost: Option<Money>,
    /// Off the sum of its contents, as a fraction with at most three decimals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discount_percent: Option<Fraction>,
    /// Whether it follows the panel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync: Option<bool>,
}

impl ImportPackageItem {
    /// A package imported as the panel has it.
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

/// One look at a panel's services.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SyncRunRow {
    /// Its id.
    pub id: SyncRunId,
    /// The panel.
    pub external_panel: Named<ExternalPanelId>,
    /// When it began.
    pub started_at: Time,
    /// When it was over; none for one that goes on, or whose process died.
    pub ended_at: Option<Time>,
    /// How many services the panel sells.
    pub services_count: i64,
    /// How many could not be read.
    pub unreadable_count: i64,
    /// How many were not known.
    pub new_count: i64,
    /// How many are gone.
    pub gone_count: i64,
    /// Changes made.
    pub applied_count: i64,
    /// Changes that wait for a yes or no.
    pub held_count: i64,
    /// New services that the panel's import rule imported.
    #[serde(default)]
    pub imported_count: i64,
    /// New services that the import rule chose and that could not be imported.
    #[serde(default)]
    pub not_imported_count: i64,
    /// The first 20 of those, with the reason.
    #[serde(default)]
    pub not_imported: Vec<NotImportedService>,
    /// Why it changed nothing, or not everything.
    pub error: Option<String>,
}

/// A service that a panel's import rule chose and that could not be imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NotImportedService {
    /// Its id in the list of the panel's services.
    pub id: ImportableServiceId,
    /// Its id there.
    pub external_panel_service_id: String,
    /// What it is called there.
    pub name: String,
    /// Why it could not be imported, in a sentence.
    pub reason: String,
}

/// One change that following a panel made or wants to make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SyncChangeRow {
    /// Its id.
    pub id: SyncChangeId,
    /// The run that found it.
    pub sync_run_id: SyncRunId,
    /// The panel.
    pub external_panel: Named<ExternalPanelId>,
    /// The service's id there.
    pub external_panel_service_id: String,
    /// The provider.
    pub provider: Named<ProviderId>,
    /// The service that changes; none where only the provider does.
    pub service: Option<Named<ServiceId>>,
    /// What changes.
    pub field: SyncField,
    /// As it was.
    pub old_value: String,
    /// As the panel has it, or as it follows from that.
    pub new_value: String,
    /// What became of it.
    pub state: SyncState,
    /// When it was found.
    pub created_at: Time,
    /// When somebody said yes or no.
    pub decided_at: Option<Time>,
    /// Who that was.
    pub decided_by: Option<Named<UserId>>,
    /// What the caller may do with it.
    pub actions: SyncChangeActions,
}

/// What the caller may do with a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SyncChangeActions {
    /// Say yes.
    pub acceptable: bool,
    /// Say no.
    pub refusable: bool,
}

/// A sync that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SyncAsked {
    /// The panel.
    pub external_panel_id: ExternalPanelId,
    /// When it is due.
    pub due_at: Time,
}

crate::wire!(PanelService, ImportProvidersInput, ImportPackagesInput);
