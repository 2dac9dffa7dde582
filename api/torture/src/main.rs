//! The program of `make torture`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Parser;
use panel_contract::moment::Time;
use panel_kernel::clock::{Clock as _, SystemClock};
use panel_torture::report::{Head, page};
use panel_torture::run::{Plan, Verdict, run};

const ORDERS_PER_MINUTE: u64 = 120;
const WITHDRAWALS_PER_MINUTE: i64 = 16;

/// Runs the real server under faults on this machine, and checks that nothing is lost or doubled.
#[derive(Parser)]
#[command(name = "panel-torture", version, about)]
struct Cli {
    /// How many minutes faults happen, on each database; both run at the same time.
    #[arg(long, env = "MINUTES", default_value_t = 10)]
    minutes: u64,
    /// Repeats a run's faults, choices and answers; by default the time.
    #[arg(long, env = "SEED")]
    seed: Option<u64>,
    /// `sqlite` or `postgres`; both when absent.
    #[arg(long, env = "DB")]
    database: Option<String>,
    /// Orders at most on each database, spread over the run; by default 120 each minute.
    #[arg(long)]
    orders: Option<u64>,
    /// The server's program; beside this one when absent.
    #[arg(long)]
    program: Option<PathBuf>,
    /// The page that the result is written to.
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
        let is_asked = cli.database.as_deref().is_none_or(|asked| asked == name);
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
        async move { if is_asked { Some(run(&plan, interrupted).await) } else { None } }
    };
    let (sqlite, postgres) = tokio::join!(one("sqlite"), one("postgres"));
    let verdicts: Vec<Verdict> = [sqlite, postgres].into_iter().flatten().collect::<Result<_, _>>()?;
    let text = page(&Head { date: day(now), seed, length }, &verdicts);
    eprintln!("\n{text}");
    if let Some(report) = &cli.report {
        std::fs::write(report, text).map_err(|error| format!("{}: {error}", report.display()))?;
    }
    let is_clean = !verdicts.is_empty() && verdicts.iter().all(|verdict| verdict.violations.is_empty());
    if !is_clean {
        eprintln!("logs stay in {}", home.keep().display());
    }
    Ok(is_clean)
}

/// The day of a moment.
fn day(at: Time) -> String {
    at.to_string().chars().take(10).collect()
}
