//! Configuration of dealing with other panels, as their customer and as their supplier.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Other panels.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Panels {
    /// Minutes between two questions for our balance at an external panel; 0 for never.
    pub balance_minutes: u32,
    /// Whether another panel of this product gets a customer's account here when it asks for one.
    pub hands_out_accounts: bool,
}

impl Default for Panels {
    fn default() -> Self {
        Self { balance_minutes: 10, hands_out_accounts: false }
    }
}

impl Panels {
    /// Between two questions for a balance; none where no panel is asked.
    #[must_use]
    pub fn balance_every(&self) -> Option<Duration> {
        (self.balance_minutes > 0).then(|| Duration::from_mins(u64::from(self.balance_minutes)))
    }
}
