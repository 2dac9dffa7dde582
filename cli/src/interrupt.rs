//! Ctrl-C: a command that is in the middle of a bulk run ends after the chunk in flight; a second one ends at once.

use std::sync::atomic::{AtomicBool, Ordering};

use panel_client::bulk::run::Stop;

/// Who is told when the person wants an end.
#[derive(Debug, Default)]
pub(crate) struct Interrupt {
    /// Something can end tidily.
    armed: AtomicBool,
    /// Asks it to.
    pub(crate) stop: Stop,
    /// A run was left in the middle of a chunk.
    abandoned: AtomicBool,
}

impl Interrupt {
    /// From now on the first Ctrl-C only asks.
    pub(crate) fn arm(&self) {
        self.armed.store(true, Ordering::SeqCst);
    }

    /// Whether a run was left in the middle of a chunk.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::SeqCst)
    }

    /// Waits until the program shall end at once.
    pub(crate) async fn wanted(&self, mut signals: Signals, say: impl Fn(&str)) {
        loop {
            signals.next().await;
            if !self.armed.load(Ordering::SeqCst) {
                return;
            }
            if self.stop.is_asked() {
                self.abandoned.store(true, Ordering::SeqCst);
                return;
            }
            self.stop.stop();
            say("Ending after the chunk in flight; press Ctrl-C again to end at once.");
        }
    }
}

/// What a person or a supervisor sends. One listener for all, from before the first request: whoever listens anew
/// misses what comes between, and whoever listens late is ended by it.
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
                // It cannot be listened to: then it ends the program as it always did.
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
