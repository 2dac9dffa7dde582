//! 3,000 services with texts in twelve languages: the list, a picker's search, the editor, and sorting all of them. The
//! requests are sequential, as from one person.

use std::time::Instant;

use panel_platform::db::{Db, Source as _, Sql, bulk};
use serde_json::json;

use crate::served::Served;

/// Number of services of the service type.
const SERVICES: i64 = 3_000;
/// Ids of their service type and of the first service, above the ids of a demo.
const TYPE: i64 = 900_001;
const FIRST: i64 = 900_001;
/// Number of requests of each kind.
const TIMES: usize = 30;

/// Results, in milliseconds.
pub(crate) struct Measured {
    pub(crate) name: &'static str,
    pub(crate) median_ms: f64,
    pub(crate) longest_ms: f64,
    pub(crate) goal_ms: f64,
}

const SERIES: &str =
    " WITH RECURSIVE n (i) AS (SELECT CAST(0 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)";

/// Adds the services to the demo's records.
pub(crate) async fn fill(db: &Db) {
    let mut tx = db.begin().await.unwrap();
    let quiet = bulk::suspend_triggers(&mut tx).await.unwrap();
    let kind = "INSERT INTO service_types (id, network_id, name, created_at, updated_at) SELECT CAST(? AS BIGINT), min(id), 'Bench', 1, 1 FROM networks";
    tx.exec(Sql::new(kind).bind(TYPE)).await.unwrap();
    let services = "INSERT INTO services (id, service_type_id, name, min_quantity, max_quantity, quantity_step, min_price, default_price, pricing_per, sorting, created_at, updated_at)";
    let rows = " SELECT CAST(? AS BIGINT) + i, CAST(? AS BIGINT), 'Followers of bench ' || i, 100, 1000000, 1, 1, 10000000, 1000, i + 1, 1, 1 FROM n";
    let sql = Sql::new(services).push(SERIES).bind(SERVICES).push(rows).bind(FIRST).bind(TYPE);
    tx.exec(sql).await.unwrap();
    let texts = "INSERT INTO translations (owner_type, owner_id, locale, field, value)";
    let locales = "'en' AS code UNION ALL SELECT 'ru' UNION ALL SELECT 'es' UNION ALL SELECT 'fr' UNION ALL SELECT 'de' UNION ALL SELECT 'hi_IN' UNION ALL SELECT 'ko'
      UNION ALL SELECT 'pt_BR' UNION ALL SELECT 'tr' UNION ALL SELECT 'zh_CN' UNION ALL SELECT 'ja' UNION ALL SELECT 'vi'";
    let rows = " SELECT 'service', CAST(? AS BIGINT) + n.i, l.code, f.field, f.field || ' of service ' || n.i || ' in ' || l.code FROM n CROSS JOIN (SELECT ";
    let fields = ") l CROSS JOIN (SELECT 'name' AS field UNION ALL SELECT 'short_description' UNION ALL SELECT 'description' UNION ALL SELECT 'requirements') f";
    let sql = Sql::new(texts).push(SERIES).bind(SERVICES).push(rows).bind(FIRST).push(locales).push(fields);
    tx.exec(sql).await.unwrap();
    bulk::restore_triggers(&mut tx, quiet).await.unwrap();
    tx.commit().await.unwrap();
    (&mut &*db).exec(Sql::new("ANALYZE")).await.unwrap();
}

/// Measures all requests.
pub(crate) async fn measure(served: &Served) -> Vec<Measured> {
    let mut found = Vec::new();
    for (name, path) in [
        ("list of services", "/api/v1/admin/services?is_archived=0&length=30".to_owned()),
        (
            "list, last page",
            format!("/api/v1/admin/services?is_archived=0&length=30&start={}", SERVICES - 30),
        ),
        ("picker, a word", "/api/v1/admin/special-offers/services?search=bench".to_owned()),
        ("picker, nothing found", "/api/v1/admin/special-offers/services?search=nowhere".to_owned()),
        ("editor of a service", format!("/api/v1/admin/services/{}", FIRST + SERVICES / 2)),
        ("services of the type", format!("/api/v1/admin/service-types/{TYPE}/services")),
    ] {
        let mut times = Vec::new();
        for _ in 0..TIMES {
            let begun = Instant::now();
            served.get(&path).await;
            times.push(begun.elapsed().as_secs_f64() * 1_000.0);
        }
        found.push(measured(name, times, 50.0));
    }
    let mut times = Vec::new();
    for turn in 0..4 {
        let mut ids: Vec<i64> = (FIRST..FIRST + SERVICES).collect();
        if turn % 2 == 0 {
            ids.reverse();
        }
        let path = format!("{}/api/v1/admin/service-types/{TYPE}/sort-services", served.base);
        let body = json!({ "services": ids }).to_string();
        let begun = Instant::now();
        let request = served.client.post(path).header("content-type", "application/json").body(body);
        let answer = request.send().await.unwrap();
        assert!(answer.status().is_success(), "{}", answer.text().await.unwrap());
        times.push(begun.elapsed().as_secs_f64() * 1_000.0);
    }
    found.push(measured("3,000 put in order", times, 300.0));
    found
}

fn measured(name: &'static str, mut times: Vec<f64>, goal_ms: f64) -> Measured {
    times.sort_by(f64::total_cmp);
    let median_ms = times.get(times.len() / 2).copied().unwrap_or_default();
    let longest_ms = times.last().copied().unwrap_or_default();
    println!("{name}: {median_ms:.1} ms, at most {longest_ms:.1} ms (goal: under {goal_ms:.0})");
    Measured { name, median_ms, longest_ms, goal_ms }
}
