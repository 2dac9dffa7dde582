//! External panels: whether they accept the server's calls.

use panel_contract::external_panels::PanelStatus;

use crate::state_machine::{Described, StateMachine, Transitions, described, transitions};

/// An event of an external panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PanelEvent {
    /// It answers a call.
    Answer,
    /// It refuses the token, or its address may not be called: neither passes by itself.
    Refuse,
    /// Staff enter a token.
    SetToken,
}

/// The machine of `external_panels`.
#[derive(Debug)]
pub struct ExternalPanels;

impl StateMachine for ExternalPanels {
    type State = PanelStatus;
    type Event = PanelEvent;
    const NAME: &'static str = "external-panel";
    const TITLE: &'static str = "External panels";
    const ABOUT: &'static str = "Whether an external panel accepts the server's calls. A panel that does not answer stays as it is: its circuit breaker holds calls back. Archiving is a move of its own ([archivable records](archivable.md)).";
    const STATES: &'static [Described<PanelStatus>] = &[
        described(PanelStatus::Active, "active", "It accepts the server's calls"),
        described(PanelStatus::Error, "error", "It refuses the token, or its address may not be called"),
        described(
            PanelStatus::Disabled,
            "disabled",
            "It is neither polled nor synced. No action leads here: an operator sets this in the database",
        ),
    ];
    const EVENTS: &'static [Described<PanelEvent>] = &[
        described(PanelEvent::Answer, "answer", "It answers a call"),
        described(PanelEvent::Refuse, "refuse", "It refuses the token, or its address may not be called"),
        described(PanelEvent::SetToken, "set token", "Staff enter a token"),
    ];
    const INITIAL_STATES: &'static [PanelStatus] = &[PanelStatus::Active, PanelStatus::Disabled];
    const TRANSITIONS: &'static [Transitions<PanelStatus, PanelEvent>] = {
        use PanelEvent as E;
        use PanelStatus as S;
        &[transitions(
            &[S::Active, S::Error],
            &[(E::Answer, S::Active), (E::Refuse, S::Error), (E::SetToken, S::Active)],
        )]
    };
    const HIDDEN_EVENTS: &'static [PanelEvent] =
        &[PanelEvent::Answer, PanelEvent::Refuse, PanelEvent::SetToken];
    const HAS_FINAL_STATES: bool = false;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::assert_table;

    #[test]
    fn every_event_in_every_state() {
        use PanelEvent as E;
        use PanelStatus as S;
        assert_table::<ExternalPanels>(|state, event| match (state, event) {
            (S::Disabled, _) => None,
            (_, E::Refuse) => Some(S::Error),
            (_, E::Answer | E::SetToken) => Some(S::Active),
        });
    }
}
