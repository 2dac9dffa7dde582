//! Withdrawals: a customer asks for money of the balance, and staff decide and pay.

use panel_contract::withdrawals::WithdrawalStatus;

use crate::state_machine::{Described, StateMachine, Transitions, described, transitions};

/// An event of a withdrawal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WithdrawalEvent {
    /// Staff approve it.
    Approve,
    /// Staff reject it, before or after an approval.
    Reject,
    /// Staff paid it.
    Pay,
}

/// The machine of `withdrawals`.
#[derive(Debug)]
pub struct Withdrawals;

impl StateMachine for Withdrawals {
    type State = WithdrawalStatus;
    type Event = WithdrawalEvent;
    const NAME: &'static str = "withdrawal";
    const TITLE: &'static str = "Withdrawals";
    const ABOUT: &'static str = "A customer asks for money of the balance. The amount is held from the request on; a rejection returns it.";
    const STATES: &'static [Described<WithdrawalStatus>] = &[
        described(WithdrawalStatus::Pending, "pending", "Staff decide; the amount is held"),
        described(WithdrawalStatus::Approved, "approved", "Staff will pay it; the amount is held"),
        described(WithdrawalStatus::Paid, "paid", "The money left the panel"),
        described(WithdrawalStatus::Rejected, "rejected", "The amount is back on the balance"),
    ];
    const EVENTS: &'static [Described<WithdrawalEvent>] = &[
        described(WithdrawalEvent::Approve, "approve", "Staff approve it"),
        described(WithdrawalEvent::Reject, "reject", "Staff reject it, before or after an approval"),
        described(WithdrawalEvent::Pay, "pay", "Staff paid it"),
    ];
    const INITIAL_STATES: &'static [WithdrawalStatus] = &[WithdrawalStatus::Pending];
    const TRANSITIONS: &'static [Transitions<WithdrawalStatus, WithdrawalEvent>] = {
        use WithdrawalEvent as E;
        use WithdrawalStatus as S;
        &[
            transitions(&[S::Pending], &[(E::Approve, S::Approved)]),
            transitions(&[S::Pending, S::Approved], &[(E::Reject, S::Rejected)]),
            transitions(&[S::Approved], &[(E::Pay, S::Paid)]),
        ]
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::assert_table;

    #[test]
    fn every_event_in_every_state() {
        use WithdrawalEvent as E;
        use WithdrawalStatus as S;
        assert_table::<Withdrawals>(|state, event| match event {
            E::Approve => (state == S::Pending).then_some(S::Approved),
            E::Reject => matches!(state, S::Pending | S::Approved).then_some(S::Rejected),
            E::Pay => (state == S::Approved).then_some(S::Paid),
        });
    }
}
