//! Requests refills for orders with automatic refills: finds the orders that have lost enough of their delivered quantity, and
//! calculates the quantity to refill.

use std::time::Duration;

use panel_contract::ids::OrderId;
use panel_contract::moment::Time;
use panel_contract::orders::OrderStatus;
use panel_kernel::error::Result;
use serde_json::json;

use crate::app::App;
use crate::operations::orders::store;
use crate::stores::orders::losses::clear_refill_quantity;
use crate::stores::refills;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::scope::Scope;
use panel_platform::work::UnitOfWork;

/// Maximum number of orders per run. The next run finds the remaining orders, because the orders of this run then have an open
/// request.
const BATCH_SIZE: i64 = 1_000;

/// Requests refills for orders with automatic refills and returns the number of requests. A run every few minutes is enough.
pub async fn request_automatic_refills(app: &App) -> Result<usize> {
    let mut inserted_count = 0;
    for order in load_orders_with_loss(&mut &app.db, app.clock.now(), BATCH_SIZE).await? {
        let Some(quantity) = calculate_refill_quantity(&order, app.clock.now()) else { continue };
        let mut work = Scope::system(app, "auto-refill").begin().await?;
        let locked_order = store::lock(&mut work, &[order.id]).await?.pop();
        if locked_order.is_none_or(|order| order.status != OrderStatus::Completed) {
            continue;
        }
        if insert_request(&mut work, &order, quantity).await? {
            let new = json!({
                "quantity": quantity, "drop_quantity": order.drop_quantity,
                "first_count": order.first_count, "last_count": order.last_count,
            });
            let change = AuditChange { id: order.id.as_record_id(), old: json!({}), new };
            audit::record(&mut work, "order.refill_requested", "order", change).await?;
            inserted_count += 1;
        }
        work.finish(()).await?;
    }
    Ok(inserted_count)
}

// Rules

/// An order that has lost a part of its delivered quantity. The `_ppm` fields are fractions of its quantity in parts per million.
#[derive(Debug, Clone, sqlx::FromRow)]
struct OrderWithLoss {
    id: OrderId,
    quantity: i64,
    drop_quantity: i64,
    first_count: Option<i64>,
    last_count: Option<i64>,
    /// Quantity that staff set for the next refill; if it is 0, the `_ppm` fields determine the quantity.
    next_quantity: i64,
    refilled_quantity: i64,
    completed_at: Option<Time>,
    last_requested_at: Option<Time>,
    after_hours: Option<i64>,
    once_fill_ppm: Option<i64>,
    min_drop_ppm: Option<i64>,
    max_drop_ppm: Option<i64>,
    max_total_ppm: Option<i64>,
}

/// Returns the quantity to refill now; `None` if it is too early, or the loss is below the minimum or above the maximum.
fn calculate_refill_quantity(order: &OrderWithLoss, now: Time) -> Option<i64> {
    let fraction_of_quantity = |ppm: i64| {
        i64::try_from(i128::from(order.quantity) * i128::from(ppm) / 1_000_000).unwrap_or(i64::MAX)
    };
    let min_pause_hours = order.after_hours.unwrap_or(24).max(1);
    let min_pause = Duration::from_hours(u64::try_from(min_pause_hours).unwrap_or(1));
    let last_refill_at = order.last_requested_at.or(order.completed_at)?;
    let loss = order.drop_quantity;
    let is_within_bounds = now.since(last_refill_at) >= min_pause
        && loss >= fraction_of_quantity(order.min_drop_ppm.unwrap_or(0)).max(1)
        && order.max_drop_ppm.is_none_or(|max_ppm| loss <= fraction_of_quantity(max_ppm));
    let default_refill = order.once_fill_ppm.map_or(loss, fraction_of_quantity);
    let single_refill = if order.next_quantity > 0 { order.next_quantity } else { default_refill };
    let remaining_total =
        order.max_total_ppm.map_or(i64::MAX, |ppm| fraction_of_quantity(ppm) - order.refilled_quantity);
    let quantity = single_refill.min(loss).min(remaining_total);
    (is_within_bounds && quantity >= 1).then_some(quantity)
}

// Store

/// Inserts a refill request unless the order has an open one. The quantity that staff set applies to one request only, so it is
/// cleared. If staff have set another quantity in the meantime, that quantity stays for the next request.
async fn insert_request(work: &mut UnitOfWork, order: &OrderWithLoss, quantity: i64) -> Result<bool> {
    let now = work.now;
    if !refills::insert_unless_open(work, order.id, quantity, now).await? {
        return Ok(false);
    }
    clear_refill_quantity(work, order.id, order.next_quantity).await?;
    Ok(true)
}

/// Loads orders that have lost enough. The statement repeats the bounds of [`calculate_refill_quantity`], because otherwise orders
/// that do not qualify could fill every batch, and the others would never be loaded.
async fn load_orders_with_loss(
    db: &mut impl SqlExecutor,
    now: Time,
    limit: i64,
) -> Result<Vec<OrderWithLoss>> {
    let sql = Sql::new(
        "SELECT d.* FROM (SELECT o.id, o.quantity, o.drop_quantity, o.refill_first_quantity AS first_count, o.refill_last_quantity AS last_count, COALESCE(o.refill_quantity, 0) AS next_quantity,
           o.order_current_refilled_quantity AS refilled_quantity, o.completed_at,
           (SELECT max(r.created_at) FROM order_refill_requests r WHERE r.order_id = o.id) AS last_requested_at,
           s.auto_refill_after_hours AS after_hours, COALESCE(own.auto_refill_once_fill_ppm, s.auto_refill_once_fill_ppm) AS once_fill_ppm,
           COALESCE(own.auto_refill_min_drop_ppm, s.auto_refill_min_drop_ppm) AS min_drop_ppm,
           COALESCE(own.auto_refill_max_drop_ppm, s.auto_refill_max_drop_ppm) AS max_drop_ppm,
           COALESCE(own.auto_refill_max_total_refilled_ppm, s.auto_refill_max_total_refilled_ppm) AS max_total_ppm
         FROM orders o JOIN services s ON s.id = o.service_id LEFT JOIN user_services own ON own.service_id = o.service_id AND own.user_id = o.user_id
         WHERE o.auto_refill_is_allowed AND o.drop_quantity > 0 AND o.status = 'completed' AND o.has_refill
           AND NOT EXISTS (SELECT 1 FROM order_refill_requests r WHERE r.order_id = o.id AND r.status IN ('pending', 'sent'))) d
         WHERE COALESCE(d.last_requested_at, d.completed_at)
             + CASE WHEN COALESCE(d.after_hours, 24) < 1 THEN 1 ELSE COALESCE(d.after_hours, 24) END * 3600000000 <= ?
           AND d.drop_quantity >= d.quantity * COALESCE(d.min_drop_ppm, 0) / 1000000
           AND (d.max_drop_ppm IS NULL OR d.drop_quantity <= d.quantity * d.max_drop_ppm / 1000000)
           AND (d.next_quantity > 0 OR d.once_fill_ppm IS NULL OR d.quantity * d.once_fill_ppm / 1000000 >= 1)
           AND (d.max_total_ppm IS NULL OR d.quantity * d.max_total_ppm / 1000000 > d.refilled_quantity)
         ORDER BY d.id LIMIT ?",
    );
    Ok(db.fetch_all(sql.bind(now).bind(limit)).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_MICROS: i64 = 3_600_000_000;

    fn order_with_loss() -> OrderWithLoss {
        OrderWithLoss {
            id: OrderId::new(1),
            quantity: 1_000,
            drop_quantity: 100,
            first_count: None,
            last_count: None,
            next_quantity: 0,
            refilled_quantity: 0,
            completed_at: Some(Time(0)),
            last_requested_at: None,
            after_hours: Some(24),
            once_fill_ppm: Some(50_000),
            min_drop_ppm: Some(50_000),
            max_drop_ppm: Some(300_000),
            max_total_ppm: Some(200_000),
        }
    }

    #[test]
    fn the_refill_quantity_stays_within_its_bounds() {
        let quantity_after =
            |hours: i64, order: OrderWithLoss| calculate_refill_quantity(&order, Time(hours * HOUR_MICROS));
        assert_eq!(
            quantity_after(23, order_with_loss()),
            None,
            "before the pause ends, no refill must be requested"
        );
        assert_eq!(
            quantity_after(24, order_with_loss()),
            Some(50),
            "one refill must restore 5 % of the quantity"
        );
        assert_eq!(
            quantity_after(24, OrderWithLoss { drop_quantity: 49, ..order_with_loss() }),
            None,
            "a loss below the minimum must not be refilled"
        );
        assert_eq!(
            quantity_after(24, OrderWithLoss { drop_quantity: 301, ..order_with_loss() }),
            None,
            "a loss above the maximum must not be refilled"
        );
        assert_eq!(
            quantity_after(24, OrderWithLoss { refilled_quantity: 170, ..order_with_loss() }),
            Some(30),
            "the quantity must stay within the total limit"
        );
        assert_eq!(quantity_after(24, OrderWithLoss { refilled_quantity: 200, ..order_with_loss() }), None);
        assert_eq!(
            quantity_after(
                30,
                OrderWithLoss { last_requested_at: Some(Time(10 * HOUR_MICROS)), ..order_with_loss() }
            ),
            None,
            "soon after the last request, no refill must be requested"
        );
        let with_next_quantity = |next_quantity| OrderWithLoss { next_quantity, ..order_with_loss() };
        assert_eq!(
            (quantity_after(24, with_next_quantity(70)), quantity_after(24, with_next_quantity(500))),
            (Some(70), Some(100)),
            "the quantity that staff set must apply, but at most the loss"
        );
        let without_limits = OrderWithLoss {
            once_fill_ppm: None,
            min_drop_ppm: None,
            max_drop_ppm: None,
            max_total_ppm: None,
            ..order_with_loss()
        };
        assert_eq!(quantity_after(24, without_limits), Some(100));
    }
}
