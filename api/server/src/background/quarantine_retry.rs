//! `panel-server retry-claimed`: a process that works on suspected records, one at a time. It serves no requests,
//! runs no poller by itself, and is not counted among the panel's processes. The server that started it writes the records to
//! its standard input and reads each outcome from its standard output. A record that crashes this process crashes no server.
//!
//! The first line of the input is the server's whole configuration, so that no secret is on a command line and both processes
//! use the same database. Each further line is a [`Suspect`]. Standard output has `READY`, then for each record one line:
//! `PROCESSED` or `POSTPONED`.

use std::io::{BufRead as _, Write as _};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::mpsc as std_mpsc;
use std::time::Duration;

use futures_util::FutureExt as _;
use panel_contract::quarantine::Poller as QuarantineKind;
use panel_kernel::clock::SystemClock;
use panel_kernel::error::Result as PanelResult;
use panel_kernel::random::Random;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

use crate::app::App;
use crate::background::worker;
use crate::start::logs;
use crate::stores::placement_attempts::reconciling;
use panel_platform::config::Config;
use panel_platform::quarantine::store::{self, Suspect};

/// The process is ready for records.
pub(super) const READY: &str = "ready";
/// The record was processed, with any outcome.
pub(super) const PROCESSED: &str = "worked";
/// The record could not be processed now.
pub(super) const POSTPONED: &str = "later";
/// Time after which this process aborts itself while it works on a record. Longer than a server waits, for the case that the
/// server is gone.
const ABORT_AFTER: Duration = Duration::from_secs(105);
/// Database connections that one record at a time needs.
const CONNECTIONS: u32 = 4;

/// Processes records until the input ends.
pub async fn run() -> Result<(), String> {
    let mut lines = read_stdin_lines();
    let config = lines
        .recv()
        .await
        .ok_or("only the server starts retry-claimed; it writes the records to its standard input")?;
    let mut config: Config = serde_json::from_str(&config).map_err(|error| error.to_string())?;
    config.database_connections = CONNECTIONS.min(config.database_connections);
    logs::init(&config)?;
    // Held until the end, so that a stop signal to the whole process group does not end this process and count as a crash by the
    // record.
    let _signals = register_ignored_signals().map_err(|error| error.to_string())?;
    prefer_for_oom_kill();
    let app = App::start(config, Arc::new(SystemClock), Random::system()).await?;
    app.quarantine.restrict_to(None);
    write_line(READY)?;
    while let Some(line) = lines.recv().await {
        let suspect: Suspect = serde_json::from_str(&line).map_err(|error| error.to_string())?;
        write_line(process_alone(&app, &suspect).await)?;
    }
    app.db.close().await;
    Ok(())
}

/// Lines of standard input, read in a separate thread.
fn read_stdin_lines() -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel(1);
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.blocking_send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

fn write_line(line: &str) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|error| error.to_string())
}

fn register_ignored_signals() -> std::io::Result<[Signal; 3]> {
    Ok([signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?, signal(SignalKind::hangup())?])
}

/// If memory runs out, the kernel should kill this process and not the server.
fn prefer_for_oom_kill() {
    // Not every system has this file, and the process works without it.
    drop(std::fs::write("/proc/self/oom_score_adj", "1000"));
}

/// Processes one record, and returns [`PROCESSED`] or [`POSTPONED`].
async fn process_alone(app: &App, suspect: &Suspect) -> &'static str {
    let _abort_guard = abort_after(ABORT_AFTER);
    app.quarantine.restrict_to(Some((suspect.poller, suspect.record_id)));
    let result = AssertUnwindSafe(process_record(app, suspect)).catch_unwind().await;
    app.quarantine.restrict_to(None);
    match result {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            tracing::warn!(?error, poller = %suspect.poller, record_id = suspect.record_id.get(), "work on a record alone failed");
        }
        Err(_) => {
            tracing::error!(poller = %suspect.poller, record_id = suspect.record_id.get(), "work on a record alone panicked");
        }
    }
    // If the database does not answer, the record counts as still due.
    let is_due = store::is_due(app, suspect).await.unwrap_or(true);
    if !is_due && store::clear(app, suspect).await.is_ok() { PROCESSED } else { POSTPONED }
}

/// Aborts this process after `limit` unless the returned sender is dropped before, even if the work never yields.
fn abort_after(limit: Duration) -> std_mpsc::Sender<()> {
    let (guard, is_done) = std_mpsc::channel::<()>();
    std::thread::spawn(move || {
        if is_done.recv_timeout(limit) == Err(std_mpsc::RecvTimeoutError::Timeout) {
            std::process::abort();
        }
    });
    guard
}

async fn process_record(app: &App, suspect: &Suspect) -> PanelResult<()> {
    if suspect.poller == QuarantineKind::ExternalOrder {
        // Sending the attempt was interrupted, and its lease is longer than usual.
        reconciling::reconcile_now(&mut &app.db, suspect.record_id.typed_as(), app.clock.now())
            .await?
            .ignore_superseded();
    }
    poll_once(app, suspect.poller).await.map(drop)
}

/// Runs one poll of the pollers of this kind, and returns how many records they claimed or checked.
pub async fn poll_once(app: &App, kind: QuarantineKind) -> PanelResult<usize> {
    worker::workers(app).poll_once(app, kind).await
}
