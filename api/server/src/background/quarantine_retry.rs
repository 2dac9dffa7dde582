//! `panel-server retry-claimed`: a process that works on suspected records, one at a time, each alone. It serves nothing,
//! polls nothing by itself, and takes part in nothing that processes share. The server that started it names the records on
//! standard input and reads on standard output what became of each; a record that ends this process ends no server.
//!
//! The first line of the input is the server's whole configuration, so that no secret stands on a command line and both
//! work on the same database. Each further line is a [`Suspect`]. Standard output has `READY`, then a word for each record.

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

/// The process can work.
pub(super) const READY: &str = "ready";
/// The record was worked on, with whatever outcome.
pub(super) const WORKED: &str = "worked";
/// The record could not be worked on now.
pub(super) const LATER: &str = "later";
/// How long this process works on a record before it ends itself: longer than a server waits, for where none does any more.
const LONGEST: Duration = Duration::from_secs(105);
/// Connections that one record at a time takes.
const CONNECTIONS: u32 = 4;

/// Works until the input ends.
pub async fn run() -> Result<(), String> {
    let mut lines = lines();
    let config =
        lines.recv().await.ok_or("retry-claimed is started by the server, which names the records")?;
    let mut config: Config = serde_json::from_str(&config).map_err(|error| error.to_string())?;
    config.database_connections = CONNECTIONS.min(config.database_connections);
    logs::init(&config)?;
    // Held: a signal to the whole group, as at a stop, must not look like the record's doing.
    let _signals = ignored_signals().map_err(|error| error.to_string())?;
    be_the_first_to_run_out_of_memory();
    let app = App::start(config, Arc::new(SystemClock), Random::system()).await?;
    app.quarantine.only(None);
    say(READY)?;
    while let Some(line) = lines.recv().await {
        let suspect: Suspect = serde_json::from_str(&line).map_err(|error| error.to_string())?;
        say(try_alone(&app, &suspect).await)?;
    }
    app.db.close().await;
    Ok(())
}

/// Lines of standard input, read beside the work.
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

fn say(word: &str) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{word}").and_then(|()| out.flush()).map_err(|error| error.to_string())
}

fn ignored_signals() -> std::io::Result<[Signal; 3]> {
    Ok([signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?, signal(SignalKind::hangup())?])
}

/// Where memory runs out, the kernel shall end this process and not the server.
fn be_the_first_to_run_out_of_memory() {
    // Not every system has it, and without it the rest is as good.
    drop(std::fs::write("/proc/self/oom_score_adj", "1000"));
}

/// Works on one record; the word for what became of it.
async fn try_alone(app: &App, suspect: &Suspect) -> &'static str {
    let _over = end_after(LONGEST);
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
    // Where the database does not say, it was not.
    let is_due = store::is_due(app, suspect).await.unwrap_or(true);
    if !is_due && store::forget(app, suspect).await.is_ok() { WORKED } else { LATER }
}

/// Ends this process after so long, unless the answer is dropped before: also where the work never yields.
fn end_after(limit: Duration) -> threads::Sender<()> {
    let (over, is_over) = threads::channel::<()>();
    std::thread::spawn(move || {
        if is_over.recv_timeout(limit) == Err(threads::RecvTimeoutError::Timeout) {
            std::process::abort();
        }
    });
    over
}

async fn work(app: &App, suspect: &Suspect) -> PanelResult<()> {
    if suspect.poller == QuarantineKind::ExternalOrder {
        // Its sending was cut off, and was claimed for longer than others.
        reconciling::look_now(&mut &app.db, suspect.record_id.known_as(), app.clock.now())
            .await?
            .or_nothing();
    }
    poll_once(app, suspect.poller).await.map(drop)
}

/// One poll of the pollers of this kind, as the worker does it; how many records they claimed or looked at.
pub async fn poll_once(app: &App, kind: QuarantineKind) -> PanelResult<usize> {
    worker::workers(app).poll_once(app, kind).await
}
