//! The final phase of a run: after the faults, all work that becomes due over some days is done, on a clock that is advanced.

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
use crate::run::Scene;
use crate::shop::{Shop, text};

/// Timeout without progress on suspected records: they are tried one after the other, and hours of kills leave thousands.
const SUSPECTS_TIMEOUT: Duration = Duration::from_secs(180);
/// Maximum number of orderly stops until one interrupts no record.
const STOPS: u32 = 5;
/// Number of consecutive checks, half a second apart, without suspected records, because claims of a killed process are noticed
/// with a delay.
const QUIET_CHECKS: u32 = 10;
/// Maximum number of rounds of work at one time; each processes up to hundreds of records.
const ROUNDS: usize = 500;

/// Stops the servers once no record is suspected, and returns how many quarantined records were released. An orderly stop
/// suspects the records that it interrupts, so the servers are started again for them, as an operator would.
pub(crate) async fn end_servers(config: &Config, scene: &mut Scene) -> Result<usize, String> {
    behave_well(&scene.shop);
    let mut released = 0;
    for _ in 0..STOPS {
        released += release_suspects(config, &scene.clients).await?;
        for server in &mut scene.servers {
            server.stop().await;
        }
        let db = Db::connect(&config.database()).await.map_err(text)?;
        let left = store::counts(&mut &db).await.map_err(text)?;
        db.close().await;
        if left == QuarantineCounts::default() {
            return Ok(released);
        }
        for server in &mut scene.servers {
            server.ready(&scene.launch, &scene.http).await?;
        }
    }
    Err(format!("records were suspected after each of {STOPS} orderly stops"))
}

/// Makes the external panels and the webhook's receiver behave correctly.
fn behave_well(shop: &Shop) {
    for panel in &shop.panels {
        panel.behave(FakeBehavior::Good);
    }
    shop.receiver.is_good.store(true, Ordering::SeqCst);
}

/// Waits until the servers have processed each suspected record alone, and releases quarantined ones, as an operator does.
/// Returns their number.
async fn release_suspects(config: &Config, clients: &Clients) -> Result<usize, String> {
    let db = Db::connect(&config.database()).await.map_err(text)?;
    let (mut fewer_at, mut fewest) = (Instant::now(), i64::MAX);
    let (mut released, mut quiet) = (0, 0);
    let mut left = QuarantineCounts::default();
    while fewer_at.elapsed() < SUSPECTS_TIMEOUT && quiet < QUIET_CHECKS {
        sleep(Duration::from_millis(500)).await;
        let sql = Sql::new("SELECT id FROM quarantine WHERE status = 'quarantined'");
        for (id,) in (&mut &db).all::<(i64,)>(sql).await.map_err(text)? {
            released += usize::from(clients.release(id).await);
        }
        left = store::counts(&mut &db).await.map_err(text)?;
        quiet = if left == QuarantineCounts::default() { quiet + 1 } else { 0 };
        let now_left = left.suspected + left.quarantined;
        if now_left < fewest {
            (fewer_at, fewest) = (Instant::now(), now_left);
        }
    }
    db.close().await;
    match quiet {
        QUIET_CHECKS => Ok(released),
        _ => Err(format!(
            "{} records are still suspected and {} quarantined",
            left.suspected, left.quarantined
        )),
    }
}

/// Opens the panel's data on the test clock, set to this many seconds after now.
pub async fn open(config: Config, shop: &Shop, ahead_secs: i64) -> Result<App, String> {
    behave_well(shop);
    let fixed = &shop.clock.fixed;
    let behind = (SystemClock.now().0 - fixed.now().0) / 1_000_000;
    fixed.advance_secs(behind + ahead_secs);
    shop.clock.is_stopped.store(true, Ordering::SeqCst);
    App::start(config, Arc::new(fixed.clone()), Random::seeded(11)).await
}

/// Does the work of some days: retries, reconciles, polls and delivers.
pub async fn settle(app: &App, shop: &Shop) -> Result<(), String> {
    let steps = repeat_n(30, 60).chain(repeat_n(1_800, 60)).chain(repeat_n(43_201, 6));
    for seconds in steps {
        shop.clock.fixed.advance_secs(seconds);
        // No poller checkpoints here, and the disk is small.
        checkpoint::write_back(&app.db).await.map_err(text)?;
        for _ in 0..ROUNDS {
            let orders = dispatch::cycle(app).await.map_err(|error| format!("{error:?}"))?;
            let jobs = worker::run_due(app).await.map_err(|error| format!("{error:?}"))?;
            if orders + jobs == 0 {
                break;
            }
        }
    }
    Ok(())
}
