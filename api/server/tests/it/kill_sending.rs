//! Kills the server repeatedly while it sends orders to external panels that lose half of their responses, and checks that no
//! order is placed twice, and that attempts with an unknown outcome are left for staff.
//!
//! `PANEL_TEST_LOSSY_ORDERS` and `PANEL_TEST_LOSSY_KILLS` set the length of the run; with 200 orders or more the server runs for
//! three seconds between two kills. With the same `PANEL_TEST_SEED` the external panels lose the same responses.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use panel_contract::ids::UserId;
use panel_contract::moment::Time;
use panel_demo::panel::state::{FakePanelState, FakeService};
use panel_demo::panel::{FakeBehavior, FakePanel};
use panel_kernel::clock::{Clock, FixedClock, SystemClock};
use panel_kernel::random::Random;
use panel_platform::config::Config;
use panel_platform::db::{Dialect, Sql, SqlExecutor};
use panel_server::app::App;
use panel_server::doctor;
use panel_server::operations::orders::place::NewOrder;
use panel_server::supply::dispatch;

use crate::model::number_from_env;
use crate::panel::Panel;
use crate::shop::{self, PLAIN_SERVICE};
use crate::shop_with_panels;

test_both_databases! {
    a_killed_server_does_not_send_an_order_twice;
}

/// The system clock, which the killed server uses too, until the test stops it and continues with a fixed clock.
struct StoppableClock {
    is_stopped: AtomicBool,
    fixed: FixedClock,
}

impl Clock for StoppableClock {
    fn now(&self) -> Time {
        if self.is_stopped.load(Ordering::SeqCst) { self.fixed.now() } else { SystemClock.now() }
    }
}

struct RunLength {
    orders: u32,
    kills: u32,
    kill_interval: Duration,
}

impl RunLength {
    fn from_env() -> Self {
        let count_from_env = |name, default| u32::try_from(number_from_env(name, default)).unwrap();
        let (orders, kills) =
            (count_from_env("PANEL_TEST_LOSSY_ORDERS", 60), count_from_env("PANEL_TEST_LOSSY_KILLS", 6));
        let kill_interval = Duration::from_millis(if orders >= 200 { 3_000 } else { 700 });
        Self { orders, kills, kill_interval }
    }
}

/// The number of orders by their final result.
#[derive(Debug, PartialEq, Eq)]
struct OrderOutcomes {
    /// Orders that the external panels received more than once.
    duplicates: usize,
    delivered: i64,
    /// Orders with an unknown attempt that only staff can resolve.
    left_for_staff: i64,
    /// Orders without an active provider, which staff see in the list.
    without_provider: i64,
    /// All other orders: they wait because each external panel rejects them.
    waiting: i64,
}

async fn a_killed_server_does_not_send_an_order_twice(dialect: Dialect) {
    let run_length = RunLength::from_env();
    let seed = number_from_env("PANEL_TEST_SEED", 7);
    let clock = Arc::new(StoppableClock {
        is_stopped: AtomicBool::new(false),
        fixed: FixedClock::new(SystemClock.now()),
    });
    let (panel, config, fake_panels) = shop_with_closed_database(dialect, &run_length, seed, &clock).await;
    let data_dir = config.data_dir.clone();
    let (kills, interval) = (run_length.kills, run_length.kill_interval);
    tokio::task::spawn_blocking(move || kill_repeatedly(&data_dir, kills, interval)).await.unwrap();
    let accepted_count = orders_by_url(&fake_panels).len();
    for fake_panel in &fake_panels {
        fake_panel.set_behavior(FakeBehavior::Correct);
    }
    clock.is_stopped.store(true, Ordering::SeqCst);
    let elapsed_micros = SystemClock.now().0 - clock.fixed.now().0;
    clock.fixed.advance_secs(elapsed_micros / 1_000_000 + 1);
    let app = App::start(config, Arc::new(clock.fixed.clone()), Random::seeded(11)).await.unwrap();
    run_for_days(&app, &clock.fixed).await;
    let outcomes = count_outcomes(&app, &fake_panels).await;
    let report = doctor::run_sql_checks(&mut &app.db, clock.fixed.now()).await.unwrap();
    eprintln!(
        "PANEL_TEST_SEED={seed} {dialect:?}: {} orders, {kills} kills, {accepted_count} accepted by panels before the last kill: {outcomes:?}",
        run_length.orders
    );
    assert_eq!(outcomes.duplicates, 0, "{:?}", orders_by_url(&fake_panels));
    let total = outcomes.delivered + outcomes.left_for_staff + outcomes.without_provider + outcomes.waiting;
    assert_eq!((total, outcomes.waiting), (i64::from(run_length.orders), 0), "{outcomes:?}");
    assert!(outcomes.delivered > i64::from(run_length.orders) / 3, "{outcomes:?}");
    assert!(report.healthy, "{}", doctor::format_report(&report));
    drop(panel);
}

/// A shop with paid orders and two external panels that lose responses. No process has its database open.
async fn shop_with_closed_database(
    dialect: Dialect,
    run_length: &RunLength,
    seed: u64,
    clock: &Arc<StoppableClock>,
) -> (Panel, Config, Vec<FakePanel>) {
    let panel = Panel::with_config(dialect, |config| {
        config.outbound.allow_http = true;
        config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
        config.outbound.timeout_seconds = 1;
        config.outbound.panel_calls_per_second = 30;
    })
    .await;
    shop::insert_shop_records(&panel.app.db, 5, 0).await;
    panel.execute(Sql::new("DELETE FROM service_providers WHERE service_id = ?").bind(PLAIN_SERVICE)).await;
    let mut fake_panels = Vec::new();
    for n in 1..=2 {
        let mut panel_state = FakePanelState::new(shop_with_panels::FAKE_PANEL_KEY);
        panel_state.balance.0 = i64::MAX / 2;
        panel_state.accepts_duplicates = true;
        panel_state.add_service(7, FakeService::with_name("Likes"));
        let fake_panel = FakePanel::start(panel_state, Arc::<StoppableClock>::clone(clock)).await.unwrap();
        fake_panel.set_behavior(FakeBehavior::Unreliable(seed.wrapping_mul(100) + n));
        shop_with_panels::insert_external_panel(&panel, i64::try_from(n).unwrap(), &fake_panel.url).await;
        fake_panels.push(fake_panel);
    }
    for n in 0..run_length.orders {
        // Several quantities, because reconciliation distinguishes orders by their charge.
        let quantity = 100 + i64::from(n % 50) * 10;
        panel
            .place_order(&NewOrder::without_options(
                UserId::new(1),
                PLAIN_SERVICE,
                &format!("https://video.example/{n}"),
                quantity,
            ))
            .await;
    }
    panel.app.db.close().await;
    let config = panel.app.config.clone();
    let config_text = "[outbound]\nallow_http = true\nallowed_networks = [\"127.0.0.0/8\"]\ntimeout_seconds = 1\npanel_calls_per_second = 30\n";
    std::fs::write(config.data_dir.join("panel.toml"), config_text).unwrap();
    if let Some(url) = &config.database_url {
        std::fs::write(config.data_dir.join("database.url"), url).unwrap();
    }
    (panel, config, fake_panels)
}

fn start_server(data_dir: &Path, port: u16) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_panel-server"));
    // Without the environment of the tests, whose variables must not configure the server.
    command
        .env_clear()
        .current_dir(data_dir)
        .env("PANEL_DATA_DIR", data_dir)
        .env("PANEL_LISTEN", format!("127.0.0.1:{port}"))
        .env("PANEL_DATABASE_CONNECTIONS", "4")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if let Ok(url) = std::fs::read_to_string(data_dir.join("database.url")) {
        command.env("PANEL_DATABASE_URL", url);
    }
    command.spawn().unwrap()
}

fn kill_repeatedly(data_dir: &Path, kills: u32, interval: Duration) {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    for _ in 0..kills {
        let mut child = start_server(data_dir, port);
        // A fixed time rather than a state to wait for, so that the kill can interrupt any step.
        std::thread::sleep(interval);
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

/// Advances the clock by some days and runs all due work: retries, reconciliation and status polls.
async fn run_for_days(app: &App, clock: &FixedClock) {
    for seconds in std::iter::repeat_n(30, 60).chain(std::iter::repeat_n(1_800, 60)).chain([43_201; 6]) {
        clock.advance_secs(seconds);
        for _ in 0..500 {
            if dispatch::process_all_queues(app).await.unwrap() == 0 {
                break;
            }
        }
    }
}

/// The number of orders at the external panels by URL.
fn orders_by_url(fake_panels: &[FakePanel]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for fake_panel in fake_panels {
        for order in fake_panel.state().orders.values() {
            *counts.entry(order.link.clone()).or_default() += 1;
        }
    }
    counts
}

async fn count_outcomes(app: &App, fake_panels: &[FakePanel]) -> OrderOutcomes {
    let count = async |condition: &'static str| {
        let sql = Sql::new("SELECT count(*) FROM orders o WHERE ").push(condition);
        (&mut &app.db).fetch_one::<(i64,)>(sql).await.unwrap().0
    };
    let has_unknown_attempt_sql = "o.status = 'in_processing' AND EXISTS (SELECT 1 FROM external_panel_orders e WHERE e.order_id = o.id AND e.status = 'Creating'
        AND e.sent_at IS NOT NULL AND e.external_order_id IS NULL AND e.alert_at IS NOT NULL AND e.due_at IS NULL)";
    let delivered = count("o.status = 'completed'").await;
    let left_for_staff = count(has_unknown_attempt_sql).await;
    let without_provider = count("o.status = 'in_processing' AND o.has_no_active_providers").await;
    let total = count("TRUE").await;
    OrderOutcomes {
        duplicates: orders_by_url(fake_panels).values().filter(|orders| **orders > 1).count(),
        delivered,
        left_for_staff,
        without_provider,
        waiting: total - delivered - left_for_staff - without_provider,
    }
}
