//! Price preview of a service for each grade, before it is saved.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::{Fraction, Money};
use crate::common::Named;
use crate::discounts::RunningDiscount;
use crate::ids::{GradeId, ServiceId};

/// Body of `POST services/price-preview`, for prices that are not saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PricePreviewInput {
    /// Price per `pricing_per` units.
    pub default_price: Money,
    /// Lowest price that discounts can reach.
    pub min_price: Money,
    /// Number of units that prices are for.
    pub pricing_per: i64,
    /// Quantity of the order.
    pub quantity: i64,
    /// Id of the service whose active discount applies; null for a new service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_id: Option<ServiceId>,
}

/// Price for customers of a grade.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GradePrice {
    /// Grade; null for customers without one.
    pub grade: Option<Named<GradeId>>,
    /// Discount of the grade, as a fraction.
    pub discount_percent: Fraction,
    /// Active discount of the service, which applies first.
    pub discount: Option<RunningDiscount>,
    /// Price per `pricing_per` units.
    pub price: Money,
    /// Cost of the quantity.
    pub cost: Money,
    /// Whether the minimum price applies, because the discount would go below it.
    pub is_lowest: bool,
}

crate::wire!(PricePreviewInput, GradePrice);
