//! What the fake panel does when it is asked to cancel an order: as it should, or as badly as real ones do. Pure.

use std::time::Duration;

use panel_contract::moment::Time;
use serde_json::{Value, json};

use super::world::{World, number, refusal, standing};

/// What the panel does when it is asked to cancel an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CancelBehavior {
    /// It agrees and stops.
    #[default]
    Confirms,
    /// It refuses and delivers on.
    Refuses,
    /// It agrees, forgets it and delivers on.
    Forgets,
    /// It asks to try again later, until so many seconds after the first call; then it agrees and stops.
    ConfirmsLate(i64),
    /// It agrees, and delivers on for so many seconds before it stops.
    DeliversOn(i64),
}

impl World {
    /// Answers a request to cancel an order.
    pub fn cancel(&mut self, id: &str, now: Time) -> Value {
        let offers = &self.offers;
        let order = number(id).and_then(|id| self.orders.get_mut(&id));
        let Some(order) = order else { return refusal("Incorrect order ID") };
        let may = offers.get(&order.service).is_some_and(|offer| offer.cancel);
        let (word, _) = standing(order, now);
        if !may || !matches!(word, "Pending" | "In progress") {
            return refusal("Order cannot be canceled");
        }
        let asked = *order.asked.get_or_insert(now);
        let stops = match order.on_cancel {
            CancelBehavior::Confirms => now,
            CancelBehavior::Refuses => return refusal("Order cannot be canceled"),
            CancelBehavior::Forgets => return json!(1),
            CancelBehavior::ConfirmsLate(after) if now < asked.after(secs(after)) => {
                return refusal("Cancellation is in progress, try again later");
            }
            CancelBehavior::ConfirmsLate(_) => now,
            CancelBehavior::DeliversOn(seconds) => now.after(secs(seconds)),
        };
        if order.canceled.is_some() {
            return json!(1);
        }
        order.canceled = Some(stops);
        let left = order.quantity - standing(order, stops).1;
        let back = i128::from(order.charge.0) * i128::from(left) / i128::from(order.quantity.max(1));
        self.balance.0 += i64::try_from(back).unwrap_or_default();
        json!(1)
    }
}

const fn secs(seconds: i64) -> Duration {
    Duration::from_secs(seconds.unsigned_abs())
}
