//! `make bench`: compares the panel's responses over HTTP with the best known SQL for each, directly on the same database, in
//! one run. Fills SQLite and a private PostgreSQL with `SCALE` orders through the demo and writes the results to
//! docs/benchmarks, or to the folder `BENCH_OUT`.
//!
//! A program, not a test: it checks nothing, it only reports.
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
mod served;
mod supply;
mod telemetry;

use std::path::{Path, PathBuf};

use panel_platform::db::cluster::Cluster;
use panel_platform::db::{Db, DbConfig, Dialect, Source as _, Sql};
use panel_server::operations::orders::detail::OrderListRow;

use crate::lists::Touched;
use crate::report::Report;
use crate::served::{Served, fill};

/// Number of orders by `SCALE`.
fn orders(scale: &str) -> i64 {
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
    Kept(PathBuf),
}

impl Folder {
    fn of(database: &str) -> Self {
        let Ok(kept) = std::env::var("BENCH_KEEP") else {
            let around = std::env::var("BENCH_DIR").unwrap_or_else(|_| ".".into());
            return Self::Temporary(tempfile::tempdir_in(around).unwrap());
        };
        let folder = PathBuf::from(kept).join(database);
        std::fs::create_dir_all(&folder).unwrap();
        Self::Kept(folder)
    }

    fn path(&self) -> &Path {
        match self {
            Self::Temporary(folder) => folder.path(),
            Self::Kept(folder) => folder,
        }
    }
}

/// Runs the maintenance that a database does by itself soon after millions of inserts, so that it is not measured.
async fn settle(mut db: &Db) {
    let statements: &[&'static str] = match db.dialect() {
        Dialect::Sqlite => &["PRAGMA wal_checkpoint(TRUNCATE)"],
        Dialect::Postgres => &["VACUUM ANALYZE", "CHECKPOINT"],
    };
    for statement in statements {
        db.exec(Sql::new(statement)).await.unwrap();
    }
}

#[tokio::main]
async fn main() {
    let scale = std::env::var("SCALE").unwrap_or_else(|_| "1m".into());
    let only = std::env::var("DB").unwrap_or_default();
    let part = std::env::var("PART").unwrap_or_default();
    let mut report = Report::begin(&scale, &part, orders(&scale));
    for dialect in [Dialect::Sqlite, Dialect::Postgres] {
        let name = format!("{dialect:?}").to_lowercase();
        if !only.is_empty() && only != name {
            continue;
        }
        let kept = std::env::var("BENCH_URL").ok().filter(|_| dialect == Dialect::Postgres);
        let cluster = (dialect == Dialect::Postgres && kept.is_none()).then(|| Cluster::start(true).unwrap());
        let url = kept.or_else(|| cluster.as_ref().map(|cluster| cluster.url("postgres")));
        let folder = Folder::of(&name);
        let filled = fill(folder.path(), url.as_deref(), orders(&scale));
        report.database(dialect, filled);
        let config = DbConfig {
            is_durable: true,
            url: url.clone(),
            path: folder.path().join("panel.db"),
            max_connections: load::CALLERS,
        };
        let db = Db::connect(&config).await.unwrap();
        settle(&db).await;
        let runs = |name: &str| part.is_empty() || part == name;
        if runs("orders") {
            let served = Served::start(folder.path(), url.as_deref()).await;
            report.process(&served);
            for case in cases::all(&db, orders(&scale)).await {
                report.case(&load::measure::<OrderListRow>(&served, &db, case).await);
            }
            report.bulk(&bulk::measure(&served, &db).await);
        }
        if runs("lists") {
            lists::fill(&db, orders(&scale)).await;
            let served = Served::start(folder.path(), url.as_deref()).await;
            report.lists();
            for case in lists::cases(dialect) {
                report.case(&load::measure::<Touched>(&served, &db, case).await);
            }
        }
        if runs("catalogue") {
            catalogue::fill(&db).await;
            let served = Served::start(folder.path(), url.as_deref()).await;
            report.catalogue(&catalogue::measure(&served).await);
        }
        if runs("supply") {
            report.supply(&supply::measure(folder.path(), url.as_deref(), &db, orders(&scale)).await);
        }
        // Only on request: it needs the program from before a change.
        if part == "before" {
            lists::fill(&db, orders(&scale)).await;
            let mut cases = cases::all(&db, orders(&scale)).await;
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
