//! Combo orders: a package bought as one. The list, moderation and completion; its orders follow, by the rules of
//! orders, in the same transaction. One that moved on by itself stays as it is.

pub mod buy;

use std::collections::HashMap;

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

/// How many of a combo order's orders wait for moderation, and how many did not end.
#[derive(Debug, Clone, Copy)]
struct Parts {
    moderated: i64,
    open: i64,
}

/// Where a combo order stands by its orders; `may_return` after an undo. A rejected order is stopped and has not ended:
/// staff cancel or approve it.
fn follows(status: ComboStatus, parts: Parts, may_return: bool) -> ComboStatus {
    use ComboStatus::{Canceled, Completed, InModeration, InProcessing};
    match status {
        InModeration | InProcessing if parts.open == 0 => Completed,
        InModeration if parts.moderated == 0 => InProcessing,
        InProcessing if may_return && parts.moderated > 0 => InModeration,
        InModeration | InProcessing | Completed | Canceled => status,
    }
}

/// What the audit trail calls a combo order that follows its orders, by where it goes.
const FOLLOWED: [(ComboStatus, &str); 3] = [
    (ComboStatus::InProcessing, "combo_order.approved"),
    (ComboStatus::Completed, "combo_order.completed"),
    (ComboStatus::InModeration, "combo_order.approved.undone"),
];

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

fn actions(status: ComboStatus, may_manage: bool) -> ComboActions {
    let may = |wanted| may_manage && judge(wanted, status).is_ok();
    ComboActions {
        approvable: may(Move::Approve),
        rejectable: may(Move::Reject),
        completable: may(Move::Complete),
    }
}

// Store

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

/// Moves the combo orders of orders that moved just now: none is left in moderation, or all ended.
pub async fn follow_orders(work: &mut Work, orders: &[i64]) -> Result<()> {
    let combos = of_orders(work, orders).await?;
    follow_all(work, &combos, false).await
}

/// As [`follow_orders`] for orders that an undo restored: one that waits for moderation again takes its combo order back
/// to it.
pub async fn follow_restored(work: &mut Work, orders: &[i64]) -> Result<()> {
    let combos = of_orders(work, orders).await?;
    follow_all(work, &combos, true).await
}

async fn of_orders(work: &mut Work, orders: &[i64]) -> Result<Vec<i64>> {
    let sql =
        Sql::new("SELECT DISTINCT combo_order_id FROM orders WHERE combo_order_id IS NOT NULL AND id IN ");
    let combos: Vec<(i64,)> = work.all(sql.ids(orders)).await?;
    Ok(combos.into_iter().map(|(id,)| id).collect())
}

/// They are locked before their orders are looked at: of two last orders that move side by side, one transaction waits
/// for the other and then sees both.
async fn follow_all(work: &mut Work, ids: &[i64], may_return: bool) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let open = Sql::new(
        "SELECT id, status FROM combo_orders WHERE status IN ('in_moderation', 'in_processing') AND id IN ",
    );
    let open: Vec<(i64, ComboStatus)> = work.all(open.ids(ids).push(" ORDER BY id").for_update()).await?;
    if open.is_empty() {
        return Ok(());
    }
    let parts = Sql::new(
        "SELECT combo_order_id, CAST(sum(CASE WHEN status = 'in_moderation' THEN 1 ELSE 0 END) AS BIGINT),
           CAST(sum(CASE WHEN status IN ('completed', 'canceled') THEN 0 ELSE 1 END) AS BIGINT)
         FROM orders WHERE combo_order_id IN ",
    );
    let parts = parts.ids(&open.iter().map(|(id, _)| *id).collect::<Vec<_>>());
    let parts: Vec<(i64, i64, i64)> = work.all(parts.push(" GROUP BY combo_order_id")).await?;
    let parts: HashMap<i64, Parts> =
        parts.into_iter().map(|(id, moderated, open)| (id, Parts { moderated, open })).collect();
    let moves = open.into_iter().filter_map(|(id, from)| {
        let to = follows(from, *parts.get(&id)?, may_return);
        (to != from).then_some((id, from, to))
    });
    let moves: Vec<_> = moves.collect();
    write_followed(work, &moves).await
}

async fn write_followed(work: &mut Work, moves: &[(i64, ComboStatus, ComboStatus)]) -> Result<()> {
    if moves.is_empty() {
        return Ok(());
    }
    let now = work.now.0;
    let row = |(id, from, to): &(i64, ComboStatus, ComboStatus)| {
        let completed_at = (*to == ComboStatus::Completed).then_some(now);
        vec![(*id).into(), from.as_str().into(), to.as_str().into(), completed_at.into()]
    };
    let sql = Sql::new(
        "UPDATE combo_orders SET status = r.status, completed_at = r.completed_at, updated_at = ? FROM ",
    );
    let columns = ["id", "was", "status", "completed_at"];
    let sql = sql.bind(work.stamp()).rows("r", &columns, moves.iter().map(row).collect());
    work.exec(sql.push(" WHERE combo_orders.id = r.id AND combo_orders.status = r.was")).await?;
    for (to, event) in FOLLOWED {
        let moved = moves.iter().filter(|moved| moved.2 == to);
        let change = |(id, from, to): &(i64, ComboStatus, ComboStatus)| Change {
            id: *id,
            old: json!({ "status": from }),
            new: json!({ "status": to }),
        };
        audit::record_all(work, event, "combo_order", moved.map(change).collect()).await?;
    }
    Ok(())
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
    let sql = Sql::new("SELECT ").push(SELECT).push(FROM).bind(id).for_update_of("c");
    work.opt(sql).await?.ok_or_else(|| ApiError::not_found("combo order", id))
}

const SELECT: &str = "c.id, c.url, c.status, c.source, c.package_id, c.package_name, c.package_type, c.user_id, u.name AS user_name, u.email AS user_email,
  c.orders_count, (SELECT CAST(COALESCE(sum(o.cost), 0) AS BIGINT) FROM orders o WHERE o.combo_order_id = c.id) AS cost,
  (SELECT CAST(COALESCE(sum(o.refunded), 0) AS BIGINT) FROM orders o WHERE o.combo_order_id = c.id) AS returned,
  c.created_at, c.completed_at, c.canceled_at, c.updated_at";
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
    created_at: Time,
    completed_at: Option<Time>,
    canceled_at: Option<Time>,
    updated_at: Stamp,
}

impl Record {
    fn shown(self, may_manage: bool) -> ComboOrder {
        ComboOrder {
            actions: actions(self.status, may_manage),
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
    fn it_stands_where_its_orders_do() {
        use ComboStatus::{Canceled, Completed, InModeration, InProcessing};
        for (from, moderated, open, may_return, to) in [
            (InModeration, 1, 3, false, InModeration),
            (InModeration, 0, 3, false, InProcessing),
            (InModeration, 0, 0, false, Completed),
            (InProcessing, 1, 3, false, InProcessing),
            (InProcessing, 1, 3, true, InModeration),
            (InProcessing, 0, 1, true, InProcessing),
            (InProcessing, 0, 0, false, Completed),
            (Completed, 1, 1, true, Completed),
            (Canceled, 0, 0, false, Canceled),
        ] {
            assert_eq!(follows(from, Parts { moderated, open }, may_return), to, "{from} {moderated} {open}");
        }
    }

    #[test]
    fn flags_and_moves_are_one_rule() {
        for status in ComboStatus::ALL {
            let flags = actions(*status, true);
            let allowed = [flags.approvable, flags.rejectable, flags.completable];
            let expected = match status {
                ComboStatus::InModeration => [true, true, false],
                ComboStatus::InProcessing => [false, false, true],
                ComboStatus::Completed | ComboStatus::Canceled => [false; 3],
            };
            assert_eq!(allowed, expected, "{status}");
            assert_eq!(actions(*status, false), ComboActions::default());
        }
        let refusal = judge(Move::Reject, ComboStatus::InProcessing).unwrap_err();
        assert_eq!(refusal.message, "You cannot reject a combo order that is in_processing; complete it.");
    }
}
