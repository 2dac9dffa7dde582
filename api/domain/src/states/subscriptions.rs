//! Subscriptions: a channel that is followed, whose new contents get orders.

use panel_contract::drip_feeds::BatchStatus;

use crate::state_machine::{Described, StateMachine, Transitions, described, transitions};

/// Where a subscription is: its status, and of one that goes on whether it is paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SubscriptionState {
    /// Its channel is polled, and contents get orders.
    Running,
    /// Its renewal could not be paid: no new contents are looked for, and those that were found get their orders.
    Paused,
    /// Its contents or its time are used up.
    Completed,
    /// Staff or the customer ended it.
    Canceled,
}

impl SubscriptionState {
    /// The state of a subscription as it is stored.
    #[must_use]
    pub const fn of(status: BatchStatus, is_paused: bool) -> Self {
        match status {
            BatchStatus::InProcessing if is_paused => Self::Paused,
            BatchStatus::InProcessing => Self::Running,
            BatchStatus::Completed => Self::Completed,
            BatchStatus::Canceled => Self::Canceled,
        }
    }
}

/// An event of a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SubscriptionEvent {
    /// A worker read the feed of its channel.
    RecordFeed,
    /// The feed could not be read.
    RecordFeedFailure,
    /// A content got its orders, and more may follow.
    PlaceContent,
    /// The orders of a content wait, such as for money.
    PostponeContent,
    /// The last content got its orders.
    PlaceLastContent,
    /// The next period was paid.
    Renew,
    /// The next period could not be paid.
    Pause,
    /// Its time is over.
    Expire,
    /// Staff or the customer end it.
    Cancel,
}

/// The machine of `subscriptions`.
#[derive(Debug)]
pub struct Subscriptions;

impl StateMachine for Subscriptions {
    type State = SubscriptionState;
    type Event = SubscriptionEvent;
    const NAME: &'static str = "subscription";
    const TITLE: &'static str = "Subscriptions";
    const ABOUT: &'static str = "A subscription follows a channel and orders for each new [content](subscription-content.md). Only a running one is polled.";
    const STATES: &'static [Described<SubscriptionState>] = &[
        described(
            SubscriptionState::Running,
            "running",
            "Its channel is polled at `look_at`. Shown as `in_processing`",
        ),
        described(
            SubscriptionState::Paused,
            "paused",
            "Its renewal waits for the customer; contents that were found get their orders. Shown as `in_processing`",
        ),
        described(SubscriptionState::Completed, "completed", "Its contents or its time are used up"),
        described(SubscriptionState::Canceled, "canceled", "Staff or the customer ended it"),
    ];
    const EVENTS: &'static [Described<SubscriptionEvent>] = &[
        described(SubscriptionEvent::RecordFeed, "record feed", "A worker read the feed of its channel"),
        described(SubscriptionEvent::RecordFeedFailure, "record feed failure", "The feed could not be read"),
        described(
            SubscriptionEvent::PlaceContent,
            "place content",
            "A content got its orders, and more may follow",
        ),
        described(
            SubscriptionEvent::PostponeContent,
            "postpone content",
            "The orders of a content wait, such as for money",
        ),
        described(
            SubscriptionEvent::PlaceLastContent,
            "place last content",
            "The last content got its orders",
        ),
        described(SubscriptionEvent::Renew, "renew", "The next period was paid"),
        described(SubscriptionEvent::Pause, "pause", "The next period could not be paid"),
        described(SubscriptionEvent::Expire, "expire", "Its time is over"),
        described(SubscriptionEvent::Cancel, "cancel", "Staff or the customer end it"),
    ];
    const INITIAL_STATES: &'static [SubscriptionState] = &[SubscriptionState::Running];
    const TRANSITIONS: &'static [Transitions<SubscriptionState, SubscriptionEvent>] = {
        use SubscriptionEvent as E;
        use SubscriptionState as S;
        &[
            transitions(
                &[S::Running],
                &[
                    (E::RecordFeed, S::Running),
                    (E::RecordFeedFailure, S::Running),
                    (E::PlaceContent, S::Running),
                    (E::PostponeContent, S::Running),
                ],
            ),
            transitions(&[S::Paused], &[(E::PlaceContent, S::Paused), (E::PostponeContent, S::Paused)]),
            transitions(
                &[S::Running, S::Paused],
                &[
                    (E::PlaceLastContent, S::Completed),
                    (E::Renew, S::Running),
                    (E::Pause, S::Paused),
                    (E::Expire, S::Completed),
                    (E::Cancel, S::Canceled),
                ],
            ),
        ]
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::assert_table;

    #[test]
    fn every_event_in_every_state() {
        use SubscriptionEvent as E;
        use SubscriptionState as S;
        assert_table::<Subscriptions>(|state, event| match event {
            E::RecordFeed | E::RecordFeedFailure => (state == S::Running).then_some(S::Running),
            E::PlaceContent | E::PostponeContent => matches!(state, S::Running | S::Paused).then_some(state),
            E::PlaceLastContent | E::Expire => {
                matches!(state, S::Running | S::Paused).then_some(S::Completed)
            }
            E::Renew => matches!(state, S::Running | S::Paused).then_some(S::Running),
            E::Pause => matches!(state, S::Running | S::Paused).then_some(S::Paused),
            E::Cancel => matches!(state, S::Running | S::Paused).then_some(S::Canceled),
        });
    }
}
