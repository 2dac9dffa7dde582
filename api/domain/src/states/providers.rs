//! The state machine of providers: whether the server places orders at them.

use panel_contract::providers::ProviderStatus;

use crate::state_machine::{DiagramLabel, StateMachine, Transitions, label, next_state, transitions};

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
    /// The event by which staff set a status; `None` for a status that staff cannot set.
    #[must_use]
    pub const fn to(status: ProviderStatus) -> Option<Self> {
        match status {
            ProviderStatus::Active => Some(Self::Enable),
            ProviderStatus::Disabled => Some(Self::Disable),
            ProviderStatus::Error | ProviderStatus::Archived => None,
        }
    }
}

/// Whether staff can change the status of a provider from `from` to `to`: not if it is archived, and not to the same status.
#[must_use]
pub fn is_settable(from: ProviderStatus, to: ProviderStatus) -> bool {
    ProviderEvent::to(to).is_some_and(|event| next_state::<Providers>(from, event).is_some())
}

/// The state machine of the table `providers`.
#[derive(Debug)]
pub struct Providers;

impl StateMachine for Providers {
    type State = ProviderStatus;
    type Event = ProviderEvent;
    const NAME: &'static str = "provider";
    const TITLE: &'static str = "Providers";
    const ABOUT: &'static str = "Whether the server places orders at a provider. When its external panel no longer lists the service, `vanished_at` stores the time until the panel lists it again, regardless of later changes by staff. Archiving is a separate state machine ([archivable records](archivable.md)).";
    const STATES: &'static [DiagramLabel<ProviderStatus>] = &[
        label(ProviderStatus::Active, "active", "The server places orders at it"),
        label(
            ProviderStatus::Disabled,
            "disabled",
            "Staff disabled it, or its external panel no longer lists the service",
        ),
        label(
            ProviderStatus::Error,
            "error",
            "It failed. No action of the panel leads to this state; only data from another system has it",
        ),
    ];
    const EVENTS: &'static [DiagramLabel<ProviderEvent>] = &[
        label(ProviderEvent::Enable, "enable", "Staff enable it"),
        label(ProviderEvent::Disable, "disable", "Staff disable it"),
        label(ProviderEvent::Vanish, "vanish", "Its external panel no longer lists the service"),
        label(ProviderEvent::Return, "return", "Its external panel lists the service again"),
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
    fn the_table_has_exactly_the_expected_transitions() {
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
    fn staff_can_enable_and_disable_a_provider() {
        use ProviderStatus as S;
        let settable =
            |from| -> Vec<S> { S::ALL.iter().copied().filter(|to| is_settable(from, *to)).collect() };
        assert_eq!(settable(S::Active), [S::Disabled]);
        assert_eq!(settable(S::Disabled), [S::Active]);
        assert_eq!(settable(S::Error), [S::Active, S::Disabled]);
        assert_eq!(settable(S::Archived), [] as [S; 0]);
    }

    #[test]
    fn staff_cannot_set_the_status_error() {
        let reached = ProviderStatus::ALL.iter().filter(|status| ProviderEvent::to(**status).is_some());
        assert_eq!(reached.collect::<Vec<_>>(), [&ProviderStatus::Active, &ProviderStatus::Disabled]);
    }
}
