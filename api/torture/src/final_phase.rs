//! The final phase of a run, after the faults: advances a test clock by some days and does all work that becomes due.

use std::iter::repeat_n;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use panel_contract::quarantine::QuarantineCounts;
use panel_demo::panel::FakeBehavior;
use panel_kernel::clock::{Clock as _, SystemClock};
use panel_kernel::random::Random;
use panel_platform::config::Config;
use panel_platform::db::{Db, Source as _, Sql, checkpoint};
use panel_platform::quarantine::store;
use panel_server::app::App;
use panel_server::background::worker;
use panel_server::supply::dispatch;
use tokio::time::{Instant, sleep};

use crate::clients::Clients;
use crate::run::TestEnvironment;
use crate::setup::{TestSetup, error_text};

/// Timeout without progress on suspected records: the servers try them one after the other, and hours of kills leave thousands.
const SUSPECTS_TIMEOUT: Duration = Duration::from_secs(180);
/// Maximum number of orderly stops; the first one that interrupts no record ends the phase.
const MAX_STOPS: u32 = 5;
/// Number of consecutive checks, half a second apart, that must find no suspected record, because the servers notice the claims
/// of a killed process with a delay.
const QUIET_CHECKS: u32 = 10;
/// Maximum number of rounds of work at one time; each processes up to hundreds of records.
const MAX_ROUNDS: usize = 500;

/// Stops the servers once no record is suspected, and returns how many quarantined records were released. An orderly stop
/// suspects the records that it interrupts, so the servers are started again for them, as an operator would.
pub(crate) async fn stop_servers(
    config: &Config,
    environment: &mut TestEnvironment,
) -> Result<usize, String> {
    make_peers_reliable(&environment.setup);
    let mut released = 0;
    for _ in 0..MAX_STOPS {
        released += release_suspects(config, &environment.clients).await?;
        for server in &mut environment.servers {
            server.stop().await;
        }
        let db = Db::connect(&config.database()).await.map_err(error_text)?;
        let remaining = store::count_records(&mut &db).await.map_err(error_text)?;
        db.close().await;
        if remaining == QuarantineCounts::default() {
            return Ok(released);
        }
        for server in &mut environment.servers {
            server.wait_until_ready(&environment.launch, &environment.http_client).await?;
        }
    }
    Err(format!("records were suspected after each of {MAX_STOPS} orderly stops"))
}

/// Makes the external panels and the webhook's receiver behave correctly.
fn make_peers_reliable(setup: &TestSetup) {
    for panel in &setup.panels {
        panel.set_behavior(FakeBehavior::Correct);
    }
    setup.receiver.accepts_all.store(true, Ordering::SeqCst);
}

/// Waits until the servers have processed each suspected record alone, and releases quarantined ones, as an operator does.
/// Returns their number.
async fn release_suspects(config: &Config, clients: &Clients) -> Result<usize, String> {
    let db = Db::connect(&config.database()).await.map_err(error_text)?;
    let (mut last_progress_at, mut fewest_records) = (Instant::now(), i64::MAX);
    let (mut released, mut quiet_checks) = (0, 0);
    let mut remaining = QuarantineCounts::default();
    while last_progress_at.elapsed() < SUSPECTS_TIMEOUT && quiet_checks < QUIET_CHECKS {
        sleep(Duration::from_millis(500)).await;
        let sql = Sql::new("SELECT id FROM quarantine WHERE status = 'quarantined'");
        for (id,) in (&mut &db).fetch_all::<(i64,)>(sql).await.map_err(error_text)? {
            released += usize::from(clients.release_quarantined(id).await);
        }
        remaining = store::count_records(&mut &db).await.map_err(error_text)?;
        quiet_checks = if remaining == QuarantineCounts::default() { quiet_checks + 1 } else { 0 };
        let record_count = remaining.suspected + remaining.quarantined;
        if record_count < fewest_records {
            (last_progress_at, fewest_records) = (Instant::now(), record_count);
        }
    }
    db.close().await;
    match quiet_checks {
        QUIET_CHECKS => Ok(released),
        _ => Err(format!(
            "{} records are still suspected and {} quarantined",
            remaining.suspected, remaining.quarantined
        )),
    }
}

/// Opens the panel's data on the test clock, set to this many seconds after now.
pub async fn open_on_test_clock(config: Config, setup: &TestSetup, ahead_secs: i64) -> Result<App, String> {
    make_peers_reliable(setup);
    let clock = &setup.clock.fixed;
    let behind_secs = (SystemClock.now().0 - clock.now().0) / 1_000_000;
    clock.advance_secs(behind_secs + ahead_secs);
    setup.clock.is_stopped.store(true, Ordering::SeqCst);
    App::start(config, Arc::new(clock.clone()), Random::seeded(11)).await
}

/// Advances the clock by some days and does the due work: retries, reconciles, polls and delivers.
pub async fn run_due_work(app: &App, setup: &TestSetup) -> Result<(), String> {
    let time_steps = repeat_n(30, 60).chain(repeat_n(1_800, 60)).chain(repeat_n(43_201, 6));
    for seconds in time_steps {
        setup.clock.fixed.advance_secs(seconds);
        // No poller runs here, so none checkpoints SQLite's log, and the disk is small.
        checkpoint::checkpoint(&app.db).await.map_err(error_text)?;
        for _ in 0..MAX_ROUNDS {
            let orders = dispatch::cycle(app).await.map_err(|error| format!("{error:?}"))?;
            let jobs = worker::run_due(app).await.map_err(|error| format!("{error:?}"))?;
            if orders + jobs == 0 {
                break;
            }
        }
    }
    Ok(())
}
