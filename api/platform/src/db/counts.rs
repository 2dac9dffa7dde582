//! Materialized counts: exact totals without counting (performance.md 1 and 2).
//!
//! Triggers maintain the counts in the writing transaction. On SQLite they update the counts; on PostgreSQL they insert deltas,
//! which [`fold_deltas`] adds to the counts. Readers add the deltas that are not folded yet, so a total is always exact.

use crate::db::{Db, DbResult, Dialect, Sql, SqlExecutor};
use panel_contract::ids::UserId;

/// Number of ids in one block: the rows with ids 0 to 8191 are in block 0. The triggers and [`RECOUNTS`] hold the same number.
pub const BLOCK_SIZE: i64 = 8_192;

/// Reads the number of rows of `table` in `group`, such as a status; `""` counts all rows.
pub async fn count(db: &mut impl SqlExecutor, table: &'static str, group: &str) -> DbResult<i64> {
    count_groups(db, table, &[group]).await
}

/// Reads the number of rows of `table` in several groups together.
pub async fn count_groups(db: &mut impl SqlExecutor, table: &'static str, groups: &[&str]) -> DbResult<i64> {
    let counts = read_counts(db, table, groups, CountScope::WholeTable).await?;
    Ok(counts.iter().map(|(_, rows)| rows).sum())
}

/// Reads `(block, rows)` of `table` in several groups together, lowest block first.
pub async fn count_by_block(
    db: &mut impl SqlExecutor,
    table: &'static str,
    groups: &[&str],
) -> DbResult<Vec<(i64, i64)>> {
    read_counts(db, table, groups, CountScope::EachBlock).await
}

#[derive(Clone, Copy)]
enum CountScope {
    /// Stored as block -1.
    WholeTable,
    EachBlock,
}

async fn read_counts(
    db: &mut impl SqlExecutor,
    table: &'static str,
    groups: &[&str],
    scope: CountScope,
) -> DbResult<Vec<(i64, i64)>> {
    let condition = || {
        let list = groups.iter().enumerate().fold(
            Sql::new(" WHERE tbl = ? AND grp IN (").bind(table),
            |sql, (index, group)| {
                if index == 0 { sql.bind(*group) } else { sql.push(", ").bind(*group) }
            },
        );
        list.push(match scope {
            CountScope::WholeTable => ") AND block = -1",
            CountScope::EachBlock => ") AND block >= 0",
        })
    };
    let sql = Sql::new("SELECT block, CAST(sum(n) AS BIGINT) FROM (SELECT block, n FROM row_counts")
        .append(condition())
        .push(" UNION ALL SELECT block, n FROM row_count_deltas")
        .append(condition())
        .push(") AS counts GROUP BY block HAVING sum(n) <> 0 ORDER BY block");
    db.fetch_all(sql).await
}

pub async fn count_orders_of_user(db: &mut impl SqlExecutor, user_id: UserId) -> DbResult<i64> {
    let sql = Sql::new(
        "SELECT CAST(COALESCE(sum(n), 0) AS BIGINT) FROM (SELECT n FROM user_order_counts WHERE user_id = ?
         UNION ALL SELECT n FROM user_order_count_deltas WHERE user_id = ?) AS counts",
    );
    Ok(db.fetch_one::<(i64,)>(sql.bind(user_id).bind(user_id)).await?.0)
}

/// Adds the deltas to the count tables, in one transaction; returns how many count rows it wrote. Safe to run in several
/// processes: the second process waits or finds no deltas. Does nothing on SQLite.
pub async fn fold_deltas(db: &Db) -> DbResult<u64> {
    if db.dialect() == Dialect::Sqlite {
        return Ok(0);
    }
    let mut tx = db.begin().await?;
    let mut folded = 0;
    for statement in FOLD_STATEMENTS {
        folded += tx.execute(Sql::new(statement)).await?;
    }
    tx.commit().await?;
    Ok(folded)
}

/// Each statement deletes the deltas of one table of counts and adds their sums to it.
const FOLD_STATEMENTS: [&str; 3] = [
    "WITH deleted AS (DELETE FROM row_count_deltas RETURNING tbl, grp, block, n),
     sums AS (SELECT tbl, grp, block, sum(n) AS n FROM deleted GROUP BY 1, 2, 3 HAVING sum(n) <> 0 ORDER BY 1, 2, 3)
     INSERT INTO row_counts AS c (tbl, grp, block, n) SELECT * FROM sums
     ON CONFLICT (tbl, grp, block) DO UPDATE SET n = c.n + excluded.n",
    "WITH deleted AS (DELETE FROM order_day_deltas RETURNING *),
     sums AS (SELECT day, status, sum(n), sum(cost), sum(refunded), sum(provider_cost), sum(quantity) FROM deleted GROUP BY 1, 2 ORDER BY 1, 2)
     INSERT INTO order_days AS d (day, status, n, cost, refunded, provider_cost, quantity) SELECT * FROM sums
     ON CONFLICT (day, status) DO UPDATE SET n = d.n + excluded.n, cost = d.cost + excluded.cost, refunded = d.refunded + excluded.refunded,
       provider_cost = d.provider_cost + excluded.provider_cost, quantity = d.quantity + excluded.quantity",
    "WITH deleted AS (DELETE FROM user_order_count_deltas RETURNING user_id, n),
     sums AS (SELECT user_id, sum(n) AS n FROM deleted GROUP BY 1 ORDER BY 1)
     INSERT INTO user_order_counts AS c (user_id, n) SELECT * FROM sums
     ON CONFLICT (user_id) DO UPDATE SET n = c.n + excluded.n",
];

/// `(table, SQL that computes its counts)` for every table with materialized counts: a rebuild writes the result, and the doctor
/// compares with it.
pub const RECOUNTS: &[(&str, &str)] = &[
    ("orders", "SELECT 'orders' AS tbl, g.grp, o.id / 8192 AS block, count(*) AS n FROM orders o
       CROSS JOIN (SELECT '' AS grp UNION ALL SELECT 'in_processing' UNION ALL SELECT 'in_moderation' UNION ALL SELECT 'completed'
         UNION ALL SELECT 'stopped' UNION ALL SELECT 'canceled' UNION ALL SELECT 'unpaid' UNION ALL SELECT 'no_active_providers' UNION ALL SELECT 'child_panel') g
       WHERE g.grp = '' OR g.grp = o.status OR (g.grp = 'no_active_providers' AND o.has_no_active_providers) OR (g.grp = 'child_panel' AND o.is_child_panel)
       GROUP BY g.grp, o.id / 8192"),
    ("users", "SELECT 'users' AS tbl, g.grp, u.id / 8192 AS block, count(*) AS n FROM users u
       CROSS JOIN (SELECT '' AS grp UNION ALL SELECT 'active' UNION ALL SELECT 'frozen' UNION ALL SELECT 'deactivated' UNION ALL SELECT 'staff') g
       WHERE g.grp = '' OR g.grp = u.status OR (g.grp = 'staff' AND u.is_staff) GROUP BY g.grp, u.id / 8192"),
    ("free_trials", "SELECT 'free_trials' AS tbl, g.grp, t.id / 8192 AS block, count(*) AS n FROM free_trials t
       CROSS JOIN (SELECT '' AS grp UNION ALL SELECT 'pending' UNION ALL SELECT 'approved' UNION ALL SELECT 'rejected') g
       WHERE g.grp = '' OR g.grp = t.status GROUP BY g.grp, t.id / 8192"),
    ("drip_feeds", "SELECT 'drip_feeds' AS tbl, g.grp, t.id / 8192 AS block, count(*) AS n FROM drip_feeds t
       CROSS JOIN (SELECT '' AS grp UNION ALL SELECT 'in_processing' UNION ALL SELECT 'completed' UNION ALL SELECT 'canceled') g
       WHERE g.grp = '' OR g.grp = t.status GROUP BY g.grp, t.id / 8192"),
    ("subscriptions", "SELECT 'subscriptions' AS tbl, g.grp, t.id / 8192 AS block, count(*) AS n FROM subscriptions t
       CROSS JOIN (SELECT '' AS grp UNION ALL SELECT 'in_processing' UNION ALL SELECT 'completed' UNION ALL SELECT 'canceled') g
       WHERE g.grp = '' OR g.grp = t.status GROUP BY g.grp, t.id / 8192"),
    ("combo_orders", "SELECT 'combo_orders' AS tbl, g.grp, t.id / 8192 AS block, count(*) AS n FROM combo_orders t
       CROSS JOIN (SELECT '' AS grp UNION ALL SELECT 'in_moderation' UNION ALL SELECT 'in_processing' UNION ALL SELECT 'completed' UNION ALL SELECT 'canceled') g
       WHERE g.grp = '' OR g.grp = t.status GROUP BY g.grp, t.id / 8192"),
    ("withdrawals", "SELECT 'withdrawals' AS tbl, g.grp, t.id / 8192 AS block, count(*) AS n FROM withdrawals t
       CROSS JOIN (SELECT '' AS grp UNION ALL SELECT 'pending' UNION ALL SELECT 'approved' UNION ALL SELECT 'paid' UNION ALL SELECT 'rejected') g
       WHERE g.grp = '' OR g.grp = t.status GROUP BY g.grp, t.id / 8192"),
    ("invoices", "SELECT 'invoices' AS tbl, g.grp, t.id / 8192 AS block, count(*) AS n FROM invoices t
       CROSS JOIN (SELECT '' AS grp UNION ALL SELECT 'pending' UNION ALL SELECT 'paid' UNION ALL SELECT 'canceled') g
       WHERE g.grp = '' OR g.grp = t.status GROUP BY g.grp, t.id / 8192"),
    ("external_panel_orders", "SELECT 'external_panel_orders' AS tbl, g.grp, t.id / 8192 AS block, count(*) AS n FROM external_panel_orders t
       CROSS JOIN (SELECT '' AS grp UNION ALL SELECT 'Creating' UNION ALL SELECT 'Pending' UNION ALL SELECT 'In progress' UNION ALL SELECT 'Processing'
         UNION ALL SELECT 'Completed' UNION ALL SELECT 'Partial' UNION ALL SELECT 'Canceled') g
       WHERE g.grp = '' OR g.grp = t.status GROUP BY g.grp, t.id / 8192"),
    ("order_cancel_requests", "SELECT 'order_cancel_requests' AS tbl, g.grp, t.id / 8192 AS block, count(*) AS n FROM order_cancel_requests t
       CROSS JOIN (SELECT '' AS grp UNION ALL SELECT 'requested' UNION ALL SELECT 'sent' UNION ALL SELECT 'confirmed' UNION ALL SELECT 'rejected' UNION ALL SELECT 'expired') g
       WHERE g.grp = '' OR g.grp = t.status GROUP BY g.grp, t.id / 8192"),
    ("ledger_entries", "SELECT 'ledger_entries' AS tbl, '' AS grp, e.id / 8192 AS block, count(*) AS n FROM ledger_entries e
       WHERE e.account IN ('main', 'task', 'referral') GROUP BY e.id / 8192"),
    ("audits", "SELECT 'audits' AS tbl, a.grp, a.block, count(*) AS n FROM (SELECT '' AS grp, id / 8192 AS block FROM audits
       UNION ALL SELECT auditable_type, id / 8192 FROM audits) a GROUP BY a.grp, a.block"),
    ("change_logs", "SELECT 'change_logs' AS tbl, '' AS grp, c.id / 8192 AS block, count(*) AS n FROM change_logs c GROUP BY c.id / 8192"),
    ("payment_methods", "SELECT 'payment_methods' AS tbl, '' AS grp, t.id / 8192 AS block, count(*) AS n FROM payment_methods t GROUP BY t.id / 8192"),
    ("free_trial_quests", "SELECT 'free_trial_quests' AS tbl, '' AS grp, t.id / 8192 AS block, count(*) AS n FROM free_trial_quests t GROUP BY t.id / 8192"),
    ("grades", "SELECT 'grades' AS tbl, '' AS grp, t.id / 8192 AS block, count(*) AS n FROM grades t GROUP BY t.id / 8192"),
];

/// Locks the tables in the order in which writers and [`fold_deltas`] lock them.
const LOCK_COUNTED_TABLES: &str = "LOCK TABLE orders, users, free_trials, drip_feeds, subscriptions, combo_orders, withdrawals, invoices, external_panel_orders, order_cancel_requests, payment_methods, free_trial_quests, grades, ledger_entries, audits, change_logs, row_count_deltas, row_counts, order_day_deltas,
  order_days, user_order_count_deltas, user_order_counts IN SHARE ROW EXCLUSIVE MODE";

/// Counts all records again, after a bulk load or when the doctor finds a wrong count. Writers wait until the transaction ends;
/// otherwise PostgreSQL would count their rows twice, as a record and as a delta.
pub async fn rebuild(tx: &mut impl SqlExecutor) -> DbResult<()> {
    tx.execute(Sql::empty().per_dialect("SELECT 1", LOCK_COUNTED_TABLES)).await?;
    for delete in [
        "DELETE FROM row_counts",
        "DELETE FROM row_count_deltas",
        "DELETE FROM order_days",
        "DELETE FROM order_day_deltas",
        "DELETE FROM user_order_counts",
        "DELETE FROM user_order_count_deltas",
    ] {
        tx.execute(Sql::new(delete)).await?;
    }
    for &(_, recount) in RECOUNTS {
        tx.execute(Sql::new("INSERT INTO row_counts (tbl, grp, block, n) ").push(recount)).await?;
    }
    tx.execute(Sql::new("INSERT INTO row_counts (tbl, grp, block, n) SELECT tbl, grp, -1, sum(n) FROM row_counts GROUP BY tbl, grp")).await?;
    tx.execute(Sql::new(
        "INSERT INTO order_days (day, status, n, cost, refunded, provider_cost, quantity)
         SELECT created_at / 86400000000, status, count(*), sum(CASE WHEN is_paid THEN cost ELSE 0 END), sum(refunded), sum(provider_cost), sum(quantity) FROM orders GROUP BY 1, 2",
    )).await?;
    tx.execute(Sql::new(
        "INSERT INTO user_order_counts (user_id, n) SELECT user_id, count(*) FROM orders GROUP BY user_id",
    ))
    .await?;
    Ok(())
}
