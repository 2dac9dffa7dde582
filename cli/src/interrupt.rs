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
    pub(crate) async fn wanted(&self, say: impl Fn(&str)) {
        loop {
            signal().await;
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

#[cfg(unix)]
async fn signal() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => tokio::select! {
            result = tokio::signal::ctrl_c() => drop(result),
            _ = terminate.recv() => {}
        },
        Err(_) => drop(tokio::signal::ctrl_c().await),
    }
}

#[cfg(not(unix))]
async fn signal() {
    drop(tokio::signal::ctrl_c().await);
}
