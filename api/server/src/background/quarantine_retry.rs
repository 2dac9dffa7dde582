//! `panel-server retry-claimed`: a process that works on suspected records, one at a time, each alone. It serves no requests,
//! runs no poller by itself, and is not counted among the panel's processes. The server that started it writes the records to
//! its standard input and reads each outcome from its standard output. A record that crashes this process crashes no server.
//!
//! The first line of the input is the server's whole configuration, so that no secret is on a command line and both processes
//! use the same database. Each further line is a [`Suspect`]. Standard output has `READY`, then one word per record.

use std::io::{BufRead as _, Write as _};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::mpsc as threads;
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
pub(super) const WORKED: &str = "worked";
/// The record could not be processed now.
pub(super) const LATER: &str = "later";
/// Time after which this process aborts itself while it works on a record. Longer than a server waits, for the case that the
/// server is gone.
const ABORT_AFTER: Duration = Duration::from_secs(105);
/// Database connections that one record at a time needs.
const CONNECTIONS: u32 = 4;

/// Processes records until the input ends.
pub async fn run() -> Result<(), String> {
    let mut lines = lines();
    let config = lines
        .recv()
        .await
        .ok_or("only the server starts retry-claimed; it writes the records to its standard input")?;
    let mut config: Config = serde_json::from_str(&config).map_err(|error| error.to_string())?;
    config.database_connections = CONNECTIONS.min(config.database_connections);
    logs::init(&config)?;
    // Held until the end: a signal to the whole process group, as at a stop, must not count as a crash by the record.
    let _signals = ignored_signals().map_err(|error| error.to_string())?;
    prefer_for_oom_kill();
    let app = App::start(config, Arc::new(SystemClock), Random::system()).await?;
    app.quarantine.only(None);
    write_word(READY)?;
    while let Some(line) = lines.recv().await {
        let suspect: Suspect = serde_json::from_str(&line).map_err(|error| error.to_string())?;
        write_word(try_alone(&app, &suspect).await)?;
    }
    app.db.close().await;
    Ok(())
}

/// Lines of standard input, read in a separate thread.
fn lines() -> mpsc::Receiver<String> {
    let (send, receive) = mpsc::channel(1);
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if send.blocking_send(line).is_err() {
                break;
            }
        }
    });
    receive
}

fn write_word(word: &str) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{word}").and_then(|()| out.flush()).map_err(|error| error.to_string())
}

fn ignored_signals() -> std::io::Result<[Signal; 3]> {
    Ok([signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?, signal(SignalKind::hangup())?])
}

/// If memory runs out, the kernel should kill this process and not the server.
fn prefer_for_oom_kill() {
    // Not every system has this file, and the process works without it.
    drop(std::fs::write("/proc/self/oom_score_adj", "1000"));
}

/// Processes one record, and returns the word for its outcome.
async fn try_alone(app: &App, suspect: &Suspect) -> &'static str {
    let _done = abort_after(ABORT_AFTER);
    app.quarantine.only(Some((suspect.poller, suspect.record_id)));
    let ended = AssertUnwindSafe(work(app, suspect)).catch_unwind().await;
    app.quarantine.only(None);
    match ended {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            tracing::warn!(?error, poller = %suspect.poller, record_id = suspect.record_id.get(), "work on a record alone failed");
        }
        Err(_) => {
            tracing::error!(poller = %suspect.poller, record_id = suspect.record_id.get(), "work on a record alone panicked");
        }
    }
    // If the database does not answer, it counts as still due.
    let is_due = store::is_due(app, suspect).await.unwrap_or(true);
    if !is_due && store::clear(app, suspect).await.is_ok() { WORKED } else { LATER }
}

/// Aborts this process after `limit` unless the returned sender is dropped before, even if the work never yields.
fn abort_after(limit: Duration) -> threads::Sender<()> {
    let (done, is_done) = threads::channel::<()>();
    std::thread::spawn(move || {
        if is_done.recv_timeout(limit) == Err(threads::RecvTimeoutError::Timeout) {
            std::process::abort();
        }
    });
    done
}

async fn work(app: &App, suspect: &Suspect) -> PanelResult<()> {
    if suspect.poller == QuarantineKind::ExternalOrder {
        // Its sending was interrupted, and its lease is longer than usual.
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
