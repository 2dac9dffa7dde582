//! Combo orders: a package bought as one. The list, moderation and completion. Its orders follow in the same transaction by the
//! rules of orders; an order whose state does not allow the action stays unchanged.

pub mod buy;
pub mod buy_package;
mod follow;
mod list;
pub mod store;

pub use list::{COMBO_ORDERS, ComboOrderRow, load};
use list::{find, undecided_order};

pub use follow::{follow_orders, follow_restored};

use panel_contract::combo_orders::{ComboCount, ComboOrder};
use panel_contract::common::Data;
use panel_contract::endpoints::combo_orders::{
    ApproveComboOrder, CompleteComboOrder, CountCombosInModeration, ListComboOrders, RejectComboOrder,
};
use panel_contract::endpoints::packages::BuyPackage;
use panel_contract::ids::{ComboOrderId, OrderId};
use panel_contract::permission::Permission;
use panel_domain::combo_orders::{
    ComboAction, judge, nothing_to_approve_rejection, undecided_orders_rejection,
};
use panel_kernel::error::Result;
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::combo_orders::follow::follow_all;
use crate::operations::orders::apply::apply;
use crate::operations::orders::bulk_action::BulkAction;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Source, Sql, counts};
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.table::<ListComboOrders, _, _>(&COMBO_ORDERS, |record: ComboOrderRow, ctx| {
        record.into_response(ctx.may(Permission::ManageOrders))
    })
    .on::<BuyPackage, _, _, _>(buy_package::buy_package)
    .on::<CountCombosInModeration, _, _, _>(count)
    .on::<ApproveComboOrder, _, _, _>(async |ctx, req: Req<ApproveComboOrder>| {
        act(ctx, req.path, ComboAction::Approve).await
    })
    .on::<RejectComboOrder, _, _, _>(async |ctx, req: Req<RejectComboOrder>| {
        act(ctx, req.path, ComboAction::Reject).await
    })
    .on::<CompleteComboOrder, _, _, _>(async |ctx, req: Req<CompleteComboOrder>| {
        act(ctx, req.path, ComboAction::Complete).await
    })
}

async fn count(ctx: Ctx, _req: Req<CountCombosInModeration>) -> Result<ComboCount> {
    Ok(ComboCount { count: counts::count(&mut ctx.db(), "combo_orders", "in_moderation").await? })
}

async fn act(ctx: Ctx, id: ComboOrderId, combo_action: ComboAction) -> Result<Data<ComboOrder>> {
    let mut work = ctx.begin().await?;
    // Orders are locked before the combo order, in the same order as when an order ends.
    lock_orders(&mut work, id).await?;
    let combo = lock(&mut work, id).await?;
    let to = judge(combo_action, combo.status)?;
    if combo_action == ComboAction::Approve && !combo.has_moderated_orders {
        return Err(nothing_to_approve_rejection().into());
    }
    if combo_action == ComboAction::Complete && combo.has_undecided_orders {
        return Err(undecided_orders_rejection(&undecided_orders(&mut work, id).await?).into());
    }
    let decided = store::decide(&mut work, combo.id, combo_action.transition(), to).await?;
    decided.or_conflict(store::CHANGED.0, store::CHANGED.1)?;
    let orders = follow(&mut work, id, combo_action).await?;
    let old = json!({ "status": combo.status });
    let new = json!({ "status": to, "orders": orders });
    audit::record(&mut work, combo_action.event(), "combo_order", AuditChange { id: id.record(), old, new })
        .await?;
    follow_all(&mut work, &[id], false).await?;
    let data = find(&mut work, id).await?.into_response(true);
    work.finish(Data { data }).await
}

// Rules

// Store

async fn lock_orders(work: &mut UnitOfWork, id: ComboOrderId) -> Result<()> {
    let sql = Sql::new("SELECT id FROM orders WHERE combo_order_id = ? ORDER BY id").bind(id);
    work.all::<(OrderId,)>(sql.for_update()).await?;
    Ok(())
}

/// The orders that prevent the completion of the combo order.
async fn undecided_orders(work: &mut UnitOfWork, id: ComboOrderId) -> Result<Vec<OrderId>> {
    let sql = Sql::new("SELECT o.id FROM orders o WHERE o.combo_order_id = ?").bind(id);
    let ids: Vec<(OrderId,)> =
        work.all(sql.push(" AND ").push(undecided_order!()).push(" ORDER BY o.id")).await?;
    Ok(ids.into_iter().map(|(id,)| id).collect())
}

/// Applies the action to its orders and returns the changed ones. An order that staff decided about separately stays
/// unchanged: approving the combo order approves the orders that are still in moderation.
async fn follow(work: &mut UnitOfWork, id: ComboOrderId, combo_action: ComboAction) -> Result<Vec<OrderId>> {
    let sql = Sql::new("SELECT id FROM orders WHERE combo_order_id = ?").bind(id);
    let sql = match combo_action {
        ComboAction::Approve => sql.push(" AND status = 'in_moderation'"),
        ComboAction::Reject | ComboAction::Complete => sql,
    };
    let ids: Vec<(OrderId,)> = work.all(sql.push(" ORDER BY id")).await?;
    let (action, cancel) = combo_action.of_orders();
    let ids = ids.into_iter().map(|(id,)| id).collect();
    apply(work, &BulkAction { action, ids, cancel, is_undoable: false }).await?.into_moved_ids()
}

async fn lock(work: &mut UnitOfWork, id: ComboOrderId) -> Result<ComboOrderRow> {
    work.lock("combo_orders", &[id]).await?;
    find(work, id).await
}
