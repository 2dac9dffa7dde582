//! Stores which orders are counted: starts the counters of new orders, finds running orders without one, and marks orders that share
//! a link.

use panel_contract::ids::OrderId;
use panel_contract::moment::Time;
use panel_kernel::error::Result;

use crate::app::App;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::work::UnitOfWork;

/// Orders per page of a scan.
pub(super) const PAGE_SIZE: i64 = 500;
/// SQL condition: the orders of service `s` are counted.
macro_rules! is_counted_service {
    () => {
        "(s.gather_statistic OR s.real_counter_complete_is_enabled)"
    };
}
pub(super) use is_counted_service;

/// Marks other running orders for the same links as shared.
pub(super) async fn mark_orders_with_same_link_as_shared(
    work: &mut UnitOfWork,
    ids: &[OrderId],
) -> Result<()> {
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

/// Loads the orders that have neither a successful nor a failed count yet and have waited since a time after `since`.
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

/// Scans one page of running orders with ids above `after_id`. Returns the orders that need a count but have no active counter, and
/// the last id of the page if the page is full.
pub(super) async fn find_uncounted_running_orders(
    app: &App,
    after_id: Option<OrderId>,
) -> Result<(Vec<OrderId>, Option<OrderId>)> {
    let after_id = after_id.map_or(0, OrderId::get);
    // Sorted like the index over states. With a sort by id only, the query would read all ended orders first.
    let page_sql = "FROM (SELECT id, service_id FROM orders WHERE (status, id) > ('in_processing', ?) AND status <= 'in_processing' ORDER BY status, id LIMIT ?) AS o";
    let sql = Sql::new("SELECT max(o.id), count(*) ").push(page_sql).bind(after_id).bind(PAGE_SIZE);
    let (last_id, count): (Option<OrderId>, i64) = (&mut &app.db).fetch_one(sql).await?;
    let sql = Sql::new("SELECT o.id ").push(page_sql).bind(after_id).bind(PAGE_SIZE);
    let sql = sql.push(concat!(
        " JOIN services s ON s.id = o.service_id LEFT JOIN order_counters c ON c.order_id = o.id
          WHERE c.due_at IS NULL AND ",
        is_counted_service!(),
        " ORDER BY o.id"
    ));
    let rows: Vec<(OrderId,)> = (&mut &app.db).fetch_all(sql).await?;
    Ok((rows.into_iter().map(|(id,)| id).collect(), last_id.filter(|_| count == PAGE_SIZE)))
}

/// Starts or resumes counting these orders.
pub(super) async fn start_or_resume_counting(app: &App, ids: &[OrderId]) -> Result<()> {
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
