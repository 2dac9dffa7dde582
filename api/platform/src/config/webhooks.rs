//! Configuration of deliveries to webhooks.

use serde::{Deserialize, Serialize};

/// Deliveries to webhooks, with the defaults that Standard Webhooks recommends.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WebhookConfig {
    /// Seconds from each failed attempt to the next attempt. After the last of them a delivery fails permanently.
    pub retry_delay_seconds: Vec<u32>,
    /// Time limit of one attempt, in seconds.
    pub timeout_seconds: u64,
    /// Days without a success after which the server disables a webhook.
    pub disable_after_days: u32,
    /// Days after which the server deletes a delivery.
    pub keep_days: u32,
}

impl Default for WebhookConfig {
    fn default() -> Self {
        let retry_delay_seconds = vec![5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
        Self { retry_delay_seconds, timeout_seconds: 15, disable_after_days: 5, keep_days: 30 }
    }
}
