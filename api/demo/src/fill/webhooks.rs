//! Webhooks with a delivery log. All webhooks are inactive, because a demo must not send requests to other servers.

use super::plan::{DAY_MICROS, DemoPlan, HOUR_MICROS};
use panel_platform::db::{DbResult, Sql, SqlExecutor, Tx};
use panel_platform::sql;

const INSERT_WEBHOOKS: &str = "INSERT INTO webhooks (id, url, types, is_active, auto_disabled, failing_since, last_delivered_at, created_at, updated_at)
  SELECT 1, 'https://hooks.shop.example/panel', '[\"order.created\",\"order.completed\",\"order.canceled\"]', FALSE, 'failed', t.now - 6 * t.day, t.now - 6 * t.day - t.hour,
    t.now - 40 * t.day, t.now - t.day FROM (SELECT CAST(@now AS BIGINT) AS now, CAST(@day AS BIGINT) AS day, CAST(@hour AS BIGINT) AS hour) t
  UNION ALL SELECT 2, 'https://books.example/incoming/payments', '[\"payment.created\",\"withdrawal.status_changed\"]', FALSE, NULL, NULL, NULL, CAST(@created_at AS BIGINT), CAST(@created_at AS BIGINT)";

/// One event for each of the 60 newest orders. Binds: time between the event and the last change of the order, in microseconds.
const INSERT_EVENTS: &str = "INSERT INTO webhook_events (id, message_id, type, body, created_at)
  SELECT row_number() OVER (ORDER BY o.id), 'msg_demo' || o.id, CASE o.status WHEN 'completed' THEN 'order.completed' WHEN 'canceled' THEN 'order.canceled' ELSE 'order.created' END,
    '{\"data\":{\"id\":' || o.id || ',\"status\":\"' || o.status || '\",\"quantity\":' || o.quantity || '},\"type\":\"' ||
      CASE o.status WHEN 'completed' THEN 'order.completed' WHEN 'canceled' THEN 'order.canceled' ELSE 'order.created' END || '\"}', o.updated_at - CAST(? AS BIGINT)
  FROM (SELECT id, status, quantity, updated_at FROM orders ORDER BY id DESC LIMIT 60) o";

/// One delivery per event: the first 40 succeeded, the others failed.
const INSERT_DELIVERIES: &str = "INSERT INTO webhook_deliveries (id, webhook_id, event_id, status, attempts, response_status, error, log, attempted_at, created_at)
  SELECT e.id, 1, e.id, CASE WHEN e.id < 41 THEN 'delivered' ELSE 'failed' END, CASE WHEN e.id < 41 THEN 1 ELSE 10 END, CASE WHEN e.id < 41 THEN 200 ELSE 503 END,
    CASE WHEN e.id < 41 THEN NULL ELSE 'The receiver responded with 503.' END,
    CASE WHEN e.id < 41 THEN '[]' ELSE '[{\"at\":\"2026-11-01 10:00:00\",\"url\":\"https://hooks.shop.example/panel\",\"status\":503,\"response_body\":\"Service Unavailable\",\"error\":\"The receiver responded with 503.\",\"took_ms\":184}]' END,
    e.created_at, e.created_at FROM webhook_events e";

pub(crate) async fn fill(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    let created_at = plan.now - 9 * DAY_MICROS;
    tx.execute(sql!(INSERT_WEBHOOKS, { now: plan.now, day: DAY_MICROS, hour: HOUR_MICROS, created_at }))
        .await?;
    tx.execute(Sql::new(INSERT_EVENTS).bind(DAY_MICROS)).await?;
    tx.execute(Sql::new(INSERT_DELIVERIES)).await?;
    Ok(())
}
