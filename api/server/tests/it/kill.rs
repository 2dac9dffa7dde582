//! The program is killed in the middle of bulk cancels, again and again: what was acknowledged stays, what was not is
//! done whole or not at all, and its key may be tried again.
//!
//! `PANEL_TEST_KILLS` raises the number of kills, `PANEL_TEST_SEED` repeats a run.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use panel_kernel::random::Random;
use panel_platform::config::Config;
use panel_platform::db::{Db, Dialect, Source, Sql};
use serde_json::{Value, json};

use crate::model::number_of;
use crate::panel::Panel;
use crate::shop::fill;

both! {
    nothing_acknowledged_is_lost;
}

const ORDERS: i64 = 12_000;
/// Orders in one bulk cancel.
const LOT: i64 = 25;

/// One run of the program.
pub(crate) struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start(config: &Config, port: u16) -> Self {
        Self::start_with(config, port, &[])
    }

    /// Starts it with more of the configuration and waits until it is ready.
    pub(crate) fn start_with(config: &Config, port: u16, more: &[(&str, &str)]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_panel-server"));
        // Nothing of the surroundings: variables of the tests are not configuration.
        command
            .env_clear()
            .current_dir(&config.data_dir)
            .env("PANEL_DATA_DIR", &config.data_dir)
            .env("PANEL_LISTEN", format!("127.0.0.1:{port}"))
            .env("PANEL_LIMITS__REQUESTS_PER_MINUTE", "1000000")
            .env("PANEL_DATABASE_CONNECTIONS", "4")
            .envs(more.iter().copied())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if let Some(url) = &config.database_url {
            command.env("PANEL_DATABASE_URL", url);
        }
        let server = Self { child: command.spawn().unwrap(), port };
        let began = Instant::now();
        while call(port, "GET", "/readyz", "", "").map_or(0, |answer| answer.0) != 200 {
            assert!(began.elapsed() < Duration::from_secs(20), "the server did not start");
            std::thread::sleep(Duration::from_millis(5));
        }
        server
    }

    /// The process id, to read what the kernel says of the program.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// A line of the kernel's report on the program, such as `VmRSS:` and `VmHWM:` (the most that was resident), in bytes.
    pub(crate) fn memory(&self, line: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let found = status.lines().find_map(|found| found.strip_prefix(line)).unwrap();
        found.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
    }

    /// From now on `VmHWM` is the most that is resident from now on.
    pub(crate) fn forget_the_peak(&self) {
        std::fs::write(format!("/proc/{}/clear_refs", self.id()), "5").unwrap();
    }

    /// Whether it did not end by itself.
    pub(crate) fn lives(&mut self) -> bool {
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

/// A test that ends, or fails, leaves no program behind.
impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// One request on a connection of its own; an error when the server went away.
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
    let gone = || io::Error::from(io::ErrorKind::UnexpectedEof);
    let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(gone)?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(gone)?;
    let promised = head
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse::<usize>().ok());
    if promised.is_some_and(|promised| promised != body.len()) {
        return Err(gone());
    }
    Ok((status, body.to_owned()))
}

/// What the client knows: as a careful client, it keeps key and body until there is an answer.
#[derive(Default)]
struct Book {
    lots: i64,
    pending: Option<i64>,
    acknowledged: Vec<(i64, String)>,
}

impl Book {
    fn body(lot: i64) -> String {
        let ids: Vec<i64> = (lot * LOT + 1..=lot * LOT + LOT).collect();
        json!({ "order_ids": ids, "return_money": true, "send_email_notification": false }).to_string()
    }

    fn send(port: u16, lot: i64) -> io::Result<(u16, String)> {
        call(port, "POST", "/api/v1/admin/orders/cancel", &format!("lot-{lot}"), &Self::body(lot))
    }
}

/// Cancels lot after lot until the server is gone.
fn cancel_until_killed(port: u16, book: &Mutex<Book>) {
    loop {
        let lot = {
            let mut book = book.lock().unwrap();
            let next = book.lots;
            if book.pending.is_none() && next * LOT < ORDERS {
                book.pending = Some(next);
                book.lots += 1;
            }
            book.pending
        };
        let Some(lot) = lot else { return };
        let Ok((status, body)) = Book::send(port, lot) else { return };
        assert_eq!(status, 200, "{body}");
        let mut book = book.lock().unwrap();
        book.pending = None;
        book.acknowledged.push((lot, body));
    }
}

pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A filled panel whose owner may sign in regardless of the real time; no other process has it open.
async fn prepared(dialect: Dialect) -> (Panel, Config) {
    let panel = Panel::on(dialect).await;
    fill(&panel.app.db, 40, ORDERS).await;
    let forever = "UPDATE sessions SET expires_at = 4102444800000000, last_used_at = 4102444800000000";
    panel.exec(Sql::new(forever)).await;
    panel.app.db.close().await;
    let config = panel.app.config.clone();
    (panel, config)
}

async fn nothing_acknowledged_is_lost(dialect: Dialect) {
    let (panel, config) = prepared(dialect).await;
    let config_of_end = config.clone();
    let acknowledged = tokio::task::spawn_blocking(move || kill_again_and_again(&config)).await.unwrap();
    let db = Db::connect(&config_of_end.database()).await.unwrap();
    let sql = "SELECT id FROM orders WHERE status = 'canceled' AND refunded = cost ORDER BY id";
    let canceled: Vec<(i64,)> = (&mut &db).all(Sql::new(sql)).await.unwrap();
    assert_eq!(i64::try_from(canceled.len()).unwrap(), acknowledged * LOT, "done whole or not at all");
    db.close().await;
    drop(panel);
}

/// Answers how many lots were acknowledged in the end.
fn kill_again_and_again(config: &Config) -> i64 {
    let (kills, port) = (number_of("PANEL_TEST_KILLS", 30), free_port());
    let (random, book, began) = (
        Random::seeded(number_of("PANEL_TEST_SEED", 9)),
        Arc::new(Mutex::new(Book::default())),
        Instant::now(),
    );
    let mut unanswered = 0;
    for round in 0..kills {
        let server = Server::start(config, port);
        if round % 10 == 9 {
            let report = server.doctor();
            assert_eq!(report["healthy"], true, "after {round} kills: {report:#}");
        }
        let canceling = std::thread::spawn({
            let book = Arc::clone(&book);
            move || cancel_until_killed(port, &book)
        });
        std::thread::sleep(Duration::from_micros(
            1_000 + u64::from(u16::from_le_bytes(random.bytes())) * 9 / 10,
        ));
        server.kill();
        canceling.join().unwrap();
        unanswered += i64::from(book.lock().unwrap().pending.is_some());
    }
    let server = Server::start(config, port);
    let mut book = book.lock().unwrap();
    if let Some(lot) = book.pending.take() {
        let (status, body) = Book::send(port, lot).unwrap();
        assert_eq!(status, 200, "{body}");
        book.acknowledged.push((lot, body));
    }
    for (lot, answer) in book.acknowledged.iter().rev().step_by(5) {
        assert_eq!(Book::send(port, *lot).unwrap(), (200, answer.clone()), "the same key answers the same");
    }
    let report = server.doctor();
    assert_eq!(report["healthy"], true, "{report:#}");
    server.kill();
    let lots = book.acknowledged.len();
    eprintln!(
        "{kills} kills in {:?}: {lots} lots acknowledged, {unanswered} killed before an answer",
        began.elapsed()
    );
    i64::try_from(lots).unwrap()
}
