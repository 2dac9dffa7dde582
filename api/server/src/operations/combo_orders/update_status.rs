//! Updates the status of a combo order in the transaction that changes its orders. A combo order leaves moderation, is completed or
//! is canceled together with its orders, and returns to moderation if an undo restores the orders.

use std::collections::HashMap;

use panel_contract::combo_orders::ComboStatus;
use panel_contract::ids::{ComboOrderId, OrderId};
use panel_domain::state_machine::next_state;
use panel_domain::states::combo_orders::{ComboOrderEvent, ComboOrders};
use panel_kernel::error::Result;
use serde_json::json;

use super::store::{self, StatusChange};
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Sql, SqlExecutor as _};
use panel_platform::work::UnitOfWork;

// Rules

/// Numbers of orders of a combo order by status. A rejected order counts as open, because staff can still cancel or approve it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
struct OrderCounts {
    combo_order_id: ComboOrderId,
    in_moderation: i64,
    rejected: i64,
    completed: i64,
    open: i64,
}

impl OrderCounts {
    /// Whether staff must still decide: an order is in moderation, or all open orders were rejected and no order is completed.
    fn is_undecided(&self) -> bool {
        self.in_moderation > 0 || (self.completed == 0 && self.open == self.rejected)
    }
}

/// Returns the status of a combo order that follows from its orders. `may_return` is true after an undo, which may return the combo
/// order to moderation.
fn status_after(status: ComboStatus, orders: &OrderCounts, may_return: bool) -> ComboStatus {
    let event = match (orders.open, orders.is_undecided()) {
        (0, _) if orders.completed == 0 => ComboOrderEvent::OrdersCancel,
        (0, _) => ComboOrderEvent::OrdersComplete,
        (_, false) => ComboOrderEvent::OrdersLeaveModeration,
        (_, true) if may_return => ComboOrderEvent::OrdersReturn,
        (_, true) => return status,
    };
    next_state::<ComboOrders>(status, event).unwrap_or(status)
}

/// The audit event of each new status that results from the orders.
const STATUS_EVENTS: [(ComboStatus, &str); 4] = [
    (ComboStatus::InProcessing, "combo_order.approved"),
    (ComboStatus::Completed, "combo_order.completed"),
    (ComboStatus::Canceled, "combo_order.canceled"),
    (ComboStatus::InModeration, "combo_order.approved.undone"),
];

// Store

/// Updates the combo orders of orders whose status changed. A combo order leaves moderation when its last order leaves moderation,
/// and ends when its last open order ends.
pub async fn update_from_orders(work: &mut UnitOfWork, orders: &[OrderId]) -> Result<()> {
    let combos = find_combo_orders(work, orders).await?;
    update_statuses(work, &combos, false).await
}

/// Like [`update_from_orders`], for orders that an undo restored: an order that waits for moderation again returns its combo
/// order to moderation.
pub async fn update_from_restored_orders(work: &mut UnitOfWork, orders: &[OrderId]) -> Result<()> {
    let combos = find_combo_orders(work, orders).await?;
    update_statuses(work, &combos, true).await
}

async fn find_combo_orders(work: &mut UnitOfWork, orders: &[OrderId]) -> Result<Vec<ComboOrderId>> {
    let sql =
        Sql::new("SELECT DISTINCT combo_order_id FROM orders WHERE combo_order_id IS NOT NULL AND id IN ");
    let combos: Vec<(ComboOrderId,)> = work.fetch_all(sql.ids(orders)).await?;
    Ok(combos.into_iter().map(|(id,)| id).collect())
}

/// Updates combo orders from their orders. The combo orders are locked before their orders are read: if two transactions change
/// the last two orders at the same time, one waits for the other and then reads both changes.
pub(super) async fn update_statuses(
    work: &mut UnitOfWork,
    ids: &[ComboOrderId],
    may_return: bool,
) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let select_open = Sql::new(
        "SELECT id, status FROM combo_orders WHERE status IN ('in_moderation', 'in_processing') AND id IN ",
    );
    let open_combos: Vec<(ComboOrderId, ComboStatus)> =
        work.fetch_all(select_open.ids(ids).push(" ORDER BY id").for_update()).await?;
    if open_combos.is_empty() {
        return Ok(());
    }
    let select_counts = Sql::new(
        "SELECT combo_order_id, CAST(sum(CASE WHEN status = 'in_moderation' THEN 1 ELSE 0 END) AS BIGINT) AS in_moderation,
           CAST(sum(CASE WHEN status = 'stopped' AND approval = 'rejected' THEN 1 ELSE 0 END) AS BIGINT) AS rejected,
           CAST(sum(CASE WHEN status = 'completed' THEN 1 ELSE 0 END) AS BIGINT) AS completed,
           CAST(sum(CASE WHEN status IN ('completed', 'canceled') THEN 0 ELSE 1 END) AS BIGINT) AS open
         FROM orders WHERE combo_order_id IN ",
    );
    let select_counts = select_counts.ids(&open_combos.iter().map(|(id, _)| *id).collect::<Vec<_>>());
    let counts: Vec<OrderCounts> = work.fetch_all(select_counts.push(" GROUP BY combo_order_id")).await?;
    let counts_by_combo: HashMap<ComboOrderId, OrderCounts> =
        counts.into_iter().map(|counts| (counts.combo_order_id, counts)).collect();
    let changes = open_combos.into_iter().filter_map(|(id, from)| {
        let to = status_after(from, counts_by_combo.get(&id)?, may_return);
        (to != from).then_some(StatusChange { id, from, to })
    });
    let changes: Vec<StatusChange> = changes.collect();
    store_changes(work, &changes).await
}

async fn store_changes(work: &mut UnitOfWork, changes: &[StatusChange]) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    store::update_statuses(work, changes).await?;
    for (to, event) in STATUS_EVENTS {
        let audit_changes = changes.iter().filter(|change| change.to == to).map(|change| AuditChange {
            id: change.id.as_record_id(),
            old: json!({ "status": change.from }),
            new: json!({ "status": change.to }),
        });
        audit::record_all(work, event, "combo_order", audit_changes.collect()).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_follows_from_the_orders() {
        use ComboStatus::{Canceled, Completed, InModeration, InProcessing};
        for (from, [in_moderation, rejected, completed, open], may_return, to) in [
            (InModeration, [1, 0, 0, 3], false, InModeration),
            (InModeration, [0, 0, 0, 3], false, InProcessing),
            (InModeration, [0, 2, 0, 3], false, InProcessing),
            (InModeration, [0, 2, 1, 2], false, InProcessing),
            (InModeration, [0, 3, 0, 3], false, InModeration),
            (InModeration, [0, 0, 1, 0], false, Completed),
            (InModeration, [0, 0, 0, 0], false, Canceled),
            (InProcessing, [1, 0, 0, 3], false, InProcessing),
            (InProcessing, [1, 0, 0, 3], true, InModeration),
            (InProcessing, [0, 3, 0, 3], true, InModeration),
            (InProcessing, [0, 3, 0, 3], false, InProcessing),
            (InProcessing, [0, 0, 0, 1], true, InProcessing),
            (InProcessing, [0, 0, 2, 0], false, Completed),
            (InProcessing, [0, 0, 0, 0], false, Canceled),
            (Completed, [1, 0, 0, 1], true, Completed),
            (Canceled, [0, 0, 0, 0], false, Canceled),
        ] {
            let orders = OrderCounts {
                combo_order_id: ComboOrderId::new(1),
                in_moderation,
                rejected,
                completed,
                open,
            };
            assert_eq!(status_after(from, &orders, may_return), to, "{from} {orders:?}");
        }
    }
}
