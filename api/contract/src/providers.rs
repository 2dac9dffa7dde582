//! Providers: links from the services of this panel to services of external panels, or manual delivery by staff. Prices, statistics
//! and the supply report.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::amount::{Money, Percent};
use crate::common::{NamedRef, Patch, ProviderMargin};
use crate::ids::{ExternalPanelId, OrderId, ProviderId, RecordId, ServiceId};
use crate::moment::{Day, Time, Timestamp};

/// Query of `GET providers/available-for-order-recreate`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct AvailableProvidersQuery {
    /// Part of a name to search for; absent for all providers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Page number from 1, with 30 providers per page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<i64>,
    /// Id of the order to move. With it, each provider in the response has an `offer`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_id: Option<OrderId>,
}

/// An active provider to which orders can be moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AvailableProvider {
    /// Id of the provider.
    pub id: ProviderId,
    /// Name of the provider.
    pub name: String,
    /// Price per `source_pricing_per` units, in `source_currency`.
    pub source_price: Money,
    /// Currency code of the price, such as `USD`.
    pub source_currency: String,
    /// Number of units that the price is for.
    pub source_pricing_per: i64,
    /// Cost of the order `order_id` at the provider; null without `order_id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer: Option<ProviderOffer>,
}

/// Cost of moving an order to a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderOffer {
    /// Undelivered units of the order, which the provider would deliver.
    pub quantity: i64,
    /// Cost and margin of these units; null if the exchange rate of the price is unknown.
    pub margin: Option<ProviderMargin>,
}

/// Response of `GET providers/available-for-order-recreate`: a page of providers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AvailableProviders {
    /// Providers of this page, sorted by name.
    pub items: Vec<AvailableProvider>,
    /// Number of this page, from 1.
    pub current_page: i64,
    /// Number of the last page, at least 1.
    pub last_page: i64,
}

/// Query of `GET providers/get-available-for-manual-add-statistics`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct OrderProvidersQuery {
    /// Id of the order whose providers are listed.
    pub order_id: OrderId,
}

/// Body of `POST provider-statistics`: deliveries of providers for one order on one day. They replace the values that are stored
/// for that day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderStatisticsInput {
    /// Id of the order that the providers delivered for.
    pub order_id: OrderId,
    /// Day of the delivery, from the day of the order to today.
    pub date: Day,
    /// 1 to 50 entries, each provider once.
    pub provider_statistics: Vec<ProviderStatistic>,
}

/// The delivery of one provider for the order on the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderStatistic {
    /// Id of a provider of the order's service.
    pub provider_id: ProviderId,
    /// Cost of the delivery in the panel's currency, 0 or more.
    pub cost: Money,
    /// Delivered units, 0 or more. If cost and quantity are 0, the stored entry is deleted.
    pub quantity: i64,
}

crate::string_enum! {
    /// Type of a provider, which determines who delivers orders.
    ProviderType {
        /// The panel sends orders to a service of an external panel.
        ExternalPanel = "external_panel",
        /// Staff deliver orders and record the deliveries manually.
        Manual = "manual",
    }
}

crate::string_enum! {
    /// Status of a provider.
    ProviderStatus {
        /// The provider gets new orders.
        Active = "active",
        /// Staff disabled the provider; it gets no new orders.
        Disabled = "disabled",
        /// The provider failed and gets no new orders. Staff must enable it again.
        Error = "error",
        /// Staff archived the provider; it gets no new orders.
        Archived = "archived",
    }
}

/// A price with its currency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SourcePrice {
    /// Amount of the price, in `currency`.
    pub amount: Money,
    /// Currency code, such as `USD`.
    pub currency: String,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderActions {
    /// Whether the caller can update the record.
    pub editable: bool,
    /// Whether the caller can archive the record.
    pub archivable: bool,
    /// Whether the caller can restore the archived record.
    pub restore: bool,
    /// Whether the caller can enable the provider.
    #[serde(default)]
    pub enable: bool,
    /// Whether the caller can disable the provider.
    #[serde(default)]
    pub disable: bool,
}

/// A row of the providers list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderRow {
    /// Id of the provider.
    pub id: ProviderId,
    /// Id of this panel; always 1.
    pub panel_id: i64,
    /// Name of the provider.
    pub name: String,
    /// Type of the provider: an external panel or manual delivery.
    #[serde(rename = "type")]
    pub kind: ProviderType,
    /// Id of the external panel; absent unless the type is `external_panel`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_panel_id: Option<ExternalPanelId>,
    /// Id of the service at the external panel; absent unless the type is `external_panel`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_panel_service_id: Option<String>,
    /// External panel, by id and name; null unless the type is `external_panel`.
    pub external_panel: Option<NamedRef<ExternalPanelId>>,
    /// Price per `source_pricing_per` units, with its currency.
    pub source_price: SourcePrice,
    /// Number of units that the price is for.
    pub source_pricing_per: i64,
    /// Number of services that use the provider.
    pub services_count: i64,
    /// Status of the provider.
    pub status: ProviderStatus,
    /// Whether the record is archived.
    pub is_archived: bool,
    /// Whether orders can be sent to the provider: it is active, and its external panel is neither disabled nor archived.
    pub is_available: bool,
    /// Last recorded time at which the provider was available; null if there is none.
    pub last_available_at: Option<Time>,
    /// When the provider was created.
    pub created_at: Time,
    /// When the record last changed; editors send this time back to detect conflicts.
    pub updated_at: Timestamp,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: ProviderActions,
}

/// A service that uses a provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderService {
    /// Id of the service.
    pub id: ServiceId,
    /// Name of the service.
    pub name: String,
    /// Whether none of the providers of the service is available. In that case the orders of the service wait.
    pub has_no_active_providers: bool,
}

/// A provider with all details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Provider {
    /// Fields of a row of the providers list.
    #[serde(flatten)]
    pub row: ProviderRow,
    /// Services that use the provider, sorted by id.
    pub services: Vec<ProviderService>,
    /// Number of orders that are still open at the provider.
    pub open_orders_count: i64,
    /// Name of the event of the provider from which the customer site reads statistics; null if there is none.
    pub source_event: Option<String>,
    /// Name of the event of the customer site that corresponds to `source_event`; null if there is none.
    pub target_event: Option<String>,
    /// Last day with statistics, such as `2026-11-20`; null if there is none.
    pub last_stats_gather_period: Option<String>,
}

/// Body of `POST providers` and `PUT providers/{id}`. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ProviderInput {
    /// Name, 1 to 255 characters; required for a new provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Type of the provider; defaults to `external_panel`. It cannot change later.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<ProviderType>,
    /// Id of the external panel; required for the type `external_panel`, not allowed for other types.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub external_panel_id: Patch<ExternalPanelId>,
    /// Id of the service at the external panel, 1 to 100 characters; required for the type `external_panel`, not allowed for other
    /// types.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub external_panel_service_id: Patch<String>,
    /// Price per `source_pricing_per` units, in `source_currency`: 0 to 1,000,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_price: Option<Money>,
    /// Currency code of three capital letters; defaults to the currency of the external panel, or of this panel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_currency: Option<String>,
    /// Number of units that the price is for: 1 to 1,000,000; defaults to 1,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_pricing_per: Option<i64>,
    /// New status: `active` or `disabled`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<ProviderStatus>,
    /// Name of the event of the provider from which the customer site reads statistics; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub source_event: Patch<String>,
    /// Name of the event of the customer site that corresponds to `source_event`; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub target_event: Patch<String>,
    /// Ids of all services that use the provider, at most 1,000. A service that did not use the provider before gets it as the
    /// last provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub services: Option<Vec<ServiceId>>,
    /// `updated_at` of the provider that the editor read; 409 `stale_record` if the provider has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
    /// Accept a price below the minimum margin; only possible if the setting `min_margin_action` is `warn`.
    #[serde(default, skip_serializing_if = "crate::common::is_false")]
    pub confirm_below_margin: bool,
}

/// An external panel, for the provider form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExternalPanelChoice {
    /// Id of the external panel.
    pub id: ExternalPanelId,
    /// Name of the external panel.
    pub name: String,
    /// Currency code of the prices of the external panel.
    pub currency: String,
}

/// Response of `GET providers/collections`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderCollections {
    /// The ten available providers that are used by the largest number of services.
    pub top_providers: Vec<AvailableProvider>,
    /// External panels that are not archived, sorted by name.
    pub external_panels: Vec<ExternalPanelChoice>,
    /// Currency code of this panel.
    pub currency: String,
    /// Units of each other currency per unit of `currency`. Prices in a missing currency cannot be compared.
    #[schema(value_type = BTreeMap<String, String>)]
    pub exchange_rates: BTreeMap<String, Money>,
}

crate::string_enum! {
    /// Grouping of the supply report.
    SupplyReportGrouping {
        /// The report has one row per provider.
        Provider = "provider",
        /// The report has one row per service.
        Service = "service",
        /// The report has one row per external panel.
        Panel = "panel",
    }
}

/// Query of `GET providers/report`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct SupplyReportQuery {
    /// Grouping: `provider` (default), `service` or `panel`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "provider")]
    pub by: Option<SupplyReportGrouping>,
    /// Number of past days, 1 to 90; defaults to 30.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<i64>,
}

/// A row of the supply report: statistics of a provider, service or external panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SupplyReportRow {
    /// Id of the provider, service or external panel.
    pub id: RecordId,
    /// Name of the provider, service or external panel.
    pub name: String,
    /// Status of the provider or external panel; null for a service.
    pub status: Option<String>,
    /// Number of external orders that are open now.
    pub open: i64,
    /// When the oldest open external order was sent; null if there is none.
    pub oldest_open_at: Option<Time>,
    /// Id of the order of the oldest open external order; null if there is none.
    pub oldest_open_order_id: Option<OrderId>,
    /// Number of external orders that were completed in the days of the report.
    pub completed: i64,
    /// Number of external orders that ended with a partial delivery in the days of the report.
    pub partial: i64,
    /// Number of external orders that were canceled or failed in the days of the report.
    pub failed: i64,
    /// Failed external orders as a percentage of all ended external orders; null if none ended.
    pub error_share_percent: Option<Percent>,
    /// Mean time from sending to completion in minutes; null if none was completed.
    pub mean_minutes: Option<i64>,
    /// Units that were delivered in the days of the report.
    pub quantity: i64,
    /// Amount that customers paid for these units, in the panel's currency.
    pub revenue: Money,
    /// Cost of these units in the panel's currency.
    pub cost: Money,
    /// Revenue minus cost as a percentage of the revenue; null without revenue.
    pub margin_percent: Option<Percent>,
    /// Balance at the external panel, in `currency`; null for other rows.
    pub balance: Option<Money>,
    /// Currency code of the external panel; null for other rows.
    pub currency: Option<String>,
    /// When a request to the external panel last succeeded; null for other rows.
    pub last_ok_at: Option<Time>,
    /// Error message of the last failed request to the external panel; null for other rows.
    pub last_error: Option<String>,
}

/// Response of `GET providers/report`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SupplyReport {
    /// Grouping of the rows, as in the request or by default.
    pub by: SupplyReportGrouping,
    /// Start of the first day of the report. The report counts an external order on the day on which it ended.
    pub since: Time,
    /// Rows sorted by name; at most 1,000 rows, those with the most external orders. Rows without external orders are omitted,
    /// except in the grouping by external panel.
    pub data: Vec<SupplyReportRow>,
}

crate::serde_queries!(AvailableProvidersQuery, OrderProvidersQuery, SupplyReportQuery);
crate::json_bodies!(
    AvailableProviders,
    ProviderStatisticsInput,
    Provider,
    ProviderInput,
    ProviderCollections,
    SupplyReport
);
