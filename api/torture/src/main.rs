//! The program of `make torture`: runs the stress test with fault injection on SQLite and PostgreSQL, and writes a report.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Parser;
use panel_contract::moment::Time;
use panel_kernel::clock::{Clock as _, SystemClock};
use panel_torture::report::{PageHeader, format_page};
use panel_torture::run::{RunPlan, RunResult, run};

const ORDERS_PER_MINUTE: u64 = 120;
const WITHDRAWALS_PER_MINUTE: i64 = 16;

/// Runs the real server with injected faults on this machine, and checks that no order or payment is lost or duplicated.
#[derive(Parser)]
#[command(name = "panel-torture", version, about)]
struct Cli {
    /// Minutes of faults on each database; both databases run at the same time.
    #[arg(long, env = "MINUTES", default_value_t = 10)]
    minutes: u64,
    /// Seed of faults, client choices and external panels' responses, to repeat a run; by default the current time.
    #[arg(long, env = "SEED")]
    seed: Option<u64>,
    /// `sqlite` or `postgres`; both if omitted.
    #[arg(long, env = "DB")]
    database: Option<String>,
    /// Maximum number of orders on each database, spread over the run; by default 120 per minute.
    #[arg(long)]
    orders: Option<u64>,
    /// Path of panel-server; by default in the folder of this program.
    #[arg(long)]
    program: Option<PathBuf>,
    /// File for the report, in Markdown.
    #[arg(long)]
    report: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run_on_databases(Cli::parse()).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Returns whether no run found a violation.
async fn run_on_databases(cli: Cli) -> Result<bool, String> {
    let now = SystemClock.now();
    let seed = cli.seed.unwrap_or(now.0.unsigned_abs() / 1_000_000);
    let default_binary = || Some(std::env::current_exe().ok()?.with_file_name("panel-server"));
    let server_binary = cli.program.or_else(default_binary).filter(|binary| binary.exists());
    let server_binary = server_binary.ok_or("panel-server is not built: cargo build --workspace --bins")?;
    let work_dir =
        tempfile::Builder::new().prefix("panel-torture-").tempdir().map_err(|error| error.to_string())?;
    eprintln!("SEED={seed} MINUTES={}", cli.minutes);
    let interrupted = Arc::new(AtomicBool::new(false));
    let interrupted_flag = Arc::clone(&interrupted);
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            eprintln!("interrupted: the run ends after this phase");
            interrupted_flag.store(true, Ordering::SeqCst);
        }
    });
    let fault_duration = Duration::from_secs(cli.minutes * 60);
    let run_on_database = |name: &'static str| {
        let is_selected = cli.database.as_deref().is_none_or(|selected| selected == name);
        let run_plan = RunPlan {
            server_binary: server_binary.clone(),
            seed,
            fault_duration,
            max_orders: cli.orders.unwrap_or(cli.minutes * ORDERS_PER_MINUTE),
            withdrawal_count: cli.minutes.cast_signed() * WITHDRAWALS_PER_MINUTE,
            is_postgres: name == "postgres",
            work_dir: work_dir.path().join(name),
        };
        let interrupted = Arc::clone(&interrupted);
        async move { if is_selected { Some(run(&run_plan, interrupted).await) } else { None } }
    };
    let (sqlite_result, postgres_result) =
        tokio::join!(run_on_database("sqlite"), run_on_database("postgres"));
    let results: Vec<RunResult> =
        [sqlite_result, postgres_result].into_iter().flatten().collect::<Result<_, _>>()?;
    let report_page = format_page(&PageHeader { date: iso_date(now), seed, fault_duration }, &results);
    eprintln!("\n{report_page}");
    if let Some(report) = &cli.report {
        std::fs::write(report, report_page).map_err(|error| format!("{}: {error}", report.display()))?;
    }
    let has_passed = !results.is_empty() && results.iter().all(|result| result.violations.is_empty());
    if !has_passed {
        eprintln!("logs are in {}", work_dir.keep().display());
    }
    Ok(has_passed)
}

fn iso_date(time: Time) -> String {
    time.to_string().chars().take(10).collect()
}
