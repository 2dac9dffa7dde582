//! Counters in the database: which are due, what they said, and whose growth it is. Every write names the claim that it
//! answers, so that a second worker or a late answer changes nothing.

use std::collections::{HashMap, HashSet};

use panel_contract::ids::OrderId;
use panel_contract::moment::Time;
use panel_contract::orders::OrderStatus;
use panel_domain::losses::MEASURED;
use panel_kernel::error::Result;

use super::rules::{self, Grown, Promoted, Trouble};
use super::{COUNTER, Heard};
use super::{completed, promoted};
use crate::app::App;
use crate::operations::orders::losses;
use crate::operations::orders::store as orders;
use crate::stores::orders::delivery::record_counted;
use crate::stores::orders::dispatch::schedule_dispatch;
use panel_platform::db::{DbResult, Source, Sql, Val};
use panel_platform::lease::declared::CLAIM;
use panel_platform::quarantine::{self, ClaimedBatch};
use panel_platform::scope::Scope;
use panel_platform::work::Work;

/// Orders looked through at once.
pub(super) const PAGE: i64 = 500;
/// The pace that all processes keep together.
const PACE: &str = "counter";
/// Whether service `s` wants its orders counted.
macro_rules! wants {
    () => {
        "(s.gather_statistic OR s.real_counter_complete_is_enabled)"
    };
}

/// An order whose address is asked about.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(super) struct Watched {
    pub(super) order_id: OrderId,
    /// Names the claim.
    due_at: Time,
    tries: i64,
    pub(super) url: String,
    pub(super) kind: String,
    pub(super) network: String,
}

/// Claims as many as the pace allows.
pub(super) async fn claim(app: &App) -> Result<(Vec<Watched>, ClaimedBatch)> {
    let now = app.clock.now();
    let due = COUNTER.due(app);
    // A look that needs no writer, as there is mostly nothing to do.
    if (&mut &app.db).opt::<(OrderId,)>(due.clone().push(" LIMIT 1")).await?.is_none() {
        return Ok((Vec::new(), ClaimedBatch::none()));
    }
    let a_second = app.config.counter.calls_per_second;
    let mut tx = app.db.begin().await?;
    tx.exec(Sql::new("INSERT INTO call_paces (name) VALUES (?) ON CONFLICT (name) DO NOTHING").bind(PACE))
        .await?;
    let sql = Sql::new("SELECT next_at FROM call_paces WHERE name = ?").bind(PACE).for_update();
    let (next,): (Time,) = tx.one(sql).await?;
    if next > now {
        return Ok((Vec::new(), ClaimedBatch::none()));
    }
    let due = due.push(" ORDER BY due_at, order_id LIMIT ?").bind(i64::from(a_second)).for_update_skipping();
    let sql = due.first().push(
        "UPDATE order_counters SET due_at = ? WHERE order_id IN (SELECT order_id FROM due) RETURNING order_id",
    );
    let ids: Vec<(OrderId,)> = tx.all(sql.bind(now.after(CLAIM))).await?;
    let ids: Vec<OrderId> = ids.into_iter().map(|(id,)| id).collect();
    let watched = if ids.is_empty() { Vec::new() } else { watched(&mut tx, &ids, now).await? };
    let calls = i64::try_from(watched.len()).unwrap_or(i64::MAX);
    let sql = Sql::new("UPDATE call_paces SET next_at = ? WHERE name = ?");
    tx.exec(sql.bind(rules::paced(now, calls, a_second)).bind(PACE)).await?;
    let ids: Vec<OrderId> = watched.iter().map(|one| one.order_id).collect();
    let batch = quarantine::claimed(&mut tx, app, COUNTER.kind, &ids).await?;
    tx.commit().await?;
    Ok((watched, batch))
}

/// Those of these whose orders still run and are to be counted, or are completed and refill by themselves; the others are
/// asked about no more.
async fn watched(tx: &mut impl Source, ids: &[OrderId], now: Time) -> DbResult<Vec<Watched>> {
    let sql = Sql::new(concat!(
        "UPDATE order_counters SET due_at = NULL WHERE NOT EXISTS (SELECT 1 FROM orders o JOIN services s ON s.id = o.service_id
           WHERE o.id = order_counters.order_id AND (o.status = 'in_processing' AND ",
        wants!(),
        " OR ",
    ));
    let sql = sql.push(losses::IS_MEASURED).bind(now.before(MEASURED));
    tx.exec(sql.push(")) AND order_id IN ").ids(ids)).await?;
    let sql = Sql::new(
        "SELECT c.order_id, c.due_at, c.tries, o.url, COALESCE(t.slug, lower(t.name)) AS kind, lower(n.name) AS network
         FROM order_counters c JOIN orders o ON o.id = c.order_id JOIN services s ON s.id = o.service_id
         JOIN service_types t ON t.id = s.service_type_id JOIN networks n ON n.id = t.network_id
         WHERE c.due_at IS NOT NULL AND c.order_id IN ",
    );
    tx.all(sql.ids(ids).push(" ORDER BY c.order_id")).await
}

/// A service that answers nothing is left alone for longer and longer.
pub(super) async fn note_round(app: &App, has_failed: bool) -> Result<()> {
    let mut tx = app.db.begin().await?;
    let sql = Sql::new("SELECT next_at, failures FROM call_paces WHERE name = ?").bind(PACE).for_update();
    let (next, failures): (Time, i64) = tx.one(sql).await?;
    let (failures, next) = match has_failed {
        true => (failures + 1, next.max(rules::service_retry(failures + 1, app.clock.now()))),
        false => (0, next),
    };
    let sql = Sql::new("UPDATE call_paces SET next_at = ?, failures = ? WHERE name = ?");
    tx.exec(sql.bind(next).bind(failures).bind(PACE)).await?;
    Ok(tx.commit().await?)
}

/// An order and its counter as they stand, locked.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(super) struct Standing {
    pub(super) order_id: OrderId,
    pub(super) due_at: Option<Time>,
    start_count: Option<i64>,
    pub(super) last_count: Option<i64>,
    counted: i64,
    pub(super) was_shared: bool,
    pub(super) has_others: bool,
    wanted: i64,
    status: OrderStatus,
    pub(super) created_at: Time,
    pub(super) completed_at: Option<Time>,
    /// Completed, and its losses are measured.
    is_measured: bool,
    completes: bool,
}

impl Standing {
    fn known(&self) -> Option<Grown> {
        self.start_count.map(|start| Grown { start, quantity: self.counted })
    }
}

/// Writes what was heard, each in one transaction with its order; hands on those that are reached or waited to be sent.
pub(super) async fn write(app: &App, heard: &[Heard]) -> Result<()> {
    let mut work = Scope::system(app, "counter").begin().await?;
    let ids: Vec<OrderId> = heard.iter().map(|heard| heard.of.order_id).collect();
    orders::lock(&mut work, &ids).await?;
    let standing: HashMap<OrderId, Standing> =
        standing(&mut work, &ids).await?.into_iter().map(|row| (row.order_id, row)).collect();
    let mut promoted = Vec::new();
    let (mut counts, mut losses, mut troubles) = (Vec::new(), Vec::new(), Vec::new());
    for heard in heard {
        // Who was claimed anew meanwhile, or is not counted any more, is none of this answer's.
        let is_ours = |row: &&Standing| {
            row.due_at == Some(heard.of.due_at)
                && (row.status == OrderStatus::InProcessing || row.is_measured)
        };
        let ours = standing.get(&heard.of.order_id).filter(is_ours);
        if ours.is_some_and(|row| !row.is_measured) && heard.promoted != Promoted::default() {
            promoted.push((heard.of.order_id, &heard.promoted));
        }
        match (ours, &heard.said) {
            (Some(row), Ok(count)) if row.is_measured => losses.push((row, *count)),
            (Some(row), Ok(count)) => counts.push((row, *count)),
            (Some(row), Err(trouble)) => troubles.push((row, heard.of.tries, trouble)),
            (None, _) => {}
        }
    }
    let streams: HashSet<OrderId> =
        promoted.iter().filter(|(_, said)| said.viewers.is_some()).map(|(id, _)| *id).collect();
    write_counts(&mut work, &counts, &streams).await?;
    completed::write_losses(&mut work, &losses).await?;
    promoted::write(&mut work, &promoted).await?;
    write_troubles(&mut work, &troubles).await?;
    work.finish(()).await
}

async fn standing(work: &mut Work, ids: &[OrderId]) -> DbResult<Vec<Standing>> {
    let sql = Sql::new(
        "SELECT c.order_id, c.due_at, c.start_count, c.last_count, c.quantity AS counted, c.is_shared AS was_shared,
           EXISTS (SELECT 1 FROM orders x WHERE x.status IN ('in_processing', 'stopped') AND substr(x.url, 1, 200) = substr(o.url, 1, 200)
             AND x.url = o.url AND x.id <> o.id) AS has_others,
           o.quantity AS wanted, o.status, c.created_at, o.completed_at, s.real_counter_complete_is_enabled AS completes, ",
    );
    let sql = sql.push(losses::IS_MEASURED).bind(work.now.before(MEASURED)).push(
        " AS is_measured
         FROM order_counters c JOIN orders o ON o.id = c.order_id JOIN services s ON s.id = o.service_id WHERE c.order_id IN ",
    );
    work.all(sql.ids(ids).push(" ORDER BY c.order_id")).await
}

/// `streams` are orders whose chart shows viewers instead of counts.
async fn write_counts(
    work: &mut Work,
    counts: &[(&Standing, i64)],
    streams: &HashSet<OrderId>,
) -> Result<()> {
    if counts.is_empty() {
        return Ok(());
    }
    let (now, every) = (work.now, work.scope().platform.config.counter.every());
    let grown = |row: &Standing, count| rules::grown(row.known(), count, row.was_shared || row.has_others);
    let rows = counts.iter().map(|(row, count)| {
        let after = grown(row, *count);
        let due = now.after(rules::count_interval(now.since(row.created_at), every, after, row.wanted));
        vec![
            row.order_id.into(),
            row.due_at.into(),
            row.was_shared.into(),
            row.has_others.into(),
            (*count).into(),
            after.start.into(),
            after.quantity.into(),
            due.into(),
        ]
    });
    let sql = Sql::new(
        "UPDATE order_counters SET start_count = r.start, last_count = r.count, quantity = r.quantity, is_shared = r.is_shared, counted_at = ?,
           due_at = r.due, tries = 0, last_error = NULL FROM ",
    );
    let columns = ["id", "claim", "was_shared", "is_shared", "count", "start", "quantity", "due"];
    // Who began for the same address meanwhile marked it, and this is not the last word.
    let sql = sql.bind(now).rows("r", &columns, rows.collect()).push(
        " WHERE order_counters.order_id = r.id AND order_counters.due_at = r.claim AND order_counters.is_shared = r.was_shared
          RETURNING order_counters.order_id",
    );
    let written: Vec<(OrderId,)> = work.all(sql).await?;
    let counts: Vec<(&Standing, i64)> =
        counts.iter().filter(|(row, _)| written.contains(&(row.order_id,))).copied().collect();
    let counted = |(row, count): &(&Standing, i64)| (row.order_id, grown(row, *count).quantity);
    record_counted(work, &counts.iter().map(counted).collect::<Vec<_>>()).await?;
    let moved = counts
        .iter()
        .filter(|(row, count)| row.last_count != Some(*count) && !streams.contains(&row.order_id));
    chart(work, &moved.map(|(row, count)| (row.order_id, *count)).collect::<Vec<_>>()).await?;
    let is_due = |row: &Standing, count| {
        let known = row.known();
        // One that waited for its first count goes out.
        known.is_none() || (row.completes && rules::is_reached(known, grown(row, count), row.wanted))
    };
    let due: Vec<OrderId> =
        counts.iter().filter(|(row, count)| is_due(row, *count)).map(|(row, _)| row.order_id).collect();
    hand_on(work, &due).await
}

/// A point of the order's chart; looks get rarer with its age, so these stay few. The chart of a live stream has viewers only,
/// also where one look brought none: its average is made of them.
pub(super) async fn chart(work: &mut Work, counts: &[(OrderId, i64)]) -> Result<()> {
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
    work.exec(sql).await?;
    Ok(())
}

/// What brought no count is tried again later and later. An order does not wait for it to be sent.
async fn write_troubles(work: &mut Work, troubles: &[(&Standing, i64, &Trouble)]) -> Result<()> {
    if troubles.is_empty() {
        return Ok(());
    }
    let (now, every) = (work.now, work.scope().platform.config.counter.every());
    let rows = troubles.iter().map(|(row, tries, trouble)| {
        let due = rules::next_try(*tries, every, now);
        vec![row.order_id.into(), row.due_at.into(), trouble.words().into(), due.into()]
    });
    let sql = Sql::new(
        "UPDATE order_counters SET tries = order_counters.tries + 1, last_error = r.words, due_at = r.due FROM ",
    );
    let sql = sql.rows("r", &["id", "claim", "words", "due"], rows.collect());
    work.exec(sql.push(" WHERE order_counters.order_id = r.id AND order_counters.due_at = r.claim")).await?;
    let waiting = troubles.iter().filter(|(row, tries, _)| *tries == 0 && row.start_count.is_none());
    hand_on(work, &waiting.map(|(row, ..)| row.order_id).collect::<Vec<_>>()).await
}

async fn hand_on(work: &mut Work, ids: &[OrderId]) -> Result<()> {
    let now = work.now;
    if ids.is_empty() { Ok(()) } else { Ok(schedule_dispatch(work, ids, now).await?) }
}

/// Orders that run for the addresses of these are not alone any more.
pub(super) async fn mark_shared(work: &mut Work, ids: &[OrderId]) -> Result<()> {
    let sql = Sql::new(
        "UPDATE order_counters SET is_shared = TRUE WHERE NOT is_shared AND order_id IN (SELECT x.id FROM orders o JOIN orders x
           ON substr(x.url, 1, 200) = substr(o.url, 1, 200) AND x.url = o.url AND x.id <> o.id AND x.status IN ('in_processing', 'stopped')
         WHERE o.id IN ",
    );
    work.exec(sql.ids(ids).push(")")).await?;
    Ok(())
}

/// Counts those of these that are to be counted, from now on.
pub(super) async fn watch(work: &mut Work, ids: &[OrderId]) -> Result<()> {
    let now = work.now;
    let sql = Sql::new(concat!(
        "INSERT INTO order_counters (order_id, due_at, created_at) SELECT o.id, CAST(? AS BIGINT), CAST(? AS BIGINT)
         FROM orders o JOIN services s ON s.id = o.service_id WHERE ",
        wants!(),
        " AND o.id IN "
    ));
    work.exec(sql.bind(now).bind(now).ids(ids).push(" ON CONFLICT (order_id) DO NOTHING")).await?;
    Ok(())
}

/// Those of these that nothing was heard of yet, good or bad, and that wait since `since` at the earliest.
pub(super) async fn without_start(work: &mut Work, ids: &[OrderId], since: Time) -> Result<Vec<OrderId>> {
    let sql = Sql::new(
        "SELECT order_id FROM order_counters WHERE due_at IS NOT NULL AND start_count IS NULL AND tries = 0 AND created_at > ? AND order_id IN ",
    );
    let rows: Vec<(OrderId,)> = work.all(sql.bind(since).ids(ids).push(" ORDER BY order_id")).await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// Orders after one that run, are to be counted and are not, of one page; and the last one of the page, where there was
/// a whole one.
pub(super) async fn unwatched(app: &App, after: Option<OrderId>) -> Result<(Vec<OrderId>, Option<OrderId>)> {
    let after = after.map_or(0, OrderId::get);
    // In the order of the index over states: by the ids alone, all that is over would be walked through first.
    let page = "FROM (SELECT id, service_id FROM orders WHERE (status, id) > ('in_processing', ?) AND status <= 'in_processing' ORDER BY status, id LIMIT ?) AS o";
    let sql = Sql::new("SELECT max(o.id), count(*) ").push(page).bind(after).bind(PAGE);
    let (last, count): (Option<OrderId>, i64) = (&mut &app.db).one(sql).await?;
    let sql = Sql::new("SELECT o.id ").push(page).bind(after).bind(PAGE);
    let sql = sql.push(concat!(
        " JOIN services s ON s.id = o.service_id LEFT JOIN order_counters c ON c.order_id = o.id
          WHERE c.due_at IS NULL AND ",
        wants!(),
        " ORDER BY o.id"
    ));
    let found: Vec<(OrderId,)> = (&mut &app.db).all(sql).await?;
    Ok((found.into_iter().map(|(id,)| id).collect(), last.filter(|_| count == PAGE)))
}

/// Counts these from now on, or again.
pub(super) async fn watch_found(app: &App, ids: &[OrderId]) -> Result<()> {
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
    (&mut &app.db).exec(sql).await?;
    Ok(())
}
