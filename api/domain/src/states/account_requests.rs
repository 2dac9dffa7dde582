//! Requests to panels of this product to open an account for us.

use std::str::FromStr;

use crate::state_machine::{Described, StateMachine, Transitions, described, transitions};

/// Where a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccountRequestState {
    /// The panel is being asked.
    Asked,
    /// Whether it opened an account is unknown.
    Unclear,
    /// It opened one.
    Created,
}

impl AccountRequestState {
    /// The stored word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Unclear => "unclear",
            Self::Created => "created",
        }
    }
}

/// A word that no state of a request has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownState;

impl FromStr for AccountRequestState {
    type Err = UnknownState;
    fn from_str(word: &str) -> Result<Self, UnknownState> {
        [Self::Asked, Self::Unclear, Self::Created]
            .into_iter()
            .find(|state| state.as_str() == word)
            .ok_or(UnknownState)
    }
}

/// An event of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccountRequestEvent {
    /// The panel opened an account.
    Create,
    /// The answer was lost.
    LoseAnswer,
    /// Staff checked at the panel and ask again; while a call may be under way they cannot.
    AskAgain,
}

/// The machine of `account_requests`.
#[derive(Debug)]
pub struct AccountRequests;

impl StateMachine for AccountRequests {
    type State = AccountRequestState;
    type Event = AccountRequestEvent;
    const NAME: &'static str = "account-request";
    const TITLE: &'static str = "Account requests";
    const ABOUT: &'static str = "A request to an external panel of this product to open an account for us, one row for each address. The server never repeats a request unless staff confirm it, because a repeated call may open a second account. The row is deleted where the panel certainly opened none.";
    const STATES: &'static [Described<AccountRequestState>] = &[
        described(
            AccountRequestState::Asked,
            "asked",
            "The panel is being asked; two minutes later its answer counts as lost",
        ),
        described(
            AccountRequestState::Unclear,
            "unclear",
            "Whether the panel opened an account is not known",
        ),
        described(
            AccountRequestState::Created,
            "created",
            "The panel opened an account and showed its token once",
        ),
    ];
    const EVENTS: &'static [Described<AccountRequestEvent>] = &[
        described(AccountRequestEvent::Create, "create", "The panel opened an account"),
        described(AccountRequestEvent::LoseAnswer, "lose answer", "The answer of the panel was lost"),
        described(
            AccountRequestEvent::AskAgain,
            "ask again",
            "Staff checked at the panel and ask again; not while the former call may be under way",
        ),
    ];
    const INITIAL_STATES: &'static [AccountRequestState] = &[AccountRequestState::Asked];
    const TRANSITIONS: &'static [Transitions<AccountRequestState, AccountRequestEvent>] = {
        use AccountRequestEvent as E;
        use AccountRequestState as S;
        &[
            transitions(&[S::Asked], &[(E::Create, S::Created), (E::LoseAnswer, S::Unclear)]),
            transitions(&[S::Asked, S::Unclear, S::Created], &[(E::AskAgain, S::Asked)]),
        ]
    };
    const HAS_FINAL_STATES: bool = false;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::{assert_table, states};

    #[test]
    fn every_event_in_every_state() {
        use AccountRequestEvent as E;
        use AccountRequestState as S;
        assert_table::<AccountRequests>(|state, event| match event {
            E::Create => (state == S::Asked).then_some(S::Created),
            E::LoseAnswer => (state == S::Asked).then_some(S::Unclear),
            E::AskAgain => Some(S::Asked),
        });
    }

    #[test]
    fn each_word_is_read_as_its_state() {
        for state in states::<AccountRequests>() {
            assert_eq!(state.as_str().parse(), Ok(state));
        }
        assert_eq!("open".parse::<AccountRequestState>(), Err(UnknownState));
    }
}
