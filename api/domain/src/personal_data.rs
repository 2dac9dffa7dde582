//! Decides whether the personal data of a customer can be erased now. Pure functions.

use panel_contract::amount::Money;
use panel_kernel::rejection::Rejection;

/// The money and unfinished work of a customer. Each of them blocks the erasure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpenObligations {
    /// Whether the user has a role or a permission.
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
    pub invoices: i64,
    /// Free trials without a decision.
    pub free_trials: i64,
}

/// Rejects an erasure while the customer has money or unfinished work. The message lists all obligations.
pub fn check_erasable(obligations: &OpenObligations) -> Result<(), Rejection> {
    if obligations.is_staff {
        let message = "This user is a staff member. Remove their roles and permissions first.";
        return Err(Rejection::conflict("user_is_staff", message));
    }
    let mut obligation_texts = Vec::new();
    if obligations.balance != Money::ZERO || obligations.held != Money::ZERO {
        obligation_texts
            .push(format!("a balance of {} (pay it out, or correct the balance)", obligations.balance));
    }
    let counts = [
        (obligations.orders, "unfinished orders", "an unfinished order"),
        (obligations.recurring, "active drip-feeds or subscriptions", "an active drip-feed or subscription"),
        (obligations.withdrawals, "open withdrawals", "an open withdrawal"),
        (obligations.invoices, "unpaid invoices", "an unpaid invoice"),
        (obligations.free_trials, "free trials without a decision", "a free trial without a decision"),
    ];
    for (count, plural, singular) in counts {
        match count {
            0 => {}
            1 => obligation_texts.push(singular.to_owned()),
            _ => obligation_texts.push(format!("{count} {plural}")),
        }
    }
    if obligation_texts.is_empty() {
        return Ok(());
    }
    let message = format!(
        "You cannot erase this customer yet. They have {}. Settle these first.",
        obligation_texts.join(", ")
    );
    Err(Rejection::conflict("erasure_blocked", message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_customer_without_open_obligations_can_be_erased() {
        assert_eq!(check_erasable(&OpenObligations::default()), Ok(()));
    }

    #[test]
    fn staff_are_never_erased() {
        let staff = OpenObligations { is_staff: true, orders: 1, ..OpenObligations::default() };
        assert_eq!(check_erasable(&staff).unwrap_err().code, "user_is_staff");
    }

    #[test]
    fn each_open_obligation_blocks_the_erasure() {
        let rejection = |obligations: OpenObligations| check_erasable(&obligations).unwrap_err();
        let no_obligations = OpenObligations::default();
        for obligations in [
            OpenObligations { balance: Money(1), ..no_obligations },
            OpenObligations { held: Money(1), ..no_obligations },
            OpenObligations { orders: 1, ..no_obligations },
            OpenObligations { recurring: 1, ..no_obligations },
            OpenObligations { withdrawals: 1, ..no_obligations },
            OpenObligations { invoices: 1, ..no_obligations },
            OpenObligations { free_trials: 1, ..no_obligations },
        ] {
            assert_eq!(rejection(obligations).code, "erasure_blocked", "{obligations:?}");
        }
        let rejection = rejection(OpenObligations {
            balance: Money(2_500_000),
            orders: 3,
            withdrawals: 1,
            ..no_obligations
        });
        for part in ["a balance of 2.5", "3 unfinished orders", "an open withdrawal"] {
            assert!(rejection.message.contains(part), "{}", rejection.message);
        }
    }
}
