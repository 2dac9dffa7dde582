//! Measures sixteen callers for a few seconds, over HTTP and directly on the database.

use std::time::Instant;

use panel_platform::db::{Db, Dialect, Row, Source as _, Sql};

use crate::cases::Case;
use crate::served::{Caller, Served};

/// Number of concurrent callers, and of connections to the database.
pub(crate) const CALLERS: u32 = 16;
/// Length of each measurement in seconds, unless `BENCH_SECONDS` is set.
const SECONDS: u64 = 4;

/// Result of a case.
pub(crate) struct Measured {
    pub(crate) case: Case,
    pub(crate) served: Speed,
    pub(crate) bare: Speed,
    pub(crate) total: i64,
    pub(crate) plan: String,
}

/// Calls per second, and the median time of a call.
#[derive(Clone, Copy)]
pub(crate) struct Speed {
    pub(crate) per_second: f64,
    pub(crate) median_ms: f64,
}

/// Measures one case over HTTP and on the database.
pub(crate) async fn measure<R: Row>(served: &Served, db: &Db, case: Case) -> Measured {
    let answer = served.get(&case.path).await;
    let total = answer["recordsFiltered"].as_i64().unwrap();
    let mut callers = Vec::new();
    for _ in 0..CALLERS {
        callers.push(served.caller(&case.path).await);
    }
    let http = per_second(callers, async |caller: &mut Caller| caller.call().await).await;
    let bare = per_second(vec![(); usize::try_from(CALLERS).unwrap()], async |_: &mut ()| {
        let found: Vec<R> = (&mut &*db).all(case.bare.clone()).await.unwrap();
        std::hint::black_box(found);
    })
    .await;
    println!(
        "{:<32} {:>8.0}/s served {:>8.0}/s bare  {:.0} %",
        case.name,
        http.per_second,
        bare.per_second,
        100.0 * http.per_second / bare.per_second
    );
    let plan = plan(db, case.ids.clone()).await;
    Measured { served: http, bare, total, plan, case }
}

/// Every caller calls once to warm up, then continuously.
async fn per_second<C>(callers: Vec<C>, call: impl AsyncFn(&mut C)) -> Speed {
    let seconds = std::env::var("BENCH_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(SECONDS);
    let mut warm = Vec::new();
    for mut caller in callers {
        call(&mut caller).await;
        warm.push(caller);
    }
    let begun = Instant::now();
    let callers = warm.into_iter().map(|mut caller| {
        let call = &call;
        async move {
            let mut times = Vec::new();
            while begun.elapsed().as_secs() < seconds {
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
    Speed { per_second: f64::from(calls) / begun.elapsed().as_secs_f64(), median_ms: times[times.len() / 2] }
}

/// The query plan for the ids.
async fn plan(db: &Db, ids: Sql) -> String {
    match db.dialect() {
        Dialect::Sqlite => {
            let rows: Vec<(i64, i64, i64, String)> =
                (&mut &*db).all(Sql::new("EXPLAIN QUERY PLAN ").append(ids)).await.unwrap();
            rows.into_iter().map(|row| row.3).collect::<Vec<_>>().join("\n")
        }
        Dialect::Postgres => {
            let rows: Vec<(String,)> =
                (&mut &*db).all(Sql::new("EXPLAIN (COSTS OFF) ").append(ids)).await.unwrap();
            rows.into_iter().map(|row| row.0).collect::<Vec<_>>().join("\n")
        }
    }
}
