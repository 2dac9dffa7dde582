//! The state machine of sync runs: one import or sync, which reads the list of services of an external panel.

use crate::state_machine::{DiagramLabel, StateMachine, Transitions, label, transitions};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SyncRunState {
    /// A process reads the list.
    Running,
    /// Its changes were applied.
    Ended,
    /// The list could not be read or applied.
    Failed,
}

impl SyncRunState {
    /// The state that the stored columns mean.
    #[must_use]
    pub const fn of(is_ended: bool, has_error: bool) -> Self {
        match (is_ended, has_error) {
            (false, _) => Self::Running,
            (true, false) => Self::Ended,
            (true, true) => Self::Failed,
        }
    }
}

/// An event of a sync run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SyncRunEvent {
    /// Its changes were applied.
    End,
    /// The list could not be read or applied.
    Fail,
}

/// The state machine of the table `sync_runs`.
#[derive(Debug)]
pub struct SyncRuns;

impl StateMachine for SyncRuns {
    type State = SyncRunState;
    type Event = SyncRunEvent;
    const NAME: &'static str = "sync-run";
    const TITLE: &'static str = "Sync runs";
    const ABOUT: &'static str =
        "One run of an import or a sync, which reads the list of services of an external panel.";
    const STATES: &'static [DiagramLabel<SyncRunState>] = &[
        label(
            SyncRunState::Running,
            "running",
            "A process reads the list. If the process dies, the run stays in this state until retention deletes its row",
        ),
        label(SyncRunState::Ended, "ended", "Its changes were applied"),
        label(SyncRunState::Failed, "failed", "The list could not be read or applied"),
    ];
    const EVENTS: &'static [DiagramLabel<SyncRunEvent>] = &[
        label(SyncRunEvent::End, "end", "Its changes were applied"),
        label(SyncRunEvent::Fail, "fail", "The list could not be read or applied"),
    ];
    const INITIAL_STATES: &'static [SyncRunState] = &[SyncRunState::Running];
    const TRANSITIONS: &'static [Transitions<SyncRunState, SyncRunEvent>] = {
        use SyncRunEvent as E;
        use SyncRunState as S;
        &[transitions(&[S::Running], &[(E::End, S::Ended), (E::Fail, S::Failed)])]
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::assert_table;

    #[test]
    fn the_table_has_exactly_the_expected_transitions() {
        use SyncRunEvent as E;
        use SyncRunState as S;
        assert_table::<SyncRuns>(|state, event| match event {
            E::End => (state == S::Running).then_some(S::Ended),
            E::Fail => (state == S::Running).then_some(S::Failed),
        });
    }
}
