//! Changes that a sync found at an external panel: applied, or held until staff decide.

use crate::state_machine::{Described, StateMachine, Transitions, described, transitions};

/// Where a change of a sync is: its state, and of a refused one whether the external panel still reports the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SyncChangeState {
    /// The sync applied it.
    Applied,
    /// Staff decide.
    Held,
    /// Staff accepted it.
    Accepted,
    /// Staff refused it, and the same is not held again.
    Refused,
    /// Staff refused it, and the external panel reports something else by now.
    RefusedBefore,
    /// The external panel withdrew it before staff decided.
    Outdated,
}

impl SyncChangeState {
    /// The state of a change as it is stored; none for a word that is no state.
    #[must_use]
    pub fn of(state: &str, is_standing: bool) -> Option<Self> {
        Some(match state {
            "applied" => Self::Applied,
            "held" => Self::Held,
            "accepted" => Self::Accepted,
            "refused" if is_standing => Self::Refused,
            "refused" => Self::RefusedBefore,
            "outdated" => Self::Outdated,
            _ => return None,
        })
    }
}

/// An event of a change of a sync.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SyncChangeEvent {
    /// Staff accept it.
    Accept,
    /// Staff refuse it.
    Refuse,
    /// The panel reports something else.
    Outdate,
}

/// The machine of `sync_changes`.
#[derive(Debug)]
pub struct SyncChanges;

impl StateMachine for SyncChanges {
    type State = SyncChangeState;
    type Event = SyncChangeEvent;
    const NAME: &'static str = "sync-change";
    const TITLE: &'static str = "Changes of syncs";
    const ABOUT: &'static str =
        "A change of price or availability that a [sync](sync-run.md) found at an external panel.";
    const STATES: &'static [Described<SyncChangeState>] = &[
        described(SyncChangeState::Applied, "applied", "The sync applied it"),
        described(SyncChangeState::Held, "held", "Staff decide"),
        described(SyncChangeState::Accepted, "accepted", "Staff accepted it"),
        described(SyncChangeState::Refused, "refused", "Staff refused it, and the same is not held again"),
        described(
            SyncChangeState::RefusedBefore,
            "refused_before",
            "Staff refused it, and the panel reports something else by now. Shown as `refused`",
        ),
        described(SyncChangeState::Outdated, "outdated", "The panel withdrew it before staff decided"),
    ];
    const EVENTS: &'static [Described<SyncChangeEvent>] = &[
        described(SyncChangeEvent::Accept, "accept", "Staff accept it"),
        described(SyncChangeEvent::Refuse, "refuse", "Staff refuse it"),
        described(SyncChangeEvent::Outdate, "outdate", "The panel reports something else"),
    ];
    const INITIAL_STATES: &'static [SyncChangeState] = &[SyncChangeState::Applied, SyncChangeState::Held];
    const TRANSITIONS: &'static [Transitions<SyncChangeState, SyncChangeEvent>] = {
        use SyncChangeEvent as E;
        use SyncChangeState as S;
        &[
            transitions(
                &[S::Held],
                &[(E::Accept, S::Accepted), (E::Refuse, S::Refused), (E::Outdate, S::Outdated)],
            ),
            transitions(&[S::Refused], &[(E::Outdate, S::RefusedBefore)]),
        ]
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::assert_table;

    #[test]
    fn every_event_in_every_state() {
        use SyncChangeEvent as E;
        use SyncChangeState as S;
        assert_table::<SyncChanges>(|state, event| match event {
            E::Accept => (state == S::Held).then_some(S::Accepted),
            E::Refuse => (state == S::Held).then_some(S::Refused),
            E::Outdate => match state {
                S::Held => Some(S::Outdated),
                S::Refused => Some(S::RefusedBefore),
                _ => None,
            },
        });
    }
}
