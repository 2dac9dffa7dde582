//! Measures a case for a few seconds with sixteen concurrent clients, over HTTP and directly on the database.

use std::time::Instant;

use panel_platform::db::{Db, DbRow, Dialect, Sql, SqlExecutor as _};

use crate::cases::BenchmarkCase;
use crate::server_process::{BenchmarkConnection, ServerProcess};

/// Number of concurrent clients, and of connections to the database.
pub(crate) const CLIENT_COUNT: u32 = 16;
/// Duration of each measurement in seconds, unless `BENCH_SECONDS` sets it.
const DEFAULT_SECONDS: u64 = 4;

pub(crate) struct CaseResult {
    pub(crate) case: BenchmarkCase,
    pub(crate) http: Throughput,
    pub(crate) sql: Throughput,
    /// Number of rows of the list that match the filter.
    pub(crate) total_rows: i64,
    /// Query plan of the case's `ids_sql`.
    pub(crate) ids_plan: String,
}

/// Throughput of HTTP requests or SQL queries.
#[derive(Clone, Copy)]
pub(crate) struct Throughput {
    pub(crate) requests_per_second: f64,
    pub(crate) median_ms: f64,
}

/// Measures one case over HTTP, and its SQL directly on the database.
pub(crate) async fn measure<R: DbRow>(server: &ServerProcess, db: &Db, case: BenchmarkCase) -> CaseResult {
    let list = server.get(&case.path).await;
    let total_rows = list["recordsFiltered"].as_i64().unwrap();
    let mut connections = Vec::new();
    for _ in 0..CLIENT_COUNT {
        connections.push(server.open_connection(&case.path).await);
    }
    let http = measure_throughput(connections, async |connection: &mut BenchmarkConnection| {
        connection.send_request().await;
    })
    .await;
    let sql = measure_throughput(vec![(); usize::try_from(CLIENT_COUNT).unwrap()], async |_: &mut ()| {
        let rows: Vec<R> = (&mut &*db).fetch_all(case.page_sql.clone()).await.unwrap();
        std::hint::black_box(rows);
    })
    .await;
    println!(
        "{:<32} {:>8.0}/s HTTP {:>8.0}/s SQL  {:.0} %",
        case.name,
        http.requests_per_second,
        sql.requests_per_second,
        100.0 * http.requests_per_second / sql.requests_per_second
    );
    let ids_plan = load_query_plan(db, case.ids_sql.clone()).await;
    CaseResult { http, sql, total_rows, ids_plan, case }
}

/// Each client sends one request to warm up, then sends requests until the time is over.
async fn measure_throughput<C>(clients: Vec<C>, send_request: impl AsyncFn(&mut C)) -> Throughput {
    let seconds =
        std::env::var("BENCH_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(DEFAULT_SECONDS);
    let mut warm_clients = Vec::new();
    for mut client in clients {
        send_request(&mut client).await;
        warm_clients.push(client);
    }
    let measurement_started_at = Instant::now();
    let tasks = warm_clients.into_iter().map(|mut client| {
        let send_request = &send_request;
        async move {
            let mut times_ms = Vec::new();
            while measurement_started_at.elapsed().as_secs() < seconds {
                let sent_at = Instant::now();
                send_request(&mut client).await;
                times_ms.push(sent_at.elapsed().as_secs_f64() * 1_000.0);
            }
            times_ms
        }
    });
    let mut times_ms: Vec<f64> = futures_util::future::join_all(tasks).await.into_iter().flatten().collect();
    times_ms.sort_by(f64::total_cmp);
    let request_count = u32::try_from(times_ms.len()).unwrap();
    Throughput {
        requests_per_second: f64::from(request_count) / measurement_started_at.elapsed().as_secs_f64(),
        median_ms: times_ms[times_ms.len() / 2],
    }
}

async fn load_query_plan(db: &Db, sql: Sql) -> String {
    match db.dialect() {
        Dialect::Sqlite => {
            let rows: Vec<(i64, i64, i64, String)> =
                (&mut &*db).fetch_all(Sql::new("EXPLAIN QUERY PLAN ").append(sql)).await.unwrap();
            rows.into_iter().map(|(_, _, _, detail)| detail).collect::<Vec<_>>().join("\n")
        }
        Dialect::Postgres => {
            let rows: Vec<(String,)> =
                (&mut &*db).fetch_all(Sql::new("EXPLAIN (COSTS OFF) ").append(sql)).await.unwrap();
            rows.into_iter().map(|(line,)| line).collect::<Vec<_>>().join("\n")
        }
    }
}
