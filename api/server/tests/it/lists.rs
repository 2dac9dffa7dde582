//! Lists as clients use them: what DataTables really sends, hostile input, totals that stay true, deep pages, CSV.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Source, Sql};
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::tables::{encoded, lists};

const ORDERS: &str = "/api/v1/admin/orders";

both! {
    datatables_clients_work;
    hostile_queries_are_refused_by_field;
    totals_and_deep_pages_stay_true;
    days_and_single_ids_are_what_sql_says;
    csv_is_the_list;
    search_ignores_case_everywhere;
    searching_in_common;
    short_texts_are_counted_whole_in_small_tables;
    ids_come_in_runs;
    hidden_columns_stay_hidden;
    reads_answer;
}

async fn json(panel: &Panel, path: &str) -> Value {
    let answer = panel.get(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    answer.json()
}

fn ids(page: &Value) -> Vec<i64> {
    page["data"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect()
}

/// What DataTables 2.3 and 3.1 with ColumnControl send, as captured (protocols.md A).
async fn datatables_clients_work(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(50, 300).await;
    let two = "draw=2&columns%5B0%5D%5Bdata%5D=id&columns%5B0%5D%5Bname%5D=id&columns%5B0%5D%5Bsearchable%5D=true&columns%5B0%5D%5Borderable%5D=true\
        &columns%5B0%5D%5Bsearch%5D%5Bvalue%5D=&columns%5B0%5D%5Bsearch%5D%5Bregex%5D=false&columns%5B1%5D%5Bdata%5D=user.name&columns%5B1%5D%5Bname%5D=\
        &columns%5B1%5D%5Bsearchable%5D=true&columns%5B1%5D%5Borderable%5D=true&columns%5B1%5D%5Bsearch%5D%5Bvalue%5D=&columns%5B1%5D%5Bsearch%5D%5Bregex%5D=false\
        &columns%5B2%5D%5Bdata%5D=function&columns%5B2%5D%5Bname%5D=&columns%5B2%5D%5Bsearchable%5D=true&columns%5B2%5D%5Borderable%5D=false\
        &columns%5B2%5D%5Bsearch%5D%5Bvalue%5D=&columns%5B2%5D%5Bsearch%5D%5Bregex%5D=false\
        &order%5B0%5D%5Bcolumn%5D=1&order%5B0%5D%5Bdir%5D=asc&order%5B0%5D%5Bname%5D=&start=0&length=30&search%5Bvalue%5D=likes%20instagram\
        &search%5Bregex%5D=false&_=1795209083712";
    let page = json(&panel, &format!("{ORDERS}?{two}")).await;
    assert_eq!((page["draw"].as_i64(), page["recordsTotal"].as_i64()), (Some(2), Some(300)));
    assert!(page["recordsFiltered"].as_i64().unwrap() > 30);
    assert_eq!(page["data"].as_array().unwrap().len(), 30);
    let three = "draw=1&columns%5B0%5D%5Bdata%5D=id&columns%5B0%5D%5Bname%5D=&columns%5B0%5D%5Bsearchable%5D=true&columns%5B0%5D%5Borderable%5D=true\
        &columns%5B1%5D%5Bdata%5D=status&columns%5B1%5D%5BcolumnControl%5D%5Blist%5D%5B0%5D=completed&columns%5B1%5D%5BcolumnControl%5D%5Blist%5D%5B1%5D=stopped\
        &columns%5B2%5D%5Bdata%5D=cost&columns%5B2%5D%5BcolumnControl%5D%5Bsearch%5D%5Bvalue%5D=10&columns%5B2%5D%5BcolumnControl%5D%5Bsearch%5D%5Blogic%5D=greater\
        &columns%5B2%5D%5BcolumnControl%5D%5Bsearch%5D%5Btype%5D=num&columns%5B3%5D%5Bdata%5D=url&columns%5B3%5D%5BcolumnControl%5D%5Bsearch%5D%5Bvalue%5D=\
        &columns%5B3%5D%5BcolumnControl%5D%5Bsearch%5D%5Blogic%5D=contains&search%5Bgroups%5D%5B0%5D%5Bcolumns%5D%5B%5D=0\
        &search%5Bgroups%5D%5B0%5D%5Bcolumns%5D%5B%5D=3&search%5Bgroups%5D%5B0%5D%5Bterm%5D=insta&search%5Bvalue%5D=&start=0&length=100&_=1";
    let page = json(&panel, &format!("{ORDERS}?{three}")).await;
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
        let control = format!(
            "columns[0][data]=comment&columns[0][columnControl][search][logic]={logic}&columns[0][columnControl][search][value]=note"
        );
        json(&panel, &format!("{ORDERS}?{control}")).await;
    }
    let beyond = json(&panel, &format!("{ORDERS}?start=100000")).await;
    assert_eq!((ids(&beyond).len(), beyond["recordsFiltered"].as_i64()), (0, Some(300)));
    let all = json(&panel, &format!("{ORDERS}?length=-1")).await;
    assert_eq!(ids(&all).len(), 300);
}

async fn hostile_queries_are_refused_by_field(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(50, 1_200).await;
    let long = (0..10_001).map(|id| id.to_string()).collect::<Vec<_>>().join(",");
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
        (format!("columns[0][data]=id&columns[0][search][value]={long}"), "columns.0.search"),
        ("columns[0][data]=cost&columns[0][search][value]=1e5".to_owned(), "columns.0.search"),
        ("columns[0][data]=created_at&columns[0][search][value]=yesterday".to_owned(), "columns.0.search"),
        ("columns[0][data]=id&columns[0][columnControl][search][logic]=contains&columns[0][columnControl][search][value]=1".to_owned(), "columns.0.columnControl.search"),
        ("columns[0][data]=status&search[groups][0][columns][]=0&search[groups][0][term]=zzz".to_owned(), "search.groups.0"),
    ];
    for (query, field) in cases {
        let answer = panel.get(&format!("{ORDERS}?{query}")).await;
        let query: String = query.chars().take(120).collect();
        assert_eq!(answer.status, 422, "{query}: {}", answer.text);
        assert!(answer.json()["errors"][field].is_array(), "{query}: {}", answer.text);
    }
    let sql = encoded("'; DROP TABLE orders; -- \" ) OR 1=1 /*%_\\");
    // Deliveries are a list of one webhook.
    let webhook = "INSERT INTO webhooks (url, types, is_active, created_at, updated_at) VALUES ('https://hooks.example/', '[]', FALSE, 1, 1)";
    panel.exec(Sql::new(webhook)).await;
    for (path, table) in lists() {
        for column in table.columns() {
            let answer = panel
                .get(&format!("{path}?columns[0][data]={}&columns[0][search][value]={sql}", column.name))
                .await;
            assert!([200, 422].contains(&answer.status.as_u16()), "{path} {}: {}", column.name, answer.text);
            if answer.status == 200 {
                assert_eq!(answer.json()["recordsFiltered"], 0, "{path} {}", column.name);
            }
        }
        let page = json(&panel, &format!("{path}?search[value]={sql}")).await;
        assert_eq!(page["recordsFiltered"], 0);
    }
}

/// The same numbers in the same order, whatever the database.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from((self.0 >> 33) % sides).unwrap()
    }
}

async fn totals_and_deep_pages_stay_true(dialect: Dialect) {
    const STATUSES: [&str; 6] =
        ["in_processing", "in_moderation", "completed", "stopped", "canceled", "unpaid"];
    let panel = Panel::on(dialect).await;
    panel.fill(20, 9_000).await;
    panel.exec(Sql::new("DELETE FROM external_panel_orders")).await;
    let mut dice = Dice(11);
    for round in 0..12 {
        for _ in 0..8 {
            let (from, to) = (dice.roll(27_000), dice.roll(60));
            let status = STATUSES[usize::try_from(dice.roll(6)).unwrap()];
            panel
                .exec(
                    Sql::new("UPDATE orders SET status = ? WHERE id >= ? AND id <= ?")
                        .bind(status)
                        .bind(from)
                        .bind(from + to),
                )
                .await;
            let from = dice.roll(27_000);
            panel
                .exec(
                    Sql::new("DELETE FROM orders WHERE id >= ? AND id <= ?")
                        .bind(from)
                        .bind(from + dice.roll(400)),
                )
                .await;
        }
        if round % 4 == 1 {
            panel_platform::db::counts::fold(&panel.app.db).await.unwrap();
        }
        for filter in ["", "completed", "in_moderation", "completed,stopped", "unpaid"] {
            deep_page(&panel, &mut dice, filter).await;
        }
    }
}

async fn deep_page(panel: &Panel, dice: &mut Dice, filter: &str) {
    let list = filter.replace(',', "','");
    let naive: &'static str = match filter {
        "" => "SELECT id FROM orders ORDER BY id DESC",
        _ => Box::leak(
            format!("SELECT id FROM orders WHERE status IN ('{list}') ORDER BY id DESC").into_boxed_str(),
        ),
    };
    let all: Vec<(i64,)> = (&mut &panel.app.db).all(Sql::new(naive)).await.unwrap();
    for dir in ["desc", "asc"] {
        let start = dice.roll(u64::try_from(all.len()).unwrap() + 20);
        let query = format!(
            "columns[0][data]=id&order[0][column]=0&order[0][dir]={dir}&columns[1][data]=status&columns[1][search][value]={filter}&start={start}&length=50"
        );
        let page = json(panel, &format!("{ORDERS}?{query}")).await;
        let mut wanted: Vec<i64> = all.iter().map(|(id,)| *id).collect();
        if dir == "asc" {
            wanted.reverse();
        }
        assert_eq!(page["recordsFiltered"].as_u64(), Some(all.len() as u64), "{query}");
        let wanted: Vec<i64> = wanted.into_iter().skip(usize::try_from(start).unwrap()).take(50).collect();
        assert_eq!(ids(&page), wanted, "{query}");
    }
}

/// Whole days are counted from kept sums, single ids in the statement that reads them: both as plain SQL answers.
async fn days_and_single_ids_are_what_sql_says(dialect: Dialect) {
    const DAY_MICROS: i64 = 86_400_000_000;
    let panel = Panel::on(dialect).await;
    panel.fill(20, 3_000).await;
    // Moved after the fill, so that on PostgreSQL some of it is not folded yet.
    panel.exec(Sql::new("UPDATE orders SET status = 'stopped' WHERE id % 7 = 0")).await;
    let mut db = &panel.app.db;
    let (oldest, newest): (i64, i64) =
        db.one(Sql::new("SELECT min(created_at), max(created_at) FROM orders")).await.unwrap();
    let mut dice = Dice(5);
    for round in 0..24 {
        let from = oldest / DAY_MICROS
            + dice.roll(u64::try_from(newest / DAY_MICROS - oldest / DAY_MICROS + 1).unwrap());
        let to = from + dice.roll(9);
        let (day, last) = (panel_contract::moment::Day(from), panel_contract::moment::Day(to));
        let mut query = format!("columns[0][data]=created_at&columns[0][search][value]={day}..{last}");
        let mut sql = Sql::new("SELECT id FROM orders WHERE created_at >= ? AND created_at < ?")
            .bind(from * DAY_MICROS)
            .bind((to + 1) * DAY_MICROS);
        if round % 3 > 0 {
            query += "&columns[1][data]=status&columns[1][search][value]=stopped,completed";
            sql = sql.push(" AND status IN ('stopped', 'completed')");
        }
        let by_cost = round % 2 == 0;
        if by_cost {
            query += "&columns[2][data]=cost&order[0][column]=2&order[0][dir]=asc";
        }
        let sql = sql.push(if by_cost { " ORDER BY cost, id" } else { " ORDER BY id DESC" });
        let wanted: Vec<(i64,)> = db.all(sql).await.unwrap();
        let page = json(&panel, &format!("{ORDERS}?{query}&start=2&length=40")).await;
        assert_eq!(page["recordsFiltered"].as_u64(), Some(wanted.len() as u64), "{query}");
        let wanted: Vec<i64> = wanted.into_iter().map(|row| row.0).skip(2).take(40).collect();
        assert_eq!(ids(&page), wanted, "{query}");
    }
    let (some,): (i64,) = db.one(Sql::new("SELECT max(id) FROM orders")).await.unwrap();
    for (id, found) in [(some, 1), (some + 1, 0)] {
        let page =
            json(&panel, &format!("{ORDERS}?columns[0][data]=id&columns[0][search][value]={id}")).await;
        assert_eq!(
            (page["recordsTotal"].as_i64(), page["recordsFiltered"].as_i64()),
            (Some(3_000), Some(found))
        );
        assert_eq!(ids(&page).len(), usize::try_from(found).unwrap());
    }
}

async fn csv_is_the_list(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(60, 2_300).await;
    for query in [
        "",
        "columns[0][data]=cost&order[0][column]=0&order[0][dir]=asc",
        "columns[0][data]=status&columns[0][search][value]=completed,unpaid",
        "search[value]=rare-place",
    ] {
        let answer = panel.get_as("owner", &format!("{ORDERS}?{query}"), "text/csv").await;
        assert_eq!(answer.status, 200);
        assert!(answer.headers["content-disposition"].to_str().unwrap().contains("orders.csv"));
        let text = answer.text.strip_prefix('\u{feff}').unwrap();
        let lines: Vec<&str> = text.split("\r\n").filter(|line| !line.is_empty()).collect();
        let mut listed = Vec::new();
        loop {
            let page = json(&panel, &format!("{ORDERS}?{query}&length=1000&start={}", listed.len())).await;
            if ids(&page).is_empty() {
                break;
            }
            listed.extend(ids(&page));
        }
        let exported: Vec<i64> =
            lines[1..].iter().map(|line| line.split(',').next().unwrap().parse().unwrap()).collect();
        assert_eq!(exported, listed, "{query}");
    }
    let answer = panel.get_as("owner", "/api/v1/admin/users", "text/csv").await;
    assert!(answer.text.contains(",'=cmd|evil "), "{}", &answer.text[..300]);
    let answer = panel.get_as("owner", "/api/v1/admin/payments", "text/csv").await;
    assert!(answer.text.contains(",-0.006,"), "amounts are raw: {}", &answer.text[..600]);
    assert!(answer.text.contains(",'-Thanks 4"), "texts are harmless");
    let (audited,): (i64,) = (&mut &panel.app.db)
        .one(Sql::new("SELECT count(*) FROM audits WHERE event = 'list.exported'"))
        .await
        .unwrap();
    assert_eq!(audited, 6);
}

async fn search_ignores_case_everywhere(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(50, 300).await;
    for (path, column, text) in [
        ("/api/v1/admin/users", "name", "ПЕТРОВ"),
        ("/api/v1/admin/users", "name", "mÜLLER"),
        ("/api/v1/admin/users", "name", "Mü"),
        ("/api/v1/admin/orders", "name", "äöü"),
        ("/api/v1/admin/orders", "user.name", "иван"),
        ("/api/v1/admin/orders", "service.name", "ПОДПИС"),
        ("/api/v1/admin/payments", "user.name", "пЕтРоВ"),
    ] {
        let text = encoded(text);
        let page =
            json(&panel, &format!("{path}?columns[0][data]={column}&columns[0][search][value]={text}")).await;
        assert!(page["recordsFiltered"].as_i64().unwrap() > 0, "{path} {column}");
    }
    let page = json(&panel, &format!("/api/v1/admin/users?search[value]={}", encoded("ПЕТРОВ user8"))).await;
    assert_eq!(ids(&page), [8]);
}

async fn searching_in_common(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(50, 15_000).await;
    let rare = json(&panel, &format!("{ORDERS}?search[value]=RARE-place")).await;
    assert_eq!((rare["recordsFiltered"].as_i64(), rare["recordsTotal"].as_i64()), (Some(15), Some(15_000)));
    let broad = json(&panel, &format!("{ORDERS}?search[value]=example")).await;
    assert_eq!(
        (broad["recordsFiltered"].as_i64(), broad["recordsFilteredIsAtLeast"].as_bool()),
        (Some(10_000), Some(true))
    );
    let newest = json(&panel, ORDERS).await;
    assert_eq!(ids(&broad), ids(&newest));
    let id = ids(&newest)[3];
    let one = json(&panel, &format!("{ORDERS}?search[value]={id}")).await;
    assert!(ids(&one).contains(&id));
    let both = json(&panel, &format!("{ORDERS}?search[value]=rare-place+user1%40&columns[0][data]=status&columns[0][search][value]=completed")).await;
    for row in both["data"].as_array().unwrap() {
        assert!(row["user"]["email"].as_str().unwrap().contains("user1@") && row["status"] == "completed");
    }
    let mail = json(&panel, &format!("{ORDERS}?search[value]=user7%40shop7&length=500")).await;
    let filtered =
        json(&panel, &format!("{ORDERS}?columns[0][data]=user.id&columns[0][search][value]=7&length=500"))
            .await;
    assert_eq!(ids(&mail), ids(&filtered));
    assert_eq!(mail["recordsFiltered"], filtered["recordsFiltered"]);
    let short = json(&panel, &format!("{ORDERS}?search[value]=zq")).await;
    assert_eq!(short["recordsFilteredIsAtLeast"], Value::Null, "all 15,000 are looked at");
}

/// Two letters are looked for in the newest 20,000 records, so a total is a lower bound only where there are more.
async fn short_texts_are_counted_whole_in_small_tables(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let discounts = async |from: i64, to: i64| {
        let sql = Sql::new(
            "INSERT INTO discounts (id, name, valid_from, created_at, updated_at)
             WITH RECURSIVE n (i) AS (SELECT CAST(? AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ?)
             SELECT i, CASE WHEN i <= 12 THEN 'Zqa' ELSE 'Autumn' END, 1, 1, 1 FROM n",
        );
        panel.exec(sql.bind(from).bind(to)).await;
    };
    let found = async |query: &str| {
        let page = json(&panel, &format!("/api/v1/admin/discounts?{query}")).await;
        (page["recordsFiltered"].as_i64().unwrap(), page["recordsFilteredIsAtLeast"].clone())
    };
    discounts(1, 20_000).await;
    for query in ["name=zq", "search=zq", "search=zq%20a"] {
        assert_eq!(found(query).await, (12, Value::Null), "{query}");
    }
    discounts(20_001, 20_001).await;
    for query in ["name=zq", "search=zq"] {
        assert_eq!(found(query).await, (11, json!(true)), "{query}");
    }
    assert_eq!(found("name=zqa").await, (12, Value::Null), "an index finds three letters");
}

async fn ids_come_in_runs(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(20, 2_000).await;
    for (filter, least) in [
        ("", 2_000),
        ("columns[0][data]=status&columns[0][search][value]=completed", 1_400),
        ("columns[0][data]=status&columns[0][search][value]=completed,stopped", 1_400),
        ("columns[0][data]=source&columns[0][search][value]=single_form", 700),
        ("search[value]=example", 2_000),
        ("search[value]=ex", 2_000),
    ] {
        let (mut seen, mut after) = (Vec::new(), String::new());
        loop {
            let page = json(&panel, &format!("{ORDERS}?{filter}&ids_only=1&length=700{after}")).await;
            let run: Vec<i64> =
                page["ids"].as_array().unwrap().iter().map(|id| id.as_i64().unwrap()).collect();
            let Some(last) = run.last() else {
                assert_eq!(page["total"].as_u64(), Some(seen.len() as u64), "{filter}");
                break;
            };
            after = format!("&after={last}");
            seen.extend(run);
        }
        assert!(seen.len() >= least && seen.iter().rev().is_sorted(), "{filter}: {}", seen.len());
    }
}

async fn hidden_columns_stay_hidden(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(50, 10).await;
    panel.staff("reader", &[Permission::ViewUsers]).await;
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
        let answer = panel.get_as("reader", &format!("{path}?{query}"), "application/json").await;
        assert_eq!(answer.status, 422, "{}", answer.text);
    }
    let owners = json(&panel, path).await;
    assert!(owners["data"].as_array().unwrap().iter().any(|row| row["grade"]["name"] == "Grade 1"));
    assert_eq!(panel.get_as("reader", ORDERS, "application/json").await.status, 403);
}

async fn reads_answer(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(50, 200).await;
    let user = json(&panel, "/api/v1/admin/users/14").await;
    assert_eq!(user["data"]["email"], "user14@shop5.example");
    assert_eq!(panel.get("/api/v1/admin/users/99999").await.status, 404);
    let hits = json(&panel, "/api/v1/admin/users/search?query=shop5").await;
    assert!((1..=20).contains(&hits["data"].as_array().unwrap().len()));
    assert_eq!(json(&panel, "/api/v1/admin/users/search?query=14").await["data"][0]["id"], 14);
    let service = json(&panel, "/api/v1/admin/services/5").await;
    assert_eq!(service["data"]["network"]["id"], 3);
    let first = json(&panel, "/api/v1/admin/providers/available-for-order-recreate").await;
    assert_eq!((first["items"].as_array().unwrap().len(), first["lastPage"].as_i64()), (30, Some(2)));
    let named =
        json(&panel, "/api/v1/admin/providers/available-for-order-recreate?name=PROVIDER+1&page=1").await;
    assert!(
        named["items"]
            .as_array()
            .unwrap()
            .iter()
            .all(|row| row["name"].as_str().unwrap().starts_with("Provider 1"))
    );
    assert_eq!(panel.get("/api/v1/admin/providers/available-for-order-recreate?page=0").await.status, 422);
    let sub = json(&panel, &format!("{ORDERS}?subscription_id=6")).await;
    assert_eq!(sub["recordsTotal"], sub["recordsFiltered"]);
}
