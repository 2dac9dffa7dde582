//! Providers: the suppliers of services, with prices, statistics and the supply report.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::amount::{Money, Percent};
use crate::common::{Named, Patch, ProviderMargin};
use crate::ids::{ExternalPanelId, OrderId, ProviderId, RecordId, ServiceId};
use crate::moment::{Day, Stamp, Time};

/// Query of `GET providers/available-for-order-recreate`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct AvailableProvidersQuery {
    /// Part of a name to search for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Page number from 1, with 30 providers per page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<i64>,
    /// Id of the order to move; adds an `offer` to each provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_id: Option<OrderId>,
}

/// A provider to which an order can be moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AvailableProvider {
    /// Id of the provider.
    pub id: ProviderId,
    /// Name of the provider.
    pub name: String,
    /// Price per `source_pricing_per` units.
    pub source_price: Money,
    /// Currency code of the price.
    pub source_currency: String,
    /// Number of units that the price is for.
    pub source_pricing_per: i64,
    /// Cost of the order `order_id` at the provider; null without `order_id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer: Option<ProviderOffer>,
}

/// Cost of an order at a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderOffer {
    /// Undelivered units of the order.
    pub quantity: i64,
    /// Cost and margin of these units; null where the exchange rate of the price is unknown.
    pub margin: Option<ProviderMargin>,
}

/// A page of available providers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AvailableProviders {
    /// Providers, sorted by name.
    pub items: Vec<AvailableProvider>,
    /// Number of this page, from 1.
    pub current_page: i64,
    /// Number of the last page, at least 1.
    pub last_page: i64,
}

/// Query of `GET providers/get-available-for-manual-add-statistics`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct OfOrderQuery {
    /// Id of the order.
    pub order_id: OrderId,
}

/// Body of `POST provider-statistics`: deliveries of providers for one order on one day. Earlier values of the same day
/// are replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderStatisticsInput {
    /// Id of the order.
    pub order_id: OrderId,
    /// Day of the delivery, from the day of the order to today.
    pub date: Day,
    /// 1 to 50 entries, each provider once.
    pub provider_statistics: Vec<ProviderStatistic>,
}

/// Delivery of one provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderStatistic {
    /// Id of a provider of the order's service.
    pub provider_id: ProviderId,
    /// Cost in the panel's currency, 0 or more.
    pub cost: Money,
    /// Delivered units, 0 or more. Cost and quantity 0 remove the entry.
    pub quantity: i64,
}

crate::string_enum! {
    /// Type of a provider.
    ProviderType {
        /// A service of an external panel, to which orders are sent.
        ExternalPanel = "external_panel",
        /// Staff deliver and record the delivery manually.
        Manual = "manual",
    }
}

crate::string_enum! {
    /// Status of a provider.
    ProviderStatus {
        /// Orders can be sent to it.
        Active = "active",
        /// Disabled by staff.
        Disabled = "disabled",
        /// Failed; enable it again once it works.
        Error = "error",
        /// Archived by staff; it gets no new orders.
        Archived = "archived",
    }
}

/// A price with its currency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SourcePrice {
    /// Price in `currency`.
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
    /// Id of the panel, always 1.
    pub panel_id: i64,
    /// Name of the provider.
    pub name: String,
    /// Type of the provider.
    #[serde(rename = "type")]
    pub kind: ProviderType,
    /// Id of the external panel, for providers of that type only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_panel_id: Option<ExternalPanelId>,
    /// Id of the service at the external panel, for providers of that type only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_panel_service_id: Option<String>,
    /// External panel, by id and name.
    pub external_panel: Option<Named<ExternalPanelId>>,
    /// Price per `source_pricing_per` units.
    pub source_price: SourcePrice,
    /// Number of units that the price is for.
    pub source_pricing_per: i64,
    /// Number of services that use the provider.
    pub services_count: i64,
    /// Status of the provider.
    pub status: ProviderStatus,
    /// Whether the record is archived.
    pub is_archived: bool,
    /// Whether orders can be sent to it: it is active, and its panel is neither disabled nor archived.
    pub is_available: bool,
    /// When it last became unavailable.
    pub last_available_at: Option<Time>,
    /// When the provider was created.
    pub created_at: Time,
    /// When the record last changed; editors send it back to detect conflicts.
    pub updated_at: Stamp,
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
    /// Whether none of its providers is available, so that its orders wait.
    pub has_no_active_providers: bool,
}

/// A provider with all details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Provider {
    /// The fields of the list row.
    #[serde(flatten)]
    pub row: ProviderRow,
    /// Services that use the provider, by id.
    pub services: Vec<ProviderService>,
    /// Number of open orders.
    pub open_orders_count: i64,
    /// Name of the provider's event for statistics.
    pub source_event: Option<String>,
    /// Name of the corresponding event of the customer site.
    pub target_event: Option<String>,
    /// Last day with collected statistics, such as `2026-11-20`.
    pub last_stats_gather_period: Option<String>,
}

/// Body of `POST providers` and `PUT providers/{id}`. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ProviderInput {
    /// Name, 1 to 255 characters; required for a new record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Type of the provider; defaults to `external_panel`. It cannot change later.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<ProviderType>,
    /// Id of the external panel; required for that type, refused for others.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub external_panel_id: Patch<ExternalPanelId>,
    /// Id of the service at the external panel, 1 to 100 characters; required for that type, refused for others.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub external_panel_service_id: Patch<String>,
    /// Price, 0 or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_price: Option<Money>,
    /// Currency code of three capital letters; defaults to the currency of the external panel, or of this panel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_currency: Option<String>,
    /// Number of units that the price is for: 1 to 1,000,000; defaults to 1,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_pricing_per: Option<i64>,
    /// Status: `active` or `disabled`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<ProviderStatus>,
    /// Name of the provider's event for statistics, which the customer site reads.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub source_event: Patch<String>,
    /// Name of the corresponding event of the customer site.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub target_event: Patch<String>,
    /// Ids of all services that use the provider, at most 1,000. It is added as the last provider of new services.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub services: Option<Vec<ServiceId>>,
    /// `updated_at` of the provider that the editor read; a 409 `stale_record` if it has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
    /// Accept a price below the minimum margin, where the setting `min_margin_action` is `warn`.
    #[serde(default, skip_serializing_if = "crate::common::is_false")]
    pub confirm_below_margin: bool,
}

/// An external panel for the provider form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PanelChoice {
    /// Id of the panel.
    pub id: ExternalPanelId,
    /// Name of the external panel.
    pub name: String,
    /// Currency code of its prices.
    pub currency: String,
}

/// Response of `GET providers/collections`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderCollections {
    /// The ten available providers that most services use.
    pub top_providers: Vec<AvailableProvider>,
    /// External panels that are not archived, sorted by name.
    pub external_panels: Vec<PanelChoice>,
    /// Currency code of this panel.
    pub currency: String,
    /// Units of each other currency per unit of `currency`. Prices in a missing currency cannot be compared.
    #[schema(value_type = BTreeMap<String, String>)]
    pub exchange_rates: BTreeMap<String, Money>,
}

crate::string_enum! {
    /// Grouping of the supply report.
    ReportBy {
        /// One row per provider.
        Provider = "provider",
        /// One row per service.
        Service = "service",
        /// One row per external panel.
        Panel = "panel",
    }
}

/// Query of `GET providers/report`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct ReportQuery {
    /// Grouping: `provider` (default), `service` or `panel`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "provider")]
    pub by: Option<ReportBy>,
    /// Number of past days, 1 to 90; defaults to 30.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<i64>,
}

/// Statistics of a provider, service or external panel in the days of a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReportRow {
    /// Id of the provider, service or external panel.
    pub id: RecordId,
    /// Name of the provider, service or external panel.
    pub name: String,
    /// Status of the provider or external panel.
    pub status: Option<String>,
    /// Number of open orders.
    pub open: i64,
    /// When the oldest open order was sent.
    pub oldest_open_at: Option<Time>,
    /// Id of the oldest open order.
    pub oldest_open_order_id: Option<OrderId>,
    /// Number of completed external orders.
    pub completed: i64,
    /// Number of partially delivered external orders.
    pub partial: i64,
    /// Number of canceled or failed external orders.
    pub failed: i64,
    /// Failed external orders as a percentage of the ended ones.
    pub error_share_percent: Option<Percent>,
    /// Mean duration from sending to completion, in minutes.
    pub mean_minutes: Option<i64>,
    /// Units delivered in the days of the report.
    pub quantity: i64,
    /// Amount that customers paid for these units.
    pub revenue: Money,
    /// Cost of these units in the panel's currency.
    pub cost: Money,
    /// Revenue minus cost, as a percentage of the revenue.
    pub margin_percent: Option<Percent>,
    /// For an external panel: balance there, in `currency`.
    pub balance: Option<Money>,
    /// For an external panel: currency code.
    pub currency: Option<String>,
    /// For an external panel: when a call last succeeded.
    pub last_ok_at: Option<Time>,
    /// For an external panel: last error message.
    pub last_error: Option<String>,
}

/// Response of `GET providers/report`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Report {
    /// Grouping of the rows.
    pub by: ReportBy,
    /// Start of the report; external orders count by their end.
    pub since: Time,
    /// Rows sorted by name, at most the 1,000 with the most external orders. Rows without external orders are omitted, except for
    /// panels.
    pub data: Vec<ReportRow>,
}

crate::plain_query!(AvailableProvidersQuery, OfOrderQuery, ReportQuery);
crate::wire!(
    AvailableProviders,
    ProviderStatisticsInput,
    Provider,
    ProviderInput,
    ProviderCollections,
    Report
);
