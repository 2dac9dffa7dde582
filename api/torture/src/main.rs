//! The program of `make torture`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Parser;
use panel_contract::moment::Time;
use panel_kernel::clock::{Clock as _, SystemClock};
use panel_torture::report::{PageHeader, page};
use panel_torture::run::{Plan, RunResult, run};

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
    let beside = || Some(std::env::current_exe().ok()?.with_file_name("panel-server"));
    let program = cli.program.or_else(beside).filter(|program| program.exists());
    let program = program.ok_or("panel-server is not built: cargo build --workspace --bins")?;
    let home =
        tempfile::Builder::new().prefix("panel-torture-").tempdir().map_err(|error| error.to_string())?;
    eprintln!("SEED={seed} MINUTES={}", cli.minutes);
    let interrupted = Arc::new(AtomicBool::new(false));
    let is_over = Arc::clone(&interrupted);
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            eprintln!("ending after this phase");
            is_over.store(true, Ordering::SeqCst);
        }
    });
    let length = Duration::from_secs(cli.minutes * 60);
    let one = |name: &'static str| {
        let is_selected = cli.database.as_deref().is_none_or(|selected| selected == name);
        let plan = Plan {
            program: program.clone(),
            seed,
            length,
            orders: cli.orders.unwrap_or(cli.minutes * ORDERS_PER_MINUTE),
            withdrawals: cli.minutes.cast_signed() * WITHDRAWALS_PER_MINUTE,
            is_postgres: name == "postgres",
            home: home.path().join(name),
        };
        let interrupted = Arc::clone(&interrupted);
        async move { if is_selected { Some(run(&plan, interrupted).await) } else { None } }
    };
    let (sqlite, postgres) = tokio::join!(one("sqlite"), one("postgres"));
    let verdicts: Vec<RunResult> = [sqlite, postgres].into_iter().flatten().collect::<Result<_, _>>()?;
    let text = page(&PageHeader { date: day(now), seed, length }, &verdicts);
    eprintln!("\n{text}");
    if let Some(report) = &cli.report {
        std::fs::write(report, text).map_err(|error| format!("{}: {error}", report.display()))?;
    }
    let is_clean = !verdicts.is_empty() && verdicts.iter().all(|verdict| verdict.violations.is_empty());
    if !is_clean {
        eprintln!("logs are in {}", home.keep().display());
    }
    Ok(is_clean)
}

/// The date of a time.
fn day(at: Time) -> String {
    at.to_string().chars().take(10).collect()
}
