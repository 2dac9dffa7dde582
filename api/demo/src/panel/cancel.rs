//! How the fake panel handles requests to cancel an order, including the failures of real panels. Pure.

use std::time::Duration;

use panel_contract::moment::Time;
use serde_json::{Value, json};

use super::state::{FakePanelState, error_answer, parse_number, status_at};

/// How the panel handles a request to cancel an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CancelBehavior {
    #[default]
    Confirms,
    /// Refuses and continues to deliver.
    Refuses,
    /// Confirms, but continues to deliver.
    ConfirmsWithoutStopping,
    /// Answers "try again later" until this many seconds after the first call; then confirms and stops.
    ConfirmsAfterSecs(i64),
    /// Confirms, but continues to deliver for this many seconds.
    StopsAfterSecs(i64),
}

impl FakePanelState {
    /// Answers a request to cancel an order.
    pub fn cancel(&mut self, id: &str, now: Time) -> Value {
        let services = &self.services;
        let order = parse_number(id).and_then(|id| self.orders.get_mut(&id));
        let Some(order) = order else { return error_answer("Incorrect order ID") };
        let is_cancelable = services.get(&order.service).is_some_and(|service| service.cancel);
        let (status, _) = status_at(order, now);
        if !is_cancelable || !matches!(status, "Pending" | "In progress") {
            return error_answer("Order cannot be canceled");
        }
        let first_requested_at = *order.cancel_requested_at.get_or_insert(now);
        let stops_at = match order.cancel_behavior {
            CancelBehavior::Confirms => now,
            CancelBehavior::Refuses => return error_answer("Order cannot be canceled"),
            CancelBehavior::ConfirmsWithoutStopping => return json!(1),
            CancelBehavior::ConfirmsAfterSecs(delay_secs)
                if now < first_requested_at.plus(secs(delay_secs)) =>
            {
                return error_answer("Cancellation is in progress, try again later");
            }
            CancelBehavior::ConfirmsAfterSecs(_) => now,
            CancelBehavior::StopsAfterSecs(seconds) => now.plus(secs(seconds)),
        };
        if order.canceled_at.is_some() {
            return json!(1);
        }
        order.canceled_at = Some(stops_at);
        let undelivered = order.quantity - status_at(order, stops_at).1;
        let refund = i128::from(order.charge.0) * i128::from(undelivered) / i128::from(order.quantity.max(1));
        self.balance.0 += i64::try_from(refund).unwrap_or_default();
        json!(1)
    }
}

const fn secs(seconds: i64) -> Duration {
    Duration::from_secs(seconds.unsigned_abs())
}
