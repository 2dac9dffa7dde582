//! The real program, ended by what an external panel answers about one order: the server dies once, the record is tried by
//! a process of its own, and every later start lives.
//!
//! Between two starts the test lets five minutes pass in the database: leases are over and the dead process is long unseen.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header;
use panel_demo::panel::world::OrderBehavior;
use panel_platform::db::{Dialect, Source as _, Sql};

use crate::panel::Panel;
use crate::served::client;
use crate::supplied::{KEY, Supplied};

both! {
    a_record_that_ends_its_process_does_so_twice_and_no_more;
    what_was_cut_off_while_it_was_sent_is_sent_once;
}

/// Longest wait for something that the program does.
const LONGEST: Duration = Duration::from_secs(60);

/// What makes a call deadly, and for whom.
#[derive(Clone, Default)]
struct Killer {
    /// A link or an id that the call names.
    poison: Arc<Mutex<Option<String>>>,
    server: Arc<Mutex<u32>>,
    panel: String,
}

impl Killer {
    /// Listens before a panel, and hands its calls on; its address.
    async fn start(panel: &str) -> (Self, String) {
        let killer = Self { panel: panel.to_owned(), ..Self::default() };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/api/v2", listener.local_addr().unwrap());
        let router = Router::new().fallback(answer).with_state(killer.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        (killer, address)
    }

    fn poison(&self, word: Option<String>) {
        *self.poison.lock().unwrap() = word;
    }

    fn is_deadly(&self, body: &[u8]) -> bool {
        let fields: Vec<(String, String)> = serde_html_form::from_bytes(body).unwrap_or_default();
        let poison = self.poison.lock().unwrap();
        let Some(word) = poison.as_ref() else { return false };
        let names = ["link", "order", "orders"];
        fields
            .iter()
            .any(|(field, said)| names.contains(&field.as_str()) && said.split(',').any(|one| one == word))
    }

    /// Ends the process that works on a record alone, or the server where there is none.
    fn kill(&self) {
        let server = *self.server.lock().unwrap();
        let asking = child_of(server).unwrap_or(server);
        assert!(Command::new("kill").args(["-KILL", &asking.to_string()]).status().unwrap().success());
    }
}

async fn answer(
    State(killer): State<Killer>,
    body: Bytes,
) -> ([(header::HeaderName, &'static str); 1], String) {
    if killer.is_deadly(&body) {
        killer.kill();
        std::future::pending::<()>().await;
    }
    let call =
        client().post(&killer.panel).header("content-type", "application/x-www-form-urlencoded").body(body);
    let said = call.send().await.unwrap().text().await.unwrap();
    ([(header::CONTENT_TYPE, "application/json")], said)
}

/// A process that `parent` started.
fn child_of(parent: u32) -> Option<u32> {
    let line = format!("PPid:\t{parent}");
    std::fs::read_dir("/proc").unwrap().find_map(|entry| {
        let id: u32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
        status.lines().any(|found| found == line).then_some(id)
    })
}

/// A shop whose orders a deadly panel has, and the program that serves it.
struct Served {
    shop: Supplied,
    killer: Killer,
    log: PathBuf,
    server: Option<Child>,
    port: u16,
}

impl Served {
    async fn on(dialect: Dialect) -> Self {
        let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
        let (killer, address) = Killer::start(&shop.theirs[0].url).await;
        // Some real time: the program reads the machine's clock.
        let forever = "UPDATE sessions SET expires_at = 4102444800000000, last_used_at = 4102444800000000";
        shop.ours.exec(Sql::new(forever)).await;
        shop.ours
            .exec(
                Sql::new("UPDATE external_panels SET endpoint = ?, balance_at = 4102444800000000")
                    .bind(address),
            )
            .await;
        let config = &shop.ours.app.config;
        let file = "[outbound]\nallow_http = true\nallowed_networks = [\"127.0.0.0/8\"]\n";
        std::fs::write(config.data_dir.join("panel.toml"), file).unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let log = config.data_dir.join("program.log");
        Self { shop, killer, log, server: None, port }
    }

    fn ours(&self) -> &Panel {
        &self.shop.ours
    }

    async fn start(&mut self) {
        let config = &self.ours().app.config;
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
        *self.killer.server.lock().unwrap() = server.id();
        self.server = Some(server);
    }

    /// Waits until a number of the database is so.
    async fn until(&mut self, sql: &'static str, number: i64) {
        let began = Instant::now();
        loop {
            let found = self.ours().number(Sql::new(sql)).await;
            if found == number {
                return;
            }
            assert!(began.elapsed() < LONGEST, "{sql}: {found}, not {number}\n{}", self.said());
            assert!(self.is_alive(), "the server died waiting for {sql}\n{}", self.said());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn is_alive(&mut self) -> bool {
        self.server.as_mut().is_some_and(|server| server.try_wait().unwrap().is_none())
    }

    fn said(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    /// Waits until the log contains `text`: a line is written after the transaction that it reports.
    async fn until_said(&self, text: &str) {
        let began = Instant::now();
        while !self.said().contains(text) {
            assert!(began.elapsed() < LONGEST, "the log lacks {text}\n{}", self.said());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits until the server was killed.
    async fn until_dead(&mut self) {
        let began = Instant::now();
        while self.is_alive() {
            assert!(began.elapsed() < LONGEST, "the server lives\n{}", self.said());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn kill(&mut self) {
        let mut server = self.server.take().unwrap();
        server.kill().unwrap();
        server.wait().unwrap();
    }

    /// Lets five minutes pass.
    async fn pass(&self) {
        for sql in [
            "DELETE FROM processes",
            "UPDATE claimed_batches SET claimed_at = 1",
            "UPDATE quarantine SET retry_at = 1 WHERE retry_at IS NOT NULL",
            "UPDATE external_panel_orders SET due_at = 1 WHERE due_at IS NOT NULL",
        ] {
            self.ours().exec(Sql::new(sql)).await;
        }
    }

    async fn post(&self, path: &str) -> u16 {
        let address = format!("http://127.0.0.1:{}{path}", self.port);
        let call = client().post(address).header("authorization", "Bearer owner");
        call.send().await.unwrap().status().as_u16()
    }

    /// How often the panel was asked to take each order.
    fn placed(&self) -> Vec<usize> {
        let calls = self.shop.theirs[0].calls();
        let links: Vec<&String> =
            calls.iter().filter(|call| call["action"] == "add").map(|call| &call["link"]).collect();
        (1..=6)
            .map(|n| links.iter().filter(|link| ***link == format!("https://video.example/{n}")).count())
            .collect()
    }
}

const IN_QUARANTINE: &str = "SELECT count(*) FROM quarantine";
const COMPLETED: &str = "SELECT count(*) FROM orders WHERE status = 'completed'";

async fn a_record_that_ends_its_process_does_so_twice_and_no_more(dialect: Dialect) {
    let mut served = Served::on(dialect).await;
    for n in 1..=6 {
        served.shop.order(n).await;
    }
    // Sent through the same panel, which delivers meanwhile.
    served.shop.settle().await;
    assert_eq!(served.placed(), [1; 6]);
    served.ours().clock.advance_secs(86_400);
    let sql = "SELECT external_order_id FROM external_panel_orders WHERE order_id = 4";
    let (deadly,): (String,) = (&mut &served.ours().app.db).one(Sql::new(sql)).await.unwrap();
    served.killer.poison(Some(deadly));
    served.pass().await;

    // The first death: a batch of six, one of them deadly.
    served.start().await;
    served.until_dead().await;
    let sql = "SELECT count(*) FROM claimed_batches WHERE poller = 'external_order' AND record_ids = ',1,2,3,4,5,6,'";
    assert_eq!(served.ours().number(Sql::new(sql)).await, 1);

    // The next start lives; the innocent are worked on and released, the deadly one ends the process that tries it.
    served.pass().await;
    served.start().await;
    served.until("SELECT count(*) FROM quarantine WHERE status = 'quarantined'", 1).await;
    served.until(IN_QUARANTINE, 1).await;
    served.until(COMPLETED, 5).await;
    served.until("SELECT count(*) FROM claimed_batches", 0).await;
    let found: (String, i64, i64, String) = (&mut &served.ours().app.db)
        .one(Sql::new("SELECT poller, record_id, deaths, reason FROM quarantine"))
        .await
        .unwrap();
    assert_eq!((found.0.as_str(), found.1, found.2), ("external_order", 4, 2));
    assert!(found.3.contains("signal 9"), "{}", found.3);
    served.until_said("quarantined a record").await;
    assert!(!served.said().contains(KEY), "no secret is said");

    // Three more starts live, and poll what is due.
    for _ in 0..3 {
        served.kill();
        served.pass().await;
        served.start().await;
        served
            .until("SELECT count(*) FROM external_panel_orders WHERE due_at = 1 AND order_id <> 4", 0)
            .await;
        served.until("SELECT count(*) FROM claimed_batches", 0).await;
        assert_eq!(served.ours().number(Sql::new(IN_QUARANTINE)).await, 1);
    }
    assert_eq!(served.ours().order(4).await["status"], "in_processing");

    // Once the cause is mended, a person releases it.
    served.killer.poison(None);
    let id = served.ours().number(Sql::new("SELECT id FROM quarantine")).await;
    assert_eq!(served.post(&format!("/api/v1/admin/quarantine/{id}/release")).await, 200);
    served.until(COMPLETED, 6).await;
    served.kill();
    assert_eq!(served.placed(), [1; 6], "nothing was sent twice");
    served.shop.assert_healthy().await;
}

async fn what_was_cut_off_while_it_was_sent_is_sent_once(dialect: Dialect) {
    let mut served = Served::on(dialect).await;
    // Neighbours, so that what was cut off can be found.
    served.shop.order(1).await;
    served.shop.settle().await;
    served.ours().clock.advance_secs(60);
    for n in 2..=6 {
        served.shop.order(n).await;
    }
    served.killer.poison(Some("https://video.example/4".into()));
    served.pass().await;
    served.start().await;
    served.until_dead().await;

    // Each is tried alone: what is unknown is looked for, and never sent again.
    served.killer.poison(None);
    served.pass().await;
    served.start().await;
    served.until("SELECT count(*) FROM claimed_batches", 0).await;
    served.until(IN_QUARANTINE, 0).await;
    served.kill();
    let placed = served.placed();
    assert!(placed.iter().all(|times| *times <= 1), "{placed:?}");
    assert_eq!(placed[3], 0, "it ended the server before the panel had it");
    let unknown = "SELECT count(*) FROM external_panel_orders WHERE order_id = 4 AND status = 'Creating' AND sent_at IS NOT NULL AND alert_at IS NOT NULL";
    assert_eq!(served.ours().number(Sql::new(unknown)).await, 1, "a person sees it");
    served.shop.assert_healthy().await;
}
