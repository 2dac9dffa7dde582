//! The state machine of changes that a sync found at an external panel: the synchronization applies a change, or holds it until
//! staff accept or reject it.

use crate::state_machine::{DiagramLabel, StateMachine, Transitions, label, transitions};

/// The state of a change. For a rejected change, the state also shows whether the external panel still reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SyncChangeState {
    /// The sync applied it.
    Applied,
    /// The sync did not apply it: staff decide.
    Held,
    /// Staff accepted it, which applied it.
    Accepted,
    /// Staff rejected it. Later syncs do not hold the same change again.
    Rejected,
    /// Staff rejected it, and the external panel has reported another value since then.
    RejectedBefore,
    /// The external panel reported another value before staff decided.
    Outdated,
}

impl SyncChangeState {
    /// The state that the stored columns mean; `None` for an unknown text.
    #[must_use]
    pub fn of(state: &str, is_still_reported: bool) -> Option<Self> {
        Some(match state {
            "applied" => Self::Applied,
            "held" => Self::Held,
            "accepted" => Self::Accepted,
            "rejected" if is_still_reported => Self::Rejected,
            "rejected" => Self::RejectedBefore,
            "outdated" => Self::Outdated,
            _ => return None,
        })
    }
}

/// An event of a change of a sync.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SyncChangeEvent {
    Accept,
    Reject,
    /// The panel reports another value.
    Outdate,
}

/// The state machine of the table `sync_changes`.
#[derive(Debug)]
pub struct SyncChanges;

impl StateMachine for SyncChanges {
    type State = SyncChangeState;
    type Event = SyncChangeEvent;
    const NAME: &'static str = "sync-change";
    const TITLE: &'static str = "Changes of syncs";
    const ABOUT: &'static str =
        "A change of price or availability that a [sync](sync-run.md) found at an external panel.";
    const STATES: &'static [DiagramLabel<SyncChangeState>] = &[
        label(SyncChangeState::Applied, "applied", "The sync applied it"),
        label(SyncChangeState::Held, "held", "It is not applied until staff accept it"),
        label(SyncChangeState::Accepted, "accepted", "Staff accepted it"),
        label(
            SyncChangeState::Rejected,
            "rejected",
            "Staff rejected it. Later syncs do not hold the same change again",
        ),
        label(
            SyncChangeState::RejectedBefore,
            "rejected_before",
            "Staff rejected it, and the panel has reported another value since then. Shown as `rejected`",
        ),
        label(SyncChangeState::Outdated, "outdated", "The panel reported another value before staff decided"),
    ];
    const EVENTS: &'static [DiagramLabel<SyncChangeEvent>] = &[
        label(SyncChangeEvent::Accept, "accept", "Staff accept it"),
        label(SyncChangeEvent::Reject, "reject", "Staff reject it"),
        label(SyncChangeEvent::Outdate, "outdate", "The panel reports another value"),
    ];
    const INITIAL_STATES: &'static [SyncChangeState] = &[SyncChangeState::Applied, SyncChangeState::Held];
    const TRANSITIONS: &'static [Transitions<SyncChangeState, SyncChangeEvent>] = {
        use SyncChangeEvent as E;
        use SyncChangeState as S;
        &[
            transitions(
                &[S::Held],
                &[(E::Accept, S::Accepted), (E::Reject, S::Rejected), (E::Outdate, S::Outdated)],
            ),
            transitions(&[S::Rejected], &[(E::Outdate, S::RejectedBefore)]),
        ]
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::assert_table;

    #[test]
    fn the_table_has_exactly_the_expected_transitions() {
        use SyncChangeEvent as E;
        use SyncChangeState as S;
        assert_table::<SyncChanges>(|state, event| match event {
            E::Accept => (state == S::Held).then_some(S::Accepted),
            E::Reject => (state == S::Held).then_some(S::Rejected),
            E::Outdate => match state {
                S::Held => Some(S::Outdated),
                S::Rejected => Some(S::RejectedBefore),
                _ => None,
            },
        });
    }
}
