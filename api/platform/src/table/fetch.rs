//! The ids of one page, by whichever way stays fast (performance.md):
//!
//! - the list's own order without filter, or with one whose count is kept: an index walk, deep pages by rank;
//! - a text: the rows are found once in a materialised step, which is immune to what the planner believes about
//!   them, and gives both the total and the page;
//! - rows whose number is known: found and sorted when that touches fewer rows than a walk by the sort key;
//! - a common search that finds a large part of the table: a walk, and a total up to [`CAP`].

use std::collections::BTreeSet;

use panel_contract::ids::RecordId;
use panel_kernel::error::Result;

use crate::db::{Source, Sql, counts};
use crate::table::condition::Kept;
use crate::table::plan::Plan;
use crate::table::search;
use crate::table::size::{self, Sizes};

/// A common search looks at each row that the filters leave, up to this many; more are searched by the index.
const FEW: i64 = 20_000;
/// Rows of the past are sorted up to this many.
const MANY: i64 = 500_000;
/// The common search counts up to this.
pub(super) const CAP: i64 = 10_000;
/// Pages that begin later than this are found by rank.
const SHALLOW: i64 = 1_000;

/// A page's ids and the totals.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) total: i64,
    pub(super) filtered: i64,
    pub(super) at_least: bool,
    pub(super) ids: Vec<RecordId>,
}

/// Finds a page.
pub(super) async fn find(db: &mut impl Source, plan: &Plan) -> Result<Found> {
    let sizes = size::measure(db, plan).await?;
    let total = sizes.total;
    if plan.has_text() {
        let (mut filtered, mut ids) = hits(db, plan, searched(plan, sizes)).await?;
        let capped = !plan.words.is_empty() && !plan.place.whole && filtered > CAP;
        if capped {
            filtered = CAP;
            ids.truncate(usize::try_from(CAP.saturating_sub(plan.start)).unwrap_or(0));
        }
        let at_least = capped || search::have_older(db, &newest_of(plan)).await?;
        return Ok(Found { total, filtered, at_least, ids });
    }
    let filtered = sizes.filtered;
    let ids = if plan.start >= filtered { Vec::new() } else { known(db, plan, sizes).await? };
    Ok(Found { total, filtered, at_least: false, ids })
}

/// The tables of which a search looks only at the newest records.
fn newest_of(plan: &Plan) -> BTreeSet<&'static str> {
    let mut tables = plan.newest_of();
    for word in plan.words.iter().filter(|word| !is_exact(word)) {
        tables
            .extend(plan.arms.iter().filter_map(|arm| search::newest_of(arm.index, word, plan.place.whole)));
    }
    tables
}

/// All ids from the plan's start, up to its length, without any total.
pub(super) async fn ids(db: &mut impl Source, plan: &Plan) -> Result<Vec<RecordId>> {
    if plan.words.is_empty() && !plan.has_text() {
        return walked(db, plan, Sql::empty(), plan.start).await;
    }
    // Nothing is measured here, so nothing is known to be broad or narrow.
    let sizes = Sizes { total: 0, filtered: i64::MAX, probed: 0 };
    Ok(hits(db, plan, searched(plan, sizes)).await?.1)
}

/// The page of a list whose size is known.
async fn known(db: &mut impl Source, plan: &Plan, sizes: Sizes) -> Result<Vec<RecordId>> {
    match plan.kept().filter(|kept| plan.order.is_by_id() && kept.is_walked()) {
        // Below an id the place is known already.
        Some(_) if plan.below.is_some() => walked(db, plan, Sql::empty(), plan.start).await,
        Some(Kept::Groups(groups)) if plan.start > SHALLOW || groups.len() > 1 => {
            ranked(db, plan, &groups).await
        }
        Some(_) => walked(db, plan, Sql::empty(), plan.start).await,
        None if is_sorted_sooner(plan, sizes) => sorted(db, plan).await,
        None => walked(db, plan, Sql::empty(), plan.start).await,
    }
}

/// Whether finding and sorting all rows touches fewer of them than a walk by the sort key, which passes the rows of
/// the whole list until the page is full. Ids grow with time: rows of the past may all stand at the far end.
fn is_sorted_sooner(plan: &Plan, sizes: Sizes) -> bool {
    let far = plan.order.is_by_id() && plan.filters.iter().any(|cond| cond.past) && sizes.filtered <= MANY;
    let page = plan.start.saturating_add(plan.length);
    far || sizes.filtered.saturating_mul(sizes.filtered) <= page.saturating_mul(sizes.total)
}

/// A page of rows that are found first and sorted then, whatever the planner believes about them.
async fn sorted(db: &mut impl Source, plan: &Plan) -> Result<Vec<RecordId>> {
    let sql = Sql::new("WITH hits AS MATERIALIZED (").append(all(plan)).push(") SELECT id FROM hits");
    let sql = match plan.below {
        Some(below) => sql.push(" WHERE id < ?").bind(below),
        None => sql,
    };
    let sql = plan.order.handed(sql).push(" LIMIT ? OFFSET ?").bind(plan.length).bind(plan.start);
    let sql = sql.named("now", plan.place.now);
    Ok(db.all::<(RecordId,)>(sql).await?.into_iter().map(|(id,)| id).collect())
}

/// A page by walking in order, within `bounds`.
async fn walked(db: &mut impl Source, plan: &Plan, bounds: Sql, skip: i64) -> Result<Vec<RecordId>> {
    let table = plan.place.table;
    let mut sql = Sql::new("SELECT ").push(table.source.key).append(plan.body(true, true)).append(bounds);
    if let Some(below) = plan.below {
        sql = sql.push(" AND ").push(table.source.key).push(" < ?").bind(below);
    }
    let sql = plan.order.here(sql, table).push(" LIMIT ? OFFSET ?").bind(plan.length).bind(skip);
    let sql = sql.named("now", plan.place.now);
    Ok(db.all::<(RecordId,)>(sql).await?.into_iter().map(|(id,)| id).collect())
}

/// A page by rank: whole blocks of ids are skipped by their counts, and at most one is walked.
async fn ranked(db: &mut impl Source, plan: &Plan, groups: &[String]) -> Result<Vec<RecordId>> {
    match rank(db, plan, groups).await? {
        Some((bounds, skip)) => walked(db, plan, bounds, skip).await,
        None => Ok(Vec::new()),
    }
}

/// Within which ids a page is, and how many rows of them stand before it: a prefix sum over the kept blocks, of which
/// only those that the page touches come back.
async fn rank(db: &mut impl Source, plan: &Plan, groups: &[String]) -> Result<Option<(Sql, i64)>> {
    let direction = if plan.order.descending { "DESC" } else { "ASC" };
    let sql =
        Sql::new("SELECT block, CAST(before AS BIGINT) FROM (SELECT block, n, sum(n) OVER (ORDER BY block ")
            .push(direction)
            .push(") - n AS before FROM (")
            .append(size::blocks(plan, groups))
            .push(") AS kept) AS ranked WHERE before + n > ? AND before < ? ORDER BY before")
            .bind(plan.start)
            .bind(plan.start.saturating_add(plan.length));
    let touched: Vec<(i64, i64)> = db.all(sql).await?;
    let (Some((first, before)), Some((last, _))) = (touched.first(), touched.last()) else { return Ok(None) };
    let key = plan.place.table.source.key;
    let bounds = Sql::new(" AND ")
        .push(key)
        .push(" >= ? AND ")
        .bind(first.min(last) * counts::BLOCK)
        .push(key)
        .push(" < ?")
        .bind((first.max(last) + 1) * counts::BLOCK);
    Ok(Some((bounds, plan.start - before)))
}

/// The step that finds a page whose totals are kept, in the order of the id or, of a whole list, in its own: totals, ids and
/// rows can then be one statement. None when there is no such way, or nothing there.
pub(super) async fn step(db: &mut impl Source, plan: &Plan) -> Result<Option<Sql>> {
    let is_whole = plan.filters.is_empty() && plan.order.is_own(plan.place.table);
    if !(plan.order.is_by_id() || is_whole) || plan.has_text() {
        return Ok(None);
    }
    let place = match plan.kept().filter(Kept::is_walked) {
        None => None,
        Some(_) if !plan.order.is_by_id() => Some((Sql::empty(), plan.start)),
        Some(Kept::Groups(groups)) if plan.start > SHALLOW || groups.len() > 1 => {
            rank(db, plan, &groups).await?
        }
        Some(_) => Some((Sql::empty(), plan.start)),
    };
    let Some((bounds, skip)) = place else { return Ok(None) };
    let table = plan.place.table;
    let sql = Sql::new("SELECT ")
        .push(table.source.key)
        .push(" AS id")
        .append(plan.body(true, true))
        .append(bounds);
    let sql = match plan.length {
        // The usual sizes stand in the text, so that the planner knows how few rows the page has.
        10 => plan.order.here(sql, table).push(" LIMIT 10"),
        20 => plan.order.here(sql, table).push(" LIMIT 20"),
        30 => plan.order.here(sql, table).push(" LIMIT 30"),
        50 => plan.order.here(sql, table).push(" LIMIT 50"),
        100 => plan.order.here(sql, table).push(" LIMIT 100"),
        _ => return Ok(None),
    };
    Ok(Some(if skip == 0 { sql } else { sql.push(" OFFSET ?").bind(skip) }))
}

/// Runs a step named `hits` (with steps before it) and takes the total and the page from it.
async fn hits(db: &mut impl Source, plan: &Plan, (before, body): (Sql, Sql)) -> Result<(i64, Vec<RecordId>)> {
    let sql = Sql::new("WITH ").append(before).push("hits AS MATERIALIZED (").append(body).push(")");
    let sql =
        sql.push(" SELECT c.n, p.id FROM (SELECT count(*) AS n FROM hits) c LEFT JOIN (SELECT * FROM hits");
    let sql = match plan.below {
        Some(below) => sql.push(" WHERE id < ?").bind(below),
        None => sql,
    };
    let sql = plan.order.handed(sql).push(" LIMIT ? OFFSET ?").bind(plan.length).bind(plan.start);
    let sql = plan.order.handed(sql.push(") p ON TRUE")).named("now", plan.place.now);
    let rows: Vec<(i64, Option<RecordId>)> = db.all(sql).await?;
    let total = rows.first().map_or(0, |(total, _)| *total);
    Ok((total, rows.into_iter().filter_map(|(_, id)| id).collect()))
}

/// All rows that the filters leave, with the sort keys.
fn all(plan: &Plan) -> Sql {
    let sql = Sql::new("SELECT ").push(plan.place.table.source.key).push(" AS id");
    plan.order.selected(sql).append(plan.body(true, true))
}

/// The ids of a list that one text alone decides, as the index has them: the rows are not looked at.
fn alone(plan: &Plan) -> Option<Sql> {
    let bare = plan.plain.is_empty() && plan.place.table.source.scope.is_none() && plan.order.is_by_id();
    match plan.filters.as_slice() {
        [only] if bare => Some(Sql::new("SELECT id FROM (").append(only.found.clone()?).push(") AS found")),
        _ => None,
    }
}

/// How a search is carried out: steps before, and the rows it finds.
fn searched(plan: &Plan, sizes: Sizes) -> (Sql, Sql) {
    if plan.words.is_empty() {
        return (Sql::empty(), alone(plan).unwrap_or_else(|| all(plan)));
    }
    let narrowed =
        !plan.filters.is_empty() && !plan.filters.iter().any(|cond| cond.text) && sizes.filtered <= FEW;
    if narrowed {
        return (Sql::empty(), all(plan).append(words_here(plan)));
    }
    if sizes.is_broad() {
        // One more than the cap tells that there are more; the newest of them hold every page up to it.
        let walk = plan.order.here(all(plan).append(words_here(plan)), plan.place.table);
        return (Sql::empty(), walk.push(" LIMIT ?").bind(CAP + 1));
    }
    let mut steps = Sql::empty();
    let mut body = all(plan);
    for (name, word) in STEPS.iter().zip(&plan.words) {
        steps = steps.push(name).push(" AS MATERIALIZED (").append(matches(plan, word)).push("), ");
        body = body
            .push(" AND ")
            .push(plan.place.table.source.key)
            .push(" IN (SELECT id FROM ")
            .push(name)
            .push(")");
    }
    (steps, body)
}

/// Names of the steps that find each word.
const STEPS: [&str; 10] = ["w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8", "w9"];

/// The ids that a word of the common search finds: a union over the tables, so that each uses its index.
fn matches(plan: &Plan, word: &str) -> Sql {
    let (table, dialect) = (plan.place.table, plan.place.dialect);
    let listed = || {
        let sql = Sql::new("SELECT ").push(table.source.key).push(" AS id FROM ");
        sql.push(table.source.base).push(" ").push(table.source.alias).push(" WHERE ")
    };
    let mut sql = match id_of(plan, word) {
        Some(id) => listed().push(table.source.key).push(" = ?").bind(id),
        None => listed().push("FALSE"),
    };
    if is_exact(word) {
        return sql;
    }
    for arm in &plan.arms {
        let keys = search::keys(arm, word, dialect, plan.place.whole);
        let is_bare = arm.key == table.source.key && arm.through.is_none() && arm.only.is_none();
        sql = sql.push(" UNION ").append(match (is_bare, arm.only) {
            (true, _) => Sql::new("SELECT id FROM (").append(keys).push(") AS found"),
            (false, None) => listed().append(search::among(arm.key, keys)),
            (false, Some(only)) => listed().push(only).push(" AND ").append(search::among(arm.key, keys)),
        });
    }
    sql
}

/// ` AND …` that each word of the common search is found in a row, row by row.
pub(super) fn words_here(plan: &Plan) -> Sql {
    let (table, dialect) = (plan.place.table, plan.place.dialect);
    let mut sql = Sql::empty();
    for word in &plan.words {
        sql = match id_of(plan, word) {
            Some(id) => sql.push(" AND (").push(table.source.key).push(" = ?").bind(id),
            None => sql.push(" AND (FALSE"),
        };
        for arm in plan.arms.iter().filter(|_| !is_exact(word)) {
            sql = sql.push(" OR ").append(search::arm_has(arm, word, dialect, plan.place.whole));
        }
        sql = sql.push(")");
    }
    sql
}

fn id_of(plan: &Plan, word: &str) -> Option<i64> {
    word.parse().ok().filter(|_| plan.by_id)
}

/// A short number is an id, never a part of a text.
fn is_exact(word: &str) -> bool {
    search::is_short(word) && word.bytes().all(|byte| byte.is_ascii_digit())
}
