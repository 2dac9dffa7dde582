//! The measured requests for orders, each with the best known SQL for the same response: it reads materialized totals, selects the
//! ids of the page, then the rows with these ids.

use panel_platform::db::{Db, Dialect, Sql, SqlExecutor};
use panel_server::operations::orders::detail::LIST_COLUMNS;

/// A measured request, and the SQL for the same response.
#[derive(Clone)]
pub(crate) struct BenchmarkCase {
    pub(crate) name: &'static str,
    /// Required throughput over HTTP, as a fraction of the throughput of the SQL.
    pub(crate) goal_fraction: f64,
    /// Path and query of the request.
    pub(crate) path: String,
    pub(crate) page_sql: Sql,
    /// Selects the ids of the page. The report includes the plan of this query.
    pub(crate) ids_sql: Sql,
}

const ORDERS_PATH: &str = "/api/v1/admin/orders?";
const DAY_MICROS: i64 = 86_400_000_000;

/// Selects the rows with these ids, and the total in each row.
fn page_sql(total_sql: Sql, ids_sql: Sql, order_sql: &'static str) -> Sql {
    let page_sql = Sql::new("SELECT CAST((")
        .append(total_sql)
        .push(") AS BIGINT), ")
        .push(LIST_COLUMNS)
        .push(" FROM (")
        .append(ids_sql);
    page_sql.push(") p JOIN orders o ON o.id = p.id JOIN services s ON s.id = o.service_id JOIN users u ON u.id = o.user_id ORDER BY ").push(order_sql)
}

fn materialized_total_sql(group: &'static str) -> Sql {
    Sql::new("SELECT sum(n) FROM row_counts WHERE tbl = 'orders' AND block = -1 AND grp = ?").bind(group)
}

fn order_case(
    name: &'static str,
    goal_fraction: f64,
    query: &str,
    total_sql: Sql,
    ids_sql: Sql,
) -> BenchmarkCase {
    BenchmarkCase {
        name,
        goal_fraction,
        path: format!("{ORDERS_PATH}{query}"),
        page_sql: page_sql(total_sql, ids_sql.clone(), "o.id DESC"),
        ids_sql,
    }
}

/// Selects the ids of a page of completed orders: finds the block of the offset by the materialized counts, then scans the block.
fn completed_ids_sql(offset: i64) -> Sql {
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

/// Selects the ids of the orders whose URL contains `text`.
fn ids_by_url_sql(dialect: Dialect, text: &str) -> Sql {
    match dialect {
        Dialect::Sqlite => Sql::new("SELECT rowid AS id FROM orders_fts WHERE orders_fts MATCH ?")
            .bind(format!("\"{text}\"")),
        Dialect::Postgres => Sql::new("SELECT id FROM orders WHERE lower(url COLLATE \"und-x-icu\") LIKE ?")
            .bind(format!("%{text}%")),
    }
}

fn url_search_case(name: &'static str, dialect: Dialect, text: &str) -> BenchmarkCase {
    let matching_ids_sql = ids_by_url_sql(dialect, text);
    let total_sql = Sql::new("SELECT count(*) FROM (").append(matching_ids_sql.clone()).push(") h");
    let ids_sql = Sql::new("SELECT id FROM (").append(matching_ids_sql).push(") h ORDER BY id DESC LIMIT 30");
    let query = format!("columns[0][data]=url&columns[0][search][value]={text}");
    order_case(name, 1.0 / 3.0, &query, total_sql, ids_sql)
}

/// All cases for the orders of this database. They depend on its records.
pub(crate) async fn order_cases(db: &Db, total_order_count: i64) -> Vec<BenchmarkCase> {
    let mut executor = db;
    let (user_id, order_count): (i64, i64) = (&mut executor)
        .fetch_one(Sql::new(
            "SELECT user_id, count(*) FROM orders GROUP BY user_id ORDER BY 2 DESC, 1 LIMIT 1",
        ))
        .await
        .unwrap();
    let (url,): (String,) = (&mut executor)
        .fetch_one(Sql::new("SELECT url FROM orders WHERE id = ?").bind(total_order_count / 3))
        .await
        .unwrap();
    let rare_text: String = url.chars().filter(char::is_ascii_digit).collect();
    let (completed_count,): (i64,) = (&mut executor)
        .fetch_one(Sql::new("SELECT count(*) FROM orders WHERE status = 'completed'"))
        .await
        .unwrap();
    let (middle_created_at,): (i64,) = (&mut executor)
        .fetch_one(Sql::new("SELECT created_at FROM orders WHERE id = ?").bind(total_order_count / 2))
        .await
        .unwrap();
    let day = middle_created_at / DAY_MICROS;
    let format_date = |day: i64| panel_contract::moment::Day(day).to_string();
    let user_total_sql = Sql::new("SELECT n FROM user_order_counts WHERE user_id = ?").bind(user_id);
    let last_page_start = completed_count - completed_count % 30;
    let week_ids_sql = Sql::new(
        "SELECT id FROM orders WHERE status = 'completed' AND created_at >= ? AND created_at < ? ORDER BY cost DESC, id DESC LIMIT 30",
    );
    let week_total_sql =
        Sql::new("SELECT sum(n) FROM order_days WHERE status = 'completed' AND day BETWEEN ? AND ?")
            .bind(day)
            .bind(day + 6);
    let status_query = "columns[0][data]=status&columns[0][search][value]=";
    println!("{order_count} orders of user {user_id}, {completed_count} completed, rare text {rare_text}");
    let by_cost_query = format!(
        "{status_query}completed&columns[1][data]=created_at&columns[1][search][value]={}..{}&columns[2][data]=cost&order[0][column]=2&order[0][dir]=desc",
        format_date(day),
        format_date(day + 6)
    );
    let mut cases = vec![
        order_case(
            "default page",
            0.5,
            "",
            materialized_total_sql(""),
            Sql::new("SELECT id FROM orders ORDER BY id DESC LIMIT 30"),
        ),
        order_case(
            "status = in_moderation",
            0.5,
            &format!("{status_query}in_moderation"),
            materialized_total_sql("in_moderation"),
            Sql::new("SELECT id FROM orders WHERE status = 'in_moderation' ORDER BY id DESC LIMIT 30"),
        ),
        order_case(
            "orders of one user",
            0.5,
            &format!("columns[0][data]=user.id&columns[0][search][value]={user_id}"),
            user_total_sql,
            Sql::new("SELECT id FROM orders WHERE user_id = ? ORDER BY id DESC LIMIT 30").bind(user_id),
        ),
        order_case(
            "one order by id",
            0.5,
            &format!("columns[0][data]=id&columns[0][search][value]={}", total_order_count / 2),
            Sql::new("SELECT count(*) FROM orders WHERE id = ?").bind(total_order_count / 2),
            Sql::new("SELECT id FROM orders WHERE id = ?").bind(total_order_count / 2),
        ),
        order_case(
            "completed, offset 100,000",
            1.0 / 3.0,
            &format!("{status_query}completed&start=100000"),
            materialized_total_sql("completed"),
            completed_ids_sql(100_000.min(completed_count - 60)),
        ),
        order_case(
            "completed, last page",
            1.0 / 3.0,
            &format!("{status_query}completed&start={last_page_start}"),
            materialized_total_sql("completed"),
            completed_ids_sql(last_page_start),
        ),
        url_search_case("text in url, few hits", db.dialect(), &rare_text),
        url_search_case("text in url, a ninth of all", db.dialect(), "utm_campaign"),
        order_case(
            "7 days + completed, by cost",
            1.0 / 3.0,
            &by_cost_query,
            week_total_sql,
            week_ids_sql.bind(day * DAY_MICROS).bind((day + 7) * DAY_MICROS),
        ),
    ];
    if completed_count <= 100_060 {
        cases.retain(|case| !case.name.contains("offset"));
    }
    cases
}
