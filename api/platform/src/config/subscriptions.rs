//! Configuration of how often the server polls the channels of subscriptions for new content.

use std::time::Duration;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SubscriptionConfig {
    /// Minutes between two polls of a channel; 0 for never.
    pub poll_interval_minutes: u32,
    /// Maximum polls of subscriptions per second, of all processes together; each process polls at least one.
    pub polls_per_second: u32,
    /// Maximum active subscriptions of one customer. A subscription that is paid per content costs nothing until a poll finds
    /// content, so only this limit bounds the polls.
    pub max_per_customer: u32,
}

impl Default for SubscriptionConfig {
    fn default() -> Self {
        Self { poll_interval_minutes: 5, polls_per_second: 20, max_per_customer: 1_000 }
    }
}

impl SubscriptionConfig {
    /// The time between two polls of a channel; `None` if the server does not poll channels.
    #[must_use]
    pub fn poll_interval(&self) -> Option<Duration> {
        (self.poll_interval_minutes > 0).then(|| Duration::from_mins(u64::from(self.poll_interval_minutes)))
    }
}
