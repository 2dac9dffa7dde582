//! Coupons for deposits and orders, and statistics of their uses.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::{Fraction, Money};
use crate::common::{ArchivableActions, Choice, Patch, Translations};
use crate::discounts::PromotionStatus;
use crate::ids::{CouponId, UserId};
use crate::moment::{Day, Time, Timestamp};

crate::string_enum! {
    /// Type of the payment that a coupon applies to: a deposit to the balance, or an order.
    CouponPaymentType { Deposit = "deposit", Order = "order" }
}

crate::string_enum! {
    /// Benefit of a coupon: a credit on the main balance, or a discount on an order.
    CouponBonusType { Balance = "balance", Discount = "discount" }
}

crate::string_enum! {
    /// How the bonus is calculated: as a fraction of the payment, or as a fixed amount.
    BonusCalculation { Percent = "percent", Fixed = "fixed" }
}

/// A referral manager: the user who refers customers with a coupon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReferralManager {
    /// Id of the user.
    pub id: UserId,
    /// Email address of the user.
    pub email: String,
}

/// A row of the coupons list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CouponRow {
    /// Id of the coupon.
    pub id: CouponId,
    /// English name of the coupon.
    pub name: String,
    /// Code that customers enter, in capital letters.
    pub code: String,
    /// Whether the customer site shows the coupon.
    pub displayable: bool,
    /// Type of the payment that the coupon applies to.
    pub payment_type: CouponPaymentType,
    /// User who refers customers with the coupon; null if there is none.
    pub affiliate: Option<ReferralManager>,
    /// Minimum payment in the panel's currency; 0 for any.
    pub min_amount: Money,
    /// Time from which the coupon is valid.
    pub valid_from: Time,
    /// End of validity; null if unlimited.
    pub valid_to: Option<Time>,
    /// Benefit of the coupon: a credit or a discount.
    pub bonus_type: CouponBonusType,
    /// How the bonus is calculated.
    pub bonus_amount_calculation_type: BonusCalculation,
    /// Bonus as a fraction of the payment, for the calculation `percent`.
    pub bonus_fraction: Option<Fraction>,
    /// Bonus amount for the calculation `fixed`; for `percent` the maximum bonus, if any.
    pub bonus_amount: Option<Money>,
    /// Maximum number of uses by all customers together, each at most once; null for unlimited, 0 disables the coupon.
    pub usage_limit: Option<i64>,
    /// Whether the coupon can be combined with a discount on the service.
    pub works_with_service_discount: bool,
    /// Whether the coupon can be combined with an individual price of the customer.
    pub works_with_user_custom_price: bool,
    /// Whether only customers with an unpaid order can use the coupon.
    pub use_with_only_unpaid_orders: bool,
    /// Whether the coupon applies to orders that are paid from the balance.
    pub works_with_balance: bool,
    /// Sum of the payments with the coupon, in the panel's currency.
    pub received: Money,
    /// Sum of the bonuses that customers received.
    pub spent: Money,
    /// Number of uses of the coupon by customers.
    pub usages: i64,
    /// Status: `archived`; `completed` after the end of validity or the last use; `scheduled` before the start; `disabled` with a
    /// usage limit of 0; otherwise `active`.
    pub status: PromotionStatus,
    /// When the coupon was created.
    pub created_at: Time,
    /// When the record last changed; editors send this time back to detect conflicts.
    pub updated_at: Timestamp,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: ArchivableActions,
}

/// A coupon with all details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Coupon {
    /// Fields of a row of the coupons list.
    #[serde(flatten)]
    pub row: CouponRow,
    /// English description for customers; null if there is none.
    pub description: Option<String>,
    /// Texts by locale and field: `name`, `description`.
    pub translations: Translations,
}

/// Body of `POST coupons` and `PATCH coupons/{id}`. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CouponInput {
    /// English name, 1 to 100 characters; required for a new coupon, in this field or in `translations`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Unique code: 3 to 40 letters, digits, hyphens and underscores. Required for a new coupon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Whether the customer site shows the coupon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub displayable: Option<bool>,
    /// Type of the payment that the coupon applies to; required for a new coupon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payment_type: Option<CouponPaymentType>,
    /// Id of the user who refers customers with the coupon; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub affiliate_id: Patch<UserId>,
    /// Minimum payment in the panel's currency, 0 to 1,000,000; defaults to 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_amount: Option<Money>,
    /// Start of validity; required for a new coupon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Time>,
    /// End of validity; null for unlimited.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Time>)]
    pub valid_to: Patch<Time>,
    /// Benefit: `balance` for deposits, `discount` for orders; defaults to the only value that `payment_type` allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bonus_type: Option<CouponBonusType>,
    /// How the bonus is calculated; required for a new coupon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bonus_amount_calculation_type: Option<BonusCalculation>,
    /// Bonus as a fraction, 0.01 to 1 with two decimals; required for `percent`, null for `fixed`.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub bonus_fraction: Patch<Fraction>,
    /// Bonus amount above 0, at most 1,000,000; required for `fixed`. For `percent` the maximum bonus; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub bonus_amount: Patch<Money>,
    /// Maximum number of uses, 0 to 1,000,000,000; null for unlimited.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub usage_limit: Patch<i64>,
    /// Whether the coupon can be combined with a discount on the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub works_with_service_discount: Option<bool>,
    /// Whether the coupon can be combined with an individual price of the customer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub works_with_user_custom_price: Option<bool>,
    /// Whether only customers with an unpaid order can use the coupon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub use_with_only_unpaid_orders: Option<bool>,
    /// Whether the coupon applies to orders that are paid from the balance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub works_with_balance: Option<bool>,
    /// All texts by locale and field (`name`, `description`); empty texts are removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// `updated_at` of the coupon that the editor read; 409 `stale_record` if the coupon has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

/// Response of `GET coupons/collections`: options of the coupon form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CouponCollections {
    /// Values of `payment_type`.
    pub payment_types: Vec<Choice>,
    /// Values of `bonus_type`.
    pub coupons_bonus_types: Vec<Choice>,
    /// Values of `bonus_amount_calculation_type`.
    pub bonus_amount_calculation_types: Vec<Choice>,
}

crate::string_enum! {
    /// Grouping of the statistics by date: `date` has one row per day, `coupon` one row per coupon and day.
    CouponGrouping { Date = "date", Coupon = "coupon" }
}

crate::string_enum! {
    /// Sort key of the statistics.
    CouponSort { Name = "name", Date = "date", Received = "received", Spent = "spent", Usages = "usages" }
}

/// Body of `POST coupons/statistics` and `POST coupons/statistic-by-date`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CouponStatisticsInput {
    /// First day; defaults to 30 days before the last day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_date: Option<Day>,
    /// Last day; defaults to today.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_date: Option<Day>,
    /// Only these coupons, at most 1,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coupons: Option<Vec<CouponId>>,
    /// Only coupons of these referral managers, at most 1,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub affiliates: Option<Vec<UserId>>,
    /// Grouping of the statistics by date; defaults to `date`. Ignored by the statistics by coupon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grouping: Option<CouponGrouping>,
    /// Sort key; defaults to `name` by coupon and to `date` by date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<CouponSort>,
    /// Whether the order is descending; defaults to true by date and to false by coupon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub descending: Option<bool>,
    /// Number of rows to skip; defaults to 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<i64>,
    /// Number of rows to return, 1 to 1,000; defaults to 30.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<i64>,
}

/// Sums over uses of coupons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct CouponSums {
    /// Sum of the payments with coupons.
    pub received: Money,
    /// Sum of the bonuses that customers received.
    pub spent: Money,
    /// Number of uses of coupons by customers.
    pub usages: i64,
}

/// A row of the coupon statistics.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CouponStatisticsRow {
    /// Day of the row; null in the statistics by coupon.
    pub date: Option<Day>,
    /// Id of the coupon; null if a row covers all coupons of a day.
    pub coupon_id: Option<CouponId>,
    /// English name of the coupon; null if a row covers all coupons of a day.
    pub name: Option<String>,
    /// Code of the coupon; null if a row covers all coupons of a day.
    pub code: Option<String>,
    /// User who refers customers with the coupon; null if there is none.
    pub referral_manager: Option<ReferralManager>,
    /// Sums over the uses of the row.
    #[serde(flatten)]
    pub sums: CouponSums,
}

/// One day of the statistics chart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CouponDay {
    /// Day of the uses, in UTC.
    pub date: Day,
    /// Sums over the uses on this day.
    #[serde(flatten)]
    pub sums: CouponSums,
}

/// Response of `POST coupons/statistics` and `POST coupons/statistic-by-date`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CouponStatistics {
    /// Number of rows on all pages.
    pub records_filtered: i64,
    /// Rows of the requested page.
    pub data: Vec<CouponStatisticsRow>,
    /// Sums over the rows of all pages.
    pub totals: CouponSums,
    /// One entry per day of the range, including days without uses, for a chart.
    pub days: Vec<CouponDay>,
}

crate::json_bodies!(
    Coupon,
    CouponRow,
    CouponInput,
    CouponCollections,
    CouponStatisticsInput,
    CouponStatistics
);
