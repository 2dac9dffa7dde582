//! The state machine of requests to external panels of this product to open an account for us.

use std::str::FromStr;

use crate::state_machine::{DiagramLabel, StateMachine, Transitions, label, transitions};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccountRequestState {
    /// The request to the panel is in progress.
    Sent,
    /// The response was lost, so it is unknown whether the panel opened an account.
    Unclear,
    /// The panel opened an account.
    Created,
}

impl AccountRequestState {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Unclear => "unclear",
            Self::Created => "created",
        }
    }
}

/// A stored text that is not a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownState;

impl FromStr for AccountRequestState {
    type Err = UnknownState;
    fn from_str(word: &str) -> Result<Self, UnknownState> {
        [Self::Sent, Self::Unclear, Self::Created]
            .into_iter()
            .find(|state| state.as_str() == word)
            .ok_or(UnknownState)
    }
}

/// An event of an account request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccountRequestEvent {
    /// The panel opened an account.
    Create,
    /// The response was lost.
    LoseAnswer,
    /// Staff checked the panel and send the request again; not allowed while the previous request may be in progress.
    SendAgain,
}

/// The state machine of the table `account_requests`.
#[derive(Debug)]
pub struct AccountRequests;

impl StateMachine for AccountRequests {
    type State = AccountRequestState;
    type Event = AccountRequestEvent;
    const NAME: &'static str = "account-request";
    const TITLE: &'static str = "Account requests";
    const ABOUT: &'static str = "A request to an external panel of this product to open an account for us, one row for each address. The server repeats a request only if staff confirm it, because a repeated request may open a second account. The row is deleted if the panel certainly did not open an account.";
    const STATES: &'static [DiagramLabel<AccountRequestState>] = &[
        label(
            AccountRequestState::Sent,
            "sent",
            "The request is in progress; after two minutes the response counts as lost",
        ),
        label(
            AccountRequestState::Unclear,
            "unclear",
            "The response was lost, so it is unknown whether the panel opened an account",
        ),
        label(
            AccountRequestState::Created,
            "created",
            "The panel opened an account and showed its token once",
        ),
    ];
    const EVENTS: &'static [DiagramLabel<AccountRequestEvent>] = &[
        label(AccountRequestEvent::Create, "create", "The panel opened an account"),
        label(AccountRequestEvent::LoseAnswer, "lose answer", "The response of the panel was lost"),
        label(
            AccountRequestEvent::SendAgain,
            "send again",
            "Staff checked the panel and send the request again; not allowed while the previous request may be in progress",
        ),
    ];
    const INITIAL_STATES: &'static [AccountRequestState] = &[AccountRequestState::Sent];
    const TRANSITIONS: &'static [Transitions<AccountRequestState, AccountRequestEvent>] = {
        use AccountRequestEvent as E;
        use AccountRequestState as S;
        &[
            transitions(&[S::Sent], &[(E::Create, S::Created), (E::LoseAnswer, S::Unclear)]),
            transitions(&[S::Sent, S::Unclear, S::Created], &[(E::SendAgain, S::Sent)]),
        ]
    };
    const HAS_FINAL_STATES: bool = false;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::{all_states, assert_table};

    #[test]
    fn the_table_has_exactly_the_expected_transitions() {
        use AccountRequestEvent as E;
        use AccountRequestState as S;
        assert_table::<AccountRequests>(|state, event| match event {
            E::Create => (state == S::Sent).then_some(S::Created),
            E::LoseAnswer => (state == S::Sent).then_some(S::Unclear),
            E::SendAgain => Some(S::Sent),
        });
    }

    #[test]
    fn parses_each_stored_text_as_its_state() {
        for state in all_states::<AccountRequests>() {
            assert_eq!(state.as_str().parse(), Ok(state));
        }
        assert_eq!("open".parse::<AccountRequestState>(), Err(UnknownState));
    }
}
