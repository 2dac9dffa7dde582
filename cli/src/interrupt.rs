//! Ctrl-C: the first one lets a bulk run finish its current chunk, the second one ends the process at once.

use std::sync::atomic::{AtomicBool, Ordering};

use panel_client::bulk::run::Stop;

/// The state of an interruption.
#[derive(Debug, Default)]
pub(crate) struct Interrupt {
    /// A bulk run is active and can finish its chunk.
    armed: AtomicBool,
    /// Asks the bulk run to stop after its chunk.
    pub(crate) stop: Stop,
    /// The process ended in the middle of a chunk.
    abandoned: AtomicBool,
}

impl Interrupt {
    /// From now on the first Ctrl-C only asks the run to stop.
    pub(crate) fn arm(&self) {
        self.armed.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::SeqCst)
    }

    /// Returns when the process has to end at once.
    pub(crate) async fn wait_for_exit(&self, mut signals: Signals, say: impl Fn(&str)) {
        loop {
            signals.next().await;
            if !self.armed.load(Ordering::SeqCst) {
                return;
            }
            if self.stop.is_requested() {
                self.abandoned.store(true, Ordering::SeqCst);
                return;
            }
            self.stop.stop();
            say("Stopping after the current chunk. Press Ctrl-C again to stop at once.");
        }
    }
}

/// Listens for SIGINT and SIGTERM from before the first request. A new listener for each signal would miss signals in
/// between, and until the first listener exists a signal ends the process.
#[cfg(unix)]
pub(crate) struct Signals {
    interrupt: Option<tokio::signal::unix::Signal>,
    terminate: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    pub(crate) fn new() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        Self {
            interrupt: signal(SignalKind::interrupt()).ok(),
            terminate: signal(SignalKind::terminate()).ok(),
        }
    }

    async fn next(&mut self) {
        async fn of(signal: &mut Option<tokio::signal::unix::Signal>) {
            match signal {
                Some(signal) => drop(signal.recv().await),
                // Without a listener the signal ends the process by default.
                None => std::future::pending().await,
            }
        }
        tokio::select! {
            () = of(&mut self.interrupt) => {}
            () = of(&mut self.terminate) => {}
        }
    }
}

#[cfg(not(unix))]
pub(crate) struct Signals;

#[cfg(not(unix))]
impl Signals {
    pub(crate) fn new() -> Self {
        Self
    }

    async fn next(&mut self) {
        drop(tokio::signal::ctrl_c().await);
    }
}
