//! The final phase of a run, after the faults: stops the servers, then advances a test clock by some days and processes all work
//! that becomes due.

use std::iter::repeat_n;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use panel_contract::quarantine::QuarantineCounts;
use panel_demo::panel::FakeBehavior;
use panel_kernel::clock::{Clock as _, SystemClock};
use panel_kernel::random::Random;
use panel_platform::config::Config;
use panel_platform::db::{Db, Sql, SqlExecutor as _, checkpoint};
use panel_platform::quarantine::store;
use panel_server::app::App;
use panel_server::background::worker;
use panel_server::supply::dispatch;
use tokio::time::{Instant, sleep};

use crate::clients::Clients;
use crate::run::TestEnvironment;
use crate::setup::{TestSetup, error_text};

/// Time without progress on suspected records after which the phase fails. The servers retry these records one by one, and an hour
/// of kills leaves thousands of them.
const SUSPECTED_RECORDS_TIMEOUT: Duration = Duration::from_secs(180);
/// Maximum number of graceful stops. The first stop that interrupts no work on a record is the last.
const MAX_GRACEFUL_STOPS: u32 = 5;
/// Number of consecutive checks, half a second apart, that must find no suspected record. One check is not enough, because the
/// servers detect the expired claims of a killed process with a delay.
const REQUIRED_EMPTY_CHECKS: u32 = 10;
/// Maximum number of rounds of work at one time of the clock. A round processes up to some hundreds of records.
const MAX_ROUNDS: usize = 500;

/// Stops the servers once no record is suspected, and returns how many quarantined records it released. A graceful stop marks the
/// records whose processing it interrupts as suspected; then this function starts the servers again, as an operator would.
pub(crate) async fn stop_servers(
    config: &Config,
    environment: &mut TestEnvironment,
) -> Result<usize, String> {
    make_peers_reliable(&environment.setup);
    let mut released_count = 0;
    for _ in 0..MAX_GRACEFUL_STOPS {
        released_count += process_suspected_records(config, &environment.clients).await?;
        for server in &mut environment.servers {
            server.stop().await;
        }
        let db = Db::connect(&config.database()).await.map_err(error_text)?;
        let remaining_records = store::count_records(&mut &db).await.map_err(error_text)?;
        db.close().await;
        if remaining_records == QuarantineCounts::default() {
            return Ok(released_count);
        }
        for server in &mut environment.servers {
            server.wait_until_ready(&environment.launch, &environment.http_client).await?;
        }
    }
    Err(format!("records were still suspected after each of {MAX_GRACEFUL_STOPS} graceful stops"))
}

/// Makes the external panels and the webhook's receiver behave correctly.
fn make_peers_reliable(setup: &TestSetup) {
    for panel in &setup.external_panels {
        panel.set_behavior(FakeBehavior::Correct);
    }
    setup.receiver.accepts_all.store(true, Ordering::SeqCst);
}

/// Waits until the servers have processed each suspected record alone, and releases quarantined records, as an operator does.
/// Returns the number of released records.
async fn process_suspected_records(config: &Config, clients: &Clients) -> Result<usize, String> {
    let db = Db::connect(&config.database()).await.map_err(error_text)?;
    let (mut last_progress_at, mut fewest_records) = (Instant::now(), i64::MAX);
    let (mut released_count, mut empty_checks) = (0, 0);
    let mut remaining_records = QuarantineCounts::default();
    while last_progress_at.elapsed() < SUSPECTED_RECORDS_TIMEOUT && empty_checks < REQUIRED_EMPTY_CHECKS {
        sleep(Duration::from_millis(500)).await;
        let sql = Sql::new("SELECT id FROM quarantine WHERE status = 'quarantined'");
        for (id,) in (&mut &db).fetch_all::<(i64,)>(sql).await.map_err(error_text)? {
            released_count += usize::from(clients.release_quarantined_record(id).await);
        }
        remaining_records = store::count_records(&mut &db).await.map_err(error_text)?;
        empty_checks = if remaining_records == QuarantineCounts::default() { empty_checks + 1 } else { 0 };
        let record_count = remaining_records.suspected + remaining_records.quarantined;
        if record_count < fewest_records {
            (last_progress_at, fewest_records) = (Instant::now(), record_count);
        }
    }
    db.close().await;
    match empty_checks {
        REQUIRED_EMPTY_CHECKS => Ok(released_count),
        _ => Err(format!(
            "{} records are still suspected and {} quarantined",
            remaining_records.suspected, remaining_records.quarantined
        )),
    }
}

/// Opens the panel's data with the test clock, which starts `ahead_secs` seconds after now.
pub async fn open_on_test_clock(config: Config, setup: &TestSetup, ahead_secs: i64) -> Result<App, String> {
    make_peers_reliable(setup);
    let clock = &setup.clock.fixed_clock;
    let behind_secs = (SystemClock.now().0 - clock.now().0) / 1_000_000;
    clock.advance_secs(behind_secs + ahead_secs);
    setup.clock.is_stopped.store(true, Ordering::SeqCst);
    App::start(config, Arc::new(clock.clone()), Random::seeded(11)).await
}

/// Advances the clock by some days in steps, and processes the due work after each step: dispatch queues and jobs.
pub async fn run_due_work(app: &App, setup: &TestSetup) -> Result<(), String> {
    let steps_secs = repeat_n(30, 60).chain(repeat_n(1_800, 60)).chain(repeat_n(43_201, 6));
    for step_secs in steps_secs {
        setup.clock.fixed_clock.advance_secs(step_secs);
        // No poller of the server runs here, so nothing else checkpoints SQLite's write-ahead log, and the disk is small.
        checkpoint::checkpoint(&app.db).await.map_err(error_text)?;
        for _ in 0..MAX_ROUNDS {
            let order_count =
                dispatch::process_all_queues(app).await.map_err(|error| format!("{error:?}"))?;
            let job_count = worker::run_due_jobs(app).await.map_err(|error| format!("{error:?}"))?;
            if order_count + job_count == 0 {
                break;
            }
        }
    }
    Ok(())
}
