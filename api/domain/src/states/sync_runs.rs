//! Imports and syncs of external panels: one look at a list of services.

use crate::state_machine::{Described, StateMachine, Transitions, described, transitions};

/// Where a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SyncRunState {
    /// A process reads the list.
    Running,
    /// Its changes were applied.
    Ended,
    /// It could not be read or applied.
    Failed,
}

impl SyncRunState {
    /// The state of a run as it is stored.
    #[must_use]
    pub const fn of(is_ended: bool, has_error: bool) -> Self {
        match (is_ended, has_error) {
            (false, _) => Self::Running,
            (true, false) => Self::Ended,
            (true, true) => Self::Failed,
        }
    }
}

/// An event of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SyncRunEvent {
    /// Its changes were applied.
    End,
    /// The list could not be read or applied.
    Fail,
}

/// The machine of `sync_runs`.
#[derive(Debug)]
pub struct SyncRuns;

impl StateMachine for SyncRuns {
    type State = SyncRunState;
    type Event = SyncRunEvent;
    const NAME: &'static str = "sync-run";
    const TITLE: &'static str = "Sync runs";
    const ABOUT: &'static str =
        "One run of an import or a sync, which reads the list of services of an external panel.";
    const STATES: &'static [Described<SyncRunState>] = &[
        described(
            SyncRunState::Running,
            "running",
            "A process reads the list. A run of a process that died stays so until its row is removed by age",
        ),
        described(SyncRunState::Ended, "ended", "Its changes were applied"),
        described(SyncRunState::Failed, "failed", "The list could not be read or applied"),
    ];
    const EVENTS: &'static [Described<SyncRunEvent>] = &[
        described(SyncRunEvent::End, "end", "Its changes were applied"),
        described(SyncRunEvent::Fail, "fail", "The list could not be read or applied"),
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
    fn every_event_in_every_state() {
        use SyncRunEvent as E;
        use SyncRunState as S;
        assert_table::<SyncRuns>(|state, event| match event {
            E::End => (state == S::Running).then_some(S::Ended),
            E::Fail => (state == S::Running).then_some(S::Failed),
        });
    }
}
