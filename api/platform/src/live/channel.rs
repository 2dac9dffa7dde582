//! The broadcast of one process: commits notify it, sockets listen.

use std::collections::HashSet;
use std::sync::Arc;

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
    pub(super) changed: Notify,
    events: broadcast::Sender<Event>,
    /// Its open sockets.
    pub seats: Seats,
}

impl Default for Live {
    fn default() -> Self {
        Self { changed: Notify::new(), events: broadcast::channel(256).0, seats: Seats::default() }
    }
}

impl Live {
    /// A commit may have changed what is counted.
    pub fn notify_change(&self) {
        self.changed.notify_one();
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
