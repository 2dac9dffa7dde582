//! Calculates a refund and splits it over the balances of a customer. A refund never exceeds the payment. Pure functions with exact
//! arithmetic.

use panel_contract::amount::{Money, Overflow};
use panel_contract::payments::BalanceType;
use panel_kernel::rejection::Rejection;

/// The amounts and quantities of an order from which refunds are calculated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BilledOrder {
    /// Amount that was charged for the order.
    pub cost: Money,
    /// Sum of earlier refunds.
    pub refunded: Money,
    /// Ordered units.
    pub quantity: i64,
    /// Delivered units; a number above `quantity` counts as `quantity`.
    pub delivered: i64,
    /// Number of decimals of the charge.
    pub precision: u8,
    /// Whether the customer was charged.
    pub is_paid: bool,
}

impl BilledOrder {
    /// The maximum amount that can still be refunded.
    #[must_use]
    pub fn refundable(&self) -> Money {
        if self.is_paid { Money(self.cost.0 - self.refunded.0) } else { Money::ZERO }
    }

    /// The default refund: the cost of all undelivered units minus earlier refunds, so that the rounding errors of several refunds
    /// do not add up. The cost of the delivered units is rounded up, so the refund is rounded down.
    pub fn default_refund(&self) -> Result<Money, Overflow> {
        if !self.is_paid {
            return Ok(Money::ZERO);
        }
        let delivered = self.delivered.clamp(0, self.quantity);
        let delivered_cost = self.cost.scaled_rounded_up(delivered, self.quantity.max(1), self.precision)?;
        let undelivered_cost = Money((self.cost.0 - delivered_cost.0).max(0));
        Ok(Money((undelivered_cost.0 - self.refunded.0).max(0)))
    }

    /// The refund of a cancellation: the requested amount after validation, or the default refund.
    pub fn refund(&self, requested: Option<Money>) -> Result<Money, Rejection> {
        let Some(amount) = requested else {
            return self
                .default_refund()
                .map_err(|error| Rejection::invalid("amount", "amount_too_large", error.to_string()));
        };
        if amount <= Money::ZERO {
            return Err(Rejection::invalid(
                "amount",
                "amount_not_positive",
                "Enter an amount above 0, or leave the field empty for the default refund.",
            ));
        }
        if amount > self.refundable() {
            let message = format!(
                "Refund at most {}: {} was paid, and {} was already refunded.",
                self.refundable(),
                self.cost,
                self.refunded
            );
            return Err(Rejection::invalid("amount", "amount_exceeds_paid", message));
        }
        Ok(amount)
    }
}

/// The part of a payment that one balance of the customer paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BalanceShare {
    pub balance: BalanceType,
    /// Amount paid from this balance.
    pub paid: Money,
    /// Amount already refunded to this balance.
    pub refunded: Money,
}

/// Splits a refund over the balances that paid, in proportion to the amounts that can still be refunded to each balance. The
/// balance that paid the largest part gets the remainder of the rounding. A balance never gets more than it paid, because task or
/// referral money must not become main money. If the refund exceeds the refundable total, the excess is omitted.
#[must_use]
pub fn split_refund(refund: Money, shares: &[BalanceShare]) -> Vec<(BalanceType, Money)> {
    let refundable = |share: &BalanceShare| (share.paid.0 - share.refunded.0).max(0);
    let total: i128 = shares.iter().map(|share| i128::from(refundable(share))).sum();
    let refund = i128::from(refund.0).min(total);
    if refund <= 0 {
        return Vec::new();
    }
    let proportional =
        |share: &BalanceShare| i64::try_from(refund * i128::from(refundable(share)) / total).unwrap_or(0);
    let mut parts: Vec<(usize, i64)> =
        shares.iter().enumerate().map(|(index, share)| (index, proportional(share))).collect();
    let mut remainder = i64::try_from(refund).unwrap_or(0) - parts.iter().map(|part| part.1).sum::<i64>();
    parts.sort_by_key(|(index, _)| (std::cmp::Reverse(shares[*index].paid), *index));
    for (index, amount) in &mut parts {
        let additional = remainder.min(refundable(&shares[*index]) - *amount);
        *amount += additional;
        remainder -= additional;
    }
    parts.sort_by_key(|(index, _)| *index);
    parts
        .into_iter()
        .filter(|part| part.1 > 0)
        .map(|(index, amount)| (shares[index].balance, Money(amount)))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bill(cost: i64, refunded: i64, quantity: i64, delivered: i64) -> BilledOrder {
        BilledOrder {
            cost: Money(cost),
            refunded: Money(refunded),
            quantity,
            delivered,
            precision: 2,
            is_paid: true,
        }
    }

    #[test]
    fn refunds_the_undelivered_units() {
        assert_eq!(bill(10_000_000, 0, 1000, 0).default_refund(), Ok(Money(10_000_000)));
        assert_eq!(bill(10_000_000, 0, 1000, 250).default_refund(), Ok(Money(7_500_000)));
        assert_eq!(bill(10_000_000, 0, 1000, 1200).default_refund(), Ok(Money::ZERO));
        // A third of 10.00 is delivered: 3.34, rounded up, so 6.66 is refunded.
        assert_eq!(bill(10_000_000, 0, 3, 1).default_refund(), Ok(Money(6_660_000)));
        assert_eq!(
            BilledOrder { is_paid: false, ..bill(10_000_000, 0, 10, 0) }.default_refund(),
            Ok(Money::ZERO)
        );
    }

    #[test]
    fn a_requested_refund_must_be_within_bounds() {
        let bill = bill(10_000_000, 4_000_000, 10, 0);
        assert_eq!(bill.refund(Some(Money(6_000_000))), Ok(Money(6_000_000)));
        assert_eq!(bill.refund(Some(Money(6_000_001))).unwrap_err().code, "amount_exceeds_paid");
        assert_eq!(bill.refund(Some(Money::ZERO)).unwrap_err().code, "amount_not_positive");
    }

    #[test]
    fn a_refund_returns_to_the_balances_that_paid() {
        let share = |balance, paid| BalanceShare { balance, paid: Money(paid), refunded: Money::ZERO };
        let shares = [share(BalanceType::Main, 6_000_000), share(BalanceType::Task, 3_000_000)];
        assert_eq!(
            split_refund(Money(3_000_001), &shares),
            [(BalanceType::Main, Money(2_000_001)), (BalanceType::Task, Money(1_000_000))]
        );
    }

    proptest! {
        #[test]
        fn partial_refunds_add_up_to_a_single_refund(cost in 1_i64..1_000_000_000_000, quantity in 1_i64..1_000_000, steps in proptest::collection::vec(0_i64..1_000_000, 1..8), precision in 0_u8..=6) {
            let mut bill = BilledOrder { cost: Money(cost), refunded: Money::ZERO, quantity, delivered: 0, precision, is_paid: true };
            // The delivered quantity decreases, so each refund is in addition to the previous refunds.
            let mut delivered_quantities: Vec<i64> = steps;
            delivered_quantities.sort_unstable_by(|a, b| b.cmp(a));
            for delivered in &delivered_quantities {
                bill.delivered = *delivered;
                bill.refunded = Money(bill.refunded.0 + bill.default_refund().unwrap().0);
                prop_assert!(bill.refunded <= bill.cost);
            }
            let without_refunds = BilledOrder { refunded: Money::ZERO, ..bill };
            prop_assert_eq!(bill.refunded, without_refunds.default_refund().unwrap());
        }

        #[test]
        fn a_split_adds_up_and_no_balance_gets_more_than_it_paid(paid in proptest::collection::vec((1_i64..1_000_000_000, 0_i64..1_000_000_000), 1..4), refund in 0_i64..4_000_000_000) {
            let kinds = [BalanceType::Main, BalanceType::Task, BalanceType::Referral];
            let shares: Vec<BalanceShare> = paid.iter().zip(kinds).map(|((paid, refunded), balance)| BalanceShare { balance, paid: Money(*paid), refunded: Money(*refunded.min(paid)) }).collect();
            let refundable: i64 = shares.iter().map(|share| share.paid.0 - share.refunded.0).sum();
            let parts = split_refund(Money(refund), &shares);
            prop_assert_eq!(parts.iter().map(|part| part.1.0).sum::<i64>(), refund.min(refundable));
            for (balance, amount) in parts {
                let share = shares.iter().find(|share| share.balance == balance).unwrap();
                prop_assert!(amount.0 <= share.paid.0 - share.refunded.0);
            }
        }
    }
}
