//! Undoing what staff did to orders: what of an order is restored, what must not have moved meanwhile, and what follows.

use panel_contract::ids::{ExternalOrderId, OrderId};
use panel_contract::permission::Permission;
use panel_domain::orders;
use panel_kernel::error::Result;

use crate::operations::combo_orders;
use crate::operations::orders::bulk_action::BulkAction;
use crate::operations::orders::store::{self, Facts, Moved};
use crate::operations::orders::tell;
use crate::stores::placement_attempts::ending;
use panel_platform::audit::restore::{Cell, Field, Role, Snapshot, Undoable, Undone};
use panel_platform::work::Work;

/// What undoing restores of an order. It is final once money moved, a provider was sent it, a provider ended it, or what
/// the dispatcher judges by changed: the dispatcher looks at an order again only where it has a reason.
pub static ORDERS: Undoable = Undoable {
    kind: "order",
    table: "orders",
    noun: "order",
    fields: &[
        Field::restored("status", "t.status", Cell::Text),
        Field::restored("approval", "t.approval", Cell::Text),
        // The dispatcher sets it by itself; what it judges by is guarded below.
        Field {
            name: "has_no_active_providers",
            sql: "t.has_no_active_providers",
            role: Role::Overwritten(Cell::Flag),
        },
        Field { name: "dispatch_at", sql: "t.dispatch_at", role: Role::Overwritten(Cell::Int) },
        // The dispatcher writes it as it decides how much goes out.
        Field {
            name: "quantity_for_full_fill",
            sql: "t.quantity_for_full_fill",
            role: Role::Overwritten(Cell::Int),
        },
        Field::guard("is_paid", "t.is_paid"),
        // A combo order that ended takes no order back.
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

/// The state of those orders whose move can be undone.
pub(super) async fn before(work: &mut Work, wanted: &BulkAction, moves: &[Moved]) -> Result<Snapshot> {
    let can = |moved: &&Moved| wanted.is_undoable && orders::is_undoable(wanted.action, moved.facts.status);
    let ids: Vec<OrderId> = moves.iter().filter(can).map(|moved| moved.facts.id).collect();
    Snapshot::before(work, &ORDERS, Permission::ManageOrders, &ids).await
}

/// What follows from restored orders: what the action would have sent is not sent, and webhooks hear of the status.
pub async fn follow(work: &mut Work, undone: &[&Undone]) -> Result<()> {
    take_back(work, undone).await?;
    let ids: Vec<OrderId> = undone.iter().map(|one| one.id.known_as()).collect();
    let facts = store::lock(work, &ids).await?;
    let moves = facts.into_iter().filter_map(|facts| {
        let one = undone.iter().find(|one| one.id == facts.id.record())?;
        let status = |of: &panel_platform::audit::restore::State| of.get("status")?.as_str()?.parse().ok();
        Some(Moved {
            status: facts.status,
            approval: facts.approval,
            facts: Facts { status: status(&one.after)?, ..facts },
            charged: false,
            returned: Vec::new(),
        })
    });
    let moves: Vec<Moved> = moves.collect();
    combo_orders::follow_restored(work, &ids).await?;
    tell::moved(work, &moves).await
}

/// Ends unsent attempts that came of the action. The orders are locked, so no worker is sending them.
async fn take_back(work: &mut Work, undone: &[&Undone]) -> Result<()> {
    let last = |one: &Undone| {
        let last = one.after.get("last_attempt").and_then(serde_json::Value::as_i64);
        ExternalOrderId::new(last.unwrap_or(i64::MAX))
    };
    let stands =
        |one: &&&Undone| one.before.get("status").and_then(|status| status.as_str()) != Some("in_processing");
    let last: Vec<(OrderId, ExternalOrderId)> =
        undone.iter().filter(stands).map(|one| (one.id.known_as(), last(one))).collect();
    if last.is_empty() {
        return Ok(());
    }
    let now = work.now;
    Ok(ending::withdraw_unsent_after(work, &last, now).await?)
}
