//! The measure of what a panel delivered: the field `remains` or the charge. Pure.
//!
//! Some panels report no useful `remains` but charge exactly for what they delivered; staff set `statistic_type` of such a panel to
//! `charge`. Then `remains` is computed from the charge.

use panel_contract::amount::Money;
use panel_contract::external_panels::StatisticType;

use super::read::{ExternalOrderState, ExternalOrderStatus};

/// The status of an order of `quantity`, whose full price is `full`, with `remains` by the measure of the panel.
///
/// A panel that charges the full price at the start and refunds at the end reports the full price while the order is open. That is no
/// delivery, so `remains` is left unchanged until the charge is below the full price.
#[must_use]
pub fn measure_by_charge(
    by: StatisticType,
    quantity: i64,
    full: Money,
    report: ExternalOrderStatus,
) -> ExternalOrderStatus {
    let is_delivery = match report.state {
        ExternalOrderState::Open => report.charge.is_some_and(|charge| charge < full),
        ExternalOrderState::Partial | ExternalOrderState::Canceled | ExternalOrderState::Failed => {
            report.charge.is_some()
        }
        ExternalOrderState::Done | ExternalOrderState::Unknown => false,
    };
    if by != StatisticType::Charge || full <= Money::ZERO || !is_delivery {
        return report;
    }
    let charge = i128::from(report.charge.unwrap_or_default().0.clamp(0, full.0));
    // To the nearest unit, as a charge was rounded itself.
    let delivered = (i128::from(quantity) * charge + i128::from(full.0) / 2) / i128::from(full.0);
    let delivered = i64::try_from(delivered).unwrap_or(quantity);
    ExternalOrderStatus { remains: Some((quantity - delivered).max(0)), ..report }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reseller_protocol::read;

    fn remains(by: StatisticType, status: &str, charge: &str) -> Option<i64> {
        let report = serde_json::json!({ "status": status, "charge": charge, "remains": "7" });
        measure_by_charge(by, 1_000, Money(900_000), read::order_state(&report).unwrap()).remains
    }

    #[test]
    fn computes_remains_from_the_charge() {
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
