//! Memory of the server during uploads of hostile images, four at a time. The test compares the peak that the kernel reports
//! (`VmHWM`, resident memory) with the memory after one small image of each kind.
//!
//! `PANEL_TEST_MEMORY=1` prints the peak of each kind.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use panel_platform::config::Config;
use panel_platform::db::{Dialect, Sql};
use reqwest::multipart::{Form, Part};

use crate::hostile_images::{NamedImage, harmless_images, hostile_images};
use crate::kill::{KillableServer, free_port};
use crate::panel::Panel;
use crate::test_server::client;

/// The most additional memory during uploads.
const MAX_BYTES: u64 = 50_000_000;
/// The most additional memory during uploads of the largest allowed photos: their decoder holds three bytes for each of 12
/// million pixels.
const MAX_BYTES_WITH_PHOTOS: u64 = 70_000_000;
/// The name of the series with all files.
const ALL_FILES: &str = "all of them";
/// The number of concurrent uploads.
const CONCURRENT_UPLOADS: usize = 4;
/// The number of runs of the series with all files, each in a different order.
const ALL_FILES_RUNS: usize = 1;

/// The running server and the number of uploads so far.
struct UploadTarget {
    server: KillableServer,
    port: u16,
    upload_count: AtomicUsize,
}

impl UploadTarget {
    /// Uploads an image as the icon of a new label, as a multipart form or as JSON. Returns the status.
    async fn send(&self, name: &str, bytes: &[u8], is_json: bool) -> u16 {
        let count = self.upload_count.fetch_add(1, Ordering::SeqCst);
        let label = format!("Label {count}");
        let url = format!("http://127.0.0.1:{}/api/v1/admin/services/labels", self.port);
        let request = client().post(url).bearer_auth("owner");
        let request = if is_json {
            let icon = panel_contract::upload::to_data_url(bytes);
            request.json(&serde_json::json!({ "name": label, "icon": icon }))
        } else {
            let file = Part::bytes(bytes.to_vec()).file_name("file");
            request.multipart(Form::new().text("name", label).part("icon", file))
        };
        let response = request.send().await.unwrap_or_else(|error| panic!("{name}: {error}"));
        response.status().as_u16()
    }
}

/// Sends all uploads concurrently. Returns the distinct statuses.
async fn send_all(target: &Arc<UploadTarget>, uploads: Vec<(Arc<NamedImage>, bool)>) -> BTreeSet<u16> {
    let uploads = Arc::new(std::sync::Mutex::new(uploads));
    let senders: Vec<_> = (0..CONCURRENT_UPLOADS)
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

async fn start_target(dialect: Dialect) -> (Panel, Arc<UploadTarget>) {
    let panel = Panel::start(dialect).await;
    let update_long_session_sql =
        "UPDATE sessions SET expires_at = 4102444800000000, last_used_at = 4102444800000000";
    panel.execute(Sql::new(update_long_session_sql)).await;
    panel.app.db.close().await;
    let config: Config = panel.app.config.clone();
    let port = free_port();
    let server = KillableServer::start_with_environment(&config, port, &[]);
    (panel, Arc::new(UploadTarget { server, port, upload_count: AtomicUsize::new(0) }))
}

fn shuffled_uploads(files: &[Arc<NamedImage>], round: usize) -> Vec<(Arc<NamedImage>, bool)> {
    let total = files.len() * 2;
    // A step that does not divide the number of uploads visits each of them once.
    let step = [11, 13][round % 2];
    assert!(!total.is_multiple_of(step), "{total} uploads");
    (0..total)
        .map(|index| index * step % total)
        .map(|index| (Arc::clone(&files[index / 2]), index % 2 == 0))
        .collect()
}

/// The database does not matter here, so the test runs on one only.
#[tokio::test]
async fn hostile_images_need_little_memory() {
    let (_panel, target) = start_target(Dialect::Sqlite).await;
    for _ in 0..CONCURRENT_UPLOADS {
        for (name, bytes) in harmless_images() {
            for is_json in [true, false] {
                assert_eq!(target.send(name, &bytes, is_json).await, 200, "{name}");
            }
        }
    }
    let idle_bytes = target.server.memory_bytes("VmRSS:");
    let files: Vec<_> = hostile_images().into_iter().map(Arc::new).collect();
    let prints_peaks = std::env::var_os("PANEL_TEST_MEMORY").is_some();
    let mut peaks = Vec::new();
    for file in &files {
        target.server.reset_peak_memory();
        let statuses = send_all(&target, vec![(Arc::clone(file), false); CONCURRENT_UPLOADS]).await;
        assert!(statuses.is_subset(&[200, 422].into()), "{}: {statuses:?}", file.0);
        peaks.push((file.0, target.server.memory_bytes("VmHWM:").saturating_sub(idle_bytes), statuses));
    }
    for round in 0..ALL_FILES_RUNS {
        target.server.reset_peak_memory();
        let statuses = send_all(&target, shuffled_uploads(&files, round)).await;
        peaks.push((ALL_FILES, target.server.memory_bytes("VmHWM:").saturating_sub(idle_bytes), statuses));
    }
    for (name, peak, statuses) in &peaks {
        if prints_peaks {
            eprintln!("{name}: {} kB above {} kB, {statuses:?}", peak / 1000, idle_bytes / 1000);
        }
    }
    let max_bytes = |name: &str| match name == ALL_FILES || name.starts_with("jpeg") {
        true => MAX_BYTES_WITH_PHOTOS,
        false => MAX_BYTES,
    };
    let too_high: Vec<_> = peaks.iter().filter(|(name, peak, _)| *peak > max_bytes(name)).collect();
    assert!(too_high.is_empty(), "idle memory is {idle_bytes} bytes: {too_high:?}");
}
