//! Calculates the delivered quantity of an order from the field `remains` or from the charge. Pure functions.
//!
//! Some external panels do not report a useful `remains`, but charge exactly for the delivered units. For such a panel, staff set
//! `statistic_type` to `charge`, so that `remains` is calculated from the charge.

use panel_contract::amount::Money;
use panel_contract::external_panels::StatisticType;

use super::responses::{ExternalOrderState, ExternalOrderStatus};

/// Returns the reported status; for the statistic type `charge`, `remains` is calculated from the charge. `quantity` and
/// `full_price` are the quantity and price of the whole order.
///
/// Some panels charge the full price at the start and refund a part at the end. While the charge equals the full price, it does not
/// show how much is delivered, so `remains` is not changed.
#[must_use]
pub fn apply_statistic_type(
    statistic_type: StatisticType,
    quantity: i64,
    full_price: Money,
    report: ExternalOrderStatus,
) -> ExternalOrderStatus {
    let charge_shows_delivery = match report.state {
        ExternalOrderState::Open => report.charge.is_some_and(|charge| charge < full_price),
        ExternalOrderState::Partial | ExternalOrderState::Canceled | ExternalOrderState::Failed => {
            report.charge.is_some()
        }
        ExternalOrderState::Done | ExternalOrderState::Unknown => false,
    };
    if statistic_type != StatisticType::Charge || full_price <= Money::ZERO || !charge_shows_delivery {
        return report;
    }
    let charge = i128::from(report.charge.unwrap_or_default().0.clamp(0, full_price.0));
    // Rounded to the nearest unit, because the panel has rounded the charge.
    let delivered = (i128::from(quantity) * charge + i128::from(full_price.0) / 2) / i128::from(full_price.0);
    let delivered = i64::try_from(delivered).unwrap_or(quantity);
    ExternalOrderStatus { remains: Some((quantity - delivered).max(0)), ..report }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reseller_protocol::responses;

    fn remains(statistic_type: StatisticType, status: &str, charge: &str) -> Option<i64> {
        let report = serde_json::json!({ "status": status, "charge": charge, "remains": "7" });
        apply_statistic_type(
            statistic_type,
            1_000,
            Money(900_000),
            responses::parse_order_status(&report).unwrap(),
        )
        .remains
    }

    #[test]
    fn computes_remains_from_the_charge() {
        let by_charge = |status, charge| remains(StatisticType::Charge, status, charge);
        assert_eq!(by_charge("Partial", "0.45"), Some(500));
        assert_eq!(by_charge("Partial", "0.299999"), Some(667), "a charge that was rounded");
        assert_eq!(by_charge("Canceled", "0"), Some(1_000));
        assert_eq!(by_charge("Canceled", "2"), Some(0), "never more than the ordered quantity");
        assert_eq!(by_charge("In progress", "0.09"), Some(900));
        assert_eq!(by_charge("In progress", "0.9"), Some(7), "charged at the start, nothing delivered");
        assert_eq!([by_charge("Completed", "0.5"), by_charge("(auto)", "0.5")], [Some(7); 2]);
        assert_eq!(remains(StatisticType::Remains, "Partial", "0.45"), Some(7));
    }
}
