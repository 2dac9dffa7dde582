//! Reads the totals of a list by one statement, from materialized counts if there are any.

use panel_kernel::error::Result;

use crate::db::{Sql, SqlExecutor};
use crate::table::condition::MaterializedCount;
use crate::table::fetch::search_condition;
use crate::table::plan::Plan;

/// How many of the newest rows a probe reads to estimate whether a global search matches many rows.
const PROBED_ROWS: i64 = 2_000;

/// The numbers of rows by which the engine chooses how to run a plan.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    pub(super) total: i64,
    /// Rows that match the filters, regardless of the global search; meaningless if a filter searches a text.
    pub(super) filtered: i64,
    /// How many of the newest [`PROBED_ROWS`] rows match the global search.
    pub(super) probe_matches: i64,
}

impl Sizes {
    /// Whether the global search matches at least one row in twenty.
    pub(super) fn is_broad(self) -> bool {
        self.probe_matches * 20 >= PROBED_ROWS
    }
}

/// Returns SQL expressions for the total of the list and for the number of rows that match the filters. There is no second one
/// if a filter searches a text, or if there is no filter.
pub(super) fn count_exprs(plan: &Plan) -> (Sql, Option<Sql>) {
    let total = match plan.context.table.row_counts {
        Some((_, group)) if plan.own_filters.is_empty() => {
            count_sql(plan, &MaterializedCount::Groups(vec![group.to_owned()]))
        }
        _ => full_count_sql(plan, false),
    };
    let has_filters =
        !plan.filters.is_empty() && !plan.filters.iter().any(|condition| condition.searches_text);
    let filtered = match plan.materialized_count() {
        _ if !has_filters => None,
        Some(count) => Some(count_sql(plan, &count)),
        None => Some(full_count_sql(plan, true)),
    };
    (total, filtered)
}

/// Reads all sizes by one statement.
pub(super) async fn read_sizes(db: &mut impl SqlExecutor, plan: &Plan) -> Result<Sizes> {
    let (total, filtered) = count_exprs(plan);
    let has_filters = filtered.is_some();
    let probe_matches = if plan.search_words.is_empty() || plan.context.must_be_complete {
        Sql::new("0")
    } else {
        probe_sql(plan)
    };
    // PostgreSQL would type a bare 0 as INT4.
    let sql = Sql::new("SELECT CAST(")
        .append(total)
        .push(" AS BIGINT), CAST(")
        .append(filtered.unwrap_or_else(|| Sql::new("0")))
        .push(" AS BIGINT), CAST(")
        .append(probe_matches)
        .push(" AS BIGINT)")
        .bind_named("now", plan.context.now);
    let (total, filtered, probe_matches): (i64, i64, i64) = db.fetch_one(sql).await?;
    Ok(Sizes { total, filtered: if has_filters { filtered } else { total }, probe_matches })
}

fn full_count_sql(plan: &Plan, with_filters: bool) -> Sql {
    Sql::new("(SELECT count(*)").append(plan.select_body(with_filters, false)).push(")")
}

fn count_sql(plan: &Plan, count: &MaterializedCount) -> Sql {
    match count {
        MaterializedCount::User(user) => Sql::new(
            "(SELECT CAST(COALESCE(sum(n), 0) AS BIGINT) FROM (SELECT n FROM user_order_counts WHERE user_id = ?
             UNION ALL SELECT n FROM user_order_count_deltas WHERE user_id = ?) AS counts)",
        )
        .bind(*user)
        .bind(*user),
        MaterializedCount::Key => full_count_sql(plan, true),
        MaterializedCount::Days(statuses, from, to) => Sql::new("(SELECT CAST(COALESCE(sum(n), 0) AS BIGINT) FROM (")
            .append(select_days("order_days", statuses, *from, *to))
            .push(" UNION ALL ")
            .append(select_days("order_day_deltas", statuses, *from, *to))
            .push(") AS counts)"),
        MaterializedCount::Groups(groups) => Sql::new("(SELECT CAST(COALESCE(sum(n), 0) AS BIGINT) FROM (")
            .append(select_counts(plan, groups, " block = -1"))
            .push(") AS counts)"),
    }
}

fn select_days(table: &'static str, statuses: &[String], from: i64, to: i64) -> Sql {
    let sql = Sql::new("SELECT n FROM ").push(table).push(" WHERE day BETWEEN ? AND ?").bind(from).bind(to);
    match statuses {
        [] => sql,
        statuses => sql.push(" AND status IN (").append(bind_list(statuses)).push(")"),
    }
}

fn bind_list(values: &[String]) -> Sql {
    values.iter().enumerate().fold(Sql::empty(), |sql, (index, value)| {
        if index == 0 { sql.push("?").bind(value.as_str()) } else { sql.push(", ?").bind(value.as_str()) }
    })
}

/// Selects `block, n`: the number of rows of `groups` together in each block, with the deltas that are not folded yet.
pub(super) fn select_block_counts(plan: &Plan, groups: &[String]) -> Sql {
    Sql::new("SELECT block, sum(n) AS n FROM (")
        .append(select_counts(plan, groups, " block >= 0"))
        .push(") AS counted GROUP BY block HAVING sum(n) <> 0")
}

fn select_counts(plan: &Plan, groups: &[String], block_condition: &'static str) -> Sql {
    let table = plan.context.table.row_counts.map_or("", |(table, _)| table);
    let condition = || {
        let sql = Sql::new(" WHERE").push(block_condition).push(" AND tbl = ? AND grp IN (").bind(table);
        sql.append(bind_list(groups)).push(")")
    };
    Sql::new("SELECT block, n FROM row_counts")
        .append(condition())
        .push(" UNION ALL SELECT block, n FROM row_count_deltas")
        .append(condition())
}

fn probe_sql(plan: &Plan) -> Sql {
    let table = plan.context.table;
    let newest = Sql::new("(SELECT * FROM ")
        .push(table.source.base)
        .push(" ")
        .push(table.source.alias)
        .push(" WHERE ")
        .push(table.source.scope.unwrap_or("TRUE"))
        .push(" ORDER BY ")
        .push(table.source.key)
        .push(" DESC LIMIT ?) ")
        .bind(PROBED_ROWS)
        .push(table.source.alias);
    let body = plan.select_body_of(newest, true, false).append(search_condition(plan));
    Sql::new("(SELECT count(*)").append(body).push(")")
}
