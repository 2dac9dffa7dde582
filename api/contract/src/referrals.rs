//! Referral statistics: what the customers whom somebody brought have bought, and what that earned.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::amount::Money;
use crate::moment::Day;
use crate::payments::PaymentUser;

crate::words! {
    /// What a row of the referral statistics is about.
    ReferralGroup { Day = "day", Week = "week", Month = "month", Affiliate = "affiliate", Referral = "referral" }
}

/// Query of `GET referral-program-statistics`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct ReferralQuery {
    /// Only these affiliates: up to 1,000 ids joined by commas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub affiliates: Option<String>,
    /// Only these referrals: up to 1,000 ids joined by commas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub referrals: Option<String>,
    /// day (default), week (from Monday), month, affiliate or referral.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "day")]
    pub group_by: Option<ReferralGroup>,
    /// First day; 30 days before the last when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "2026-11-01")]
    pub start_date: Option<Day>,
    /// Last day; today when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "2026-11-20")]
    pub end_date: Option<Day>,
}

crate::plain_query!(ReferralQuery);

/// What happened, in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ReferralSums {
    /// Customers who signed up through an affiliate.
    pub referrals: i64,
    /// Paid orders of referrals.
    pub orders: i64,
    /// What these cost.
    pub cost: Money,
    /// What was returned of it by now.
    pub refunded: Money,
    /// What affiliates earned, less what was taken back.
    pub commission: Money,
}

/// One row: a period, an affiliate or a referral.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReferralRow {
    /// First day of the period, when rows are periods.
    pub date: Option<Day>,
    /// Who brought them, when rows are people.
    pub affiliate: Option<PaymentUser>,
    /// Who was brought, when rows are referrals.
    pub referral: Option<PaymentUser>,
    /// The numbers.
    #[serde(flatten)]
    pub sums: ReferralSums,
}

/// The statistics.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReferralStatistics {
    /// Periods in their order, or the 1,000 people whose referrals bought most, the largest first.
    pub rows: Vec<ReferralRow>,
    /// Everything together, also what is beyond the rows.
    pub totals: ReferralSums,
    /// Whether there are more people than rows.
    pub is_cut: bool,
}

crate::wire!(ReferralStatistics);
