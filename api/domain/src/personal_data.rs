//! Whether a customer's data may be erased now. Pure.

use panel_contract::amount::Money;
use panel_kernel::rejection::Rejection;

/// What blocks the erasure of a customer: open money and open work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpenObligations {
    /// Whether they have a role or a permission.
    pub is_staff: bool,
    /// Sum of all balances.
    pub balance: Money,
    /// Sum of all holds.
    pub held: Money,
    /// Orders that are neither completed nor canceled.
    pub orders: i64,
    /// Active drip-feeds and subscriptions.
    pub recurring: i64,
    /// Withdrawals that are neither paid nor rejected.
    pub withdrawals: i64,
    /// Unpaid invoices.
    pub invoices: i64,
    /// Free trials without a decision.
    pub free_trials: i64,
}

/// Rejects an erasure while money or work is open; the message names all of it.
pub fn check_erasable(obligations: &OpenObligations) -> Result<(), Rejection> {
    if obligations.is_staff {
        let message = "This user is staff. Take their roles and permissions away first, so that no power is left without a name.";
        return Err(Rejection::conflict("user_is_staff", message));
    }
    let mut open = Vec::new();
    if obligations.balance != Money::ZERO || obligations.held != Money::ZERO {
        open.push(format!("a balance of {} (pay it out, or take it away by hand)", obligations.balance));
    }
    let counted = [
        (obligations.orders, "orders that are not finished", "an order that is not finished"),
        (
            obligations.recurring,
            "drip-feeds or subscriptions that go on",
            "a drip-feed or subscription that goes on",
        ),
        (obligations.withdrawals, "open withdrawals", "an open withdrawal"),
        (obligations.invoices, "unpaid invoices", "an unpaid invoice"),
        (obligations.free_trials, "free trials without a decision", "a free trial without a decision"),
    ];
    for (number, many, one) in counted {
        match number {
            0 => {}
            1 => open.push(one.to_owned()),
            _ => open.push(format!("{number} {many}")),
        }
    }
    if open.is_empty() {
        return Ok(());
    }
    let message =
        format!("This customer cannot be erased yet. They have {}. End that first.", open.join(", "));
    Err(Rejection::conflict("erasure_blocked", message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_open_may_be_erased() {
        assert_eq!(check_erasable(&OpenObligations::default()), Ok(()));
    }

    #[test]
    fn staff_are_never_erased() {
        let staff = OpenObligations { is_staff: true, orders: 1, ..OpenObligations::default() };
        assert_eq!(check_erasable(&staff).unwrap_err().code, "user_is_staff");
    }

    #[test]
    fn each_open_matter_blocks_and_the_sentence_names_all() {
        let one = |obligations: OpenObligations| check_erasable(&obligations).unwrap_err();
        let none = OpenObligations::default();
        for blocked in [
            OpenObligations { balance: Money(1), ..none },
            OpenObligations { held: Money(1), ..none },
            OpenObligations { orders: 1, ..none },
            OpenObligations { recurring: 1, ..none },
            OpenObligations { withdrawals: 1, ..none },
            OpenObligations { invoices: 1, ..none },
            OpenObligations { free_trials: 1, ..none },
        ] {
            assert_eq!(one(blocked).code, "erasure_blocked", "{blocked:?}");
        }
        let refusal = one(OpenObligations { balance: Money(2_500_000), orders: 3, withdrawals: 1, ..none });
        for part in ["a balance of 2.5", "3 orders that are not finished", "an open withdrawal"] {
            assert!(refusal.message.contains(part), "{}", refusal.message);
        }
    }
}
