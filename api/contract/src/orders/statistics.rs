//! Sums of orders per period, and what was seen of the promoted thing.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::amount::Money;
use crate::ids::OrderId;
use crate::moment::{Day, Time};

crate::words! {
    /// The width of a statistics row.
    GroupBy { Day = "day", Week = "week", Month = "month" }
}

/// Query of `GET orders/statistics`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct StatisticsQuery {
    /// day (default), week (from Monday) or month.
    #[serde(default, rename = "groupBy", skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "day")]
    pub group_by: Option<GroupBy>,
    /// First day; 30 days before the last when absent.
    #[serde(default, rename = "startDate", skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "2026-11-01")]
    pub start_date: Option<Day>,
    /// Last day; today when absent.
    #[serde(default, rename = "endDate", skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "2026-11-20")]
    pub end_date: Option<Day>,
    /// Only these orders: up to 1,000 ids joined by commas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orders: Option<String>,
}

/// One row of the statistics: the orders that were placed in one period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StatisticsRow {
    /// First day of the period.
    pub date: Day,
    /// Orders placed.
    pub orders: i64,
    /// Of these, completed by now.
    pub completed: i64,
    /// Of these, canceled by now.
    pub canceled: i64,
    /// Units ordered.
    pub quantity: i64,
    /// Charged.
    pub cost: Money,
    /// Returned.
    pub refunded: Money,
    /// Charged by providers.
    pub provider_cost: Money,
    /// Cost less refunds less provider cost.
    pub revenue: Money,
}

/// Query of `GET orders/promotable-statistics`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct PromotableQuery {
    /// The order's id.
    pub order: OrderId,
}

/// One look at the promoted thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PromotableStatistic {
    /// When.
    pub date: Time,
    /// Viewers.
    pub viewers: i64,
}

crate::plain_query!(StatisticsQuery, PromotableQuery);
