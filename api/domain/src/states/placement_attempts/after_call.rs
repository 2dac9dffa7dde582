//! What follows from the outcome of a call that was to place an order. Only an outcome by which the external panel certainly
//! does not have the order leads to another call, there or at the next provider.

use panel_contract::moment::Time;

use super::state::AttemptEvent;

/// How a call to place an order ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallOutcome {
    /// The external panel has it, under this id.
    Accepted(String),
    /// Whether the external panel has it is unknown.
    Unknown {
        /// What went wrong, for staff.
        why: String,
        /// The exact message of the panel, where staff can teach the panel to read it.
        message: Option<String>,
    },
    /// No call was made, and none is before then: it does not count as a try.
    NotSent(Time),
    /// The external panel certainly does not have it, and another try may help.
    Retry(String),
    /// The external panel certainly does not have it, and will accept it once staff paid, gave the right key, or time went by.
    RetryOrFailover(String),
    /// The external panel certainly does not have it, and no try will help.
    Rejected(String),
}

/// What is done about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterCall {
    /// The external panel is polled from now on.
    Accept,
    /// A worker looks for it at the external panel.
    LoseOutcome,
    /// It is sent again then, as often tried as before or once more.
    Requeue {
        /// When it is sent again.
        at: Time,
        /// Whether the call counts as a try.
        is_try: bool,
    },
    /// The next provider gets the order; where there is none, it is sent again and staff see that it waits.
    FailOverOrRequeue,
    /// It ends, and the order goes on without it.
    Reject,
}

impl AfterCall {
    /// What of an outcome follows, where `next_try` is the time of the next call; none when it was tried often enough.
    #[must_use]
    pub const fn of(outcome: &CallOutcome, next_try: Option<Time>) -> Self {
        match (outcome, next_try) {
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

    /// The event that it is for the attempt; of the two that [`AfterCall::FailOverOrRequeue`] may be, the one that sends again.
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
            CallOutcome::Unknown { why: "cut".into(), message: None },
            CallOutcome::NotSent(Time(9)),
            CallOutcome::Retry("busy".into()),
            CallOutcome::RetryOrFailover("no money".into()),
            CallOutcome::Rejected("no".into()),
        ]
    }

    #[test]
    fn resends_only_orders_that_the_panel_certainly_does_not_have() {
        for next_try in [None, Some(Time(30))] {
            let after = outcomes().map(|outcome| AfterCall::of(&outcome, next_try));
            let (retry, failover) = match next_try {
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
