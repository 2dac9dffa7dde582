//! What tells how much of an order a panel delivered: what it says remains, or what it charged. Pure.
//!
//! Some panels say nothing useful under `remains` and charge exactly what they delivered; staff set `statistic_type` of
//! such a panel to `charge`. Then the answer is read as if it had said what is left by that.

use panel_contract::amount::Money;
use panel_contract::external_panels::StatisticType;

use super::read::{OrderState, State};

/// An answer about an order of `quantity`, whose whole price there is `full`, with what remains by the panel's measure.
///
/// A panel that takes everything at the start and gives back at the end says the whole price while the order is open:
/// that is no delivery, so `remains` stays as it was said until the charge is below the whole.
#[must_use]
pub fn measured(by: StatisticType, quantity: i64, full: Money, said: OrderState) -> OrderState {
    let tells = match said.state {
        State::Open => said.charge.is_some_and(|charge| charge < full),
        State::Partial | State::Canceled | State::Failed => said.charge.is_some(),
        State::Done | State::Unknown => false,
    };
    if by != StatisticType::Charge || full <= Money::ZERO || !tells {
        return said;
    }
    let charge = i128::from(said.charge.unwrap_or_default().0.clamp(0, full.0));
    // To the nearest unit, as a charge was rounded itself.
    let delivered = (i128::from(quantity) * charge + i128::from(full.0) / 2) / i128::from(full.0);
    let delivered = i64::try_from(delivered).unwrap_or(quantity);
    OrderState { remains: Some((quantity - delivered).max(0)), ..said }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reseller_protocol::read;

    fn remains(by: StatisticType, status: &str, charge: &str) -> Option<i64> {
        let said = serde_json::json!({ "status": status, "charge": charge, "remains": "7" });
        measured(by, 1_000, Money(900_000), read::order_state(&said).unwrap()).remains
    }

    #[test]
    fn a_charge_tells_what_was_delivered() {
        let by = |status, charge| remains(StatisticType::Charge, status, charge);
        assert_eq!(by("Partial", "0.45"), Some(500));
        assert_eq!(by("Partial", "0.299999"), Some(667), "a charge that was rounded");
        assert_eq!(by("Canceled", "0"), Some(1_000));
        assert_eq!(by("Canceled", "2"), Some(0), "never more than all");
        assert_eq!(by("In progress", "0.09"), Some(900));
        assert_eq!(by("In progress", "0.9"), Some(7), "taken at the start: no delivery");
        assert_eq!([by("Completed", "0.5"), by("(auto)", "0.5")], [Some(7); 2]);
        assert_eq!(remains(StatisticType::Remains, "Partial", "0.45"), Some(7));
    }
}
