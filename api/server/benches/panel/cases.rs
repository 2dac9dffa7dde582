//! The measured requests for orders, each with the best known SQL for the same response: materialized totals, ids first, rows
//! second.

use panel_platform::db::{Db, Dialect, Source, Sql};
use panel_server::operations::orders::detail::LIST_COLUMNS;

/// One row of the results.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// The required throughput as a fraction of the SQL's throughput.
    pub(crate) goal: f64,
    pub(crate) path: String,
    pub(crate) page_sql: Sql,
    /// The query for the ids, whose plan is reported.
    pub(crate) ids_sql: Sql,
}

const ORDERS: &str = "/api/v1/admin/orders?";
const DAY: i64 = 86_400_000_000;

/// The query for the rows with these ids, with the total in each row.
fn page_sql(total: Sql, ids: Sql, order: &'static str) -> Sql {
    let rows = Sql::new("SELECT CAST((")
        .append(total)
        .push(") AS BIGINT), ")
        .push(LIST_COLUMNS)
        .push(" FROM (")
        .append(ids);
    rows.push(") p JOIN orders o ON o.id = p.id JOIN services s ON s.id = o.service_id JOIN users u ON u.id = o.user_id ORDER BY ").push(order)
}

fn stored_total(group: &'static str) -> Sql {
    Sql::new("SELECT sum(n) FROM row_counts WHERE tbl = 'orders' AND block = -1 AND grp = ?").bind(group)
}

fn case(name: &'static str, goal: f64, path: &str, total: Sql, ids: Sql) -> Case {
    Case {
        name,
        goal,
        path: format!("{ORDERS}{path}"),
        page_sql: page_sql(total, ids.clone(), "o.id DESC"),
        ids_sql: ids,
    }
}

/// The ids of a page of completed orders: finds the block of the offset by the materialized counts, then scans within the block.
fn completed_ids_at_offset(offset: i64) -> Sql {
    Sql::new(
        "SELECT id FROM orders WHERE status = 'completed' AND id < (SELECT (block + 1) * 8192 FROM (SELECT block, sum(n) OVER (ORDER BY block DESC) AS upto
           FROM row_counts WHERE tbl = 'orders' AND grp = 'completed' AND block >= 0) b WHERE upto > ? ORDER BY block DESC LIMIT 1)
         ORDER BY id DESC LIMIT 30 OFFSET ? - (SELECT CAST(upto - n AS BIGINT) FROM (SELECT block, n, sum(n) OVER (ORDER BY block DESC) AS upto
           FROM row_counts WHERE tbl = 'orders' AND grp = 'completed' AND block >= 0) b WHERE upto > ? ORDER BY block DESC LIMIT 1)",
    )
    .bind(offset)
    .bind(offset)
    .bind(offset)
}

/// The ids of the orders whose URL contains `text`.
fn ids_by_url_text(dialect: Dialect, text: &str) -> Sql {
    match dialect {
        Dialect::Sqlite => Sql::new("SELECT rowid AS id FROM orders_fts WHERE orders_fts MATCH ?")
            .bind(format!("\"{text}\"")),
        Dialect::Postgres => Sql::new("SELECT id FROM orders WHERE lower(url COLLATE \"und-x-icu\") LIKE ?")
            .bind(format!("%{text}%")),
    }
}

fn search_case(name: &'static str, dialect: Dialect, text: &str) -> Case {
    let matching_ids = ids_by_url_text(dialect, text);
    let total = Sql::new("SELECT count(*) FROM (").append(matching_ids.clone()).push(") h");
    let ids = Sql::new("SELECT id FROM (").append(matching_ids).push(") h ORDER BY id DESC LIMIT 30");
    let path = format!("columns[0][data]=url&columns[0][search][value]={text}");
    case(name, 1.0 / 3.0, &path, total, ids)
}

/// All cases for the orders of this database.
pub(crate) async fn all(db: &Db, orders: i64) -> Vec<Case> {
    let mut source = db;
    let (user_id, order_count): (i64, i64) = (&mut source)
        .fetch_one(Sql::new(
            "SELECT user_id, count(*) FROM orders GROUP BY user_id ORDER BY 2 DESC, 1 LIMIT 1",
        ))
        .await
        .unwrap();
    let (url,): (String,) = (&mut source)
        .fetch_one(Sql::new("SELECT url FROM orders WHERE id = ?").bind(orders / 3))
        .await
        .unwrap();
    let rare_text: String = url.chars().filter(char::is_ascii_digit).collect();
    let (completed,): (i64,) = (&mut source)
        .fetch_one(Sql::new("SELECT count(*) FROM orders WHERE status = 'completed'"))
        .await
        .unwrap();
    let (middle_created_at,): (i64,) = (&mut source)
        .fetch_one(Sql::new("SELECT created_at FROM orders WHERE id = ?").bind(orders / 2))
        .await
        .unwrap();
    let day = middle_created_at / DAY;
    let date = |day: i64| panel_contract::moment::Day(day).to_string();
    let user_total = Sql::new("SELECT n FROM user_order_counts WHERE user_id = ?").bind(user_id);
    let last_page_start = completed - completed % 30;
    let week_ids = Sql::new(
        "SELECT id FROM orders WHERE status = 'completed' AND created_at >= ? AND created_at < ? ORDER BY cost DESC, id DESC LIMIT 30",
    );
    let week_total =
        Sql::new("SELECT sum(n) FROM order_days WHERE status = 'completed' AND day BETWEEN ? AND ?")
            .bind(day)
            .bind(day + 6);
    let status = "columns[0][data]=status&columns[0][search][value]=";
    println!("{order_count} orders of user {user_id}, {completed} completed, rare text {rare_text}");
    let by_cost = format!(
        "{status}completed&columns[1][data]=created_at&columns[1][search][value]={}..{}&columns[2][data]=cost&order[0][column]=2&order[0][dir]=desc",
        date(day),
        date(day + 6)
    );
    let mut all = vec![
        case(
            "default page",
            0.5,
            "",
            stored_total(""),
            Sql::new("SELECT id FROM orders ORDER BY id DESC LIMIT 30"),
        ),
        case(
            "status = in_moderation",
            0.5,
            &format!("{status}in_moderation"),
            stored_total("in_moderation"),
            Sql::new("SELECT id FROM orders WHERE status = 'in_moderation' ORDER BY id DESC LIMIT 30"),
        ),
        case(
            "orders of one user",
            0.5,
            &format!("columns[0][data]=user.id&columns[0][search][value]={user_id}"),
            user_total,
            Sql::new("SELECT id FROM orders WHERE user_id = ? ORDER BY id DESC LIMIT 30").bind(user_id),
        ),
        case(
            "one order by id",
            0.5,
            &format!("columns[0][data]=id&columns[0][search][value]={}", orders / 2),
            Sql::new("SELECT count(*) FROM orders WHERE id = ?").bind(orders / 2),
            Sql::new("SELECT id FROM orders WHERE id = ?").bind(orders / 2),
        ),
        case(
            "completed, offset 100,000",
            1.0 / 3.0,
            &format!("{status}completed&start=100000"),
            stored_total("completed"),
            completed_ids_at_offset(100_000.min(completed - 60)),
        ),
        case(
            "completed, last page",
            1.0 / 3.0,
            &format!("{status}completed&start={last_page_start}"),
            stored_total("completed"),
            completed_ids_at_offset(last_page_start),
        ),
        search_case("text in url, few hits", db.dialect(), &rare_text),
        search_case("text in url, a ninth of all", db.dialect(), "utm_campaign"),
        case(
            "7 days + completed, by cost",
            1.0 / 3.0,
            &by_cost,
            week_total,
            week_ids.bind(day * DAY).bind((day + 7) * DAY),
        ),
    ];
    if completed <= 100_060 {
        all.retain(|case| !case.name.contains("offset"));
    }
    all
}
