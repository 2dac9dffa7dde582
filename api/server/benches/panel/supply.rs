//! Polling of open orders at a fake panel on the same machine, orders through the reseller API, and the import of a large
//! catalogue. CPU time and memory of the server's process are read from the system.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use panel_contract::amount::Money;
use panel_demo::panel::FakePanel;
use panel_demo::panel::world::{Offer, OrderBehavior, RestoredOrder, World};
use panel_kernel::clock::{Clock, SystemClock};
use panel_platform::db::{Db, Source as _, Sql, bulk};
use panel_platform::sql;
use panel_server::auth::sessions;
use serde_json::json;

use crate::load::CALLERS;
use crate::served::Served;

/// Id of a provider, above the ids of a demo, and its service at the panel.
const PROVIDER: i64 = 900_001;
const SERVICE: i64 = 7;
/// The first external id.
const FIRST: i64 = 50_000_000;
const KEY: &str = "bench-key";
/// Length of the measurement of polling and ordering.
const WATCH: Duration = Duration::from_secs(60);
/// Number of checks, five seconds apart, until all due polls are done.
const CATCHING_UP: u32 = 36;
const ORDERING: Duration = Duration::from_secs(15);
/// Number of services of the imported catalogue.
const CATALOGUE: i64 = 20_000;

/// Results.
pub(crate) struct Measured {
    pub(crate) open: i64,
    pub(crate) asked_per_second: f64,
    pub(crate) late: i64,
    pub(crate) cores: f64,
    /// Private memory and mapped memory, in MB.
    pub(crate) memory_mb: (f64, f64),
    /// Without polling, and while all orders are polled.
    pub(crate) placed_per_second: (f64, f64),
    pub(crate) import_seconds: f64,
}

/// Measures everything.
pub(crate) async fn measure(folder: &Path, url: Option<&str>, db: &Db, orders: i64) -> Measured {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let fake = FakePanel::start(world(&*clock, orders), Arc::clone(&clock)).await.unwrap();
    let served = Served::start(folder, url).await;
    let panel = json!({ "name": "Bench", "endpoint": fake.url, "api_token": KEY, "currency": "USD" });
    let panel = served.post("/api/v1/admin/external-panels", &panel).await["data"]["id"].as_i64().unwrap();
    customers(db).await;
    let alone = order(&served).await;
    open(db, panel, orders, clock.now().0).await;
    // First wait until the polls that became due during the setup are done.
    for _ in 0..CATCHING_UP {
        tokio::time::sleep(Duration::from_secs(5)).await;
        if late(db, panel, clock.now().0).await == 0 {
            break;
        }
    }
    let (calls, used, begun) = (asked(&fake), served.cpu_seconds(), Instant::now());
    tokio::time::sleep(WATCH).await;
    let seconds = begun.elapsed().as_secs_f64();
    let asked_per_second = count(asked(&fake) - calls) / seconds;
    let cores = (served.cpu_seconds() - used) / seconds;
    let late = late(db, panel, clock.now().0).await;
    let memory_mb = served.memory_mb();
    let placed_per_second = (alone, order(&served).await);
    let import_seconds = import(&served, panel).await;
    Measured { open: orders, asked_per_second, late, cores, memory_mb, placed_per_second, import_seconds }
}

/// Number of attempts that have been due for ten seconds.
async fn late(mut db: &Db, panel: i64, now: i64) -> i64 {
    let sql =
        Sql::new("SELECT count(*) FROM external_panel_orders WHERE external_panel_id = ? AND due_at < ?");
    db.one::<(i64,)>(sql.bind(panel).bind(now - 10_000_000)).await.unwrap().0
}

#[expect(clippy::cast_precision_loss, reason = "counts of a minute")]
fn count(ids: usize) -> f64 {
    ids as f64
}

/// Number of order ids in status calls to the fake panel so far.
fn asked(fake: &FakePanel) -> usize {
    let calls = fake.calls();
    calls.iter().filter_map(|call| call.get("orders")).map(|ids| ids.split(',').count()).sum()
}

/// Half of its orders progress at every poll, the others wait.
fn world(clock: &dyn Clock, orders: i64) -> World {
    let mut world = World::new(KEY);
    world.balance = Money(1_000_000_000_000);
    world.sell(SERVICE, Offer { speed: 1, max: 100_000_000, ..Offer::plain("Followed") });
    world.sell(SERVICE + 1, Offer { behavior: OrderBehavior::Stuck, ..Offer::plain("Waits") });
    for i in 0..orders {
        let known = RestoredOrder {
            id: FIRST + i,
            service: SERVICE + i % 2,
            link: format!("https://video.example/{i}"),
            quantity: 10_000,
            delivered: 0,
            charge: Money(1_000_000),
        };
        world.restore(&known, clock.now());
    }
    // Including the one above that is not polled.
    for i in 0..CATALOGUE - 1 {
        world.sell(1_000 + i, Offer::plain(&format!("Imported {i}")));
    }
    world
}

/// Gives every order exactly one open attempt at the panel, each due once within a cycle.
async fn open(db: &Db, panel: i64, orders: i64, now: i64) {
    let mut tx = db.begin().await.unwrap();
    let quiet = bulk::suspend_triggers(&mut tx).await.unwrap();
    let sql = Sql::new(
        "INSERT INTO providers (id, name, external_panel_id, external_panel_service_id, source_price, created_at, updated_at)
         VALUES (?, 'Bench', ?, ?, 100000, 1, 1)",
    );
    tx.exec(sql.bind(PROVIDER).bind(panel).bind(SERVICE.to_string())).await.unwrap();
    tx.exec(Sql::new("UPDATE order_refill_requests SET external_panel_order_id = NULL")).await.unwrap();
    tx.exec(Sql::new("DELETE FROM external_panel_orders")).await.unwrap();
    let sql = sql!(
        "INSERT INTO external_panel_orders (order_id, provider_id, external_panel_id, external_panel_service_id, \
           external_order_id, status,
           initial_quantity, sent_at, due_at, created_at, updated_at)
         SELECT o.id, CAST(@provider_id AS BIGINT), CAST(@external_panel_id AS BIGINT), '7', \
           CAST(CAST(@external_order_id AS BIGINT) + o.id - 1 AS TEXT), 'Pending', 10000, CAST(@sent_at AS BIGINT),
           CAST(@due_at AS BIGINT) + o.id * 7919 % 600 * 1000000, 1, 1 FROM orders o WHERE o.id <= @orders",
        {
            provider_id: PROVIDER,
            external_panel_id: panel,
            external_order_id: FIRST,
            sent_at: now - 40_000_000_000,
            due_at: now + 5_000_000,
            orders,
        },
    );
    tx.exec(sql).await.unwrap();
    bulk::restore_triggers(&mut tx, quiet).await.unwrap();
    tx.commit().await.unwrap();
    (&mut &*db).exec(Sql::new("ANALYZE")).await.unwrap();
}

/// Creates customers with keys and money, and a service for them.
async fn customers(db: &Db) {
    let mut tx = db.begin().await.unwrap();
    let customers = "INSERT INTO api_keys (user_id, key_hash, created_at) VALUES (?, ?, 1) ON CONFLICT (user_id) DO UPDATE SET key_hash = excluded.key_hash";
    for caller in 0..CALLERS {
        let user = Sql::new(
            "SELECT id FROM users WHERE status = 'active' AND balance_main > 100000000 ORDER BY id LIMIT 1 OFFSET ?",
        );
        let (user,): (i64,) = tx.one(user.bind(i64::from(caller))).await.unwrap();
        let key = sessions::hash(&key_of(caller)).to_vec();
        tx.exec(Sql::new(customers).bind(user).bind(key)).await.unwrap();
    }
    let service = "UPDATE services SET api_access = TRUE, is_enabled = TRUE, is_archived = FALSE, is_deactivated = FALSE, moderation_is_enabled = FALSE,
      restricted_access = FALSE, default_price = 1000, min_price = 1, min_quantity = 1, quantity_step = 1 WHERE id = 1";
    tx.exec(Sql::new(service)).await.unwrap();
    tx.exec(Sql::new("DELETE FROM service_targets WHERE service_id = 1")).await.unwrap();
    tx.commit().await.unwrap();
}

fn key_of(caller: u32) -> String {
    format!("bench-customer-{caller}")
}

/// Places orders through the reseller API as fast as possible; returns orders per second.
async fn order(served: &Served) -> f64 {
    static TURN: AtomicU32 = AtomicU32::new(0);
    let (begun, turn) = (Instant::now(), TURN.fetch_add(1, Ordering::Relaxed));
    let callers = (0..CALLERS).map(|caller| async move {
        let mut placed = 0_u32;
        while begun.elapsed() < ORDERING {
            let form = format!(
                "key={}&action=add&service=1&quantity=10&link=https%3A%2F%2Fvideo.example%2F{turn}%2F{caller}%2F{placed}",
                key_of(caller)
            );
            let request = served.client.post(format!("{}/api/v2", served.base)).body(form);
            let answer = request.header("content-type", "application/x-www-form-urlencoded").send().await.unwrap();
            let text = answer.text().await.unwrap();
            assert!(text.contains("\"order\""), "{text}");
            placed += 1;
        }
        placed
    });
    let placed: u32 = join_all(callers).await.into_iter().sum();
    f64::from(placed) / begun.elapsed().as_secs_f64()
}

/// Imports a large catalogue as services; returns the seconds, including the request for it.
async fn import(served: &Served, panel: i64) -> f64 {
    let base = "/api/v1/admin/external-panels";
    let begun = Instant::now();
    served.post(&format!("{base}/{panel}/available-services"), &json!({})).await;
    let (mut ids, mut seen) = (Vec::new(), 0);
    loop {
        let path = format!("{base}/{panel}/services?length=1000&start={seen}");
        let page = served.get(&path).await;
        let rows = page["data"].as_array().unwrap();
        seen += rows.len();
        let free = rows.iter().filter(|row| row["provider"].is_null());
        ids.extend(free.filter_map(|row| row["id"].as_i64()));
        if rows.len() < 1_000 {
            break;
        }
    }
    let kinds = served.get("/api/v1/admin/service-types?length=1").await;
    let kind = kinds["data"][0]["id"].clone();
    let services: Vec<_> = ids.iter().map(|id| json!({ "id": id, "service_type_id": kind })).collect();
    let body = json!({ "external_panel_id": panel, "services": services, "margin_percent": "0.3" });
    served.post(&format!("{base}/import-services"), &body).await;
    begun.elapsed().as_secs_f64()
}
