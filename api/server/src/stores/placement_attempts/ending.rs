//! Statements that end a placement attempt without a status report of the panel: because its order ended, because it was withdrawn
//! before it was sent, because staff delivered it by hand, or because staff dismissed it. The caller has locked the orders.

use panel_contract::ids::{ExternalOrderId, OrderId};
use panel_contract::moment::Time;
use panel_contract::orders::ExternalStatus;
use panel_domain::states::placement_attempts::cancel::CancelProgress;
use panel_domain::states::placement_attempts::state::{AttemptEvent, AttemptState};
use panel_platform::db::state::{Transition, transition};
use panel_platform::db::{DbResult, Sql, SqlExecutor};

use super::conditions::{CANCEL_STATES, STATES};

/// UPDATE that withdraws unsent attempts: they end with no delivered units, and no panel needs a cancel request. Binds the current
/// time four times.
const WITHDRAW_SQL: &str = "UPDATE external_panel_orders SET status = 'Canceled', remains = initial_quantity, cancel_requested_at = ?,
   cancel_answered_at = ?, ended_at = ?, due_at = NULL, updated_at = ? WHERE ";

/// Requests the cancellation of the attempts of these orders. Unsent attempts and deliveries by hand end at once; the
/// dispatcher sends the other requests to the panels.
pub async fn request_cancel(db: &mut impl SqlExecutor, orders: &[OrderId], now: Time) -> DbResult<()> {
    let withdraw_sql =
        Sql::new(WITHDRAW_SQL).bind(now).bind(now).bind(now).bind(now).push("order_id IN ").ids(orders);
    db.execute(withdraw_sql.append(STATES.condition_in(&[AttemptState::ByHand, AttemptState::Queued])))
        .await?;
    // The worker polls the attempts at once. Exceptions: attempts that wait for staff, and attempts that are being sent, because
    // they have no external id yet.
    let sql = Sql::new(
        "UPDATE external_panel_orders SET cancel_requested_at = ?, updated_at = ?,
           due_at = CASE WHEN due_at IS NULL OR external_order_id IS NULL THEN due_at ELSE CAST(? AS BIGINT) END
         WHERE order_id IN ",
    );
    let sql = sql
        .bind(now)
        .bind(now)
        .bind(now)
        .ids(orders)
        .append(CANCEL_STATES.condition_in(&[CancelProgress::None]));
    db.execute(sql.append(STATES.condition_for(AttemptEvent::RequestCancel))).await.map(drop)
}

/// Withdraws the unsent attempts that match the SQL condition.
pub async fn withdraw_unsent(db: &mut impl SqlExecutor, condition: Sql, now: Time) -> DbResult<()> {
    let sql = Sql::new(WITHDRAW_SQL).bind(now).bind(now).bind(now).bind(now).append(condition);
    db.execute(sql.append(STATES.condition_for(AttemptEvent::WithdrawUnsent))).await.map(drop)
}

/// Withdraws the unsent attempts of each order that were inserted after the attempt in `last_attempts`.
pub async fn withdraw_unsent_after(
    db: &mut impl SqlExecutor,
    last_attempts: &[(OrderId, ExternalOrderId)],
    now: Time,
) -> DbResult<()> {
    let rows =
        last_attempts.iter().map(|(order, attempt)| vec![(*order).into(), (*attempt).into()]).collect();
    let condition = Sql::new("id IN (SELECT a.id FROM ").rows("r", &["order_id", "last_attempt"], rows);
    let condition =
        condition.push(" JOIN external_panel_orders a ON a.order_id = r.order_id AND a.id > r.last_attempt)");
    withdraw_unsent(db, condition, now).await
}

/// Completes deliveries by hand together with their orders.
pub async fn complete_by_hand(db: &mut impl SqlExecutor, orders: &[OrderId], now: Time) -> DbResult<()> {
    let sql = Sql::new(
        "UPDATE external_panel_orders SET status = 'Completed', remains = 0, ended_at = ?, due_at = NULL, updated_at = ?
         WHERE order_id IN ",
    );
    let sql = sql.bind(now).bind(now).ids(orders);
    db.execute(sql.append(STATES.condition_for(AttemptEvent::DeliverByHand))).await.map(drop)
}

/// Ends the attempts of finished orders that are not polled. Attempts that a panel has accepted are polled until the panel ends
/// them.
pub async fn end_with_orders(db: &mut impl SqlExecutor, orders: &[OrderId], now: Time) -> DbResult<()> {
    end_attempts(db, Sql::new("order_id IN ").ids(orders), now).await
}

/// Ends the attempts in `ids` whose order is finished. Called after the last reconciliation of these attempts.
pub async fn end_unreconciled(db: &mut impl SqlExecutor, ids: &[ExternalOrderId], now: Time) -> DbResult<()> {
    let finished_condition =
        "order_id IN (SELECT o.id FROM orders o WHERE o.status IN ('completed', 'canceled')) AND id IN ";
    end_attempts(db, Sql::new(finished_condition).ids(ids), now).await
}

async fn end_attempts(db: &mut impl SqlExecutor, condition: Sql, now: Time) -> DbResult<()> {
    let sql = Sql::new(
        "UPDATE external_panel_orders SET status = 'Canceled', remains = initial_quantity, ended_at = ?, due_at = NULL,
           cancel_requested_at = COALESCE(cancel_requested_at, ?), updated_at = ? WHERE ",
    );
    let sql = sql.bind(now).bind(now).bind(now).append(condition);
    db.execute(sql.append(STATES.condition_for(AttemptEvent::EndWithOrder))).await.map(drop)
}

/// Ends an attempt after a staff member confirmed that the panel does not have the order.
pub async fn dismiss(
    db: &mut impl SqlExecutor,
    id: ExternalOrderId,
    error: &'static str,
    now: Time,
) -> DbResult<Transition> {
    let sql = Sql::new(
        "UPDATE external_panel_orders SET status = 'Canceled', ended_at = ?, due_at = NULL, alert_at = NULL, last_error = ?, updated_at = ?
         WHERE id = ?",
    );
    let sql = sql.bind(now).bind(error).bind(now).bind(id);
    transition(db, sql.append(STATES.condition_for(AttemptEvent::Dismiss))).await
}

/// Clears the alert of an attempt if it still has `status`.
pub async fn clear_alert(
    db: &mut impl SqlExecutor,
    id: ExternalOrderId,
    status: ExternalStatus,
    now: Time,
) -> DbResult<Transition> {
    let sql = Sql::new(
        "UPDATE external_panel_orders SET alert_at = NULL, updated_at = ? WHERE id = ? AND status = ?",
    );
    transition(db, sql.bind(now).bind(id).bind(status.as_str())).await
}
