//! Counts completed orders with automatic refills: finds the orders that need counting, and writes the losses that the counts show.

use panel_contract::ids::OrderId;
use panel_contract::moment::Time;
use panel_contract::orders::CountSource;
use panel_domain::losses::MEASURED_FOR;
use panel_kernel::error::Result;

use super::rules;
use super::store::{CounterRow, PAGE_SIZE, insert_chart_points};
use crate::app::App;
use crate::operations::orders::losses::{self, LossCount};
use panel_platform::db::{Source, Sql};
use panel_platform::work::UnitOfWork;

/// Writes the counts of completed orders and the losses since their first count.
pub(super) async fn write_losses(work: &mut UnitOfWork, counts: &[(&CounterRow, i64)]) -> Result<()> {
    if counts.is_empty() {
        return Ok(());
    }
    let (now, interval) = (work.now, work.scope().platform.config.counter.interval());
    let rows = counts.iter().map(|(row, count)| {
        let age = now.since(row.completed_at.unwrap_or(row.created_at));
        vec![
            row.order_id.into(),
            row.due_at.into(),
            row.was_shared.into(),
            row.has_other_orders.into(),
            (*count).into(),
            now.plus(rules::loss_count_interval(age, interval)).into(),
        ]
    });
    let sql = Sql::new(
        "UPDATE order_counters SET last_count = r.count, is_shared = r.is_shared, counted_at = ?, due_at = r.due, tries = 0, last_error = NULL FROM ",
    );
    let columns = ["id", "claim", "was_shared", "is_shared", "count", "due"];
    let sql = sql.bind(now).rows("r", &columns, rows.collect()).push(
        " WHERE order_counters.order_id = r.id AND order_counters.due_at = r.claim AND order_counters.is_shared = r.was_shared
          RETURNING order_counters.order_id",
    );
    let written_ids: Vec<(OrderId,)> = work.fetch_all(sql).await?;
    let counts: Vec<(&CounterRow, i64)> =
        counts.iter().filter(|(row, _)| written_ids.contains(&(row.order_id,))).copied().collect();
    let changed = counts.iter().filter(|(row, count)| row.last_count != Some(*count));
    insert_chart_points(work, &changed.map(|(row, count)| (row.order_id, *count)).collect::<Vec<_>>())
        .await?;
    let loss_count = |(row, count): &(&CounterRow, i64)| LossCount {
        order_id: row.order_id,
        count: *count,
        baseline: None,
        is_shared: row.was_shared || row.has_other_orders,
    };
    losses::record_counts(work, &counts.iter().map(loss_count).collect::<Vec<_>>(), CountSource::Counter)
        .await
}

/// Position of the scan over completed orders: completion time and id of the last order of the previous page.
pub(super) type CompletedScanPosition = (Time, Option<OrderId>);

/// Scans one page of completed orders after `position`. Returns the orders whose losses must be measured but are not counted yet,
/// and the next position if the page is full.
pub(super) async fn find_unmeasured(
    app: &App,
    position: CompletedScanPosition,
) -> Result<(Vec<OrderId>, Option<CompletedScanPosition>)> {
    let since = app.clock.now().minus(MEASURED_FOR);
    let position = if position.0 < since { (since, None) } else { position };
    let sql =
        Sql::new("SELECT o.id, o.completed_at, c.due_at IS NULL AND ").push(losses::IS_MEASURED).bind(since);
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
