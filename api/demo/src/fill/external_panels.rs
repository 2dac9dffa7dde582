//! The state of the demo's external panels, and payments to them.

use super::plan::{DAY_MICROS, DemoPlan, HOUR_MICROS};
use panel_platform::db::{DbResult, Sql, SqlExecutor, Tx};

/// Binds four times: when the balance was fetched, when the failing panel last responded, when the other panels last responded, and
/// when automatic imports started.
const UPDATE_PANELS: &str = "UPDATE external_panels SET balance_at = CAST(? AS BIGINT), last_ok_at = CASE WHEN id = 3 THEN CAST(? AS BIGINT) ELSE CAST(? AS BIGINT) END,
  last_error = CASE WHEN id = 3 THEN 'Invalid API key' END, low_balance = CASE WHEN id = 1 THEN 200000000 WHEN id % 2 = 0 THEN 50000000 END,
  currency = CASE WHEN id = 4 THEN 'EUR' ELSE 'USD' END, sync_prices = TRUE, sync_name = id % 2 = 0, sync_service_details = id % 2 = 0,
  resale_margin_ppm = CASE WHEN id % 2 = 0 THEN 300000 END, auto_recreate_orders_is_allowed = id = 1,
  type = CASE WHEN id = 2 THEN 'socpanel' ELSE 'perfect_panel' END, sync_services = id = 2,
  sync_services_at = CASE WHEN id = 2 THEN CAST(? AS BIGINT) END, sync_packages = id = 2";

/// Nine payments to each external panel, 30 days apart. Binds: the day of the newest payment, a day in microseconds, and the
/// creation time twice.
const INSERT_PAYMENTS: &str = "INSERT INTO external_panel_payments (id, external_panel_id, date, amount, fee, payment_method_commission, bonus, created_at, updated_at)
  SELECT e.id * 10 + n.i, e.id, CAST(? AS BIGINT) - (9 - n.i) * 30 * CAST(? AS BIGINT), (100 + (e.id * 7 + n.i * 13) % 9 * 50) * 1000000, n.i % 3 * 1500000,
    CASE WHEN n.i % 2 = 0 THEN 2500000 ELSE 0 END, CASE WHEN n.i % 4 = 0 THEN 5000000 ELSE 0 END, CAST(? AS BIGINT), CAST(? AS BIGINT)
  FROM external_panels e CROSS JOIN (SELECT 1 AS i UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7
    UNION ALL SELECT 8 UNION ALL SELECT 9) n";

pub(crate) async fn fill(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    tx.execute(
        Sql::new(UPDATE_PANELS)
            .bind(plan.now)
            .bind(plan.now - 2 * DAY_MICROS - 3 * HOUR_MICROS)
            .bind(plan.now)
            .bind(plan.now),
    )
    .await?;
    let today = plan.now / DAY_MICROS * DAY_MICROS;
    tx.execute(
        Sql::new(INSERT_PAYMENTS).bind(today - 3 * DAY_MICROS).bind(DAY_MICROS).bind(plan.now).bind(plan.now),
    )
    .await?;
    Ok(())
}
