//! Transitions of orders between states, many in one statement. Each names the status that the rules were checked against,
//! because a bulk action moves orders of several states at once.

use panel_contract::amount::Money;
use panel_contract::ids::OrderId;
use panel_contract::moment::Time;
use panel_contract::orders::{Approval, OrderStatus};
use panel_domain::states::orders::{OrderState, Orders};
use panel_platform::db::state::StoredStates;
use panel_platform::db::{DbResult, Source, Sql};

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

/// The transition of one order.
#[derive(Debug, Clone)]
pub struct OrderMove {
    pub id: OrderId,
    /// The status that the rules were checked against.
    pub from: OrderStatus,
    pub to: OrderStatus,
    /// State of its moderation afterwards.
    pub approval: Option<Approval>,
    /// Whether its customer has been charged afterwards.
    pub is_paid: bool,
    /// Refund that is part of this transition, if any.
    pub returned: Option<Money>,
    /// Whether no provider can deliver it afterwards.
    pub is_without_provider: bool,
}

/// Writes the transitions, with the reason and the description of a cancellation. Returns how many orders still had the status
/// that the rules were checked against. An order that enters processing is dispatched at once.
pub async fn write(
    db: &mut impl Source,
    moves: &[OrderMove],
    (reason, description): (Option<&str>, Option<&str>),
    now: Time,
) -> DbResult<u64> {
    let row = |one: &OrderMove| {
        let is = |end: OrderStatus| (one.to == end).then_some(now);
        vec![
            one.id.into(),
            one.from.as_str().into(),
            one.to.as_str().into(),
            one.approval.map(Approval::as_str).into(),
            one.is_paid.into(),
            one.returned.unwrap_or(Money::ZERO).into(),
            i64::from(one.returned.is_some()).into(),
            one.is_without_provider.into(),
            is(OrderStatus::Completed).into(),
            is(OrderStatus::Canceled).into(),
            is(OrderStatus::InProcessing).into(),
        ]
    };
    let columns = [
        "id",
        "was",
        "status",
        "approval",
        "is_paid",
        "returned",
        "seq",
        "stuck",
        "completed_at",
        "canceled_at",
        "dispatch_at",
    ];
    let sql = Sql::new(
        "UPDATE orders SET status = r.status, approval = r.approval, is_paid = r.is_paid, refunded = orders.refunded + r.returned,
           refund_seq = orders.refund_seq + r.seq, has_no_active_providers = r.stuck, dispatch_at = r.dispatch_at,
           completed_at = COALESCE(r.completed_at, orders.completed_at), canceled_at = COALESCE(r.canceled_at, orders.canceled_at),
           cancel_reason = COALESCE(?, orders.cancel_reason), cancel_description = COALESCE(?, orders.cancel_description), updated_at = ?
         FROM ",
    );
    let sql = sql.bind(reason).bind(description).bind(now);
    let sql = sql.rows("r", &columns, moves.iter().map(row).collect());
    db.exec(sql.push(" WHERE orders.id = r.id AND orders.status = r.was")).await
}
