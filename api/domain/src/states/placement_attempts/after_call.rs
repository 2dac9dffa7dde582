//! Decides the next step after a request that places an order. The server sends the order again, to the same or to the next
//! provider, only if the external panel certainly does not have the order.

use panel_contract::moment::Time;

use super::state::AttemptEvent;

/// The outcome of a request that places an order at an external panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallOutcome {
    /// The external panel accepted the order under this id.
    Accepted(String),
    /// It is unknown whether the external panel has the order, for example after a timeout.
    Unknown {
        /// The problem, for staff.
        reason: String,
        /// The exact message of the external panel, if staff can add it to the rejection messages.
        message: Option<String>,
    },
    /// The server did not send the request and will not send it before this time. This does not count as an attempt.
    NotSent(Time),
    /// The external panel certainly does not have the order, and another attempt may succeed.
    Retry(String),
    /// The external panel certainly does not have the order. Another attempt can succeed after some time, or after staff have paid
    /// the panel or corrected the API key.
    RetryOrFailover(String),
    /// The external panel certainly does not have the order, and no other attempt will succeed.
    Rejected(String),
}

/// The next step of the server after a request that places an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterCall {
    /// Poll the external panel.
    Accept,
    /// Reconcile the attempt, that is, look for the order at the external panel.
    MarkUnknown,
    /// Send the order again.
    Requeue {
        /// Time of the next request.
        at: Time,
        /// Whether the request counts as an attempt.
        counts_as_try: bool,
    },
    /// Fail over to the next provider. If there is none, send the order again, and show staff that the order waits.
    FailOverOrRequeue,
    /// End the attempt. The order continues without it.
    Reject,
}

impl AfterCall {
    /// Decides by the outcome. `next_attempt_at` is the time of the next request, or `None` after the last attempt.
    #[must_use]
    pub const fn from_outcome(outcome: &CallOutcome, next_attempt_at: Option<Time>) -> Self {
        match (outcome, next_attempt_at) {
            (CallOutcome::Accepted(_), _) => Self::Accept,
            (CallOutcome::Unknown { .. }, _) => Self::MarkUnknown,
            (CallOutcome::NotSent(at), _) => Self::Requeue { at: *at, counts_as_try: false },
            (CallOutcome::Retry(_) | CallOutcome::RetryOrFailover(_), Some(at)) => {
                Self::Requeue { at, counts_as_try: true }
            }
            (CallOutcome::RetryOrFailover(_), None) => Self::FailOverOrRequeue,
            (CallOutcome::Retry(_), None) | (CallOutcome::Rejected(_), _) => Self::Reject,
        }
    }

    /// The event for the attempt. For [`AfterCall::FailOverOrRequeue`] the event that sends the order again.
    #[must_use]
    pub const fn event(self) -> AttemptEvent {
        match self {
            Self::Accept => AttemptEvent::Accept,
            Self::MarkUnknown => AttemptEvent::LoseOutcome,
            Self::Requeue { .. } | Self::FailOverOrRequeue => AttemptEvent::Requeue,
            Self::Reject => AttemptEvent::Reject,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::next_state;
    use crate::states::placement_attempts::state::{AttemptState, PlacementAttempts};

    fn outcomes() -> [CallOutcome; 6] {
        [
            CallOutcome::Accepted("7".into()),
            CallOutcome::Unknown { reason: "cut".into(), message: None },
            CallOutcome::NotSent(Time(9)),
            CallOutcome::Retry("busy".into()),
            CallOutcome::RetryOrFailover("no money".into()),
            CallOutcome::Rejected("no".into()),
        ]
    }

    #[test]
    fn resends_only_orders_that_the_panel_certainly_does_not_have() {
        for next_attempt_at in [None, Some(Time(30))] {
            let next_steps = outcomes().map(|outcome| AfterCall::from_outcome(&outcome, next_attempt_at));
            let (retry_step, failover_step) = match next_attempt_at {
                None => (AfterCall::Reject, AfterCall::FailOverOrRequeue),
                Some(at) => {
                    let requeue = AfterCall::Requeue { at, counts_as_try: true };
                    (requeue, requeue)
                }
            };
            let not_sent = AfterCall::Requeue { at: Time(9), counts_as_try: false };
            assert_eq!(
                next_steps,
                [
                    AfterCall::Accept,
                    AfterCall::MarkUnknown,
                    not_sent,
                    retry_step,
                    failover_step,
                    AfterCall::Reject
                ]
            );
            for step in &next_steps[..2] {
                let to = next_state::<PlacementAttempts>(AttemptState::Sending, step.event());
                assert_ne!(to, Some(AttemptState::Queued), "{step:?}");
            }
        }
    }
}
