//! Handles Ctrl-C: the first Ctrl-C lets a bulk run finish its current chunk, the second Ctrl-C ends the process at once.

use std::sync::atomic::{AtomicBool, Ordering};

use panel_client::bulk::run::StopFlag;

/// Whether the user asked to stop, and whether a bulk run can stop between two chunks.
#[derive(Debug, Default)]
pub(crate) struct Interrupt {
    /// Whether a bulk run is active, so that the first Ctrl-C only asks it to stop.
    is_run_active: AtomicBool,
    /// Asks the bulk run to stop after the current chunk.
    pub(crate) stop: StopFlag,
    /// Whether a second Ctrl-C interrupted the current chunk.
    is_chunk_interrupted: AtomicBool,
}

impl Interrupt {
    /// Called at the start of a bulk run. From then on, the first Ctrl-C only asks the run to stop.
    pub(crate) fn set_run_active(&self) {
        self.is_run_active.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_chunk_interrupted(&self) -> bool {
        self.is_chunk_interrupted.load(Ordering::SeqCst)
    }

    /// Returns as soon as a signal requires the process to end at once.
    pub(crate) async fn wait_for_exit(&self, mut signals: Signals, print_message: impl Fn(&str)) {
        loop {
            signals.next().await;
            if !self.is_run_active.load(Ordering::SeqCst) {
                return;
            }
            if self.stop.is_stop_requested() {
                self.is_chunk_interrupted.store(true, Ordering::SeqCst);
                return;
            }
            self.stop.request_stop();
            print_message("Stopping after the current chunk. Press Ctrl-C again to stop at once.");
        }
    }
}

/// Listens for SIGINT and SIGTERM. The process creates the listener before the first request, because without a listener a signal
/// ends the process. One listener receives all signals, because signals between two listeners would be lost.
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
        async fn receive(signal: &mut Option<tokio::signal::unix::Signal>) {
            match signal {
                Some(signal) => drop(signal.recv().await),
                // Without a listener the operating system ends the process on a signal.
                None => std::future::pending().await,
            }
        }
        tokio::select! {
            () = receive(&mut self.interrupt) => {}
            () = receive(&mut self.terminate) => {}
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
