//! Referral statistics: purchases of referred customers, and the commission of their affiliates.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::amount::Money;
use crate::moment::Day;
use crate::payments::UserSummary;

crate::string_enum! {
    /// Grouping of the referral statistics.
    ReferralGroup { Day = "day", Week = "week", Month = "month", Affiliate = "affiliate", Referral = "referral" }
}

/// Query of `GET referral-program-statistics`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct ReferralQuery {
    /// Return only these affiliates: up to 1,000 comma-separated ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub affiliates: Option<String>,
    /// Return only these referred customers: up to 1,000 comma-separated ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub referrals: Option<String>,
    /// Grouping: `day` (default), `week` (from Monday), `month`, `affiliate` or `referral`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "day")]
    pub group_by: Option<ReferralGroup>,
    /// First day; defaults to 30 days before the last day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "2026-11-01")]
    pub start_date: Option<Day>,
    /// Last day; defaults to today.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "2026-11-20")]
    pub end_date: Option<Day>,
}

crate::serde_queries!(ReferralQuery);

/// Sums over referred customers and their orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ReferralSums {
    /// Number of customers who signed up through an affiliate.
    pub referrals: i64,
    /// Number of paid orders of referred customers.
    pub orders: i64,
    /// Amount charged for these orders, in the panel's currency.
    pub cost: Money,
    /// Part of `cost` that was refunded.
    pub refunded: Money,
    /// Commission that affiliates earned minus reversals, in the panel's currency.
    pub commission: Money,
}

/// A row of the referral statistics: a period, an affiliate or a referred customer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReferralRow {
    /// First day of the period; null unless the rows are grouped by period.
    pub date: Option<Day>,
    /// Affiliate of the row; null if the rows are grouped by period.
    pub affiliate: Option<UserSummary>,
    /// Referred customer of the row; null unless the rows are grouped by referral.
    pub referral: Option<UserSummary>,
    /// Sums over the referred customers of the row and their orders.
    #[serde(flatten)]
    pub sums: ReferralSums,
}

/// Response of `GET referral-program-statistics`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReferralStatistics {
    /// Periods in ascending order, or at most 1,000 users, highest sums first.
    pub rows: Vec<ReferralRow>,
    /// Sums over all periods or users, including users without a row.
    pub totals: ReferralSums,
    /// Whether `rows` does not contain all users, because there are more than 1,000.
    pub is_truncated: bool,
}

crate::json_bodies!(ReferralStatistics);
