//! The orders lists: what staff filter, sort and search by.

use panel_contract::orders::{Approval, OrderRow, OrderSource, OrderStatus};
use panel_contract::permission::Permission;

use crate::operations::orders::detail::{LIST_COLUMNS, ListRecord};
use crate::records::search_texts;
use panel_platform::scope::Scope;
use panel_platform::table::{Arm, Column, Group, Join, Kind, Table};
use panel_platform::words_of;

/// All orders, newest first.
pub static ORDERS: Table = BASE;

/// Orders that child panels placed.
pub static CHILD_PANEL_ORDERS: Table = Table {
    name: "child-panel-orders",
    scope: Some("o.is_child_panel = TRUE"),
    kept: Some(("orders", "child_panel")),
    ..BASE
};

const BASE: Table = Table {
    name: "orders",
    base: "orders",
    alias: "o",
    key: "o.id",
    scope: None,
    joins: &[
        Join { alias: "s", sql: "JOIN services s ON s.id = o.service_id" },
        Join { alias: "u", sql: "JOIN users u ON u.id = o.user_id" },
    ],
    select: LIST_COLUMNS,
    columns: COLUMNS,
    plain: &[
        Column::new("subscription_id", "o.subscription_id", Kind::Id),
        Column::new("drip_feed_id", "o.drip_feed_id", Kind::Id),
        Column::new("combo_order_id", "o.combo_order_id", Kind::Id),
    ],
    common: &[
        Arm::new("o.id", &search_texts::ORDERS, "url").here(&["o.url"]),
        Arm::new("o.user_id", &search_texts::USERS, "user"),
        Arm::new("o.service_id", &search_texts::SERVICES, "service"),
    ],
    order: &[],
    kept: Some(("orders", "")),
};

const COLUMNS: &[Column] = &[
    Column::new("id", "o.id", Kind::Id),
    Column::new("name", "o.name", Kind::Text),
    Column::new("url", "o.url", Kind::Text).found("o.id", &search_texts::ORDERS, "url"),
    Column::new("status", "o.status", words_of!(OrderStatus)).counted(Group::Word),
    Column::new("approval", "o.approval", words_of!(Approval)).nullable(),
    Column::new("source", "o.source", words_of!(OrderSource)),
    Column::new("cost", "o.cost", Kind::Money),
    Column::new("refunded", "o.refunded", Kind::Money),
    Column::new("price", "o.price", Kind::Money),
    Column::new("quantity", "o.quantity", Kind::Number),
    Column::new("current_quantity", "o.current_quantity", Kind::Number),
    Column::new(
        "percent_of_current_fill",
        "(CAST(o.current_quantity AS DOUBLE PRECISION) * 10000 / o.quantity)",
        Kind::Percent,
    ),
    Column::new(
        "margin_percent",
        // None for an order that was never charged.
        "(CAST(o.cost - o.refunded - o.provider_cost AS DOUBLE PRECISION) * 10000 / NULLIF(CASE WHEN o.is_paid THEN o.cost - o.refunded ELSE 0 END, 0))",
        Kind::Percent,
    )
    .nullable(),
    Column::new("created_at", "o.created_at", Kind::Time).counted(Group::Day),
    Column::new("completed_at", "o.completed_at", Kind::Time).nullable(),
    Column::new("updated_at", "o.updated_at", Kind::Time),
    Column::new("is_paid", "o.is_paid", Kind::Flag),
    Column::new("has_refill", "o.has_refill", Kind::Flag),
    Column::new("auto_refill_is_allowed", "o.auto_refill_is_allowed", Kind::Flag),
    Column::new("has_no_active_providers", "o.has_no_active_providers", Kind::Flag)
        .counted(Group::Set("no_active_providers")),
    Column::new("comment", "o.comment", Kind::Text).nullable(),
    Column::new("keyword", "o.keyword", Kind::Text).nullable().hidden(),
    Column::new("seo_keyword", "o.seo_keyword", Kind::Text).nullable().hidden(),
    Column::new("countries", "o.countries", Kind::Text).hidden(),
    Column::new("child_id", "o.child_id", Kind::Id).nullable().hidden(),
    Column::new("quantity_for_full_fill", "o.quantity_for_full_fill", Kind::Number).nullable().hidden(),
    Column::new("refill_quantity", "o.refill_quantity", Kind::Number).nullable().hidden(),
    Column::new("refill.first.quantity", "o.refill_first_quantity", Kind::Number).nullable().hidden(),
    Column::new("refill.last.quantity", "o.refill_last_quantity", Kind::Number).nullable().hidden(),
    Column::new("promotable.embed_url", "o.promotable_embed_url", Kind::Text).nullable().hidden(),
    Column::new("promotable.region_restriction", "o.promotable_region_restriction", Kind::Text)
        .nullable()
        .hidden(),
    Column::new("promotable.average_viewers", "o.promotable_average_viewers", Kind::Number)
        .nullable()
        .hidden(),
    Column::new("promotable.first_statistic_viewers", "o.promotable_first_statistic_viewers", Kind::Number)
        .nullable()
        .hidden(),
    Column::new("promotable.supported_at", "o.promotable_supported_at", Kind::Time).nullable().hidden(),
    Column::new("promotable.supported_until", "o.promotable_supported_until", Kind::Time)
        .nullable()
        .hidden(),
    Column::new("subscription_id", "o.subscription_id", Kind::Id).nullable(),
    Column::new("drip_feed_id", "o.drip_feed_id", Kind::Id).nullable(),
    Column::new("combo_order_id", "o.combo_order_id", Kind::Id).nullable(),
    Column::new("service", "s.name", Kind::Ref).of("s").found("o.service_id", &search_texts::SERVICES, "").hidden(),
    Column::new("service.id", "o.service_id", Kind::Id),
    Column::new("service.name", "s.name", Kind::Text).of("s").found("o.service_id", &search_texts::SERVICES, "name"),
    Column::new("user", "u.name", Kind::Ref)
        .of("u")
        .found("o.user_id", &search_texts::USERS, "")
        .counted(Group::User)
        .hidden(),
    Column::new("user.id", "o.user_id", Kind::Id).counted(Group::User),
    Column::new("user.name", "u.name", Kind::Text).of("u").found("o.user_id", &search_texts::USERS, "name"),
    Column::new("user.email", "u.email", Kind::Text).of("u").found("o.user_id", &search_texts::USERS, "email"),
    Column::new("user.telegram_username", "u.telegram_username", Kind::Text)
        .of("u")
        .nullable()
        .found("o.user_id", &search_texts::USERS, "telegram_username"),
    Column::new("user.balance", "u.balance_main", Kind::Money).of("u"),
    Column::new("user.spent", "u.spent", Kind::Money).of("u"),
];

/// One row for a caller.
#[must_use]
pub fn shown(record: ListRecord, scope: &Scope) -> OrderRow {
    record.shown(scope.may(Permission::ManageOrders))
}
