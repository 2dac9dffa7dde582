//! Previews the prices that customers of each grade would pay for a service, before staff save the prices.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::{Fraction, Money};
use crate::common::NamedRef;
use crate::discounts::RunningDiscount;
use crate::ids::{GradeId, ServiceId};

/// Body of `POST services/price-preview`, for prices that are not saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PricePreviewInput {
    /// Price per `pricing_per` units, in the panel's currency.
    pub default_price: Money,
    /// Lowest price that discounts can reach, per `pricing_per` units.
    pub min_price: Money,
    /// Number of units that prices are for.
    pub pricing_per: i64,
    /// Quantity of the order in units.
    pub quantity: i64,
    /// Id of the service whose active discount applies; null for a new service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_id: Option<ServiceId>,
}

/// Price and cost for customers of one grade.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GradePrice {
    /// Grade of the customers, by id and name; null for customers without a grade.
    pub grade: Option<NamedRef<GradeId>>,
    /// Discount of the grade, as a fraction.
    pub discount_fraction: Fraction,
    /// Active discount of the service, which applies before the discount of the grade; null if there is none.
    pub discount: Option<RunningDiscount>,
    /// Price per `pricing_per` units after all discounts, in the panel's currency.
    pub price: Money,
    /// Cost of the quantity at this price, in the panel's currency.
    pub cost: Money,
    /// Whether `price` is the minimum price, because the discounts would result in a lower price.
    pub is_lowest: bool,
}

crate::json_bodies!(PricePreviewInput, GradePrice);
