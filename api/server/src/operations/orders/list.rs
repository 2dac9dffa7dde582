//! Declares the SQL of the lists of orders: columns, filters, sorting and search.

use panel_contract::orders::OrderRow;

use crate::operations::orders::detail::{LIST_COLUMNS, OrderListRow};
use crate::records::search_texts;
use panel_contract::lists::List;
use panel_platform::scope::Scope;
use panel_platform::table::{ColumnSql, CountGroup, Join, RowSource, SearchTarget, Table, base_column, expr};

pub static ORDERS: Table = table(&panel_contract::lists::orders::ORDERS, SOURCE).count_from("orders", "");

/// Orders that child panels placed.
pub static CHILD_PANEL_ORDERS: Table = table(
    &panel_contract::lists::orders::CHILD_PANEL_ORDERS,
    RowSource { scope: Some("o.is_child_panel = TRUE"), ..SOURCE },
)
.count_from("orders", "child_panel");

const SOURCE: RowSource = RowSource {
    base: "orders",
    alias: "o",
    key: "o.id",
    joins: &[
        Join { alias: "s", sql: "JOIN services s ON s.id = o.service_id" },
        Join { alias: "u", sql: "JOIN users u ON u.id = o.user_id" },
    ],
    select: LIST_COLUMNS,
    ..RowSource::NONE
};

const fn table(list: &'static List, source: RowSource) -> Table {
    Table::new(list, source, COLUMN_SQL).global_search(GLOBAL_SEARCH_TARGETS)
}

/// Columns that the global search covers, in addition to the id.
const GLOBAL_SEARCH_TARGETS: &[SearchTarget] = &[
    SearchTarget::new("o.id", &search_texts::ORDERS, "url").own_columns(&["o.url"]),
    SearchTarget::new("o.user_id", &search_texts::USERS, "user"),
    SearchTarget::new("o.service_id", &search_texts::SERVICES, "service"),
];

/// Columns whose SQL is not a table column of the same name, or that have materialized counts or a text index.
const COLUMN_SQL: &[ColumnSql] = &[
    base_column("url").text_index("o.id", &search_texts::ORDERS, "url"),
    base_column("status").count_group(CountGroup::FilterValue),
    expr("percent_of_current_fill", "(CAST(o.current_quantity AS DOUBLE PRECISION) * 10000 / o.quantity)"),
    // NULL for an order that was never charged.
    expr(
        "margin_percent",
        "(CAST(o.cost - o.refunded - o.provider_cost AS DOUBLE PRECISION) * 10000 / NULLIF(CASE WHEN o.is_paid THEN o.cost - o.refunded ELSE 0 END, 0))",
    ),
    base_column("created_at").count_group(CountGroup::Day),
    base_column("has_no_active_providers").count_group(CountGroup::FlagSet("no_active_providers")),
    expr("refill.first.quantity", "o.refill_first_quantity"),
    expr("refill.last.quantity", "o.refill_last_quantity"),
    expr("promotable.embed_url", "o.promotable_embed_url"),
    expr("promotable.region_restriction", "o.promotable_region_restriction"),
    expr("promotable.average_viewers", "o.promotable_average_viewers"),
    expr("promotable.first_statistic_viewers", "o.promotable_first_statistic_viewers"),
    expr("promotable.supported_at", "o.promotable_supported_at"),
    expr("promotable.supported_until", "o.promotable_supported_until"),
    expr("service", "s.name").join("s").text_index("o.service_id", &search_texts::SERVICES, ""),
    expr("service.id", "o.service_id"),
    expr("service.name", "s.name").join("s").text_index("o.service_id", &search_texts::SERVICES, "name"),
    expr("user", "u.name")
        .join("u")
        .text_index("o.user_id", &search_texts::USERS, "")
        .count_group(CountGroup::User),
    expr("user.id", "o.user_id").count_group(CountGroup::User),
    expr("user.name", "u.name").join("u").text_index("o.user_id", &search_texts::USERS, "name"),
    expr("user.email", "u.email").join("u").text_index("o.user_id", &search_texts::USERS, "email"),
    expr("user.telegram_username", "u.telegram_username").join("u").text_index(
        "o.user_id",
        &search_texts::USERS,
        "telegram_username",
    ),
    expr("user.balance", "u.balance_main").join("u"),
    expr("user.spent", "u.spent").join("u"),
];

#[must_use]
pub fn to_response(row: OrderListRow, scope: &Scope) -> OrderRow {
    row.into_response(scope)
}
