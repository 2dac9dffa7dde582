//! What uploads take of the running program's memory: hostile images four at a time, measured by the kernel
//! (`VmHWM`, the most that was resident) above what the program has after one small image of each kind.
//!
//! `PANEL_TEST_MEMORY=1` prints each kind.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use panel_platform::config::Config;
use panel_platform::db::{Dialect, Sql};
use reqwest::multipart::{Form, Part};

use crate::hostile_images::{Hostile, all, harmless};
use crate::kill::{Server, free_port};
use crate::panel::Panel;
use crate::served::client;

/// The most that uploads may take.
const MOST_BYTES: u64 = 50_000_000;
/// The most where photos as large as the limits allow are among them: their decoder holds three bytes for each of 12
/// million pixels.
const MOST_BYTES_OF_PHOTOS: u64 = 70_000_000;
/// The series of all files.
const MIXED: &str = "all of them";
/// Uploads at the same time.
const AT_ONCE: usize = 4;
/// Rounds of the mixed series, each in another order.
const ROUNDS: usize = 1;

/// The program, and what is sent to it.
struct Target {
    server: Server,
    port: u16,
    sent: AtomicUsize,
}

impl Target {
    /// Sends an image as the icon of a new label, as a browser does or as JSON; the status.
    async fn send(&self, name: &str, bytes: &[u8], is_json: bool) -> u16 {
        let count = self.sent.fetch_add(1, Ordering::SeqCst);
        let label = format!("Label {count}");
        let address = format!("http://127.0.0.1:{}/api/v1/admin/services/labels", self.port);
        let request = client().post(address).bearer_auth("owner");
        let request = if is_json {
            let icon = panel_contract::upload::data_url(bytes);
            request.json(&serde_json::json!({ "name": label, "icon": icon }))
        } else {
            let file = Part::bytes(bytes.to_vec()).file_name("file");
            request.multipart(Form::new().text("name", label).part("icon", file))
        };
        let answer = request.send().await.unwrap_or_else(|error| panic!("{name}: {error}"));
        answer.status().as_u16()
    }
}

/// Sends all of them, so many at once; the statuses.
async fn send_all(target: &Arc<Target>, uploads: Vec<(Arc<Hostile>, bool)>) -> BTreeSet<u16> {
    let uploads = Arc::new(std::sync::Mutex::new(uploads));
    let senders: Vec<_> = (0..AT_ONCE)
        .map(|_| {
            let (target, uploads) = (Arc::clone(target), Arc::clone(&uploads));
            tokio::spawn(async move {
                let mut statuses = BTreeSet::new();
                loop {
                    let next = uploads.lock().unwrap().pop();
                    let Some((file, is_json)) = next else { return statuses };
                    statuses.insert(target.send(file.0, &file.1, is_json).await);
                }
            })
        })
        .collect();
    let mut statuses = BTreeSet::new();
    for sender in senders {
        statuses.extend(sender.await.unwrap());
    }
    statuses
}

async fn started(dialect: Dialect) -> (Panel, Arc<Target>) {
    let panel = Panel::on(dialect).await;
    let forever = "UPDATE sessions SET expires_at = 4102444800000000, last_used_at = 4102444800000000";
    panel.exec(Sql::new(forever)).await;
    panel.app.db.close().await;
    let config: Config = panel.app.config.clone();
    let port = free_port();
    let server = Server::start_with(&config, port, &[]);
    (panel, Arc::new(Target { server, port, sent: AtomicUsize::new(0) }))
}

fn in_an_order(files: &[Arc<Hostile>], round: usize) -> Vec<(Arc<Hostile>, bool)> {
    let twice = files.len() * 2;
    // Steps that meet each place once: 11 and 13 divide no number of them.
    let step = [11, 13][round % 2];
    assert!(!twice.is_multiple_of(step), "{twice} uploads");
    (0..twice).map(|at| at * step % twice).map(|at| (Arc::clone(&files[at / 2]), at % 2 == 0)).collect()
}

/// No database is part of it, so one is enough.
#[tokio::test]
async fn images_take_little_memory() {
    let (_panel, target) = started(Dialect::Sqlite).await;
    for _ in 0..AT_ONCE {
        for (name, bytes) in harmless() {
            for is_json in [true, false] {
                assert_eq!(target.send(name, &bytes, is_json).await, 200, "{name}");
            }
        }
    }
    let idle = target.server.memory("VmRSS:");
    let files: Vec<_> = all().into_iter().map(Arc::new).collect();
    let says = std::env::var_os("PANEL_TEST_MEMORY").is_some();
    let mut peaks = Vec::new();
    for file in &files {
        target.server.forget_the_peak();
        let statuses = send_all(&target, vec![(Arc::clone(file), false); AT_ONCE]).await;
        assert!(statuses.is_subset(&[200, 422].into()), "{}: {statuses:?}", file.0);
        peaks.push((file.0, target.server.memory("VmHWM:").saturating_sub(idle), statuses));
    }
    for round in 0..ROUNDS {
        target.server.forget_the_peak();
        let statuses = send_all(&target, in_an_order(&files, round)).await;
        peaks.push((MIXED, target.server.memory("VmHWM:").saturating_sub(idle), statuses));
    }
    for (name, peak, statuses) in &peaks {
        if says {
            eprintln!("{name}: {} kB above {} kB, {statuses:?}", peak / 1000, idle / 1000);
        }
    }
    let most = |name: &str| match name == MIXED || name.starts_with("jpeg") {
        true => MOST_BYTES_OF_PHOTOS,
        false => MOST_BYTES,
    };
    let above: Vec<_> = peaks.iter().filter(|(name, peak, _)| *peak > most(name)).collect();
    assert!(above.is_empty(), "idle is {idle} bytes: {above:?}");
}
