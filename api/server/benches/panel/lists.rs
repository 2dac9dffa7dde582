//! Every list of the operations area with `SCALE` rows (payments and audit entries: five times as many). Compares the default page
//! over HTTP with the best known SQL for the same page. The bench copies records of the demo until a list has enough rows.

use std::hint::black_box;

use panel_platform::db::{Db, DbResult, Dialect, Source as _, Sql, Tx, bulk};
use panel_platform::table::Table;
use panel_server::catalogue;
use panel_server::operations::{
    combo_orders, drip_feeds, free_trials, grades, invoices, orders, payment_methods, payments, staff,
    subscriptions, users, withdrawals,
};
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{FromRow, Row as _, ValueRef as _};

use crate::cases::Case;

/// The page length of a list without parameters.
const PAGE_LIMIT: &str = " LIMIT 30";
/// Maximum number of records that serve as templates for copies.
const MAX_TEMPLATES: i64 = 500;

/// A list of the API, and how the bench fills it.
struct ListCase {
    path: &'static str,
    table: &'static Table,
    /// The status filter of the default view: query value, SQL, and group of the materialized count.
    status_filter: Option<(&'static str, &'static str, &'static str)>,
    /// The number of rows as a multiple of `SCALE`.
    scale_factor: i64,
    /// The columns that get a new value in a copy, with the SQL of the value: `n.i` is the number of the copy, `t` the template.
    changed_columns: &'static [(&'static str, &'static str)],
    /// A statement that inserts rows, for a list whose records are not copied; `?` is the number of rows.
    insert_statement: Option<&'static str>,
}

const ORDER_LIST: ListCase = ListCase {
    path: "",
    table: &orders::list::ORDERS,
    status_filter: None,
    scale_factor: 1,
    changed_columns: &[],
    insert_statement: None,
};

const STATUS_FILTER: &str = "columns[0][data]=status&columns[0][search][value]=";

/// The lists of the operations area. A list that depends on the rows of another comes after it.
fn lists() -> Vec<ListCase> {
    vec![
        ListCase {
            path: "users",
            table: &users::USERS,
            status_filter: Some(("active", "u.status = 'active'", "active")),
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
            status_filter: Some(("in_processing", "d.status = 'in_processing'", "in_processing")),
            ..ORDER_LIST
        },
        ListCase { path: "combo-orders", table: &combo_orders::COMBO_ORDERS, ..ORDER_LIST },
        ListCase { path: "payments", table: &payments::PAYMENTS, scale_factor: 5, ..ORDER_LIST },
        ListCase { path: "transactions", table: &payments::TRANSACTIONS, scale_factor: 5, ..ORDER_LIST },
        ListCase {
            path: "invoices",
            table: &invoices::INVOICES,
            status_filter: Some(("pending", "i.status = 'pending'", "pending")),
            ..ORDER_LIST
        },
        ListCase {
            path: "withdrawals",
            table: &withdrawals::WITHDRAWALS,
            status_filter: Some(("pending", "w.status = 'pending'", "pending")),
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
            status_filter: Some(("pending", "t.status = 'pending'", "pending")),
            ..ORDER_LIST
        },
        ListCase { path: "free-trial-quests", table: &free_trials::quests::QUESTS, ..ORDER_LIST },
        ListCase { path: "grades", table: &grades::GRADES, ..ORDER_LIST },
        ListCase { path: "audits", table: &panel_server::configuration::audits::AUDITS, scale_factor: 5, ..ORDER_LIST },
        ListCase { path: "services/logs", table: &catalogue::change_logs::CHANGE_LOGS, ..ORDER_LIST },
    ]
}

/// A row type that reads every column and stores none, so that SQLx decodes the row as for a real query.
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

/// Leaks the text, because `Sql` needs static texts; the program ends soon.
fn leaked_sql(text: String) -> Sql {
    Sql::new(Box::leak(text.into_boxed_str()))
}

/// Fills every list in one transaction.
pub(crate) async fn fill(db: &Db, scale: i64) {
    let mut tx = db.begin().await.unwrap();
    let suspended_triggers = bulk::suspend_triggers(&mut tx).await.unwrap();
    for list in lists() {
        let missing = scale * list.scale_factor - count_rows(&mut tx, &list).await.unwrap();
        if missing > 0 {
            let started = std::time::Instant::now();
            add_rows(&mut tx, &list, missing).await.unwrap();
            println!("{:<32} {missing} rows more in {:.1} s", list.path, started.elapsed().as_secs_f64());
        }
    }
    bulk::restore_triggers(&mut tx, suspended_triggers).await.unwrap();
    tx.commit().await.unwrap();
    (&mut &*db).execute(Sql::new("ANALYZE")).await.unwrap();
}

async fn count_rows(tx: &mut Tx, list: &ListCase) -> DbResult<i64> {
    let table = list.table;
    let count = format!(
        "SELECT count(*) FROM {} {}{}",
        table.source.base,
        table.source.alias,
        where_clause(table.source.scope, None)
    );
    Ok(tx.fetch_one::<(i64,)>(leaked_sql(count)).await?.0)
}

async fn add_rows(tx: &mut Tx, list: &ListCase, missing: i64) -> DbResult<()> {
    if let Some(insert_statement) = list.insert_statement {
        return tx.execute(Sql::new(insert_statement).bind(missing)).await.map(drop);
    }
    let (base, alias) = (list.table.source.base, list.table.source.alias);
    // Only rows that the list shows are templates: copies of other rows would not appear in the list.
    let visible_filter = if list.changed_columns.is_empty() {
        where_clause(list.table.source.scope, None)
    } else {
        String::new()
    };
    let templates = format!(
        "SELECT * FROM {base} {alias}{visible_filter} ORDER BY {alias}.id DESC LIMIT {MAX_TEMPLATES}"
    );
    let (template_count, last_id): (i64, Option<i64>) = tx
        .fetch_one(leaked_sql(format!(
            "SELECT (SELECT count(*) FROM ({templates}) m), (SELECT max(id) FROM {base})"
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
    let series = match tx.dialect() {
        Dialect::Sqlite => {
            format!("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {missing})")
        }
        Dialect::Postgres => format!("WITH n AS (SELECT i FROM generate_series(1, {missing}) i)"),
    };
    let text = format!(
        "INSERT INTO {base} ({}) {series} SELECT {copied_values} FROM n JOIN (SELECT m.*, row_number() OVER (ORDER BY m.id) - 1 AS nth FROM ({templates}) m) t
           ON t.nth = n.i % {template_count}",
        columns.join(", ")
    );
    tx.execute(leaked_sql(text)).await.map(drop)
}

async fn column_names(tx: &mut Tx, base: &'static str) -> DbResult<Vec<String>> {
    let names = match tx.dialect() {
        Dialect::Sqlite => "SELECT name FROM pragma_table_info(?) ORDER BY cid",
        Dialect::Postgres => {
            "SELECT column_name::text FROM information_schema.columns WHERE table_name = ? AND table_schema = current_schema() ORDER BY ordinal_position"
        }
    };
    let names: Vec<(String,)> = tx.fetch_all(Sql::new(names).bind(base)).await?;
    Ok(names.into_iter().map(|(name,)| name).collect())
}

fn where_clause(scope: Option<&str>, filter: Option<&str>) -> String {
    let conditions: Vec<&str> = scope.into_iter().chain(filter).collect();
    if conditions.is_empty() { String::new() } else { format!(" WHERE {}", conditions.join(" AND ")) }
}

/// The cases of every list.
pub(crate) fn cases(dialect: Dialect) -> Vec<Case> {
    lists().into_iter().map(|list| case(&list, dialect)).collect()
}

fn case(list: &ListCase, dialect: Dialect) -> Case {
    let table = list.table;
    let filter = list.status_filter.map(|(_, filter, _)| filter);
    let from = format!("{} {}", table.source.base, table.source.alias);
    let total = match table.row_counts {
        Some((name, group)) => {
            let group = list.status_filter.map_or(group, |(_, _, group)| group);
            format!("SELECT sum(n) FROM row_counts WHERE tbl = '{name}' AND block = -1 AND grp = '{group}'")
        }
        None => format!("SELECT count(*) FROM {from}{}", where_clause(table.source.scope, filter)),
    };
    let order_by = |(name, descending): &(&str, bool)| {
        let expr = table.column(name).map_or(table.source.key, |column| column.expr);
        format!("{expr}{}", if *descending { " DESC" } else { "" })
    };
    let order = match table.list.order {
        [] => format!("{} DESC", table.source.key),
        keys => format!("{}, {}", keys.iter().map(order_by).collect::<Vec<_>>().join(", "), table.source.key),
    };
    let ids = format!(
        "SELECT {} AS id FROM {from}{} ORDER BY {order}{PAGE_LIMIT}",
        table.source.key,
        where_clause(table.source.scope, filter)
    );
    let joins: String = table.source.joins.iter().map(|join| format!(" {}", join.sql)).collect();
    // SQLite joins the tables of a CROSS JOIN in the given order: the page first.
    let join = if dialect == Dialect::Sqlite { "CROSS JOIN" } else { "JOIN" };
    let page_sql = format!(
        "SELECT CAST(({total}) AS BIGINT) AS list_total, {} FROM ({ids}) p0 {join} {from} ON {} = p0.id{joins} ORDER BY {order}",
        table.source.select, table.source.key
    );
    let path = if list.path.is_empty() { "orders" } else { list.path };
    let query = list.status_filter.map_or(String::new(), |(value, ..)| format!("?{STATUS_FILTER}{value}"));
    Case {
        name: path,
        goal: 0.5,
        path: format!("/api/v1/admin/{path}{query}"),
        page_sql: leaked_sql(page_sql),
        ids_sql: leaked_sql(ids),
    }
}
