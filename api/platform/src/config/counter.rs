//! Configuration of the calls to a counter service, which returns the counts of promoted content. Its address is a panel setting.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How often the server calls the counter service.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Counter {
    /// Maximum calls per second of all processes together.
    pub calls_per_second: u32,
    /// Minutes between two polls of a young order; older orders are polled less often.
    pub minutes: u32,
}

impl Default for Counter {
    fn default() -> Self {
        Self { calls_per_second: 5, minutes: 10 }
    }
}

impl Counter {
    /// The time between two polls of a young order.
    #[must_use]
    pub fn interval(&self) -> Duration {
        Duration::from_mins(u64::from(self.minutes))
    }

    pub(super) fn check(&self) -> Result<(), String> {
        if !(1..=100).contains(&self.calls_per_second) {
            return Err("configuration: counter.calls_per_second must be 1 to 100".into());
        }
        if !(1..=1_440).contains(&self.minutes) {
            return Err("configuration: counter.minutes must be 1 to 1440".into());
        }
        Ok(())
    }
}
