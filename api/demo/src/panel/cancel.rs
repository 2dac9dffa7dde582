//! How the fake panel handles cancel requests, including the failures of real panels. It changes only the panel's state.

use std::time::Duration;

use panel_contract::moment::Time;
use serde_json::{Value, json};

use super::state::{FakePanelState, error_body, parse_integer, progress_at};

/// How the panel handles the cancel requests of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CancelBehavior {
    #[default]
    Confirms,
    /// Rejects the request and continues to deliver.
    Rejects,
    /// Confirms, but continues to deliver.
    ConfirmsWithoutStopping,
    /// Responds "try again later" until this many seconds after the first request; then confirms and stops.
    ConfirmsAfterSecs(i64),
    /// Confirms, but continues to deliver for this many seconds.
    StopsAfterSecs(i64),
}

impl FakePanelState {
    /// Handles a cancel request for one order, and returns its part of the response.
    pub fn cancel(&mut self, id: &str, now: Time) -> Value {
        let services = &self.services;
        let order = parse_integer(id).and_then(|id| self.orders.get_mut(&id));
        let Some(order) = order else { return error_body("Incorrect order ID") };
        let is_cancelable = services.get(&order.service_id).is_some_and(|service| service.allows_cancel);
        let status = progress_at(order, now).status;
        if !is_cancelable || !matches!(status, "Pending" | "In progress") {
            return error_body("Order cannot be canceled");
        }
        let first_requested_at = *order.cancel_requested_at.get_or_insert(now);
        let stops_at = match order.cancel_behavior {
            CancelBehavior::Confirms => now,
            CancelBehavior::Rejects => return error_body("Order cannot be canceled"),
            CancelBehavior::ConfirmsWithoutStopping => return json!(1),
            CancelBehavior::ConfirmsAfterSecs(delay_secs)
                if now < first_requested_at.plus(secs(delay_secs)) =>
            {
                return error_body("Cancellation is in progress, try again later");
            }
            CancelBehavior::ConfirmsAfterSecs(_) => now,
            CancelBehavior::StopsAfterSecs(delay_secs) => now.plus(secs(delay_secs)),
        };
        if order.canceled_at.is_some() {
            return json!(1);
        }
        order.canceled_at = Some(stops_at);
        let undelivered_quantity = order.quantity - progress_at(order, stops_at).delivered_quantity;
        let refund =
            i128::from(order.charge.0) * i128::from(undelivered_quantity) / i128::from(order.quantity.max(1));
        self.balance.0 += i64::try_from(refund).unwrap_or_default();
        json!(1)
    }
}

const fn secs(seconds: i64) -> Duration {
    Duration::from_secs(seconds.unsigned_abs())
}
