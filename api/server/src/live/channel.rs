//! One broadcast per process: who stirs and who listens.

use std::collections::HashSet;
use std::sync::Arc;

use tokio::sync::{Notify, broadcast};

use crate::live::seats::Seats;

/// The PostgreSQL channel that stirs travel on.
pub(crate) const CHANNEL: &str = "panel_live";

/// What every socket hears.
#[derive(Debug, Clone)]
pub enum Event {
    /// For every subscriber.
    Told {
        /// Its name.
        name: &'static str,
        /// Its `data`, a JSON text.
        data: Arc<str>,
    },
    /// These sockets are to be closed: the sign-in behind them ended.
    Ended(Arc<HashSet<String>>),
}

/// The live room of this process.
#[derive(Debug)]
pub struct Live {
    pub(super) stirred: Notify,
    events: broadcast::Sender<Event>,
    pub(crate) seats: Seats,
}

impl Default for Live {
    fn default() -> Self {
        Self { stirred: Notify::new(), events: broadcast::channel(256).0, seats: Seats::default() }
    }
}

impl Live {
    /// A commit may have changed what is counted.
    pub fn stir(&self) {
        self.stirred.notify_one();
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

    pub(crate) fn send(&self, event: Event) {
        // Nobody listening is no error.
        drop(self.events.send(event));
    }
}
