//! Measures every list of the operations area with `SCALE` rows (payments and audit entries: five times as many): the default page
//! over HTTP, compared with the best known SQL for the same page. The benchmark copies demo records until a list has enough rows.

use std::hint::black_box;

use panel_platform::db::{Db, DbResult, Dialect, Sql, SqlExecutor as _, Tx, bulk};
use panel_platform::table::Table;
use panel_server::catalogue;
use panel_server::operations::{
    combo_orders, drip_feeds, free_trials, grades, invoices, orders, payment_methods, payments, staff,
    subscriptions, users, withdrawals,
};
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{FromRow, Row as _, ValueRef as _};

use crate::cases::BenchmarkCase;

/// The default page length of a list.
const PAGE_LIMIT_SQL: &str = " LIMIT 30";
/// Maximum number of records that serve as templates for copies.
const MAX_TEMPLATES: i64 = 500;

/// A list of the API, and how the benchmark fills its table.
struct ListCase {
    /// Path below `/api/v1/admin/`; empty for the list of orders.
    path: &'static str,
    table: &'static Table,
    /// The status filter of the list's default view.
    status_filter: Option<StatusFilter>,
    /// The number of rows as a multiple of `SCALE`.
    scale_factor: i64,
    /// Columns that get a new value in a copy, each with the SQL expression of the value: `n.i` is the number of the copy, `t` the
    /// template.
    changed_columns: &'static [(&'static str, &'static str)],
    /// A statement that inserts rows instead of copying them. Binds: the number of rows.
    insert_statement: Option<&'static str>,
}

/// The status filter of a list.
#[derive(Clone, Copy)]
struct StatusFilter {
    query_value: &'static str,
    condition: &'static str,
    /// Group of the materialized counts.
    count_group: &'static str,
}

const fn status_filter(status: &'static str, condition: &'static str) -> Option<StatusFilter> {
    Some(StatusFilter { query_value: status, condition, count_group: status })
}

const ORDER_LIST: ListCase = ListCase {
    path: "",
    table: &orders::list::ORDERS,
    status_filter: None,
    scale_factor: 1,
    changed_columns: &[],
    insert_statement: None,
};

const STATUS_FILTER_QUERY: &str = "columns[0][data]=status&columns[0][search][value]=";

/// The lists of the operations area. A list follows the lists whose rows it depends on.
fn list_cases() -> Vec<ListCase> {
    vec![
        ListCase {
            path: "users",
            table: &users::USERS,
            status_filter: status_filter("active", "u.status = 'active'"),
            changed_columns: &[("email", "'bench' || n.i || '@panel.test'"), ("affiliate_code", "NULL")],
            ..ORDER_LIST
        },
        ListCase {
            path: "staffs",
            table: &staff::members::STAFF,
            insert_statement: Some("INSERT INTO user_roles (user_id, role_id) SELECT u.id, (SELECT min(id) FROM roles) FROM users u WHERE u.id < 1000000000
                AND NOT EXISTS (SELECT 1 FROM user_roles x WHERE x.user_id = u.id) ORDER BY u.id LIMIT ?"),
            ..ORDER_LIST
        },
        ORDER_LIST,
        ListCase {
            path: "child-panel-orders",
            table: &orders::list::CHILD_PANEL_ORDERS,
            changed_columns: &[("is_child_panel", "TRUE")],
            ..ORDER_LIST
        },
        ListCase {
            path: "subscriptions",
            table: &subscriptions::SUBSCRIPTIONS,
            ..ORDER_LIST
        },
        ListCase {
            path: "drip-feeds",
            table: &drip_feeds::DRIP_FEEDS,
            status_filter: status_filter("in_processing", "d.status = 'in_processing'"),
            ..ORDER_LIST
        },
        ListCase { path: "combo-orders", table: &combo_orders::COMBO_ORDERS, ..ORDER_LIST },
        ListCase { path: "payments", table: &payments::PAYMENTS, scale_factor: 5, ..ORDER_LIST },
        ListCase { path: "transactions", table: &payments::TRANSACTIONS, scale_factor: 5, ..ORDER_LIST },
        ListCase {
            path: "invoices",
            table: &invoices::INVOICES,
            status_filter: status_filter("pending", "i.status = 'pending'"),
            ..ORDER_LIST
        },
        ListCase {
            path: "withdrawals",
            table: &withdrawals::WITHDRAWALS,
            status_filter: status_filter("pending", "w.status = 'pending'"),
            changed_columns: &[("transaction_id", "CASE WHEN t.transaction_id IS NOT NULL THEN 'B' || n.i END")],
            ..ORDER_LIST
        },
        ListCase {
            path: "payment-methods",
            table: &payment_methods::PAYMENT_METHODS,
            changed_columns: &[("position", "1000 + n.i")],
            ..ORDER_LIST
        },
        ListCase {
            path: "free-trials",
            table: &free_trials::FREE_TRIALS,
            status_filter: status_filter("pending", "t.status = 'pending'"),
            ..ORDER_LIST
        },
        ListCase { path: "free-trial-quests", table: &free_trials::quests::QUESTS, ..ORDER_LIST },
        ListCase { path: "grades", table: &grades::GRADES, ..ORDER_LIST },
        ListCase { path: "audits", table: &panel_server::configuration::audits::AUDITS, scale_factor: 5, ..ORDER_LIST },
        ListCase { path: "services/logs", table: &catalogue::change_logs::CHANGE_LOGS, ..ORDER_LIST },
    ]
}

/// A row type that reads every column and stores no value. SQLx must decode the row as for a real query.
pub(crate) struct FullyReadRow;

macro_rules! impl_fully_read_row {
    ($row:ty) => {
        impl<'r> FromRow<'r, $row> for FullyReadRow {
            fn from_row(row: &'r $row) -> sqlx::Result<Self> {
                for index in 0..row.len() {
                    black_box(row.try_get_raw(index)?.is_null());
                }
                Ok(Self)
            }
        }
    };
}

impl_fully_read_row!(SqliteRow);
impl_fully_read_row!(PgRow);

/// Leaks the string, because `Sql` needs static strings. The process exits soon.
fn leaked_sql(text: String) -> Sql {
    Sql::new(Box::leak(text.into_boxed_str()))
}

/// Adds rows to every list in one transaction.
pub(crate) async fn fill(db: &Db, scale: i64) {
    let mut tx = db.begin().await.unwrap();
    let suspended_triggers = bulk::suspend_triggers(&mut tx).await.unwrap();
    for list in list_cases() {
        let missing_count = scale * list.scale_factor - count_rows(&mut tx, &list).await.unwrap();
        if missing_count > 0 {
            let started_at = std::time::Instant::now();
            add_rows(&mut tx, &list, missing_count).await.unwrap();
            println!(
                "{:<32} {missing_count} rows added in {:.1} s",
                list.path,
                started_at.elapsed().as_secs_f64()
            );
        }
    }
    bulk::restore_triggers(&mut tx, suspended_triggers).await.unwrap();
    tx.commit().await.unwrap();
    (&mut &*db).execute(Sql::new("ANALYZE")).await.unwrap();
}

async fn count_rows(tx: &mut Tx, list: &ListCase) -> DbResult<i64> {
    let table = list.table;
    let count_sql = format!(
        "SELECT count(*) FROM {} {}{}",
        table.source.base,
        table.source.alias,
        where_clause(table.source.scope, None)
    );
    Ok(tx.fetch_one::<(i64,)>(leaked_sql(count_sql)).await?.0)
}

async fn add_rows(tx: &mut Tx, list: &ListCase, missing_count: i64) -> DbResult<()> {
    if let Some(insert_statement) = list.insert_statement {
        return tx.execute(Sql::new(insert_statement).bind(missing_count)).await.map(drop);
    }
    let (base, alias) = (list.table.source.base, list.table.source.alias);
    // Only rows that the list shows are templates, because copies of other rows would not appear in the list.
    let visible_filter = if list.changed_columns.is_empty() {
        where_clause(list.table.source.scope, None)
    } else {
        String::new()
    };
    let templates_sql = format!(
        "SELECT * FROM {base} {alias}{visible_filter} ORDER BY {alias}.id DESC LIMIT {MAX_TEMPLATES}"
    );
    let (template_count, last_id): (i64, Option<i64>) = tx
        .fetch_one(leaked_sql(format!(
            "SELECT (SELECT count(*) FROM ({templates_sql}) m), (SELECT max(id) FROM {base})"
        )))
        .await?;
    let Some(last_id) = last_id.filter(|_| template_count > 0) else {
        println!("{base}: no rows to copy");
        return Ok(());
    };
    let columns = column_names(tx, base).await?;
    let copied_values =
        columns.iter().map(|column| match list.changed_columns.iter().find(|(name, _)| name == column) {
            Some((_, value_sql)) => (*value_sql).to_owned(),
            None if column == "id" => format!("{last_id} + n.i"),
            None => format!("t.{column}"),
        });
    let copied_values = copied_values.collect::<Vec<_>>().join(", ");
    let series_sql = match tx.dialect() {
        Dialect::Sqlite => {
            format!(
                "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {missing_count})"
            )
        }
        Dialect::Postgres => format!("WITH n AS (SELECT i FROM generate_series(1, {missing_count}) i)"),
    };
    let insert_sql = format!(
        "INSERT INTO {base} ({}) {series_sql} SELECT {copied_values} FROM n JOIN (SELECT m.*, row_number() OVER (ORDER BY m.id) - 1 AS nth FROM ({templates_sql}) m) t
           ON t.nth = n.i % {template_count}",
        columns.join(", ")
    );
    tx.execute(leaked_sql(insert_sql)).await.map(drop)
}

async fn column_names(tx: &mut Tx, base: &'static str) -> DbResult<Vec<String>> {
    let names_sql = match tx.dialect() {
        Dialect::Sqlite => "SELECT name FROM pragma_table_info(?) ORDER BY cid",
        Dialect::Postgres => {
            "SELECT column_name::text FROM information_schema.columns WHERE table_name = ? AND table_schema = current_schema() ORDER BY ordinal_position"
        }
    };
    let names: Vec<(String,)> = tx.fetch_all(Sql::new(names_sql).bind(base)).await?;
    Ok(names.into_iter().map(|(name,)| name).collect())
}

fn where_clause(scope: Option<&str>, filter: Option<&str>) -> String {
    let conditions: Vec<&str> = scope.into_iter().chain(filter).collect();
    if conditions.is_empty() { String::new() } else { format!(" WHERE {}", conditions.join(" AND ")) }
}

/// One case per list.
pub(crate) fn benchmark_cases(dialect: Dialect) -> Vec<BenchmarkCase> {
    list_cases().into_iter().map(|list| benchmark_case(&list, dialect)).collect()
}

fn benchmark_case(list: &ListCase, dialect: Dialect) -> BenchmarkCase {
    let table = list.table;
    let filter = list.status_filter.map(|filter| filter.condition);
    let from_sql = format!("{} {}", table.source.base, table.source.alias);
    let total_sql = match table.row_counts {
        Some((name, group)) => {
            let group = list.status_filter.map_or(group, |filter| filter.count_group);
            format!("SELECT sum(n) FROM row_counts WHERE tbl = '{name}' AND block = -1 AND grp = '{group}'")
        }
        None => format!("SELECT count(*) FROM {from_sql}{}", where_clause(table.source.scope, filter)),
    };
    let order_term = |(name, descending): &(&str, bool)| {
        let expr = table.column(name).map_or(table.source.key, |column| column.expr);
        format!("{expr}{}", if *descending { " DESC" } else { "" })
    };
    let order_sql = match table.list.order {
        [] => format!("{} DESC", table.source.key),
        keys => {
            format!("{}, {}", keys.iter().map(order_term).collect::<Vec<_>>().join(", "), table.source.key)
        }
    };
    let ids_sql = format!(
        "SELECT {} AS id FROM {from_sql}{} ORDER BY {order_sql}{PAGE_LIMIT_SQL}",
        table.source.key,
        where_clause(table.source.scope, filter)
    );
    let joins_sql: String = table.source.joins.iter().map(|join| format!(" {}", join.sql)).collect();
    // SQLite joins the tables of a CROSS JOIN in the written order, so that it reads the ids of the page first.
    let join = if dialect == Dialect::Sqlite { "CROSS JOIN" } else { "JOIN" };
    let page_sql = format!(
        "SELECT CAST(({total_sql}) AS BIGINT) AS list_total, {} FROM ({ids_sql}) p0 {join} {from_sql} ON {} = p0.id{joins_sql} ORDER BY {order_sql}",
        table.source.select, table.source.key
    );
    let path = if list.path.is_empty() { "orders" } else { list.path };
    let query = list
        .status_filter
        .map_or(String::new(), |filter| format!("?{STATUS_FILTER_QUERY}{}", filter.query_value));
    BenchmarkCase {
        name: path,
        goal_fraction: 0.5,
        path: format!("/api/v1/admin/{path}{query}"),
        page_sql: leaked_sql(page_sql),
        ids_sql: leaked_sql(ids_sql),
    }
}
