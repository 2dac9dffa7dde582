//! `panel-server retry-claimed`: the retry process, which processes suspected records one at a time. A suspected record may have
//! crashed a server; if it crashes this process, no server is affected. The process serves no requests, runs no pollers on its own,
//! and does not count as a process of the panel.
//!
//! The server that starts the process writes the records to its standard input and reads the outcomes from its standard output. The
//! first line of the input is the server's configuration, so that the command line contains no secret and both processes use the
//! same database. Each further line is a [`Suspect`]. The output is the line `READY`, then one line for each record:
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

/// The process can receive records.
pub(super) const READY: &str = "ready";
/// The process has finished the record, successfully or with an error.
pub(super) const PROCESSED: &str = "worked";
/// The process could not process the record now.
pub(super) const POSTPONED: &str = "later";
/// If one record takes longer, this process aborts itself. Normally the shorter timeout of the server ends the process first; this
/// one works without the server.
const ABORT_AFTER: Duration = Duration::from_secs(105);
/// Number of database connections, enough for one record at a time.
const MAX_CONNECTIONS: u32 = 4;

/// Processes records until the input ends.
pub async fn run() -> Result<(), String> {
    let mut input_lines = read_stdin_lines();
    let config_json = input_lines
        .recv()
        .await
        .ok_or("only the server may run retry-claimed; it writes the records to standard input")?;
    let mut config: Config = serde_json::from_str(&config_json).map_err(|error| error.to_string())?;
    config.database_connections = MAX_CONNECTIONS.min(config.database_connections);
    logs::init(&config)?;
    // A stop signal to the whole process group must not end this process, because that would count as a crash by the record. The
    // handlers are registered until the end of the function.
    let _signal_handlers = register_ignored_signals().map_err(|error| error.to_string())?;
    prefer_for_oom_kill();
    let app = App::start(config, Arc::new(SystemClock), Random::system()).await?;
    app.quarantine.restrict_claims_to(None);
    write_line(READY)?;
    while let Some(line) = input_lines.recv().await {
        let suspect: Suspect = serde_json::from_str(&line).map_err(|error| error.to_string())?;
        write_line(process_alone(&app, &suspect).await)?;
    }
    app.db.close().await;
    Ok(())
}

/// Reads the lines of standard input in a separate thread.
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

/// Makes the kernel kill this process instead of the server if the memory is exhausted.
fn prefer_for_oom_kill() {
    // An error does not matter: not every system has this file.
    drop(std::fs::write("/proc/self/oom_score_adj", "1000"));
}

/// Processes one record, and returns [`PROCESSED`] or [`POSTPONED`].
async fn process_alone(app: &App, suspect: &Suspect) -> &'static str {
    let _abort_guard = abort_after(ABORT_AFTER);
    app.quarantine.restrict_claims_to(Some((suspect.poller, suspect.record_id)));
    let result = AssertUnwindSafe(process_record(app, suspect)).catch_unwind().await;
    app.quarantine.restrict_claims_to(None);
    match result {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            tracing::warn!(?error, poller = %suspect.poller, record_id = suspect.record_id.get(), "failed to process a suspected record");
        }
        Err(_) => {
            tracing::error!(poller = %suspect.poller, record_id = suspect.record_id.get(), "panicked while processing a suspected record");
        }
    }
    // If the database does not respond, the record counts as still due.
    let is_due = store::is_due(app, suspect).await.unwrap_or(true);
    if !is_due && store::clear(app, suspect).await.is_ok() { PROCESSED } else { POSTPONED }
}

/// Aborts this process after `limit` unless the caller drops the returned sender before, even if the work never yields.
fn abort_after(limit: Duration) -> std_mpsc::Sender<()> {
    let (guard, guard_dropped) = std_mpsc::channel::<()>();
    std::thread::spawn(move || {
        if guard_dropped.recv_timeout(limit) == Err(std_mpsc::RecvTimeoutError::Timeout) {
            std::process::abort();
        }
    });
    guard
}

async fn process_record(app: &App, suspect: &Suspect) -> PanelResult<()> {
    if suspect.poller == QuarantineKind::ExternalOrder {
        // The crash interrupted the request of this placement attempt. Its lease is longer than usual, so do not wait for its end.
        reconciling::reconcile_now(&mut &app.db, suspect.record_id.typed_as(), app.clock.now())
            .await?
            .ignore_superseded();
    }
    poll_once(app, suspect.poller).await.map(drop)
}

/// Runs the pollers of this kind once, and returns how many records they claimed or checked.
pub async fn poll_once(app: &App, kind: QuarantineKind) -> PanelResult<usize> {
    worker::workers(app).poll_once(app, kind).await
}
