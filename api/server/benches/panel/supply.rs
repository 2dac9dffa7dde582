//! Polling of open orders at a fake panel on the same machine, orders through the reseller API, and the import of a large
//! catalogue. CPU time and memory of the server's process are read from the system.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use panel_contract::amount::Money;
use panel_demo::panel::FakePanel;
use panel_demo::panel::state::{FakePanelState, FakeService, OrderBehavior, RestoredOrder};
use panel_kernel::clock::{Clock, SystemClock};
use panel_platform::db::{Db, Source as _, Sql, bulk};
use panel_platform::sql;
use panel_server::auth::sessions;
use serde_json::json;

use crate::load::CALLERS;
use crate::server_process::ServerProcess;

/// The id of the provider, above the ids of the demo, and of its service at the fake panel.
const PROVIDER_ID: i64 = 900_001;
const EXTERNAL_SERVICE_ID: i64 = 7;
/// The external id of the first order.
const FIRST_EXTERNAL_ID: i64 = 50_000_000;
const KEY: &str = "bench-key";
/// The duration of the measurement of polling.
const POLLING_DURATION: Duration = Duration::from_secs(60);
/// The most checks, five seconds apart, until all due polls are done.
const MAX_CATCH_UP_CHECKS: u32 = 36;
const INTAKE_DURATION: Duration = Duration::from_secs(15);
/// The number of services in the imported catalogue.
const CATALOGUE_SIZE: i64 = 20_000;

pub(crate) struct SupplyResult {
    pub(crate) open_orders: i64,
    pub(crate) polled_per_second: f64,
    pub(crate) overdue: i64,
    pub(crate) cores: f64,
    pub(crate) private_memory_mb: f64,
    /// Memory of mapped files, which the system can reclaim.
    pub(crate) mapped_memory_mb: f64,
    pub(crate) placed_per_second_without_polling: f64,
    pub(crate) placed_per_second_during_polling: f64,
    pub(crate) import_seconds: f64,
}

pub(crate) async fn measure(folder: &Path, url: Option<&str>, db: &Db, orders: i64) -> SupplyResult {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let fake = FakePanel::start(fake_panel_state(&*clock, orders), Arc::clone(&clock)).await.unwrap();
    let server = ServerProcess::start(folder, url).await;
    let panel = json!({ "name": "Bench", "endpoint": fake.url, "api_token": KEY, "currency": "USD" });
    let panel = server.post("/api/v1/admin/external-panels", &panel).await["data"]["id"].as_i64().unwrap();
    prepare_customers(db).await;
    let placed_per_second_without_polling = measure_intake(&server).await;
    add_open_attempts(db, panel, orders, clock.now().0).await;
    // First wait until the polls that became due during the setup are done.
    for _ in 0..MAX_CATCH_UP_CHECKS {
        tokio::time::sleep(Duration::from_secs(5)).await;
        if count_overdue(db, panel, clock.now().0).await == 0 {
            break;
        }
    }
    let (ids_before, cpu_before, started) = (polled_id_count(&fake), server.cpu_seconds(), Instant::now());
    tokio::time::sleep(POLLING_DURATION).await;
    let seconds = started.elapsed().as_secs_f64();
    let polled_per_second = to_f64(polled_id_count(&fake) - ids_before) / seconds;
    let cores = (server.cpu_seconds() - cpu_before) / seconds;
    let overdue = count_overdue(db, panel, clock.now().0).await;
    let (private_memory_mb, mapped_memory_mb) = server.memory_mb();
    let placed_per_second_during_polling = measure_intake(&server).await;
    let import_seconds = measure_import(&server, panel).await;
    SupplyResult {
        open_orders: orders,
        polled_per_second,
        overdue,
        cores,
        private_memory_mb,
        mapped_memory_mb,
        placed_per_second_without_polling,
        placed_per_second_during_polling,
        import_seconds,
    }
}

/// The number of attempts that have been due for more than ten seconds.
async fn count_overdue(mut db: &Db, panel: i64, now: i64) -> i64 {
    let sql =
        Sql::new("SELECT count(*) FROM external_panel_orders WHERE external_panel_id = ? AND due_at < ?");
    db.fetch_one::<(i64,)>(sql.bind(panel).bind(now - 10_000_000)).await.unwrap().0
}

#[expect(clippy::cast_precision_loss, reason = "counts of a minute")]
fn to_f64(ids: usize) -> f64 {
    ids as f64
}

/// The number of order ids in the status calls to the fake panel so far.
fn polled_id_count(fake: &FakePanel) -> usize {
    let calls = fake.calls();
    calls.iter().filter_map(|call| call.get("orders")).map(|ids| ids.split(',').count()).sum()
}

/// Half of the fake panel's orders progress at every poll, the others do not.
fn fake_panel_state(clock: &dyn Clock, orders: i64) -> FakePanelState {
    let mut panel_state = FakePanelState::new(KEY);
    panel_state.balance = Money(1_000_000_000_000);
    panel_state.add_service(
        EXTERNAL_SERVICE_ID,
        FakeService { speed: 1, max: 100_000_000, ..FakeService::plain("Followed") },
    );
    panel_state.add_service(
        EXTERNAL_SERVICE_ID + 1,
        FakeService { behavior: OrderBehavior::Stuck, ..FakeService::plain("Waits") },
    );
    for i in 0..orders {
        let restored = RestoredOrder {
            id: FIRST_EXTERNAL_ID + i,
            service: EXTERNAL_SERVICE_ID + i % 2,
            link: format!("https://video.example/{i}"),
            quantity: 10_000,
            delivered: 0,
            charge: Money(1_000_000),
        };
        panel_state.restore(&restored, clock.now());
    }
    // One service of the catalogue is the one above whose orders do not progress.
    for i in 0..CATALOGUE_SIZE - 1 {
        panel_state.add_service(1_000 + i, FakeService::plain(&format!("Imported {i}")));
    }
    panel_state
}

/// Gives every order exactly one open attempt at the panel, with due times spread over a poll interval of ten minutes.
async fn add_open_attempts(db: &Db, panel: i64, orders: i64, now: i64) {
    let mut tx = db.begin().await.unwrap();
    let suspended_triggers = bulk::suspend_triggers(&mut tx).await.unwrap();
    let sql = Sql::new(
        "INSERT INTO providers (id, name, external_panel_id, external_panel_service_id, source_price, created_at, updated_at)
         VALUES (?, 'Bench', ?, ?, 100000, 1, 1)",
    );
    tx.execute(sql.bind(PROVIDER_ID).bind(panel).bind(EXTERNAL_SERVICE_ID.to_string())).await.unwrap();
    tx.execute(Sql::new("UPDATE order_refill_requests SET external_panel_order_id = NULL")).await.unwrap();
    tx.execute(Sql::new("DELETE FROM external_panel_orders")).await.unwrap();
    let sql = sql!(
        "INSERT INTO external_panel_orders (order_id, provider_id, external_panel_id, external_panel_service_id, \
           external_order_id, status,
           initial_quantity, sent_at, due_at, created_at, updated_at)
         SELECT o.id, CAST(@provider_id AS BIGINT), CAST(@external_panel_id AS BIGINT), '7', \
           CAST(CAST(@external_order_id AS BIGINT) + o.id - 1 AS TEXT), 'Pending', 10000, CAST(@sent_at AS BIGINT),
           CAST(@due_at AS BIGINT) + o.id * 7919 % 600 * 1000000, 1, 1 FROM orders o WHERE o.id <= @orders",
        {
            provider_id: PROVIDER_ID,
            external_panel_id: panel,
            external_order_id: FIRST_EXTERNAL_ID,
            sent_at: now - 40_000_000_000,
            due_at: now + 5_000_000,
            orders,
        },
    );
    tx.execute(sql).await.unwrap();
    bulk::restore_triggers(&mut tx, suspended_triggers).await.unwrap();
    tx.commit().await.unwrap();
    (&mut &*db).execute(Sql::new("ANALYZE")).await.unwrap();
}

/// Gives customers with a balance API keys, and makes a service available to them.
async fn prepare_customers(db: &Db) {
    let mut tx = db.begin().await.unwrap();
    let insert_api_key = "INSERT INTO api_keys (user_id, key_hash, created_at) VALUES (?, ?, 1) ON CONFLICT (user_id) DO UPDATE SET key_hash = excluded.key_hash";
    for caller in 0..CALLERS {
        let select_user = Sql::new(
            "SELECT id FROM users WHERE status = 'active' AND balance_main > 100000000 ORDER BY id LIMIT 1 OFFSET ?",
        );
        let (user_id,): (i64,) = tx.fetch_one(select_user.bind(i64::from(caller))).await.unwrap();
        let key = sessions::hash(&api_key(caller)).to_vec();
        tx.execute(Sql::new(insert_api_key).bind(user_id).bind(key)).await.unwrap();
    }
    let update_service = "UPDATE services SET api_access = TRUE, is_enabled = TRUE, is_archived = FALSE, is_deactivated = FALSE, moderation_is_enabled = FALSE,
      restricted_access = FALSE, default_price = 1000, min_price = 1, min_quantity = 1, quantity_step = 1 WHERE id = 1";
    tx.execute(Sql::new(update_service)).await.unwrap();
    tx.execute(Sql::new("DELETE FROM service_targets WHERE service_id = 1")).await.unwrap();
    tx.commit().await.unwrap();
}

fn api_key(caller: u32) -> String {
    format!("bench-customer-{caller}")
}

/// Places orders through the reseller API as fast as possible. Returns the orders per second.
async fn measure_intake(server: &ServerProcess) -> f64 {
    static RUN: AtomicU32 = AtomicU32::new(0);
    let (started, run) = (Instant::now(), RUN.fetch_add(1, Ordering::Relaxed));
    let callers = (0..CALLERS).map(|caller| async move {
        let mut placed = 0_u32;
        while started.elapsed() < INTAKE_DURATION {
            let form = format!(
                "key={}&action=add&service=1&quantity=10&link=https%3A%2F%2Fvideo.example%2F{run}%2F{caller}%2F{placed}",
                api_key(caller)
            );
            let request = server.client.post(format!("{}/api/v2", server.base_url)).body(form);
            let answer = request.header("content-type", "application/x-www-form-urlencoded").send().await.unwrap();
            let text = answer.text().await.unwrap();
            assert!(text.contains("\"order\""), "{text}");
            placed += 1;
        }
        placed
    });
    let placed: u32 = join_all(callers).await.into_iter().sum();
    f64::from(placed) / started.elapsed().as_secs_f64()
}

/// Requests the large catalogue and imports it as services. Returns the duration in seconds.
async fn measure_import(server: &ServerProcess, panel: i64) -> f64 {
    let base = "/api/v1/admin/external-panels";
    let started = Instant::now();
    server.post(&format!("{base}/{panel}/available-services"), &json!({})).await;
    let (mut ids, mut rows_read) = (Vec::new(), 0);
    loop {
        let path = format!("{base}/{panel}/services?length=1000&start={rows_read}");
        let page = server.get(&path).await;
        let rows = page["data"].as_array().unwrap();
        rows_read += rows.len();
        let without_provider = rows.iter().filter(|row| row["provider"].is_null());
        ids.extend(without_provider.filter_map(|row| row["id"].as_i64()));
        if rows.len() < 1_000 {
            break;
        }
    }
    let service_types = server.get("/api/v1/admin/service-types?length=1").await;
    let service_type = service_types["data"][0]["id"].clone();
    let services: Vec<_> =
        ids.iter().map(|id| json!({ "id": id, "service_type_id": service_type })).collect();
    let body = json!({ "external_panel_id": panel, "services": services, "margin_fraction": "0.3" });
    server.post(&format!("{base}/import-services"), &body).await;
    started.elapsed().as_secs_f64()
}
