//! Combo orders: a package bought as one. The list, moderation and completion; its orders follow, by the rules of
//! orders, in the same transaction. One that moved on by itself stays as it is.

pub mod buy;
pub mod buy_package;
mod follow;
mod list;
pub mod store;

pub use list::{COMBO_ORDERS, Record, load};
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
use panel_domain::combo_orders::{Move, judge, nothing_to_approve, undecided};
use panel_kernel::error::Result;
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::combo_orders::follow::follow_all;
use crate::operations::orders::apply::apply;
use crate::operations::orders::bulk_action::BulkAction;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::{Source, Sql, counts};
use panel_platform::work::Work;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.table::<ListComboOrders, _, _>(&COMBO_ORDERS, |record: Record, ctx| {
        record.shown(ctx.may(Permission::ManageOrders))
    })
    .on::<BuyPackage, _, _, _>(buy_package::buy_package)
    .on::<CountCombosInModeration, _, _, _>(count)
    .on::<ApproveComboOrder, _, _, _>(async |ctx, req: Req<ApproveComboOrder>| {
        act(ctx, req.path, Move::Approve).await
    })
    .on::<RejectComboOrder, _, _, _>(async |ctx, req: Req<RejectComboOrder>| {
        act(ctx, req.path, Move::Reject).await
    })
    .on::<CompleteComboOrder, _, _, _>(async |ctx, req: Req<CompleteComboOrder>| {
        act(ctx, req.path, Move::Complete).await
    })
}

async fn count(ctx: Ctx, _req: Req<CountCombosInModeration>) -> Result<ComboCount> {
    Ok(ComboCount { count: counts::count(&mut ctx.db(), "combo_orders", "in_moderation").await? })
}

async fn act(ctx: Ctx, id: ComboOrderId, wanted: Move) -> Result<Data<ComboOrder>> {
    let mut work = ctx.begin().await?;
    // Orders before the combo: an order that ends locks in this order as well.
    lock_orders(&mut work, id).await?;
    let combo = lock(&mut work, id).await?;
    let to = judge(wanted, combo.status)?;
    if wanted == Move::Approve && !combo.has_moderated_orders {
        return Err(nothing_to_approve().into());
    }
    if wanted == Move::Complete && combo.has_undecided_orders {
        return Err(undecided(&undecided_orders(&mut work, id).await?).into());
    }
    let decided = store::decide(&mut work, combo.id, wanted.transition(), to).await?;
    decided.or_conflict(store::CHANGED.0, store::CHANGED.1)?;
    let orders = follow(&mut work, id, wanted).await?;
    let old = json!({ "status": combo.status });
    let new = json!({ "status": to, "orders": orders });
    audit::record(&mut work, wanted.event(), "combo_order", Change { id: id.record(), old, new }).await?;
    follow_all(&mut work, &[id], false).await?;
    let data = find(&mut work, id).await?.shown(true);
    work.finish(Data { data }).await
}

// Rules

// Store

async fn lock_orders(work: &mut Work, id: ComboOrderId) -> Result<()> {
    let sql = Sql::new("SELECT id FROM orders WHERE combo_order_id = ? ORDER BY id").bind(id);
    work.all::<(OrderId,)>(sql.for_update()).await?;
    Ok(())
}

/// The orders that completing the whole would leave behind.
async fn undecided_orders(work: &mut Work, id: ComboOrderId) -> Result<Vec<OrderId>> {
    let sql = Sql::new("SELECT o.id FROM orders o WHERE o.combo_order_id = ?").bind(id);
    let ids: Vec<(OrderId,)> =
        work.all(sql.push(" AND ").push(undecided_order!()).push(" ORDER BY o.id")).await?;
    Ok(ids.into_iter().map(|(id,)| id).collect())
}

/// Its orders do the same; which of them did. An order that staff judged by itself stays as it is: approving the whole
/// approves what still is in moderation.
async fn follow(work: &mut Work, id: ComboOrderId, wanted: Move) -> Result<Vec<OrderId>> {
    let sql = Sql::new("SELECT id FROM orders WHERE combo_order_id = ?").bind(id);
    let sql = match wanted {
        Move::Approve => sql.push(" AND status = 'in_moderation'"),
        Move::Reject | Move::Complete => sql,
    };
    let ids: Vec<(OrderId,)> = work.all(sql.push(" ORDER BY id")).await?;
    let (action, cancel) = wanted.of_orders();
    let ids = ids.into_iter().map(|(id,)| id).collect();
    apply(work, &BulkAction { action, ids, cancel, is_undoable: false }).await?.followed()
}

async fn lock(work: &mut Work, id: ComboOrderId) -> Result<Record> {
    work.lock("combo_orders", &[id]).await?;
    find(work, id).await
}
