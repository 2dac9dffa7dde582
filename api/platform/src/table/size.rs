//! How many rows there are: kept counts where there are any, one statement for all that a page must know.

use panel_kernel::error::Result;

use crate::db::{Source, Sql};
use crate::table::condition::Kept;
use crate::table::fetch::words_here;
use crate::table::plan::Plan;

/// How many of the newest rows tell whether a common search finds many.
const PROBED: i64 = 2_000;

/// The sizes that a plan is carried out by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// Rows of the list.
    pub(super) total: i64,
    /// Rows that its filters leave, before the common search; of no meaning when they look for texts.
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

/// How many rows there are, and how many the filters leave (none when texts decide that), as expressions.
pub(super) fn sums(plan: &Plan) -> (Sql, Option<Sql>) {
    let total = match plan.place.table.row_counts {
        Some((_, group)) if plan.plain.is_empty() => kept(plan, &Kept::Groups(vec![group.to_owned()])),
        _ => counted(plan, false),
    };
    let asks = !plan.filters.is_empty() && !plan.filters.iter().any(|cond| cond.text);
    let filtered = match plan.kept() {
        _ if !asks => None,
        Some(known) => Some(kept(plan, &known)),
        None => Some(counted(plan, true)),
    };
    (total, filtered)
}

/// Measures, in one statement.
pub(super) async fn measure(db: &mut impl Source, plan: &Plan) -> Result<Sizes> {
    let (total, filtered) = sums(plan);
    let asks = filtered.is_some();
    let probed = if plan.words.is_empty() || plan.place.whole { Sql::new("0") } else { probe(plan) };
    // PostgreSQL would read a bare 0 as INT4.
    let sql = Sql::new("SELECT CAST(")
        .append(total)
        .push(" AS BIGINT), CAST(")
        .append(filtered.unwrap_or_else(|| Sql::new("0")))
        .push(" AS BIGINT), CAST(")
        .append(probed)
        .push(" AS BIGINT)")
        .named("now", plan.place.now);
    let (total, filtered, probed): (i64, i64, i64) = db.one(sql).await?;
    Ok(Sizes { total, filtered: if asks { filtered } else { total }, probed })
}

fn counted(plan: &Plan, with_filters: bool) -> Sql {
    Sql::new("(SELECT count(*)").append(plan.body(with_filters, false)).push(")")
}

fn kept(plan: &Plan, kept: &Kept) -> Sql {
    match kept {
        Kept::User(user) => Sql::new(
            "(SELECT CAST(COALESCE(sum(n), 0) AS BIGINT) FROM (SELECT n FROM user_order_counts WHERE user_id = ?
             UNION ALL SELECT n FROM user_order_count_deltas WHERE user_id = ?) AS kept)",
        )
        .bind(*user)
        .bind(*user),
        Kept::Key => counted(plan, true),
        Kept::Days(statuses, from, to) => Sql::new("(SELECT CAST(COALESCE(sum(n), 0) AS BIGINT) FROM (")
            .append(days("order_days", statuses, *from, *to))
            .push(" UNION ALL ")
            .append(days("order_day_deltas", statuses, *from, *to))
            .push(") AS kept)"),
        Kept::Groups(groups) => Sql::new("(SELECT CAST(COALESCE(sum(n), 0) AS BIGINT) FROM (")
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
    let body = plan.body_of(newest, true, false).append(words_here(plan));
    Sql::new("(SELECT count(*)").append(body).push(")")
}
