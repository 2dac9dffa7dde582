//! Undoes actions of staff on orders: the restored fields, the fields that must not have changed since, and the consequences.

use panel_contract::ids::{ExternalOrderId, OrderId};
use panel_contract::permission::Permission;
use panel_domain::orders;
use panel_kernel::error::Result;

use crate::operations::combo_orders;
use crate::operations::orders::bulk_action::BulkAction;
use crate::operations::orders::store::{self, OrderFacts, OrderTransition};
use crate::operations::orders::webhook_events;
use crate::stores::placement_attempts::ending;
use panel_platform::audit::restore::{Cell, Field, Role, Snapshot, Undoable, Undone};
use panel_platform::work::UnitOfWork;

/// The fields that an undo restores or checks. An action is final once money moved, a provider got or ended the order, or an
/// input of the dispatcher changed: the dispatcher processes an order again only if it has a reason.
pub static ORDERS: Undoable = Undoable {
    kind: "order",
    table: "orders",
    noun: "order",
    fields: &[
        Field::restored("status", "t.status", Cell::Text),
        Field::restored("approval", "t.approval", Cell::Text),
        // The dispatcher sets it; the inputs of its decision are guarded below.
        Field {
            name: "has_no_active_providers",
            sql: "t.has_no_active_providers",
            role: Role::Overwritten(Cell::Flag),
        },
        Field { name: "dispatch_at", sql: "t.dispatch_at", role: Role::Overwritten(Cell::Int) },
        // The dispatcher writes it when it decides which quantity to send.
        Field {
            name: "quantity_for_full_fill",
            sql: "t.quantity_for_full_fill",
            role: Role::Overwritten(Cell::Int),
        },
        Field::guard("is_paid", "t.is_paid"),
        // An order of a combo order that ended cannot be restored.
        Field::guard(
            "combo_ended",
            "(SELECT c.status IN ('completed', 'canceled') FROM combo_orders c WHERE c.id = t.combo_order_id)",
        ),
        Field::guard("cost", "t.cost"),
        Field::guard("refunded", "t.refunded"),
        Field::guard("refund_seq", "t.refund_seq"),
        Field::guard("is_delivered", "(t.current_quantity >= t.quantity)"),
        Field::guard("is_counted", "(COALESCE(t.external_statistics_quantity, 0) >= t.quantity)"),
        Field::guard(
            "has_active_providers",
            "(SELECT s.has_active_providers FROM services s WHERE s.id = t.service_id)",
        ),
        Field::guard(
            "sent",
            "(SELECT count(*) FROM external_panel_orders e WHERE e.order_id = t.id AND e.sent_at IS NOT NULL)",
        ),
        Field::guard(
            "ended",
            "(SELECT count(*) FROM external_panel_orders e WHERE e.order_id = t.id AND e.sent_at IS NOT NULL AND e.ended_at IS NOT NULL)",
        ),
        Field {
            name: "last_attempt",
            sql: "(SELECT COALESCE(max(e.id), 0) FROM external_panel_orders e WHERE e.order_id = t.id)",
            role: Role::Noted,
        },
    ],
};

/// Snapshot of the orders whose change can be undone.
pub(super) async fn snapshot(
    work: &mut UnitOfWork,
    bulk_action: &BulkAction,
    moves: &[OrderTransition],
) -> Result<Snapshot> {
    let can = |moved: &&OrderTransition| {
        bulk_action.is_undoable && orders::is_undoable(bulk_action.action, moved.facts.status)
    };
    let ids: Vec<OrderId> = moves.iter().filter(can).map(|moved| moved.facts.id).collect();
    Snapshot::before(work, &ORDERS, Permission::ManageOrders, &ids).await
}

/// Handles the consequences of restored orders: withdraws unsent attempts and publishes the change of status.
pub async fn follow(work: &mut UnitOfWork, undone: &[&Undone]) -> Result<()> {
    withdraw_unsent(work, undone).await?;
    let ids: Vec<OrderId> = undone.iter().map(|one| one.id.typed_as()).collect();
    let facts = store::lock(work, &ids).await?;
    let moves = facts.into_iter().filter_map(|facts| {
        let one = undone.iter().find(|one| one.id == facts.id.record())?;
        let status = |of: &panel_platform::audit::restore::State| of.get("status")?.as_str()?.parse().ok();
        Some(OrderTransition {
            status: facts.status,
            approval: facts.approval,
            facts: OrderFacts { status: status(&one.after)?, ..facts },
            charged: false,
            returned: Vec::new(),
        })
    });
    let moves: Vec<OrderTransition> = moves.collect();
    combo_orders::follow_restored(work, &ids).await?;
    webhook_events::publish_status_changes(work, &moves).await
}

/// Withdraws unsent attempts that the action created. The orders are locked, so no worker is sending them.
async fn withdraw_unsent(work: &mut UnitOfWork, undone: &[&Undone]) -> Result<()> {
    let last = |one: &Undone| {
        let last = one.after.get("last_attempt").and_then(serde_json::Value::as_i64);
        ExternalOrderId::new(last.unwrap_or(i64::MAX))
    };
    let was_not_in_processing =
        |one: &&&Undone| one.before.get("status").and_then(|status| status.as_str()) != Some("in_processing");
    let last: Vec<(OrderId, ExternalOrderId)> =
        undone.iter().filter(was_not_in_processing).map(|one| (one.id.typed_as(), last(one))).collect();
    if last.is_empty() {
        return Ok(());
    }
    let now = work.now;
    Ok(ending::withdraw_unsent_after(work, &last, now).await?)
}
