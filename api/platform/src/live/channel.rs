//! The broadcast of one process: commits notify it, sockets listen.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{Notify, broadcast};

use crate::live::seats::Seats;
use crate::metrics::catalogue::WS_EVENTS;

/// The PostgreSQL channel by which processes notify one another.
pub const CHANNEL: &str = "panel_live";

/// An event that every socket receives.
#[derive(Debug, Clone)]
pub enum Event {
    /// A counter changed; for every subscriber.
    Changed {
        /// Its name.
        name: &'static str,
        /// Its `data`, a JSON text.
        data: Arc<str>,
    },
    /// These sockets are to be closed: the sign-in behind them ended.
    Ended(Arc<HashSet<String>>),
}

/// The live channel of this process.
#[derive(Debug)]
pub struct Live {
    /// Wakes the poller of the counters.
    pub(super) changed: Arc<Notify>,
    /// Whether a commit of this process is to be notified to the others.
    own_change: AtomicBool,
    events: broadcast::Sender<Event>,
    /// Its open sockets.
    pub seats: Seats,
}

impl Default for Live {
    fn default() -> Self {
        Self {
            changed: Arc::default(),
            own_change: AtomicBool::new(false),
            events: broadcast::channel(256).0,
            seats: Seats::default(),
        }
    }
}

impl Live {
    /// A commit may have changed what is counted.
    pub fn notify_change(&self) {
        self.own_change.store(true, Ordering::Relaxed);
        self.changed.notify_one();
    }

    /// Whether this process committed something since it was last asked.
    pub(super) fn take_own_change(&self) -> bool {
        self.own_change.swap(false, Ordering::Relaxed)
    }

    /// Listens.
    #[must_use]
    pub fn listen(&self) -> broadcast::Receiver<Event> {
        self.events.subscribe()
    }

    /// Open sockets.
    #[must_use]
    pub fn open_sockets(&self) -> usize {
        self.seats.count()
    }

    /// Sends an event to all sockets of this process.
    pub fn send(&self, event: Event) {
        if let Event::Changed { name, .. } = &event {
            WS_EVENTS.with([*name]).increment(1);
        }
        // A channel without listeners is no error.
        drop(self.events.send(event));
    }
}
