//! Ends of placement attempts other than by a status report: with their order, withdrawn before sending, delivered by hand, or
//! dismissed by staff. The caller has locked the orders.

use panel_contract::ids::{ExternalOrderId, OrderId};
use panel_contract::moment::Time;
use panel_contract::orders::ExternalStatus;
use panel_domain::states::placement_attempts::cancel::CancelProgress;
use panel_domain::states::placement_attempts::state::{AttemptEvent, AttemptState};
use panel_platform::db::state::{Transition, transition};
use panel_platform::db::{DbResult, Source, Sql};

use super::conditions::{CANCELS, STATES};

/// Withdraws unsent attempts: they end with nothing delivered, and no panel needs a cancel request.
const WITHDRAW: &str = "UPDATE external_panel_orders SET status = 'Canceled', remains = initial_quantity, cancel_requested_at = ?,
   cancel_answered_at = ?, ended_at = ?, due_at = NULL, updated_at = ? WHERE ";

/// Requests the cancellation of the attempts of these orders. Unsent attempts and deliveries by hand end at once; the
/// dispatcher sends the other requests to the panels.
pub async fn request_cancel(db: &mut impl Source, orders: &[OrderId], now: Time) -> DbResult<()> {
    let unsent = Sql::new(WITHDRAW).bind(now).bind(now).bind(now).bind(now).push("order_id IN ").ids(orders);
    db.exec(unsent.append(STATES.within(&[AttemptState::ByHand, AttemptState::Queued]))).await?;
    // Attempts that wait for a person keep waiting, and those being sent have no external id to cancel yet; the others are
    // polled next.
    let sql = Sql::new(
        "UPDATE external_panel_orders SET cancel_requested_at = ?, updated_at = ?,
           due_at = CASE WHEN due_at IS NULL OR external_order_id IS NULL THEN due_at ELSE CAST(? AS BIGINT) END
         WHERE order_id IN ",
    );
    let sql = sql.bind(now).bind(now).bind(now).ids(orders).append(CANCELS.within(&[CancelProgress::None]));
    db.exec(sql.append(STATES.leaving(AttemptEvent::RequestCancel))).await.map(drop)
}

/// Withdraws unsent attempts. `which` is a condition.
pub async fn withdraw_unsent(db: &mut impl Source, which: Sql, now: Time) -> DbResult<()> {
    let sql = Sql::new(WITHDRAW).bind(now).bind(now).bind(now).bind(now).append(which);
    db.exec(sql.append(STATES.leaving(AttemptEvent::WithdrawUnsent))).await.map(drop)
}

/// Withdraws the unsent attempts of each order that were inserted after the given attempt.
pub async fn withdraw_unsent_after(
    db: &mut impl Source,
    last: &[(OrderId, ExternalOrderId)],
    now: Time,
) -> DbResult<()> {
    let rows = last.iter().map(|(order, attempt)| vec![(*order).into(), (*attempt).into()]).collect();
    let which = Sql::new("id IN (SELECT a.id FROM ").rows("r", &["order_id", "last"], rows);
    let which = which.push(" JOIN external_panel_orders a ON a.order_id = r.order_id AND a.id > r.last)");
    withdraw_unsent(db, which, now).await
}

/// Completes deliveries by hand together with their orders.
pub async fn complete_by_hand(db: &mut impl Source, orders: &[OrderId], now: Time) -> DbResult<()> {
    let sql = Sql::new(
        "UPDATE external_panel_orders SET status = 'Completed', remains = 0, ended_at = ?, due_at = NULL, updated_at = ?
         WHERE order_id IN ",
    );
    let sql = sql.bind(now).bind(now).ids(orders);
    db.exec(sql.append(STATES.leaving(AttemptEvent::DeliverByHand))).await.map(drop)
}

/// Ends those attempts of finished orders that no worker would end. Attempts that a panel has accepted are polled to their own end.
pub async fn end_with_orders(db: &mut impl Source, orders: &[OrderId], now: Time) -> DbResult<()> {
    end(db, Sql::new("order_id IN ").ids(orders), now).await
}

/// Ends those of these attempts whose orders are finished, after the last try to reconcile them.
pub async fn end_of_finished_orders(
    db: &mut impl Source,
    ids: &[ExternalOrderId],
    now: Time,
) -> DbResult<()> {
    let over =
        "order_id IN (SELECT o.id FROM orders o WHERE o.status IN ('completed', 'canceled')) AND id IN ";
    end(db, Sql::new(over).ids(ids), now).await
}

async fn end(db: &mut impl Source, which: Sql, now: Time) -> DbResult<()> {
    let sql = Sql::new(
        "UPDATE external_panel_orders SET status = 'Canceled', remains = initial_quantity, ended_at = ?, due_at = NULL,
           cancel_requested_at = COALESCE(cancel_requested_at, ?), updated_at = ? WHERE ",
    );
    let sql = sql.bind(now).bind(now).bind(now).append(which);
    db.exec(sql.append(STATES.leaving(AttemptEvent::EndWithOrder))).await.map(drop)
}

/// A staff member confirmed that the panel does not have the order.
pub async fn dismiss(
    db: &mut impl Source,
    id: ExternalOrderId,
    error: &'static str,
    now: Time,
) -> DbResult<Transition> {
    let sql = Sql::new(
        "UPDATE external_panel_orders SET status = 'Canceled', ended_at = ?, due_at = NULL, alert_at = NULL, last_error = ?, updated_at = ?
         WHERE id = ?",
    );
    let sql = sql.bind(now).bind(error).bind(now).bind(id);
    transition(db, sql.append(STATES.leaving(AttemptEvent::Dismiss))).await
}

/// Clears the alert of an attempt that is known to have this status.
pub async fn clear_alert(
    db: &mut impl Source,
    id: ExternalOrderId,
    status: ExternalStatus,
    now: Time,
) -> DbResult<Transition> {
    let sql = Sql::new(
        "UPDATE external_panel_orders SET alert_at = NULL, updated_at = ? WHERE id = ? AND status = ?",
    );
    transition(db, sql.bind(now).bind(id).bind(status.as_str())).await
}
