//! Quarantine with the `panel-server` program: a proxy before the external panel kills the process that sends a request about one
//! order. The server is killed once, an isolated process that retries the record is killed too, and every later start survives.
//!
//! Between two starts the test changes the database as if five minutes had passed: leases have expired, and the dead process has
//! no heartbeat.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header;
use panel_demo::panel::state::OrderBehavior;
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};

use crate::panel::Panel;
use crate::shop_with_panels::{FAKE_PANEL_KEY, ShopWithPanels};
use crate::test_server::client;

test_both_databases! {
    a_record_kills_the_server_once_and_the_isolated_process_once;
    an_order_is_not_sent_twice_after_an_interrupted_request;
}

const TIMEOUT: Duration = Duration::from_secs(60);

/// A proxy between the server and the external panel. It kills the calling process instead of forwarding a request about one order.
#[derive(Clone, Default)]
struct KillerProxy {
    /// The link or external id of the order whose requests kill the process.
    fatal_order: Arc<Mutex<Option<String>>>,
    server_pid: Arc<Mutex<u32>>,
    panel_url: String,
}

impl KillerProxy {
    /// Starts the proxy. Returns the proxy and its URL.
    async fn start(panel_url: &str) -> (Self, String) {
        let killer_proxy = Self { panel_url: panel_url.to_owned(), ..Self::default() };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy_url = format!("http://{}/api/v2", listener.local_addr().unwrap());
        let router = Router::new().fallback(kill_or_forward).with_state(killer_proxy.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        (killer_proxy, proxy_url)
    }

    fn set_fatal_order(&self, link_or_id: Option<String>) {
        *self.fatal_order.lock().unwrap() = link_or_id;
    }

    fn is_fatal(&self, body: &[u8]) -> bool {
        let fields: Vec<(String, String)> = serde_html_form::from_bytes(body).unwrap_or_default();
        let fatal_order = self.fatal_order.lock().unwrap();
        let Some(fatal_order) = fatal_order.as_ref() else { return false };
        let field_names = ["link", "order", "orders"];
        fields.iter().any(|(name, value)| {
            field_names.contains(&name.as_str()) && value.split(',').any(|item| item == fatal_order)
        })
    }

    /// Kills the isolated process of the quarantine if one runs, else the server.
    fn kill_caller(&self) {
        let server_pid = *self.server_pid.lock().unwrap();
        let calling_pid = find_child_process(server_pid).unwrap_or(server_pid);
        assert!(Command::new("kill").args(["-KILL", &calling_pid.to_string()]).status().unwrap().success());
    }
}

async fn kill_or_forward(
    State(killer_proxy): State<KillerProxy>,
    body: Bytes,
) -> ([(header::HeaderName, &'static str); 1], String) {
    if killer_proxy.is_fatal(&body) {
        killer_proxy.kill_caller();
        std::future::pending::<()>().await;
    }
    let request = client()
        .post(&killer_proxy.panel_url)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(body);
    let response = request.send().await.unwrap().text().await.unwrap();
    ([(header::CONTENT_TYPE, "application/json")], response)
}

/// A process that `parent` started.
fn find_child_process(parent: u32) -> Option<u32> {
    let parent_line = format!("PPid:\t{parent}");
    std::fs::read_dir("/proc").unwrap().find_map(|entry| {
        let process_id: u32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
        let status = std::fs::read_to_string(format!("/proc/{process_id}/status")).ok()?;
        status.lines().any(|status_line| status_line == parent_line).then_some(process_id)
    })
}

/// A shop whose external panel is behind a `KillerProxy`, and the `panel-server` that runs on its database.
struct ShopWithServer {
    shop: ShopWithPanels,
    killer_proxy: KillerProxy,
    log_path: PathBuf,
    server: Option<Child>,
    port: u16,
}

impl ShopWithServer {
    async fn start(dialect: Dialect) -> Self {
        let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
        let (killer_proxy, proxy_url) = KillerProxy::start(&shop.fake_panels[0].url).await;
        // The server uses the system clock, so the sessions must be valid for a long time.
        let extend_sessions_sql =
            "UPDATE sessions SET expires_at = 4102444800000000, last_used_at = 4102444800000000";
        shop.panel.execute(Sql::new(extend_sessions_sql)).await;
        shop.panel
            .execute(
                Sql::new("UPDATE external_panels SET endpoint = ?, balance_at = 4102444800000000")
                    .bind(proxy_url),
            )
            .await;
        let config = &shop.panel.app.config;
        let config_text = "[outbound]\nallow_http = true\nallowed_networks = [\"127.0.0.0/8\"]\n";
        std::fs::write(config.data_dir.join("panel.toml"), config_text).unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let log_file = config.data_dir.join("program.log");
        Self { shop, killer_proxy, log_path: log_file, server: None, port }
    }

    fn panel(&self) -> &Panel {
        &self.shop.panel
    }

    async fn start_server(&mut self) {
        let config = &self.panel().app.config;
        let log_file = std::fs::OpenOptions::new().create(true).append(true).open(&self.log_path).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_panel-server"));
        command.env_clear().current_dir(&config.data_dir).env("PANEL_DATA_DIR", &config.data_dir);
        command
            .env("PANEL_LISTEN", format!("127.0.0.1:{}", self.port))
            .env("PANEL_DATABASE_CONNECTIONS", "4");
        if let Some(url) = &config.database_url {
            command.env("PANEL_DATABASE_URL", url);
        }
        let server = command.stdout(Stdio::null()).stderr(log_file).spawn().unwrap();
        *self.killer_proxy.server_pid.lock().unwrap() = server.id();
        self.server = Some(server);
    }

    /// Waits until the query returns the number.
    async fn wait_until(&mut self, sql: &'static str, expected_number: i64) {
        let waiting_since = Instant::now();
        loop {
            let number = self.panel().fetch_number(Sql::new(sql)).await;
            if number == expected_number {
                return;
            }
            assert!(
                waiting_since.elapsed() < TIMEOUT,
                "{sql}: {number}, not {expected_number}\n{}",
                self.log_text()
            );
            assert!(self.is_alive(), "the server died waiting for {sql}\n{}", self.log_text());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn is_alive(&mut self) -> bool {
        self.server.as_mut().is_some_and(|server| server.try_wait().unwrap().is_none())
    }

    fn log_text(&self) -> String {
        std::fs::read_to_string(&self.log_path).unwrap()
    }

    /// Waits until the log contains `text`, because the server writes a line only after the transaction of the event.
    async fn wait_for_log(&self, text: &str) {
        let waiting_since = Instant::now();
        while !self.log_text().contains(text) {
            assert!(
                waiting_since.elapsed() < TIMEOUT,
                "the log does not contain {text}\n{}",
                self.log_text()
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits until the server was killed.
    async fn wait_until_dead(&mut self) {
        let waiting_since = Instant::now();
        while self.is_alive() {
            assert!(waiting_since.elapsed() < TIMEOUT, "the server is still running\n{}", self.log_text());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn kill(&mut self) {
        let mut server = self.server.take().unwrap();
        server.kill().unwrap();
        server.wait().unwrap();
    }

    /// Changes the database as if five minutes had passed.
    async fn expire_leases_and_heartbeats(&self) {
        for sql in [
            "DELETE FROM processes",
            "UPDATE claimed_batches SET claimed_at = 1",
            "UPDATE quarantine SET retry_at = 1 WHERE retry_at IS NOT NULL",
            "UPDATE external_panel_orders SET due_at = 1 WHERE due_at IS NOT NULL",
        ] {
            self.panel().execute(Sql::new(sql)).await;
        }
    }

    async fn post(&self, path: &str) -> u16 {
        let proxy_url = format!("http://127.0.0.1:{}{path}", self.port);
        let request = client().post(proxy_url).header("authorization", "Bearer owner");
        request.send().await.unwrap().status().as_u16()
    }

    /// The number of `add` requests that the external panel received for each of the six orders.
    fn add_request_counts(&self) -> Vec<usize> {
        let requests = self.shop.fake_panels[0].requests();
        let added_links: Vec<&String> = requests
            .iter()
            .filter(|request| request["action"] == "add")
            .map(|request| &request["link"])
            .collect();
        (1..=6)
            .map(|number| {
                added_links.iter().filter(|link| ***link == format!("https://video.example/{number}")).count()
            })
            .collect()
    }
}

const COUNT_QUARANTINED_SQL: &str = "SELECT count(*) FROM quarantine";
const COUNT_COMPLETED_SQL: &str = "SELECT count(*) FROM orders WHERE status = 'completed'";

async fn a_record_kills_the_server_once_and_the_isolated_process_once(dialect: Dialect) {
    let mut shop_server = ShopWithServer::start(dialect).await;
    for number in 1..=6 {
        shop_server.shop.place_order(number).await;
    }
    // The test process places the orders while no order is fatal, and the external panel delivers them.
    shop_server.shop.run_until_idle().await;
    assert_eq!(shop_server.add_request_counts(), [1; 6]);
    shop_server.panel().clock.advance_secs(86_400);
    let sql = "SELECT external_order_id FROM external_panel_orders WHERE order_id = 4";
    let (fatal_order_id,): (String,) =
        (&mut &shop_server.panel().app.db).fetch_one(Sql::new(sql)).await.unwrap();
    shop_server.killer_proxy.set_fatal_order(Some(fatal_order_id));
    shop_server.expire_leases_and_heartbeats().await;

    // The first crash: the server is killed while it processes a batch of six records, of which one is fatal.
    shop_server.start_server().await;
    shop_server.wait_until_dead().await;
    let sql = "SELECT count(*) FROM claimed_batches WHERE poller = 'external_order' AND record_ids = ',1,2,3,4,5,6,'";
    assert_eq!(shop_server.panel().fetch_number(Sql::new(sql)).await, 1);

    // The next start survives. The isolated process retries the six suspects: five complete and leave the quarantine, and the fatal
    // record kills the isolated process.
    shop_server.expire_leases_and_heartbeats().await;
    shop_server.start_server().await;
    shop_server.wait_until("SELECT count(*) FROM quarantine WHERE status = 'quarantined'", 1).await;
    shop_server.wait_until(COUNT_QUARANTINED_SQL, 1).await;
    shop_server.wait_until(COUNT_COMPLETED_SQL, 5).await;
    shop_server.wait_until("SELECT count(*) FROM claimed_batches", 0).await;
    let quarantine_row: (String, i64, i64, String) = (&mut &shop_server.panel().app.db)
        .fetch_one(Sql::new("SELECT poller, record_id, crashes, reason FROM quarantine"))
        .await
        .unwrap();
    assert_eq!((quarantine_row.0.as_str(), quarantine_row.1, quarantine_row.2), ("external_order", 4, 2));
    assert!(quarantine_row.3.contains("signal 9"), "{}", quarantine_row.3);
    shop_server.wait_for_log("quarantined a record").await;
    assert!(!shop_server.log_text().contains(FAKE_PANEL_KEY), "the log must not contain the panel's key");

    // Three more starts survive and poll the other orders.
    for _ in 0..3 {
        shop_server.kill();
        shop_server.expire_leases_and_heartbeats().await;
        shop_server.start_server().await;
        shop_server
            .wait_until("SELECT count(*) FROM external_panel_orders WHERE due_at = 1 AND order_id <> 4", 0)
            .await;
        shop_server.wait_until("SELECT count(*) FROM claimed_batches", 0).await;
        assert_eq!(shop_server.panel().fetch_number(Sql::new(COUNT_QUARANTINED_SQL)).await, 1);
    }
    assert_eq!(shop_server.panel().fetch_order(4).await["status"], "in_processing");

    // Staff release the record after the cause is fixed.
    shop_server.killer_proxy.set_fatal_order(None);
    let process_id = shop_server.panel().fetch_number(Sql::new("SELECT id FROM quarantine")).await;
    assert_eq!(shop_server.post(&format!("/api/v1/admin/quarantine/{process_id}/release")).await, 200);
    shop_server.wait_until(COUNT_COMPLETED_SQL, 6).await;
    shop_server.kill();
    assert_eq!(shop_server.add_request_counts(), [1; 6], "no order may be sent twice");
    shop_server.shop.assert_healthy().await;
}

async fn an_order_is_not_sent_twice_after_an_interrupted_request(dialect: Dialect) {
    let mut shop_server = ShopWithServer::start(dialect).await;
    // Reconciliation searches between the external ids of neighboring orders, so the shop needs another order.
    shop_server.shop.place_order(1).await;
    shop_server.shop.run_until_idle().await;
    shop_server.panel().clock.advance_secs(60);
    for number in 2..=6 {
        shop_server.shop.place_order(number).await;
    }
    shop_server.killer_proxy.set_fatal_order(Some("https://video.example/4".into()));
    shop_server.expire_leases_and_heartbeats().await;
    shop_server.start_server().await;
    shop_server.wait_until_dead().await;

    // The isolated process retries each suspect. The dispatcher searches for the order with the unknown outcome and never resends it.
    shop_server.killer_proxy.set_fatal_order(None);
    shop_server.expire_leases_and_heartbeats().await;
    shop_server.start_server().await;
    shop_server.wait_until("SELECT count(*) FROM claimed_batches", 0).await;
    shop_server.wait_until(COUNT_QUARANTINED_SQL, 0).await;
    shop_server.kill();
    let add_request_counts = shop_server.add_request_counts();
    assert!(add_request_counts.iter().all(|count| *count <= 1), "{add_request_counts:?}");
    assert_eq!(
        add_request_counts[3], 0,
        "the server must be killed before the external panel received the order"
    );
    let count_unknown_sql = "SELECT count(*) FROM external_panel_orders WHERE order_id = 4 AND status = 'Creating' AND sent_at IS NOT NULL AND alert_at IS NOT NULL";
    assert_eq!(
        shop_server.panel().fetch_number(Sql::new(count_unknown_sql)).await,
        1,
        "the attempt must alert staff to the unknown outcome"
    );
    shop_server.shop.assert_healthy().await;
}
