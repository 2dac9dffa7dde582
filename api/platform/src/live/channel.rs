//! Broadcasts events to the sockets of this process. A commit wakes the poller that reads the counters.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{Notify, broadcast};

use crate::live::socket_registry::SocketRegistry;
use crate::metrics::catalogue::WS_EVENTS;

/// The PostgreSQL channel by which processes notify one another.
pub const NOTIFY_CHANNEL: &str = "panel_live";

/// An event that this process sends to its sockets.
#[derive(Debug, Clone)]
pub enum LiveEvent {
    /// A counter changed; each socket sends it to its subscriber.
    CounterChanged {
        name: &'static str,
        /// The `data` of the frame, a JSON text.
        data: Arc<str>,
    },
    /// The sessions of the sockets with these ids have ended; these sockets close.
    SessionsEnded(Arc<HashSet<String>>),
}

/// The live channel of this process.
#[derive(Debug)]
pub struct Live {
    /// Wakes the poller of the counters.
    pub(super) changed: Arc<Notify>,
    /// Whether this process has committed a change and must still notify the other processes.
    has_unsent_change: AtomicBool,
    events: broadcast::Sender<LiveEvent>,
    pub sockets: SocketRegistry,
}

impl Default for Live {
    fn default() -> Self {
        Self {
            changed: Arc::default(),
            has_unsent_change: AtomicBool::new(false),
            events: broadcast::channel(256).0,
            sockets: SocketRegistry::default(),
        }
    }
}

impl Live {
    /// Wakes the poller, because a commit may have changed a counter.
    pub fn notify_change(&self) {
        self.has_unsent_change.store(true, Ordering::Relaxed);
        self.changed.notify_one();
    }

    /// Returns whether this process has committed a change since the last call.
    pub(super) fn take_unsent_change(&self) -> bool {
        self.has_unsent_change.swap(false, Ordering::Relaxed)
    }

    /// Subscribes to the events of this process.
    #[must_use]
    pub fn listen(&self) -> broadcast::Receiver<LiveEvent> {
        self.events.subscribe()
    }

    #[must_use]
    pub fn open_sockets(&self) -> usize {
        self.sockets.count()
    }

    /// Sends an event to all sockets of this process.
    pub fn send(&self, event: LiveEvent) {
        if let LiveEvent::CounterChanged { name, .. } = &event {
            WS_EVENTS.with_labels([*name]).increment(1);
        }
        // Sending fails if there is no socket, which is not an error.
        drop(self.events.send(event));
    }
}
