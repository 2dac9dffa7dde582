//! Measures a case with sixteen concurrent callers for a few seconds, over HTTP and directly on the database.

use std::time::Instant;

use panel_platform::db::{Db, DbRow, Dialect, Source as _, Sql};

use crate::cases::Case;
use crate::server_process::{Caller, ServerProcess};

/// The number of concurrent callers, and of connections to the database.
pub(crate) const CALLERS: u32 = 16;
/// The duration of each measurement in seconds; `BENCH_SECONDS` overrides it.
const SECONDS: u64 = 4;

/// The result of a case: the speed over HTTP and of its SQL, the total of the list, and the plan of the ids query.
pub(crate) struct CaseResult {
    pub(crate) case: Case,
    pub(crate) http: Speed,
    pub(crate) sql: Speed,
    pub(crate) total: i64,
    pub(crate) plan: String,
}

/// Calls per second, and the median time of a call.
#[derive(Clone, Copy)]
pub(crate) struct Speed {
    pub(crate) per_second: f64,
    pub(crate) median_ms: f64,
}

/// Measures one case over HTTP, and its SQL directly on the database.
pub(crate) async fn measure<R: DbRow>(server: &ServerProcess, db: &Db, case: Case) -> CaseResult {
    let answer = server.get(&case.path).await;
    let total = answer["recordsFiltered"].as_i64().unwrap();
    let mut callers = Vec::new();
    for _ in 0..CALLERS {
        callers.push(server.caller(&case.path).await);
    }
    let http = measure_speed(callers, async |caller: &mut Caller| caller.call().await).await;
    let sql = measure_speed(vec![(); usize::try_from(CALLERS).unwrap()], async |_: &mut ()| {
        let rows: Vec<R> = (&mut &*db).fetch_all(case.page_sql.clone()).await.unwrap();
        std::hint::black_box(rows);
    })
    .await;
    println!(
        "{:<32} {:>8.0}/s HTTP {:>8.0}/s SQL  {:.0} %",
        case.name,
        http.per_second,
        sql.per_second,
        100.0 * http.per_second / sql.per_second
    );
    let plan = query_plan(db, case.ids_sql.clone()).await;
    CaseResult { http, sql, total, plan, case }
}

/// Every caller calls once to warm up, then continuously.
async fn measure_speed<C>(callers: Vec<C>, call: impl AsyncFn(&mut C)) -> Speed {
    let seconds = std::env::var("BENCH_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(SECONDS);
    let mut warm_callers = Vec::new();
    for mut caller in callers {
        call(&mut caller).await;
        warm_callers.push(caller);
    }
    let measurement_start = Instant::now();
    let callers = warm_callers.into_iter().map(|mut caller| {
        let call = &call;
        async move {
            let mut times = Vec::new();
            while measurement_start.elapsed().as_secs() < seconds {
                let started = Instant::now();
                call(&mut caller).await;
                times.push(started.elapsed().as_secs_f64() * 1_000.0);
            }
            times
        }
    });
    let mut times: Vec<f64> = futures_util::future::join_all(callers).await.into_iter().flatten().collect();
    times.sort_by(f64::total_cmp);
    let calls = u32::try_from(times.len()).unwrap();
    Speed {
        per_second: f64::from(calls) / measurement_start.elapsed().as_secs_f64(),
        median_ms: times[times.len() / 2],
    }
}

async fn query_plan(db: &Db, ids: Sql) -> String {
    match db.dialect() {
        Dialect::Sqlite => {
            let rows: Vec<(i64, i64, i64, String)> =
                (&mut &*db).fetch_all(Sql::new("EXPLAIN QUERY PLAN ").append(ids)).await.unwrap();
            rows.into_iter().map(|row| row.3).collect::<Vec<_>>().join("\n")
        }
        Dialect::Postgres => {
            let rows: Vec<(String,)> =
                (&mut &*db).fetch_all(Sql::new("EXPLAIN (COSTS OFF) ").append(ids)).await.unwrap();
            rows.into_iter().map(|row| row.0).collect::<Vec<_>>().join("\n")
        }
    }
}
