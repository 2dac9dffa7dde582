//! Changes the status of many orders in one statement. Each change names the status for which the rules were checked, because a
//! bulk action changes orders with different statuses.

use panel_contract::amount::Money;
use panel_contract::ids::OrderId;
use panel_contract::moment::Time;
use panel_contract::orders::{Approval, OrderStatus};
use panel_domain::states::orders::{OrderState, Orders};
use panel_platform::db::state::StoredStates;
use panel_platform::db::{DbResult, Sql, SqlExecutor};

pub const STATES: StoredStates<Orders> = {
    use OrderState::*;
    StoredStates {
        table: "orders",
        conditions: &[
            (&[Unpaid], "orders.status = 'unpaid'"),
            (&[InModeration], "orders.status = 'in_moderation'"),
            (&[InProcessing], "orders.status = 'in_processing'"),
            (
                &[Stopped],
                "orders.status = 'stopped' AND (orders.approval IS NULL OR orders.approval <> 'rejected')",
            ),
            (&[Rejected], "orders.status = 'stopped' AND orders.approval = 'rejected'"),
            (&[Completed], "orders.status = 'completed'"),
            (&[Canceled], "orders.status = 'canceled'"),
        ],
    }
};

/// The change of one order's status.
#[derive(Debug, Clone)]
pub struct OrderStatusChange {
    pub id: OrderId,
    /// The current status, for which the caller has checked the rules.
    pub from: OrderStatus,
    pub to: OrderStatus,
    /// State of the moderation after the change.
    pub approval: Option<Approval>,
    /// Whether the customer has paid for the order after the change.
    pub is_paid: bool,
    /// The amount that the customer gets back because of this change; `None` without a refund.
    pub refund: Option<Money>,
    /// Whether no provider can deliver the order after the change.
    pub is_without_provider: bool,
}

/// Writes the changes, with the reason and the description of a cancellation. Returns the number of changed orders: an order that
/// no longer has the status `from` is not changed. An order that enters processing is dispatched at once.
pub async fn write_transitions(
    db: &mut impl SqlExecutor,
    changes: &[OrderStatusChange],
    (cancel_reason, cancel_description): (Option<&str>, Option<&str>),
    now: Time,
) -> DbResult<u64> {
    let row = |change: &OrderStatusChange| {
        let time_if = |status: OrderStatus| (change.to == status).then_some(now);
        vec![
            change.id.into(),
            change.from.as_str().into(),
            change.to.as_str().into(),
            change.approval.map(Approval::as_str).into(),
            change.is_paid.into(),
            change.refund.unwrap_or(Money::ZERO).into(),
            i64::from(change.refund.is_some()).into(),
            change.is_without_provider.into(),
            time_if(OrderStatus::Completed).into(),
            time_if(OrderStatus::Canceled).into(),
            time_if(OrderStatus::InProcessing).into(),
        ]
    };
    let columns = [
        "id",
        "old_status",
        "status",
        "approval",
        "is_paid",
        "refund",
        "refund_count",
        "is_without_provider",
        "completed_at",
        "canceled_at",
        "dispatch_at",
    ];
    let sql = Sql::new(
        "UPDATE orders SET status = r.status, approval = r.approval, is_paid = r.is_paid, refunded = orders.refunded + r.refund,
           refund_seq = orders.refund_seq + r.refund_count, has_no_active_providers = r.is_without_provider, dispatch_at = r.dispatch_at,
           completed_at = COALESCE(r.completed_at, orders.completed_at), canceled_at = COALESCE(r.canceled_at, orders.canceled_at),
           cancel_reason = COALESCE(?, orders.cancel_reason), cancel_description = COALESCE(?, orders.cancel_description), updated_at = ?
         FROM ",
    );
    let sql = sql.bind(cancel_reason).bind(cancel_description).bind(now);
    let sql = sql.rows("r", &columns, changes.iter().map(row).collect());
    db.execute(sql.push(" WHERE orders.id = r.id AND orders.status = r.old_status")).await
}
