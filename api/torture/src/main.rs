//! The program of `make torture`.

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

/// Runs the real server under faults on this machine, and checks that nothing is lost or doubled.
#[derive(Parser)]
#[command(name = "panel-torture", version, about)]
struct Cli {
    /// Minutes of faults on each database; both databases run at the same time.
    #[arg(long, env = "MINUTES", default_value_t = 10)]
    minutes: u64,
    /// Seed of faults, choices and answers, to repeat a run; by default the current time.
    #[arg(long, env = "SEED")]
    seed: Option<u64>,
    /// `sqlite` or `postgres`; both when absent.
    #[arg(long, env = "DB")]
    database: Option<String>,
    /// Maximum number of orders on each database, spread over the run; by default 120 per minute.
    #[arg(long)]
    orders: Option<u64>,
    /// Path of panel-server; by default beside this program.
    #[arg(long)]
    program: Option<PathBuf>,
    /// File for the report.
    #[arg(long)]
    report: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> ExitCode {
    match torture(Cli::parse()).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

async fn torture(cli: Cli) -> Result<bool, String> {
    let now = SystemClock.now();
    let seed = cli.seed.unwrap_or(now.0.unsigned_abs() / 1_000_000);
    let default_binary = || Some(std::env::current_exe().ok()?.with_file_name("panel-server"));
    let server_binary = cli.program.or_else(default_binary).filter(|binary| binary.exists());
    let server_binary = server_binary.ok_or("panel-server is not built: cargo build --workspace --bins")?;
    let work_dir =
        tempfile::Builder::new().prefix("panel-torture-").tempdir().map_err(|error| error.to_string())?;
    eprintln!("SEED={seed} MINUTES={}", cli.minutes);
    let interrupted = Arc::new(AtomicBool::new(false));
    let interrupt = Arc::clone(&interrupted);
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            eprintln!("interrupted: the run ends after this phase");
            interrupt.store(true, Ordering::SeqCst);
        }
    });
    let length = Duration::from_secs(cli.minutes * 60);
    let run_on = |name: &'static str| {
        let is_selected = cli.database.as_deref().is_none_or(|selected| selected == name);
        let run_plan = RunPlan {
            server_binary: server_binary.clone(),
            seed,
            length,
            orders: cli.orders.unwrap_or(cli.minutes * ORDERS_PER_MINUTE),
            withdrawals: cli.minutes.cast_signed() * WITHDRAWALS_PER_MINUTE,
            is_postgres: name == "postgres",
            work_dir: work_dir.path().join(name),
        };
        let interrupted = Arc::clone(&interrupted);
        async move { if is_selected { Some(run(&run_plan, interrupted).await) } else { None } }
    };
    let (sqlite, postgres) = tokio::join!(run_on("sqlite"), run_on("postgres"));
    let results: Vec<RunResult> = [sqlite, postgres].into_iter().flatten().collect::<Result<_, _>>()?;
    let report_page = format_page(&PageHeader { date: iso_date(now), seed, length }, &results);
    eprintln!("\n{report_page}");
    if let Some(report) = &cli.report {
        std::fs::write(report, report_page).map_err(|error| format!("{}: {error}", report.display()))?;
    }
    let is_clean = !results.is_empty() && results.iter().all(|result| result.violations.is_empty());
    if !is_clean {
        eprintln!("logs are in {}", work_dir.keep().display());
    }
    Ok(is_clean)
}

fn iso_date(time: Time) -> String {
    time.to_string().chars().take(10).collect()
}
