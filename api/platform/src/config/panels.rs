//! Configuration of the exchange with other panels, of which this panel is a customer or a supplier.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Exchange with other panels.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PanelExchangeConfig {
    /// Minutes between two polls of the panel's balance at an external panel; 0 for never.
    pub balance_poll_interval_minutes: u32,
    /// Whether another panel of this product may create a customer's account here.
    pub allow_account_creation: bool,
}

impl Default for PanelExchangeConfig {
    fn default() -> Self {
        Self { balance_poll_interval_minutes: 10, allow_account_creation: false }
    }
}

impl PanelExchangeConfig {
    /// The time between two polls of a balance; `None` if the server does not poll balances.
    #[must_use]
    pub fn balance_interval(&self) -> Option<Duration> {
        (self.balance_poll_interval_minutes > 0)
            .then(|| Duration::from_mins(u64::from(self.balance_poll_interval_minutes)))
    }
}
