//! The real counter of an order. Declarations only.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::moment::Time;

/// What a counter service says of the order's address.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "sqlx", derive(sqlx::FromRow))]
#[serde(default)]
pub struct OrderCounter {
    /// What growth is counted from: the first count.
    pub start_count: Option<i64>,
    /// The last count.
    pub last_count: Option<i64>,
    /// When that was.
    pub counted_at: Option<Time>,
    /// How much of the growth is the order's.
    pub quantity: i64,
    /// Another order runs for the same address, so growth counts for neither.
    pub is_shared: bool,
    /// Why there is no newer count.
    pub last_error: Option<String>,
}
