//! Stores how many delivered units completed orders lost again, and how many of these units were refilled. The caller decides which
//! counts are compared and whether a loss is refilled.

use panel_contract::ids::OrderId;
use panel_contract::moment::Time;
use panel_contract::orders::CountSource;
use panel_platform::db::{DbResult, Sql, SqlExecutor};

/// The counts of a completed order, and the loss that is computed from them.
#[derive(Debug, Clone, Copy)]
pub struct MeasuredLoss {
    pub id: OrderId,
    /// The first count, with which later counts are compared.
    pub first_count: i64,
    pub last_count: i64,
    pub lost_units: i64,
    /// Whether a new measurement begins with `first_count`.
    pub restarts_measurement: bool,
}

/// Records the measured losses of orders, which the caller has locked.
pub async fn record_losses(
    db: &mut impl SqlExecutor,
    losses: &[MeasuredLoss],
    source: CountSource,
    now: Time,
) -> DbResult<()> {
    if losses.is_empty() {
        return Ok(());
    }
    let row = |loss: &MeasuredLoss| {
        vec![
            loss.id.into(),
            loss.first_count.into(),
            loss.last_count.into(),
            loss.lost_units.into(),
            loss.restarts_measurement.into(),
        ]
    };
    let sql = Sql::new(
        "UPDATE orders SET refill_first_at = CASE WHEN r.restarts THEN CAST(? AS BIGINT) ELSE orders.refill_first_at END, refill_first_quantity = r.first,
           refill_last_at = ?, refill_last_quantity = r.last, refill_source = ?, drop_quantity = r.loss FROM ",
    );
    let sql = sql.bind(now).bind(now).bind(source.as_str());
    let columns = ["id", "first", "last", "loss", "restarts"];
    let sql = sql.rows("r", &columns, losses.iter().map(row).collect());
    db.execute(sql.push(" WHERE orders.id = r.id")).await.map(drop)
}

/// Records that a refill of `quantity` units was delivered.
pub async fn record_refill(db: &mut impl SqlExecutor, id: OrderId, quantity: i64) -> DbResult<()> {
    let sql = Sql::new(
        "UPDATE orders SET order_current_refilled_quantity = order_current_refilled_quantity + ?,
           drop_quantity = CASE WHEN drop_quantity > ? THEN drop_quantity - ? ELSE 0 END WHERE id = ?",
    );
    db.execute(sql.bind(quantity).bind(quantity).bind(quantity).bind(id)).await.map(drop)
}

/// Clears the quantity that staff set for the refill that was just requested. If staff set another quantity meanwhile, this
/// quantity stays for the next refill.
pub async fn clear_refill_quantity(
    db: &mut impl SqlExecutor,
    id: OrderId,
    requested_quantity: i64,
) -> DbResult<()> {
    let sql = Sql::new("UPDATE orders SET refill_quantity = NULL WHERE id = ? AND refill_quantity = ?");
    db.execute(sql.bind(id).bind(requested_quantity)).await.map(drop)
}
