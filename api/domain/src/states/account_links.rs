//! Links by which members of staff set a password.

use crate::state_machine::{Described, StateMachine, Transitions, described, transitions};

/// Where a link is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccountLinkState {
    /// Its email has not left: no token opens it.
    Prepared,
    /// An email with its token left, or leaves.
    Mailed,
}

impl AccountLinkState {
    /// The state of a link as it is stored.
    #[must_use]
    pub const fn of(has_token: bool) -> Self {
        if has_token { Self::Mailed } else { Self::Prepared }
    }
}

/// An event of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccountLinkEvent {
    /// The email of an invitation leaves with a new token; a retried email has another one.
    Mail,
    /// Staff invite the member again: earlier links no longer work.
    Invite,
    /// The member asks for another reset of the password.
    RequestReset,
}

/// The machine of `account_links`.
#[derive(Debug)]
pub struct AccountLinks;

impl StateMachine for AccountLinks {
    type State = AccountLinkState;
    type Event = AccountLinkEvent;
    const NAME: &'static str = "account-link";
    const TITLE: &'static str = "Account links";
    const ABOUT: &'static str = "A link by which a member of staff sets a password once, one row for each member and purpose. It works until `expires_at`. The row is deleted when the link is used, when the invitation is withdrawn, and when the password or the address changes.";
    const STATES: &'static [Described<AccountLinkState>] = &[
        described(AccountLinkState::Prepared, "prepared", "Its email has not left, and no token opens it"),
        described(AccountLinkState::Mailed, "mailed", "The token of its email opens it"),
    ];
    const EVENTS: &'static [Described<AccountLinkEvent>] = &[
        described(
            AccountLinkEvent::Mail,
            "mail",
            "The email of an invitation leaves with a new token; a retried email has another one",
        ),
        described(AccountLinkEvent::Invite, "invite", "Staff invite the member again"),
        described(
            AccountLinkEvent::RequestReset,
            "request reset",
            "The member asks for another reset of the password",
        ),
    ];
    const INITIAL_STATES: &'static [AccountLinkState] =
        &[AccountLinkState::Prepared, AccountLinkState::Mailed];
    const TRANSITIONS: &'static [Transitions<AccountLinkState, AccountLinkEvent>] = {
        use AccountLinkEvent as E;
        use AccountLinkState as S;
        &[
            transitions(&[S::Prepared, S::Mailed], &[(E::Mail, S::Mailed), (E::Invite, S::Prepared)]),
            transitions(&[S::Mailed], &[(E::RequestReset, S::Mailed)]),
        ]
    };
    const HAS_FINAL_STATES: bool = false;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::assert_table;

    #[test]
    fn every_event_in_every_state() {
        use AccountLinkEvent as E;
        use AccountLinkState as S;
        assert_table::<AccountLinks>(|state, event| match event {
            E::Mail => Some(S::Mailed),
            E::Invite => Some(S::Prepared),
            E::RequestReset => (state == S::Mailed).then_some(S::Mailed),
        });
    }
}
