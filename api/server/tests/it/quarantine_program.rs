//! Quarantine with the real binary: a proxy before the external panel kills the process that calls about one order. The server
//! dies once, an isolated process retries the record and dies, and every later start survives.
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
use panel_platform::db::{Dialect, Source as _, Sql};

use crate::panel::Panel;
use crate::shop_with_panels::{KEY, ShopWithPanels};
use crate::test_server::client;

both! {
    a_record_kills_the_server_once_and_its_isolated_process_once;
    an_order_whose_sending_was_interrupted_is_not_sent_twice;
}

const TIMEOUT: Duration = Duration::from_secs(60);

/// A proxy before the external panel that kills the calling process instead of forwarding a call about the poisoned order.
#[derive(Clone, Default)]
struct KillerProxy {
    /// The link or external id of the order.
    poison: Arc<Mutex<Option<String>>>,
    server_pid: Arc<Mutex<u32>>,
    panel_url: String,
}

impl KillerProxy {
    /// Starts the proxy and returns it with its URL.
    async fn start(panel_url: &str) -> (Self, String) {
        let killer = Self { panel_url: panel_url.to_owned(), ..Self::default() };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/api/v2", listener.local_addr().unwrap());
        let router = Router::new().fallback(kill_or_forward).with_state(killer.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        (killer, address)
    }

    fn set_poison(&self, link_or_id: Option<String>) {
        *self.poison.lock().unwrap() = link_or_id;
    }

    fn is_deadly(&self, body: &[u8]) -> bool {
        let fields: Vec<(String, String)> = serde_html_form::from_bytes(body).unwrap_or_default();
        let poison = self.poison.lock().unwrap();
        let Some(poison) = poison.as_ref() else { return false };
        let names = ["link", "order", "orders"];
        fields.iter().any(|(name, value)| {
            names.contains(&name.as_str()) && value.split(',').any(|item| item == poison)
        })
    }

    /// Kills the isolated process of the quarantine, or the server where there is none.
    fn kill(&self) {
        let server_pid = *self.server_pid.lock().unwrap();
        let calling_pid = child_of(server_pid).unwrap_or(server_pid);
        assert!(Command::new("kill").args(["-KILL", &calling_pid.to_string()]).status().unwrap().success());
    }
}

async fn kill_or_forward(
    State(killer): State<KillerProxy>,
    body: Bytes,
) -> ([(header::HeaderName, &'static str); 1], String) {
    if killer.is_deadly(&body) {
        killer.kill();
        std::future::pending::<()>().await;
    }
    let call = client()
        .post(&killer.panel_url)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(body);
    let response = call.send().await.unwrap().text().await.unwrap();
    ([(header::CONTENT_TYPE, "application/json")], response)
}

/// A process that `parent` started.
fn child_of(parent: u32) -> Option<u32> {
    let line = format!("PPid:\t{parent}");
    std::fs::read_dir("/proc").unwrap().find_map(|entry| {
        let id: u32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
        status.lines().any(|status_line| status_line == line).then_some(id)
    })
}

/// A shop whose external panel is behind a `KillerProxy`, and the `panel-server` that runs on its database.
struct ServedShop {
    shop: ShopWithPanels,
    killer: KillerProxy,
    log: PathBuf,
    server: Option<Child>,
    port: u16,
}

impl ServedShop {
    async fn on(dialect: Dialect) -> Self {
        let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
        let (killer, address) = KillerProxy::start(&shop.fake_panels[0].url).await;
        // The binary reads the real clock, so the sessions must be valid until long after now.
        let extend_sessions =
            "UPDATE sessions SET expires_at = 4102444800000000, last_used_at = 4102444800000000";
        shop.panel.execute(Sql::new(extend_sessions)).await;
        shop.panel
            .execute(
                Sql::new("UPDATE external_panels SET endpoint = ?, balance_at = 4102444800000000")
                    .bind(address),
            )
            .await;
        let config = &shop.panel.app.config;
        let file = "[outbound]\nallow_http = true\nallowed_networks = [\"127.0.0.0/8\"]\n";
        std::fs::write(config.data_dir.join("panel.toml"), file).unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let log = config.data_dir.join("program.log");
        Self { shop, killer, log, server: None, port }
    }

    fn panel(&self) -> &Panel {
        &self.shop.panel
    }

    async fn start(&mut self) {
        let config = &self.panel().app.config;
        let log = std::fs::OpenOptions::new().create(true).append(true).open(&self.log).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_panel-server"));
        command.env_clear().current_dir(&config.data_dir).env("PANEL_DATA_DIR", &config.data_dir);
        command
            .env("PANEL_LISTEN", format!("127.0.0.1:{}", self.port))
            .env("PANEL_DATABASE_CONNECTIONS", "4");
        if let Some(url) = &config.database_url {
            command.env("PANEL_DATABASE_URL", url);
        }
        let server = command.stdout(Stdio::null()).stderr(log).spawn().unwrap();
        *self.killer.server_pid.lock().unwrap() = server.id();
        self.server = Some(server);
    }

    /// Waits until the query returns the number.
    async fn wait_until(&mut self, sql: &'static str, expected: i64) {
        let waiting_since = Instant::now();
        loop {
            let number = self.panel().number(Sql::new(sql)).await;
            if number == expected {
                return;
            }
            assert!(
                waiting_since.elapsed() < TIMEOUT,
                "{sql}: {number}, not {expected}\n{}",
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
        std::fs::read_to_string(&self.log).unwrap()
    }

    /// Waits until the log contains `text`: a line is written after the transaction that it reports.
    async fn wait_for_log(&self, text: &str) {
        let waiting_since = Instant::now();
        while !self.log_text().contains(text) {
            assert!(waiting_since.elapsed() < TIMEOUT, "the log lacks {text}\n{}", self.log_text());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits until the server was killed.
    async fn wait_until_dead(&mut self) {
        let waiting_since = Instant::now();
        while self.is_alive() {
            assert!(waiting_since.elapsed() < TIMEOUT, "the server still lives\n{}", self.log_text());
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
        let address = format!("http://127.0.0.1:{}{path}", self.port);
        let call = client().post(address).header("authorization", "Bearer owner");
        call.send().await.unwrap().status().as_u16()
    }

    /// How many `add` calls the external panel received for each of the six orders.
    fn add_call_counts(&self) -> Vec<usize> {
        let calls = self.shop.fake_panels[0].calls();
        let links: Vec<&String> =
            calls.iter().filter(|call| call["action"] == "add").map(|call| &call["link"]).collect();
        (1..=6)
            .map(|n| links.iter().filter(|link| ***link == format!("https://video.example/{n}")).count())
            .collect()
    }
}

const IN_QUARANTINE: &str = "SELECT count(*) FROM quarantine";
const COMPLETED: &str = "SELECT count(*) FROM orders WHERE status = 'completed'";

async fn a_record_kills_the_server_once_and_its_isolated_process_once(dialect: Dialect) {
    let mut served = ServedShop::on(dialect).await;
    for n in 1..=6 {
        served.shop.order(n).await;
    }
    // The orders are placed without the proxy's poison, and the panel delivers them meanwhile.
    served.shop.run_until_idle().await;
    assert_eq!(served.add_call_counts(), [1; 6]);
    served.panel().clock.advance_secs(86_400);
    let sql = "SELECT external_order_id FROM external_panel_orders WHERE order_id = 4";
    let (poisoned_id,): (String,) = (&mut &served.panel().app.db).fetch_one(Sql::new(sql)).await.unwrap();
    served.killer.set_poison(Some(poisoned_id));
    served.expire_leases_and_heartbeats().await;

    // The first crash: the server dies on a batch of six records, one of them poisoned.
    served.start().await;
    served.wait_until_dead().await;
    let sql = "SELECT count(*) FROM claimed_batches WHERE poller = 'external_order' AND record_ids = ',1,2,3,4,5,6,'";
    assert_eq!(served.panel().number(Sql::new(sql)).await, 1);

    // The next start survives. The isolated process works on the six suspects: five complete and leave the quarantine, the poisoned
    // one kills it.
    served.expire_leases_and_heartbeats().await;
    served.start().await;
    served.wait_until("SELECT count(*) FROM quarantine WHERE status = 'quarantined'", 1).await;
    served.wait_until(IN_QUARANTINE, 1).await;
    served.wait_until(COMPLETED, 5).await;
    served.wait_until("SELECT count(*) FROM claimed_batches", 0).await;
    let row: (String, i64, i64, String) = (&mut &served.panel().app.db)
        .fetch_one(Sql::new("SELECT poller, record_id, crashes, reason FROM quarantine"))
        .await
        .unwrap();
    assert_eq!((row.0.as_str(), row.1, row.2), ("external_order", 4, 2));
    assert!(row.3.contains("signal 9"), "{}", row.3);
    served.wait_for_log("quarantined a record").await;
    assert!(!served.log_text().contains(KEY), "the log must not contain the panel's key");

    // Three more starts survive and poll the other orders.
    for _ in 0..3 {
        served.kill();
        served.expire_leases_and_heartbeats().await;
        served.start().await;
        served
            .wait_until("SELECT count(*) FROM external_panel_orders WHERE due_at = 1 AND order_id <> 4", 0)
            .await;
        served.wait_until("SELECT count(*) FROM claimed_batches", 0).await;
        assert_eq!(served.panel().number(Sql::new(IN_QUARANTINE)).await, 1);
    }
    assert_eq!(served.panel().order(4).await["status"], "in_processing");

    // Once the cause is fixed, staff release the record.
    served.killer.set_poison(None);
    let id = served.panel().number(Sql::new("SELECT id FROM quarantine")).await;
    assert_eq!(served.post(&format!("/api/v1/admin/quarantine/{id}/release")).await, 200);
    served.wait_until(COMPLETED, 6).await;
    served.kill();
    assert_eq!(served.add_call_counts(), [1; 6], "nothing was sent twice");
    served.shop.assert_healthy().await;
}

async fn an_order_whose_sending_was_interrupted_is_not_sent_twice(dialect: Dialect) {
    let mut served = ServedShop::on(dialect).await;
    // Reconciliation searches between the external ids of neighbouring orders, so there must be some.
    served.shop.order(1).await;
    served.shop.run_until_idle().await;
    served.panel().clock.advance_secs(60);
    for n in 2..=6 {
        served.shop.order(n).await;
    }
    served.killer.set_poison(Some("https://video.example/4".into()));
    served.expire_leases_and_heartbeats().await;
    served.start().await;
    served.wait_until_dead().await;

    // Each suspect is retried alone. The dispatcher looks for the order of unknown outcome, and never sends it again.
    served.killer.set_poison(None);
    served.expire_leases_and_heartbeats().await;
    served.start().await;
    served.wait_until("SELECT count(*) FROM claimed_batches", 0).await;
    served.wait_until(IN_QUARANTINE, 0).await;
    served.kill();
    let add_call_counts = served.add_call_counts();
    assert!(add_call_counts.iter().all(|times| *times <= 1), "{add_call_counts:?}");
    assert_eq!(add_call_counts[3], 0, "the call killed the server before the panel received the order");
    let unknown = "SELECT count(*) FROM external_panel_orders WHERE order_id = 4 AND status = 'Creating' AND sent_at IS NOT NULL AND alert_at IS NOT NULL";
    assert_eq!(served.panel().number(Sql::new(unknown)).await, 1, "staff are alerted to the unknown outcome");
    served.shop.assert_healthy().await;
}
