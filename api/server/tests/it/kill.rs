//! Kills the server repeatedly during bulk cancels, and checks that acknowledged cancels stay, that an unacknowledged one is executed
//! completely or not at all, and that the client may retry it with the same idempotency key.
//!
//! `PANEL_TEST_KILLS` sets the number of kills. A run with the same `PANEL_TEST_SEED` kills the server after the same delays.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use panel_kernel::random::Random;
use panel_platform::config::Config;
use panel_platform::db::{Db, Dialect, Sql, SqlExecutor};
use serde_json::{Value, json};

use crate::model::number_from_env;
use crate::panel::Panel;
use crate::shop::insert_shop_records;

test_both_databases! {
    acknowledged_cancels_survive_kills;
}

const ORDER_COUNT: i64 = 12_000;
/// The number of orders in one bulk cancel.
const ORDERS_PER_BATCH: i64 = 25;

/// A running `panel-server` process.
pub(crate) struct KillableServer {
    child: Child,
    port: u16,
}

impl KillableServer {
    fn start(config: &Config, port: u16) -> Self {
        Self::start_with_environment(config, port, &[])
    }

    /// Starts the server with additional environment variables and waits until it is ready.
    pub(crate) fn start_with_environment(config: &Config, port: u16, environment: &[(&str, &str)]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_panel-server"));
        // Without the environment of the tests, whose variables must not configure the server.
        command
            .env_clear()
            .current_dir(&config.data_dir)
            .env("PANEL_DATA_DIR", &config.data_dir)
            .env("PANEL_LISTEN", format!("127.0.0.1:{port}"))
            .env("PANEL_LIMITS__REQUESTS_PER_MINUTE", "1000000")
            .env("PANEL_DATABASE_CONNECTIONS", "4")
            .envs(environment.iter().copied())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if let Some(url) = &config.database_url {
            command.env("PANEL_DATABASE_URL", url);
        }
        let server = Self { child: command.spawn().unwrap(), port };
        let started_at = Instant::now();
        while send_http_request(port, "GET", "/readyz", "", "").map_or(0, |response| response.0) != 200 {
            assert!(started_at.elapsed() < Duration::from_secs(20), "the server did not start");
            std::thread::sleep(Duration::from_millis(5));
        }
        server
    }

    /// The process id, for the files in `/proc`.
    pub(crate) fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// A line of `/proc/PID/status` in bytes, such as `VmRSS:` (resident memory) or `VmHWM:` (its peak).
    pub(crate) fn memory_bytes(&self, line: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process_id())).unwrap();
        let value = status.lines().find_map(|text| text.strip_prefix(line)).unwrap();
        value.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
    }

    /// Resets `VmHWM` to the current resident memory.
    pub(crate) fn reset_peak_memory(&self) {
        std::fs::write(format!("/proc/{}/clear_refs", self.process_id()), "5").unwrap();
    }

    /// Whether the process still runs.
    pub(crate) fn is_alive(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    pub(crate) fn kill(self) {
        drop(self);
    }

    fn run_doctor(&self) -> Value {
        let (status, body) =
            send_http_request(self.port, "GET", "/api/v1/admin/system/doctor", "", "").unwrap();
        assert_eq!(status, 200, "{body}");
        serde_json::from_str::<Value>(&body).unwrap()["data"].clone()
    }
}

/// Kills the process at the end of a test, also of a failed one.
impl Drop for KillableServer {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Sends a request on a new connection. Returns an error if the server is killed before the whole response has arrived.
fn send_http_request(
    port: u16,
    method: &str,
    path: &str,
    key: &str,
    body: &str,
) -> io::Result<(u16, String)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
    let key_header = if key.is_empty() { String::new() } else { format!("Idempotency-Key: {key}\r\n") };
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer owner\r\nConnection: close\r\n{key_header}"
    );
    let body_length = body.len();
    write!(stream, "{head}Content-Type: application/json\r\nContent-Length: {body_length}\r\n\r\n{body}")?;
    let mut response = String::new();
    stream.read_to_string(&mut response)?;
    let connection_lost = || io::Error::from(io::ErrorKind::UnexpectedEof);
    let (head, body) = response.split_once("\r\n\r\n").ok_or_else(connection_lost)?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(connection_lost)?;
    let content_length = head
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse::<usize>().ok());
    if content_length.is_some_and(|content_length| content_length != body.len()) {
        return Err(connection_lost());
    }
    Ok((status, body.to_owned()))
}

/// A client that retries a bulk cancel with the same idempotency key and body until its response has arrived.
#[derive(Default)]
struct BulkCancelClient {
    next_batch: i64,
    pending_batch: Option<i64>,
    /// The batches whose response has arrived, with the body of the response.
    acknowledged_batches: Vec<(i64, String)>,
}

impl BulkCancelClient {
    fn request_body(batch: i64) -> String {
        let ids: Vec<i64> =
            (batch * ORDERS_PER_BATCH + 1..=batch * ORDERS_PER_BATCH + ORDERS_PER_BATCH).collect();
        json!({ "order_ids": ids, "return_money": true, "send_email_notification": false }).to_string()
    }

    fn send_batch(port: u16, batch: i64) -> io::Result<(u16, String)> {
        send_http_request(
            port,
            "POST",
            "/api/v1/admin/orders/cancel",
            &format!("batch-{batch}"),
            &Self::request_body(batch),
        )
    }
}

/// Cancels one batch after the other until the server is killed.
fn cancel_until_killed(port: u16, client: &Mutex<BulkCancelClient>) {
    loop {
        let batch = {
            let mut client = client.lock().unwrap();
            let next_batch = client.next_batch;
            if client.pending_batch.is_none() && next_batch * ORDERS_PER_BATCH < ORDER_COUNT {
                client.pending_batch = Some(next_batch);
                client.next_batch += 1;
            }
            client.pending_batch
        };
        let Some(batch) = batch else { return };
        let Ok((status, body)) = BulkCancelClient::send_batch(port, batch) else { return };
        assert_eq!(status, 200, "{body}");
        let mut client = client.lock().unwrap();
        client.pending_batch = None;
        client.acknowledged_batches.push((batch, body));
    }
}

pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A panel with orders, whose owner has a session that never expires by the system clock. No process has its database open.
async fn panel_with_closed_database(dialect: Dialect) -> (Panel, Config) {
    let panel = Panel::start(dialect).await;
    insert_shop_records(&panel.app.db, 40, ORDER_COUNT).await;
    let extend_sessions_sql =
        "UPDATE sessions SET expires_at = 4102444800000000, last_used_at = 4102444800000000";
    panel.execute(Sql::new(extend_sessions_sql)).await;
    panel.app.db.close().await;
    let config = panel.app.config.clone();
    (panel, config)
}

async fn acknowledged_cancels_survive_kills(dialect: Dialect) {
    let (panel, config) = panel_with_closed_database(dialect).await;
    let final_config = config.clone();
    let acknowledged_count = tokio::task::spawn_blocking(move || kill_repeatedly(&config)).await.unwrap();
    let db = Db::connect(&final_config.database()).await.unwrap();
    let sql = "SELECT id FROM orders WHERE status = 'canceled' AND refunded = cost ORDER BY id";
    let canceled: Vec<(i64,)> = (&mut &db).fetch_all(Sql::new(sql)).await.unwrap();
    assert_eq!(
        i64::try_from(canceled.len()).unwrap(),
        acknowledged_count * ORDERS_PER_BATCH,
        "a batch must be canceled completely or not at all"
    );
    db.close().await;
    drop(panel);
}

/// Kills the server while it cancels orders. Returns the number of acknowledged batches.
fn kill_repeatedly(config: &Config) -> i64 {
    let (kill_count, port) = (number_from_env("PANEL_TEST_KILLS", 30), free_port());
    let (random, client, started_at) = (
        Random::seeded(number_from_env("PANEL_TEST_SEED", 9)),
        Arc::new(Mutex::new(BulkCancelClient::default())),
        Instant::now(),
    );
    let mut unanswered_count = 0;
    for round in 0..kill_count {
        let server = KillableServer::start(config, port);
        if round % 10 == 9 {
            let report = server.run_doctor();
            assert_eq!(report["healthy"], true, "after {round} kills: {report:#}");
        }
        let client_thread = std::thread::spawn({
            let client = Arc::clone(&client);
            move || cancel_until_killed(port, &client)
        });
        std::thread::sleep(Duration::from_micros(
            1_000 + u64::from(u16::from_le_bytes(random.bytes())) * 9 / 10,
        ));
        server.kill();
        client_thread.join().unwrap();
        unanswered_count += i64::from(client.lock().unwrap().pending_batch.is_some());
    }
    let server = KillableServer::start(config, port);
    let mut client = client.lock().unwrap();
    if let Some(batch) = client.pending_batch.take() {
        let (status, body) = BulkCancelClient::send_batch(port, batch).unwrap();
        assert_eq!(status, 200, "{body}");
        client.acknowledged_batches.push((batch, body));
    }
    for (batch, response) in client.acknowledged_batches.iter().rev().step_by(5) {
        assert_eq!(
            BulkCancelClient::send_batch(port, *batch).unwrap(),
            (200, response.clone()),
            "a repeated request with the same key must return the same response"
        );
    }
    let report = server.run_doctor();
    assert_eq!(report["healthy"], true, "{report:#}");
    server.kill();
    let batches = client.acknowledged_batches.len();
    eprintln!(
        "{kill_count} kills in {:?}: {batches} batches acknowledged, {unanswered_count} killed before a response",
        started_at.elapsed()
    );
    i64::try_from(batches).unwrap()
}
