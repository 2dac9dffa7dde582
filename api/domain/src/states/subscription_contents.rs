//! Contents of subscriptions: videos or posts that get orders.

use panel_contract::subscriptions::ContentStatus;

use crate::state_machine::{Described, StateMachine, Transitions, described, transitions};

/// An event of a content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ContentEvent {
    /// All of its orders were placed.
    Place,
    /// Its orders could not be placed; a worker tries again later.
    Postpone,
    /// Its subscription ended before.
    Leave,
}

/// The machine of `subscription_contents`.
#[derive(Debug)]
pub struct SubscriptionContents;

impl StateMachine for SubscriptionContents {
    type State = ContentStatus;
    type Event = ContentEvent;
    const NAME: &'static str = "subscription-content";
    const TITLE: &'static str = "Contents of subscriptions";
    const ABOUT: &'static str = "A content of a channel that a [subscription](subscription.md) follows. It is stored before its orders are, so that it gets them once.";
    const STATES: &'static [Described<ContentStatus>] = &[
        described(ContentStatus::Found, "found", "Its orders are placed at `due_at`"),
        described(ContentStatus::Placed, "placed", "It got its orders"),
        described(ContentStatus::Left, "left", "It gets none: it is too old, or the subscription ended"),
    ];
    const EVENTS: &'static [Described<ContentEvent>] = &[
        described(ContentEvent::Place, "place", "All of its orders were placed"),
        described(
            ContentEvent::Postpone,
            "postpone",
            "Its orders could not be placed; a worker tries again later",
        ),
        described(ContentEvent::Leave, "leave", "Its subscription ended before"),
    ];
    const INITIAL_STATES: &'static [ContentStatus] = &[ContentStatus::Found, ContentStatus::Left];
    const TRANSITIONS: &'static [Transitions<ContentStatus, ContentEvent>] = {
        use ContentEvent as E;
        use ContentStatus as S;
        &[transitions(&[S::Found], &[(E::Place, S::Placed), (E::Postpone, S::Found), (E::Leave, S::Left)])]
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::assert_table;

    #[test]
    fn every_event_in_every_state() {
        use ContentEvent as E;
        use ContentStatus as S;
        assert_table::<SubscriptionContents>(|state, event| match event {
            E::Place => (state == S::Found).then_some(S::Placed),
            E::Postpone => (state == S::Found).then_some(S::Found),
            E::Leave => (state == S::Found).then_some(S::Left),
        });
    }
}
