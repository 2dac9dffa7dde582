//! Where a placement attempt is, and what may happen to it. An attempt that may have been sent is never sent again by itself:
//! only a certain outcome leads back to the queue.

use panel_contract::orders::ExternalStatus;

use crate::state_machine::{Described, StateMachine, Transitions, described, transitions};

/// Where a placement attempt is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AttemptState {
    /// Staff deliver it; no call is made.
    ByHand,
    /// It waits to be sent, for the first time or again.
    Queued,
    /// A worker claimed it; the call may be under way.
    Sending,
    /// Whether the external panel accepted it is unknown; a worker looks for it again.
    Unknown,
    /// As `unknown`, and no worker looks again: staff decide.
    Unresolved,
    /// The external panel has it and is polled.
    Open,
    /// Delivered in full.
    Completed,
    /// Ended with a part undelivered.
    Partial,
    /// Ended: withdrawn unsent, rejected, given up, or canceled by the external panel.
    Canceled,
}

/// An event of a placement attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AttemptEvent {
    /// A worker claims it and is about to call the external panel.
    Claim,
    /// The external panel has it, under an external order id.
    Accept,
    /// The external panel names an id that another open attempt has.
    FindConflict,
    /// The call ended without a certain answer.
    LoseOutcome,
    /// A worker looks for it at the external panel and will look again.
    Look,
    /// A worker looks for it for the last time.
    LookLastTime,
    /// The external panel was not called, so this was no look.
    SkipLook,
    /// The external panel certainly does not have it; it is sent again later.
    Requeue,
    /// The external panel certainly does not have it, and no try there will help.
    Reject,
    /// The order was canceled or moved to another provider.
    RequestCancel,
    /// Its provider takes no orders any more, or the action that made it was undone.
    WithdrawUnsent,
    /// The order is over, and no worker would end the attempt.
    EndWithOrder,
    /// Staff completed the order by hand.
    DeliverByHand,
    /// Staff report that the external panel does not have it.
    Dismiss,
    /// The external panel reports that it goes on.
    ReportOpen,
    /// The external panel reports that it is delivered in full.
    ReportCompleted,
    /// The external panel reports that it ended in part.
    ReportPartial,
    /// The external panel reports that it canceled it.
    ReportCanceled,
    /// What the external panel reports after the end: it moves nothing but the charge.
    ReportLate,
}

/// The columns that hold the state of an attempt.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is whether a column is NULL")]
pub struct AttemptColumns {
    /// In the words of the reseller API, and `Creating` before the external panel accepted it.
    pub status: ExternalStatus,
    /// Whether it has no external panel.
    pub is_by_hand: bool,
    /// Whether a call may have been made.
    pub is_sent: bool,
    /// Whether its id at the external panel is known.
    pub has_external_id: bool,
    /// Whether it waits for a person.
    pub has_alert: bool,
    /// Whether a next step is due at some time.
    pub is_due: bool,
}

impl AttemptState {
    /// The state that the columns mean. None for a row that no transition makes: `Creating`, sent, and with an external order id.
    #[must_use]
    pub const fn of(columns: AttemptColumns) -> Option<Self> {
        Some(match columns.status {
            ExternalStatus::Pending | ExternalStatus::InProgress | ExternalStatus::Processing => Self::Open,
            ExternalStatus::Completed => Self::Completed,
            ExternalStatus::Partial => Self::Partial,
            ExternalStatus::Canceled => Self::Canceled,
            ExternalStatus::Creating if !columns.is_sent && columns.is_by_hand => Self::ByHand,
            ExternalStatus::Creating if !columns.is_sent => Self::Queued,
            ExternalStatus::Creating if columns.has_external_id => return None,
            ExternalStatus::Creating if !columns.is_due => Self::Unresolved,
            ExternalStatus::Creating if columns.has_alert => Self::Unknown,
            ExternalStatus::Creating => Self::Sending,
        })
    }

    /// Whether the external panel accepted it is unknown: a worker looks for it, or staff decide.
    #[must_use]
    pub const fn is_unknown(self) -> bool {
        matches!(self, Self::Unknown | Self::Unresolved)
    }

    /// It may still be sent or delivered.
    #[must_use]
    pub const fn is_live(self) -> bool {
        !matches!(self, Self::Completed | Self::Partial | Self::Canceled)
    }
}

/// What a report of the external panel is for an attempt: after its end it moves nothing but the charge.
#[must_use]
pub const fn report_event(was: ExternalStatus, reported: ExternalStatus, is_over: bool) -> AttemptEvent {
    match (was, reported) {
        (ExternalStatus::Completed | ExternalStatus::Partial | ExternalStatus::Canceled, _) => {
            AttemptEvent::ReportLate
        }
        _ if !is_over => AttemptEvent::ReportOpen,
        (_, ExternalStatus::Completed) => AttemptEvent::ReportCompleted,
        (_, ExternalStatus::Partial) => AttemptEvent::ReportPartial,
        _ => AttemptEvent::ReportCanceled,
    }
}

/// The machine of `external_panel_orders`, apart from requests to cancel.
#[derive(Debug)]
pub struct PlacementAttempts;

impl StateMachine for PlacementAttempts {
    type State = AttemptState;
    type Event = AttemptEvent;
    const NAME: &'static str = "placement-attempt";
    const TITLE: &'static str = "Placement attempts";
    const ABOUT: &'static str = "An order, or a part of it, as it is placed at one provider. Only `requeue` leads from a state in which \
        the external panel may have been called back to the queue, and only an outcome that is certain makes it: an attempt whose outcome \
        is unknown is never sent again by itself. `claim` and `requeue` are refused once a cancel was requested \
        ([its progress](placement-attempt-cancel.md)). The answer to a call may come after the lease is over, so `accept`, `lose outcome`, \
        `requeue` and `reject` also leave `unknown` and `unresolved`.";
    const STATES: &'static [Described<AttemptState>] = {
        use AttemptState::*;
        &[
            described(ByHand, "by_hand", "Staff deliver it; no call is made"),
            described(Queued, "queued", "It waits to be sent, for the first time or again"),
            described(Sending, "sending", "A worker claimed it; the call may be under way until `due_at`"),
            described(
                Unknown,
                "unknown",
                "Whether the panel accepted it is unknown; a worker looks again at `due_at`",
            ),
            described(Unresolved, "unresolved", "As `unknown`, and no worker looks again: staff decide"),
            described(Open, "open", "The panel has it under `external_order_id`; it is polled at `due_at`"),
            described(
                Completed,
                "completed",
                "Delivered in full; polled a few times more while `due_at` is set",
            ),
            described(Partial, "partial", "Ended with `remains` undelivered; polled a few times more"),
            described(
                Canceled,
                "canceled",
                "Ended: withdrawn unsent, rejected, given up, or canceled by the panel",
            ),
        ]
    };
    const EVENTS: &'static [Described<AttemptEvent>] = {
        use AttemptEvent::*;
        &[
            described(Claim, "claim", "A worker claims it and is about to call the panel"),
            described(Accept, "accept", "The panel has it: by its answer, or found by a look"),
            described(FindConflict, "find conflict", "The panel names an id that another open attempt has"),
            described(LoseOutcome, "lose outcome", "The call ended without a certain answer"),
            described(Look, "look", "A worker looks for it at the panel and will look again"),
            described(LookLastTime, "look last time", "A worker looks for it for the last time"),
            described(SkipLook, "skip look", "The panel was not called, so this was no look"),
            described(Requeue, "requeue", "The panel certainly does not have it; it is sent again later"),
            described(Reject, "reject", "The panel certainly does not have it, and no try there will help"),
            described(RequestCancel, "request cancel", "The order was canceled or moved to another provider"),
            described(
                WithdrawUnsent,
                "withdraw unsent",
                "Its provider takes no orders, or the action that made it was undone",
            ),
            described(
                EndWithOrder,
                "end with order",
                "The order is over, and no worker would end the attempt",
            ),
            described(DeliverByHand, "deliver by hand", "Staff completed the order by hand"),
            described(Dismiss, "dismiss", "Staff report that the panel does not have it"),
            described(ReportOpen, "report open", "The panel reports that it goes on"),
            described(ReportCompleted, "report completed", "The panel reports that it is delivered in full"),
            described(ReportPartial, "report partial", "The panel reports that it ended in part"),
            described(ReportCanceled, "report canceled", "The panel reports that it canceled it"),
            described(
                ReportLate,
                "report late",
                "What the panel reports after the end moves nothing but the charge",
            ),
        ]
    };
    const INITIAL_STATES: &'static [AttemptState] = &[AttemptState::Queued, AttemptState::ByHand];
    const TRANSITIONS: &'static [Transitions<AttemptState, AttemptEvent>] = {
        use AttemptEvent::*;
        use AttemptState::*;
        &[
            transitions(&[Queued], &[(Claim, Sending)]),
            transitions(
                &[Sending, Unknown, Unresolved],
                &[
                    (Accept, Open),
                    (FindConflict, Unresolved),
                    (LoseOutcome, Unknown),
                    (Requeue, Queued),
                    (Reject, Canceled),
                ],
            ),
            // A lease that is over is found by the same look, so it may follow the claim at once.
            transitions(&[Sending, Unknown], &[(Look, Unknown), (LookLastTime, Unresolved)]),
            transitions(&[Unknown, Unresolved], &[(SkipLook, Unknown), (Dismiss, Canceled)]),
            transitions(&[ByHand, Queued], &[(RequestCancel, Canceled), (WithdrawUnsent, Canceled)]),
            transitions(&[ByHand, Queued, Unresolved], &[(EndWithOrder, Canceled)]),
            transitions(&[ByHand], &[(DeliverByHand, Completed)]),
            // A cancel of an attempt that may have been sent is a request to the panel, so the state stays.
            transitions(&[Sending], &[(RequestCancel, Sending)]),
            transitions(&[Unknown], &[(RequestCancel, Unknown)]),
            transitions(&[Unresolved], &[(RequestCancel, Unresolved)]),
            transitions(
                &[Open],
                &[
                    (RequestCancel, Open),
                    (ReportOpen, Open),
                    (ReportCompleted, Completed),
                    (ReportPartial, Partial),
                    (ReportCanceled, Canceled),
                ],
            ),
            transitions(&[Completed], &[(ReportLate, Completed)]),
            transitions(&[Partial], &[(ReportLate, Partial)]),
        ]
    };
    const HIDDEN_EVENTS: &'static [AttemptEvent] = &[AttemptEvent::RequestCancel, AttemptEvent::ReportLate];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::{assert_table, events, next, states};

    fn expected(state: AttemptState, event: AttemptEvent) -> Option<AttemptState> {
        use AttemptEvent::*;
        use AttemptState::*;
        let unsent = matches!(state, ByHand | Queued);
        let unconfirmed = matches!(state, Sending | Unknown | Unresolved);
        match event {
            Claim => (state == Queued).then_some(Sending),
            Accept => unconfirmed.then_some(Open),
            FindConflict => unconfirmed.then_some(Unresolved),
            LoseOutcome => unconfirmed.then_some(Unknown),
            Look => (unconfirmed && state != Unresolved).then_some(Unknown),
            LookLastTime => (unconfirmed && state != Unresolved).then_some(Unresolved),
            SkipLook => (unconfirmed && state != Sending).then_some(Unknown),
            Requeue => unconfirmed.then_some(Queued),
            Reject => unconfirmed.then_some(Canceled),
            RequestCancel if unsent => Some(Canceled),
            RequestCancel => state.is_live().then_some(state),
            WithdrawUnsent => unsent.then_some(Canceled),
            EndWithOrder => (unsent || state == Unresolved).then_some(Canceled),
            DeliverByHand => (state == ByHand).then_some(Completed),
            Dismiss => (unconfirmed && state != Sending).then_some(Canceled),
            ReportOpen => (state == Open).then_some(Open),
            ReportCompleted => (state == Open).then_some(Completed),
            ReportPartial => (state == Open).then_some(Partial),
            ReportCanceled => (state == Open).then_some(Canceled),
            ReportLate => matches!(state, Completed | Partial).then_some(state),
        }
    }

    #[test]
    fn every_event_in_every_state() {
        assert_table::<PlacementAttempts>(expected);
    }

    #[test]
    fn only_a_certain_outcome_requeues_a_sent_attempt() {
        for state in states::<PlacementAttempts>() {
            for event in events::<PlacementAttempts>() {
                let queued = next::<PlacementAttempts>(state, event) == Some(AttemptState::Queued);
                assert_eq!(
                    queued,
                    expected(state, AttemptEvent::Requeue).is_some() && event == AttemptEvent::Requeue
                );
            }
        }
    }

    #[test]
    fn a_report_leads_to_the_reported_state() {
        use ExternalStatus as S;
        for was in S::ALL.iter().filter(|status| !matches!(status, S::Creating | S::Canceled)) {
            let state = |status| {
                let columns = AttemptColumns {
                    status,
                    is_by_hand: false,
                    is_sent: true,
                    has_external_id: true,
                    has_alert: false,
                    is_due: true,
                };
                AttemptState::of(columns).unwrap()
            };
            for (reported, is_over) in [
                (S::Pending, false),
                (S::InProgress, false),
                (S::Processing, false),
                (S::Completed, true),
                (S::Partial, true),
                (S::Canceled, true),
            ] {
                let to = next::<PlacementAttempts>(state(*was), report_event(*was, reported, is_over));
                let stays = !state(*was).is_live();
                assert_eq!(to, Some(if stays { state(*was) } else { state(reported) }), "{was} {reported}");
            }
        }
    }
}
