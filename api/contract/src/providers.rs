//! Providers as pickers see them, and what staff book by hand for them; the rest of supply comes with its own issue.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::amount::Money;
use crate::moment::Day;

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
}

/// A provider that an order can move to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AvailableProvider {
    /// The provider's id.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// What it asks, per `source_pricing_per`.
    pub source_price: Money,
    /// Currency of that price.
    pub source_currency: String,
    /// Units that price is for.
    pub source_pricing_per: i64,
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
    pub order_id: i64,
}

/// Body of `POST provider-statistics`: what providers did for one order on one day. What was booked for the same day
/// before is replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderStatisticsInput {
    /// The order's id.
    pub order_id: i64,
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
    pub provider_id: i64,
    /// What it charged, in the panel's currency; 0 or more.
    pub cost: Money,
    /// Units it delivered; 0 or more. Cost and quantity 0 take the row away.
    pub quantity: i64,
}

crate::plain_query!(AvailableProvidersQuery, OfOrderQuery);
crate::wire!(AvailableProviders, ProviderStatisticsInput);
