//! Loads the reasons why amounts of a customer are on hold: open withdrawals, active drip-feeds and active subscriptions. Never
//! writes; the ledger moves the amounts.

use panel_contract::amount::Money;
use panel_contract::ids::{RecordId, UserId};
use panel_contract::permission::Permission;
use panel_contract::users::{Hold, HoldKind};
use panel_kernel::error::Result;

use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::scope::Scope;

const MAX_HOLDS: i64 = 100;

/// The permission to view the records of each kind of hold, and the statement that selects the holds.
const HOLDS: [(Permission, &str); 3] = [
    (
        Permission::ViewWithdrawals,
        "SELECT 'withdrawal' AS kind, w.id, w.amount FROM withdrawals w WHERE w.user_id = ? AND w.status IN ('pending', 'approved')",
    ),
    (
        Permission::ViewOrders,
        "SELECT 'drip_feed' AS kind, d.id, CAST(sum(a.amount - a.used - a.returned) AS BIGINT) AS amount FROM drip_feeds d
    JOIN advances a ON a.ref_type = 'drip_feed' AND a.ref_id = d.id WHERE d.user_id = ? AND d.status = 'in_processing'
    GROUP BY d.id HAVING sum(a.amount - a.used - a.returned) > 0",
    ),
    (
        Permission::ViewOrders,
        "SELECT 'subscription' AS kind, b.id, CAST(sum(a.amount - a.used - a.returned) AS BIGINT) AS amount FROM subscriptions b
    JOIN advances a ON a.ref_type = 'subscription' AND a.ref_id = b.id WHERE b.user_id = ? AND b.status = 'in_processing'
    GROUP BY b.id HAVING sum(a.amount - a.used - a.returned) > 0",
    ),
];

/// Loads the first 100 holds of a customer that the caller may view, sorted by kind and id.
pub async fn load_holds(scope: &Scope, db: &mut impl SqlExecutor, user_id: UserId) -> Result<Vec<Hold>> {
    let mut sql = Sql::new("");
    let mut has_select = false;
    for (_, select_sql) in HOLDS.iter().filter(|(permission, _)| scope.has_permission(*permission)) {
        let separator = if std::mem::replace(&mut has_select, true) { " UNION ALL " } else { "" };
        sql = sql.push(separator).push(select_sql).bind(user_id);
    }
    if !has_select {
        return Ok(Vec::new());
    }
    let rows: Vec<(HoldKind, RecordId, Money)> =
        db.fetch_all(sql.push(" ORDER BY 1, 2 LIMIT ?").bind(MAX_HOLDS)).await?;
    Ok(rows.into_iter().map(|(kind, id, amount)| Hold { kind, id, amount }).collect())
}
