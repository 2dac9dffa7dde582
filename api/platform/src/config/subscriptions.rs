//! Configuration of how often the channels of subscriptions are read.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Polling of channels.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Subscriptions {
    /// Minutes between two polls of a channel; 0 for never.
    pub look_minutes: u32,
    /// Maximum polls of subscriptions per second, of all processes together; each process polls at least one.
    pub looks_per_second: u32,
    /// Maximum active subscriptions of one customer. A subscription paid per content costs nothing until the poll finds content, so only
    /// this limit bounds the polls.
    pub most_per_customer: u32,
}

impl Default for Subscriptions {
    fn default() -> Self {
        Self { look_minutes: 5, looks_per_second: 20, most_per_customer: 1_000 }
    }
}

impl Subscriptions {
    /// The time between two polls of a channel; none where channels are not polled.
    #[must_use]
    pub fn poll_interval(&self) -> Option<Duration> {
        (self.look_minutes > 0).then(|| Duration::from_mins(u64::from(self.look_minutes)))
    }
}
