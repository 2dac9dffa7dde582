//! `make bench`: compares the panel's responses over HTTP with the best known SQL for the same response, run directly on the same
//! database. Fills SQLite and a private PostgreSQL with `SCALE` orders through the demo and writes the results to
//! docs/benchmarks, or to the folder `BENCH_OUT`.
//!
//! It is a program and not a test: it reports and checks nothing.
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
use panel_platform::db::{Db, DbConfig, Dialect, Source as _, Sql};
use panel_server::operations::orders::detail::OrderListRow;

use crate::lists::FullyReadRow;
use crate::report::Report;
use crate::server_process::{ServerProcess, fill};

fn order_count(scale: &str) -> i64 {
    match scale {
        "10m" => 10_000_000,
        "1m" => 1_000_000,
        "100k" => 100_000,
        "10k" => 10_000,
        other => panic!("SCALE is 10k, 100k, 1m or 10m, not {other}"),
    }
}

/// The data folder: temporary, unless `BENCH_KEEP` names a folder (and `BENCH_URL` a PostgreSQL) that keeps the records for the
/// next run, which then skips filling.
enum Folder {
    Temporary(tempfile::TempDir),
    Reused(PathBuf),
}

impl Folder {
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

/// Runs the maintenance that a database does automatically after millions of inserts, so that no measurement includes it.
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
    let mut report = Report::new(&scale, &part, order_count(&scale));
    for dialect in [Dialect::Sqlite, Dialect::Postgres] {
        let name = format!("{dialect:?}").to_lowercase();
        if !only_database.is_empty() && only_database != name {
            continue;
        }
        let reused_url = std::env::var("BENCH_URL").ok().filter(|_| dialect == Dialect::Postgres);
        let cluster =
            (dialect == Dialect::Postgres && reused_url.is_none()).then(|| Cluster::start(true).unwrap());
        let url = reused_url.or_else(|| cluster.as_ref().map(|cluster| cluster.url("postgres")));
        let folder = Folder::for_database(&name);
        let fill_time = fill(folder.path(), url.as_deref(), order_count(&scale));
        report.database(dialect, fill_time);
        let config = DbConfig {
            is_durable: true,
            url: url.clone(),
            path: folder.path().join("panel.db"),
            max_connections: load::CALLERS,
        };
        let db = Db::connect(&config).await.unwrap();
        run_maintenance(&db).await;
        let is_selected = |name: &str| part.is_empty() || part == name;
        if is_selected("orders") {
            let server = ServerProcess::start(folder.path(), url.as_deref()).await;
            report.process(&server);
            for case in cases::all(&db, order_count(&scale)).await {
                report.case(&load::measure::<OrderListRow>(&server, &db, case).await);
            }
            report.bulk(&bulk::measure(&server, &db).await);
        }
        if is_selected("lists") {
            lists::fill(&db, order_count(&scale)).await;
            let server = ServerProcess::start(folder.path(), url.as_deref()).await;
            report.lists();
            for case in lists::cases(dialect) {
                report.case(&load::measure::<FullyReadRow>(&server, &db, case).await);
            }
        }
        if is_selected("catalogue") {
            catalogue::fill(&db).await;
            let server = ServerProcess::start(folder.path(), url.as_deref()).await;
            report.catalogue(&catalogue::measure(&server).await);
        }
        if is_selected("supply") {
            report.supply(&supply::measure(folder.path(), url.as_deref(), &db, order_count(&scale)).await);
        }
        // Only on request: it needs the program from before a change.
        if part == "before" {
            lists::fill(&db, order_count(&scale)).await;
            let mut cases = cases::all(&db, order_count(&scale)).await;
            cases.extend(lists::cases(dialect));
            report.before(&before::measure(folder.path(), url.as_deref(), &db, &cases).await);
        }
        // Only on request: it needs the program from before a change, and takes two minutes.
        if part == "telemetry" {
            report.telemetry(&telemetry::measure(folder.path(), url.as_deref()).await);
        }
        db.close().await;
    }
    report.write();
}
