//! The program is killed again and again while it sends orders to panels that lose half of what they answer: none of the
//! orders is ever with panels twice, and what is not known is left for a person.
//!
//! `PANEL_TEST_LOSSY_ORDERS` and `PANEL_TEST_LOSSY_KILLS` make the run longer, with three seconds between two kills where
//! there are 200 orders or more; `PANEL_TEST_SEED` repeats a run's answers.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use panel_contract::ids::UserId;
use panel_contract::moment::Time;
use panel_demo::panel::world::{Offer, World};
use panel_demo::panel::{FakeBehavior, FakePanel};
use panel_kernel::clock::{Clock, FixedClock, SystemClock};
use panel_kernel::random::Random;
use panel_platform::config::Config;
use panel_platform::db::{Dialect, Source, Sql};
use panel_server::app::App;
use panel_server::doctor;
use panel_server::operations::orders::place::NewOrder;
use panel_server::supply::dispatch;

use crate::model::number_of;
use crate::panel::Panel;
use crate::shop::{self, PLAIN};
use crate::supplied;

both! {
    no_order_is_sent_twice_by_a_program_that_is_killed;
}

/// The machine's clock until it is stopped: the program that is killed runs by it.
struct Stopping {
    is_stopped: AtomicBool,
    fixed: FixedClock,
}

impl Clock for Stopping {
    fn now(&self) -> Time {
        if self.is_stopped.load(Ordering::SeqCst) { self.fixed.now() } else { SystemClock.now() }
    }
}

/// How long a run is.
struct Length {
    orders: u32,
    kills: u32,
    between: Duration,
}

impl Length {
    fn of_environment() -> Self {
        let number = |name, default| u32::try_from(number_of(name, default)).unwrap();
        let (orders, kills) = (number("PANEL_TEST_LOSSY_ORDERS", 60), number("PANEL_TEST_LOSSY_KILLS", 6));
        let between = Duration::from_millis(if orders >= 200 { 3_000 } else { 700 });
        Self { orders, kills, between }
    }
}

/// What there was in the end.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    /// Orders that panels have more than once.
    doubled: usize,
    /// Completed orders.
    delivered: i64,
    /// Orders with an attempt that only a person can resolve.
    left_for_a_person: i64,
    /// Orders that no provider took, which staff see as such.
    without_provider: i64,
    /// Everything else: waiting for a panel that keeps saying no.
    waiting: i64,
}

async fn no_order_is_sent_twice_by_a_program_that_is_killed(dialect: Dialect) {
    let length = Length::of_environment();
    let seed = number_of("PANEL_TEST_SEED", 7);
    let clock =
        Arc::new(Stopping { is_stopped: AtomicBool::new(false), fixed: FixedClock::at(SystemClock.now()) });
    let (panel, config, fakes) = prepared(dialect, &length, seed, &clock).await;
    let home = config.data_dir.clone();
    let (kills, between) = (length.kills, length.between);
    tokio::task::spawn_blocking(move || kill_again_and_again(&home, kills, between)).await.unwrap();
    let in_flight = taken(&fakes).len();
    for fake in &fakes {
        fake.behave(FakeBehavior::Good);
    }
    clock.is_stopped.store(true, Ordering::SeqCst);
    let now = SystemClock.now().0 - clock.fixed.now().0;
    clock.fixed.advance_secs(now / 1_000_000 + 1);
    let app = App::start(config, Arc::new(clock.fixed.clone()), Random::seeded(11)).await.unwrap();
    settle(&app, &clock.fixed).await;
    let outcome = outcome(&app, &fakes).await;
    let report = doctor::run(&mut &app.db, clock.fixed.now()).await.unwrap();
    eprintln!(
        "PANEL_TEST_SEED={seed} {dialect:?}: {} orders, {kills} kills, {in_flight} taken by panels when the last kill came: {outcome:?}",
        length.orders
    );
    assert_eq!(outcome.doubled, 0, "{:?}", taken(&fakes));
    let all = outcome.delivered + outcome.left_for_a_person + outcome.without_provider + outcome.waiting;
    assert_eq!((all, outcome.waiting), (i64::from(length.orders), 0), "{outcome:?}");
    assert!(outcome.delivered > i64::from(length.orders) / 3, "{outcome:?}");
    assert!(report.healthy, "{}", doctor::text(&report));
    drop(panel);
}

/// A shop with paid orders whose two panels lose responses; no process has its database open.
async fn prepared(
    dialect: Dialect,
    length: &Length,
    seed: u64,
    clock: &Arc<Stopping>,
) -> (Panel, Config, Vec<FakePanel>) {
    let panel = Panel::with(dialect, |config| {
        config.outbound.allow_http = true;
        config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
        config.outbound.seconds = 1;
        config.outbound.panel_calls_per_second = 30;
    })
    .await;
    shop::fill(&panel.app.db, 5, 0).await;
    panel.exec(Sql::new("DELETE FROM service_providers WHERE service_id = ?").bind(PLAIN)).await;
    let mut fakes = Vec::new();
    for n in 1..=2 {
        let mut world = World::new(supplied::KEY);
        world.balance.0 = i64::MAX / 2;
        world.accepts_duplicates = true;
        world.sell(7, Offer::plain("Likes"));
        let fake = FakePanel::start(world, Arc::<Stopping>::clone(clock)).await.unwrap();
        fake.behave(FakeBehavior::Lossy(seed.wrapping_mul(100) + n));
        supplied::connect(&panel, i64::try_from(n).unwrap(), &fake.url).await;
        fakes.push(fake);
    }
    for n in 0..length.orders {
        // Use several quantities, because orders are distinguished by their charge.
        let quantity = 100 + i64::from(n % 50) * 10;
        panel
            .place(&NewOrder::plain(UserId::new(1), PLAIN, &format!("https://video.example/{n}"), quantity))
            .await;
    }
    panel.app.db.close().await;
    let config = panel.app.config.clone();
    let text = "[outbound]\nallow_http = true\nallowed_networks = [\"127.0.0.0/8\"]\nseconds = 1\npanel_calls_per_second = 30\n";
    std::fs::write(config.data_dir.join("panel.toml"), text).unwrap();
    if let Some(url) = &config.database_url {
        std::fs::write(config.data_dir.join("database.url"), url).unwrap();
    }
    (panel, config, fakes)
}

fn start(home: &Path, port: u16) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_panel-server"));
    // Nothing of the surroundings: variables of the tests are not configuration.
    command
        .env_clear()
        .current_dir(home)
        .env("PANEL_DATA_DIR", home)
        .env("PANEL_LISTEN", format!("127.0.0.1:{port}"))
        .env("PANEL_DATABASE_CONNECTIONS", "4")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if let Ok(url) = std::fs::read_to_string(home.join("database.url")) {
        command.env("PANEL_DATABASE_URL", url);
    }
    command.spawn().unwrap()
}

fn kill_again_and_again(home: &Path, kills: u32, between: Duration) {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    for _ in 0..kills {
        let mut child = start(home, port);
        // The time between two kills is the length of a run, nothing is waited for.
        std::thread::sleep(between);
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

/// Does what is due for some days: tries again, looks for what is not known, follows what was taken.
async fn settle(app: &App, clock: &FixedClock) {
    for seconds in std::iter::repeat_n(30, 60).chain(std::iter::repeat_n(1_800, 60)).chain([43_201; 6]) {
        clock.advance_secs(seconds);
        for _ in 0..500 {
            if dispatch::cycle(app).await.unwrap() == 0 {
                break;
            }
        }
    }
}

/// How many orders panels have for each address.
fn taken(fakes: &[FakePanel]) -> BTreeMap<String, usize> {
    let mut taken = BTreeMap::new();
    for fake in fakes {
        for order in fake.world().orders.values() {
            *taken.entry(order.link.clone()).or_default() += 1;
        }
    }
    taken
}

async fn outcome(app: &App, fakes: &[FakePanel]) -> Outcome {
    let number = async |condition: &'static str| {
        let sql = Sql::new("SELECT count(*) FROM orders o WHERE ").push(condition);
        (&mut &app.db).one::<(i64,)>(sql).await.unwrap().0
    };
    let unknown = "o.status = 'in_processing' AND EXISTS (SELECT 1 FROM external_panel_orders e WHERE e.order_id = o.id AND e.status = 'Creating'
        AND e.sent_at IS NOT NULL AND e.external_order_id IS NULL AND e.alert_at IS NOT NULL AND e.due_at IS NULL)";
    let delivered = number("o.status = 'completed'").await;
    let left_for_a_person = number(unknown).await;
    let without_provider = number("o.status = 'in_processing' AND o.has_no_active_providers").await;
    let all = number("TRUE").await;
    Outcome {
        doubled: taken(fakes).values().filter(|orders| **orders > 1).count(),
        delivered,
        left_for_a_person,
        without_provider,
        waiting: all - delivered - left_for_a_person - without_provider,
    }
}
