//! Endpoints for combo orders, which are packages that customers bought: they list, moderate and complete combo orders. An action
//! on a combo order is applied to its orders in the same transaction; an order whose status does not allow the action stays
//! unchanged.

pub mod buy;
pub mod buy_package;
mod list;
pub mod store;
mod update_status;

pub use list::{COMBO_ORDERS, ComboOrderRow, load};
use list::{load_row, undecided_order};

pub use update_status::{update_from_orders, update_from_restored_orders};

use panel_contract::combo_orders::{ComboCount, ComboOrder};
use panel_contract::common::Data;
use panel_contract::endpoints::combo_orders::{
    ApproveComboOrder, CompleteComboOrder, CountCombosInModeration, ListComboOrders, RejectComboOrder,
};
use panel_contract::endpoints::packages::BuyPackage;
use panel_contract::ids::{ComboOrderId, OrderId};
use panel_contract::permission::Permission;
use panel_domain::combo_orders::{
    ComboAction, nothing_to_approve_rejection, status_after, undecided_orders_rejection,
};
use panel_kernel::error::Result;
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::combo_orders::update_status::update_statuses;
use crate::operations::orders::apply::apply_action;
use crate::operations::orders::bulk_action::BulkAction;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Sql, SqlExecutor, counts};
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.list_route::<ListComboOrders, _, _>(&COMBO_ORDERS, |row: ComboOrderRow, ctx| {
        row.into_response(ctx.has_permission(Permission::ManageOrders))
    })
    .route::<BuyPackage, _, _, _>(buy_package::buy_package)
    .route::<CountCombosInModeration, _, _, _>(count_in_moderation)
    .route::<ApproveComboOrder, _, _, _>(async |ctx, req: Req<ApproveComboOrder>| {
        run_action(ctx, req.path, ComboAction::Approve).await
    })
    .route::<RejectComboOrder, _, _, _>(async |ctx, req: Req<RejectComboOrder>| {
        run_action(ctx, req.path, ComboAction::Reject).await
    })
    .route::<CompleteComboOrder, _, _, _>(async |ctx, req: Req<CompleteComboOrder>| {
        run_action(ctx, req.path, ComboAction::Complete).await
    })
}

async fn count_in_moderation(ctx: Ctx, _req: Req<CountCombosInModeration>) -> Result<ComboCount> {
    Ok(ComboCount { count: counts::count(&mut ctx.db(), "combo_orders", "in_moderation").await? })
}

async fn run_action(ctx: Ctx, id: ComboOrderId, combo_action: ComboAction) -> Result<Data<ComboOrder>> {
    let mut work = ctx.begin().await?;
    // Orders are locked before their combo order, as in every other transaction that changes both.
    lock_orders(&mut work, id).await?;
    let combo_order = lock_row(&mut work, id).await?;
    let new_status = status_after(combo_action, combo_order.status)?;
    if combo_action == ComboAction::Approve && !combo_order.has_moderated_orders {
        return Err(nothing_to_approve_rejection().into());
    }
    if combo_action == ComboAction::Complete && combo_order.has_undecided_orders {
        return Err(undecided_orders_rejection(&load_undecided_orders(&mut work, id).await?).into());
    }
    let transition = store::decide(&mut work, combo_order.id, combo_action.transition(), new_status).await?;
    transition.or_conflict(store::CONCURRENT_CHANGE.0, store::CONCURRENT_CHANGE.1)?;
    let orders = apply_to_orders(&mut work, id, combo_action).await?;
    let old = json!({ "status": combo_order.status });
    let new = json!({ "status": new_status, "orders": orders });
    audit::record(
        &mut work,
        combo_action.event(),
        "combo_order",
        AuditChange { id: id.as_record_id(), old, new },
    )
    .await?;
    update_statuses(&mut work, &[id], false).await?;
    let data = load_row(&mut work, id).await?.into_response(true);
    work.finish(Data { data }).await
}

// Store

async fn lock_orders(work: &mut UnitOfWork, id: ComboOrderId) -> Result<()> {
    let sql = Sql::new("SELECT id FROM orders WHERE combo_order_id = ? ORDER BY id").bind(id);
    work.fetch_all::<(OrderId,)>(sql.for_update()).await?;
    Ok(())
}

/// Loads the orders that prevent the completion of the combo order.
async fn load_undecided_orders(work: &mut UnitOfWork, id: ComboOrderId) -> Result<Vec<OrderId>> {
    let sql = Sql::new("SELECT o.id FROM orders o WHERE o.combo_order_id = ?").bind(id);
    let ids: Vec<(OrderId,)> =
        work.fetch_all(sql.push(" AND ").push(undecided_order!()).push(" ORDER BY o.id")).await?;
    Ok(ids.into_iter().map(|(id,)| id).collect())
}

/// Applies the action to the orders of the combo order, and returns the changed orders. An approval changes only the orders that
/// are still in moderation, so an order that staff have rejected separately stays rejected.
async fn apply_to_orders(
    work: &mut UnitOfWork,
    id: ComboOrderId,
    combo_action: ComboAction,
) -> Result<Vec<OrderId>> {
    let sql = Sql::new("SELECT id FROM orders WHERE combo_order_id = ?").bind(id);
    let sql = match combo_action {
        ComboAction::Approve => sql.push(" AND status = 'in_moderation'"),
        ComboAction::Reject | ComboAction::Complete => sql,
    };
    let ids: Vec<(OrderId,)> = work.fetch_all(sql.push(" ORDER BY id")).await?;
    let (action, cancel) = combo_action.order_action();
    let ids = ids.into_iter().map(|(id,)| id).collect();
    apply_action(work, &BulkAction { action, ids, cancel, is_undoable: false }).await?.into_changed_ids()
}

async fn lock_row(work: &mut UnitOfWork, id: ComboOrderId) -> Result<ComboOrderRow> {
    work.lock("combo_orders", &[id]).await?;
    load_row(work, id).await
}
