//! Measures 3,000 services with texts in twelve languages: the list, the search of a form field, one service, and sorting all
//! services. The requests are sequential, as from one staff member.

use std::time::Instant;

use panel_platform::db::{Db, Sql, SqlExecutor as _, bulk};
use serde_json::json;

use crate::server_process::ServerProcess;

const SERVICE_COUNT: i64 = 3_000;
/// Higher than all ids of the demo, as the next constant.
const SERVICE_TYPE_ID: i64 = 900_001;
const FIRST_SERVICE_ID: i64 = 900_001;
const REPETITIONS_PER_REQUEST: usize = 30;

/// Durations of one kind of request.
pub(crate) struct RequestTimes {
    pub(crate) name: &'static str,
    pub(crate) median_ms: f64,
    pub(crate) longest_ms: f64,
    pub(crate) goal_ms: f64,
}

/// A temporary table `n` with the integers from 0. Binds: their number.
const SERIES_SQL: &str =
    " WITH RECURSIVE n (i) AS (SELECT CAST(0 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)";

/// Adds the services to the demo's records.
pub(crate) async fn fill(db: &Db) {
    let mut tx = db.begin().await.unwrap();
    let suspended_triggers = bulk::suspend_triggers(&mut tx).await.unwrap();
    let insert_type_sql = "INSERT INTO service_types (id, network_id, name, created_at, updated_at) SELECT CAST(? AS BIGINT), min(id), 'Bench', 1, 1 FROM networks";
    tx.execute(Sql::new(insert_type_sql).bind(SERVICE_TYPE_ID)).await.unwrap();
    let insert_services_sql = "INSERT INTO services (id, service_type_id, name, min_quantity, max_quantity, quantity_step, min_price, default_price, pricing_per, sorting, created_at, updated_at)";
    let select_services_sql = " SELECT CAST(? AS BIGINT) + i, CAST(? AS BIGINT), 'Followers of bench ' || i, 100, 1000000, 1, 1, 10000000, 1000, i + 1, 1, 1 FROM n";
    let sql = Sql::new(insert_services_sql)
        .push(SERIES_SQL)
        .bind(SERVICE_COUNT)
        .push(select_services_sql)
        .bind(FIRST_SERVICE_ID)
        .bind(SERVICE_TYPE_ID);
    tx.execute(sql).await.unwrap();
    let insert_texts_sql = "INSERT INTO translations (owner_type, owner_id, locale, field, value)";
    let locales_sql = "'en' AS code UNION ALL SELECT 'ru' UNION ALL SELECT 'es' UNION ALL SELECT 'fr' UNION ALL SELECT 'de' UNION ALL SELECT 'hi_IN' UNION ALL SELECT 'ko'
      UNION ALL SELECT 'pt_BR' UNION ALL SELECT 'tr' UNION ALL SELECT 'zh_CN' UNION ALL SELECT 'ja' UNION ALL SELECT 'vi'";
    let select_texts_sql = " SELECT 'service', CAST(? AS BIGINT) + n.i, l.code, f.field, f.field || ' of service ' || n.i || ' in ' || l.code FROM n CROSS JOIN (SELECT ";
    let fields_sql = ") l CROSS JOIN (SELECT 'name' AS field UNION ALL SELECT 'short_description' UNION ALL SELECT 'description' UNION ALL SELECT 'requirements') f";
    let sql = Sql::new(insert_texts_sql)
        .push(SERIES_SQL)
        .bind(SERVICE_COUNT)
        .push(select_texts_sql)
        .bind(FIRST_SERVICE_ID)
        .push(locales_sql)
        .push(fields_sql);
    tx.execute(sql).await.unwrap();
    bulk::restore_triggers(&mut tx, suspended_triggers).await.unwrap();
    tx.commit().await.unwrap();
    (&mut &*db).execute(Sql::new("ANALYZE")).await.unwrap();
}

pub(crate) async fn measure(server: &ServerProcess) -> Vec<RequestTimes> {
    let mut results = Vec::new();
    for (name, path) in [
        ("list of services", "/api/v1/admin/services?is_archived=0&length=30".to_owned()),
        (
            "list, last page",
            format!("/api/v1/admin/services?is_archived=0&length=30&start={}", SERVICE_COUNT - 30),
        ),
        ("form search, a word", "/api/v1/admin/special-offers/services?search=bench".to_owned()),
        ("form search, no match", "/api/v1/admin/special-offers/services?search=nowhere".to_owned()),
        ("one service", format!("/api/v1/admin/services/{}", FIRST_SERVICE_ID + SERVICE_COUNT / 2)),
        ("services of the type", format!("/api/v1/admin/service-types/{SERVICE_TYPE_ID}/services")),
    ] {
        let mut times_ms = Vec::new();
        for _ in 0..REPETITIONS_PER_REQUEST {
            let started_at = Instant::now();
            server.get(&path).await;
            times_ms.push(started_at.elapsed().as_secs_f64() * 1_000.0);
        }
        results.push(summarize(name, times_ms, 50.0));
    }
    let mut times_ms = Vec::new();
    for round in 0..4 {
        let mut ids: Vec<i64> = (FIRST_SERVICE_ID..FIRST_SERVICE_ID + SERVICE_COUNT).collect();
        if round % 2 == 0 {
            ids.reverse();
        }
        let url = format!("{}/api/v1/admin/service-types/{SERVICE_TYPE_ID}/sort-services", server.base_url);
        let body = json!({ "services": ids }).to_string();
        let started_at = Instant::now();
        let request = server.client.post(url).header("content-type", "application/json").body(body);
        let response = request.send().await.unwrap();
        assert!(response.status().is_success(), "{}", response.text().await.unwrap());
        times_ms.push(started_at.elapsed().as_secs_f64() * 1_000.0);
    }
    results.push(summarize("sort 3,000 services", times_ms, 300.0));
    results
}

fn summarize(name: &'static str, mut times_ms: Vec<f64>, goal_ms: f64) -> RequestTimes {
    times_ms.sort_by(f64::total_cmp);
    let median_ms = times_ms.get(times_ms.len() / 2).copied().unwrap_or_default();
    let longest_ms = times_ms.last().copied().unwrap_or_default();
    println!("{name}: {median_ms:.1} ms, at most {longest_ms:.1} ms (goal: under {goal_ms:.0})");
    RequestTimes { name, median_ms, longest_ms, goal_ms }
}
