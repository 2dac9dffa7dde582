//! The server is killed repeatedly in the middle of bulk cancels: acknowledged cancels stay, an unacknowledged one is executed
//! completely or not at all, and the client may retry it with the same idempotency key.
//!
//! `PANEL_TEST_KILLS` sets the number of kills, and the same `PANEL_TEST_SEED` repeats the times of a run.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use panel_kernel::random::Random;
use panel_platform::config::Config;
use panel_platform::db::{Db, Dialect, Source, Sql};
use serde_json::{Value, json};

use crate::model::number_from_env;
use crate::panel::Panel;
use crate::shop::fill;

both! {
    acknowledged_cancels_survive_kills;
}

const ORDERS: i64 = 12_000;
/// The number of orders in one bulk cancel.
const ORDERS_PER_BATCH: i64 = 25;

/// A running `panel-server` process.
pub(crate) struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start(config: &Config, port: u16) -> Self {
        Self::start_with(config, port, &[])
    }

    /// Starts the server with additional environment variables and waits until it is ready.
    pub(crate) fn start_with(config: &Config, port: u16, environment: &[(&str, &str)]) -> Self {
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
        let started = Instant::now();
        while call(port, "GET", "/readyz", "", "").map_or(0, |answer| answer.0) != 200 {
            assert!(started.elapsed() < Duration::from_secs(20), "the server did not start");
            std::thread::sleep(Duration::from_millis(5));
        }
        server
    }

    /// The process id, for the files in `/proc`.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// A line of `/proc/PID/status` in bytes, such as `VmRSS:` (resident memory) or `VmHWM:` (its peak).
    pub(crate) fn memory(&self, line: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let value = status.lines().find_map(|text| text.strip_prefix(line)).unwrap();
        value.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
    }

    /// Resets `VmHWM` to the current resident memory.
    pub(crate) fn reset_peak_memory(&self) {
        std::fs::write(format!("/proc/{}/clear_refs", self.id()), "5").unwrap();
    }

    /// Whether the process still runs.
    pub(crate) fn is_alive(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    pub(crate) fn kill(self) {
        drop(self);
    }

    fn doctor(&self) -> Value {
        let (status, body) = call(self.port, "GET", "/api/v1/admin/system/doctor", "", "").unwrap();
        assert_eq!(status, 200, "{body}");
        serde_json::from_str::<Value>(&body).unwrap()["data"].clone()
    }
}

/// Kills the process at the end of a test, also of a failed one.
impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Sends a request on a new connection. The result is an error when the server is killed before the whole answer has arrived.
fn call(port: u16, method: &str, path: &str, key: &str, body: &str) -> io::Result<(u16, String)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
    let key = if key.is_empty() { String::new() } else { format!("Idempotency-Key: {key}\r\n") };
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer owner\r\nConnection: close\r\n{key}"
    );
    let length = body.len();
    write!(stream, "{head}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let connection_lost = || io::Error::from(io::ErrorKind::UnexpectedEof);
    let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(connection_lost)?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(connection_lost)?;
    let content_length = head
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse::<usize>().ok());
    if content_length.is_some_and(|content_length| content_length != body.len()) {
        return Err(connection_lost());
    }
    Ok((status, body.to_owned()))
}

/// The state of a client that keeps the key and the body of a request until it has the answer.
#[derive(Default)]
struct ClientState {
    batches: i64,
    pending: Option<i64>,
    acknowledged: Vec<(i64, String)>,
}

impl ClientState {
    fn body(batch: i64) -> String {
        let ids: Vec<i64> =
            (batch * ORDERS_PER_BATCH + 1..=batch * ORDERS_PER_BATCH + ORDERS_PER_BATCH).collect();
        json!({ "order_ids": ids, "return_money": true, "send_email_notification": false }).to_string()
    }

    fn send(port: u16, batch: i64) -> io::Result<(u16, String)> {
        call(port, "POST", "/api/v1/admin/orders/cancel", &format!("batch-{batch}"), &Self::body(batch))
    }
}

/// Cancels one batch after the other until the server is killed.
fn cancel_until_killed(port: u16, client: &Mutex<ClientState>) {
    loop {
        let batch = {
            let mut client = client.lock().unwrap();
            let next_batch = client.batches;
            if client.pending.is_none() && next_batch * ORDERS_PER_BATCH < ORDERS {
                client.pending = Some(next_batch);
                client.batches += 1;
            }
            client.pending
        };
        let Some(batch) = batch else { return };
        let Ok((status, body)) = ClientState::send(port, batch) else { return };
        assert_eq!(status, 200, "{body}");
        let mut client = client.lock().unwrap();
        client.pending = None;
        client.acknowledged.push((batch, body));
    }
}

pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A panel with orders whose owner's session never expires by the system clock. No process has its database open.
async fn closed_panel(dialect: Dialect) -> (Panel, Config) {
    let panel = Panel::on(dialect).await;
    fill(&panel.app.db, 40, ORDERS).await;
    let extend_sessions =
        "UPDATE sessions SET expires_at = 4102444800000000, last_used_at = 4102444800000000";
    panel.execute(Sql::new(extend_sessions)).await;
    panel.app.db.close().await;
    let config = panel.app.config.clone();
    (panel, config)
}

async fn acknowledged_cancels_survive_kills(dialect: Dialect) {
    let (panel, config) = closed_panel(dialect).await;
    let final_config = config.clone();
    let acknowledged = tokio::task::spawn_blocking(move || kill_repeatedly(&config)).await.unwrap();
    let db = Db::connect(&final_config.database()).await.unwrap();
    let sql = "SELECT id FROM orders WHERE status = 'canceled' AND refunded = cost ORDER BY id";
    let canceled: Vec<(i64,)> = (&mut &db).fetch_all(Sql::new(sql)).await.unwrap();
    assert_eq!(
        i64::try_from(canceled.len()).unwrap(),
        acknowledged * ORDERS_PER_BATCH,
        "a batch is canceled completely or not at all"
    );
    db.close().await;
    drop(panel);
}

/// Returns the number of acknowledged batches.
fn kill_repeatedly(config: &Config) -> i64 {
    let (kills, port) = (number_from_env("PANEL_TEST_KILLS", 30), free_port());
    let (random, client, started) = (
        Random::seeded(number_from_env("PANEL_TEST_SEED", 9)),
        Arc::new(Mutex::new(ClientState::default())),
        Instant::now(),
    );
    let mut unanswered = 0;
    for round in 0..kills {
        let server = Server::start(config, port);
        if round % 10 == 9 {
            let report = server.doctor();
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
        unanswered += i64::from(client.lock().unwrap().pending.is_some());
    }
    let server = Server::start(config, port);
    let mut client = client.lock().unwrap();
    if let Some(batch) = client.pending.take() {
        let (status, body) = ClientState::send(port, batch).unwrap();
        assert_eq!(status, 200, "{body}");
        client.acknowledged.push((batch, body));
    }
    for (batch, answer) in client.acknowledged.iter().rev().step_by(5) {
        assert_eq!(
            ClientState::send(port, *batch).unwrap(),
            (200, answer.clone()),
            "the same key returns the same answer"
        );
    }
    let report = server.doctor();
    assert_eq!(report["healthy"], true, "{report:#}");
    server.kill();
    let batches = client.acknowledged.len();
    eprintln!(
        "{kills} kills in {:?}: {batches} batches acknowledged, {unanswered} killed before an answer",
        started.elapsed()
    );
    i64::try_from(batches).unwrap()
}
