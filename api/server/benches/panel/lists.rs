//! Every list of operations with the number of rows of `SCALE` (payments and audit with five times as many): its default page
//! over HTTP compared with the best known SQL for the same page. The demo's records are copied set-wise until there are enough.

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

/// Rows of a default page.
const PAGE: &str = " LIMIT 30";
/// Maximum number of records that are used as templates for copies.
const MAX_TEMPLATES: i64 = 500;

/// A list, and how it is filled.
struct List {
    path: &'static str,
    table: &'static Table,
    /// The default filter: its query, its SQL, and the group of its materialized count.
    first: Option<(&'static str, &'static str, &'static str)>,
    /// Number of rows as a multiple of `SCALE`.
    times: i64,
    /// Columns with new values in a copy: `n.i` is its number, `t` the copied record.
    own: &'static [(&'static str, &'static str)],
    /// Statement that creates rows if copying does not; `?` is their number.
    made: Option<&'static str>,
}

const LIST: List =
    List { path: "", table: &orders::list::ORDERS, first: None, times: 1, own: &[], made: None };

const STATUS: &str = "columns[0][data]=status&columns[0][search][value]=";

/// Every list of operations; lists derived from others come after them.
fn lists() -> Vec<List> {
    vec![
        List {
            path: "users",
            table: &users::USERS,
            first: Some(("active", "u.status = 'active'", "active")),
            own: &[("email", "'bench' || n.i || '@panel.test'"), ("affiliate_code", "NULL")],
            ..LIST
        },
        List {
            path: "staffs",
            table: &staff::members::STAFF,
            made: Some("INSERT INTO user_roles (user_id, role_id) SELECT u.id, (SELECT min(id) FROM roles) FROM users u WHERE u.id < 1000000000
                AND NOT EXISTS (SELECT 1 FROM user_roles x WHERE x.user_id = u.id) ORDER BY u.id LIMIT ?"),
            ..LIST
        },
        LIST,
        List {
            path: "child-panel-orders",
            table: &orders::list::CHILD_PANEL_ORDERS,
            own: &[("is_child_panel", "TRUE")],
            ..LIST
        },
        List {
            path: "subscriptions",
            table: &subscriptions::SUBSCRIPTIONS,
            ..LIST
        },
        List {
            path: "drip-feeds",
            table: &drip_feeds::DRIP_FEEDS,
            first: Some(("in_processing", "d.status = 'in_processing'", "in_processing")),
            ..LIST
        },
        List { path: "combo-orders", table: &combo_orders::COMBO_ORDERS, ..LIST },
        List { path: "payments", table: &payments::PAYMENTS, times: 5, ..LIST },
        List { path: "transactions", table: &payments::TRANSACTIONS, times: 5, ..LIST },
        List {
            path: "invoices",
            table: &invoices::INVOICES,
            first: Some(("pending", "i.status = 'pending'", "pending")),
            ..LIST
        },
        List {
            path: "withdrawals",
            table: &withdrawals::WITHDRAWALS,
            first: Some(("pending", "w.status = 'pending'", "pending")),
            own: &[("transaction_id", "CASE WHEN t.transaction_id IS NOT NULL THEN 'B' || n.i END")],
            ..LIST
        },
        List {
            path: "payment-methods",
            table: &payment_methods::PAYMENT_METHODS,
            own: &[("position", "1000 + n.i")],
            ..LIST
        },
        List {
            path: "free-trials",
            table: &free_trials::FREE_TRIALS,
            first: Some(("pending", "t.status = 'pending'", "pending")),
            ..LIST
        },
        List { path: "free-trial-quests", table: &free_trials::quests::QUESTS, ..LIST },
        List { path: "grades", table: &grades::GRADES, ..LIST },
        List { path: "audits", table: &panel_server::configuration::audits::AUDITS, times: 5, ..LIST },
        List { path: "services/logs", table: &catalogue::change_logs::CHANGE_LOGS, ..LIST },
    ]
}

/// A row that fetches all of its columns, as a real reader does.
pub(crate) struct Touched;

macro_rules! touched {
    ($row:ty) => {
        impl<'r> FromRow<'r, $row> for Touched {
            fn from_row(row: &'r $row) -> sqlx::Result<Self> {
                for at in 0..row.len() {
                    black_box(row.try_get_raw(at)?.is_null());
                }
                Ok(Self)
            }
        }
    };
}

touched!(SqliteRow);
touched!(PgRow);

/// Leaks the text, because SQL must be static; this program ends soon.
fn sql(text: String) -> Sql {
    Sql::new(Box::leak(text.into_boxed_str()))
}

/// Fills every list in one transaction.
pub(crate) async fn fill(db: &Db, scale: i64) {
    let mut tx = db.begin().await.unwrap();
    let quiet = bulk::suspend_triggers(&mut tx).await.unwrap();
    for list in lists() {
        let missing = scale * list.times - rows(&mut tx, &list).await.unwrap();
        if missing > 0 {
            let begun = std::time::Instant::now();
            grow(&mut tx, &list, missing).await.unwrap();
            println!("{:<32} {missing} rows more in {:.1} s", list.path, begun.elapsed().as_secs_f64());
        }
    }
    bulk::restore_triggers(&mut tx, quiet).await.unwrap();
    tx.commit().await.unwrap();
    (&mut &*db).exec(Sql::new("ANALYZE")).await.unwrap();
}

async fn rows(tx: &mut Tx, list: &List) -> DbResult<i64> {
    let table = list.table;
    let count = format!(
        "SELECT count(*) FROM {} {}{}",
        table.source.base,
        table.source.alias,
        filtered(table.source.scope, None)
    );
    Ok(tx.one::<(i64,)>(sql(count)).await?.0)
}

async fn grow(tx: &mut Tx, list: &List, missing: i64) -> DbResult<()> {
    if let Some(made) = list.made {
        return tx.exec(Sql::new(made).bind(missing)).await.map(drop);
    }
    let (base, alias) = (list.table.source.base, list.table.source.alias);
    // Only rows that the list shows are copied; others would not make it larger.
    let shown = if list.own.is_empty() { filtered(list.table.source.scope, None) } else { String::new() };
    let models =
        format!("SELECT * FROM {base} {alias}{shown} ORDER BY {alias}.id DESC LIMIT {MAX_TEMPLATES}");
    let (many, last): (i64, Option<i64>) = tx
        .one(sql(format!("SELECT (SELECT count(*) FROM ({models}) m), (SELECT max(id) FROM {base})")))
        .await?;
    let Some(last) = last.filter(|_| many > 0) else {
        println!("{base}: no rows to copy");
        return Ok(());
    };
    let columns = columns(tx, base).await?;
    let copied = columns.iter().map(|column| match list.own.iter().find(|(name, _)| name == column) {
        Some((_, own)) => (*own).to_owned(),
        None if column == "id" => format!("{last} + n.i"),
        None => format!("t.{column}"),
    });
    let copied = copied.collect::<Vec<_>>().join(", ");
    let series = match tx.dialect() {
        Dialect::Sqlite => {
            format!("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {missing})")
        }
        Dialect::Postgres => format!("WITH n AS (SELECT i FROM generate_series(1, {missing}) i)"),
    };
    let text = format!(
        "INSERT INTO {base} ({}) {series} SELECT {copied} FROM n JOIN (SELECT m.*, row_number() OVER (ORDER BY m.id) - 1 AS nth FROM ({models}) m) t
           ON t.nth = n.i % {many}",
        columns.join(", ")
    );
    tx.exec(sql(text)).await.map(drop)
}

async fn columns(tx: &mut Tx, base: &'static str) -> DbResult<Vec<String>> {
    let names = match tx.dialect() {
        Dialect::Sqlite => "SELECT name FROM pragma_table_info(?) ORDER BY cid",
        Dialect::Postgres => {
            "SELECT column_name::text FROM information_schema.columns WHERE table_name = ? AND table_schema = current_schema() ORDER BY ordinal_position"
        }
    };
    let names: Vec<(String,)> = tx.all(Sql::new(names).bind(base)).await?;
    Ok(names.into_iter().map(|(name,)| name).collect())
}

fn filtered(scope: Option<&str>, filter: Option<&str>) -> String {
    let all: Vec<&str> = scope.into_iter().chain(filter).collect();
    if all.is_empty() { String::new() } else { format!(" WHERE {}", all.join(" AND ")) }
}

/// The cases of every list.
pub(crate) fn cases(dialect: Dialect) -> Vec<Case> {
    lists().into_iter().map(|list| case(&list, dialect)).collect()
}

fn case(list: &List, dialect: Dialect) -> Case {
    let table = list.table;
    let filter = list.first.map(|(_, filter, _)| filter);
    let from = format!("{} {}", table.source.base, table.source.alias);
    let total = match table.row_counts {
        Some((name, group)) => {
            let group = list.first.map_or(group, |(_, _, group)| group);
            format!("SELECT sum(n) FROM row_counts WHERE tbl = '{name}' AND block = -1 AND grp = '{group}'")
        }
        None => format!("SELECT count(*) FROM {from}{}", filtered(table.source.scope, filter)),
    };
    let by = |(name, descending): &(&str, bool)| {
        let expr = table.column(name).map_or(table.source.key, |column| column.expr);
        format!("{expr}{}", if *descending { " DESC" } else { "" })
    };
    let order = match table.list.order {
        [] => format!("{} DESC", table.source.key),
        keys => format!("{}, {}", keys.iter().map(by).collect::<Vec<_>>().join(", "), table.source.key),
    };
    let ids = format!(
        "SELECT {} AS id FROM {from}{} ORDER BY {order}{PAGE}",
        table.source.key,
        filtered(table.source.scope, filter)
    );
    let joins: String = table.source.joins.iter().map(|join| format!(" {}", join.sql)).collect();
    // SQLite joins the tables of a CROSS JOIN in the given order: the page first.
    let join = if dialect == Dialect::Sqlite { "CROSS JOIN" } else { "JOIN" };
    let bare = format!(
        "SELECT CAST(({total}) AS BIGINT) AS list_total, {} FROM ({ids}) p0 {join} {from} ON {} = p0.id{joins} ORDER BY {order}",
        table.source.select, table.source.key
    );
    let path = if list.path.is_empty() { "orders" } else { list.path };
    let query = list.first.map_or(String::new(), |(word, ..)| format!("?{STATUS}{word}"));
    Case {
        name: path,
        goal: 0.5,
        path: format!("/api/v1/admin/{path}{query}"),
        bare: sql(bare),
        ids: sql(ids),
    }
}
