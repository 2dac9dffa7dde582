//! The server is killed repeatedly while it sends orders to panels that lose half of their answers: no order is ever placed twice,
//! and attempts with an unknown outcome are left for staff.
//!
//! `PANEL_TEST_LOSSY_ORDERS` and `PANEL_TEST_LOSSY_KILLS` set the length of the run; with 200 orders or more the server runs for
//! three seconds between two kills. The same `PANEL_TEST_SEED` repeats which answers the panels lose.

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
use panel_platform::db::{Dialect, Source, Sql};
use panel_server::app::App;
use panel_server::doctor;
use panel_server::operations::orders::place::NewOrder;
use panel_server::supply::dispatch;

use crate::model::number_from_env;
use crate::panel::Panel;
use crate::shop::{self, PLAIN};
use crate::shop_with_panels;

both! {
    a_killed_server_sends_no_order_twice;
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
    interval: Duration,
}

impl RunLength {
    fn from_env() -> Self {
        let number_of = |name, default| u32::try_from(number_from_env(name, default)).unwrap();
        let (orders, kills) =
            (number_of("PANEL_TEST_LOSSY_ORDERS", 60), number_of("PANEL_TEST_LOSSY_KILLS", 6));
        let interval = Duration::from_millis(if orders >= 200 { 3_000 } else { 700 });
        Self { orders, kills, interval }
    }
}

/// The number of orders by their final result.
#[derive(Debug, PartialEq, Eq)]
struct OrderOutcomes {
    /// Orders that the panels have more than once.
    duplicates: usize,
    delivered: i64,
    /// Orders with an unknown attempt that only staff can resolve.
    left_for_staff: i64,
    /// Orders without an active provider, which staff see in the list.
    without_provider: i64,
    /// All other orders, which wait because each panel rejects them.
    waiting: i64,
}

async fn a_killed_server_sends_no_order_twice(dialect: Dialect) {
    let run_length = RunLength::from_env();
    let seed = number_from_env("PANEL_TEST_SEED", 7);
    let clock = Arc::new(StoppableClock {
        is_stopped: AtomicBool::new(false),
        fixed: FixedClock::at(SystemClock.now()),
    });
    let (panel, config, fakes) = closed_shop(dialect, &run_length, seed, &clock).await;
    let data_dir = config.data_dir.clone();
    let (kills, interval) = (run_length.kills, run_length.interval);
    tokio::task::spawn_blocking(move || kill_repeatedly(&data_dir, kills, interval)).await.unwrap();
    let in_flight = orders_by_url(&fakes).len();
    for fake in &fakes {
        fake.set_behavior(FakeBehavior::Correct);
    }
    clock.is_stopped.store(true, Ordering::SeqCst);
    let elapsed_micros = SystemClock.now().0 - clock.fixed.now().0;
    clock.fixed.advance_secs(elapsed_micros / 1_000_000 + 1);
    let app = App::start(config, Arc::new(clock.fixed.clone()), Random::seeded(11)).await.unwrap();
    run_for_days(&app, &clock.fixed).await;
    let outcome = count_outcomes(&app, &fakes).await;
    let report = doctor::run(&mut &app.db, clock.fixed.now()).await.unwrap();
    eprintln!(
        "PANEL_TEST_SEED={seed} {dialect:?}: {} orders, {kills} kills, {in_flight} accepted by panels before the last kill: {outcome:?}",
        run_length.orders
    );
    assert_eq!(outcome.duplicates, 0, "{:?}", orders_by_url(&fakes));
    let total = outcome.delivered + outcome.left_for_staff + outcome.without_provider + outcome.waiting;
    assert_eq!((total, outcome.waiting), (i64::from(run_length.orders), 0), "{outcome:?}");
    assert!(outcome.delivered > i64::from(run_length.orders) / 3, "{outcome:?}");
    assert!(report.healthy, "{}", doctor::report_text(&report));
    drop(panel);
}

/// A shop with paid orders and two panels that lose responses. No process has its database open.
async fn closed_shop(
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
    shop::fill(&panel.app.db, 5, 0).await;
    panel.execute(Sql::new("DELETE FROM service_providers WHERE service_id = ?").bind(PLAIN)).await;
    let mut fakes = Vec::new();
    for n in 1..=2 {
        let mut panel_state = FakePanelState::new(shop_with_panels::KEY);
        panel_state.balance.0 = i64::MAX / 2;
        panel_state.accepts_duplicates = true;
        panel_state.add_service(7, FakeService::plain("Likes"));
        let fake = FakePanel::start(panel_state, Arc::<StoppableClock>::clone(clock)).await.unwrap();
        fake.set_behavior(FakeBehavior::Lossy(seed.wrapping_mul(100) + n));
        shop_with_panels::insert_panel(&panel, i64::try_from(n).unwrap(), &fake.url).await;
        fakes.push(fake);
    }
    for n in 0..run_length.orders {
        // Use several quantities, because orders are distinguished by their charge.
        let quantity = 100 + i64::from(n % 50) * 10;
        panel
            .place(&NewOrder::plain(UserId::new(1), PLAIN, &format!("https://video.example/{n}"), quantity))
            .await;
    }
    panel.app.db.close().await;
    let config = panel.app.config.clone();
    let text = "[outbound]\nallow_http = true\nallowed_networks = [\"127.0.0.0/8\"]\ntimeout_seconds = 1\npanel_calls_per_second = 30\n";
    std::fs::write(config.data_dir.join("panel.toml"), text).unwrap();
    if let Some(url) = &config.database_url {
        std::fs::write(config.data_dir.join("database.url"), url).unwrap();
    }
    (panel, config, fakes)
}

fn start(data_dir: &Path, port: u16) -> Child {
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
        let mut child = start(data_dir, port);
        // The server runs for this time; the test waits for no state of it.
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
            if dispatch::cycle(app).await.unwrap() == 0 {
                break;
            }
        }
    }
}

/// The number of orders at the panels by URL.
fn orders_by_url(fakes: &[FakePanel]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for fake in fakes {
        for order in fake.state().orders.values() {
            *counts.entry(order.link.clone()).or_default() += 1;
        }
    }
    counts
}

async fn count_outcomes(app: &App, fakes: &[FakePanel]) -> OrderOutcomes {
    let count = async |condition: &'static str| {
        let sql = Sql::new("SELECT count(*) FROM orders o WHERE ").push(condition);
        (&mut &app.db).fetch_one::<(i64,)>(sql).await.unwrap().0
    };
    let unknown_attempts = "o.status = 'in_processing' AND EXISTS (SELECT 1 FROM external_panel_orders e WHERE e.order_id = o.id AND e.status = 'Creating'
        AND e.sent_at IS NOT NULL AND e.external_order_id IS NULL AND e.alert_at IS NOT NULL AND e.due_at IS NULL)";
    let delivered = count("o.status = 'completed'").await;
    let left_for_staff = count(unknown_attempts).await;
    let without_provider = count("o.status = 'in_processing' AND o.has_no_active_providers").await;
    let total = count("TRUE").await;
    OrderOutcomes {
        duplicates: orders_by_url(fakes).values().filter(|orders| **orders > 1).count(),
        delivered,
        left_for_staff,
        without_provider,
        waiting: total - delivered - left_for_staff - without_provider,
    }
}
