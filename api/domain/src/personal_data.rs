//! Whether a customer's data can be erased now. Pure: what the customer still has in, a refusal with all reasons out.

use panel_contract::amount::Money;
use panel_kernel::rejection::Rejection;

/// What a customer still has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Standing {
    /// Whether they have a role or a permission.
    pub is_staff: bool,
    /// All balances.
    pub balance: Money,
    /// What of it is held.
    pub held: Money,
    /// Orders that are neither completed nor canceled.
    pub orders: i64,
    /// Drip-feeds and subscriptions that go on.
    pub recurring: i64,
    /// Withdrawals that are neither paid nor rejected.
    pub withdrawals: i64,
    /// Invoices that wait for a payment.
    pub invoices: i64,
    /// Free trials that wait for a decision.
    pub free_trials: i64,
}

/// Refuses an erasure while money or work is open; the sentence names all of it.
pub fn judge(standing: &Standing) -> Result<(), Rejection> {
    if standing.is_staff {
        let message = "This user is staff. Take their roles and permissions away first, so that no power is left without a name.";
        return Err(Rejection::conflict("user_is_staff", message));
    }
    let mut open = Vec::new();
    if standing.balance != Money::ZERO || standing.held != Money::ZERO {
        open.push(format!("a balance of {} (pay it out, or take it away by hand)", standing.balance));
    }
    let counted = [
        (standing.orders, "orders that are not finished", "an order that is not finished"),
        (
            standing.recurring,
            "drip-feeds or subscriptions that go on",
            "a drip-feed or subscription that goes on",
        ),
        (standing.withdrawals, "open withdrawals", "an open withdrawal"),
        (standing.invoices, "unpaid invoices", "an unpaid invoice"),
        (standing.free_trials, "free trials without a decision", "a free trial without a decision"),
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
        assert_eq!(judge(&Standing::default()), Ok(()));
    }

    #[test]
    fn staff_are_never_erased() {
        let staff = Standing { is_staff: true, orders: 1, ..Standing::default() };
        assert_eq!(judge(&staff).unwrap_err().code, "user_is_staff");
    }

    #[test]
    fn each_open_matter_blocks_and_the_sentence_names_all() {
        let one = |standing: Standing| judge(&standing).unwrap_err();
        let none = Standing::default();
        for blocked in [
            Standing { balance: Money(1), ..none },
            Standing { held: Money(1), ..none },
            Standing { orders: 1, ..none },
            Standing { recurring: 1, ..none },
            Standing { withdrawals: 1, ..none },
            Standing { invoices: 1, ..none },
            Standing { free_trials: 1, ..none },
        ] {
            assert_eq!(one(blocked).code, "erasure_blocked", "{blocked:?}");
        }
        let refusal = one(Standing { balance: Money(2_500_000), orders: 3, withdrawals: 1, ..none });
        for part in ["a balance of 2.5", "3 orders that are not finished", "an open withdrawal"] {
            assert!(refusal.message.contains(part), "{}", refusal.message);
        }
    }
}
