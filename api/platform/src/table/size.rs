//! Totals of a list: materialized counts where there are any, and one statement for all totals of a page.

use panel_kernel::error::Result;

use crate::db::{Source, Sql};
use crate::table::condition::MaterializedCount;
use crate::table::fetch::words_condition;
use crate::table::plan::Plan;

/// How many of the newest rows a probe reads to estimate whether a common search finds many.
const PROBED: i64 = 2_000;

/// The sizes by which the engine chooses how to run a plan.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// Rows of the list.
    pub(super) total: i64,
    /// Rows that its filters leave, before the common search; meaningless when a filter searches a text.
    pub(super) filtered: i64,
    /// Of the newest rows, how many the common search finds.
    pub(super) probed: i64,
}

impl Sizes {
    /// Whether a common search finds at least one row in twenty.
    pub(super) fn is_broad(self) -> bool {
        self.probed * 20 >= PROBED
    }
}

/// Expressions for the total of the list and for the rows that the filters leave; no second one when a filter searches a text.
pub(super) fn sums(plan: &Plan) -> (Sql, Option<Sql>) {
    let total = match plan.place.table.row_counts {
        Some((_, group)) if plan.plain.is_empty() => {
            count_sql(plan, &MaterializedCount::Groups(vec![group.to_owned()]))
        }
        _ => full_count_sql(plan, false),
    };
    let has_filters = !plan.filters.is_empty() && !plan.filters.iter().any(|cond| cond.text);
    let filtered = match plan.materialized_count() {
        _ if !has_filters => None,
        Some(count) => Some(count_sql(plan, &count)),
        None => Some(full_count_sql(plan, true)),
    };
    (total, filtered)
}

/// Reads all sizes by one statement.
pub(super) async fn measure(db: &mut impl Source, plan: &Plan) -> Result<Sizes> {
    let (total, filtered) = sums(plan);
    let has_filters = filtered.is_some();
    let probed = if plan.words.is_empty() || plan.place.whole { Sql::new("0") } else { probe(plan) };
    // PostgreSQL would type a bare 0 as INT4.
    let sql = Sql::new("SELECT CAST(")
        .append(total)
        .push(" AS BIGINT), CAST(")
        .append(filtered.unwrap_or_else(|| Sql::new("0")))
        .push(" AS BIGINT), CAST(")
        .append(probed)
        .push(" AS BIGINT)")
        .named("now", plan.place.now);
    let (total, filtered, probed): (i64, i64, i64) = db.one(sql).await?;
    Ok(Sizes { total, filtered: if has_filters { filtered } else { total }, probed })
}

fn full_count_sql(plan: &Plan, with_filters: bool) -> Sql {
    Sql::new("(SELECT count(*)").append(plan.body(with_filters, false)).push(")")
}

fn count_sql(plan: &Plan, count: &MaterializedCount) -> Sql {
    match count {
        MaterializedCount::User(user) => Sql::new(
            "(SELECT CAST(COALESCE(sum(n), 0) AS BIGINT) FROM (SELECT n FROM user_order_counts WHERE user_id = ?
             UNION ALL SELECT n FROM user_order_count_deltas WHERE user_id = ?) AS kept)",
        )
        .bind(*user)
        .bind(*user),
        MaterializedCount::Key => full_count_sql(plan, true),
        MaterializedCount::Days(statuses, from, to) => Sql::new("(SELECT CAST(COALESCE(sum(n), 0) AS BIGINT) FROM (")
            .append(days("order_days", statuses, *from, *to))
            .push(" UNION ALL ")
            .append(days("order_day_deltas", statuses, *from, *to))
            .push(") AS kept)"),
        MaterializedCount::Groups(groups) => Sql::new("(SELECT CAST(COALESCE(sum(n), 0) AS BIGINT) FROM (")
            .append(counts(plan, groups, " block = -1"))
            .push(") AS kept)"),
    }
}

fn days(table: &'static str, statuses: &[String], from: i64, to: i64) -> Sql {
    let sql = Sql::new("SELECT n FROM ").push(table).push(" WHERE day BETWEEN ? AND ?").bind(from).bind(to);
    match statuses {
        [] => sql,
        some => sql.push(" AND status IN (").append(listed(some)).push(")"),
    }
}

fn listed(words: &[String]) -> Sql {
    words.iter().enumerate().fold(Sql::empty(), |sql, (at, word)| {
        if at == 0 { sql.push("?").bind(word.as_str()) } else { sql.push(", ?").bind(word.as_str()) }
    })
}

/// `block, n` of the blocks of `groups` together, folded and not.
pub(super) fn blocks(plan: &Plan, groups: &[String]) -> Sql {
    Sql::new("SELECT block, sum(n) AS n FROM (")
        .append(counts(plan, groups, " block >= 0"))
        .push(") AS counted GROUP BY block HAVING sum(n) <> 0")
}

fn counts(plan: &Plan, groups: &[String], which: &'static str) -> Sql {
    let table = plan.place.table.row_counts.map_or("", |(table, _)| table);
    let list = || {
        let sql = Sql::new(" WHERE").push(which).push(" AND tbl = ? AND grp IN (").bind(table);
        sql.append(listed(groups)).push(")")
    };
    Sql::new("SELECT block, n FROM row_counts")
        .append(list())
        .push(" UNION ALL SELECT block, n FROM row_count_deltas")
        .append(list())
}

fn probe(plan: &Plan) -> Sql {
    let table = plan.place.table;
    let newest = Sql::new("(SELECT * FROM ")
        .push(table.source.base)
        .push(" ")
        .push(table.source.alias)
        .push(" WHERE ")
        .push(table.source.scope.unwrap_or("TRUE"))
        .push(" ORDER BY ")
        .push(table.source.key)
        .push(" DESC LIMIT ?) ")
        .bind(PROBED)
        .push(table.source.alias);
    let body = plan.body_of(newest, true, false).append(words_condition(plan));
    Sql::new("(SELECT count(*)").append(body).push(")")
}
