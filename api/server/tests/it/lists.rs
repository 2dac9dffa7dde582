//! Lists as clients request them: captured requests of DataTables, hostile input, exact totals, late pages, and CSV exports.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql, SqlExecutor};
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::tables::{lists, percent_encoded};

const ORDERS_PATH: &str = "/api/v1/admin/orders";

test_both_databases! {
    responds_to_queries_of_datatables_clients;
    rejects_hostile_queries_and_names_the_field;
    totals_and_deep_pages_match_the_table;
    filters_by_day_range_and_id_return_the_same_rows_as_sql;
    csv_exports_the_rows_of_the_list;
    column_search_ignores_case_in_every_script;
    the_search_box_searches_all_columns;
    short_searches_count_exactly_in_small_tables;
    ids_only_returns_all_ids_in_batches;
    columns_without_permission_are_neither_shown_nor_searchable;
    reads_single_records_and_choices;
}

async fn get_json(panel: &Panel, path: &str) -> Value {
    let response = panel.get(path).await;
    assert_eq!(response.status, 200, "{path}: {}", response.text);
    response.json()
}

fn ids(page: &Value) -> Vec<i64> {
    page["data"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect()
}

/// Captured requests of DataTables 2.3 and 3.1 with ColumnControl.
async fn responds_to_queries_of_datatables_clients(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(50, 300).await;
    let version_2_query = "draw=2&columns%5B0%5D%5Bdata%5D=id&columns%5B0%5D%5Bname%5D=id&columns%5B0%5D%5Bsearchable%5D=true&columns%5B0%5D%5Borderable%5D=true\
        &columns%5B0%5D%5Bsearch%5D%5Bvalue%5D=&columns%5B0%5D%5Bsearch%5D%5Bregex%5D=false&columns%5B1%5D%5Bdata%5D=user.name&columns%5B1%5D%5Bname%5D=\
        &columns%5B1%5D%5Bsearchable%5D=true&columns%5B1%5D%5Borderable%5D=true&columns%5B1%5D%5Bsearch%5D%5Bvalue%5D=&columns%5B1%5D%5Bsearch%5D%5Bregex%5D=false\
        &columns%5B2%5D%5Bdata%5D=function&columns%5B2%5D%5Bname%5D=&columns%5B2%5D%5Bsearchable%5D=true&columns%5B2%5D%5Borderable%5D=false\
        &columns%5B2%5D%5Bsearch%5D%5Bvalue%5D=&columns%5B2%5D%5Bsearch%5D%5Bregex%5D=false\
        &order%5B0%5D%5Bcolumn%5D=1&order%5B0%5D%5Bdir%5D=asc&order%5B0%5D%5Bname%5D=&start=0&length=30&search%5Bvalue%5D=likes%20instagram\
        &search%5Bregex%5D=false&_=1795209083712";
    let page = get_json(&panel, &format!("{ORDERS_PATH}?{version_2_query}")).await;
    assert_eq!((page["draw"].as_i64(), page["recordsTotal"].as_i64()), (Some(2), Some(300)));
    assert!(page["recordsFiltered"].as_i64().unwrap() > 30);
    assert_eq!(page["data"].as_array().unwrap().len(), 30);
    let version_3_query = "draw=1&columns%5B0%5D%5Bdata%5D=id&columns%5B0%5D%5Bname%5D=&columns%5B0%5D%5Bsearchable%5D=true&columns%5B0%5D%5Borderable%5D=true\
        &columns%5B1%5D%5Bdata%5D=status&columns%5B1%5D%5BcolumnControl%5D%5Blist%5D%5B0%5D=completed&columns%5B1%5D%5BcolumnControl%5D%5Blist%5D%5B1%5D=stopped\
        &columns%5B2%5D%5Bdata%5D=cost&columns%5B2%5D%5BcolumnControl%5D%5Bsearch%5D%5Bvalue%5D=10&columns%5B2%5D%5BcolumnControl%5D%5Bsearch%5D%5Blogic%5D=greater\
        &columns%5B2%5D%5BcolumnControl%5D%5Bsearch%5D%5Btype%5D=num&columns%5B3%5D%5Bdata%5D=url&columns%5B3%5D%5BcolumnControl%5D%5Bsearch%5D%5Bvalue%5D=\
        &columns%5B3%5D%5BcolumnControl%5D%5Bsearch%5D%5Blogic%5D=contains&search%5Bgroups%5D%5B0%5D%5Bcolumns%5D%5B%5D=0\
        &search%5Bgroups%5D%5B0%5D%5Bcolumns%5D%5B%5D=3&search%5Bgroups%5D%5B0%5D%5Bterm%5D=insta&search%5Bvalue%5D=&start=0&length=100&_=1";
    let page = get_json(&panel, &format!("{ORDERS_PATH}?{version_3_query}")).await;
    let rows = page["data"].as_array().unwrap();
    assert!(!rows.is_empty());
    for row in rows {
        assert!(["completed", "stopped"].contains(&row["status"].as_str().unwrap()));
        assert!(row["url"].as_str().unwrap().contains("insta"));
        assert!(
            row["cost"].as_str().unwrap().parse::<panel_contract::amount::Money>().unwrap().0 > 10_000_000
        );
    }
    for logic in ["contains", "notContains", "equal", "notEqual", "starts", "ends", "empty", "notEmpty"] {
        let control_query = format!(
            "columns[0][data]=comment&columns[0][columnControl][search][logic]={logic}&columns[0][columnControl][search][value]=note"
        );
        get_json(&panel, &format!("{ORDERS_PATH}?{control_query}")).await;
    }
    let page_past_the_end = get_json(&panel, &format!("{ORDERS_PATH}?start=100000")).await;
    assert_eq!(
        (ids(&page_past_the_end).len(), page_past_the_end["recordsFiltered"].as_i64()),
        (0, Some(300))
    );
    let all_rows = get_json(&panel, &format!("{ORDERS_PATH}?length=-1")).await;
    assert_eq!(ids(&all_rows).len(), 300);
}

async fn rejects_hostile_queries_and_names_the_field(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(50, 1_200).await;
    let long_id_list = (0..10_001).map(|id| id.to_string()).collect::<Vec<_>>().join(",");
    let cases = [
        ("length=1001".to_owned(), "length"),
        ("length=-2".to_owned(), "length"),
        ("start=-1".to_owned(), "start"),
        ("start=9223372036854775808".to_owned(), "start"),
        ("after=7".to_owned(), "after"),
        ("nonsense=1".to_owned(), "nonsense"),
        ("subscription_id=1%20OR%201=1".to_owned(), "subscription_id"),
        ("search[value]=a%00b".to_owned(), "query"),
        ("search[value]=a%ffb".to_owned(), "query"),
        ("search[value]=a+b+c+d+e+f+g+h+i+j+k".to_owned(), "search"),
        ("columns[0][data]=password_hash&order[0][column]=0".to_owned(), "order.0.column"),
        ("columns[0][data]=&order[0][column]=0".to_owned(), "order.0.column"),
        ("columns[0][data]=password_hash&columns[0][search][value]=x".to_owned(), "columns.0.search"),
        ("columns[0][data]=function&columns[0][search][value]=x".to_owned(), "columns.0.search"),
        ("columns[0][data]=id&columns[0][search][value]=9223372036854775808".to_owned(), "columns.0.search"),
        (format!("columns[0][data]=id&columns[0][search][value]={long_id_list}"), "columns.0.search"),
        ("columns[0][data]=cost&columns[0][search][value]=1e5".to_owned(), "columns.0.search"),
        ("columns[0][data]=created_at&columns[0][search][value]=yesterday".to_owned(), "columns.0.search"),
        ("columns[0][data]=id&columns[0][columnControl][search][logic]=contains&columns[0][columnControl][search][value]=1".to_owned(), "columns.0.columnControl.search"),
        ("columns[0][data]=status&search[groups][0][columns][]=0&search[groups][0][term]=zzz".to_owned(), "search.groups.0"),
    ];
    for (query, field) in cases {
        let response = panel.get(&format!("{ORDERS_PATH}?{query}")).await;
        let query: String = query.chars().take(120).collect();
        assert_eq!(response.status, 422, "{query}: {}", response.text);
        assert!(response.json()["errors"][field].is_array(), "{query}: {}", response.text);
    }
    let sql_injection = percent_encoded("'; DROP TABLE orders; -- \" ) OR 1=1 /*%_\\");
    // The list of deliveries belongs to webhook 1.
    let insert_webhook_sql = "INSERT INTO webhooks (url, types, is_active, created_at, updated_at) VALUES ('https://hooks.example/', '[]', FALSE, 1, 1)";
    panel.execute(Sql::new(insert_webhook_sql)).await;
    for (path, table) in lists() {
        for column in table.columns() {
            let response = panel
                .get(&format!(
                    "{path}?columns[0][data]={}&columns[0][search][value]={sql_injection}",
                    column.name
                ))
                .await;
            assert!(
                [200, 422].contains(&response.status.as_u16()),
                "{path} {}: {}",
                column.name,
                response.text
            );
            if response.status == 200 {
                assert_eq!(response.json()["recordsFiltered"], 0, "{path} {}", column.name);
            }
        }
        let page = get_json(&panel, &format!("{path}?search[value]={sql_injection}")).await;
        assert_eq!(page["recordsFiltered"], 0);
    }
}

/// A seeded generator, which gives both databases the same changes in the same order.
struct SeededRandom(u64);

impl SeededRandom {
    fn random_below(&mut self, bound: u64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from((self.0 >> 33) % bound).unwrap()
    }
}

async fn totals_and_deep_pages_match_the_table(dialect: Dialect) {
    const STATUSES: [&str; 6] =
        ["in_processing", "in_moderation", "completed", "stopped", "canceled", "unpaid"];
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(20, 9_000).await;
    panel.execute(Sql::new("DELETE FROM external_panel_orders")).await;
    let mut random = SeededRandom(11);
    for round in 0..12 {
        for _ in 0..8 {
            let (from, length) = (random.random_below(27_000), random.random_below(60));
            let status = STATUSES[usize::try_from(random.random_below(6)).unwrap()];
            panel
                .execute(
                    Sql::new("UPDATE orders SET status = ? WHERE id >= ? AND id <= ?")
                        .bind(status)
                        .bind(from)
                        .bind(from + length),
                )
                .await;
            let from = random.random_below(27_000);
            panel
                .execute(
                    Sql::new("DELETE FROM orders WHERE id >= ? AND id <= ?")
                        .bind(from)
                        .bind(from + random.random_below(400)),
                )
                .await;
        }
        if round % 4 == 1 {
            panel_platform::db::counts::fold_deltas(&panel.app.db).await.unwrap();
        }
        for filter in ["", "completed", "in_moderation", "completed,stopped", "unpaid"] {
            assert_deep_page_matches_sql(&panel, &mut random, filter).await;
        }
    }
}

async fn assert_deep_page_matches_sql(panel: &Panel, random: &mut SeededRandom, filter: &str) {
    let quoted_statuses = filter.replace(',', "','");
    let all_ids_sql: &'static str = match filter {
        "" => "SELECT id FROM orders ORDER BY id DESC",
        _ => Box::leak(
            format!("SELECT id FROM orders WHERE status IN ('{quoted_statuses}') ORDER BY id DESC")
                .into_boxed_str(),
        ),
    };
    let all_ids: Vec<(i64,)> = (&mut &panel.app.db).fetch_all(Sql::new(all_ids_sql)).await.unwrap();
    for direction in ["desc", "asc"] {
        let start = random.random_below(u64::try_from(all_ids.len()).unwrap() + 20);
        let query = format!(
            "columns[0][data]=id&order[0][column]=0&order[0][dir]={direction}&columns[1][data]=status&columns[1][search][value]={filter}&start={start}&length=50"
        );
        let page = get_json(panel, &format!("{ORDERS_PATH}?{query}")).await;
        let mut sorted_ids: Vec<i64> = all_ids.iter().map(|(id,)| *id).collect();
        if direction == "asc" {
            sorted_ids.reverse();
        }
        assert_eq!(page["recordsFiltered"].as_u64(), Some(all_ids.len() as u64), "{query}");
        let expected_ids: Vec<i64> =
            sorted_ids.into_iter().skip(usize::try_from(start).unwrap()).take(50).collect();
        assert_eq!(ids(&page), expected_ids, "{query}");
    }
}

/// For a filter by whole days, the list adds up materialized row counts. For a filter by id, it counts in the statement that reads
/// the rows. Both must equal the counts of a simple SQL statement.
async fn filters_by_day_range_and_id_return_the_same_rows_as_sql(dialect: Dialect) {
    const DAY_MICROS: i64 = 86_400_000_000;
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(20, 3_000).await;
    // This change comes after the inserts, so that on PostgreSQL some changes are not yet part of the materialized counts.
    panel.execute(Sql::new("UPDATE orders SET status = 'stopped' WHERE id % 7 = 0")).await;
    let mut db = &panel.app.db;
    let (oldest_created_at, newest_created_at): (i64, i64) =
        db.fetch_one(Sql::new("SELECT min(created_at), max(created_at) FROM orders")).await.unwrap();
    let mut random = SeededRandom(5);
    for round in 0..24 {
        let from = oldest_created_at / DAY_MICROS
            + random.random_below(
                u64::try_from(newest_created_at / DAY_MICROS - oldest_created_at / DAY_MICROS + 1).unwrap(),
            );
        let to = from + random.random_below(9);
        let (first_day, last_day) = (panel_contract::moment::Day(from), panel_contract::moment::Day(to));
        let mut query =
            format!("columns[0][data]=created_at&columns[0][search][value]={first_day}..{last_day}");
        let mut sql = Sql::new("SELECT id FROM orders WHERE created_at >= ? AND created_at < ?")
            .bind(from * DAY_MICROS)
            .bind((to + 1) * DAY_MICROS);
        if round % 3 > 0 {
            query += "&columns[1][data]=status&columns[1][search][value]=stopped,completed";
            sql = sql.push(" AND status IN ('stopped', 'completed')");
        }
        let sorts_by_cost = round % 2 == 0;
        if sorts_by_cost {
            query += "&columns[2][data]=cost&order[0][column]=2&order[0][dir]=asc";
        }
        let sql = sql.push(if sorts_by_cost { " ORDER BY cost, id" } else { " ORDER BY id DESC" });
        let rows: Vec<(i64,)> = db.fetch_all(sql).await.unwrap();
        let page = get_json(&panel, &format!("{ORDERS_PATH}?{query}&start=2&length=40")).await;
        assert_eq!(page["recordsFiltered"].as_u64(), Some(rows.len() as u64), "{query}");
        let expected_ids: Vec<i64> = rows.into_iter().map(|row| row.0).skip(2).take(40).collect();
        assert_eq!(ids(&page), expected_ids, "{query}");
    }
    let (last_id,): (i64,) = db.fetch_one(Sql::new("SELECT max(id) FROM orders")).await.unwrap();
    for (id, expected_count) in [(last_id, 1), (last_id + 1, 0)] {
        let page =
            get_json(&panel, &format!("{ORDERS_PATH}?columns[0][data]=id&columns[0][search][value]={id}"))
                .await;
        assert_eq!(
            (page["recordsTotal"].as_i64(), page["recordsFiltered"].as_i64()),
            (Some(3_000), Some(expected_count))
        );
        assert_eq!(ids(&page).len(), usize::try_from(expected_count).unwrap());
    }
}

async fn csv_exports_the_rows_of_the_list(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(60, 2_300).await;
    for query in [
        "",
        "columns[0][data]=cost&order[0][column]=0&order[0][dir]=asc",
        "columns[0][data]=status&columns[0][search][value]=completed,unpaid",
        "search[value]=rare-place",
    ] {
        let response = panel.get_as("owner", &format!("{ORDERS_PATH}?{query}"), "text/csv").await;
        assert_eq!(response.status, 200);
        assert!(response.headers["content-disposition"].to_str().unwrap().contains("orders.csv"));
        let text = response.text.strip_prefix('\u{feff}').unwrap();
        let lines: Vec<&str> = text.split("\r\n").filter(|line| !line.is_empty()).collect();
        let mut list_ids = Vec::new();
        loop {
            let page =
                get_json(&panel, &format!("{ORDERS_PATH}?{query}&length=1000&start={}", list_ids.len()))
                    .await;
            if ids(&page).is_empty() {
                break;
            }
            list_ids.extend(ids(&page));
        }
        let exported_ids: Vec<i64> =
            lines[1..].iter().map(|line| line.split(',').next().unwrap().parse().unwrap()).collect();
        assert_eq!(exported_ids, list_ids, "{query}");
    }
    let response = panel.get_as("owner", "/api/v1/admin/users", "text/csv").await;
    assert!(response.text.contains(",'=cmd|evil "), "{}", &response.text[..300]);
    let response = panel.get_as("owner", "/api/v1/admin/payments", "text/csv").await;
    assert!(
        response.text.contains(",-0.006,"),
        "an export must contain unformatted amounts: {}",
        &response.text[..600]
    );
    assert!(response.text.contains(",'-Thanks 4"), "an exported string must not become a formula");
    let (export_audits,): (i64,) = (&mut &panel.app.db)
        .fetch_one(Sql::new("SELECT count(*) FROM audits WHERE event = 'list.exported'"))
        .await
        .unwrap();
    assert_eq!(export_audits, 6);
}

async fn column_search_ignores_case_in_every_script(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(50, 300).await;
    for (path, column, text) in [
        ("/api/v1/admin/users", "name", "ПЕТРОВ"),
        ("/api/v1/admin/users", "name", "mÜLLER"),
        ("/api/v1/admin/users", "name", "Mü"),
        ("/api/v1/admin/orders", "name", "äöü"),
        ("/api/v1/admin/orders", "user.name", "иван"),
        ("/api/v1/admin/orders", "service.name", "ПОДПИС"),
        ("/api/v1/admin/payments", "user.name", "пЕтРоВ"),
    ] {
        let text = percent_encoded(text);
        let page =
            get_json(&panel, &format!("{path}?columns[0][data]={column}&columns[0][search][value]={text}"))
                .await;
        assert!(page["recordsFiltered"].as_i64().unwrap() > 0, "{path} {column}");
    }
    let page =
        get_json(&panel, &format!("/api/v1/admin/users?search[value]={}", percent_encoded("ПЕТРОВ user8")))
            .await;
    assert_eq!(ids(&page), [8]);
}

async fn the_search_box_searches_all_columns(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(50, 15_000).await;
    let rare_text_search = get_json(&panel, &format!("{ORDERS_PATH}?search[value]=RARE-place")).await;
    assert_eq!(
        (rare_text_search["recordsFiltered"].as_i64(), rare_text_search["recordsTotal"].as_i64()),
        (Some(15), Some(15_000))
    );
    let common_text_search = get_json(&panel, &format!("{ORDERS_PATH}?search[value]=example")).await;
    assert_eq!(
        (
            common_text_search["recordsFiltered"].as_i64(),
            common_text_search["recordsFilteredIsAtLeast"].as_bool()
        ),
        (Some(10_000), Some(true))
    );
    let newest_page = get_json(&panel, ORDERS_PATH).await;
    assert_eq!(ids(&common_text_search), ids(&newest_page));
    let id = ids(&newest_page)[3];
    let page_by_id = get_json(&panel, &format!("{ORDERS_PATH}?search[value]={id}")).await;
    assert!(ids(&page_by_id).contains(&id));
    let searched_and_filtered = get_json(&panel, &format!("{ORDERS_PATH}?search[value]=rare-place+user1%40&columns[0][data]=status&columns[0][search][value]=completed")).await;
    for row in searched_and_filtered["data"].as_array().unwrap() {
        assert!(row["user"]["email"].as_str().unwrap().contains("user1@") && row["status"] == "completed");
    }
    let page_by_email =
        get_json(&panel, &format!("{ORDERS_PATH}?search[value]=user7%40shop7&length=500")).await;
    let filtered = get_json(
        &panel,
        &format!("{ORDERS_PATH}?columns[0][data]=user.id&columns[0][search][value]=7&length=500"),
    )
    .await;
    assert_eq!(ids(&page_by_email), ids(&filtered));
    assert_eq!(page_by_email["recordsFiltered"], filtered["recordsFiltered"]);
    let two_letter_search = get_json(&panel, &format!("{ORDERS_PATH}?search[value]=zq")).await;
    assert_eq!(
        two_letter_search["recordsFilteredIsAtLeast"],
        Value::Null,
        "the search scans all 15,000 orders, so the count must be exact"
    );
}

/// A search of two letters scans only the newest 20,000 records, so the total is a lower bound if the table has more.
async fn short_searches_count_exactly_in_small_tables(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let insert_discounts = async |from: i64, to: i64| {
        let sql = Sql::new(
            "INSERT INTO discounts (id, name, valid_from, created_at, updated_at)
             WITH RECURSIVE n (i) AS (SELECT CAST(? AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ?)
             SELECT i, CASE WHEN i <= 12 THEN 'Zqa' ELSE 'Autumn' END, 1, 1, 1 FROM n",
        );
        panel.execute(sql.bind(from).bind(to)).await;
    };
    let fetch_count = async |query: &str| {
        let page = get_json(&panel, &format!("/api/v1/admin/discounts?{query}")).await;
        (page["recordsFiltered"].as_i64().unwrap(), page["recordsFilteredIsAtLeast"].clone())
    };
    insert_discounts(1, 20_000).await;
    for query in ["name=zq", "search=zq", "search=zq%20a"] {
        assert_eq!(fetch_count(query).await, (12, Value::Null), "{query}");
    }
    insert_discounts(20_001, 20_001).await;
    for query in ["name=zq", "search=zq"] {
        assert_eq!(fetch_count(query).await, (11, json!(true)), "{query}");
    }
    assert_eq!(
        fetch_count("name=zqa").await,
        (12, Value::Null),
        "a search of three letters uses an index, so its count must be exact"
    );
}

async fn ids_only_returns_all_ids_in_batches(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(20, 2_000).await;
    for (filter, min_count) in [
        ("", 2_000),
        ("columns[0][data]=status&columns[0][search][value]=completed", 1_400),
        ("columns[0][data]=status&columns[0][search][value]=completed,stopped", 1_400),
        ("columns[0][data]=source&columns[0][search][value]=single_form", 700),
        ("search[value]=example", 2_000),
        ("search[value]=ex", 2_000),
    ] {
        let (mut collected, mut after) = (Vec::new(), String::new());
        loop {
            let page =
                get_json(&panel, &format!("{ORDERS_PATH}?{filter}&ids_only=1&length=700{after}")).await;
            let batch: Vec<i64> =
                page["ids"].as_array().unwrap().iter().map(|id| id.as_i64().unwrap()).collect();
            let Some(last) = batch.last() else {
                assert_eq!(page["total"].as_u64(), Some(collected.len() as u64), "{filter}");
                break;
            };
            after = format!("&after={last}");
            collected.extend(batch);
        }
        assert!(
            collected.len() >= min_count && collected.iter().rev().is_sorted(),
            "{filter}: {}",
            collected.len()
        );
    }
}

async fn columns_without_permission_are_neither_shown_nor_searchable(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(50, 10).await;
    panel.create_staff("reader", &[Permission::ViewUsers]).await;
    let path = "/api/v1/admin/users";
    let page = panel.get_as("reader", path, "application/json").await.json();
    assert!(
        page["data"]
            .as_array()
            .unwrap()
            .iter()
            .all(|row| row["grade"].is_null() && row["actions"]["editable"] == false)
    );
    for query in [
        "columns[0][data]=grade.name&order[0][column]=0",
        "columns[0][data]=grade.name&columns[0][search][value]=1",
    ] {
        let response = panel.get_as("reader", &format!("{path}?{query}"), "application/json").await;
        assert_eq!(response.status, 422, "{}", response.text);
    }
    let owner_view = get_json(&panel, path).await;
    assert!(owner_view["data"].as_array().unwrap().iter().any(|row| row["grade"]["name"] == "Grade 1"));
    assert_eq!(panel.get_as("reader", ORDERS_PATH, "application/json").await.status, 403);
}

async fn reads_single_records_and_choices(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(50, 200).await;
    let user = get_json(&panel, "/api/v1/admin/users/14").await;
    assert_eq!(user["data"]["email"], "user14@shop5.example");
    assert_eq!(panel.get("/api/v1/admin/users/99999").await.status, 404);
    let search_results = get_json(&panel, "/api/v1/admin/users/search?query=shop5").await;
    assert!((1..=20).contains(&search_results["data"].as_array().unwrap().len()));
    assert_eq!(get_json(&panel, "/api/v1/admin/users/search?query=14").await["data"][0]["id"], 14);
    let service = get_json(&panel, "/api/v1/admin/services/5").await;
    assert_eq!(service["data"]["network"]["id"], 3);
    let first_page = get_json(&panel, "/api/v1/admin/providers/available-for-order-recreate").await;
    assert_eq!(
        (first_page["items"].as_array().unwrap().len(), first_page["lastPage"].as_i64()),
        (30, Some(2))
    );
    let page_by_name =
        get_json(&panel, "/api/v1/admin/providers/available-for-order-recreate?name=PROVIDER+1&page=1").await;
    assert!(
        page_by_name["items"]
            .as_array()
            .unwrap()
            .iter()
            .all(|row| row["name"].as_str().unwrap().starts_with("Provider 1"))
    );
    assert_eq!(panel.get("/api/v1/admin/providers/available-for-order-recreate?page=0").await.status, 422);
    let page_by_subscription = get_json(&panel, &format!("{ORDERS_PATH}?subscription_id=6")).await;
    assert_eq!(page_by_subscription["recordsTotal"], page_by_subscription["recordsFiltered"]);
}
