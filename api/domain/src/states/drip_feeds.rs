//! The state machine of drip-feeds, which place an order at intervals until all runs are placed.

use panel_contract::drip_feeds::RecurringOrderStatus;

use crate::state_machine::{DiagramLabel, StateMachine, Transitions, label, transitions};

/// An event of a drip-feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DripFeedEvent {
    /// A worker placed a run that is not the last.
    PlaceRun,
    /// A worker placed the last run.
    PlaceLastRun,
    /// The order of a run could not be placed, for example because the balance is too low; a worker tries again later.
    PostponeRun,
    /// Staff or the customer end it.
    Cancel,
}

/// The state machine of the table `drip_feeds`.
#[derive(Debug)]
pub struct DripFeeds;

impl StateMachine for DripFeeds {
    type State = RecurringOrderStatus;
    type Event = DripFeedEvent;
    const NAME: &'static str = "drip-feed";
    const TITLE: &'static str = "Drip-feeds";
    const ABOUT: &'static str =
        "A drip-feed places an order at an interval of minutes. When it ends, the placed orders continue.";
    const STATES: &'static [DiagramLabel<RecurringOrderStatus>] = &[
        label(RecurringOrderStatus::InProcessing, "in_processing", "Its next run is due at `next_run_at`"),
        label(RecurringOrderStatus::Completed, "completed", "Its last run was placed"),
        label(RecurringOrderStatus::Canceled, "canceled", "Staff or the customer ended it"),
    ];
    const EVENTS: &'static [DiagramLabel<DripFeedEvent>] = &[
        label(DripFeedEvent::PlaceRun, "place run", "A worker placed a run that is not the last"),
        label(DripFeedEvent::PlaceLastRun, "place last run", "A worker placed the last run"),
        label(
            DripFeedEvent::PostponeRun,
            "postpone run",
            "The order of a run could not be placed, for example because the balance is too low; a worker tries again later",
        ),
        label(DripFeedEvent::Cancel, "cancel", "Staff or the customer end it"),
    ];
    const INITIAL_STATES: &'static [RecurringOrderStatus] = &[RecurringOrderStatus::InProcessing];
    const TRANSITIONS: &'static [Transitions<RecurringOrderStatus, DripFeedEvent>] = {
        use DripFeedEvent as E;
        use RecurringOrderStatus as S;
        &[transitions(
            &[S::InProcessing],
            &[
                (E::PlaceRun, S::InProcessing),
                (E::PlaceLastRun, S::Completed),
                (E::PostponeRun, S::InProcessing),
                (E::Cancel, S::Canceled),
            ],
        )]
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::assert_table;

    #[test]
    fn the_table_has_exactly_the_expected_transitions() {
        use DripFeedEvent as E;
        use RecurringOrderStatus as S;
        assert_table::<DripFeeds>(|state, event| match event {
            E::PlaceRun | E::PostponeRun => (state == S::InProcessing).then_some(S::InProcessing),
            E::PlaceLastRun => (state == S::InProcessing).then_some(S::Completed),
            E::Cancel => (state == S::InProcessing).then_some(S::Canceled),
        });
    }
}
