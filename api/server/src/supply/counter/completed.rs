//! Counts completed orders with automatic refills: finds those that need counting, and writes the losses that their counts show.

use panel_contract::ids::OrderId;
use panel_contract::moment::Time;
use panel_contract::orders::CountSource;
use panel_domain::losses::MEASURED_FOR;
use panel_kernel::error::Result;

use super::rules;
use super::store::{CounterRow, PAGE, insert_chart_points};
use crate::app::App;
use crate::operations::orders::losses::{self, LossCount};
use panel_platform::db::{Source, Sql};
use panel_platform::work::UnitOfWork;

/// Writes the counts of completed orders and the losses since their first count.
pub(super) async fn write_losses(work: &mut UnitOfWork, counts: &[(&CounterRow, i64)]) -> Result<()> {
    if counts.is_empty() {
        return Ok(());
    }
    let (now, every) = (work.now, work.scope().platform.config.counter.interval());
    let rows = counts.iter().map(|(row, count)| {
        let age = now.since(row.completed_at.unwrap_or(row.created_at));
        vec![
            row.order_id.into(),
            row.due_at.into(),
            row.was_shared.into(),
            row.has_others.into(),
            (*count).into(),
            now.after(rules::loss_count_interval(age, every)).into(),
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
    let written: Vec<(OrderId,)> = work.all(sql).await?;
    let counts: Vec<(&CounterRow, i64)> =
        counts.iter().filter(|(row, _)| written.contains(&(row.order_id,))).copied().collect();
    let changed = counts.iter().filter(|(row, count)| row.last_count != Some(*count));
    insert_chart_points(work, &changed.map(|(row, count)| (row.order_id, *count)).collect::<Vec<_>>())
        .await?;
    let loss_count = |(row, count): &(&CounterRow, i64)| LossCount {
        order_id: row.order_id,
        count: *count,
        baseline: None,
        is_shared: row.was_shared || row.has_others,
    };
    losses::record_counts(work, &counts.iter().map(loss_count).collect::<Vec<_>>(), CountSource::Counter)
        .await
}

/// Position of the scan over completed orders: completion time and id of the last order of the previous page.
pub(super) type CompletedPage = (Time, Option<OrderId>);

/// One page of completed orders after `after`: those whose losses must be measured and are not, and the last position if the page
/// is full.
pub(super) async fn unmeasured(
    app: &App,
    after: CompletedPage,
) -> Result<(Vec<OrderId>, Option<CompletedPage>)> {
    let since = app.clock.now().before(MEASURED_FOR);
    let after = if after.0 < since { (since, None) } else { after };
    let sql =
        Sql::new("SELECT o.id, o.completed_at, c.due_at IS NULL AND ").push(losses::IS_MEASURED).bind(since);
    let sql = sql.push(
        " FROM (SELECT id, status, has_refill, auto_refill_is_allowed, broken_pipes, completed_at FROM orders
           WHERE auto_refill_is_allowed AND completed_at IS NOT NULL AND (completed_at, id) > (?, ?) ORDER BY completed_at, id LIMIT ?) AS o
         LEFT JOIN order_counters c ON c.order_id = o.id ORDER BY o.completed_at, o.id",
    );
    let sql = sql.bind(after.0).bind(after.1.map_or(0, OrderId::get)).bind(PAGE);
    let page: Vec<(OrderId, Time, bool)> = (&mut &app.db).all(sql).await?;
    let is_whole = i64::try_from(page.len()) == Ok(PAGE);
    let last = page.last().filter(|_| is_whole).map(|(id, at, _)| (*at, Some(*id)));
    Ok((page.into_iter().filter(|(.., is_due)| *is_due).map(|(id, ..)| id).collect(), last))
}
