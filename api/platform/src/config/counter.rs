//! Configuration of the requests to the counter service, which returns the counts of promoted content. Staff set its address in the
//! panel settings.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How often the server sends requests to the counter service.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CounterConfig {
    /// Maximum requests per second of all processes together.
    pub calls_per_second: u32,
    /// Minutes between two polls of a new order; the server polls older orders less often.
    pub poll_interval_minutes: u32,
}

impl Default for CounterConfig {
    fn default() -> Self {
        Self { calls_per_second: 5, poll_interval_minutes: 10 }
    }
}

impl CounterConfig {
    /// `poll_interval_minutes` as a duration.
    #[must_use]
    pub fn interval(&self) -> Duration {
        Duration::from_mins(u64::from(self.poll_interval_minutes))
    }

    pub(super) fn check(&self) -> Result<(), String> {
        if !(1..=100).contains(&self.calls_per_second) {
            return Err("configuration: counter.calls_per_second must be 1 to 100".into());
        }
        if !(1..=1_440).contains(&self.poll_interval_minutes) {
            return Err("configuration: counter.poll_interval_minutes must be 1 to 1440".into());
        }
        Ok(())
    }
}
