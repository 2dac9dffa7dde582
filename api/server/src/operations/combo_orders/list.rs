//! The list of combo orders, and a combo order as the API shows it.

use panel_contract::amount::Money;
use panel_contract::combo_orders::{ComboOrder, ComboPackage, ComboStatus};
use panel_contract::moment::{Stamp, Time};
use panel_contract::orders::OrderSource;
use panel_contract::payments::PaymentUser;
use panel_kernel::error::{Error, Result};

use crate::operations::combo_orders::rules::{OrdersAllow, actions};
use crate::records::search_texts;
use panel_platform::db::{Source, Sql};
use panel_platform::table::{Arm, Column, Group, Index, Join, Kind, Table};
use panel_platform::words_of;

pub(super) static TEXTS: Index = Index::trigrams("combo_orders", &["url", "package_name"]);

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
        Column::new("user", "u.name", Kind::Ref)
            .of("u")
            .found("c.user_id", &search_texts::USERS, "")
            .hidden(),
        Column::new("user.id", "c.user_id", Kind::Id),
        Column::new("user.name", "u.name", Kind::Text).of("u").found(
            "c.user_id",
            &search_texts::USERS,
            "name",
        ),
        Column::new("user.email", "u.email", Kind::Text).of("u").found(
            "c.user_id",
            &search_texts::USERS,
            "email",
        ),
    ],
    plain: &[Column::new("user_id", "c.user_id", Kind::Id)],
    common: &[
        Arm::new("c.id", &TEXTS, "url").here(&["c.url", "c.package_name"]),
        Arm::new("c.user_id", &search_texts::USERS, "user"),
    ],
    order: &[],
    kept: Some(("combo_orders", "")),
};

// Store

/// A combo order as staff see it who may manage orders.
pub async fn load(db: &mut impl Source, id: i64) -> Result<ComboOrder> {
    Ok(find(db, id).await?.shown(true))
}

pub(super) async fn find(db: &mut impl Source, id: i64) -> Result<Record> {
    let sql = Sql::new("SELECT ").push(SELECT).push(FROM).bind(id);
    db.opt(sql).await?.ok_or_else(|| Error::not_found("combo order", id))
}

/// An order `o` that cannot complete: it was rejected, or waits for moderation.
macro_rules! undecided_order {
    () => {
        "(o.status = 'in_moderation' OR (o.status = 'stopped' AND o.approval = 'rejected'))"
    };
}
pub(super) use undecided_order;

pub(super) const SELECT: &str = concat!("c.id, c.url, c.status, c.source, c.package_id, c.package_name, c.package_type, c.user_id, u.name AS user_name, u.email AS user_email,
  c.orders_count, (SELECT CAST(COALESCE(sum(o.cost), 0) AS BIGINT) FROM orders o WHERE o.combo_order_id = c.id) AS cost,
  (SELECT CAST(COALESCE(sum(o.refunded), 0) AS BIGINT) FROM orders o WHERE o.combo_order_id = c.id) AS returned,
  EXISTS (SELECT 1 FROM orders o WHERE o.combo_order_id = c.id AND o.status = 'in_moderation') AS has_moderated_orders,
  EXISTS (SELECT 1 FROM orders o WHERE o.combo_order_id = c.id AND ", undecided_order!(), ") AS has_undecided_orders,
  c.created_at, c.completed_at, c.canceled_at, c.updated_at");

pub(super) const FROM: &str = " FROM combo_orders c JOIN users u ON u.id = c.user_id WHERE c.id = ?";

/// A combo order as the database has it.
#[derive(Debug, sqlx::FromRow)]
pub struct Record {
    pub(super) id: i64,
    pub(super) url: String,
    pub(super) status: ComboStatus,
    pub(super) source: OrderSource,
    pub(super) package_id: Option<i64>,
    pub(super) package_name: String,
    pub(super) package_type: String,
    pub(super) user_id: i64,
    pub(super) user_name: String,
    pub(super) user_email: String,
    pub(super) orders_count: i64,
    pub(super) cost: Money,
    pub(super) returned: Money,
    pub(super) has_moderated_orders: bool,
    pub(super) has_undecided_orders: bool,
    pub(super) created_at: Time,
    pub(super) completed_at: Option<Time>,
    pub(super) canceled_at: Option<Time>,
    pub(super) updated_at: Stamp,
}

impl Record {
    pub(super) fn shown(self, may_manage: bool) -> ComboOrder {
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
