//! The state machine of users, who are customers and staff: whether they can sign in and order.

use panel_contract::users::UserStatus;

use crate::state_machine::{DiagramLabel, StateMachine, Transitions, label, transitions};

/// An event of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UserEvent {
    /// Staff freeze the user.
    Freeze,
    /// Staff deactivate the user.
    Deactivate,
    /// Staff activate the user again, or undo the change.
    Activate,
    /// The personal data is erased.
    Erase,
}

impl UserEvent {
    /// The event by which staff set a status.
    #[must_use]
    pub const fn to(status: UserStatus) -> Self {
        match status {
            UserStatus::Active => Self::Activate,
            UserStatus::Frozen => Self::Freeze,
            UserStatus::Deactivated => Self::Deactivate,
        }
    }

    /// The status that it leads to, whatever state it leaves.
    #[must_use]
    pub const fn status(self) -> UserStatus {
        match self {
            Self::Activate => UserStatus::Active,
            Self::Freeze => UserStatus::Frozen,
            Self::Deactivate | Self::Erase => UserStatus::Deactivated,
        }
    }
}

/// The state machine of the table `users`.
#[derive(Debug)]
pub struct Users;

impl StateMachine for Users {
    type State = UserStatus;
    type Event = UserEvent;
    const NAME: &'static str = "user";
    const TITLE: &'static str = "Users";
    const ABOUT: &'static str = "Whether a customer or a staff member may sign in and order.";
    const STATES: &'static [DiagramLabel<UserStatus>] = &[
        label(UserStatus::Active, "active", "May sign in and order"),
        label(UserStatus::Frozen, "frozen", "May sign in but not order"),
        label(UserStatus::Deactivated, "deactivated", "May not sign in"),
    ];
    const EVENTS: &'static [DiagramLabel<UserEvent>] = &[
        label(UserEvent::Freeze, "freeze", "Staff freeze the user"),
        label(UserEvent::Deactivate, "deactivate", "Staff deactivate the user"),
        label(UserEvent::Activate, "activate", "Staff activate the user again, or undo the change"),
        label(UserEvent::Erase, "erase", "The personal data is erased"),
    ];
    const INITIAL_STATES: &'static [UserStatus] = &[UserStatus::Active];
    const TRANSITIONS: &'static [Transitions<UserStatus, UserEvent>] = {
        use UserEvent as E;
        use UserStatus as S;
        &[
            transitions(&[S::Active], &[(E::Freeze, S::Frozen)]),
            transitions(&[S::Active, S::Frozen], &[(E::Deactivate, S::Deactivated)]),
            transitions(&[S::Frozen, S::Deactivated], &[(E::Activate, S::Active)]),
            transitions(&[S::Active, S::Frozen, S::Deactivated], &[(E::Erase, S::Deactivated)]),
        ]
    };
    const HAS_FINAL_STATES: bool = false;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::assert_table;

    #[test]
    fn the_table_has_exactly_the_expected_transitions() {
        use UserEvent as E;
        use UserStatus as S;
        assert_table::<Users>(|state, event| match event {
            E::Freeze => (state == S::Active).then_some(S::Frozen),
            E::Deactivate => (state != S::Deactivated).then_some(S::Deactivated),
            E::Activate => (state != S::Active).then_some(S::Active),
            E::Erase => Some(S::Deactivated),
        });
    }

    #[test]
    fn an_event_leads_to_one_status() {
        for event in crate::state_machine::all_events::<Users>() {
            for from in crate::state_machine::source_states::<Users>(event) {
                assert_eq!(
                    crate::state_machine::next_state::<Users>(from, event),
                    Some(event.status()),
                    "{event:?}"
                );
            }
        }
        assert!(UserStatus::ALL.iter().all(|status| UserEvent::to(*status).status() == *status));
    }
}
