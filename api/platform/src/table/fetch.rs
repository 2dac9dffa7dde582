//! Finds the ids of one page, by the method that stays fast at any table size (performance.md):
//!
//! - the list's default order without a filter, or with one that has a materialized count: an index walk, deep pages by rank;
//! - a text search: a materialized step finds the rows once, whatever the planner estimates about them, and gives both the
//!   total and the page;
//! - filters that leave a counted number of rows: find and sort them when that touches fewer rows than a walk by the sort key;
//! - a common search that finds a large part of the table: a walk, and a total up to [`MAX_COUNTED`].

use std::collections::BTreeSet;

use panel_contract::ids::RecordId;
use panel_kernel::error::Result;

use crate::db::{Source, Sql, counts};
use crate::table::condition::MaterializedCount;
use crate::table::plan::Plan;
use crate::table::search;
use crate::table::size::{self, Sizes};

/// A common search reads each row that the filters leave, up to this many; above it, the search uses the index.
const MAX_SCANNED_ROWS: i64 = 20_000;
/// Rows before an upper bound of time are found and sorted up to this many.
const MAX_SORTED_ROWS: i64 = 500_000;
/// A broad common search counts up to this many rows.
pub(super) const MAX_COUNTED: i64 = 10_000;
/// Pages that begin after this many rows are found by rank.
const MIN_RANKED_START: i64 = 1_000;

/// The ids of a page, and the totals of the list.
#[derive(Debug, Clone)]
pub(super) struct PageIds {
    pub(super) total: i64,
    pub(super) filtered: i64,
    pub(super) at_least: bool,
    pub(super) ids: Vec<RecordId>,
}

pub(super) async fn find_page(db: &mut impl Source, plan: &Plan) -> Result<PageIds> {
    let sizes = size::measure(db, plan).await?;
    let total = sizes.total;
    if plan.has_text() {
        let (mut filtered, mut ids) = run_search(db, plan, search_sql(plan, sizes)).await?;
        let capped = !plan.words.is_empty() && !plan.place.whole && filtered > MAX_COUNTED;
        if capped {
            filtered = MAX_COUNTED;
            ids.truncate(usize::try_from(MAX_COUNTED.saturating_sub(plan.start)).unwrap_or(0));
        }
        let at_least = capped || search::has_older_rows(db, &newest_only_tables(plan)).await?;
        return Ok(PageIds { total, filtered, at_least, ids });
    }
    let filtered = sizes.filtered;
    let ids = if plan.start >= filtered { Vec::new() } else { ids_without_search(db, plan, sizes).await? };
    Ok(PageIds { total, filtered, at_least: false, ids })
}

/// The tables in which the search reads only the newest rows.
fn newest_only_tables(plan: &Plan) -> BTreeSet<&'static str> {
    let mut tables = plan.newest_only_tables();
    for word in plan.words.iter().filter(|word| !is_exact(word)) {
        tables.extend(
            plan.search_targets
                .iter()
                .filter_map(|target| search::newest_only_table(target.index, word, plan.place.whole)),
        );
    }
    tables
}

/// The ids from the plan's start, up to its length, without totals.
pub(super) async fn ids(db: &mut impl Source, plan: &Plan) -> Result<Vec<RecordId>> {
    if plan.words.is_empty() && !plan.has_text() {
        return walk(db, plan, Sql::empty(), plan.start).await;
    }
    // Without measured sizes, no search counts as broad or narrow.
    let sizes = Sizes { total: 0, filtered: i64::MAX, probed: 0 };
    Ok(run_search(db, plan, search_sql(plan, sizes)).await?.1)
}

/// The ids of a page of a list that no text search narrows.
async fn ids_without_search(db: &mut impl Source, plan: &Plan, sizes: Sizes) -> Result<Vec<RecordId>> {
    match plan.materialized_count().filter(|count| plan.order.is_by_id() && count.is_scannable_by_id()) {
        // The page begins below a given id, so no rows are skipped.
        Some(_) if plan.below.is_some() => walk(db, plan, Sql::empty(), plan.start).await,
        Some(MaterializedCount::Groups(groups)) if plan.start > MIN_RANKED_START || groups.len() > 1 => {
            walk_by_rank(db, plan, &groups).await
        }
        Some(_) => walk(db, plan, Sql::empty(), plan.start).await,
        None if is_sorting_cheaper(plan, sizes) => find_then_sort(db, plan).await,
        None => walk(db, plan, Sql::empty(), plan.start).await,
    }
}

/// Whether finding and sorting all rows touches fewer rows than a walk by the sort key, which reads the rows of the
/// whole list until the page is full. Ids grow with time: rows before an upper bound may all be at the far end of the walk.
fn is_sorting_cheaper(plan: &Plan, sizes: Sizes) -> bool {
    let far = plan.order.is_by_id()
        && plan.filters.iter().any(|cond| cond.past)
        && sizes.filtered <= MAX_SORTED_ROWS;
    let page = plan.start.saturating_add(plan.length);
    far || sizes.filtered.saturating_mul(sizes.filtered) <= page.saturating_mul(sizes.total)
}

/// Finds all rows in a materialized step, then sorts them, whatever the planner estimates about them.
async fn find_then_sort(db: &mut impl Source, plan: &Plan) -> Result<Vec<RecordId>> {
    let sql = Sql::new("WITH hits AS MATERIALIZED (").append(all(plan)).push(") SELECT id FROM hits");
    let sql = match plan.below {
        Some(below) => sql.push(" WHERE id < ?").bind(below),
        None => sql,
    };
    let sql = plan.order.order_by_step(sql).push(" LIMIT ? OFFSET ?").bind(plan.length).bind(plan.start);
    let sql = sql.named("now", plan.place.now);
    Ok(db.all::<(RecordId,)>(sql).await?.into_iter().map(|(id,)| id).collect())
}

/// Walks the index in order within `bounds`, and skips `skip` rows.
async fn walk(db: &mut impl Source, plan: &Plan, bounds: Sql, skip: i64) -> Result<Vec<RecordId>> {
    let table = plan.place.table;
    let mut sql = Sql::new("SELECT ").push(table.source.key).append(plan.body(true, true)).append(bounds);
    if let Some(below) = plan.below {
        sql = sql.push(" AND ").push(table.source.key).push(" < ?").bind(below);
    }
    let sql = plan.order.order_by(sql, table).push(" LIMIT ? OFFSET ?").bind(plan.length).bind(skip);
    let sql = sql.named("now", plan.place.now);
    Ok(db.all::<(RecordId,)>(sql).await?.into_iter().map(|(id,)| id).collect())
}

/// Skips whole blocks of ids by their counts, and walks at most one block to the page's first row.
async fn walk_by_rank(db: &mut impl Source, plan: &Plan, groups: &[String]) -> Result<Vec<RecordId>> {
    match page_bounds(db, plan, groups).await? {
        Some((bounds, skip)) => walk(db, plan, bounds, skip).await,
        None => Ok(Vec::new()),
    }
}

/// The bounds of the ids of a page, and how many rows within them come before it: a prefix sum over the materialized block
/// counts, of which the query returns only those that the page touches.
async fn page_bounds(db: &mut impl Source, plan: &Plan, groups: &[String]) -> Result<Option<(Sql, i64)>> {
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

/// The step that finds a page whose totals are materialized, by id or, for an unfiltered list, in its default order, so that one
/// statement can read totals, ids and rows. None when the plan has no such step, or the page is empty.
pub(super) async fn page_step(db: &mut impl Source, plan: &Plan) -> Result<Option<Sql>> {
    let is_whole = plan.filters.is_empty() && plan.order.is_default(plan.place.table);
    if !(plan.order.is_by_id() || is_whole) || plan.has_text() {
        return Ok(None);
    }
    let place = match plan.materialized_count().filter(MaterializedCount::is_scannable_by_id) {
        None => None,
        Some(_) if !plan.order.is_by_id() => Some((Sql::empty(), plan.start)),
        Some(MaterializedCount::Groups(groups)) if plan.start > MIN_RANKED_START || groups.len() > 1 => {
            page_bounds(db, plan, &groups).await?
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
        // The usual page lengths are literals, so that the planner sees how few rows the page has.
        10 => plan.order.order_by(sql, table).push(" LIMIT 10"),
        20 => plan.order.order_by(sql, table).push(" LIMIT 20"),
        30 => plan.order.order_by(sql, table).push(" LIMIT 30"),
        50 => plan.order.order_by(sql, table).push(" LIMIT 50"),
        100 => plan.order.order_by(sql, table).push(" LIMIT 100"),
        _ => return Ok(None),
    };
    Ok(Some(if skip == 0 { sql } else { sql.push(" OFFSET ?").bind(skip) }))
}

/// Runs a step named `hits`, after the steps of `before`; returns its number of rows and the ids of the page.
async fn run_search(
    db: &mut impl Source,
    plan: &Plan,
    (before, body): (Sql, Sql),
) -> Result<(i64, Vec<RecordId>)> {
    let sql = Sql::new("WITH ").append(before).push("hits AS MATERIALIZED (").append(body).push(")");
    let sql =
        sql.push(" SELECT c.n, p.id FROM (SELECT count(*) AS n FROM hits) c LEFT JOIN (SELECT * FROM hits");
    let sql = match plan.below {
        Some(below) => sql.push(" WHERE id < ?").bind(below),
        None => sql,
    };
    let sql = plan.order.order_by_step(sql).push(" LIMIT ? OFFSET ?").bind(plan.length).bind(plan.start);
    let sql = plan.order.order_by_step(sql.push(") p ON TRUE")).named("now", plan.place.now);
    let rows: Vec<(i64, Option<RecordId>)> = db.all(sql).await?;
    let total = rows.first().map_or(0, |(total, _)| *total);
    Ok((total, rows.into_iter().filter_map(|(_, id)| id).collect()))
}

/// Selects all rows that the filters leave, with the sort keys.
fn all(plan: &Plan) -> Sql {
    let sql = Sql::new("SELECT ").push(plan.place.table.source.key).push(" AS id");
    plan.order.select_keys(sql).append(plan.body(true, true))
}

/// The ids of a list with a single text filter, from the search index alone, without reading the rows.
fn from_index_only(plan: &Plan) -> Option<Sql> {
    let bare = plan.plain.is_empty() && plan.place.table.source.scope.is_none() && plan.order.is_by_id();
    match plan.filters.as_slice() {
        [only] if bare => {
            Some(Sql::new("SELECT id FROM (").append(only.index_ids.clone()?).push(") AS found"))
        }
        _ => None,
    }
}

/// The SQL of a search: the steps before it, and the query of the rows that it finds.
fn search_sql(plan: &Plan, sizes: Sizes) -> (Sql, Sql) {
    if plan.words.is_empty() {
        return (Sql::empty(), from_index_only(plan).unwrap_or_else(|| all(plan)));
    }
    let narrowed = !plan.filters.is_empty()
        && !plan.filters.iter().any(|cond| cond.text)
        && sizes.filtered <= MAX_SCANNED_ROWS;
    if narrowed {
        return (Sql::empty(), all(plan).append(words_condition(plan)));
    }
    if sizes.is_broad() {
        // One row above the cap shows that there are more; every page up to the cap is among the newest of these rows.
        let walk = plan.order.order_by(all(plan).append(words_condition(plan)), plan.place.table);
        return (Sql::empty(), walk.push(" LIMIT ?").bind(MAX_COUNTED + 1));
    }
    let mut steps = Sql::empty();
    let mut body = all(plan);
    for (name, word) in STEPS.iter().zip(&plan.words) {
        steps = steps.push(name).push(" AS MATERIALIZED (").append(word_matches(plan, word)).push("), ");
        body = body
            .push(" AND ")
            .push(plan.place.table.source.key)
            .push(" IN (SELECT id FROM ")
            .push(name)
            .push(")");
    }
    (steps, body)
}

/// Names of the steps, one for each word.
const STEPS: [&str; 10] = ["w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8", "w9"];

/// The ids that a word of the common search finds: a union over the search targets, so that each uses its index.
fn word_matches(plan: &Plan, word: &str) -> Sql {
    let (table, dialect) = (plan.place.table, plan.place.dialect);
    let listed = || {
        let sql = Sql::new("SELECT ").push(table.source.key).push(" AS id FROM ");
        sql.push(table.source.base).push(" ").push(table.source.alias).push(" WHERE ")
    };
    let mut sql = match as_id(plan, word) {
        Some(id) => listed().push(table.source.key).push(" = ?").bind(id),
        None => listed().push("FALSE"),
    };
    if is_exact(word) {
        return sql;
    }
    for target in &plan.search_targets {
        let keys = search::target_keys(target, word, dialect, plan.place.whole);
        let is_bare = target.key == table.source.key && target.through.is_none() && target.only.is_none();
        sql = sql.push(" UNION ").append(match (is_bare, target.only) {
            (true, _) => Sql::new("SELECT id FROM (").append(keys).push(") AS found"),
            (false, None) => listed().append(search::key_in(target.key, keys)),
            (false, Some(only)) => listed().push(only).push(" AND ").append(search::key_in(target.key, keys)),
        });
    }
    sql
}

/// ` AND …`: each word of the common search is found in the row. Evaluated row by row.
pub(super) fn words_condition(plan: &Plan) -> Sql {
    let (table, dialect) = (plan.place.table, plan.place.dialect);
    let mut sql = Sql::empty();
    for word in &plan.words {
        sql = match as_id(plan, word) {
            Some(id) => sql.push(" AND (").push(table.source.key).push(" = ?").bind(id),
            None => sql.push(" AND (FALSE"),
        };
        for target in plan.search_targets.iter().filter(|_| !is_exact(word)) {
            sql = sql.push(" OR ").append(search::row_matches(target, word, dialect, plan.place.whole));
        }
        sql = sql.push(")");
    }
    sql
}

fn as_id(plan: &Plan, word: &str) -> Option<i64> {
    word.parse().ok().filter(|_| plan.by_id)
}

/// A short number matches an id only, never a part of a text.
fn is_exact(word: &str) -> bool {
    search::is_short(word) && word.bytes().all(|byte| byte.is_ascii_digit())
}
