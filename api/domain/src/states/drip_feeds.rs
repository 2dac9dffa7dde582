//! Drip-feeds: orders that are placed again and again until their runs are over.

use panel_contract::drip_feeds::BatchStatus;

use crate::state_machine::{Described, StateMachine, Transitions, described, transitions};

/// An event of a drip-feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DripFeedEvent {
    /// A worker placed a run that is not the last.
    PlaceRun,
    /// A worker placed the last run.
    PlaceLastRun,
    /// A run could not be placed, such as for lack of money, and is tried again later.
    PostponeRun,
    /// Staff or the customer end it.
    Cancel,
}

/// The machine of `drip_feeds`.
#[derive(Debug)]
pub struct DripFeeds;

impl StateMachine for DripFeeds {
    type State = BatchStatus;
    type Event = DripFeedEvent;
    const NAME: &'static str = "drip-feed";
    const TITLE: &'static str = "Drip-feeds";
    const ABOUT: &'static str =
        "A drip-feed places an order every so many minutes. Its orders go on when it ends.";
    const STATES: &'static [Described<BatchStatus>] = &[
        described(BatchStatus::InProcessing, "in_processing", "Its next run is due at `next_run_at`"),
        described(BatchStatus::Completed, "completed", "Its last run was placed"),
        described(BatchStatus::Canceled, "canceled", "Staff or the customer ended it"),
    ];
    const EVENTS: &'static [Described<DripFeedEvent>] = &[
        described(DripFeedEvent::PlaceRun, "place run", "A worker placed a run that is not the last"),
        described(DripFeedEvent::PlaceLastRun, "place last run", "A worker placed the last run"),
        described(
            DripFeedEvent::PostponeRun,
            "postpone run",
            "A run could not be placed, such as for lack of money, and is tried again later",
        ),
        described(DripFeedEvent::Cancel, "cancel", "Staff or the customer end it"),
    ];
    const INITIAL_STATES: &'static [BatchStatus] = &[BatchStatus::InProcessing];
    const TRANSITIONS: &'static [Transitions<BatchStatus, DripFeedEvent>] = {
        use BatchStatus as S;
        use DripFeedEvent as E;
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
    fn every_event_in_every_state() {
        use BatchStatus as S;
        use DripFeedEvent as E;
        assert_table::<DripFeeds>(|state, event| match event {
            E::PlaceRun | E::PostponeRun => (state == S::InProcessing).then_some(S::InProcessing),
            E::PlaceLastRun => (state == S::InProcessing).then_some(S::Completed),
            E::Cancel => (state == S::InProcessing).then_some(S::Canceled),
        });
    }
}
