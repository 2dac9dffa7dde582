//! Declares the list of combo orders, and converts combo orders to the response.

use panel_contract::amount::Money;
use panel_contract::combo_orders::{ComboOrder, ComboPackage, ComboStatus};
use panel_contract::ids::{ComboOrderId, PackageId, UserId};
use panel_contract::moment::{Time, Timestamp};
use panel_contract::orders::OrderSource;
use panel_contract::payments::UserSummary;
use panel_domain::combo_orders::{ComboOrderChecks, actions};
use panel_kernel::error::{Error, Result};

use crate::records::search_texts;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::table::{CountGroup, Join, RowSource, SearchTarget, Table, TextIndex, base_column, expr};

pub(super) static TEXTS: TextIndex = TextIndex::trigrams("combo_orders", &["url", "package_name"]);

pub static COMBO_ORDERS: Table = Table::new(
    &panel_contract::lists::combo_orders::COMBO_ORDERS,
    RowSource {
        base: "combo_orders",
        alias: "c",
        key: "c.id",
        joins: &[Join { alias: "u", sql: "JOIN users u ON u.id = c.user_id" }],
        select: SELECT,
        ..RowSource::NONE
    },
    &[
        base_column("url").text_index("c.id", &TEXTS, "url"),
        base_column("status").count_group(CountGroup::FilterValue),
        expr("package", "c.package_name").text_index("c.id", &TEXTS, "package_name"),
        expr("package.id", "c.package_id"),
        expr("package.name", "c.package_name").text_index("c.id", &TEXTS, "package_name"),
        expr("package.type", "c.package_type"),
        expr("user", "u.name").join("u").text_index("c.user_id", &search_texts::USERS, ""),
        expr("user.id", "c.user_id"),
        expr("user.name", "u.name").join("u").text_index("c.user_id", &search_texts::USERS, "name"),
        expr("user.email", "u.email").join("u").text_index("c.user_id", &search_texts::USERS, "email"),
    ],
)
.global_search(&[
    SearchTarget::new("c.id", &TEXTS, "url").own_columns(&["c.url", "c.package_name"]),
    SearchTarget::new("c.user_id", &search_texts::USERS, "user"),
])
.count_from("combo_orders", "");

// Store

/// Loads a combo order in the form in which the API returns it to staff who may manage orders.
pub async fn load(db: &mut impl SqlExecutor, id: ComboOrderId) -> Result<ComboOrder> {
    Ok(load_row(db, id).await?.into_response(true))
}

pub(super) async fn load_row(db: &mut impl SqlExecutor, id: ComboOrderId) -> Result<ComboOrderRow> {
    let sql = Sql::new("SELECT ").push(SELECT).push(FROM).bind(id);
    db.fetch_optional(sql).await?.ok_or_else(|| Error::not_found("combo order", id))
}

/// SQL condition: the order `o` cannot be completed, because staff have rejected it or must still moderate it.
macro_rules! undecided_order {
    () => {
        "(o.status = 'in_moderation' OR (o.status = 'stopped' AND o.approval = 'rejected'))"
    };
}
pub(super) use undecided_order;

pub(super) const SELECT: &str = concat!("c.id, c.url, c.status, c.source, c.package_id, c.package_name, c.package_type, c.user_id, u.name AS user_name, u.email AS user_email,
  c.orders_count, (SELECT CAST(COALESCE(sum(o.cost), 0) AS BIGINT) FROM orders o WHERE o.combo_order_id = c.id) AS cost,
  (SELECT CAST(COALESCE(sum(o.refunded), 0) AS BIGINT) FROM orders o WHERE o.combo_order_id = c.id) AS refunded,
  EXISTS (SELECT 1 FROM orders o WHERE o.combo_order_id = c.id AND o.status = 'in_moderation') AS has_moderated_orders,
  EXISTS (SELECT 1 FROM orders o WHERE o.combo_order_id = c.id AND ", undecided_order!(), ") AS has_undecided_orders,
  c.created_at, c.completed_at, c.canceled_at, c.updated_at");

pub(super) const FROM: &str = " FROM combo_orders c JOIN users u ON u.id = c.user_id WHERE c.id = ?";

/// A row of `combo_orders`, with the totals of its orders.
#[derive(Debug, sqlx::FromRow)]
pub struct ComboOrderRow {
    pub(super) id: ComboOrderId,
    pub(super) url: String,
    pub(super) status: ComboStatus,
    pub(super) source: OrderSource,
    pub(super) package_id: Option<PackageId>,
    pub(super) package_name: String,
    pub(super) package_type: String,
    pub(super) user_id: UserId,
    pub(super) user_name: String,
    pub(super) user_email: String,
    pub(super) orders_count: i64,
    pub(super) cost: Money,
    pub(super) refunded: Money,
    pub(super) has_moderated_orders: bool,
    pub(super) has_undecided_orders: bool,
    pub(super) created_at: Time,
    pub(super) completed_at: Option<Time>,
    pub(super) canceled_at: Option<Time>,
    pub(super) updated_at: Timestamp,
}

impl ComboOrderRow {
    pub(super) fn into_response(self, may_manage: bool) -> ComboOrder {
        let orders =
            ComboOrderChecks { approve: self.has_moderated_orders, complete: !self.has_undecided_orders };
        ComboOrder {
            actions: actions(self.status, orders, may_manage),
            id: self.id,
            status: self.status,
            url: self.url,
            source: self.source,
            package: ComboPackage { id: self.package_id, name: self.package_name, kind: self.package_type },
            user: UserSummary { id: self.user_id, name: self.user_name, email: self.user_email },
            orders_count: self.orders_count,
            cost: self.cost,
            refunded: self.refunded,
            created_at: self.created_at,
            completed_at: self.completed_at,
            canceled_at: self.canceled_at,
            updated_at: self.updated_at,
        }
    }
}
