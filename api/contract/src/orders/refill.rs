//! Delivering again what was lost: looks at the counter, wishes, and how an order refills by itself.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::Named;
use crate::ids::{OrderId, RefillRequestId, UserId};
use crate::moment::Time;

/// One look at the counter of a refillable order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RefillStatistic {
    /// When.
    pub date: Time,
    /// The counter.
    pub quantity: i64,
}

crate::words! {
    /// Who reported the counts of a completed order: the real counter, or the external panel's status.
    CountSource { Counter = "counter", Panel = "panel" }
}

/// The first and the last look at the counter.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct OrderRefill {
    /// First.
    pub first: Option<RefillStatistic>,
    /// Last.
    pub last: Option<RefillStatistic>,
    /// Who reported both; none where losses were never measured.
    #[serde(default)]
    pub source: Option<CountSource>,
    /// Units lost since the completion.
    #[serde(default)]
    pub drop_quantity: i64,
}

/// A wish to deliver again what was lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RefillRequest {
    /// Its id.
    pub id: RefillRequestId,
    /// How many.
    pub quantity: i64,
    /// `pending`, `sent`, `completed` or `rejected`.
    pub status: String,
    /// Who asked; none for the system.
    pub created_by: Option<Named<UserId>>,
    /// When.
    pub created_at: Time,
    /// What went wrong last, in one sentence.
    #[serde(default)]
    pub last_error: Option<String>,
    /// Whether the caller may complete or reject it: it is open, and no external panel was asked.
    #[serde(default)]
    pub closable: bool,
}

/// Body of a refill request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RefillRequestInput {
    /// From 1 to the order's quantity.
    pub quantity: i64,
}

/// How an order refills by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AutoRefillParams {
    /// The order's id.
    pub id: OrderId,
    /// Whether it does.
    pub auto_refill_is_allowed: bool,
    /// Whether the counter cannot be trusted.
    pub broken_pipes: bool,
    /// How many were lost.
    pub drop_quantity: i64,
    /// How many were delivered again.
    pub order_current_refilled_quantity: i64,
    /// How many were ordered.
    pub order_quantity: i64,
    /// Orders that promote the same thing.
    pub orders_with_same_promotable: i64,
    /// How many to refill next.
    pub refill_quantity: i64,
}

/// Body of `PATCH auto-refill-params`; only what is set changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AutoRefillParamsInput {
    /// Whether it refills by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_refill_is_allowed: Option<bool>,
    /// Whether the counter cannot be trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken_pipes: Option<bool>,
    /// How many were lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drop_quantity: Option<i64>,
    /// How many to refill next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refill_quantity: Option<i64>,
}

crate::wire!(RefillRequest, RefillRequestInput, AutoRefillParams, AutoRefillParamsInput);
