//! Providers: whether orders may go to them.

use panel_contract::providers::ProviderStatus;

use crate::state_machine::{Described, StateMachine, Transitions, described, next, transitions};

/// An event of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProviderEvent {
    /// Staff enable it, or undo the change.
    Enable,
    /// Staff disable it, or undo the change.
    Disable,
    /// Its external panel no longer lists the service.
    Vanish,
    /// Its external panel lists the service again.
    Return,
}

impl ProviderEvent {
    /// The event by which staff move a provider to a status; none where staff cannot.
    #[must_use]
    pub const fn to(status: ProviderStatus) -> Option<Self> {
        match status {
            ProviderStatus::Active => Some(Self::Enable),
            ProviderStatus::Disabled => Some(Self::Disable),
            ProviderStatus::Error | ProviderStatus::Archived => None,
        }
    }
}

/// Whether staff may set the status `to` of a provider that has the status `from`: never of an archived one, and never the
/// status that it has.
#[must_use]
pub fn is_settable(from: ProviderStatus, to: ProviderStatus) -> bool {
    ProviderEvent::to(to).is_some_and(|event| next::<Providers>(from, event).is_some())
}

/// The machine of `providers`.
#[derive(Debug)]
pub struct Providers;

impl StateMachine for Providers {
    type State = ProviderStatus;
    type Event = ProviderEvent;
    const NAME: &'static str = "provider";
    const TITLE: &'static str = "Providers";
    const ABOUT: &'static str = "Whether orders may go to a provider. One that vanished keeps the moment of it (`vanished_at`) until its external panel lists the service again, regardless of later changes by staff. Archiving is a move of its own ([archivable records](archivable.md)).";
    const STATES: &'static [Described<ProviderStatus>] = &[
        described(ProviderStatus::Active, "active", "Orders may go to it"),
        described(ProviderStatus::Disabled, "disabled", "Staff disabled it, or its service vanished"),
        described(
            ProviderStatus::Error,
            "error",
            "It failed. No action of the panel leads here; data of an import from elsewhere may",
        ),
    ];
    const EVENTS: &'static [Described<ProviderEvent>] = &[
        described(ProviderEvent::Enable, "enable", "Staff enable it"),
        described(ProviderEvent::Disable, "disable", "Staff disable it"),
        described(ProviderEvent::Vanish, "vanish", "Its external panel no longer lists the service"),
        described(ProviderEvent::Return, "return", "Its external panel lists the service again"),
    ];
    const INITIAL_STATES: &'static [ProviderStatus] = &[ProviderStatus::Active, ProviderStatus::Error];
    const TRANSITIONS: &'static [Transitions<ProviderStatus, ProviderEvent>] = {
        use ProviderEvent as E;
        use ProviderStatus as S;
        &[
            transitions(&[S::Active], &[(E::Vanish, S::Disabled), (E::Disable, S::Disabled)]),
            transitions(&[S::Disabled], &[(E::Enable, S::Active)]),
            transitions(&[S::Error], &[(E::Enable, S::Active), (E::Disable, S::Disabled)]),
            transitions(&[S::Active, S::Disabled, S::Error], &[(E::Return, S::Active)]),
        ]
    };
    const HIDDEN_EVENTS: &'static [ProviderEvent] = &[ProviderEvent::Return];
    const HAS_FINAL_STATES: bool = false;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::assert_table;

    #[test]
    fn every_event_in_every_state() {
        use ProviderEvent as E;
        use ProviderStatus as S;
        assert_table::<Providers>(|state, event| match event {
            E::Enable => (state != S::Active).then_some(S::Active),
            E::Disable => (state != S::Disabled).then_some(S::Disabled),
            E::Vanish => (state == S::Active).then_some(S::Disabled),
            E::Return => Some(S::Active),
        });
    }

    #[test]
    fn staff_set_another_status_that_is_no_failure() {
        use ProviderStatus as S;
        let settable =
            |from| -> Vec<S> { S::ALL.iter().copied().filter(|to| is_settable(from, *to)).collect() };
        assert_eq!(settable(S::Active), [S::Disabled]);
        assert_eq!(settable(S::Disabled), [S::Active]);
        assert_eq!(settable(S::Error), [S::Active, S::Disabled]);
        assert_eq!(settable(S::Archived), [] as [S; 0]);
    }

    #[test]
    fn staff_cannot_set_a_failure() {
        let reached = ProviderStatus::ALL.iter().filter(|status| ProviderEvent::to(**status).is_some());
        assert_eq!(reached.collect::<Vec<_>>(), [&ProviderStatus::Active, &ProviderStatus::Disabled]);
    }
}
