//! Cancel requests for the newest orders: some wait for staff, some for the external panel, and others are decided.

use super::plan::{DemoPlan, HOUR_MICROS};
use panel_platform::db::{DbResult, Sql, SqlExecutor as _, Tx};
use panel_platform::sql;

/// Requests for orders at an external panel: the panel rejected one third, did not respond to one third for a day, and acknowledged
/// the others.
const INSERT_OPEN_REQUESTS: &str = "INSERT INTO order_cancel_requests (order_id, status, cause, external_panel_order_id, provider_response, due_at, created_at, sent_at, acknowledged_at, deadline_at,
    escalated_at)
  SELECT r.id, 'sent', CASE r.kind WHEN 0 THEN 'provider_rejected' WHEN 1 THEN 'no_answer' END, r.external_panel_order_id,
    CASE r.kind WHEN 0 THEN 'Order cannot be canceled' WHEN 1 THEN 'The panel cannot be reached.' END,
    CASE r.kind WHEN 2 THEN CAST(@now AS BIGINT) + (24 - r.age) * CAST(@hour AS BIGINT) END, CAST(@now AS BIGINT) - r.age * CAST(@hour AS BIGINT),
    CAST(@now AS BIGINT) - r.age * CAST(@hour AS BIGINT) + 60000000, CASE r.kind WHEN 2 THEN CAST(@now AS BIGINT) - (r.age - 1) * CAST(@hour AS BIGINT) END,
    CAST(@now AS BIGINT) + (24 - r.age) * CAST(@hour AS BIGINT), CASE WHEN r.kind < 2 THEN CAST(@now AS BIGINT) - CAST(@hour AS BIGINT) END
  FROM (SELECT o.id, o.id % 3 AS kind, CASE o.id % 3 WHEN 1 THEN 25 ELSE 4 END AS age, max(e.id) AS external_panel_order_id
    FROM orders o JOIN external_panel_orders e ON e.order_id = o.id AND e.status = 'In progress' AND e.external_order_id IS NOT NULL
    WHERE o.id > @above AND o.status = 'in_processing' AND o.id % 23 = 4 GROUP BY o.id ORDER BY o.id DESC LIMIT 30) r ORDER BY r.id";

/// Confirmed requests: each order was canceled and refunded at once, and has no other refund. Binds: an hour twice, the id above which
/// orders have details.
const INSERT_CONFIRMED_REQUESTS: &str = "INSERT INTO order_cancel_requests (order_id, status, refunded, created_at, deadline_at, decided_at)
  SELECT o.id, 'confirmed', o.refunded, o.canceled_at - CAST(? AS BIGINT), o.canceled_at + 23 * CAST(? AS BIGINT), o.canceled_at
  FROM orders o WHERE o.id > ? AND o.status = 'canceled' AND o.cancel_reason = 'customer_request' AND o.refund_seq < 2 AND o.id % 4 = 1 ORDER BY o.id";

/// Requests that expired, because the external panel completed the order nevertheless. Binds: an hour twice, the id above which
/// orders have details.
const INSERT_EXPIRED_REQUESTS: &str = "INSERT INTO order_cancel_requests (order_id, status, created_at, deadline_at, decided_at)
  SELECT o.id, 'expired', o.completed_at - CAST(? AS BIGINT), o.completed_at + 23 * CAST(? AS BIGINT), o.completed_at
  FROM orders o WHERE o.id > ? AND o.status = 'completed' AND o.id % 401 = 7 ORDER BY o.id";

pub(crate) async fn fill(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    for statement in [INSERT_CONFIRMED_REQUESTS, INSERT_EXPIRED_REQUESTS] {
        tx.execute(
            Sql::new(statement)
                .bind(HOUR_MICROS)
                .bind(HOUR_MICROS)
                .bind(plan.last_order_id_without_details()),
        )
        .await?;
    }
    tx.execute(
        sql!(INSERT_OPEN_REQUESTS, { now: plan.now, hour: HOUR_MICROS, above: plan.last_order_id_without_details() }),
    )
    .await?;
    Ok(())
}
