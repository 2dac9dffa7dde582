//! Losses of completed orders: how far the count of the real counter or of the external panel fell. Later counts are compared
//! with the first count after the completion; refills are based on the loss (`dispatch::refills`). A count never cancels an
//! order and never moves money.

use std::collections::HashMap;

use panel_contract::ids::OrderId;
use panel_contract::orders::CountSource;
use panel_domain::losses::{CounterReadings, MEASURED_FOR};
use panel_kernel::error::Result;

use crate::stores::orders::losses::{MeasuredLoss, record_losses};
use crate::stores::placement_attempts::polling;
use panel_platform::db::{Source, Sql};
use panel_platform::settings::{self, COUNTER_URL};
use panel_platform::work::UnitOfWork;

/// SQL condition: the losses of the order `o` are measured. `?` is the earliest completion. `broken_pipes` marks an unreliable
/// counter.
pub const IS_MEASURED: &str = "(o.status = 'completed' AND o.has_refill AND o.auto_refill_is_allowed AND NOT o.broken_pipes AND o.completed_at IS NOT NULL AND o.completed_at > ?)";

/// The count at the address of a completed order.
#[derive(Debug, Clone, Copy)]
pub struct LossCount {
    pub order_id: OrderId,
    /// Views, likes or followers of the address.
    pub count: i64,
    /// The count at the completion if the source has it; otherwise the first count is used.
    pub baseline: Option<i64>,
    /// Whether another order for the same address was delivered since the last count.
    pub is_shared: bool,
}

/// Failed counts in a row after which the external panel's counts are used. A counter that fails once usually counts again
/// before the panel's next count, and each change of the source restarts the measurement.
const FAILED_COUNTS: i64 = 3;

// Store

#[derive(Debug, sqlx::FromRow)]
struct MeasuredOrder {
    id: OrderId,
    quantity: i64,
    first: Option<i64>,
    last: Option<i64>,
    source: Option<CountSource>,
}

impl MeasuredOrder {
    /// The earlier counts of the same `source`; `None` for another source, because counts of two sources are not comparable.
    fn comparable_counts(&self, source: CountSource) -> Option<CounterReadings> {
        let (first, last) = self.first.zip(self.last)?;
        (self.source == Some(source)).then_some(CounterReadings { first, last })
    }
}

/// Records the first count, the last count and the loss of these orders, which the caller has locked. Skips orders whose losses
/// are not measured. A change of the source restarts the measurement.
pub async fn record_counts(work: &mut UnitOfWork, counts: &[LossCount], source: CountSource) -> Result<()> {
    if counts.is_empty() {
        return Ok(());
    }
    let now = work.now;
    let counts_by_order: HashMap<OrderId, &LossCount> =
        counts.iter().map(|count| (count.order_id, count)).collect();
    let ids: Vec<OrderId> = counts_by_order.keys().copied().collect();
    let measure = |order: MeasuredOrder| {
        let count = counts_by_order.get(&order.id)?;
        let previous = order.comparable_counts(source);
        let current = CounterReadings::after_count(previous, count.baseline, count.count, count.is_shared);
        let (id, lost_units, restarts_measurement) =
            (order.id, current.lost(order.quantity), previous.is_none());
        Some(MeasuredLoss { id, first: current.first, last: current.last, lost_units, restarts_measurement })
    };
    let losses: Vec<MeasuredLoss> =
        load_measured(work, &ids, source).await?.into_iter().filter_map(measure).collect();
    Ok(record_losses(work, &losses, source, now).await?)
}

/// Resumes polling the external panel for the attempt that completed the order, if losses are measured from now on. Polling
/// had ended because its result was not needed.
pub async fn resume_polling(work: &mut UnitOfWork, order: OrderId) -> Result<()> {
    let now = work.now;
    let condition = Sql::new(" AND ").push(IS_MEASURED).bind(now.minus(MEASURED_FOR));
    polling::resume_polling(work, order, condition, now).await?.ignore_superseded();
    Ok(())
}

/// The orders whose losses a count of `source` measures. The panel's counts are used only if no counter is configured or the
/// counter fails for the order.
async fn load_measured(
    work: &mut UnitOfWork,
    ids: &[OrderId],
    source: CountSource,
) -> Result<Vec<MeasuredOrder>> {
    let has_counter = settings::read_text(work, COUNTER_URL).await?.is_some();
    let sql = Sql::new(
        "SELECT o.id, o.quantity, o.refill_first_quantity AS first, o.refill_last_quantity AS last, o.refill_source AS source
         FROM orders o WHERE o.id IN ",
    );
    let mut sql = sql.ids(ids).push(" AND ").push(IS_MEASURED).bind(work.now.minus(MEASURED_FOR));
    if source == CountSource::Panel && has_counter {
        sql = sql
            .push(" AND EXISTS (SELECT 1 FROM order_counters c WHERE c.order_id = o.id AND c.tries >= ?)")
            .bind(FAILED_COUNTS);
    }
    Ok(work.fetch_all(sql).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_loss_is_measured_across_two_sources() {
        let id = OrderId::new(1);
        let order =
            |source| MeasuredOrder { id, quantity: 600, first: Some(4_000), last: Some(3_900), source };
        let counted = order(Some(CountSource::Counter));
        assert_eq!(
            counted.comparable_counts(CountSource::Counter),
            Some(CounterReadings { first: 4_000, last: 3_900 })
        );
        assert_eq!(counted.comparable_counts(CountSource::Panel), None);
        assert_eq!(order(None).comparable_counts(CountSource::Panel), None);
    }
}
