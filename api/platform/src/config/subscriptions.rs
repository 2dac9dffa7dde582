//! Configuration of how often the channels of subscriptions are read.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Reading channels.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Subscriptions {
    /// Minutes between two looks at a channel; 0 for never.
    pub look_minutes: u32,
    /// Subscriptions that are looked at in a second, at most, by all processes together; at least one by each.
    pub looks_per_second: u32,
    /// Subscriptions of one customer that run at a time, at most: one paid per content costs nothing until something is
    /// found, and its channel is read all the same.
    pub most_per_customer: u32,
}

impl Default for Subscriptions {
    fn default() -> Self {
        Self { look_minutes: 5, looks_per_second: 20, most_per_customer: 1_000 }
    }
}

impl Subscriptions {
    /// Between two looks at a channel; none where no channel is read.
    #[must_use]
    pub fn look_every(&self) -> Option<Duration> {
        (self.look_minutes > 0).then(|| Duration::from_mins(u64::from(self.look_minutes)))
    }
}
