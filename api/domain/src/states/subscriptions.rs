//! The state machine of subscriptions: the server polls a channel and places orders for its new contents, such as videos or posts.

use panel_contract::drip_feeds::RecurringOrderStatus;

use crate::state_machine::{DiagramLabel, StateMachine, Transitions, label, transitions};

/// The status of a subscription. For a subscription in processing, the state also shows whether it is paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SubscriptionState {
    /// The server polls its channel and places orders for new contents.
    Running,
    /// The customer could not pay the renewal. The server does not poll the channel, but still places the orders of contents that
    /// it found before.
    Paused,
    /// The orders of all contents were placed, or the subscription expired.
    Completed,
    /// Staff or the customer ended it.
    Canceled,
}

impl SubscriptionState {
    /// The state that the stored columns mean.
    #[must_use]
    pub const fn of(status: RecurringOrderStatus, is_paused: bool) -> Self {
        match status {
            RecurringOrderStatus::InProcessing if is_paused => Self::Paused,
            RecurringOrderStatus::InProcessing => Self::Running,
            RecurringOrderStatus::Completed => Self::Completed,
            RecurringOrderStatus::Canceled => Self::Canceled,
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
    /// The orders of a content were placed, and more contents may follow.
    PlaceContent,
    /// The orders of a content could not be placed yet, for example because the balance is too low.
    PostponeContent,
    /// The orders of the last content were placed.
    PlaceLastContent,
    /// The next period was paid.
    Renew,
    /// The next period could not be paid.
    Pause,
    /// The subscription expired.
    Expire,
    /// Staff or the customer end it.
    Cancel,
}

/// The state machine of the table `subscriptions`.
#[derive(Debug)]
pub struct Subscriptions;

impl StateMachine for Subscriptions {
    type State = SubscriptionState;
    type Event = SubscriptionEvent;
    const NAME: &'static str = "subscription";
    const TITLE: &'static str = "Subscriptions";
    const ABOUT: &'static str = "The server polls the channel of a running subscription and places orders for each new [content](subscription-content.md).";
    const STATES: &'static [DiagramLabel<SubscriptionState>] = &[
        label(
            SubscriptionState::Running,
            "running",
            "Its channel is polled at `next_poll_at`. Shown as `in_processing`",
        ),
        label(
            SubscriptionState::Paused,
            "paused",
            "The customer could not pay the renewal. The server still places the orders of contents that it found before. Shown as `in_processing`",
        ),
        label(
            SubscriptionState::Completed,
            "completed",
            "The orders of all contents were placed, or the subscription expired",
        ),
        label(SubscriptionState::Canceled, "canceled", "Staff or the customer ended it"),
    ];
    const EVENTS: &'static [DiagramLabel<SubscriptionEvent>] = &[
        label(SubscriptionEvent::RecordFeed, "record feed", "A worker read the feed of its channel"),
        label(SubscriptionEvent::RecordFeedFailure, "record feed failure", "The feed could not be read"),
        label(
            SubscriptionEvent::PlaceContent,
            "place content",
            "The orders of a content were placed, and more contents may follow",
        ),
        label(
            SubscriptionEvent::PostponeContent,
            "postpone content",
            "The orders of a content could not be placed yet, for example because the balance is too low",
        ),
        label(
            SubscriptionEvent::PlaceLastContent,
            "place last content",
            "The orders of the last content were placed",
        ),
        label(SubscriptionEvent::Renew, "renew", "The next period was paid"),
        label(SubscriptionEvent::Pause, "pause", "The next period could not be paid"),
        label(SubscriptionEvent::Expire, "expire", "The subscription expired"),
        label(SubscriptionEvent::Cancel, "cancel", "Staff or the customer end it"),
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
    fn the_table_has_exactly_the_expected_transitions() {
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
