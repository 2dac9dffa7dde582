//! Refills of losses: measured counts, refill requests and automatic refills.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::Named;
use crate::ids::{OrderId, RefillRequestId, UserId};
use crate::moment::Time;

/// A measured count of a refillable order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RefillStatistic {
    /// When it was recorded.
    pub date: Time,
    /// Measured count, such as views or followers.
    pub quantity: i64,
}

crate::string_enum! {
    /// Source of the counts of a completed order: the public counter, or the status of the external panel.
    CountSource { Counter = "counter", Panel = "panel" }
}

/// First and last measured counts of an order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct OrderRefill {
    /// First measured count of the order.
    pub first: Option<RefillStatistic>,
    /// Most recently measured count of the order.
    pub last: Option<RefillStatistic>,
    /// Source of both counts; null if losses were never measured.
    #[serde(default)]
    pub source: Option<CountSource>,
    /// Units lost since the completion.
    #[serde(default)]
    pub drop_quantity: i64,
}

/// A refill request for lost units.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RefillRequest {
    /// Id of the refill request.
    pub id: RefillRequestId,
    /// Requested quantity in units.
    pub quantity: i64,
    /// Status: `pending`, `sent`, `completed` or `rejected`.
    pub status: String,
    /// User who requested the refill; null for the system.
    pub created_by: Option<Named<UserId>>,
    /// When it was recorded.
    pub created_at: Time,
    /// Last error, one sentence.
    #[serde(default)]
    pub last_error: Option<String>,
    /// Whether the caller can complete or reject it: it is open, and no external panel was asked.
    #[serde(default)]
    pub closable: bool,
}

/// Body of `POST orders/{id}/order-refill-requests`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RefillRequestInput {
    /// Quantity to refill, from 1 to the quantity of the order.
    pub quantity: i64,
}

/// Parameters of automatic refills of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AutoRefillParams {
    /// Id of the order.
    pub id: OrderId,
    /// Whether refills are automatic.
    pub auto_refill_is_allowed: bool,
    /// Whether the public counter is unreliable.
    pub broken_pipes: bool,
    /// Number of lost units.
    pub drop_quantity: i64,
    /// Number of units refilled so far.
    pub order_current_refilled_quantity: i64,
    /// Quantity of the order in units.
    pub order_quantity: i64,
    /// Ids of orders for the same content.
    pub orders_with_same_promotable: i64,
    /// Units to refill next.
    pub refill_quantity: i64,
}

/// Body of `PATCH auto-refill-params`. Absent fields keep their value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AutoRefillParamsInput {
    /// Whether refills are automatic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_refill_is_allowed: Option<bool>,
    /// Whether the public counter is unreliable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken_pipes: Option<bool>,
    /// Number of lost units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drop_quantity: Option<i64>,
    /// Units to refill next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refill_quantity: Option<i64>,
}

crate::wire!(RefillRequest, RefillRequestInput, AutoRefillParams, AutoRefillParamsInput);
