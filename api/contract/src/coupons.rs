//! Coupons as they cross the wire: what customers get for a code, and what that came to.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::{Fraction, Money};
use crate::common::{ArchivableActions, Choice, Patch, Translations};
use crate::discounts::PromotionStatus;
use crate::ids::{CouponId, UserId};
use crate::moment::{Day, Stamp, Time};

crate::words! {
    /// What a coupon is given with: a payment onto the balance, or an order.
    CouponPaymentType { Deposit = "deposit", Order = "order" }
}

crate::words! {
    /// What a coupon gives: money on the main balance, or something off an order's cost.
    CouponBonusType { Balance = "balance", Discount = "discount" }
}

crate::words! {
    /// How a coupon's bonus is defined: as a share of the payment, or as an amount.
    BonusCalculation { Percent = "percent", Fixed = "fixed" }
}

/// Who brings customers with a coupon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReferralManager {
    /// The user's id.
    pub id: UserId,
    /// Their address.
    pub email: String,
}

/// A coupon. The list has all of it but for the texts in other languages, which only one coupon by itself has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CouponRow {
    /// The coupon's id.
    pub id: CouponId,
    /// English name.
    pub name: String,
    /// What customers type, in capitals.
    pub code: String,
    /// Whether customers are shown it.
    pub displayable: bool,
    /// What it is given with.
    pub payment_type: CouponPaymentType,
    /// Who brings customers with it.
    pub affiliate: Option<ReferralManager>,
    /// The smallest payment that it goes with.
    pub min_amount: Money,
    /// It can be used from then on.
    pub valid_from: Time,
    /// It can be used until then; none for ever.
    pub valid_to: Option<Time>,
    /// What it gives.
    pub bonus_type: CouponBonusType,
    /// How that is defined.
    pub bonus_amount_calculation_type: BonusCalculation,
    /// The share of the payment, when it is defined so.
    pub bonus_percentage: Option<Fraction>,
    /// The amount; of a share the most that is given, when there is such a bound.
    pub bonus_amount: Option<Money>,
    /// How often it can be used by all customers together, each of them once; none for any number, 0 for not now.
    pub usage_limit: Option<i64>,
    /// Whether it can be used on top of a service's discount.
    pub works_with_service_discount: bool,
    /// Whether it can be used on top of a customer's own price.
    pub works_with_user_custom_price: bool,
    /// Only while the customer has an order that waits for its payment.
    pub use_with_only_unpaid_orders: bool,
    /// Whether an order that the balance pays can have it.
    pub works_with_balance: bool,
    /// What customers paid with it.
    pub received: Money,
    /// What it gave them.
    pub spent: Money,
    /// How often it was used.
    pub usages: i64,
    /// Archived; completed when its time or its usages are over; scheduled before its time; disabled with a limit of 0;
    /// active.
    pub status: PromotionStatus,
    /// When it was made.
    pub created_at: Time,
    /// When it last changed; echoed by editors.
    pub updated_at: Stamp,
    /// What the caller may do with it.
    pub actions: ArchivableActions,
}

/// One coupon with its texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Coupon {
    /// What the list shows.
    #[serde(flatten)]
    pub row: CouponRow,
    /// English description.
    pub description: Option<String>,
    /// Locale → `name` and `description`.
    pub translations: Translations,
}

/// Body of `POST coupons` and `PATCH coupons/{id}`: what is left out stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CouponInput {
    /// English name, 1 to 100 characters; required for a new one, here or among the translations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// 3 to 40 letters, digits, hyphens and underscores; no other coupon's. Required for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Whether customers are shown it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub displayable: Option<bool>,
    /// What it is given with; required for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payment_type: Option<CouponPaymentType>,
    /// Who brings customers with it.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub affiliate_id: Patch<UserId>,
    /// The smallest payment that it goes with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_amount: Option<Money>,
    /// It can be used from then on; required for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Time>,
    /// It can be used until then; null for ever.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Time>)]
    pub valid_to: Patch<Time>,
    /// What it gives: `balance` with a payment onto the balance, `discount` with an order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bonus_type: Option<CouponBonusType>,
    /// How that is defined; required for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bonus_amount_calculation_type: Option<BonusCalculation>,
    /// 0.01 to 1 with two decimals; required when it is a share, null when it is an amount.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub bonus_percentage: Patch<Fraction>,
    /// Above zero; required when it is an amount; of a share the most that is given.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub bonus_amount: Patch<Money>,
    /// 0 to 1,000,000,000 in all; null for any number.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub usage_limit: Patch<i64>,
    /// Whether it can be used on top of a service's discount.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub works_with_service_discount: Option<bool>,
    /// Whether it can be used on top of a customer's own price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub works_with_user_custom_price: Option<bool>,
    /// Only while the customer has an order that waits for its payment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub use_with_only_unpaid_orders: Option<bool>,
    /// Whether an order that the balance pays can have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub works_with_balance: Option<bool>,
    /// All texts; empty ones are dropped. Fields: `name`, `description`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// As it was read: refused when somebody changed the coupon meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// What pickers of a coupon offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CouponCollections {
    /// What a coupon is given with.
    pub payment_types: Vec<Choice>,
    /// What it gives.
    pub coupons_bonus_types: Vec<Choice>,
    /// How that is defined.
    pub bonus_amount_calculation_types: Vec<Choice>,
}

crate::words! {
    /// What a row of the statistics by date is: a day, or a coupon on a day.
    CouponGrouping { Date = "date", Coupon = "coupon" }
}

crate::words! {
    /// What the statistics are sorted by.
    CouponSort { Name = "name", Date = "date", Received = "received", Spent = "spent", Usages = "usages" }
}

/// Body of `POST coupons/statistics` and `POST coupons/statistic-by-date`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CouponStatisticsInput {
    /// First day; 30 days before the last when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_date: Option<Day>,
    /// Last day; today when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_date: Option<Day>,
    /// Only these coupons, at most 1,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coupons: Option<Vec<CouponId>>,
    /// Only coupons of these referral managers, at most 1,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub affiliates: Option<Vec<UserId>>,
    /// By date: what a row is; `date` when absent. Of no meaning by coupon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grouping: Option<CouponGrouping>,
    /// By coupon `name` when absent, by date `date`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<CouponSort>,
    /// Largest first; when absent so by date, and not by coupon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub descending: Option<bool>,
    /// Rows to skip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<i64>,
    /// 1 to 1,000 rows; 30 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<i64>,
}

/// What coupons came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct CouponSums {
    /// What customers paid with them.
    pub received: Money,
    /// What they gave.
    pub spent: Money,
    /// How often they were used.
    pub usages: i64,
}

/// One row of the statistics.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CouponStatisticsRow {
    /// The day, by date.
    pub date: Option<Day>,
    /// The coupon; none where a row is a whole day.
    pub coupon_id: Option<CouponId>,
    /// Its name.
    pub name: Option<String>,
    /// Its code.
    pub code: Option<String>,
    /// Who brings customers with it.
    pub referral_manager: Option<ReferralManager>,
    /// The numbers.
    #[serde(flatten)]
    pub sums: CouponSums,
}

/// One day of the chart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CouponDay {
    /// The day.
    pub date: Day,
    /// The numbers.
    #[serde(flatten)]
    pub sums: CouponSums,
}

/// The statistics of coupons.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CouponStatistics {
    /// Rows in all.
    pub records_filtered: i64,
    /// Those of the page.
    pub data: Vec<CouponStatisticsRow>,
    /// Everything together.
    pub totals: CouponSums,
    /// Every day of the range, also those without any; for the chart.
    pub days: Vec<CouponDay>,
}

crate::wire!(Coupon, CouponRow, CouponInput, CouponCollections, CouponStatisticsInput, CouponStatistics);
