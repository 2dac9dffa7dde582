//! Stores counters: claims the due ones, writes their counts, and attributes growth to orders. Every write is conditional on its
//! claim, so a second worker or a late response changes nothing.

use std::collections::{HashMap, HashSet};

use panel_contract::ids::OrderId;
use panel_contract::moment::Time;
use panel_contract::orders::OrderStatus;
use panel_domain::losses::MEASURED_FOR;
use panel_kernel::error::Result;

use super::rules::{self, CountError, Growth, PromotedInfo};
use super::{COUNTER, CountResult};
use super::{completed, promoted};
use crate::app::App;
use crate::operations::orders::losses;
use crate::operations::orders::store as orders;
use crate::stores::orders::delivery::record_counted_quantities;
use crate::stores::orders::dispatch::schedule_dispatch;
use panel_platform::db::{DbResult, Source, Sql, Val};
use panel_platform::lease::declared::CLAIM_DURATION;
use panel_platform::quarantine::{self, ClaimedBatch};
use panel_platform::scope::Scope;
use panel_platform::work::UnitOfWork;

/// Orders per page of a scan.
pub(super) const PAGE_SIZE: i64 = 500;
/// Row of `shared_schedules` that holds the rate limit of all processes.
const RATE_LIMIT_ROW: &str = "counter";
/// SQL: whether the orders of service `s` are counted.
macro_rules! is_counted_service {
    () => {
        "(s.gather_statistic OR s.real_counter_complete_is_enabled)"
    };
}

/// A claimed order whose address is counted.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(super) struct CountedOrder {
    pub(super) order_id: OrderId,
    /// Due time that the claim set. Writes are conditional on it.
    due_at: Time,
    tries: i64,
    pub(super) url: String,
    pub(super) kind: String,
    pub(super) network: String,
}

/// Claims as many due orders as the rate limit allows.
pub(super) async fn claim(app: &App) -> Result<(Vec<CountedOrder>, ClaimedBatch)> {
    let now = app.clock.now();
    let select_due = COUNTER.select_claimable(app);
    // This query needs no write connection, and usually no order is due.
    if (&mut &app.db).fetch_optional::<(OrderId,)>(select_due.clone().push(" LIMIT 1")).await?.is_none() {
        return Ok((Vec::new(), ClaimedBatch::none()));
    }
    let calls_per_second = app.config.counter.calls_per_second;
    let mut tx = app.db.begin().await?;
    tx.execute(
        Sql::new("INSERT INTO shared_schedules (name) VALUES (?) ON CONFLICT (name) DO NOTHING")
            .bind(RATE_LIMIT_ROW),
    )
    .await?;
    let sql =
        Sql::new("SELECT next_at FROM shared_schedules WHERE name = ?").bind(RATE_LIMIT_ROW).for_update();
    let (next_call_at,): (Time,) = tx.fetch_one(sql).await?;
    if next_call_at > now {
        return Ok((Vec::new(), ClaimedBatch::none()));
    }
    let select_due = select_due
        .push(" ORDER BY due_at, order_id LIMIT ?")
        .bind(i64::from(calls_per_second))
        .for_update_skip_locked();
    let sql = select_due.into_materialized_cte().push(
        "UPDATE order_counters SET due_at = ? WHERE order_id IN (SELECT order_id FROM due) RETURNING order_id",
    );
    let ids: Vec<(OrderId,)> = tx.fetch_all(sql.bind(now.plus(CLAIM_DURATION))).await?;
    let ids: Vec<OrderId> = ids.into_iter().map(|(id,)| id).collect();
    let orders = if ids.is_empty() { Vec::new() } else { load_counted(&mut tx, &ids, now).await? };
    let calls = i64::try_from(orders.len()).unwrap_or(i64::MAX);
    let sql = Sql::new("UPDATE shared_schedules SET next_at = ? WHERE name = ?");
    tx.execute(sql.bind(rules::next_call_at(now, calls, calls_per_second)).bind(RATE_LIMIT_ROW)).await?;
    let ids: Vec<OrderId> = orders.iter().map(|order| order.order_id).collect();
    let batch = quarantine::insert_batch(&mut tx, app, COUNTER.kind, &ids).await?;
    tx.commit().await?;
    Ok((orders, batch))
}

/// Loads the orders that still run and are counted, or whose losses are measured. Stops counting the others.
async fn load_counted(tx: &mut impl Source, ids: &[OrderId], now: Time) -> DbResult<Vec<CountedOrder>> {
    let sql = Sql::new(concat!(
        "UPDATE order_counters SET due_at = NULL WHERE NOT EXISTS (SELECT 1 FROM orders o JOIN services s ON s.id = o.service_id
           WHERE o.id = order_counters.order_id AND (o.status = 'in_processing' AND ",
        is_counted_service!(),
        " OR ",
    ));
    let sql = sql.push(losses::IS_MEASURED).bind(now.minus(MEASURED_FOR));
    tx.execute(sql.push(")) AND order_id IN ").ids(ids)).await?;
    let sql = Sql::new(
        "SELECT c.order_id, c.due_at, c.tries, o.url, COALESCE(t.slug, lower(t.name)) AS kind, lower(n.name) AS network
         FROM order_counters c JOIN orders o ON o.id = c.order_id JOIN services s ON s.id = o.service_id
         JOIN service_types t ON t.id = s.service_type_id JOIN networks n ON n.id = t.network_id
         WHERE c.due_at IS NOT NULL AND c.order_id IN ",
    );
    tx.fetch_all(sql.ids(ids).push(" ORDER BY c.order_id")).await
}

/// Records whether all calls of a batch failed. After such batches, calls to the counter pause with a growing backoff.
pub(super) async fn record_batch(app: &App, all_failed: bool) -> Result<()> {
    let mut tx = app.db.begin().await?;
    let sql = Sql::new("SELECT next_at, failures FROM shared_schedules WHERE name = ?")
        .bind(RATE_LIMIT_ROW)
        .for_update();
    let (next_call_at, failures): (Time, i64) = tx.fetch_one(sql).await?;
    let (failures, next_call_at) = match all_failed {
        true => (failures + 1, next_call_at.max(rules::service_retry(failures + 1, app.clock.now()))),
        false => (0, next_call_at),
    };
    let sql = Sql::new("UPDATE shared_schedules SET next_at = ?, failures = ? WHERE name = ?");
    tx.execute(sql.bind(next_call_at).bind(failures).bind(RATE_LIMIT_ROW)).await?;
    Ok(tx.commit().await?)
}

/// The current counter of an order, locked together with the order.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(super) struct CounterRow {
    pub(super) order_id: OrderId,
    pub(super) due_at: Option<Time>,
    start_count: Option<i64>,
    pub(super) last_count: Option<i64>,
    counted_growth: i64,
    pub(super) was_shared: bool,
    pub(super) has_other_orders: bool,
    ordered_quantity: i64,
    status: OrderStatus,
    pub(super) created_at: Time,
    pub(super) completed_at: Option<Time>,
    /// Whether the order is completed and its losses are measured.
    is_measured: bool,
    completes_by_count: bool,
}

impl CounterRow {
    fn growth(&self) -> Option<Growth> {
        self.start_count.map(|start| Growth { start, quantity: self.counted_growth })
    }
}

/// Writes the results in one transaction with their orders, and schedules the dispatch of orders that reached their quantity or
/// waited for their first count.
pub(super) async fn write_results(app: &App, results: &[CountResult]) -> Result<()> {
    let mut work = Scope::system(app, "counter").begin().await?;
    let ids: Vec<OrderId> = results.iter().map(|result| result.order.order_id).collect();
    orders::lock(&mut work, &ids).await?;
    let rows: HashMap<OrderId, CounterRow> =
        load_counters(&mut work, &ids).await?.into_iter().map(|row| (row.order_id, row)).collect();
    let mut promoted = Vec::new();
    let (mut counts, mut losses, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for result in results {
        // The result is dropped if another worker claimed the order meanwhile or it is no longer counted.
        let is_current = |row: &&CounterRow| {
            row.due_at == Some(result.order.due_at)
                && (row.status == OrderStatus::InProcessing || row.is_measured)
        };
        let row = rows.get(&result.order.order_id).filter(is_current);
        if row.is_some_and(|row| !row.is_measured) && result.promoted != PromotedInfo::default() {
            promoted.push((result.order.order_id, &result.promoted));
        }
        match (row, &result.count) {
            (Some(row), Ok(count)) if row.is_measured => losses.push((row, *count)),
            (Some(row), Ok(count)) => counts.push((row, *count)),
            (Some(row), Err(error)) => errors.push((row, result.order.tries, error)),
            (None, _) => {}
        }
    }
    let streams: HashSet<OrderId> =
        promoted.iter().filter(|(_, info)| info.viewers.is_some()).map(|(id, _)| *id).collect();
    write_counts(&mut work, &counts, &streams).await?;
    completed::write_losses(&mut work, &losses).await?;
    promoted::write_promoted_content(&mut work, &promoted).await?;
    write_errors(&mut work, &errors).await?;
    work.finish(()).await
}

async fn load_counters(work: &mut UnitOfWork, ids: &[OrderId]) -> DbResult<Vec<CounterRow>> {
    let sql = Sql::new(
        "SELECT c.order_id, c.due_at, c.start_count, c.last_count, c.quantity AS counted_growth, c.is_shared AS was_shared,
           EXISTS (SELECT 1 FROM orders x WHERE x.status IN ('in_processing', 'stopped') AND substr(x.url, 1, 200) = substr(o.url, 1, 200)
             AND x.url = o.url AND x.id <> o.id) AS has_other_orders,
           o.quantity AS ordered_quantity, o.status, c.created_at, o.completed_at, s.real_counter_complete_is_enabled AS completes_by_count, ",
    );
    let sql = sql.push(losses::IS_MEASURED).bind(work.now.minus(MEASURED_FOR)).push(
        " AS is_measured
         FROM order_counters c JOIN orders o ON o.id = c.order_id JOIN services s ON s.id = o.service_id WHERE c.order_id IN ",
    );
    work.fetch_all(sql.ids(ids).push(" ORDER BY c.order_id")).await
}

/// `streams` are orders whose chart shows viewers instead of counts.
async fn write_counts(
    work: &mut UnitOfWork,
    counts: &[(&CounterRow, i64)],
    streams: &HashSet<OrderId>,
) -> Result<()> {
    if counts.is_empty() {
        return Ok(());
    }
    let (now, interval) = (work.now, work.scope().platform.config.counter.interval());
    let growth = |row: &CounterRow, count| {
        rules::update_growth(row.growth(), count, row.was_shared || row.has_other_orders)
    };
    let rows = counts.iter().map(|(row, count)| {
        let new_growth = growth(row, *count);
        let next_count_at = now.plus(rules::count_interval(
            now.since(row.created_at),
            interval,
            new_growth,
            row.ordered_quantity,
        ));
        vec![
            row.order_id.into(),
            row.due_at.into(),
            row.was_shared.into(),
            row.has_other_orders.into(),
            (*count).into(),
            new_growth.start.into(),
            new_growth.quantity.into(),
            next_count_at.into(),
        ]
    });
    let sql = Sql::new(
        "UPDATE order_counters SET start_count = r.start, last_count = r.count, quantity = r.quantity, is_shared = r.is_shared, counted_at = ?,
           due_at = r.due, tries = 0, last_error = NULL FROM ",
    );
    let columns = ["id", "claim", "was_shared", "is_shared", "count", "start", "quantity", "due"];
    // An order that started for the same address meanwhile set `is_shared`, so this write is skipped and repeated with the next
    // count.
    let sql = sql.bind(now).rows("r", &columns, rows.collect()).push(
        " WHERE order_counters.order_id = r.id AND order_counters.due_at = r.claim AND order_counters.is_shared = r.was_shared
          RETURNING order_counters.order_id",
    );
    let written_ids: Vec<(OrderId,)> = work.fetch_all(sql).await?;
    let counts: Vec<(&CounterRow, i64)> =
        counts.iter().filter(|(row, _)| written_ids.contains(&(row.order_id,))).copied().collect();
    let counted_growth = |(row, count): &(&CounterRow, i64)| (row.order_id, growth(row, *count).quantity);
    record_counted_quantities(work, &counts.iter().map(counted_growth).collect::<Vec<_>>()).await?;
    let changed = counts
        .iter()
        .filter(|(row, count)| row.last_count != Some(*count) && !streams.contains(&row.order_id));
    insert_chart_points(work, &changed.map(|(row, count)| (row.order_id, *count)).collect::<Vec<_>>())
        .await?;
    let needs_dispatch = |row: &CounterRow, count| {
        let old_growth = row.growth();
        // An order that waited for its first count is dispatched now.
        old_growth.is_none()
            || (row.completes_by_count
                && rules::is_reached(old_growth, growth(row, count), row.ordered_quantity))
    };
    let ids_to_dispatch: Vec<OrderId> = counts
        .iter()
        .filter(|(row, count)| needs_dispatch(row, *count))
        .map(|(row, _)| row.order_id)
        .collect();
    dispatch_now(work, &ids_to_dispatch).await
}

/// Inserts points of the orders' charts. Counts get rarer with the age of an order, so the points stay few. The chart of a live
/// stream has viewers only, even after a count without viewers, because its average is calculated from the points.
pub(super) async fn insert_chart_points(work: &mut UnitOfWork, counts: &[(OrderId, i64)]) -> Result<()> {
    let rows: Vec<Vec<Val>> = counts.iter().map(|(id, count)| vec![(*id).into(), (*count).into()]).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let sql = Sql::new(
        "INSERT INTO promotable_statistics (order_id, at, viewers) SELECT r.id, CAST(? AS BIGINT), r.count FROM ",
    );
    let sql = sql.bind(work.now).rows("r", &["id", "count"], rows);
    let sql = sql.push(
        " WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.id = r.id AND o.promotable_supported_at IS NOT NULL)",
    );
    work.execute(sql).await?;
    Ok(())
}

/// Records failed counts, which are retried with a growing backoff. An order that waits for its first count is sent without it.
async fn write_errors(work: &mut UnitOfWork, errors: &[(&CounterRow, i64, &CountError)]) -> Result<()> {
    if errors.is_empty() {
        return Ok(());
    }
    let (now, interval) = (work.now, work.scope().platform.config.counter.interval());
    let rows = errors.iter().map(|(row, tries, error)| {
        let retry_at = rules::retry_at(*tries, interval, now);
        vec![row.order_id.into(), row.due_at.into(), error.message().into(), retry_at.into()]
    });
    let sql = Sql::new(
        "UPDATE order_counters SET tries = order_counters.tries + 1, last_error = r.message, due_at = r.due FROM ",
    );
    let sql = sql.rows("r", &["id", "claim", "message", "due"], rows.collect());
    work.execute(sql.push(" WHERE order_counters.order_id = r.id AND order_counters.due_at = r.claim"))
        .await?;
    let waiting = errors.iter().filter(|(row, tries, _)| *tries == 0 && row.start_count.is_none());
    dispatch_now(work, &waiting.map(|(row, ..)| row.order_id).collect::<Vec<_>>()).await
}

async fn dispatch_now(work: &mut UnitOfWork, ids: &[OrderId]) -> Result<()> {
    let now = work.now;
    if ids.is_empty() { Ok(()) } else { Ok(schedule_dispatch(work, ids, now).await?) }
}

/// Marks other running orders of the same addresses as shared.
pub(super) async fn mark_shared(work: &mut UnitOfWork, ids: &[OrderId]) -> Result<()> {
    let sql = Sql::new(
        "UPDATE order_counters SET is_shared = TRUE WHERE NOT is_shared AND order_id IN (SELECT x.id FROM orders o JOIN orders x
           ON substr(x.url, 1, 200) = substr(o.url, 1, 200) AND x.url = o.url AND x.id <> o.id AND x.status IN ('in_processing', 'stopped')
         WHERE o.id IN ",
    );
    work.execute(sql.ids(ids).push(")")).await?;
    Ok(())
}

/// Starts counting the orders in `ids` whose service is counted.
pub(super) async fn start_counting(work: &mut UnitOfWork, ids: &[OrderId]) -> Result<()> {
    let now = work.now;
    let sql = Sql::new(concat!(
        "INSERT INTO order_counters (order_id, due_at, created_at) SELECT o.id, CAST(? AS BIGINT), CAST(? AS BIGINT)
         FROM orders o JOIN services s ON s.id = o.service_id WHERE ",
        is_counted_service!(),
        " AND o.id IN "
    ));
    work.execute(sql.bind(now).bind(now).ids(ids).push(" ON CONFLICT (order_id) DO NOTHING")).await?;
    Ok(())
}

/// The orders that have no successful or failed count yet and started to wait after `since`.
pub(super) async fn load_waiting_for_first_count(
    work: &mut UnitOfWork,
    ids: &[OrderId],
    since: Time,
) -> Result<Vec<OrderId>> {
    let sql = Sql::new(
        "SELECT order_id FROM order_counters WHERE due_at IS NOT NULL AND start_count IS NULL AND tries = 0 AND created_at > ? AND order_id IN ",
    );
    let rows: Vec<(OrderId,)> = work.fetch_all(sql.bind(since).ids(ids).push(" ORDER BY order_id")).await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// Scans one page of running orders with ids above `after_id`. Returns the orders that need counting and are not counted, and the
/// last id of the page if the page is full.
pub(super) async fn find_uncounted(
    app: &App,
    after_id: Option<OrderId>,
) -> Result<(Vec<OrderId>, Option<OrderId>)> {
    let after_id = after_id.map_or(0, OrderId::get);
    // Sorted like the index over states. If it were sorted by id only, the query would read all ended orders first.
    let page = "FROM (SELECT id, service_id FROM orders WHERE (status, id) > ('in_processing', ?) AND status <= 'in_processing' ORDER BY status, id LIMIT ?) AS o";
    let sql = Sql::new("SELECT max(o.id), count(*) ").push(page).bind(after_id).bind(PAGE_SIZE);
    let (last_id, count): (Option<OrderId>, i64) = (&mut &app.db).fetch_one(sql).await?;
    let sql = Sql::new("SELECT o.id ").push(page).bind(after_id).bind(PAGE_SIZE);
    let sql = sql.push(concat!(
        " JOIN services s ON s.id = o.service_id LEFT JOIN order_counters c ON c.order_id = o.id
          WHERE c.due_at IS NULL AND ",
        is_counted_service!(),
        " ORDER BY o.id"
    ));
    let rows: Vec<(OrderId,)> = (&mut &app.db).fetch_all(sql).await?;
    Ok((rows.into_iter().map(|(id,)| id).collect(), last_id.filter(|_| count == PAGE_SIZE)))
}

/// Starts counting these orders, or resumes it.
pub(super) async fn restart_counting(app: &App, ids: &[OrderId]) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let now = app.clock.now();
    let rows = ids.iter().map(|id| vec![(*id).into()]).collect();
    let sql = Sql::new(
        "INSERT INTO order_counters (order_id, due_at, created_at) SELECT r.id, CAST(? AS BIGINT), CAST(? AS BIGINT) FROM ",
    );
    let sql = sql.bind(now).bind(now).rows("r", &["id"], rows).push(
        " WHERE TRUE ON CONFLICT (order_id) DO UPDATE SET due_at = excluded.due_at WHERE order_counters.due_at IS NULL",
    );
    (&mut &app.db).execute(sql).await?;
    Ok(())
}
