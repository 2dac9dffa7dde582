//! What may happen to a cancel request: its transition table, and what is done about an order whose customer wants to
//! cancel it. Pure.

use panel_contract::cancel_requests::{CancelRequestCause, CancelRequestStatus};
use panel_kernel::rejection::Rejection;

/// Where a request stands: its status, and of an open one also who decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Accepted; no provider was asked.
    Requested,
    /// The provider was asked and did not answer yet.
    Asked,
    /// The provider agreed; its final count is awaited.
    Acknowledged,
    /// Staff decide.
    Escalated,
    /// The order is canceled.
    Confirmed,
    /// The order goes on.
    Refused,
    /// The order was completed.
    Expired,
}

/// Every stage, for the tests and the generated tables.
pub const STAGES: [Stage; 7] = [
    Stage::Requested,
    Stage::Asked,
    Stage::Acknowledged,
    Stage::Escalated,
    Stage::Confirmed,
    Stage::Refused,
    Stage::Expired,
];

/// What happens to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The provider is about to be asked, perhaps again.
    Ask,
    /// The provider agreed to cancel.
    Acknowledge,
    /// Staff must decide: the provider refused, is too late, or cannot be asked.
    Escalate,
    /// The order was canceled: not sent, ended by the provider, or decided by staff.
    OrderCanceled,
    /// The order was completed.
    OrderCompleted,
    /// Staff refuse the request.
    Refuse,
}

/// Every event, for the tests.
pub const EVENTS: [Event; 6] = [
    Event::Ask,
    Event::Acknowledge,
    Event::Escalate,
    Event::OrderCanceled,
    Event::OrderCompleted,
    Event::Refuse,
];

/// Where an event leads; none where the table lacks it.
#[must_use]
pub const fn next(stage: Stage, event: Event) -> Option<Stage> {
    match (stage, event) {
        (Stage::Confirmed | Stage::Refused | Stage::Expired, _) => None,
        (Stage::Requested | Stage::Asked, Event::Ask) => Some(Stage::Asked),
        (Stage::Asked, Event::Acknowledge) => Some(Stage::Acknowledged),
        (Stage::Requested | Stage::Asked | Stage::Acknowledged, Event::Escalate) => Some(Stage::Escalated),
        (Stage::Acknowledged | Stage::Escalated, Event::Ask)
        | (Stage::Requested | Stage::Acknowledged | Stage::Escalated, Event::Acknowledge)
        | (Stage::Escalated, Event::Escalate) => None,
        (_, Event::OrderCanceled) => Some(Stage::Confirmed),
        (_, Event::OrderCompleted) => Some(Stage::Expired),
        (_, Event::Refuse) => Some(Stage::Refused),
    }
}

/// The stages that an event leaves.
pub fn left_by(event: Event) -> impl Iterator<Item = Stage> {
    STAGES.into_iter().filter(move |stage| next(*stage, event).is_some())
}

impl Stage {
    /// The stage of a request as it is stored.
    #[must_use]
    pub const fn of(status: CancelRequestStatus, is_acknowledged: bool, is_escalated: bool) -> Self {
        match status {
            CancelRequestStatus::Confirmed => Self::Confirmed,
            CancelRequestStatus::Refused => Self::Refused,
            CancelRequestStatus::Expired => Self::Expired,
            _ if is_escalated => Self::Escalated,
            _ if is_acknowledged => Self::Acknowledged,
            CancelRequestStatus::Asked => Self::Asked,
            CancelRequestStatus::Requested => Self::Requested,
        }
    }
}

/// Whether an event may happen to it: the flags of a record, and the answer of its endpoint.
pub fn judge(stage: Stage, status: CancelRequestStatus, event: Event) -> Result<(), Rejection> {
    if next(stage, event).is_some() {
        return Ok(());
    }
    let verb = if event == Event::Refuse { "refuse" } else { "confirm" };
    let message = format!("You cannot {verb} a cancel request that is {status}; that is final.");
    Err(Rejection::conflict("cancel_request_not_open", message))
}

/// An open attempt of an order, as its cancel looks at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenAttempt {
    /// Id of the order.
    pub order_id: i64,
    /// Id of the attempt at the external panel.
    pub id: i64,
    /// Whether staff deliver it by hand.
    pub by_hand: bool,
    /// Whether a call may have placed it.
    pub was_sent: bool,
    /// Whether its id at the external panel is known.
    pub is_known_there: bool,
    /// Whether it was asked to end before, for another provider's sake.
    pub is_replaced: bool,
    /// Whether the external panel cancels orders of this service; none where its list does not say.
    pub cancels: Option<bool>,
}

/// What is done about an order whose customer wants to cancel it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// It surely was not sent: it is canceled and refunded at once.
    AtOnce,
    /// The external panel of this attempt is asked.
    Ask(i64),
    /// Whether a provider has it is not known yet, or an earlier provider still ends it: look again soon.
    Wait,
    /// Staff decide; with the attempt that it is about.
    Staff(CancelRequestCause, Option<i64>),
}

/// Judges an order by its open attempts.
#[must_use]
pub fn way(open: &[OpenAttempt]) -> Way {
    if let Some(attempt) = open.iter().find(|attempt| attempt.by_hand && !attempt.is_replaced) {
        return Way::Staff(CancelRequestCause::ByHand, Some(attempt.id));
    }
    let mut sent = open.iter().filter(|attempt| attempt.was_sent && !attempt.by_hand).peekable();
    if sent.peek().is_none() {
        return Way::AtOnce;
    }
    match sent.find(|attempt| !attempt.is_replaced) {
        Some(OpenAttempt { is_known_there: true, cancels: Some(false), id, .. }) => {
            Way::Staff(CancelRequestCause::NotSupported, Some(*id))
        }
        Some(OpenAttempt { is_known_there: true, id, .. }) => Way::Ask(*id),
        _ => Way::Wait,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table once more, as the documentation words it: what is not here must be refused.
    fn expected(stage: Stage, event: Event) -> Option<Stage> {
        let open = matches!(stage, Stage::Requested | Stage::Asked | Stage::Acknowledged | Stage::Escalated);
        match event {
            Event::Ask => matches!(stage, Stage::Requested | Stage::Asked).then_some(Stage::Asked),
            Event::Acknowledge => (stage == Stage::Asked).then_some(Stage::Acknowledged),
            Event::Escalate => (open && stage != Stage::Escalated).then_some(Stage::Escalated),
            Event::OrderCanceled => open.then_some(Stage::Confirmed),
            Event::OrderCompleted => open.then_some(Stage::Expired),
            Event::Refuse => open.then_some(Stage::Refused),
        }
    }

    #[test]
    fn every_event_in_every_stage() {
        for stage in STAGES {
            for event in EVENTS {
                assert_eq!(next(stage, event), expected(stage, event), "{stage:?} {event:?}");
            }
        }
    }

    /// The diagram of docs/cancel-requests.md has exactly the moves of the table.
    #[test]
    fn the_documented_diagram_is_the_table() {
        let name = |stage: Stage| match stage {
            Stage::Escalated => "staff".to_owned(),
            other => format!("{other:?}").to_lowercase(),
        };
        let moves = STAGES.into_iter().flat_map(|from| EVENTS.into_iter().map(move |event| (from, event)));
        let table: std::collections::BTreeSet<String> = moves
            .filter_map(|(from, event)| Some(format!("{} --> {}", name(from), name(next(from, event)?))))
            .collect();
        let docs = include_str!("../../../../../docs/cancel-requests.md");
        let drawn = docs.lines().filter_map(|line| line.trim().split_once(": "));
        let drawn: std::collections::BTreeSet<String> =
            drawn.map(|(arrow, _)| arrow.to_owned()).filter(|arrow| arrow.contains(" --> ")).collect();
        assert_eq!(table, drawn);
    }

    #[test]
    fn a_stage_is_read_from_what_is_stored() {
        use CancelRequestStatus::{Asked, Confirmed, Expired, Refused, Requested};
        assert_eq!(Stage::of(Requested, false, false), Stage::Requested);
        assert_eq!(Stage::of(Requested, false, true), Stage::Escalated);
        assert_eq!(Stage::of(Asked, false, false), Stage::Asked);
        assert_eq!(Stage::of(Asked, true, false), Stage::Acknowledged);
        assert_eq!(Stage::of(Asked, true, true), Stage::Escalated);
        for (status, stage) in
            [(Confirmed, Stage::Confirmed), (Refused, Stage::Refused), (Expired, Stage::Expired)]
        {
            assert_eq!(Stage::of(status, true, true), stage);
            assert_eq!(judge(stage, status, Event::Refuse).unwrap_err().code, "cancel_request_not_open");
        }
    }

    #[test]
    fn only_what_surely_was_not_sent_is_canceled_at_once() {
        let attempt = OpenAttempt {
            order_id: 1,
            id: 7,
            by_hand: false,
            was_sent: true,
            is_known_there: true,
            is_replaced: false,
            cancels: Some(true),
        };
        let unsent = OpenAttempt { was_sent: false, is_known_there: false, id: 8, ..attempt.clone() };
        let unknown = OpenAttempt { is_known_there: false, ..attempt.clone() };
        let replaced = OpenAttempt { is_replaced: true, id: 6, ..attempt.clone() };
        let by_hand =
            OpenAttempt { by_hand: true, was_sent: false, is_known_there: false, ..attempt.clone() };
        let no_call = OpenAttempt { cancels: Some(false), ..attempt.clone() };
        let unlisted = OpenAttempt { cancels: None, ..attempt.clone() };
        for (open, wanted) in [
            (vec![], Way::AtOnce),
            (vec![unsent.clone()], Way::AtOnce),
            (vec![attempt.clone()], Way::Ask(7)),
            (vec![unlisted], Way::Ask(7)),
            (vec![unknown.clone()], Way::Wait),
            (vec![no_call], Way::Staff(CancelRequestCause::NotSupported, Some(7))),
            (vec![by_hand.clone()], Way::Staff(CancelRequestCause::ByHand, Some(7))),
            (vec![replaced.clone(), unsent], Way::Wait),
            (vec![replaced.clone(), attempt], Way::Ask(7)),
            (vec![replaced.clone(), unknown], Way::Wait),
            (vec![replaced, by_hand], Way::Staff(CancelRequestCause::ByHand, Some(7))),
        ] {
            assert_eq!(way(&open), wanted, "{open:?}");
        }
    }
}
