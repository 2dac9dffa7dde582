//! Configuration of the exchange with other panels, as their customer and as their supplier.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Exchange with other panels.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Panels {
    /// Minutes between two polls of the panel's balance at an external panel; 0 for never.
    pub balance_minutes: u32,
    /// Whether another panel of this product may create a customer's account here.
    pub hands_out_accounts: bool,
}

impl Default for Panels {
    fn default() -> Self {
        Self { balance_minutes: 10, hands_out_accounts: false }
    }
}

impl Panels {
    /// The time between two polls of a balance; none where balances are not polled.
    #[must_use]
    pub fn balance_interval(&self) -> Option<Duration> {
        (self.balance_minutes > 0).then(|| Duration::from_mins(u64::from(self.balance_minutes)))
    }
}
