//! Inserts new placement attempts. A worker sends them to the external panel of their provider; staff deliver them by hand if the
//! provider has no external panel.

use std::collections::HashMap;

use panel_contract::ids::{ExternalOrderId, OrderId, ProviderId};
use panel_contract::moment::Time;
use panel_platform::db::{DbResult, Sql, SqlExecutor, Val};

/// A placement attempt to insert.
#[derive(Debug, Clone)]
pub struct NewAttempt {
    /// The order that the attempt delivers, wholly or in part.
    pub order_id: OrderId,
    /// The provider determines the external panel and the service at this panel.
    pub provider_id: ProviderId,
    /// The quantity in the units of the external panel.
    pub initial_quantity: i64,
    /// The quantity in the units of the order; `None` if both units are the same.
    pub sold_quantity: Option<i64>,
    /// When a worker processes the attempt next.
    pub due_at: Option<Time>,
}

/// Inserts the attempts into `external_panel_orders`; returns the attempt id for each order id. An order has at most one
/// unfinished attempt without a requested cancellation: for a second one, the database returns a unique violation.
pub async fn insert(
    db: &mut impl SqlExecutor,
    attempts: &[NewAttempt],
    now: Time,
) -> DbResult<HashMap<OrderId, ExternalOrderId>> {
    if attempts.is_empty() {
        return Ok(HashMap::new());
    }
    let row = |attempt: &NewAttempt| -> Vec<Val> {
        vec![
            attempt.order_id.into(),
            attempt.provider_id.into(),
            attempt.initial_quantity.into(),
            attempt.sold_quantity.into(),
            attempt.due_at.into(),
        ]
    };
    let sql = Sql::new(
        "INSERT INTO external_panel_orders (order_id, provider_id, external_panel_id, external_panel_service_id, status, initial_quantity,
           sold_quantity, due_at, created_at, updated_at)
         SELECT r.order_id, p.id, p.external_panel_id, p.external_panel_service_id, 'Creating', r.initial_quantity, r.sold_quantity, r.due_at,
           CAST(? AS BIGINT), CAST(? AS BIGINT) FROM ",
    );
    let columns = ["order_id", "provider_id", "initial_quantity", "sold_quantity", "due_at"];
    let sql = sql.bind(now).bind(now).rows("r", &columns, attempts.iter().map(row).collect());
    let sql =
        sql.push(" JOIN providers p ON p.id = r.provider_id ORDER BY r.order_id RETURNING order_id, id");
    Ok(db.fetch_all::<(OrderId, ExternalOrderId)>(sql).await?.into_iter().collect())
}
