//! Combo orders: a package bought as one. The list, moderation and completion; its orders follow, by the rules of
//! orders, in the same transaction. One that moved on by itself stays as it is.

pub mod buy;
mod follow;

pub use follow::{follow_orders, follow_restored};

use panel_contract::amount::Money;
use panel_contract::combo_orders::{ComboActions, ComboCount, ComboOrder, ComboPackage, ComboStatus};
use panel_contract::common::Data;
use panel_contract::endpoints::combo_orders::{
    ApproveComboOrder, CompleteComboOrder, CountCombosInModeration, ListComboOrders, RejectComboOrder,
};
use panel_contract::moment::{Stamp, Time};
use panel_contract::orders::{CancelInput, OrderSource};
use panel_contract::payments::PaymentUser;
use panel_contract::permission::Permission;
use serde_json::json;

use crate::audit::{self, Change};
use crate::db::{Source, Sql, counts};
use crate::http::api::Api;
use crate::http::error::{ApiError, Result};
use crate::http::{Ctx, Req};
use crate::operations::combo_orders::follow::follow_all;
use crate::operations::orders::apply::{Wanted, apply};
use crate::operations::orders::list::USER_TEXTS;
use crate::operations::orders::rules::Action;
use crate::refusal::Refusal;
use crate::table::{Arm, Column, Group, Index, Join, Kind, Table};
use crate::words_of;
use crate::work::Work;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.table::<ListComboOrders, _, _>(&COMBO_ORDERS, |record: Record, ctx| {
        record.shown(ctx.may(Permission::ManageOrders))
    })
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

static TEXTS: Index = Index::trigrams("combo_orders", &["url", "package_name"]);

/// All combo orders, newest first.
pub static COMBO_ORDERS: Table = Table {
    name: "combo-orders",
    base: "combo_orders",
    alias: "c",
    key: "c.id",
    scope: None,
    joins: &[Join { alias: "u", sql: "JOIN users u ON u.id = c.user_id" }],
    select: SELECT,
    columns: &[
        Column::new("id", "c.id", Kind::Id),
        Column::new("url", "c.url", Kind::Text).found("c.id", &TEXTS, "url"),
        Column::new("status", "c.status", words_of!(ComboStatus)).counted(Group::Word),
        Column::new("source", "c.source", words_of!(OrderSource)),
        Column::new("orders_count", "c.orders_count", Kind::Number),
        Column::new("package", "c.package_name", Kind::Text).found("c.id", &TEXTS, "package_name").hidden(),
        Column::new("package.id", "c.package_id", Kind::Id).nullable(),
        Column::new("package.name", "c.package_name", Kind::Text).found("c.id", &TEXTS, "package_name"),
        Column::new("package.type", "c.package_type", Kind::Exact),
        Column::new("created_at", "c.created_at", Kind::Time),
        Column::new("completed_at", "c.completed_at", Kind::Time).nullable(),
        Column::new("canceled_at", "c.canceled_at", Kind::Time).nullable(),
        Column::new("user", "u.name", Kind::Ref).of("u").found("c.user_id", &USER_TEXTS, "").hidden(),
        Column::new("user.id", "c.user_id", Kind::Id),
        Column::new("user.name", "u.name", Kind::Text).of("u").found("c.user_id", &USER_TEXTS, "name"),
        Column::new("user.email", "u.email", Kind::Text).of("u").found("c.user_id", &USER_TEXTS, "email"),
    ],
    plain: &[Column::new("user_id", "c.user_id", Kind::Id)],
    common: &[
        Arm::new("c.id", &TEXTS, "url").here(&["c.url", "c.package_name"]),
        Arm::new("c.user_id", &USER_TEXTS, "user"),
    ],
    order: &[],
    kept: Some(("combo_orders", "")),
};

async fn count(ctx: Ctx, _req: Req<CountCombosInModeration>) -> Result<ComboCount> {
    Ok(ComboCount { count: counts::count(&mut ctx.db(), "combo_orders", "in_moderation").await? })
}

async fn act(ctx: Ctx, id: i64, wanted: Move) -> Result<Data<ComboOrder>> {
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
    write(&mut work, &combo, to).await?;
    let orders = follow(&mut work, id, wanted).await?;
    let old = json!({ "status": combo.status });
    let new = json!({ "status": to, "orders": orders });
    audit::record(&mut work, wanted.event(), "combo_order", Change { id, old, new }).await?;
    follow_all(&mut work, &[id], false).await?;
    let data = find(&mut work, id).await?.shown(true);
    work.finish(Data { data }).await
}

// Rules

/// What staff do with a combo order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Move {
    Approve,
    Reject,
    Complete,
}

impl Move {
    fn event(self) -> &'static str {
        match self {
            Self::Approve => "combo_order.approved",
            Self::Reject => "combo_order.rejected",
            Self::Complete => "combo_order.completed",
        }
    }

    /// What its orders do then.
    fn of_orders(self) -> (Action, Option<CancelInput>) {
        match self {
            Self::Approve => (Action::Approve, None),
            Self::Complete => (Action::Complete, None),
            Self::Reject => {
                (Action::Cancel, Some(CancelInput { return_money: true, ..CancelInput::default() }))
            }
        }
    }
}

fn judge(wanted: Move, status: ComboStatus) -> Result<ComboStatus, Refusal> {
    use ComboStatus::{Canceled, Completed, InModeration, InProcessing};
    match (wanted, status) {
        (Move::Approve, InModeration) => Ok(InProcessing),
        (Move::Reject, InModeration) => Ok(Canceled),
        (Move::Complete, InProcessing) => Ok(Completed),
        _ => Err(refused(wanted, status)),
    }
}

fn refused(wanted: Move, status: ComboStatus) -> Refusal {
    let (verb, code) = match wanted {
        Move::Approve => ("approve", "combo_order_not_approvable"),
        Move::Reject => ("reject", "combo_order_not_rejectable"),
        Move::Complete => ("complete", "combo_order_not_completable"),
    };
    let allowed = match status {
        ComboStatus::InModeration => "approve or reject it",
        ComboStatus::InProcessing => "complete it",
        ComboStatus::Completed | ComboStatus::Canceled => "nothing more can be done to it",
    };
    Refusal::conflict(code, format!("You cannot {verb} a combo order that is {status}; {allowed}."))
}

/// A completed combo order is final, so none of its orders may be left over: not one that was rejected, whose money the
/// panel still has, and not one that waits for moderation.
fn undecided(orders: &[i64]) -> Refusal {
    let ids = orders.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let message = format!(
        "These orders were rejected or wait for moderation: {ids}. Approve or cancel them first, then complete the combo order."
    );
    Refusal::conflict("combo_order_has_undecided_orders", message)
}

/// Approving the whole approves the orders that wait for moderation and leaves those alone that staff rejected.
fn nothing_to_approve() -> Refusal {
    let message = "None of its orders waits for moderation. Approve those that it needs one by one, or reject the combo order.";
    Refusal::conflict("combo_order_not_approvable", message)
}

/// What its orders allow, beside its own status.
#[derive(Debug, Clone, Copy)]
struct OrdersAllow {
    approve: bool,
    complete: bool,
}

fn actions(status: ComboStatus, orders: OrdersAllow, may_manage: bool) -> ComboActions {
    let may = |wanted| may_manage && judge(wanted, status).is_ok();
    ComboActions {
        approvable: may(Move::Approve) && orders.approve,
        rejectable: may(Move::Reject),
        completable: may(Move::Complete) && orders.complete,
    }
}

// Store

/// An order `o` that cannot complete: it was rejected, or waits for moderation.
macro_rules! undecided_order {
    () => {
        "(o.status = 'in_moderation' OR (o.status = 'stopped' AND o.approval = 'rejected'))"
    };
}

async fn write(work: &mut Work, combo: &Record, to: ComboStatus) -> Result<()> {
    let (now, stamp) = (work.now, work.stamp());
    let is = |wanted| (to == wanted).then_some(now);
    let sql = Sql::new(
        "UPDATE combo_orders SET status = ?, completed_at = ?, canceled_at = ?, updated_at = ? WHERE id = ? AND status = ?",
    );
    let sql = sql.bind(to.as_str()).bind(is(ComboStatus::Completed)).bind(is(ComboStatus::Canceled));
    match work.exec(sql.bind(stamp).bind(combo.id).bind(combo.status.as_str())).await? {
        1 => Ok(()),
        _ => Err(ApiError::conflict(
            "combo_order_changed_meanwhile",
            "The combo order changed meanwhile; reload and try again.",
        )),
    }
}

async fn lock_orders(work: &mut Work, id: i64) -> Result<()> {
    let sql = Sql::new("SELECT id FROM orders WHERE combo_order_id = ? ORDER BY id").bind(id);
    work.all::<(i64,)>(sql.for_update()).await?;
    Ok(())
}

/// The orders that completing the whole would leave behind.
async fn undecided_orders(work: &mut Work, id: i64) -> Result<Vec<i64>> {
    let sql = Sql::new("SELECT o.id FROM orders o WHERE o.combo_order_id = ?").bind(id);
    let ids: Vec<(i64,)> =
        work.all(sql.push(" AND ").push(undecided_order!()).push(" ORDER BY o.id")).await?;
    Ok(ids.into_iter().map(|(id,)| id).collect())
}

/// Its orders do the same; which of them did. An order that staff judged by itself stays as it is: approving the whole
/// approves what still is in moderation.
async fn follow(work: &mut Work, id: i64, wanted: Move) -> Result<Vec<i64>> {
    let sql = Sql::new("SELECT id FROM orders WHERE combo_order_id = ?").bind(id);
    let sql = match wanted {
        Move::Approve => sql.push(" AND status = 'in_moderation'"),
        Move::Reject | Move::Complete => sql,
    };
    let ids: Vec<(i64,)> = work.all(sql.push(" ORDER BY id")).await?;
    let (action, cancel) = wanted.of_orders();
    let ids = ids.into_iter().map(|(id,)| id).collect();
    apply(work, &Wanted { action, ids, cancel, is_undoable: false }).await?.followed()
}

/// One as it is shown to whoever may manage orders.
pub async fn load(db: &mut impl Source, id: i64) -> Result<ComboOrder> {
    Ok(find(db, id).await?.shown(true))
}

async fn find(db: &mut impl Source, id: i64) -> Result<Record> {
    let sql = Sql::new("SELECT ").push(SELECT).push(FROM).bind(id);
    db.opt(sql).await?.ok_or_else(|| ApiError::not_found("combo order", id))
}

async fn lock(work: &mut Work, id: i64) -> Result<Record> {
    work.lock("combo_orders", &[id]).await?;
    find(work, id).await
}

const SELECT: &str = concat!("c.id, c.url, c.status, c.source, c.package_id, c.package_name, c.package_type, c.user_id, u.name AS user_name, u.email AS user_email,
  c.orders_count, (SELECT CAST(COALESCE(sum(o.cost), 0) AS BIGINT) FROM orders o WHERE o.combo_order_id = c.id) AS cost,
  (SELECT CAST(COALESCE(sum(o.refunded), 0) AS BIGINT) FROM orders o WHERE o.combo_order_id = c.id) AS returned,
  EXISTS (SELECT 1 FROM orders o WHERE o.combo_order_id = c.id AND o.status = 'in_moderation') AS has_moderated_orders,
  EXISTS (SELECT 1 FROM orders o WHERE o.combo_order_id = c.id AND ", undecided_order!(), ") AS has_undecided_orders,
  c.created_at, c.completed_at, c.canceled_at, c.updated_at");
const FROM: &str = " FROM combo_orders c JOIN users u ON u.id = c.user_id WHERE c.id = ?";

/// A combo order as the database has it.
#[derive(Debug, sqlx::FromRow)]
pub struct Record {
    id: i64,
    url: String,
    status: ComboStatus,
    source: OrderSource,
    package_id: Option<i64>,
    package_name: String,
    package_type: String,
    user_id: i64,
    user_name: String,
    user_email: String,
    orders_count: i64,
    cost: Money,
    returned: Money,
    has_moderated_orders: bool,
    has_undecided_orders: bool,
    created_at: Time,
    completed_at: Option<Time>,
    canceled_at: Option<Time>,
    updated_at: Stamp,
}

impl Record {
    fn shown(self, may_manage: bool) -> ComboOrder {
        let orders = OrdersAllow { approve: self.has_moderated_orders, complete: !self.has_undecided_orders };
        ComboOrder {
            actions: actions(self.status, orders, may_manage),
            id: self.id,
            status: self.status,
            url: self.url,
            source: self.source,
            package: ComboPackage { id: self.package_id, name: self.package_name, kind: self.package_type },
            user: PaymentUser { id: self.user_id, name: self.user_name, email: self.user_email },
            orders_count: self.orders_count,
            cost: self.cost,
            returned: self.returned,
            created_at: self.created_at,
            completed_at: self.completed_at,
            canceled_at: self.canceled_at,
            updated_at: self.updated_at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_and_moves_are_one_rule() {
        for status in ComboStatus::ALL {
            let all = OrdersAllow { approve: true, complete: true };
            let flags = actions(*status, all, true);
            let allowed = [flags.approvable, flags.rejectable, flags.completable];
            let expected = match status {
                ComboStatus::InModeration => [true, true, false],
                ComboStatus::InProcessing => [false, false, true],
                ComboStatus::Completed | ComboStatus::Canceled => [false; 3],
            };
            assert_eq!(allowed, expected, "{status}");
            assert_eq!(actions(*status, all, false), ComboActions::default());
            let open = actions(*status, OrdersAllow { complete: false, ..all }, true);
            assert!(!open.completable, "an order would be left behind");
            let rejected = actions(*status, OrdersAllow { approve: false, ..all }, true);
            assert!(!rejected.approvable, "no order waits for moderation");
        }
        let refusal = judge(Move::Reject, ComboStatus::InProcessing).unwrap_err();
        assert_eq!(refusal.message, "You cannot reject a combo order that is in_processing; complete it.");
    }
}
