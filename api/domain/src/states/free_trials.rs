//! The state machine of free trials: a customer requests a free order as the reward of a quest, and staff decide.

use panel_contract::free_trials::FreeTrialStatus;

use crate::state_machine::{DiagramLabel, StateMachine, Transitions, label, transitions};

/// An event of a free trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FreeTrialEvent {
    /// Staff approve it, or the quest approves requests automatically; the server places the free order.
    Approve,
    Reject,
}

/// The state machine of the table `free_trials`.
#[derive(Debug)]
pub struct FreeTrials;

impl StateMachine for FreeTrials {
    type State = FreeTrialStatus;
    type Event = FreeTrialEvent;
    const NAME: &'static str = "free-trial";
    const TITLE: &'static str = "Free trials";
    const ABOUT: &'static str =
        "A customer requests a free order as the reward of a quest. Both decisions are final.";
    const STATES: &'static [DiagramLabel<FreeTrialStatus>] = &[
        label(FreeTrialStatus::Pending, "pending", "Staff decide"),
        label(FreeTrialStatus::Approved, "approved", "The free order was placed"),
        label(FreeTrialStatus::Rejected, "rejected", "Staff rejected it"),
    ];
    const EVENTS: &'static [DiagramLabel<FreeTrialEvent>] = &[
        label(
            FreeTrialEvent::Approve,
            "approve",
            "Staff approve it, or the quest approves requests automatically; the server places the free order",
        ),
        label(FreeTrialEvent::Reject, "reject", "Staff reject it"),
    ];
    const INITIAL_STATES: &'static [FreeTrialStatus] = &[FreeTrialStatus::Pending];
    const TRANSITIONS: &'static [Transitions<FreeTrialStatus, FreeTrialEvent>] = {
        use FreeTrialEvent as E;
        use FreeTrialStatus as S;
        &[transitions(&[S::Pending], &[(E::Approve, S::Approved), (E::Reject, S::Rejected)])]
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::assert_table;

    #[test]
    fn the_table_has_exactly_the_expected_transitions() {
        use FreeTrialEvent as E;
        use FreeTrialStatus as S;
        assert_table::<FreeTrials>(|state, event| match event {
            E::Approve => (state == S::Pending).then_some(S::Approved),
            E::Reject => (state == S::Pending).then_some(S::Rejected),
        });
    }
}
