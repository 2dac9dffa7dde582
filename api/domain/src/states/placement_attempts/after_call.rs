//! What follows from the outcome of a call that places an order. The server calls again, there or at the next provider, only if the
//! external panel certainly does not have the order.

use panel_contract::moment::Time;

use super::state::AttemptEvent;

/// The outcome of a call that places an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallOutcome {
    /// The external panel accepted the order under this id.
    Accepted(String),
    /// Whether the external panel has the order is unknown, such as after a timeout.
    Unknown {
        /// The problem, for staff.
        reason: String,
        /// The exact message of the panel, if staff can add a rejection rule for it.
        message: Option<String>,
    },
    /// The server did not call the panel and will not before this time. That does not count as a try.
    NotSent(Time),
    /// The external panel certainly does not have the order, and another try may succeed.
    Retry(String),
    /// The external panel certainly does not have the order. It will accept it after staff pay the panel or correct the API key, or
    /// after some time.
    RetryOrFailover(String),
    /// The external panel certainly does not have the order, and no other try will succeed.
    Rejected(String),
}

/// What the server does after a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterCall {
    /// Poll the external panel.
    Accept,
    /// Reconcile: look for the order at the external panel.
    LoseOutcome,
    /// Send the order again.
    Requeue {
        /// Time of the next call.
        at: Time,
        /// Whether the call counts as a try.
        is_try: bool,
    },
    /// Fail over to the next provider. If there is none, send the order again and show staff that it waits.
    FailOverOrRequeue,
    /// End the attempt. The order goes on without it.
    Reject,
}

impl AfterCall {
    /// Decides by the outcome. `at_or_give_up` is the time of the next call, or `None` after the last try.
    #[must_use]
    pub const fn of(outcome: &CallOutcome, at_or_give_up: Option<Time>) -> Self {
        match (outcome, at_or_give_up) {
            (CallOutcome::Accepted(_), _) => Self::Accept,
            (CallOutcome::Unknown { .. }, _) => Self::LoseOutcome,
            (CallOutcome::NotSent(at), _) => Self::Requeue { at: *at, is_try: false },
            (CallOutcome::Retry(_) | CallOutcome::RetryOrFailover(_), Some(at)) => {
                Self::Requeue { at, is_try: true }
            }
            (CallOutcome::RetryOrFailover(_), None) => Self::FailOverOrRequeue,
            (CallOutcome::Retry(_), None) | (CallOutcome::Rejected(_), _) => Self::Reject,
        }
    }

    /// The event for the attempt. For [`AfterCall::FailOverOrRequeue`] it is the one that sends the order again.
    #[must_use]
    pub const fn event(self) -> AttemptEvent {
        match self {
            Self::Accept => AttemptEvent::Accept,
            Self::LoseOutcome => AttemptEvent::LoseOutcome,
            Self::Requeue { .. } | Self::FailOverOrRequeue => AttemptEvent::Requeue,
            Self::Reject => AttemptEvent::Reject,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::next;
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
        for at_or_give_up in [None, Some(Time(30))] {
            let after = outcomes().map(|outcome| AfterCall::of(&outcome, at_or_give_up));
            let (retry, failover) = match at_or_give_up {
                None => (AfterCall::Reject, AfterCall::FailOverOrRequeue),
                Some(at) => {
                    let again = AfterCall::Requeue { at, is_try: true };
                    (again, again)
                }
            };
            let not_sent = AfterCall::Requeue { at: Time(9), is_try: false };
            assert_eq!(
                after,
                [AfterCall::Accept, AfterCall::LoseOutcome, not_sent, retry, failover, AfterCall::Reject]
            );
            for after in &after[..2] {
                let to = next::<PlacementAttempts>(AttemptState::Sending, after.event());
                assert_ne!(to, Some(AttemptState::Queued), "{after:?}");
            }
        }
    }
}
