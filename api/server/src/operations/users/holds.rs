//! What a customer's held money is held for: withdrawals that wait, drip-feeds and subscriptions that go on. It reads
//! only; the ledger moves what is held.

use panel_contract::amount::Money;
use panel_contract::users::{Hold, HoldKind};

use crate::db::{Source, Sql};
use crate::http::error::Result;

/// Most holds of one answer.
const MOST: i64 = 100;

const HOLDS: &str = "SELECT 'withdrawal' AS kind, w.id, w.amount FROM withdrawals w WHERE w.user_id = ? AND w.status IN ('pending', 'approved')
  UNION ALL SELECT 'drip_feed', d.id, CAST(sum(a.amount - a.used - a.returned) AS BIGINT) FROM drip_feeds d
    JOIN advances a ON a.ref_type = 'drip_feed' AND a.ref_id = d.id WHERE d.user_id = ? AND d.status = 'in_processing'
    GROUP BY d.id HAVING sum(a.amount - a.used - a.returned) > 0
  UNION ALL SELECT 'subscription', b.id, CAST(sum(a.amount - a.used - a.returned) AS BIGINT) FROM subscriptions b
    JOIN advances a ON a.ref_type = 'subscription' AND a.ref_id = b.id WHERE b.user_id = ? AND b.status = 'in_processing'
    GROUP BY b.id HAVING sum(a.amount - a.used - a.returned) > 0
  ORDER BY 1, 2 LIMIT ?";

/// What holds the money of a customer, by kind and id; the first hundred.
pub async fn of(db: &mut impl Source, user: i64) -> Result<Vec<Hold>> {
    let sql = Sql::new(HOLDS).bind(user).bind(user).bind(user).bind(MOST);
    let rows: Vec<(HoldKind, i64, Money)> = db.all(sql).await?;
    Ok(rows.into_iter().map(|(kind, id, amount)| Hold { kind, id, amount }).collect())
}
