//! Providers: who delivers what services sell, at which price, and how well they do.

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
    /// Part of a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// From 1; 30 a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<i64>,
    /// The order that is to move: each provider says then what it would come to there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_id: Option<OrderId>,
}

/// A provider that an order can move to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AvailableProvider {
    /// The provider's id.
    pub id: ProviderId,
    /// Its name.
    pub name: String,
    /// What it asks, per `source_pricing_per`.
    pub source_price: Money,
    /// Currency of that price.
    pub source_currency: String,
    /// Units that price is for.
    pub source_pricing_per: i64,
    /// What the order of `order_id` would come to there; none without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer: Option<ProviderOffer>,
}

/// What an order would come to at a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderOffer {
    /// Units of the order that are missing.
    pub quantity: i64,
    /// Cost and margin of so many; none where the provider's price has no exchange rate.
    pub margin: Option<ProviderMargin>,
}

/// One page of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AvailableProviders {
    /// By name.
    pub items: Vec<AvailableProvider>,
    /// From 1.
    pub current_page: i64,
    /// At least 1.
    pub last_page: i64,
}

/// Query of `GET providers/get-available-for-manual-add-statistics`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct OfOrderQuery {
    /// The order's id.
    pub order_id: OrderId,
}

/// Body of `POST provider-statistics`: what providers did for one order on one day. What was booked for the same day
/// before is replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderStatisticsInput {
    /// The order's id.
    pub order_id: OrderId,
    /// From the day the order was placed to today.
    pub date: Day,
    /// 1 to 50 rows, each provider once.
    pub provider_statistics: Vec<ProviderStatistic>,
}

/// What one provider did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderStatistic {
    /// One of the order's service.
    pub provider_id: ProviderId,
    /// What it charged, in the panel's currency; 0 or more.
    pub cost: Money,
    /// Units it delivered; 0 or more. Cost and quantity 0 take the row away.
    pub quantity: i64,
}

crate::words! {
    /// How a provider delivers.
    ProviderType {
        /// A service of an external panel, which orders are sent to.
        ExternalPanel = "external_panel",
        /// Staff deliver and book what was done for an order by hand.
        Manual = "manual",
    }
}

crate::words! {
    /// Where a provider stands.
    ProviderStatus {
        /// Orders may go to it.
        Active = "active",
        /// Staff switched it off.
        Disabled = "disabled",
        /// It failed; switch it on again once it works.
        Error = "error",
        /// Put away.
        Archived = "archived",
    }
}

/// A price in its currency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SourcePrice {
    /// How much.
    pub amount: Money,
    /// Of which currency.
    pub currency: String,
}

/// What the caller may do with a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderActions {
    /// Change it.
    pub editable: bool,
    /// Put it away.
    pub archivable: bool,
    /// Bring it back.
    pub restore: bool,
    /// Set its status to `active`; one that is active already is not enabled again.
    #[serde(default)]
    pub enable: bool,
    /// Set its status to `disabled`; one that is disabled already is not disabled again.
    #[serde(default)]
    pub disable: bool,
}

/// One row of the providers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderRow {
    /// The provider's id.
    pub id: ProviderId,
    /// The panel it belongs to: 1.
    pub panel_id: i64,
    /// Its name.
    pub name: String,
    /// How it delivers.
    #[serde(rename = "type")]
    pub kind: ProviderType,
    /// The external panel; for providers of that type only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_panel_id: Option<ExternalPanelId>,
    /// The service's id there; for providers of that type only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_panel_service_id: Option<String>,
    /// The external panel with its name.
    pub external_panel: Option<Named<ExternalPanelId>>,
    /// What it asks, per `source_pricing_per`.
    pub source_price: SourcePrice,
    /// Units that price is for.
    pub source_pricing_per: i64,
    /// How many services it delivers.
    pub services_count: i64,
    /// Where it stands.
    pub status: ProviderStatus,
    /// Whether it is put away.
    pub is_archived: bool,
    /// Whether orders can go to it now: it is active, and its panel is neither disabled nor archived.
    pub is_available: bool,
    /// When it last stopped being available.
    pub last_available_at: Option<Time>,
    /// When it was made.
    pub created_at: Time,
    /// When it last changed; echoed by editors.
    pub updated_at: Stamp,
    /// What the caller may do with it.
    pub actions: ProviderActions,
}

/// A service of a provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderService {
    /// The service's id.
    pub id: ServiceId,
    /// Its name.
    pub name: String,
    /// Whether none of its providers is available: its orders wait.
    pub has_no_active_providers: bool,
}

/// One provider with everything about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Provider {
    /// What the list shows.
    #[serde(flatten)]
    pub row: ProviderRow,
    /// The services that it delivers, by id.
    pub services: Vec<ProviderService>,
    /// Orders that are with it now.
    pub open_orders_count: i64,
    /// The event there that statistics are taken from.
    pub source_event: Option<String>,
    /// The event here that they count for.
    pub target_event: Option<String>,
    /// The last day that statistics of its orders were gathered for, such as `2026-11-20`.
    pub last_stats_gather_period: Option<String>,
}

/// Body of `POST providers` and `PUT providers/{id}`: what is left out stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ProviderInput {
    /// 1 to 255 characters; required for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How it delivers; `external_panel` when nothing is said. It cannot change later.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<ProviderType>,
    /// The external panel; required for that type, refused for others.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub external_panel_id: Patch<ExternalPanelId>,
    /// The service's id there, 1 to 100 characters; required for that type, refused for others.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub external_panel_service_id: Patch<String>,
    /// What it asks, 0 or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_price: Option<Money>,
    /// Three capital letters; the panel's currency, or the house's own, when nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_currency: Option<String>,
    /// Units that price is for: 1 to 1,000,000; 1,000 when nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_pricing_per: Option<i64>,
    /// `active` or `disabled`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<ProviderStatus>,
    /// The event there that statistics are taken from; the customers' site reads it with its services.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub source_event: Patch<String>,
    /// The event here that they count for.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub target_event: Patch<String>,
    /// Every service that it delivers, at most 1,000; at a service that is new to it, it is tried last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub services: Option<Vec<ServiceId>>,
    /// As it was read: refused when somebody changed the provider meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
    /// Sets a price below the least margin all the same, where the setting `min_margin_action` is `warn`.
    #[serde(default, skip_serializing_if = "crate::common::is_false")]
    pub confirm_below_margin: bool,
}

/// An external panel that a provider can be of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PanelChoice {
    /// The panel's id.
    pub id: ExternalPanelId,
    /// Its name.
    pub name: String,
    /// The currency of its prices.
    pub currency: String,
}

/// Answer of `GET providers/collections`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderCollections {
    /// The ten available ones that most services use.
    pub top_providers: Vec<AvailableProvider>,
    /// The external panels that are not archived, by name.
    pub external_panels: Vec<PanelChoice>,
    /// The currency of what services cost.
    pub currency: String,
    /// How much of each other currency one unit of it buys. Prices in a currency that is missing cannot be compared.
    #[schema(value_type = BTreeMap<String, String>)]
    pub exchange_rates: BTreeMap<String, Money>,
}

crate::words! {
    /// What a supply report has a row for.
    ReportBy {
        /// Each provider.
        Provider = "provider",
        /// Each service.
        Service = "service",
        /// Each external panel.
        Panel = "panel",
    }
}

/// Query of `GET providers/report`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct ReportQuery {
    /// provider (default), service or panel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "provider")]
    pub by: Option<ReportBy>,
    /// How many days back: 1 to 90; 30 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<i64>,
}

/// What a provider, a service or a panel did in the days of a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReportRow {
    /// The id of the provider, service or panel.
    pub id: RecordId,
    /// Its name.
    pub name: String,
    /// Where the provider or panel stands.
    pub status: Option<String>,
    /// Orders that are with it now.
    pub open: i64,
    /// Since when the oldest of them is.
    pub oldest_open_at: Option<Time>,
    /// The oldest of them.
    pub oldest_open_order_id: Option<OrderId>,
    /// Attempts that ended delivered.
    pub completed: i64,
    /// Attempts that ended with a part delivered.
    pub partial: i64,
    /// Attempts that ended canceled or failed.
    pub failed: i64,
    /// Failed ones of all that ended.
    pub error_share_percent: Option<Percent>,
    /// Mean minutes from sending to delivered.
    pub mean_minutes: Option<i64>,
    /// Units delivered.
    pub quantity: i64,
    /// What customers paid for these units.
    pub revenue: Money,
    /// What they cost, in the house's currency.
    pub cost: Money,
    /// Revenue less cost, of the revenue.
    pub margin_percent: Option<Percent>,
    /// Of a panel: our balance there, in `currency`.
    pub balance: Option<Money>,
    /// Of a panel: its currency.
    pub currency: Option<String>,
    /// Of a panel: when it last answered.
    pub last_ok_at: Option<Time>,
    /// Of a panel: its last complaint.
    pub last_error: Option<String>,
}

/// Answer of `GET providers/report`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Report {
    /// What a row is.
    pub by: ReportBy,
    /// From when attempts are counted, by their end.
    pub since: Time,
    /// By name; at most 1,000, those with the most attempts. Rows without any attempt are left out, but for panels.
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
