//! Reads the four counters of the live channel from the materialized counts, and finds which of them changed.

use panel_contract::session::Counters;
use panel_kernel::error::Result;

use crate::db::{SqlExecutor, counts};

pub async fn read(db: &mut impl SqlExecutor) -> Result<Counters> {
    Ok(Counters {
        orders_in_moderation_count: counts::count(db, "orders", "in_moderation").await?,
        orders_in_processing_count: counts::count(db, "orders", "in_processing").await?,
        orders_with_no_active_providers_count: counts::count(db, "orders", "no_active_providers").await?,
        free_trials_in_pending_count: counts::count(db, "free_trials", "pending").await?,
    })
}

/// Returns event name and new count for each counter that differs between `old` and `new`.
#[must_use]
pub fn find_changes(old: Counters, new: Counters) -> Vec<(&'static str, i64)> {
    [
        (
            "orders-in-moderation-count-changed",
            old.orders_in_moderation_count,
            new.orders_in_moderation_count,
        ),
        (
            "orders-in-processing-count-changed",
            old.orders_in_processing_count,
            new.orders_in_processing_count,
        ),
        (
            "orders-with-no-active-providers-count-changed",
            old.orders_with_no_active_providers_count,
            new.orders_with_no_active_providers_count,
        ),
        (
            "free-trials-pending-count-changed",
            old.free_trials_in_pending_count,
            new.free_trials_in_pending_count,
        ),
    ]
    .into_iter()
    .filter(|(_, old, new)| old != new)
    .map(|(event, _, new)| (event, new))
    .collect()
}
