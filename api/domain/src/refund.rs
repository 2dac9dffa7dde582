//! Amount of a refund, and its split over the balances. Pure and exact; never more than the customer paid.

use panel_contract::amount::{Money, Overflow};
use panel_contract::payments::BalanceType;
use panel_kernel::rejection::Rejection;

/// Amounts and quantities of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bill {
    /// What the customer was charged.
    pub cost: Money,
    /// Sum of earlier refunds.
    pub refunded: Money,
    /// Ordered units.
    pub quantity: i64,
    /// Delivered units; more than ordered count as the ordered quantity.
    pub delivered: i64,
    /// Decimals that the charge was rounded to.
    pub precision: u8,
    /// Whether the customer was charged.
    pub is_paid: bool,
}

impl Bill {
    /// Largest amount that may still be refunded.
    #[must_use]
    pub fn refundable(&self) -> Money {
        if self.is_paid { Money(self.cost.0 - self.refunded.0) } else { Money::ZERO }
    }

    /// The default refund: the price of the undelivered units, less earlier refunds. Computed cumulatively, so that partial refunds
    /// never drift; the delivered share rounds up, so the refund rounds down.
    pub fn default_refund(&self) -> Result<Money, Overflow> {
        if !self.is_paid {
            return Ok(Money::ZERO);
        }
        let delivered = self.delivered.clamp(0, self.quantity);
        let earned = self.cost.scaled_up(delivered, self.quantity.max(1), self.precision)?;
        let entitled = Money((self.cost.0 - earned.0).max(0));
        Ok(Money((entitled.0 - self.refunded.0).max(0)))
    }

    /// The refund of a cancel that returns money: the requested amount, or the default.
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
                "Enter an amount above zero, or leave it empty for the default refund.",
            ));
        }
        if amount > self.refundable() {
            let message = format!(
                "At most {} can be refunded: {} was paid and {} was refunded before.",
                self.refundable(),
                self.cost,
                self.refunded
            );
            return Err(Rejection::invalid("amount", "amount_exceeds_paid", message));
        }
        Ok(amount)
    }
}

/// The share of one balance in the payment of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// The balance.
    pub balance: BalanceType,
    /// Amount paid from it.
    pub paid: Money,
    /// Amount refunded to it.
    pub refunded: Money,
}

/// Splits a refund over the balances that paid, pro rata to what is still refundable to each, with the remainder to the largest.
/// Money returns to the balance that paid it: task or referral money never becomes main money. An excess over all refundable
/// amounts is left out.
#[must_use]
pub fn split(refund: Money, shares: &[Share]) -> Vec<(BalanceType, Money)> {
    let room = |share: &Share| (share.paid.0 - share.refunded.0).max(0);
    let total: i128 = shares.iter().map(|share| i128::from(room(share))).sum();
    let refund = i128::from(refund.0).min(total);
    if refund <= 0 {
        return Vec::new();
    }
    let part = |share: &Share| i64::try_from(refund * i128::from(room(share)) / total).unwrap_or(0);
    let mut parts: Vec<(usize, i64)> =
        shares.iter().enumerate().map(|(at, share)| (at, part(share))).collect();
    let mut rest = i64::try_from(refund).unwrap_or(0) - parts.iter().map(|part| part.1).sum::<i64>();
    parts.sort_by_key(|(at, _)| (std::cmp::Reverse(shares[*at].paid), *at));
    for (at, amount) in &mut parts {
        let more = rest.min(room(&shares[*at]) - *amount);
        *amount += more;
        rest -= more;
    }
    parts.sort_by_key(|(at, _)| *at);
    parts
        .into_iter()
        .filter(|part| part.1 > 0)
        .map(|(at, amount)| (shares[at].balance, Money(amount)))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bill(cost: i64, refunded: i64, quantity: i64, delivered: i64) -> Bill {
        Bill {
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
        // 3.33 of 9.99 is delivered and a little more: it rounds up for the panel.
        assert_eq!(bill(10_000_000, 0, 3, 1).default_refund(), Ok(Money(6_660_000)));
        assert_eq!(Bill { is_paid: false, ..bill(10_000_000, 0, 10, 0) }.default_refund(), Ok(Money::ZERO));
    }

    #[test]
    fn a_given_amount_has_bounds() {
        let bill = bill(10_000_000, 4_000_000, 10, 0);
        assert_eq!(bill.refund(Some(Money(6_000_000))), Ok(Money(6_000_000)));
        assert_eq!(bill.refund(Some(Money(6_000_001))).unwrap_err().code, "amount_exceeds_paid");
        assert_eq!(bill.refund(Some(Money::ZERO)).unwrap_err().code, "amount_not_positive");
    }

    #[test]
    fn goes_back_where_it_came_from() {
        let share = |balance, paid| Share { balance, paid: Money(paid), refunded: Money::ZERO };
        let shares = [share(BalanceType::Main, 6_000_000), share(BalanceType::Task, 3_000_000)];
        assert_eq!(
            split(Money(3_000_001), &shares),
            [(BalanceType::Main, Money(2_000_001)), (BalanceType::Task, Money(1_000_000))]
        );
    }

    proptest! {
        #[test]
        fn partial_refunds_never_drift(cost in 1_i64..1_000_000_000_000, quantity in 1_i64..1_000_000, steps in proptest::collection::vec(0_i64..1_000_000, 1..8), precision in 0_u8..=6) {
            let mut bill = Bill { cost: Money(cost), refunded: Money::ZERO, quantity, delivered: 0, precision, is_paid: true };
            // Deliveries shrink from look to look, so each refund adds to the last.
            let mut delivered: Vec<i64> = steps;
            delivered.sort_unstable_by(|a, b| b.cmp(a));
            for now in &delivered {
                bill.delivered = *now;
                bill.refunded = Money(bill.refunded.0 + bill.default_refund().unwrap().0);
                prop_assert!(bill.refunded <= bill.cost);
            }
            let at_once = Bill { refunded: Money::ZERO, ..bill };
            prop_assert_eq!(bill.refunded, at_once.default_refund().unwrap());
        }

        #[test]
        fn a_split_is_exact_and_fits(paid in proptest::collection::vec((1_i64..1_000_000_000, 0_i64..1_000_000_000), 1..4), refund in 0_i64..4_000_000_000) {
            let kinds = [BalanceType::Main, BalanceType::Task, BalanceType::Referral];
            let shares: Vec<Share> = paid.iter().zip(kinds).map(|((paid, refunded), balance)| Share { balance, paid: Money(*paid), refunded: Money(*refunded.min(paid)) }).collect();
            let room: i64 = shares.iter().map(|share| share.paid.0 - share.refunded.0).sum();
            let parts = split(Money(refund), &shares);
            prop_assert_eq!(parts.iter().map(|part| part.1.0).sum::<i64>(), refund.min(room));
            for (balance, amount) in parts {
                let share = shares.iter().find(|share| share.balance == balance).unwrap();
                prop_assert!(amount.0 <= share.paid.0 - share.refunded.0);
            }
        }
    }
}
