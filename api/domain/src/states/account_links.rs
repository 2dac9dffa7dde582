//! The state machine of the links by which staff members set a password.

use crate::state_machine::{DiagramLabel, StateMachine, Transitions, label, transitions};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccountLinkState {
    /// Its email was not sent yet, so no token is valid.
    Prepared,
    /// Its email with a valid token was sent, or is being sent.
    Mailed,
}

impl AccountLinkState {
    /// The state that the stored columns mean.
    #[must_use]
    pub const fn of(has_token: bool) -> Self {
        if has_token { Self::Mailed } else { Self::Prepared }
    }
}

/// An event of an account link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccountLinkEvent {
    /// The server sends the invitation with a new token; each retry has another token.
    Mail,
    /// Staff invite the member again: earlier links no longer work.
    Invite,
    /// The staff member requests another password reset.
    RequestReset,
}

/// The state machine of the table `account_links`.
#[derive(Debug)]
pub struct AccountLinks;

impl StateMachine for AccountLinks {
    type State = AccountLinkState;
    type Event = AccountLinkEvent;
    const NAME: &'static str = "account-link";
    const TITLE: &'static str = "Account links";
    const ABOUT: &'static str = "A link by which a staff member sets a password once. There is one row for each member and purpose. The link works until `expires_at`. The row is deleted when the link is used, when the invitation is withdrawn, and when the password or the email address changes.";
    const STATES: &'static [DiagramLabel<AccountLinkState>] = &[
        label(AccountLinkState::Prepared, "prepared", "Its email was not sent yet, so no token is valid"),
        label(AccountLinkState::Mailed, "mailed", "The token in its email is valid"),
    ];
    const EVENTS: &'static [DiagramLabel<AccountLinkEvent>] = &[
        label(
            AccountLinkEvent::Mail,
            "mail",
            "The server sends the invitation with a new token; each retry has another token",
        ),
        label(AccountLinkEvent::Invite, "invite", "Staff invite the member again"),
        label(
            AccountLinkEvent::RequestReset,
            "request reset",
            "The staff member requests another password reset",
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
    fn the_table_has_exactly_the_expected_transitions() {
        use AccountLinkEvent as E;
        use AccountLinkState as S;
        assert_table::<AccountLinks>(|state, event| match event {
            E::Mail => Some(S::Mailed),
            E::Invite => Some(S::Prepared),
            E::RequestReset => (state == S::Mailed).then_some(S::Mailed),
        });
    }
}
