//! What a service costs customers of each grade: asked before it is saved.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::{Fraction, Money};
use crate::common::Named;
use crate::discounts::RunningDiscount;
use crate::ids::{GradeId, ServiceId};

/// Body of `POST services/price-preview`: prices that need not be saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PricePreviewInput {
    /// Price per `pricing_per` units.
    pub default_price: Money,
    /// The lowest price a customer may get.
    pub min_price: Money,
    /// Units that prices are for.
    pub pricing_per: i64,
    /// How many are ordered.
    pub quantity: i64,
    /// The service whose running discount is applied; none while it is being made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_id: Option<ServiceId>,
}

/// What customers of a grade pay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GradePrice {
    /// The grade; none for customers without one.
    pub grade: Option<Named<GradeId>>,
    /// Off every order.
    pub discount_percent: Fraction,
    /// The service's running discount, which is taken off first.
    pub discount: Option<RunningDiscount>,
    /// Price per `pricing_per` units.
    pub price: Money,
    /// What the quantity costs.
    pub cost: Money,
    /// The lowest price holds: the discount would have gone below it.
    pub is_lowest: bool,
}

crate::wire!(PricePreviewInput, GradePrice);
