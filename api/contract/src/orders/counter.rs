//! The measured public counter of an order.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::moment::Time;

/// Counts that a counter service measured at the link of an order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "sqlx", derive(sqlx::FromRow))]
#[serde(default)]
pub struct OrderCounter {
    /// First count, from which growth is measured.
    pub start_count: Option<i64>,
    /// Most recently measured count.
    pub last_count: Option<i64>,
    /// When the last count was measured.
    pub counted_at: Option<Time>,
    /// Part of the growth that is attributed to the order.
    pub quantity: i64,
    /// Whether another order runs for the same link, so that growth counts for neither.
    pub is_shared: bool,
    /// Error of the last measurement; null after a successful one.
    pub last_error: Option<String>,
}
