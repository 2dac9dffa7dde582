//! The broadcast of one process: commits notify it, sockets listen.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{Notify, broadcast};

use crate::live::socket_registry::SocketRegistry;
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
    /// These sockets must be closed: their session ended.
    Ended(Arc<HashSet<String>>),
}

/// The live channel of this process.
#[derive(Debug)]
pub struct Live {
    /// Wakes the poller of the counters.
    pub(super) changed: Arc<Notify>,
    /// Whether this process must notify the others of a commit.
    own_change: AtomicBool,
    events: broadcast::Sender<Event>,
    /// Its open sockets.
    pub sockets: SocketRegistry,
}

impl Default for Live {
    fn default() -> Self {
        Self {
            changed: Arc::default(),
            own_change: AtomicBool::new(false),
            events: broadcast::channel(256).0,
            sockets: SocketRegistry::default(),
        }
    }
}

impl Live {
    /// Wakes the poller, because a commit may have changed a counter.
    pub fn notify_change(&self) {
        self.own_change.store(true, Ordering::Relaxed);
        self.changed.notify_one();
    }

    /// Whether this process has committed a change since the last call.
    pub(super) fn take_own_change(&self) -> bool {
        self.own_change.swap(false, Ordering::Relaxed)
    }

    /// Subscribes to the events of this process.
    #[must_use]
    pub fn listen(&self) -> broadcast::Receiver<Event> {
        self.events.subscribe()
    }

    /// Number of open sockets.
    #[must_use]
    pub fn open_sockets(&self) -> usize {
        self.sockets.count()
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
