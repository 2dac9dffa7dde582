//! Undoes actions of staff on orders. Declares the fields that an undo restores and the fields that must not have changed since the
//! action, and handles the consequences of an undo.

use panel_contract::ids::{ExternalOrderId, OrderId};
use panel_contract::permission::Permission;
use panel_domain::orders;
use panel_kernel::error::Result;

use crate::operations::combo_orders;
use crate::operations::orders::bulk_action::BulkAction;
use crate::operations::orders::store::{self, OrderFacts, OrderTransition};
use crate::operations::orders::webhook_events;
use crate::stores::placement_attempts::ending;
use panel_platform::audit::restore::{
    FieldType, Snapshot, UndoField, UndoRole, UndoableChange, UndoableKind,
};
use panel_platform::work::UnitOfWork;

/// The fields that an undo restores or checks. An action can no longer be undone if money was charged or refunded, if an external
/// panel received or ended the order, or if an input of the dispatcher changed: the dispatcher processes an order again only if one of
/// its inputs changes.
pub static ORDERS: UndoableKind = UndoableKind {
    kind: "order",
    table: "orders",
    noun: "order",
    fields: &[
        UndoField::restored("status", "t.status", FieldType::Text),
        UndoField::restored("approval", "t.approval", FieldType::Text),
        // The dispatcher sets this flag. The fields below check the inputs of its decision.
        UndoField {
            name: "has_no_active_providers",
            sql: "t.has_no_active_providers",
            role: UndoRole::Overwritten(FieldType::Flag),
        },
        UndoField { name: "dispatch_at", sql: "t.dispatch_at", role: UndoRole::Overwritten(FieldType::Int) },
        // The dispatcher writes this column when it decides which quantity to send.
        UndoField {
            name: "quantity_for_full_fill",
            sql: "t.quantity_for_full_fill",
            role: UndoRole::Overwritten(FieldType::Int),
        },
        UndoField::guard("is_paid", "t.is_paid"),
        // An order cannot be restored if its combo order has ended.
        UndoField::guard(
            "combo_ended",
            "(SELECT c.status IN ('completed', 'canceled') FROM combo_orders c WHERE c.id = t.combo_order_id)",
        ),
        UndoField::guard("cost", "t.cost"),
        UndoField::guard("refunded", "t.refunded"),
        UndoField::guard("refund_seq", "t.refund_seq"),
        UndoField::guard("is_delivered", "(t.current_quantity >= t.quantity)"),
        UndoField::guard("is_counted", "(COALESCE(t.external_statistics_quantity, 0) >= t.quantity)"),
        UndoField::guard(
            "has_active_providers",
            "(SELECT s.has_active_providers FROM services s WHERE s.id = t.service_id)",
        ),
        UndoField::guard(
            "sent",
            "(SELECT count(*) FROM external_panel_orders e WHERE e.order_id = t.id AND e.sent_at IS NOT NULL)",
        ),
        UndoField::guard(
            "ended",
            "(SELECT count(*) FROM external_panel_orders e WHERE e.order_id = t.id AND e.sent_at IS NOT NULL AND e.ended_at IS NOT NULL)",
        ),
        UndoField {
            name: "last_attempt",
            sql: "(SELECT COALESCE(max(e.id), 0) FROM external_panel_orders e WHERE e.order_id = t.id)",
            role: UndoRole::RecordedOnly,
        },
    ],
};

/// Takes a snapshot of the orders whose change can be undone.
pub(super) async fn take_snapshot(
    work: &mut UnitOfWork,
    bulk_action: &BulkAction,
    transitions: &[OrderTransition],
) -> Result<Snapshot> {
    let is_undoable = |transition: &&OrderTransition| {
        bulk_action.is_undoable && orders::is_undoable(bulk_action.action, transition.order.status)
    };
    let ids: Vec<OrderId> =
        transitions.iter().filter(is_undoable).map(|transition| transition.order.id).collect();
    Snapshot::take_before(work, &ORDERS, Permission::ManageOrders, &ids).await
}

/// Handles the consequences of restored orders: withdraws unsent attempts and publishes the change of status.
pub async fn apply_consequences(work: &mut UnitOfWork, undone_changes: &[&UndoableChange]) -> Result<()> {
    withdraw_unsent(work, undone_changes).await?;
    let ids: Vec<OrderId> = undone_changes.iter().map(|change| change.id.typed_as()).collect();
    let restored_orders = store::lock(work, &ids).await?;
    let transitions = restored_orders.into_iter().filter_map(|order| {
        let change = undone_changes.iter().find(|change| change.id == order.id.as_record_id())?;
        let status_before_undo = change.after.get("status")?.as_str()?.parse().ok()?;
        Some(OrderTransition {
            status: order.status,
            approval: order.approval,
            order: OrderFacts { status: status_before_undo, ..order },
            is_charged: false,
            refunds: Vec::new(),
        })
    });
    let transitions: Vec<OrderTransition> = transitions.collect();
    combo_orders::update_from_restored_orders(work, &ids).await?;
    webhook_events::publish_status_changes(work, &transitions).await
}

/// Withdraws unsent attempts that the action created. The orders are locked, so no worker is sending them.
async fn withdraw_unsent(work: &mut UnitOfWork, undone_changes: &[&UndoableChange]) -> Result<()> {
    let last_attempt_id = |change: &UndoableChange| {
        let id = change.after.get("last_attempt").and_then(serde_json::Value::as_i64);
        ExternalOrderId::new(id.unwrap_or(i64::MAX))
    };
    let was_not_in_processing = |change: &&&UndoableChange| {
        change.before.get("status").and_then(|status| status.as_str()) != Some("in_processing")
    };
    let last_attempts: Vec<(OrderId, ExternalOrderId)> = undone_changes
        .iter()
        .filter(was_not_in_processing)
        .map(|change| (change.id.typed_as(), last_attempt_id(change)))
        .collect();
    if last_attempts.is_empty() {
        return Ok(());
    }
    let now = work.now;
    Ok(ending::withdraw_unsent_after(work, &last_attempts, now).await?)
}
