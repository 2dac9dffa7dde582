//! The live channel: changes of the four counters over the Pusher protocol, with automatic reconnects. After every connection the
//! client loads all counters once, so that it misses no change.

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

/// A counter of work that waits for staff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    /// Number of orders in processing.
    OrdersInProcessing,
    /// Number of orders in moderation.
    OrdersInModeration,
    /// Number of orders in processing whose service has no active provider.
    OrdersWithNoActiveProviders,
    /// Number of pending free-trial requests.
    FreeTrialsPending,
}

impl Counter {
    /// Every counter once; [`LiveEvent::Connected`] reports all of them.
    pub const ALL: [Self; 4] = [
        Self::OrdersInModeration,
        Self::OrdersInProcessing,
        Self::OrdersWithNoActiveProviders,
        Self::FreeTrialsPending,
    ];

    /// Name of the Pusher event that reports a change of the counter.
    #[must_use]
    pub const fn event_name(self) -> &'static str {
        match self {
            Self::OrdersInProcessing => "orders-in-processing-count-changed",
            Self::OrdersInModeration => "orders-in-moderation-count-changed",
            Self::OrdersWithNoActiveProviders => "orders-with-no-active-providers-count-changed",
            Self::FreeTrialsPending => "free-trials-pending-count-changed",
        }
    }

    /// The value of this counter in `counters`.
    #[must_use]
    pub const fn value_in(self, counters: &Counters) -> i64 {
        match self {
            Self::OrdersInProcessing => counters.orders_in_processing_count,
            Self::OrdersInModeration => counters.orders_in_moderation_count,
            Self::OrdersWithNoActiveProviders => counters.orders_with_no_active_providers_count,
            Self::FreeTrialsPending => counters.free_trials_in_pending_count,
        }
    }

    /// Sets the value of this counter in `counters`.
    pub const fn set_value_in(self, counters: &mut Counters, count: i64) {
        match self {
            Self::OrdersInProcessing => counters.orders_in_processing_count = count,
            Self::OrdersInModeration => counters.orders_in_moderation_count = count,
            Self::OrdersWithNoActiveProviders => counters.orders_with_no_active_providers_count = count,
            Self::FreeTrialsPending => counters.free_trials_in_pending_count = count,
        }
    }
}

/// An event of the live channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveEvent {
    /// The client is subscribed, and has loaded the current values of all counters.
    Connected(Counters),
    /// The panel published a new value of one counter.
    CounterChanged {
        /// The counter whose value is new.
        counter: Counter,
        /// Number of waiting records, zero or more.
        count: i64,
    },
    /// The connection ended or could not be opened; the client reconnects after `retry_in`.
    Disconnected {
        /// Message for the user.
        reason: String,
        /// Whether the panel sent no response to a ping, because it hangs or the network is down.
        is_silent: bool,
        /// Time until the next connection attempt; `None` if the client gives up, because the user is signed out or lacks the
        /// permission.
        retry_in: Option<Duration>,
    },
}

/// The live channel of a panel: a stream of events that ends only when the client gives up. Dropping it closes the connection.
#[derive(Debug)]
pub struct LiveChannel {
    events: mpsc::Receiver<LiveEvent>,
    task: JoinHandle<()>,
}

impl Client {
    /// Connects to the live channel in a background task.
    #[must_use]
    pub fn open_live_channel(&self) -> LiveChannel {
        let (sender, events) = mpsc::channel(64);
        let client = self.clone();
        LiveChannel { events, task: tokio::spawn(async move { socket::run(&client, &sender).await }) }
    }
}

impl LiveChannel {
    /// Waits for the next event; `None` after the client gave up. Cancel-safe: if the future is dropped, no event is lost.
    pub async fn next(&mut self) -> Option<LiveEvent> {
        self.events.recv().await
    }
}

impl Stream for LiveChannel {
    type Item = LiveEvent;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<LiveEvent>> {
        self.events.poll_recv(context)
    }
}

impl Drop for LiveChannel {
    fn drop(&mut self) {
        self.task.abort();
    }
}
