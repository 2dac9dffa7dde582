//! Sums of orders per period, and measured counts of promoted content.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::amount::Money;
use crate::ids::OrderId;
use crate::moment::{Day, Time};

crate::string_enum! {
    /// Length of the period of a statistics row.
    GroupBy { Day = "day", Week = "week", Month = "month" }
}

/// Query of `GET orders/statistics`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct StatisticsQuery {
    /// Period: `day` (default), `week` (from Monday) or `month`.
    #[serde(default, rename = "groupBy", skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "day")]
    pub group_by: Option<GroupBy>,
    /// First day; defaults to 30 days before the last day.
    #[serde(default, rename = "startDate", skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "2026-11-01")]
    pub start_date: Option<Day>,
    /// Last day; defaults to today.
    #[serde(default, rename = "endDate", skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "2026-11-20")]
    pub end_date: Option<Day>,
    /// Return only these orders: up to 1,000 comma-separated ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orders: Option<String>,
}

/// A row of the statistics: the orders that were placed in one period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StatisticsRow {
    /// First day of the period.
    pub date: Day,
    /// Number of orders that were placed in the period.
    pub orders: i64,
    /// Number of these orders that are completed.
    pub completed: i64,
    /// Number of these orders that are canceled.
    pub canceled: i64,
    /// Sum of the quantities of these orders, in units.
    pub quantity: i64,
    /// Amount charged for these orders, in the panel's currency.
    pub cost: Money,
    /// Part of `cost` that was refunded.
    pub refunded: Money,
    /// Cost of these orders at providers, in the panel's currency.
    pub provider_cost: Money,
    /// `cost` minus `refunded` minus `provider_cost`.
    pub revenue: Money,
}

/// Query of `GET orders/promotable-statistics`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct PromotableQuery {
    /// Id of the order whose content was measured.
    pub order: OrderId,
}

/// A measurement of the promoted content of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PromotableStatistic {
    /// When the number was measured.
    pub date: Time,
    /// Number of viewers at that time.
    pub viewers: i64,
}

crate::serde_queries!(StatisticsQuery, PromotableQuery);
