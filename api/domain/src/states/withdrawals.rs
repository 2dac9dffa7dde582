//! The state machine of withdrawals: a customer requests money from the balance, and staff decide and pay.

use panel_contract::withdrawals::WithdrawalStatus;

use crate::state_machine::{DiagramLabel, StateMachine, Transitions, label, transitions};

/// An event of a withdrawal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WithdrawalEvent {
    Approve,
    /// Staff reject it, before or after an approval.
    Reject,
    Pay,
}

/// The state machine of the table `withdrawals`.
#[derive(Debug)]
pub struct Withdrawals;

impl StateMachine for Withdrawals {
    type State = WithdrawalStatus;
    type Event = WithdrawalEvent;
    const NAME: &'static str = "withdrawal";
    const TITLE: &'static str = "Withdrawals";
    const ABOUT: &'static str = "A customer requests money from the balance. The amount is on hold from the time of the request; a rejection returns it to the balance.";
    const STATES: &'static [DiagramLabel<WithdrawalStatus>] = &[
        label(WithdrawalStatus::Pending, "pending", "Staff decide; the amount is on hold"),
        label(WithdrawalStatus::Approved, "approved", "Staff will pay it; the amount is on hold"),
        label(WithdrawalStatus::Paid, "paid", "The money left the panel"),
        label(WithdrawalStatus::Rejected, "rejected", "The amount is back on the balance"),
    ];
    const EVENTS: &'static [DiagramLabel<WithdrawalEvent>] = &[
        label(WithdrawalEvent::Approve, "approve", "Staff approve it"),
        label(WithdrawalEvent::Reject, "reject", "Staff reject it, before or after an approval"),
        label(WithdrawalEvent::Pay, "pay", "Staff paid it"),
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
    fn the_table_has_exactly_the_expected_transitions() {
        use WithdrawalEvent as E;
        use WithdrawalStatus as S;
        assert_table::<Withdrawals>(|state, event| match event {
            E::Approve => (state == S::Pending).then_some(S::Approved),
            E::Reject => matches!(state, S::Pending | S::Approved).then_some(S::Rejected),
            E::Pay => (state == S::Approved).then_some(S::Paid),
        });
    }
}
