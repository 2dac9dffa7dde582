//! The live channel: changes of counters, over the Pusher protocol, with automatic reconnects.
//!
//! After every connection the four counters are read once, so that no change is missed.

mod protocol;
mod socket;

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::Stream;
use panel_contract::session::Counters;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::client::Client;

/// One of the four counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    /// Orders in processing.
    OrdersInProcessing,
    /// Orders in moderation.
    OrdersInModeration,
    /// Orders in processing whose service has no active provider.
    OrdersWithNoActiveProviders,
    /// Pending free-trial requests.
    FreeTrialsPending,
}

impl Counter {
    /// All four counters.
    pub const ALL: [Self; 4] = [
        Self::OrdersInModeration,
        Self::OrdersInProcessing,
        Self::OrdersWithNoActiveProviders,
        Self::FreeTrialsPending,
    ];

    /// Name of the event with its changes.
    #[must_use]
    pub const fn event(self) -> &'static str {
        match self {
            Self::OrdersInProcessing => "orders-in-processing-count-changed",
            Self::OrdersInModeration => "orders-in-moderation-count-changed",
            Self::OrdersWithNoActiveProviders => "orders-with-no-active-providers-count-changed",
            Self::FreeTrialsPending => "free-trials-pending-count-changed",
        }
    }

    /// Its value in `counters`.
    #[must_use]
    pub const fn of(self, counters: &Counters) -> i64 {
        match self {
            Self::OrdersInProcessing => counters.orders_in_processing_count,
            Self::OrdersInModeration => counters.orders_in_moderation_count,
            Self::OrdersWithNoActiveProviders => counters.orders_with_no_active_providers_count,
            Self::FreeTrialsPending => counters.free_trials_in_pending_count,
        }
    }

    /// Sets its value in `counters`.
    pub const fn set(self, counters: &mut Counters, count: i64) {
        match self {
            Self::OrdersInProcessing => counters.orders_in_processing_count = count,
            Self::OrdersInModeration => counters.orders_in_moderation_count = count,
            Self::OrdersWithNoActiveProviders => counters.orders_with_no_active_providers_count = count,
            Self::FreeTrialsPending => counters.free_trials_in_pending_count = count,
        }
    }
}

/// Event of the live channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The subscription succeeded; with the current counters.
    Connected(Counters),
    /// A counter changed.
    Counter {
        /// The counter.
        counter: Counter,
        /// Its new value.
        count: i64,
    },
    /// The connection ended; the client reconnects after `retry_in`.
    Disconnected {
        /// Reason, as text.
        why: String,
        /// Whether the panel did not answer a ping: it hangs, or the network is down.
        is_silent: bool,
        /// Time until the reconnect; `None` if it is pointless: signed out, or without permission.
        retry_in: Option<Duration>,
    },
}

/// The live channel of a panel. A stream of events that only ends when reconnecting is pointless. Dropping it closes the
/// connection.
#[derive(Debug)]
pub struct Live {
    events: mpsc::Receiver<Event>,
    task: JoinHandle<()>,
}

impl Client {
    /// Connects to the live channel, in the background.
    #[must_use]
    pub fn live(&self) -> Live {
        let (sender, events) = mpsc::channel(64);
        let client = self.clone();
        Live { events, task: tokio::spawn(async move { socket::follow(&client, &sender).await }) }
    }
}

impl Live {
    /// Waits for the next event. Cancel safe: no event is lost if the future is dropped.
    pub async fn next(&mut self) -> Option<Event> {
        self.events.recv().await
    }
}

impl Stream for Live {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Event>> {
        self.events.poll_recv(context)
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.task.abort();
    }
}
