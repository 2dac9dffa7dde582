//! What completed orders lost: how far the count fell that the real counter or the external panel reports. The first count
//! after the completion is what the others are compared with; refills follow from the loss (`dispatch::refills`). A count
//! never cancels an order and never moves money.

use std::collections::HashMap;

use panel_contract::ids::OrderId;
use panel_contract::orders::CountSource;
use panel_domain::losses::{Counts, MEASURED};
use panel_kernel::error::Result;

use crate::stores::orders::losses::{MeasuredLoss, record_losses};
use crate::stores::placement_attempts::polling;
use panel_platform::db::{Source, Sql};
use panel_platform::settings::{self, COUNTER_URL};
use panel_platform::work::Work;

/// Whether losses of order `o` are measured, completed after `?`. A counter that cannot be trusted measures none.
pub const IS_MEASURED: &str = "(o.status = 'completed' AND o.has_refill AND o.auto_refill_is_allowed AND NOT o.broken_pipes AND o.completed_at IS NOT NULL AND o.completed_at > ?)";

/// A count of the address of a completed order.
#[derive(Debug, Clone, Copy)]
pub struct LossCount {
    /// Id of the order.
    pub order_id: OrderId,
    /// How often the address was seen, liked or followed.
    pub count: i64,
    /// The count at the completion where the source knows it; otherwise the first count stands for it.
    pub baseline: Option<i64>,
    /// Whether another order ran for the address since the last count.
    pub is_shared: bool,
}

/// Failed looks in a row after which a counter has an error: one that fails once has a count again before the panel's
/// next one, and each change of the source measures anew.
const FAILED_LOOKS: i64 = 3;

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
    /// The counts that another one of `source` is compared with: none of another source, as no loss is measured across two.
    fn counts_of(&self, source: CountSource) -> Option<Counts> {
        let (first, last) = self.first.zip(self.last)?;
        (self.source == Some(source)).then_some(Counts { first, last })
    }
}

/// Writes the first and the last count and the loss of these orders, which the caller locked. Orders whose losses are not
/// measured stay as they are. Where the source changes, the measurement begins anew.
pub async fn note(work: &mut Work, counts: &[LossCount], source: CountSource) -> Result<()> {
    if counts.is_empty() {
        return Ok(());
    }
    let now = work.now;
    let by_order: HashMap<OrderId, &LossCount> = counts.iter().map(|count| (count.order_id, count)).collect();
    let ids: Vec<OrderId> = by_order.keys().copied().collect();
    let loss = |order: MeasuredOrder| {
        let count = by_order.get(&order.id)?;
        let before = order.counts_of(source);
        let after = Counts::with(before, count.baseline, count.count, count.is_shared);
        let (id, lost, begins) = (order.id, after.lost(order.quantity), before.is_none());
        Some(MeasuredLoss { id, first: after.first, last: after.last, lost, begins })
    };
    let losses: Vec<MeasuredLoss> =
        measured(work, &ids, source).await?.into_iter().filter_map(loss).collect();
    Ok(record_losses(work, &losses, source, now).await?)
}

/// Lets the external panel be asked again about the attempt that completed the order, where losses are measured from now on:
/// polling ended when nothing was to be learned from it.
pub async fn poll_again(work: &mut Work, order: OrderId) -> Result<()> {
    let now = work.now;
    let measured = Sql::new(" AND ").push(IS_MEASURED).bind(now.before(MEASURED));
    polling::resume_polling(work, order, measured, now).await?.or_nothing();
    Ok(())
}

/// Those of these orders whose losses a count of `source` measures. The panel's counts only where no counter is set, or the
/// counter has an error for the order.
async fn measured(work: &mut Work, ids: &[OrderId], source: CountSource) -> Result<Vec<MeasuredOrder>> {
    let has_counter = settings::text(work, COUNTER_URL).await?.is_some();
    let sql = Sql::new(
        "SELECT o.id, o.quantity, o.refill_first_quantity AS first, o.refill_last_quantity AS last, o.refill_source AS source
         FROM orders o WHERE o.id IN ",
    );
    let mut sql = sql.ids(ids).push(" AND ").push(IS_MEASURED).bind(work.now.before(MEASURED));
    if source == CountSource::Panel && has_counter {
        sql = sql
            .push(" AND EXISTS (SELECT 1 FROM order_counters c WHERE c.order_id = o.id AND c.tries >= ?)")
            .bind(FAILED_LOOKS);
    }
    Ok(work.all(sql).await?)
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
        assert_eq!(counted.counts_of(CountSource::Counter), Some(Counts { first: 4_000, last: 3_900 }));
        assert_eq!(counted.counts_of(CountSource::Panel), None);
        assert_eq!(order(None).counts_of(CountSource::Panel), None);
    }
}
