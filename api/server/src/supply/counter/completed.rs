//! Measures the losses of completed orders with automatic refills: finds the orders that need a count, and writes the losses that
//! the counts show.

use panel_contract::ids::OrderId;
use panel_contract::moment::Time;
use panel_contract::orders::CountSource;
use panel_domain::losses::MEASUREMENT_PERIOD;
use panel_kernel::error::Result;

use super::rules;
use super::start_store::PAGE_SIZE;
use super::store::{CounterRow, insert_chart_points};
use crate::app::App;
use crate::operations::orders::losses::{self, LossCount};
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::work::UnitOfWork;

/// Writes the new counts of completed orders, and the losses since the first count of each order.
pub(super) async fn write_losses(work: &mut UnitOfWork, counts: &[(&CounterRow, i64)]) -> Result<()> {
    if counts.is_empty() {
        return Ok(());
    }
    let (now, min_interval) = (work.now, work.scope().platform.config.counter.interval());
    let rows = counts.iter().map(|(row, count)| {
        let age = now.since(row.completed_at.unwrap_or(row.created_at));
        vec![
            row.order_id.into(),
            row.due_at.into(),
            row.was_shared.into(),
            row.has_other_orders.into(),
            (*count).into(),
            now.plus(rules::loss_count_interval(age, min_interval)).into(),
        ]
    });
    let sql = Sql::new(
        "UPDATE order_counters SET last_count = r.count, is_shared = r.is_shared, counted_at = ?, due_at = r.next_due_at, tries = 0, last_error = NULL FROM ",
    );
    let columns = ["id", "claimed_due_at", "was_shared", "is_shared", "count", "next_due_at"];
    let sql = sql.bind(now).rows("r", &columns, rows.collect()).push(
        " WHERE order_counters.order_id = r.id AND order_counters.due_at = r.claimed_due_at AND order_counters.is_shared = r.was_shared
          RETURNING order_counters.order_id",
    );
    let written_ids: Vec<(OrderId,)> = work.fetch_all(sql).await?;
    let written_counts: Vec<(&CounterRow, i64)> =
        counts.iter().filter(|(row, _)| written_ids.contains(&(row.order_id,))).copied().collect();
    let changed_counts = written_counts.iter().filter(|(row, count)| row.last_count != Some(*count));
    insert_chart_points(work, &changed_counts.map(|(row, count)| (row.order_id, *count)).collect::<Vec<_>>())
        .await?;
    let to_loss_count = |(row, count): &(&CounterRow, i64)| LossCount {
        order_id: row.order_id,
        count: *count,
        baseline: None,
        is_shared: row.was_shared || row.has_other_orders,
    };
    losses::record_counts(
        work,
        &written_counts.iter().map(to_loss_count).collect::<Vec<_>>(),
        CountSource::Counter,
    )
    .await
}

/// Position of the scan over completed orders: completion time and id of the last order on the previous page.
pub(super) type CompletedScanPosition = (Time, Option<OrderId>);

/// Scans one page of completed orders after `position`. Returns the orders that must be counted to measure their losses but have no
/// counter yet. Returns the next position as well if the page is full.
pub(super) async fn find_uncounted_completed_orders(
    app: &App,
    position: CompletedScanPosition,
) -> Result<(Vec<OrderId>, Option<CompletedScanPosition>)> {
    let measured_since = app.clock.now().minus(MEASUREMENT_PERIOD);
    let position = if position.0 < measured_since { (measured_since, None) } else { position };
    let sql = Sql::new("SELECT o.id, o.completed_at, c.due_at IS NULL AND ")
        .push(losses::IS_MEASURED_CONDITION)
        .bind(measured_since);
    let sql = sql.push(
        " FROM (SELECT id, status, has_refill, auto_refill_is_allowed, broken_pipes, completed_at FROM orders
           WHERE auto_refill_is_allowed AND completed_at IS NOT NULL AND (completed_at, id) > (?, ?) ORDER BY completed_at, id LIMIT ?) AS o
         LEFT JOIN order_counters c ON c.order_id = o.id ORDER BY o.completed_at, o.id",
    );
    let sql = sql.bind(position.0).bind(position.1.map_or(0, OrderId::get)).bind(PAGE_SIZE);
    let page: Vec<(OrderId, Time, bool)> = (&mut &app.db).fetch_all(sql).await?;
    let is_full_page = i64::try_from(page.len()) == Ok(PAGE_SIZE);
    let next_position =
        page.last().filter(|_| is_full_page).map(|(id, completed_at, _)| (*completed_at, Some(*id)));
    Ok((
        page.into_iter().filter(|(.., needs_counting)| *needs_counting).map(|(id, ..)| id).collect(),
        next_position,
    ))
}
