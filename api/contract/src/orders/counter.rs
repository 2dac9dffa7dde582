//! The public counter of an order, such as the views at its link.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::moment::Time;

/// Public counts at the link of an order, measured by a counter service.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "sqlx", derive(sqlx::FromRow))]
#[serde(default)]
pub struct OrderCounter {
    /// First measured count, from which growth is calculated; null until the first measurement.
    pub start_count: Option<i64>,
    /// Last measured count; null until the first measurement.
    pub last_count: Option<i64>,
    /// When the last count was measured; null until the first measurement.
    pub counted_at: Option<Time>,
    /// Growth that is credited to this order, in delivered units. Not the ordered quantity.
    pub quantity: i64,
    /// Whether another order for the same link is in processing. In that case the growth is credited to neither order.
    pub is_shared: bool,
    /// Error of the last measurement; null after a successful one.
    pub last_error: Option<String>,
}
