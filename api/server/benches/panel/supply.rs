//! Measures polling of open orders at a fake panel on the same machine, orders through the reseller API, and the import of a large
//! catalogue. Reads CPU time and memory of the server process from the operating system.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use panel_contract::amount::Money;
use panel_demo::panel::FakePanel;
use panel_demo::panel::state::{FakePanelState, FakeService, OrderBehavior, RestoredOrder};
use panel_kernel::clock::{Clock, SystemClock};
use panel_platform::db::{Db, Sql, SqlExecutor as _, bulk};
use panel_platform::sql;
use panel_server::auth::sessions;
use serde_json::json;

use crate::load::CLIENT_COUNT;
use crate::server_process::ServerProcess;

/// Higher than all ids of the demo.
const PROVIDER_ID: i64 = 900_001;
/// Id of the provider's service at the fake panel.
const EXTERNAL_SERVICE_ID: i64 = 7;
/// Id of the first order at the fake panel.
const FIRST_EXTERNAL_ORDER_ID: i64 = 50_000_000;
const EXTERNAL_PANEL_API_KEY: &str = "bench-key";
/// Duration of the measurement.
const POLLING_DURATION: Duration = Duration::from_secs(60);
/// Maximum number of checks, five seconds apart, for remaining due polls before the measurement.
const MAX_CATCH_UP_CHECKS: u32 = 36;
/// Duration of each measurement of orders through the reseller API.
const ORDER_PLACEMENT_DURATION: Duration = Duration::from_secs(15);
/// Number of services of the fake panel.
const CATALOGUE_SIZE: i64 = 20_000;

pub(crate) struct SupplyResult {
    pub(crate) open_order_count: i64,
    pub(crate) polled_orders_per_second: f64,
    /// Number of polls that were overdue at the end of the measurement.
    pub(crate) overdue_poll_count: i64,
    /// CPU time of the server divided by the elapsed time.
    pub(crate) used_cores: f64,
    pub(crate) private_memory_mb: f64,
    /// Mapped file pages, which the kernel can reclaim.
    pub(crate) mapped_memory_mb: f64,
    pub(crate) placed_orders_per_second_without_polling: f64,
    pub(crate) placed_orders_per_second_during_polling: f64,
    pub(crate) import_seconds: f64,
}

pub(crate) async fn measure(
    folder: &Path,
    database_url: Option<&str>,
    db: &Db,
    order_count: i64,
) -> SupplyResult {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let fake_panel =
        FakePanel::start(fake_panel_state(&*clock, order_count), Arc::clone(&clock)).await.unwrap();
    let server = ServerProcess::start(folder, database_url).await;
    let panel_body = json!({ "name": "Bench", "endpoint": fake_panel.url, "api_token": EXTERNAL_PANEL_API_KEY, "currency": "USD" });
    let panel_id =
        server.post("/api/v1/admin/external-panels", &panel_body).await["data"]["id"].as_i64().unwrap();
    prepare_customers(db).await;
    let placed_orders_per_second_without_polling = measure_order_placement(&server).await;
    add_open_attempts(db, panel_id, order_count, clock.now().0).await;
    // Before the measurement, the server finishes the polls that became due during the setup.
    for _ in 0..MAX_CATCH_UP_CHECKS {
        tokio::time::sleep(Duration::from_secs(5)).await;
        if count_overdue_polls(db, panel_id, clock.now().0).await == 0 {
            break;
        }
    }
    let polled_count_before = polled_order_count(&fake_panel);
    let (cpu_seconds_before, started_at) = (server.cpu_seconds(), Instant::now());
    tokio::time::sleep(POLLING_DURATION).await;
    let seconds = started_at.elapsed().as_secs_f64();
    let polled_orders_per_second = to_f64(polled_order_count(&fake_panel) - polled_count_before) / seconds;
    let used_cores = (server.cpu_seconds() - cpu_seconds_before) / seconds;
    let overdue_poll_count = count_overdue_polls(db, panel_id, clock.now().0).await;
    let (private_memory_mb, mapped_memory_mb) = server.memory_mb();
    let placed_orders_per_second_during_polling = measure_order_placement(&server).await;
    let import_seconds = measure_import(&server, panel_id).await;
    SupplyResult {
        open_order_count: order_count,
        polled_orders_per_second,
        overdue_poll_count,
        used_cores,
        private_memory_mb,
        mapped_memory_mb,
        placed_orders_per_second_without_polling,
        placed_orders_per_second_during_polling,
        import_seconds,
    }
}

/// Number of attempts whose poll has been due for more than ten seconds.
async fn count_overdue_polls(mut db: &Db, panel_id: i64, now: i64) -> i64 {
    let sql =
        Sql::new("SELECT count(*) FROM external_panel_orders WHERE external_panel_id = ? AND due_at < ?");
    db.fetch_one::<(i64,)>(sql.bind(panel_id).bind(now - 10_000_000)).await.unwrap().0
}

#[expect(clippy::cast_precision_loss, reason = "counts of a minute")]
fn to_f64(count: usize) -> f64 {
    count as f64
}

/// Number of order ids in all status requests to the fake panel so far.
fn polled_order_count(fake_panel: &FakePanel) -> usize {
    let requests = fake_panel.requests();
    requests.iter().filter_map(|request| request.get("orders")).map(|ids| ids.split(',').count()).sum()
}

/// Half of the orders progress between two polls, the others stay pending.
fn fake_panel_state(clock: &dyn Clock, order_count: i64) -> FakePanelState {
    let mut panel_state = FakePanelState::new(EXTERNAL_PANEL_API_KEY);
    panel_state.balance = Money(1_000_000_000_000);
    panel_state.add_service(
        EXTERNAL_SERVICE_ID,
        FakeService {
            units_per_minute: 1,
            max_quantity: 100_000_000,
            ..FakeService::with_name("Progressing")
        },
    );
    panel_state.add_service(
        EXTERNAL_SERVICE_ID + 1,
        FakeService { behavior: OrderBehavior::Stuck, ..FakeService::with_name("Pending") },
    );
    for i in 0..order_count {
        let restored = RestoredOrder {
            id: FIRST_EXTERNAL_ORDER_ID + i,
            service_id: EXTERNAL_SERVICE_ID + i % 2,
            link: format!("https://video.example/{i}"),
            quantity: 10_000,
            delivered_quantity: 0,
            charge: Money(1_000_000),
        };
        panel_state.restore_order(&restored, clock.now());
    }
    // The catalogue includes the service above whose orders stay pending.
    for i in 0..CATALOGUE_SIZE - 1 {
        panel_state.add_service(1_000 + i, FakeService::with_name(&format!("Imported {i}")));
    }
    panel_state
}

/// Replaces all placement attempts by one open attempt per order, with poll times spread over ten minutes.
async fn add_open_attempts(db: &Db, panel_id: i64, order_count: i64, now: i64) {
    let mut tx = db.begin().await.unwrap();
    let suspended_triggers = bulk::suspend_triggers(&mut tx).await.unwrap();
    let sql = Sql::new(
        "INSERT INTO providers (id, name, external_panel_id, external_panel_service_id, source_price, created_at, updated_at)
         VALUES (?, 'Bench', ?, ?, 100000, 1, 1)",
    );
    tx.execute(sql.bind(PROVIDER_ID).bind(panel_id).bind(EXTERNAL_SERVICE_ID.to_string())).await.unwrap();
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
            external_panel_id: panel_id,
            external_order_id: FIRST_EXTERNAL_ORDER_ID,
            sent_at: now - 40_000_000_000,
            due_at: now + 5_000_000,
            orders: order_count,
        },
    );
    tx.execute(sql).await.unwrap();
    bulk::restore_triggers(&mut tx, suspended_triggers).await.unwrap();
    tx.commit().await.unwrap();
    (&mut &*db).execute(Sql::new("ANALYZE")).await.unwrap();
}

/// Creates API keys for customers with a balance, and makes a service available to them.
async fn prepare_customers(db: &Db) {
    let mut tx = db.begin().await.unwrap();
    let insert_api_key_sql = "INSERT INTO api_keys (user_id, key_hash, created_at) VALUES (?, ?, 1) ON CONFLICT (user_id) DO UPDATE SET key_hash = excluded.key_hash";
    for client_number in 0..CLIENT_COUNT {
        let select_user_sql = Sql::new(
            "SELECT id FROM users WHERE status = 'active' AND balance_main > 100000000 ORDER BY id LIMIT 1 OFFSET ?",
        );
        let (user_id,): (i64,) = tx.fetch_one(select_user_sql.bind(i64::from(client_number))).await.unwrap();
        let key_hash = sessions::hash(&customer_api_key(client_number)).to_vec();
        tx.execute(Sql::new(insert_api_key_sql).bind(user_id).bind(key_hash)).await.unwrap();
    }
    let update_service_sql = "UPDATE services SET api_access = TRUE, is_enabled = TRUE, is_archived = FALSE, is_deactivated = FALSE, moderation_is_enabled = FALSE,
      restricted_access = FALSE, default_price = 1000, min_price = 1, min_quantity = 1, quantity_step = 1 WHERE id = 1";
    tx.execute(Sql::new(update_service_sql)).await.unwrap();
    tx.execute(Sql::new("DELETE FROM service_targets WHERE service_id = 1")).await.unwrap();
    tx.commit().await.unwrap();
}

fn customer_api_key(client_number: u32) -> String {
    format!("bench-customer-{client_number}")
}

/// Places orders through the reseller API as fast as possible. Returns the number of orders per second.
async fn measure_order_placement(server: &ServerProcess) -> f64 {
    static RUN_COUNT: AtomicU32 = AtomicU32::new(0);
    let (started_at, run_number) = (Instant::now(), RUN_COUNT.fetch_add(1, Ordering::Relaxed));
    let clients = (0..CLIENT_COUNT).map(|client_number| async move {
        let mut placed_count = 0_u32;
        while started_at.elapsed() < ORDER_PLACEMENT_DURATION {
            let form = format!(
                "key={}&action=add&service=1&quantity=10&link=https%3A%2F%2Fvideo.example%2F{run_number}%2F{client_number}%2F{placed_count}",
                customer_api_key(client_number)
            );
            let request = server.client.post(format!("{}/api/v2", server.base_url)).body(form);
            let response = request.header("content-type", "application/x-www-form-urlencoded").send().await.unwrap();
            let text = response.text().await.unwrap();
            assert!(text.contains("\"order\""), "{text}");
            placed_count += 1;
        }
        placed_count
    });
    let placed_count: u32 = join_all(clients).await.into_iter().sum();
    f64::from(placed_count) / started_at.elapsed().as_secs_f64()
}

/// Fetches the fake panel's catalogue and imports it as services. Returns the duration in seconds.
async fn measure_import(server: &ServerProcess, panel_id: i64) -> f64 {
    let panels_path = "/api/v1/admin/external-panels";
    let started_at = Instant::now();
    server.post(&format!("{panels_path}/{panel_id}/available-services"), &json!({})).await;
    let (mut ids, mut row_count) = (Vec::new(), 0);
    loop {
        let path = format!("{panels_path}/{panel_id}/services?length=1000&start={row_count}");
        let page = server.get(&path).await;
        let rows = page["data"].as_array().unwrap();
        row_count += rows.len();
        let unimported_rows = rows.iter().filter(|row| row["provider"].is_null());
        ids.extend(unimported_rows.filter_map(|row| row["id"].as_i64()));
        if rows.len() < 1_000 {
            break;
        }
    }
    let service_types = server.get("/api/v1/admin/service-types?length=1").await;
    let service_type_id = service_types["data"][0]["id"].clone();
    let services: Vec<_> =
        ids.iter().map(|id| json!({ "id": id, "service_type_id": service_type_id })).collect();
    let body = json!({ "external_panel_id": panel_id, "services": services, "margin_fraction": "0.3" });
    server.post(&format!("{panels_path}/import-services"), &body).await;
    started_at.elapsed().as_secs_f64()
}
