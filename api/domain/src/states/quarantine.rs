//! The state machine of the quarantine: a process died while it worked on a record, so a separate process works on this record
//! only. If the separate process dies as well, the record stays in quarantine.

use panel_contract::quarantine::QuarantineStatus;

use crate::state_machine::{DiagramLabel, StateMachine, Transitions, label, transitions};

/// An event of a quarantined record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QuarantineEvent {
    /// Another process died while it worked on this record.
    CountDeath,
    /// A separate process claims it and works on no other record.
    Try,
    /// The test could not start, or a shutdown interrupted it.
    Postpone,
    /// The process that worked only on this record died.
    Quarantine,
}

/// The state machine of the table `quarantine`.
#[derive(Debug)]
pub struct Quarantine;

impl StateMachine for Quarantine {
    type State = QuarantineStatus;
    type Event = QuarantineEvent;
    const NAME: &'static str = "quarantine";
    const TITLE: &'static str = "Quarantine";
    const ABOUT: &'static str = "A record that no poller claims, because a process died while it worked on it. The row is deleted when the separate process has finished the work on the record, and when staff release the record ([quarantine](../quarantine.md)).";
    const STATES: &'static [DiagramLabel<QuarantineStatus>] = &[
        label(
            QuarantineStatus::Suspected,
            "suspected",
            "A process died while it worked on this record, perhaps because of another record of the same batch",
        ),
        label(QuarantineStatus::Trying, "trying", "A separate process works on this record only"),
        label(
            QuarantineStatus::Quarantined,
            "quarantined",
            "The separate process died as well: staff decide",
        ),
    ];
    const EVENTS: &'static [DiagramLabel<QuarantineEvent>] = &[
        label(
            QuarantineEvent::CountDeath,
            "count death",
            "Another process died while it worked on this record",
        ),
        label(QuarantineEvent::Try, "try", "A separate process claims it and works on no other record"),
        label(
            QuarantineEvent::Postpone,
            "postpone",
            "The test could not start, or a shutdown interrupted it",
        ),
        label(QuarantineEvent::Quarantine, "condemn", "The process that worked only on this record died"),
    ];
    const INITIAL_STATES: &'static [QuarantineStatus] = &[QuarantineStatus::Suspected];
    const TRANSITIONS: &'static [Transitions<QuarantineStatus, QuarantineEvent>] = {
        use QuarantineEvent as E;
        use QuarantineStatus as S;
        &[
            transitions(&[S::Suspected], &[(E::CountDeath, S::Suspected), (E::Try, S::Trying)]),
            transitions(
                &[S::Trying],
                &[(E::CountDeath, S::Trying), (E::Postpone, S::Suspected), (E::Quarantine, S::Quarantined)],
            ),
            transitions(&[S::Quarantined], &[(E::CountDeath, S::Quarantined)]),
        ]
    };
    const HIDDEN_EVENTS: &'static [QuarantineEvent] = &[QuarantineEvent::CountDeath];
    const HAS_FINAL_STATES: bool = false;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::assert_table;

    #[test]
    fn the_table_has_exactly_the_expected_transitions() {
        use QuarantineEvent as E;
        use QuarantineStatus as S;
        assert_table::<Quarantine>(|state, event| match event {
            E::CountDeath => Some(state),
            E::Try => (state == S::Suspected).then_some(S::Trying),
            E::Postpone => (state == S::Trying).then_some(S::Suspected),
            E::Quarantine => (state == S::Trying).then_some(S::Quarantined),
        });
    }
}
