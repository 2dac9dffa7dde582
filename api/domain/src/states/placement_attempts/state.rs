//! The state machine of placement attempts. An attempt that may have been sent is never sent again automatically: only a certain
//! outcome leads back to the queue.

use panel_contract::orders::ExternalStatus;

use crate::state_machine::{DiagramLabel, StateMachine, Transitions, label, transitions};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AttemptState {
    /// Staff deliver it; no call is made.
    ByHand,
    /// It waits to be sent, for the first time or again.
    Queued,
    /// A worker claimed it; the call may be under way.
    Sending,
    /// Whether the external panel accepted it is unknown; a worker will reconcile it.
    Unknown,
    /// Like `Unknown`, but no worker reconciles it any more: staff decide.
    Unresolved,
    /// The external panel has it and is polled.
    Open,
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
    /// A worker looked for it at the external panel without a certain result, and will try again.
    Reconcile,
    /// Like `Reconcile`, for the last time.
    ReconcileLastTime,
    /// The external panel could not be called, so the reconciliation does not count.
    SkipReconciliation,
    /// The external panel certainly does not have it; it is sent again later.
    Requeue,
    /// The external panel certainly does not have it, and no other try there will succeed.
    Reject,
    /// The order was canceled or moved to another provider.
    RequestCancel,
    /// Its provider is not available any more, or the action that created it was undone.
    WithdrawUnsent,
    /// The order ended, and no worker would end the attempt.
    EndWithOrder,
    /// Staff completed the order by hand.
    DeliverByHand,
    /// Staff report that the external panel does not have it.
    Dismiss,
    /// The external panel reports that it is not finished.
    ReportOpen,
    /// The external panel reports that it is delivered in full.
    ReportCompleted,
    /// The external panel reports that it ended with a part undelivered.
    ReportPartial,
    /// The external panel reports that it canceled it.
    ReportCanceled,
    /// A status of the external panel after the end; it changes only the charge.
    ReportLate,
}

/// The columns that hold the state of an attempt.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each tells whether a column is NULL")]
pub struct AttemptColumns {
    /// The status of the reseller API, or `Creating` until the external panel accepts the attempt.
    pub status: ExternalStatus,
    /// Whether staff deliver it, because it has no external panel.
    pub is_by_hand: bool,
    /// Whether a call may have been made.
    pub is_sent: bool,
    /// Whether its id at the external panel is known.
    pub has_external_id: bool,
    /// Whether staff were alerted.
    pub has_alert: bool,
    /// Whether a worker has a next step to do at some time.
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

    /// Whether the external panel accepted it is unknown: a worker reconciles it, or staff decide.
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
pub const fn report_event(before: ExternalStatus, reported: ExternalStatus, is_over: bool) -> AttemptEvent {
    match (before, reported) {
        (ExternalStatus::Completed | ExternalStatus::Partial | ExternalStatus::Canceled, _) => {
            AttemptEvent::ReportLate
        }
        _ if !is_over => AttemptEvent::ReportOpen,
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
    const ABOUT: &'static str = "An order, or a part of it, that is placed at one provider. Once the external panel may have been called, only \
        `requeue` leads back to the queue, and only a certain outcome causes it: an attempt whose outcome is unknown is never sent again \
        automatically. `claim` and `requeue` are refused after a request to cancel ([its progress](placement-attempt-cancel.md)). The \
        answer to a call may come after the lease expired, so `accept`, `lose outcome`, `requeue` and `reject` also leave `unknown` and \
        `unresolved`.";
    const STATES: &'static [DiagramLabel<AttemptState>] = {
        use AttemptState::*;
        &[
            label(ByHand, "by_hand", "Staff deliver it; no call is made"),
            label(Queued, "queued", "It waits to be sent, for the first time or again"),
            label(Sending, "sending", "A worker claimed it; the call may be under way until `due_at`"),
            label(
                Unknown,
                "unknown",
                "Whether the panel accepted it is unknown; a worker reconciles it at `due_at`",
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
            label(Claim, "claim", "A worker claims it and is about to call the panel"),
            label(Accept, "accept", "The panel has it: it answered so, or a worker found the order there"),
            label(FindConflict, "find conflict", "The panel names an id that another open attempt has"),
            label(LoseOutcome, "lose outcome", "The call ended without a certain answer"),
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
                "The panel could not be called, so the reconciliation does not count",
            ),
            label(Requeue, "requeue", "The panel certainly does not have it; it is sent again later"),
            label(
                Reject,
                "reject",
                "The panel certainly does not have it, and no other try there will succeed",
            ),
            label(RequestCancel, "request cancel", "The order was canceled or moved to another provider"),
            label(
                WithdrawUnsent,
                "withdraw unsent",
                "Its provider is not available any more, or the action that created it was undone",
            ),
            label(EndWithOrder, "end with order", "The order ended, and no worker would end the attempt"),
            label(DeliverByHand, "deliver by hand", "Staff completed the order by hand"),
            label(Dismiss, "dismiss", "Staff report that the panel does not have it"),
            label(ReportOpen, "report open", "The panel reports that it is not finished"),
            label(ReportCompleted, "report completed", "The panel reports that it is delivered in full"),
            label(ReportPartial, "report partial", "The panel reports that it ended with a part undelivered"),
            label(ReportCanceled, "report canceled", "The panel reports that it canceled it"),
            label(
                ReportLate,
                "report late",
                "A status of the panel after the end; it changes only the charge",
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
            Reconcile => (unconfirmed && state != Unresolved).then_some(Unknown),
            ReconcileLastTime => (unconfirmed && state != Unresolved).then_some(Unresolved),
            SkipReconciliation => (unconfirmed && state != Sending).then_some(Unknown),
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
    fn the_table_has_exactly_the_expected_transitions() {
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
                let to = next::<PlacementAttempts>(state(*before), report_event(*before, reported, is_over));
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
