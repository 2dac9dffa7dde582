//! Refills of units that were lost after completion: measured counts, refill requests and automatic refills.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::NamedRef;
use crate::ids::{OrderId, RefillRequestId, UserId};
use crate::moment::Time;

/// A measured count of a refillable order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RefillStatistic {
    /// When the count was measured.
    pub date: Time,
    /// Measured count, such as views or followers.
    pub quantity: i64,
}

crate::string_enum! {
    /// Source of the counts of a completed order: the public counter, or the status of the external panel.
    CountSource { Counter = "counter", Panel = "panel" }
}

/// First and last count of an order after its completion, and the loss between them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct OrderRefill {
    /// First count; null until the first measurement.
    pub first: Option<RefillStatistic>,
    /// Last count; null until the first measurement.
    pub last: Option<RefillStatistic>,
    /// Source of both counts; null if losses were never measured.
    #[serde(default)]
    pub source: Option<CountSource>,
    /// Units lost since the completion.
    #[serde(default)]
    pub drop_quantity: i64,
}

/// A request to refill lost units of an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RefillRequest {
    /// Id of the refill request.
    pub id: RefillRequestId,
    /// Units to refill.
    pub quantity: i64,
    /// Status: `pending`, `sent`, `completed` or `rejected`.
    pub status: String,
    /// User who requested the refill; null for the system.
    pub created_by: Option<NamedRef<UserId>>,
    /// When the refill was requested.
    pub created_at: Time,
    /// Error of the last refill request to the external panel, one sentence; null if there is none.
    #[serde(default)]
    pub last_error: Option<String>,
    /// Whether the caller can complete or reject the request: it is open, and the refill was not requested at
    /// an external panel.
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

/// Response of `GET orders/{id}/auto-refill-params`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AutoRefillParams {
    /// Id of the order.
    pub id: OrderId,
    /// Whether the panel requests refills automatically.
    pub auto_refill_is_allowed: bool,
    /// Whether staff marked the public counter as unreliable, so that the server does not measure losses.
    pub broken_pipes: bool,
    /// Units lost since the completion.
    pub drop_quantity: i64,
    /// Units that refills have delivered so far.
    pub order_current_refilled_quantity: i64,
    /// Quantity of the order in units.
    pub order_quantity: i64,
    /// Number of other orders of the customer for the same service and link.
    pub orders_with_same_promotable: i64,
    /// Units of the next automatic refill, if staff set a number; otherwise 0.
    pub refill_quantity: i64,
}

/// Body of `PATCH orders/{id}/auto-refill-params`. Absent fields keep their value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AutoRefillParamsInput {
    /// Whether the panel requests refills automatically.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_refill_is_allowed: Option<bool>,
    /// Whether staff marked the public counter as unreliable, so that the server does not measure losses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken_pipes: Option<bool>,
    /// Units lost since the completion, from 0 to the quantity of the order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drop_quantity: Option<i64>,
    /// Units of the next automatic refill, from 0 to the quantity of the order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refill_quantity: Option<i64>,
}

crate::json_bodies!(RefillRequest, RefillRequestInput, AutoRefillParams, AutoRefillParamsInput);
