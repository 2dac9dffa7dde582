//! Configuration of deliveries to webhooks.

use serde::{Deserialize, Serialize};

/// Deliveries to webhooks, with the defaults that Standard Webhooks recommends.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Webhooks {
    /// Seconds from each failed attempt to the next; a delivery fails permanently after the last.
    pub delays: Vec<u32>,
    /// Time limit of one attempt, in seconds.
    pub seconds: u64,
    /// Days without a success after which the server disables a webhook.
    pub patience_days: u32,
    /// Days that deliveries are kept.
    pub keep_days: u32,
}

impl Default for Webhooks {
    fn default() -> Self {
        let delays = vec![5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
        Self { delays, seconds: 15, patience_days: 5, keep_days: 30 }
    }
}
