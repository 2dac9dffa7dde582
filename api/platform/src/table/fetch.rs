//! Finds the ids of one page, by a method that stays fast at any table size (performance.md):
//!
//! - The default order of the list, without a filter or with a filter that has a materialized count: it scans an index, and finds
//!   deep pages by their rank.
//! - A text search: a materialized CTE finds the rows once, regardless of the planner's estimates, for the total and for the page.
//! - Filters whose number of matching rows it has counted: it sorts these rows if it reads fewer rows that way than by a scan in
//!   the order of the sort key.
//! - A global search that matches a large part of the table: it scans the table in order, and counts up to [`MAX_COUNTED`] rows.

use std::collections::BTreeSet;

use panel_contract::ids::RecordId;
use panel_kernel::error::Result;

use crate::db::{Sql, SqlExecutor, counts};
use crate::table::condition::MaterializedCount;
use crate::table::plan::Plan;
use crate::table::search;
use crate::table::size::{self, Sizes};

/// If at most this many rows match the filters, a global search reads each of them; otherwise it uses the text index.
const MAX_SCANNED_ROWS: i64 = 20_000;
/// If at most this many rows match filters with an upper bound of time, they are sorted instead of scanned in order.
const MAX_SORTED_ROWS: i64 = 500_000;
/// A broad global search counts up to this many rows.
pub(super) const MAX_COUNTED: i64 = 10_000;
/// A page that begins after this many rows is found by its rank.
const MIN_RANKED_START: i64 = 1_000;

/// The ids of a page, and the totals of the list.
#[derive(Debug, Clone)]
pub(super) struct PageIds {
    pub(super) total: i64,
    pub(super) filtered: i64,
    /// Whether more rows than `filtered` may match.
    pub(super) filtered_is_at_least: bool,
    pub(super) ids: Vec<RecordId>,
}

pub(super) async fn find_page(db: &mut impl SqlExecutor, plan: &Plan) -> Result<PageIds> {
    let sizes = size::read_sizes(db, plan).await?;
    let total = sizes.total;
    if plan.has_text() {
        let (mut filtered, mut ids) = run_search(db, plan, search_sql(plan, sizes)).await?;
        let is_capped =
            !plan.search_words.is_empty() && !plan.context.must_be_complete && filtered > MAX_COUNTED;
        if is_capped {
            filtered = MAX_COUNTED;
            ids.truncate(usize::try_from(MAX_COUNTED.saturating_sub(plan.start)).unwrap_or(0));
        }
        let filtered_is_at_least = is_capped || search::has_older_rows(db, &newest_only_tables(plan)).await?;
        return Ok(PageIds { total, filtered, filtered_is_at_least, ids });
    }
    let filtered = sizes.filtered;
    let ids = if plan.start >= filtered { Vec::new() } else { find_without_search(db, plan, sizes).await? };
    Ok(PageIds { total, filtered, filtered_is_at_least: false, ids })
}

/// Returns the tables in which the search reads only the newest rows.
fn newest_only_tables(plan: &Plan) -> BTreeSet<&'static str> {
    let mut tables = plan.newest_only_tables();
    for word in plan.search_words.iter().filter(|word| !is_id_only(word)) {
        tables.extend(plan.search_targets.iter().filter_map(|target| {
            search::newest_only_table(target.index, word, plan.context.must_be_complete)
        }));
    }
    tables
}

/// Reads the ids of the plan's page, without totals.
pub(super) async fn read_ids(db: &mut impl SqlExecutor, plan: &Plan) -> Result<Vec<RecordId>> {
    if plan.search_words.is_empty() && !plan.has_text() {
        return scan(db, plan, Sql::empty(), plan.start).await;
    }
    // These sizes make the search neither broad nor narrow.
    let sizes = Sizes { total: 0, filtered: i64::MAX, probe_matches: 0 };
    Ok(run_search(db, plan, search_sql(plan, sizes)).await?.1)
}

/// Finds the ids of a page of a query without a text search.
async fn find_without_search(db: &mut impl SqlExecutor, plan: &Plan, sizes: Sizes) -> Result<Vec<RecordId>> {
    match plan.materialized_count().filter(|count| plan.order.is_by_id() && count.is_scannable_by_id()) {
        // The page begins below an id, so the scan skips no rows.
        Some(_) if plan.below_id.is_some() => scan(db, plan, Sql::empty(), plan.start).await,
        Some(MaterializedCount::Groups(groups)) if plan.start > MIN_RANKED_START || groups.len() > 1 => {
            scan_from_rank(db, plan, &groups).await
        }
        Some(_) => scan(db, plan, Sql::empty(), plan.start).await,
        None if is_sorting_cheaper(plan, sizes) => find_then_sort(db, plan).await,
        None => scan(db, plan, Sql::empty(), plan.start).await,
    }
}

/// Whether a query that finds all matching rows and sorts them reads fewer rows than a scan in the order of the sort key, which
/// reads rows of the whole list until the page is full. Ids grow with time, so a scan by id may reach the rows before an upper
/// time bound only at its end.
fn is_sorting_cheaper(plan: &Plan, sizes: Sizes) -> bool {
    let are_rows_at_end_of_scan = plan.order.is_by_id()
        && plan.filters.iter().any(|condition| condition.has_upper_time_bound)
        && sizes.filtered <= MAX_SORTED_ROWS;
    let page_end = plan.start.saturating_add(plan.length);
    are_rows_at_end_of_scan
        || sizes.filtered.saturating_mul(sizes.filtered) <= page_end.saturating_mul(sizes.total)
}

/// Finds all matching rows in a materialized CTE and sorts them, regardless of the planner's estimates.
async fn find_then_sort(db: &mut impl SqlExecutor, plan: &Plan) -> Result<Vec<RecordId>> {
    let sql =
        Sql::new("WITH hits AS MATERIALIZED (").append(select_matches(plan)).push(") SELECT id FROM hits");
    let sql = match plan.below_id {
        Some(below_id) => sql.push(" WHERE id < ?").bind(below_id),
        None => sql,
    };
    let sql =
        plan.order.order_by_selected_keys(sql).push(" LIMIT ? OFFSET ?").bind(plan.length).bind(plan.start);
    let sql = sql.bind_named("now", plan.context.now);
    Ok(db.fetch_all::<(RecordId,)>(sql).await?.into_iter().map(|(id,)| id).collect())
}

/// Scans the list in its order within `bounds`, and skips the first `skip` rows.
async fn scan(db: &mut impl SqlExecutor, plan: &Plan, bounds: Sql, skip: i64) -> Result<Vec<RecordId>> {
    let table = plan.context.table;
    let mut sql =
        Sql::new("SELECT ").push(table.source.key).append(plan.select_body(true, true)).append(bounds);
    if let Some(below_id) = plan.below_id {
        sql = sql.push(" AND ").push(table.source.key).push(" < ?").bind(below_id);
    }
    let sql = plan.order.order_by(sql, table).push(" LIMIT ? OFFSET ?").bind(plan.length).bind(skip);
    let sql = sql.bind_named("now", plan.context.now);
    Ok(db.fetch_all::<(RecordId,)>(sql).await?.into_iter().map(|(id,)| id).collect())
}

/// Skips whole blocks of ids by their counts, and scans at most one block up to the first row of the page.
async fn scan_from_rank(db: &mut impl SqlExecutor, plan: &Plan, groups: &[String]) -> Result<Vec<RecordId>> {
    match find_page_bounds(db, plan, groups).await? {
        Some((bounds, skip)) => scan(db, plan, bounds, skip).await,
        None => Ok(Vec::new()),
    }
}

/// Returns bounds of the ids of a page, and how many rows within these bounds precede the page; `None` for an empty page. The
/// query computes a prefix sum over the materialized block counts, and returns only the blocks that contain rows of the page.
async fn find_page_bounds(
    db: &mut impl SqlExecutor,
    plan: &Plan,
    groups: &[String],
) -> Result<Option<(Sql, i64)>> {
    let direction = if plan.order.descending { "DESC" } else { "ASC" };
    let sql =
        Sql::new("SELECT block, CAST(before AS BIGINT) FROM (SELECT block, n, sum(n) OVER (ORDER BY block ")
            .push(direction)
            .push(") - n AS before FROM (")
            .append(size::select_block_counts(plan, groups))
            .push(") AS counts) AS ranked WHERE before + n > ? AND before < ? ORDER BY before")
            .bind(plan.start)
            .bind(plan.start.saturating_add(plan.length));
    let blocks: Vec<(i64, i64)> = db.fetch_all(sql).await?;
    let (Some((first, rows_before)), Some((last, _))) = (blocks.first(), blocks.last()) else {
        return Ok(None);
    };
    let key = plan.context.table.source.key;
    let bounds = Sql::new(" AND ")
        .push(key)
        .push(" >= ? AND ")
        .bind(first.min(last) * counts::BLOCK_SIZE)
        .push(key)
        .push(" < ?")
        .bind((first.max(last) + 1) * counts::BLOCK_SIZE);
    Ok(Some((bounds, plan.start - rows_before)))
}

/// Selects the ids of a page whose totals are materialized, so that one statement can read totals, ids and rows. The page must be
/// in the order of ids or, without filters, in the default order of the list. Returns `None` for other plans and for an empty
/// page.
pub(super) async fn select_page_ids(db: &mut impl SqlExecutor, plan: &Plan) -> Result<Option<Sql>> {
    let is_unfiltered_default = plan.filters.is_empty() && plan.order.is_default(plan.context.table);
    if !(plan.order.is_by_id() || is_unfiltered_default) || plan.has_text() {
        return Ok(None);
    }
    let bounds_and_skip = match plan.materialized_count().filter(MaterializedCount::is_scannable_by_id) {
        None => None,
        Some(_) if !plan.order.is_by_id() => Some((Sql::empty(), plan.start)),
        Some(MaterializedCount::Groups(groups)) if plan.start > MIN_RANKED_START || groups.len() > 1 => {
            find_page_bounds(db, plan, &groups).await?
        }
        Some(_) => Some((Sql::empty(), plan.start)),
    };
    let Some((bounds, skip)) = bounds_and_skip else { return Ok(None) };
    let table = plan.context.table;
    let sql = Sql::new("SELECT ")
        .push(table.source.key)
        .push(" AS id")
        .append(plan.select_body(true, true))
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

/// Runs the CTEs of a search; returns the number of matching rows and the ids of the page.
async fn run_search(
    db: &mut impl SqlExecutor,
    plan: &Plan,
    search: SearchSql,
) -> Result<(i64, Vec<RecordId>)> {
    let sql = Sql::new("WITH ").append(search.word_ctes).push("hits AS MATERIALIZED (").append(search.hits);
    let sql = sql.push(")");
    let sql =
        sql.push(" SELECT c.n, p.id FROM (SELECT count(*) AS n FROM hits) c LEFT JOIN (SELECT * FROM hits");
    let sql = match plan.below_id {
        Some(below_id) => sql.push(" WHERE id < ?").bind(below_id),
        None => sql,
    };
    let sql =
        plan.order.order_by_selected_keys(sql).push(" LIMIT ? OFFSET ?").bind(plan.length).bind(plan.start);
    let sql = plan.order.order_by_selected_keys(sql.push(") p ON TRUE")).bind_named("now", plan.context.now);
    let rows: Vec<(i64, Option<RecordId>)> = db.fetch_all(sql).await?;
    let total = rows.first().map_or(0, |(total, _)| *total);
    Ok((total, rows.into_iter().filter_map(|(_, id)| id).collect()))
}

/// Selects the ids and sort keys of all rows that match the filters.
fn select_matches(plan: &Plan) -> Sql {
    let sql = Sql::new("SELECT ").push(plan.context.table.source.key).push(" AS id");
    plan.order.select_keys(sql).append(plan.select_body(true, true))
}

/// Selects the ids of a list with a single text filter from the search index, without reading the rows; `None` for other plans.
fn select_from_index_only(plan: &Plan) -> Option<Sql> {
    let has_no_other_condition =
        plan.own_filters.is_empty() && plan.context.table.source.scope.is_none() && plan.order.is_by_id();
    match plan.filters.as_slice() {
        [filter] if has_no_other_condition => {
            Some(Sql::new("SELECT id FROM (").append(filter.index_ids.clone()?).push(") AS found"))
        }
        _ => None,
    }
}

/// The CTEs of a search.
struct SearchSql {
    /// For each word, a CTE of the ids that match it; empty if `hits` contains the whole condition.
    word_ctes: Sql,
    /// Selects the ids and sort keys of the rows that match.
    hits: Sql,
}

impl SearchSql {
    fn without_word_ctes(hits: Sql) -> Self {
        Self { word_ctes: Sql::empty(), hits }
    }
}

fn search_sql(plan: &Plan, sizes: Sizes) -> SearchSql {
    if plan.search_words.is_empty() {
        let hits = select_from_index_only(plan).unwrap_or_else(|| select_matches(plan));
        return SearchSql::without_word_ctes(hits);
    }
    let is_narrow = !plan.filters.is_empty()
        && !plan.filters.iter().any(|condition| condition.searches_text)
        && sizes.filtered <= MAX_SCANNED_ROWS;
    if is_narrow {
        return SearchSql::without_word_ctes(select_matches(plan).append(search_condition(plan)));
    }
    if sizes.is_broad() {
        // One row above the cap shows that more rows match. The first rows in the order of the list contain every page up to the
        // cap.
        let rows = select_matches(plan).append(search_condition(plan));
        let rows = plan.order.order_by(rows, plan.context.table);
        return SearchSql::without_word_ctes(rows.push(" LIMIT ?").bind(MAX_COUNTED + 1));
    }
    let mut word_ctes = Sql::empty();
    let mut hits = select_matches(plan);
    for (name, word) in WORD_CTE_NAMES.iter().zip(&plan.search_words) {
        let word_ids = select_word_matches(plan, word);
        word_ctes = word_ctes.push(name).push(" AS MATERIALIZED (").append(word_ids).push("), ");
        hits = hits
            .push(" AND ")
            .push(plan.context.table.source.key)
            .push(" IN (SELECT id FROM ")
            .push(name)
            .push(")");
    }
    SearchSql { word_ctes, hits }
}

const WORD_CTE_NAMES: [&str; 10] = ["w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8", "w9"];

/// Selects the ids of the rows that match a word of the global search: a union over the search targets, so that each uses its
/// index.
fn select_word_matches(plan: &Plan, word: &str) -> Sql {
    let (table, dialect) = (plan.context.table, plan.context.dialect);
    let select_where = || {
        let sql = Sql::new("SELECT ").push(table.source.key).push(" AS id FROM ");
        sql.push(table.source.base).push(" ").push(table.source.alias).push(" WHERE ")
    };
    let mut sql = match parse_id(plan, word) {
        Some(id) => select_where().push(table.source.key).push(" = ?").bind(id),
        None => select_where().push("FALSE"),
    };
    if is_id_only(word) {
        return sql;
    }
    for target in &plan.search_targets {
        let keys = search::select_target_keys(target, word, dialect, plan.context.must_be_complete);
        let are_keys_row_ids =
            target.key == table.source.key && target.join_table.is_none() && target.condition.is_none();
        sql = sql.push(" UNION ").append(match (are_keys_row_ids, target.condition) {
            (true, _) => Sql::new("SELECT id FROM (").append(keys).push(") AS found"),
            (false, None) => select_where().append(search::key_in(target.key, keys)),
            (false, Some(condition)) => {
                select_where().push(condition).push(" AND ").append(search::key_in(target.key, keys))
            }
        });
    }
    sql
}

/// Returns ` AND …`: the row contains each word of the global search. The database evaluates the condition row by row.
pub(super) fn search_condition(plan: &Plan) -> Sql {
    let (table, dialect) = (plan.context.table, plan.context.dialect);
    let mut sql = Sql::empty();
    for word in &plan.search_words {
        sql = match parse_id(plan, word) {
            Some(id) => sql.push(" AND (").push(table.source.key).push(" = ?").bind(id),
            None => sql.push(" AND (FALSE"),
        };
        for target in plan.search_targets.iter().filter(|_| !is_id_only(word)) {
            sql = sql.push(" OR ").append(search::row_matches(
                target,
                word,
                dialect,
                plan.context.must_be_complete,
            ));
        }
        sql = sql.push(")");
    }
    sql
}

fn parse_id(plan: &Plan, word: &str) -> Option<i64> {
    word.parse().ok().filter(|_| plan.searches_id)
}

/// Whether a word of the global search is a short number, which matches an id only and never a part of a text.
fn is_id_only(word: &str) -> bool {
    search::is_short(word) && word.bytes().all(|byte| byte.is_ascii_digit())
}
