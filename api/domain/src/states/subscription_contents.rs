//! The state machine of the contents of subscriptions: the videos or posts that the server places orders for.

use panel_contract::subscriptions::ContentStatus;

use crate::state_machine::{DiagramLabel, StateMachine, Transitions, label, transitions};

/// An event of a content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ContentEvent {
    /// All of its orders were placed.
    Place,
    /// Its orders could not be placed; a worker tries again later.
    Postpone,
    /// Its subscription ended before the orders were placed.
    Skip,
}

/// The state machine of the table `subscription_contents`.
#[derive(Debug)]
pub struct SubscriptionContents;

impl StateMachine for SubscriptionContents {
    type State = ContentStatus;
    type Event = ContentEvent;
    const NAME: &'static str = "subscription-content";
    const TITLE: &'static str = "Contents of subscriptions";
    const ABOUT: &'static str = "A content of the channel of a [subscription](subscription.md). The server stores it before it places the orders, so that it places them only once.";
    const STATES: &'static [DiagramLabel<ContentStatus>] = &[
        label(ContentStatus::Found, "found", "Its orders are placed at `due_at`"),
        label(ContentStatus::Placed, "placed", "Its orders were placed"),
        label(
            ContentStatus::Skipped,
            "skipped",
            "It gets no orders, because it is too old or the subscription ended",
        ),
    ];
    const EVENTS: &'static [DiagramLabel<ContentEvent>] = &[
        label(ContentEvent::Place, "place", "All of its orders were placed"),
        label(
            ContentEvent::Postpone,
            "postpone",
            "Its orders could not be placed; a worker tries again later",
        ),
        label(ContentEvent::Skip, "skip", "Its subscription ended before the orders were placed"),
    ];
    const INITIAL_STATES: &'static [ContentStatus] = &[ContentStatus::Found, ContentStatus::Skipped];
    const TRANSITIONS: &'static [Transitions<ContentStatus, ContentEvent>] = {
        use ContentEvent as E;
        use ContentStatus as S;
        &[transitions(&[S::Found], &[(E::Place, S::Placed), (E::Postpone, S::Found), (E::Skip, S::Skipped)])]
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::assert_table;

    #[test]
    fn the_table_has_exactly_the_expected_transitions() {
        use ContentEvent as E;
        use ContentStatus as S;
        assert_table::<SubscriptionContents>(|state, event| match event {
            E::Place => (state == S::Found).then_some(S::Placed),
            E::Postpone => (state == S::Found).then_some(S::Found),
            E::Skip => (state == S::Found).then_some(S::Skipped),
        });
    }
}
