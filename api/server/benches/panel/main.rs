//! `make bench`: compares requests over HTTP with the best known SQL for the same response, which the benchmark runs directly on
//! the same database. Creates `SCALE` orders with the demo on SQLite and on its own PostgreSQL cluster, and writes the results to
//! docs/benchmarks, or to the folder `BENCH_OUT`.
//!
//! It only reports: a missed goal does not make the program fail.
#![expect(clippy::unwrap_used, reason = "a failed measurement ends the program")]
#![expect(
    clippy::float_arithmetic,
    clippy::print_stdout,
    reason = "measurements are fractions, and printed immediately"
)]

mod before;
mod bulk;
mod cases;
mod catalogue;
mod lists;
mod load;
mod report;
mod server_process;
mod supply;
mod telemetry;

use std::path::{Path, PathBuf};

use panel_platform::db::cluster::Cluster;
use panel_platform::db::{Db, DbConfig, Dialect, Sql, SqlExecutor as _};
use panel_server::operations::orders::detail::OrderListRow;

use crate::lists::FullyReadRow;
use crate::report::Report;
use crate::server_process::{ServerProcess, create_demo_records};

fn parse_order_count(scale: &str) -> i64 {
    match scale {
        "10m" => 10_000_000,
        "1m" => 1_000_000,
        "100k" => 100_000,
        "10k" => 10_000,
        other => panic!("SCALE must be 10k, 100k, 1m or 10m, not {other}"),
    }
}

/// The data folder. It is temporary, unless `BENCH_KEEP` names a folder (and `BENCH_URL` a PostgreSQL database): then the next run
/// reuses the records instead of creating them.
enum DataFolder {
    Temporary(tempfile::TempDir),
    Reused(PathBuf),
}

impl DataFolder {
    fn for_database(database: &str) -> Self {
        let Ok(reused_folder) = std::env::var("BENCH_KEEP") else {
            let parent = std::env::var("BENCH_DIR").unwrap_or_else(|_| ".".into());
            return Self::Temporary(tempfile::tempdir_in(parent).unwrap());
        };
        let folder = PathBuf::from(reused_folder).join(database);
        std::fs::create_dir_all(&folder).unwrap();
        Self::Reused(folder)
    }

    fn path(&self) -> &Path {
        match self {
            Self::Temporary(folder) => folder.path(),
            Self::Reused(folder) => folder,
        }
    }
}

/// Runs the maintenance that the database would otherwise do during the measurements, after millions of inserts.
async fn run_maintenance(mut db: &Db) {
    let statements: &[&'static str] = match db.dialect() {
        Dialect::Sqlite => &["PRAGMA wal_checkpoint(TRUNCATE)"],
        Dialect::Postgres => &["VACUUM ANALYZE", "CHECKPOINT"],
    };
    for statement in statements {
        db.execute(Sql::new(statement)).await.unwrap();
    }
}

#[tokio::main]
async fn main() {
    let scale = std::env::var("SCALE").unwrap_or_else(|_| "1m".into());
    let only_database = std::env::var("DB").unwrap_or_default();
    let part = std::env::var("PART").unwrap_or_default();
    let order_count = parse_order_count(&scale);
    let mut report = Report::new(&scale, &part, order_count);
    for dialect in [Dialect::Sqlite, Dialect::Postgres] {
        let name = format!("{dialect:?}").to_lowercase();
        if !only_database.is_empty() && only_database != name {
            continue;
        }
        let reused_url = std::env::var("BENCH_URL").ok().filter(|_| dialect == Dialect::Postgres);
        let cluster =
            (dialect == Dialect::Postgres && reused_url.is_none()).then(|| Cluster::start(true).unwrap());
        let database_url = reused_url.or_else(|| cluster.as_ref().map(|cluster| cluster.url("postgres")));
        let folder = DataFolder::for_database(&name);
        let fill_duration = create_demo_records(folder.path(), database_url.as_deref(), order_count);
        report.add_database(dialect, fill_duration);
        let config = DbConfig {
            is_durable: true,
            url: database_url.clone(),
            path: folder.path().join("panel.db"),
            max_connections: load::CLIENT_COUNT,
        };
        let db = Db::connect(&config).await.unwrap();
        run_maintenance(&db).await;
        let is_selected = |name: &str| part.is_empty() || part == name;
        if is_selected("orders") {
            let server = ServerProcess::start(folder.path(), database_url.as_deref()).await;
            report.add_startup(&server);
            for case in cases::order_cases(&db, order_count).await {
                report.add_case(&load::measure::<OrderListRow>(&server, &db, case).await);
            }
            report.add_bulk_cancel(&bulk::measure(&server, &db).await);
        }
        if is_selected("lists") {
            lists::fill(&db, order_count).await;
            let server = ServerProcess::start(folder.path(), database_url.as_deref()).await;
            report.add_list_heading();
            for case in lists::benchmark_cases(dialect) {
                report.add_case(&load::measure::<FullyReadRow>(&server, &db, case).await);
            }
        }
        if is_selected("catalogue") {
            catalogue::fill(&db).await;
            let server = ServerProcess::start(folder.path(), database_url.as_deref()).await;
            report.add_catalogue(&catalogue::measure(&server).await);
        }
        if is_selected("supply") {
            report
                .add_supply(&supply::measure(folder.path(), database_url.as_deref(), &db, order_count).await);
        }
        // Runs only if selected, because it needs a program that was built before a change.
        if part == "before" {
            lists::fill(&db, order_count).await;
            let mut cases = cases::order_cases(&db, order_count).await;
            cases.extend(lists::benchmark_cases(dialect));
            report
                .add_comparisons(&before::measure(folder.path(), database_url.as_deref(), &db, &cases).await);
        }
        // Runs only if selected, because it takes two minutes and can compare with a program that was built before a change.
        if part == "telemetry" {
            report.add_telemetry(&telemetry::measure(folder.path(), database_url.as_deref()).await);
        }
        db.close().await;
    }
    report.write();
}
