//! Measures the losses of completed orders: how far the count of the counter service or of the external panel has fallen since the first
//! count after the completion. Refills are based on the loss (`dispatch::refills`). A count never cancels or refunds an order.

use std::collections::HashMap;

use panel_contract::ids::OrderId;
use panel_contract::orders::CountSource;
use panel_domain::losses::{CounterReadings, MEASUREMENT_PERIOD};
use panel_kernel::error::Result;

use crate::stores::orders::losses::{MeasuredLoss, record_losses};
use crate::stores::placement_attempts::polling;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::settings::{self, COUNTER_URL};
use panel_platform::work::UnitOfWork;

/// SQL condition: the losses of the order `o` are measured. Binds the time after which the order must have been completed. The flag
/// `broken_pipes` means that the counts of the order are unreliable.
pub const IS_MEASURED_CONDITION: &str = "(o.status = 'completed' AND o.has_refill AND o.auto_refill_is_allowed AND NOT o.broken_pipes AND o.completed_at IS NOT NULL AND o.completed_at > ?)";

/// A count at the URL of a completed order.
#[derive(Debug, Clone, Copy)]
pub struct LossCount {
    pub order_id: OrderId,
    /// Number of views, likes or followers at the URL.
    pub count: i64,
    /// The count at the completion of the order. If the source does not report it, the first count is used instead.
    pub baseline: Option<i64>,
    /// Whether another order for the same URL was delivered since the last count.
    pub is_shared: bool,
}

/// After this number of failed counts in a row, the counts of the external panel are used. After a single failure, the counter service
/// usually works again before the next count of the panel, and each change of the source restarts the measurement.
const MAX_FAILED_COUNTS: i64 = 3;

// Store

#[derive(Debug, sqlx::FromRow)]
struct MeasuredOrder {
    id: OrderId,
    quantity: i64,
    first_count: Option<i64>,
    last_count: Option<i64>,
    source: Option<CountSource>,
}

impl MeasuredOrder {
    /// Returns the earlier counts if they have the same `source`; otherwise `None`, because counts of two sources are not comparable.
    fn comparable_counts(&self, source: CountSource) -> Option<CounterReadings> {
        let (first, last) = self.first_count.zip(self.last_count)?;
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
    let measure_loss = |order: MeasuredOrder| {
        let count = counts_by_order.get(&order.id)?;
        let previous_readings = order.comparable_counts(source);
        let readings =
            CounterReadings::add_count(previous_readings, count.baseline, count.count, count.is_shared);
        let (id, lost_units, restarts_measurement) =
            (order.id, readings.lost_units(order.quantity), previous_readings.is_none());
        Some(MeasuredLoss {
            id,
            first_count: readings.first,
            last_count: readings.last,
            lost_units,
            restarts_measurement,
        })
    };
    let losses: Vec<MeasuredLoss> =
        load_measured(work, &ids, source).await?.into_iter().filter_map(measure_loss).collect();
    Ok(record_losses(work, &losses, source, now).await?)
}

/// Resumes the polls of the placement attempt that completed the order, if the losses of the order are measured from now on. Polling had
/// ended because its result was not needed.
pub async fn resume_polling(work: &mut UnitOfWork, order_id: OrderId) -> Result<()> {
    let now = work.now;
    let condition = Sql::new(" AND ").push(IS_MEASURED_CONDITION).bind(now.minus(MEASUREMENT_PERIOD));
    polling::resume_polling(work, order_id, condition, now).await?.ignore_superseded();
    Ok(())
}

/// Loads the orders whose losses are measured by counts of `source`. The counts of the external panel are used only if no counter service
/// is configured, or if the service fails for the order.
async fn load_measured(
    work: &mut UnitOfWork,
    ids: &[OrderId],
    source: CountSource,
) -> Result<Vec<MeasuredOrder>> {
    let has_counter = settings::read_text(work, COUNTER_URL).await?.is_some();
    let sql = Sql::new(
        "SELECT o.id, o.quantity, o.refill_first_quantity AS first_count, o.refill_last_quantity AS last_count, o.refill_source AS source
         FROM orders o WHERE o.id IN ",
    );
    let mut sql =
        sql.ids(ids).push(" AND ").push(IS_MEASURED_CONDITION).bind(work.now.minus(MEASUREMENT_PERIOD));
    if source == CountSource::Panel && has_counter {
        sql = sql
            .push(" AND EXISTS (SELECT 1 FROM order_counters c WHERE c.order_id = o.id AND c.tries >= ?)")
            .bind(MAX_FAILED_COUNTS);
    }
    Ok(work.fetch_all(sql).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_two_sources_are_not_compared() {
        let id = OrderId::new(1);
        let order = |source| MeasuredOrder {
            id,
            quantity: 600,
            first_count: Some(4_000),
            last_count: Some(3_900),
            source,
        };
        let counted_order = order(Some(CountSource::Counter));
        assert_eq!(
            counted_order.comparable_counts(CountSource::Counter),
            Some(CounterReadings { first: 4_000, last: 3_900 })
        );
        assert_eq!(counted_order.comparable_counts(CountSource::Panel), None);
        assert_eq!(order(None).comparable_counts(CountSource::Panel), None);
    }
}
