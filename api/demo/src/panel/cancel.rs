//! How the fake panel handles requests to cancel an order, including the failures of real panels. Pure.

use std::time::Duration;

use panel_contract::moment::Time;
use serde_json::{Value, json};

use super::world::{World, number, refusal, status_at};

/// How the panel handles a request to cancel an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CancelBehavior {
    /// Confirms and stops.
    #[default]
    Confirms,
    /// Refuses and continues to deliver.
    Refuses,
    /// Confirms, but continues to deliver.
    Forgets,
    /// Asks to try again later until this many seconds after the first call; then confirms and stops.
    ConfirmsLate(i64),
    /// Confirms, but continues to deliver for this many seconds.
    DeliversOn(i64),
}

impl World {
    /// Answers a request to cancel an order.
    pub fn cancel(&mut self, id: &str, now: Time) -> Value {
        let offers = &self.offers;
        let order = number(id).and_then(|id| self.orders.get_mut(&id));
        let Some(order) = order else { return refusal("Incorrect order ID") };
        let may = offers.get(&order.service).is_some_and(|offer| offer.cancel);
        let (word, _) = status_at(order, now);
        if !may || !matches!(word, "Pending" | "In progress") {
            return refusal("Order cannot be canceled");
        }
        let first_asked = *order.asked.get_or_insert(now);
        let stops = match order.on_cancel {
            CancelBehavior::Confirms => now,
            CancelBehavior::Refuses => return refusal("Order cannot be canceled"),
            CancelBehavior::Forgets => return json!(1),
            CancelBehavior::ConfirmsLate(after) if now < first_asked.after(secs(after)) => {
                return refusal("Cancellation is in progress, try again later");
            }
            CancelBehavior::ConfirmsLate(_) => now,
            CancelBehavior::DeliversOn(seconds) => now.after(secs(seconds)),
        };
        if order.canceled.is_some() {
            return json!(1);
        }
        order.canceled = Some(stops);
        let left = order.quantity - status_at(order, stops).1;
        let back = i128::from(order.charge.0) * i128::from(left) / i128::from(order.quantity.max(1));
        self.balance.0 += i64::try_from(back).unwrap_or_default();
        json!(1)
    }
}

const fn secs(seconds: i64) -> Duration {
    Duration::from_secs(seconds.unsigned_abs())
}
