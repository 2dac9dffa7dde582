//! Stores counters: claims due counters, writes their counts, and adds the growth to orders. Every write checks that its claim is
//! still valid, so that a second worker or a late response changes nothing.

use std::collections::{HashMap, HashSet};

use panel_contract::ids::OrderId;
use panel_contract::moment::Time;
use panel_contract::orders::OrderStatus;
use panel_domain::losses::MEASUREMENT_PERIOD;
use panel_kernel::error::Result;

use super::rules::{self, CountError, Growth, PromotedContentInfo};
use super::start_store::is_counted_service;
use super::{COUNTER_LEASE, CountResult};
use super::{completed, promoted};
use crate::app::App;
use crate::operations::orders::losses;
use crate::operations::orders::store as orders;
use crate::stores::orders::delivery::record_counted_quantities;
use crate::stores::orders::dispatch::schedule_dispatch;
use panel_platform::db::{DbResult, Sql, SqlExecutor, Val};
use panel_platform::lease::declared::CLAIM_DURATION;
use panel_platform::quarantine::{self, ClaimedBatch};
use panel_platform::scope::Scope;
use panel_platform::work::UnitOfWork;

/// Name of the row in `shared_schedules` that holds the rate limit which all processes share.
const RATE_LIMIT_NAME: &str = "counter";

/// A claimed order whose link is counted.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(super) struct CountedOrder {
    pub(super) order_id: OrderId,
    /// The due time that the claim set. A write checks that it has not changed.
    due_at: Time,
    tries: i64,
    pub(super) url: String,
    pub(super) kind: String,
    pub(super) network: String,
}

/// Claims as many due orders as the rate limit allows.
pub(super) async fn claim(app: &App) -> Result<(Vec<CountedOrder>, ClaimedBatch)> {
    let now = app.clock.now();
    let select_due_sql = COUNTER_LEASE.select_claimable(app);
    // This query comes first, because usually no order is due and the query needs no write connection.
    if (&mut &app.db).fetch_optional::<(OrderId,)>(select_due_sql.clone().push(" LIMIT 1")).await?.is_none() {
        return Ok((Vec::new(), ClaimedBatch::none()));
    }
    let requests_per_second = app.config.counter.calls_per_second;
    let mut tx = app.db.begin().await?;
    tx.execute(
        Sql::new("INSERT INTO shared_schedules (name) VALUES (?) ON CONFLICT (name) DO NOTHING")
            .bind(RATE_LIMIT_NAME),
    )
    .await?;
    let sql =
        Sql::new("SELECT next_at FROM shared_schedules WHERE name = ?").bind(RATE_LIMIT_NAME).for_update();
    let (next_request_at,): (Time,) = tx.fetch_one(sql).await?;
    if next_request_at > now {
        return Ok((Vec::new(), ClaimedBatch::none()));
    }
    let select_due_sql = select_due_sql
        .push(" ORDER BY due_at, order_id LIMIT ?")
        .bind(i64::from(requests_per_second))
        .for_update_skip_locked();
    let sql = select_due_sql.into_materialized_cte().push(
        "UPDATE order_counters SET due_at = ? WHERE order_id IN (SELECT order_id FROM due) RETURNING order_id",
    );
    let ids: Vec<(OrderId,)> = tx.fetch_all(sql.bind(now.plus(CLAIM_DURATION))).await?;
    let ids: Vec<OrderId> = ids.into_iter().map(|(id,)| id).collect();
    let orders = if ids.is_empty() { Vec::new() } else { load_countable(&mut tx, &ids, now).await? };
    let request_count = i64::try_from(orders.len()).unwrap_or(i64::MAX);
    let sql = Sql::new("UPDATE shared_schedules SET next_at = ? WHERE name = ?");
    tx.execute(
        sql.bind(rules::next_request_at(now, request_count, requests_per_second)).bind(RATE_LIMIT_NAME),
    )
    .await?;
    let ids: Vec<OrderId> = orders.iter().map(|order| order.order_id).collect();
    let batch = quarantine::insert_batch(&mut tx, app, COUNTER_LEASE.kind, &ids).await?;
    tx.commit().await?;
    Ok((orders, batch))
}

/// Loads those of the orders that still run and whose service is counted, or whose losses are measured. Stops counting the other
/// orders.
async fn load_countable(
    tx: &mut impl SqlExecutor,
    ids: &[OrderId],
    now: Time,
) -> DbResult<Vec<CountedOrder>> {
    let sql = Sql::new(concat!(
        "UPDATE order_counters SET due_at = NULL WHERE NOT EXISTS (SELECT 1 FROM orders o JOIN services s ON s.id = o.service_id
           WHERE o.id = order_counters.order_id AND (o.status = 'in_processing' AND ",
        is_counted_service!(),
        " OR ",
    ));
    let sql = sql.push(losses::IS_MEASURED_CONDITION).bind(now.minus(MEASUREMENT_PERIOD));
    tx.execute(sql.push(")) AND order_id IN ").ids(ids)).await?;
    let sql = Sql::new(
        "SELECT c.order_id, c.due_at, c.tries, o.url, COALESCE(t.slug, lower(t.name)) AS kind, lower(n.name) AS network
         FROM order_counters c JOIN orders o ON o.id = c.order_id JOIN services s ON s.id = o.service_id
         JOIN service_types t ON t.id = s.service_type_id JOIN networks n ON n.id = t.network_id
         WHERE c.due_at IS NOT NULL AND c.order_id IN ",
    );
    tx.fetch_all(sql.ids(ids).push(" ORDER BY c.order_id")).await
}

/// Records whether all requests of a batch failed. After such batches, the server pauses its requests to the counter with a growing
/// backoff.
pub(super) async fn record_batch(app: &App, is_service_failing: bool) -> Result<()> {
    let mut tx = app.db.begin().await?;
    let sql = Sql::new("SELECT next_at, failures FROM shared_schedules WHERE name = ?")
        .bind(RATE_LIMIT_NAME)
        .for_update();
    let (next_request_at, failed_batches): (Time, i64) = tx.fetch_one(sql).await?;
    let (failed_batches, next_request_at) = match is_service_failing {
        true => {
            let retry_at = rules::service_retry_at(failed_batches + 1, app.clock.now());
            (failed_batches + 1, next_request_at.max(retry_at))
        }
        false => (0, next_request_at),
    };
    let sql = Sql::new("UPDATE shared_schedules SET next_at = ?, failures = ? WHERE name = ?");
    tx.execute(sql.bind(next_request_at).bind(failed_batches).bind(RATE_LIMIT_NAME)).await?;
    Ok(tx.commit().await?)
}

/// The current counter of an order. The caller has locked the order.
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
        self.start_count.map(|start_count| Growth { start_count, quantity: self.counted_growth })
    }
}

/// Writes the results and their orders in one transaction, and schedules the dispatch of orders that reached their quantity or
/// waited for their first count.
pub(super) async fn write_results(app: &App, results: &[CountResult]) -> Result<()> {
    let mut work = Scope::system(app, "counter").begin().await?;
    let ids: Vec<OrderId> = results.iter().map(|result| result.order.order_id).collect();
    orders::lock(&mut work, &ids).await?;
    let rows: HashMap<OrderId, CounterRow> =
        load_counters(&mut work, &ids).await?.into_iter().map(|row| (row.order_id, row)).collect();
    let mut promoted_contents = Vec::new();
    let (mut counts, mut losses, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for result in results {
        // The result is discarded if another worker has claimed the order since then, or if the order is no longer counted.
        let is_current = |row: &&CounterRow| {
            row.due_at == Some(result.order.due_at)
                && (row.status == OrderStatus::InProcessing || row.is_measured)
        };
        let row = rows.get(&result.order.order_id).filter(is_current);
        if row.is_some_and(|row| !row.is_measured)
            && result.promoted_content != PromotedContentInfo::default()
        {
            promoted_contents.push((result.order.order_id, &result.promoted_content));
        }
        match (row, &result.count) {
            (Some(row), Ok(count)) if row.is_measured => losses.push((row, *count)),
            (Some(row), Ok(count)) => counts.push((row, *count)),
            (Some(row), Err(error)) => errors.push((row, result.order.tries, error)),
            (None, _) => {}
        }
    }
    let live_stream_ids: HashSet<OrderId> =
        promoted_contents.iter().filter(|(_, info)| info.viewers.is_some()).map(|(id, _)| *id).collect();
    write_counts(&mut work, &counts, &live_stream_ids).await?;
    completed::write_losses(&mut work, &losses).await?;
    promoted::write_promoted_content(&mut work, &promoted_contents).await?;
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
    let sql = sql.push(losses::IS_MEASURED_CONDITION).bind(work.now.minus(MEASUREMENT_PERIOD)).push(
        " AS is_measured
         FROM order_counters c JOIN orders o ON o.id = c.order_id JOIN services s ON s.id = o.service_id WHERE c.order_id IN ",
    );
    work.fetch_all(sql.ids(ids).push(" ORDER BY c.order_id")).await
}

/// Writes successful counts. The charts of the orders in `live_stream_ids` show viewers instead of counts.
async fn write_counts(
    work: &mut UnitOfWork,
    counts: &[(&CounterRow, i64)],
    live_stream_ids: &HashSet<OrderId>,
) -> Result<()> {
    if counts.is_empty() {
        return Ok(());
    }
    let (now, min_interval) = (work.now, work.scope().platform.config.counter.interval());
    let new_growth_of = |row: &CounterRow, count| {
        rules::update_growth(row.growth(), count, row.was_shared || row.has_other_orders)
    };
    let rows = counts.iter().map(|(row, count)| {
        let new_growth = new_growth_of(row, *count);
        let next_count_at = now.plus(rules::count_interval(
            now.since(row.created_at),
            min_interval,
            new_growth,
            row.ordered_quantity,
        ));
        vec![
            row.order_id.into(),
            row.due_at.into(),
            row.was_shared.into(),
            row.has_other_orders.into(),
            (*count).into(),
            new_growth.start_count.into(),
            new_growth.quantity.into(),
            next_count_at.into(),
        ]
    });
    let sql = Sql::new(
        "UPDATE order_counters SET start_count = r.start_count, last_count = r.count, quantity = r.quantity, is_shared = r.is_shared, counted_at = ?,
           due_at = r.next_due_at, tries = 0, last_error = NULL FROM ",
    );
    let columns = [
        "id",
        "claimed_due_at",
        "was_shared",
        "is_shared",
        "count",
        "start_count",
        "quantity",
        "next_due_at",
    ];
    // If another order for the same link started after this row was read, it has set `is_shared`. This statement then skips the
    // row, and the next count updates it.
    let sql = sql.bind(now).rows("r", &columns, rows.collect()).push(
        " WHERE order_counters.order_id = r.id AND order_counters.due_at = r.claimed_due_at AND order_counters.is_shared = r.was_shared
          RETURNING order_counters.order_id",
    );
    let written_ids: Vec<(OrderId,)> = work.fetch_all(sql).await?;
    let written_counts: Vec<(&CounterRow, i64)> =
        counts.iter().filter(|(row, _)| written_ids.contains(&(row.order_id,))).copied().collect();
    let counted_growth =
        |(row, count): &(&CounterRow, i64)| (row.order_id, new_growth_of(row, *count).quantity);
    record_counted_quantities(work, &written_counts.iter().map(counted_growth).collect::<Vec<_>>()).await?;
    let changed_counts = written_counts
        .iter()
        .filter(|(row, count)| row.last_count != Some(*count) && !live_stream_ids.contains(&row.order_id));
    insert_chart_points(work, &changed_counts.map(|(row, count)| (row.order_id, *count)).collect::<Vec<_>>())
        .await?;
    let needs_dispatch = |row: &CounterRow, count| {
        let old_growth = row.growth();
        // Without old growth, this is the first count, for which the order waited.
        old_growth.is_none()
            || (row.completes_by_count
                && rules::is_quantity_reached(old_growth, new_growth_of(row, count), row.ordered_quantity))
    };
    let ids_to_dispatch: Vec<OrderId> = written_counts
        .iter()
        .filter(|(row, count)| needs_dispatch(row, *count))
        .map(|(row, _)| row.order_id)
        .collect();
    dispatch_now(work, &ids_to_dispatch).await
}

/// Inserts points into the charts of the orders. A chart has few points, because counts get rarer with the age of an order. The
/// chart of a live stream contains only numbers of viewers, because the average number of viewers is calculated from the points.
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

/// Records failed counts and schedules retries with a growing backoff. An order whose first count failed is sent without a count.
async fn write_errors(work: &mut UnitOfWork, errors: &[(&CounterRow, i64, &CountError)]) -> Result<()> {
    if errors.is_empty() {
        return Ok(());
    }
    let (now, min_interval) = (work.now, work.scope().platform.config.counter.interval());
    let rows = errors.iter().map(|(row, tries, error)| {
        let retry_at = rules::count_retry_at(*tries, min_interval, now);
        vec![row.order_id.into(), row.due_at.into(), error.message().into(), retry_at.into()]
    });
    let sql = Sql::new(
        "UPDATE order_counters SET tries = order_counters.tries + 1, last_error = r.message, due_at = r.next_due_at FROM ",
    );
    let sql = sql.rows("r", &["id", "claimed_due_at", "message", "next_due_at"], rows.collect());
    work.execute(
        sql.push(" WHERE order_counters.order_id = r.id AND order_counters.due_at = r.claimed_due_at"),
    )
    .await?;
    let waiting_for_first_count =
        errors.iter().filter(|(row, tries, _)| *tries == 0 && row.start_count.is_none());
    dispatch_now(work, &waiting_for_first_count.map(|(row, ..)| row.order_id).collect::<Vec<_>>()).await
}

async fn dispatch_now(work: &mut UnitOfWork, ids: &[OrderId]) -> Result<()> {
    let now = work.now;
    if ids.is_empty() { Ok(()) } else { Ok(schedule_dispatch(work, ids, now).await?) }
}
