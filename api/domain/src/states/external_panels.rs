//! The state machine of external panels: whether they accept the requests of the server.

use panel_contract::external_panels::PanelStatus;

use crate::state_machine::{DiagramLabel, StateMachine, Transitions, label, transitions};

/// An event of an external panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PanelEvent {
    /// It responded to a request.
    Answer,
    /// It rejected the API token, or the server must not connect to its address. Only staff can resolve this.
    Reject,
    /// Staff enter an API token.
    SetToken,
}

/// The state machine of the table `external_panels`.
#[derive(Debug)]
pub struct ExternalPanels;

impl StateMachine for ExternalPanels {
    type State = PanelStatus;
    type Event = PanelEvent;
    const NAME: &'static str = "external-panel";
    const TITLE: &'static str = "External panels";
    const ABOUT: &'static str = "Whether an external panel accepts the requests of the server. A panel that does not respond keeps its state: the circuit breaker stops the requests. Archiving is a separate state machine ([archivable records](archivable.md)).";
    const STATES: &'static [DiagramLabel<PanelStatus>] = &[
        label(PanelStatus::Active, "active", "It accepts the requests of the server"),
        label(
            PanelStatus::Error,
            "error",
            "It rejects the API token, or the server must not connect to its address",
        ),
        label(
            PanelStatus::Disabled,
            "disabled",
            "It is neither polled nor synchronized. No action of the panel leads to this state; an operator sets it in the database",
        ),
    ];
    const EVENTS: &'static [DiagramLabel<PanelEvent>] = &[
        label(PanelEvent::Answer, "answer", "It responded to a request"),
        label(
            PanelEvent::Reject,
            "reject",
            "It rejected the API token, or the server must not connect to its address",
        ),
        label(PanelEvent::SetToken, "set token", "Staff enter an API token"),
    ];
    const INITIAL_STATES: &'static [PanelStatus] = &[PanelStatus::Active, PanelStatus::Disabled];
    const TRANSITIONS: &'static [Transitions<PanelStatus, PanelEvent>] = {
        use PanelEvent as E;
        use PanelStatus as S;
        &[transitions(
            &[S::Active, S::Error],
            &[(E::Answer, S::Active), (E::Reject, S::Error), (E::SetToken, S::Active)],
        )]
    };
    const HIDDEN_EVENTS: &'static [PanelEvent] =
        &[PanelEvent::Answer, PanelEvent::Reject, PanelEvent::SetToken];
    const HAS_FINAL_STATES: bool = false;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::assert_table;

    #[test]
    fn the_table_has_exactly_the_expected_transitions() {
        use PanelEvent as E;
        use PanelStatus as S;
        assert_table::<ExternalPanels>(|state, event| match (state, event) {
            (S::Disabled, _) => None,
            (_, E::Reject) => Some(S::Error),
            (_, E::Answer | E::SetToken) => Some(S::Active),
        });
    }
}
