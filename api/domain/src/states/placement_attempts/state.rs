//! The state machine of placement attempts. An attempt that may have been sent is never sent again automatically: only a definite
//! outcome leads back to the queue.

use panel_contract::orders::ExternalStatus;

use crate::state_machine::{DiagramLabel, StateMachine, Transitions, label, transitions};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AttemptState {
    /// Staff deliver it, so no request is sent.
    ByHand,
    /// It waits to be sent, for the first time or again.
    Queued,
    /// A worker claimed it; the request may be in progress.
    Sending,
    /// It is unknown whether the external panel accepted it; a worker will reconcile it.
    Unknown,
    /// Like `Unknown`, but no worker reconciles it any more: staff decide.
    Unresolved,
    /// The external panel has it and is polled.
    Open,
    Completed,
    /// Ended with undelivered units.
    Partial,
    /// Ended: withdrawn unsent, rejected, given up, or canceled by the external panel.
    Canceled,
}

/// An event of a placement attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AttemptEvent {
    /// A worker claims it and is about to send it to the external panel.
    Claim,
    /// The external panel has it, under an external order id.
    Accept,
    /// The external panel returns an id that another open attempt already has.
    FindConflict,
    /// The request ended without a definite response.
    LoseOutcome,
    /// A worker looked for it at the external panel without a definite result, and will try again.
    Reconcile,
    /// Like `Reconcile`, for the last time.
    ReconcileLastTime,
    /// The external panel could not be reached, so the reconciliation does not count.
    SkipReconciliation,
    /// The external panel certainly does not have it; it is sent again later.
    Requeue,
    /// The external panel certainly does not have it, and no other request to this panel will succeed.
    Reject,
    /// The order was canceled or moved to another provider.
    RequestCancel,
    /// Its provider is no longer available, or the action that created the attempt was undone.
    WithdrawUnsent,
    /// The order ended; without this event no worker would end the attempt.
    EndWithOrder,
    /// Staff completed the order manually.
    DeliverByHand,
    /// Staff report that the external panel does not have it.
    Dismiss,
    /// The external panel reports that it is not finished.
    ReportOpen,
    /// The external panel reports that it is delivered in full.
    ReportCompleted,
    /// The external panel reports that it ended with undelivered units.
    ReportPartial,
    /// The external panel reports that it canceled it.
    ReportCanceled,
    /// The external panel reports a status after the end of the attempt, which changes only the charge.
    ReportLate,
}

/// The columns that hold the state of an attempt.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is whether a column is NULL")]
pub struct AttemptColumns {
    /// The status of the reseller API, or `Creating` until the external panel accepts the attempt.
    pub status: ExternalStatus,
    /// Whether staff deliver the attempt, because the provider has no external panel.
    pub is_by_hand: bool,
    /// Whether the request may have been sent.
    pub is_sent: bool,
    /// Whether the id of the order at the external panel is known.
    pub has_external_id: bool,
    /// Whether staff were alerted.
    pub has_alert: bool,
    /// Whether the next step of a worker is scheduled.
    pub is_due: bool,
}

impl AttemptState {
    /// The state that the columns mean. `None` for columns that no transition writes: `Creating`, sent, and with an external order
    /// id.
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

    /// Whether it is unknown if the external panel accepted the attempt, so that a worker reconciles it or staff decide.
    #[must_use]
    pub const fn is_unknown(self) -> bool {
        matches!(self, Self::Unknown | Self::Unresolved)
    }

    /// Whether it may still be sent or delivered.
    #[must_use]
    pub const fn is_live(self) -> bool {
        !matches!(self, Self::Completed | Self::Partial | Self::Canceled)
    }
}

/// The event for a status that the external panel reports. After the end of the attempt, a status changes only the charge.
#[must_use]
pub const fn report_event(
    current: ExternalStatus,
    reported: ExternalStatus,
    has_ended: bool,
) -> AttemptEvent {
    match (current, reported) {
        (ExternalStatus::Completed | ExternalStatus::Partial | ExternalStatus::Canceled, _) => {
            AttemptEvent::ReportLate
        }
        _ if !has_ended => AttemptEvent::ReportOpen,
        (_, ExternalStatus::Completed) => AttemptEvent::ReportCompleted,
        (_, ExternalStatus::Partial) => AttemptEvent::ReportPartial,
        _ => AttemptEvent::ReportCanceled,
    }
}

/// The state machine of the table `external_panel_orders`, apart from requests to cancel.
#[derive(Debug)]
pub struct PlacementAttempts;

impl StateMachine for PlacementAttempts {
    type State = AttemptState;
    type Event = AttemptEvent;
    const NAME: &'static str = "placement-attempt";
    const TITLE: &'static str = "Placement attempts";
    const ABOUT: &'static str = "An order, or a part of it, that is placed at one provider. Once the attempt may have been sent to the external panel, only \
        `requeue` leads back to the queue, and only a definite outcome causes this event: an attempt whose outcome is unknown is never sent again \
        automatically. `claim` and `requeue` are not allowed after a request to cancel ([its progress](placement-attempt-cancel.md)). The \
        answer to a call may come after the lease expired, so `accept`, `lose outcome`, `requeue` and `reject` also leave `unknown` and \
        `unresolved`.";
    const STATES: &'static [DiagramLabel<AttemptState>] = {
        use AttemptState::*;
        &[
            label(ByHand, "by_hand", "Staff deliver it, so no request is sent"),
            label(Queued, "queued", "It waits to be sent, for the first time or again"),
            label(Sending, "sending", "A worker claimed it; the request may be in progress until `due_at`"),
            label(
                Unknown,
                "unknown",
                "It is unknown whether the panel accepted it; a worker reconciles it at `due_at`",
            ),
            label(
                Unresolved,
                "unresolved",
                "Like `unknown`, but no worker reconciles it any more: staff decide",
            ),
            label(Open, "open", "The panel has it under `external_order_id`; it is polled at `due_at`"),
            label(Completed, "completed", "Delivered in full; polled a few times more while `due_at` is set"),
            label(Partial, "partial", "Ended with `remains` undelivered; polled a few times more"),
            label(
                Canceled,
                "canceled",
                "Ended: withdrawn unsent, rejected, given up, or canceled by the panel",
            ),
        ]
    };
    const EVENTS: &'static [DiagramLabel<AttemptEvent>] = {
        use AttemptEvent::*;
        &[
            label(Claim, "claim", "A worker claims it and is about to send it to the panel"),
            label(
                Accept,
                "accept",
                "The panel has it, according to its response or because a worker found the order at the panel",
            ),
            label(
                FindConflict,
                "find conflict",
                "The panel returns an id that another open attempt already has",
            ),
            label(LoseOutcome, "lose outcome", "The request ended without a definite response"),
            label(
                Reconcile,
                "reconcile",
                "A worker looked for it at the panel without a result and will try again",
            ),
            label(
                ReconcileLastTime,
                "reconcile last time",
                "A worker looked for it at the panel for the last time",
            ),
            label(
                SkipReconciliation,
                "skip reconciliation",
                "The panel could not be reached, so the reconciliation does not count",
            ),
            label(Requeue, "requeue", "The panel certainly does not have it; it is sent again later"),
            label(
                Reject,
                "reject",
                "The panel certainly does not have it, and no other request to this panel will succeed",
            ),
            label(RequestCancel, "request cancel", "The order was canceled or moved to another provider"),
            label(
                WithdrawUnsent,
                "withdraw unsent",
                "Its provider is no longer available, or the action that created the attempt was undone",
            ),
            label(
                EndWithOrder,
                "end with order",
                "The order ended; without this event no worker would end the attempt",
            ),
            label(DeliverByHand, "deliver by hand", "Staff completed the order manually"),
            label(Dismiss, "dismiss", "Staff report that the panel does not have it"),
            label(ReportOpen, "report open", "The panel reports that it is not finished"),
            label(ReportCompleted, "report completed", "The panel reports that it is delivered in full"),
            label(ReportPartial, "report partial", "The panel reports that it ended with undelivered units"),
            label(ReportCanceled, "report canceled", "The panel reports that it canceled it"),
            label(
                ReportLate,
                "report late",
                "The panel reports a status after the end of the attempt, which changes only the charge",
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
            // The same poller reconciles attempts whose lease expired, so `Reconcile` may directly follow `Claim`.
            transitions(&[Sending, Unknown], &[(Reconcile, Unknown), (ReconcileLastTime, Unresolved)]),
            transitions(&[Unknown, Unresolved], &[(SkipReconciliation, Unknown), (Dismiss, Canceled)]),
            transitions(&[ByHand, Queued], &[(RequestCancel, Canceled), (WithdrawUnsent, Canceled)]),
            transitions(&[ByHand, Queued, Unresolved], &[(EndWithOrder, Canceled)]),
            transitions(&[ByHand], &[(DeliverByHand, Completed)]),
            // If the attempt may have been sent, a cancellation only sends a request to the panel, so the state does not change.
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
    use crate::state_machine::{all_events, all_states, assert_table, next_state};

    fn expected(state: AttemptState, event: AttemptEvent) -> Option<AttemptState> {
        use AttemptEvent::*;
        use AttemptState::*;
        let is_unsent = matches!(state, ByHand | Queued);
        let is_unconfirmed = matches!(state, Sending | Unknown | Unresolved);
        match event {
            Claim => (state == Queued).then_some(Sending),
            Accept => is_unconfirmed.then_some(Open),
            FindConflict => is_unconfirmed.then_some(Unresolved),
            LoseOutcome => is_unconfirmed.then_some(Unknown),
            Reconcile => (is_unconfirmed && state != Unresolved).then_some(Unknown),
            ReconcileLastTime => (is_unconfirmed && state != Unresolved).then_some(Unresolved),
            SkipReconciliation => (is_unconfirmed && state != Sending).then_some(Unknown),
            Requeue => is_unconfirmed.then_some(Queued),
            Reject => is_unconfirmed.then_some(Canceled),
            RequestCancel if is_unsent => Some(Canceled),
            RequestCancel => state.is_live().then_some(state),
            WithdrawUnsent => is_unsent.then_some(Canceled),
            EndWithOrder => (is_unsent || state == Unresolved).then_some(Canceled),
            DeliverByHand => (state == ByHand).then_some(Completed),
            Dismiss => (is_unconfirmed && state != Sending).then_some(Canceled),
            ReportOpen => (state == Open).then_some(Open),
            ReportCompleted => (state == Open).then_some(Completed),
            ReportPartial => (state == Open).then_some(Partial),
            ReportCanceled => (state == Open).then_some(Canceled),
            ReportLate => matches!(state, Completed | Partial).then_some(state),
        }
    }

    #[test]
    fn the_table_has_exactly_the_expected_transitions() {
        assert_table::<PlacementAttempts>(expected);
    }

    #[test]
    fn only_a_certain_outcome_requeues_a_sent_attempt() {
        for state in all_states::<PlacementAttempts>() {
            for event in all_events::<PlacementAttempts>() {
                let queued = next_state::<PlacementAttempts>(state, event) == Some(AttemptState::Queued);
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
        for before in S::ALL.iter().filter(|status| !matches!(status, S::Creating | S::Canceled)) {
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
                let to =
                    next_state::<PlacementAttempts>(state(*before), report_event(*before, reported, is_over));
                let stays = !state(*before).is_live();
                assert_eq!(
                    to,
                    Some(if stays { state(*before) } else { state(reported) }),
                    "{before} {reported}"
                );
            }
        }
    }
}
