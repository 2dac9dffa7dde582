//! Referral statistics: purchases of referred customers, and the commission of their affiliates.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::amount::Money;
use crate::moment::Day;
use crate::payments::PaymentUser;

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
    /// Return only these referrals: up to 1,000 comma-separated ids.
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

crate::plain_query!(ReferralQuery);

/// Sums of the referral program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ReferralSums {
    /// Number of customers who signed up through an affiliate.
    pub referrals: i64,
    /// Number of paid orders of referrals.
    pub orders: i64,
    /// Cost of these orders.
    pub cost: Money,
    /// Refunded part of `cost`.
    pub refunded: Money,
    /// Commission of affiliates minus reversals.
    pub commission: Money,
}

/// A row for a period, an affiliate or a referral.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReferralRow {
    /// First day of the period, if grouped by period.
    pub date: Option<Day>,
    /// Affiliate, if grouped by affiliate or referral.
    pub affiliate: Option<PaymentUser>,
    /// Referred customer, if grouped by referral.
    pub referral: Option<PaymentUser>,
    /// Sums of the row.
    #[serde(flatten)]
    pub sums: ReferralSums,
}

/// Response of `GET referral-program-statistics`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReferralStatistics {
    /// Periods in their order, or the 1,000 users with the highest sums, highest first.
    pub rows: Vec<ReferralRow>,
    /// Sums over everything, including users beyond the rows.
    pub totals: ReferralSums,
    /// Whether there are more users than rows.
    pub is_cut: bool,
}

crate::wire!(ReferralStatistics);
