//! The last hour of a live counter: its value, its change and the bars of its sparkline.

use std::collections::VecDeque;
use std::time::Duration;

use panel_contract::moment::Time;
use panel_contract::session::Counters;

/// How far the sparkline looks back.
const HISTORY_DURATION: Duration = Duration::from_hours(1);
/// The delta compares the current value with the value this long ago.
const DELTA_WINDOW: Duration = Duration::from_mins(10);
/// The minimum interval between two samples. It limits the history to 720 samples per hour, even if a counter changes often.
const SAMPLE_INTERVAL: Duration = Duration::from_secs(5);

/// The live counters of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    Moderation,
    Processing,
    /// Orders in processing whose service has no active provider.
    NoProvider,
    FreeTrials,
}

impl Counter {
    /// All counters, in the order of their cards.
    pub const ALL: [Self; 4] = [Self::Moderation, Self::Processing, Self::NoProvider, Self::FreeTrials];

    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Moderation => "Moderation",
            Self::Processing => "Processing",
            Self::NoProvider => "No provider",
            Self::FreeTrials => "Free trials",
        }
    }

    /// The value of this counter in `counters`.
    #[must_use]
    pub const fn value_in(self, counters: &Counters) -> i64 {
        match self {
            Self::Moderation => counters.orders_in_moderation_count,
            Self::Processing => counters.orders_in_processing_count,
            Self::NoProvider => counters.orders_with_no_active_providers_count,
            Self::FreeTrials => counters.free_trials_in_pending_count,
        }
    }
}

/// The values of one counter in the last hour.
#[derive(Debug, Clone, Default)]
pub struct CounterHistory {
    samples: VecDeque<(Time, i64)>,
}

impl CounterHistory {
    /// Adds the current value; returns whether it changed.
    pub fn push(&mut self, now: Time, value: i64) -> bool {
        let is_changed = self.value() != Some(value);
        let has_several_samples = self.samples.len() > 1;
        match self.samples.back_mut() {
            Some((time, last_value)) if now.since(*time) < SAMPLE_INTERVAL && has_several_samples => {
                *last_value = value
            }
            _ => self.samples.push_back((now, value)),
        }
        while self.samples.front().is_some_and(|(time, _)| now.since(*time) > HISTORY_DURATION + DELTA_WINDOW)
        {
            self.samples.pop_front();
        }
        is_changed
    }

    /// The current value; `None` before the first sample.
    #[must_use]
    pub fn value(&self) -> Option<i64> {
        self.samples.back().map(|(_, value)| *value)
    }

    /// The change in the last ten minutes.
    #[must_use]
    pub fn delta(&self, now: Time) -> i64 {
        let value_before =
            self.value_at(now.minus(DELTA_WINDOW)).or_else(|| self.samples.front().map(|(_, value)| *value));
        self.value().unwrap_or(0) - value_before.unwrap_or(0)
    }

    /// The number of whole minutes that [`CounterHistory::delta`] looks back: ten, or fewer if the history is shorter.
    #[must_use]
    pub fn delta_minutes(&self, now: Time) -> u64 {
        let history_duration = self.samples.front().map_or(Duration::ZERO, |(time, _)| now.since(*time));
        history_duration.min(DELTA_WINDOW).as_secs() / 60
    }

    /// The value at a time; `None` before the first sample.
    fn value_at(&self, time: Time) -> Option<i64> {
        self.samples.iter().rev().find(|(sample_time, _)| *sample_time <= time).map(|(_, value)| *value)
    }

    /// The last hour in `width` bars from 0 to 7; `None` before the first sample.
    #[must_use]
    pub fn bars(&self, now: Time, width: usize) -> Vec<Option<usize>> {
        let bar_count = u32::try_from(width.max(1)).unwrap_or(1);
        let bar_time = |index: u32| now.minus(HISTORY_DURATION / bar_count * (bar_count - 1 - index));
        let values: Vec<Option<i64>> = (0..bar_count).map(|index| self.value_at(bar_time(index))).collect();
        let present_values = || values.iter().flatten().copied();
        let (Some(low), Some(high)) = (present_values().min(), present_values().max()) else {
            return vec![None; width];
        };
        // A counter that does not change is a flat line in the middle, not full or empty bars.
        let bar_height = |value: i64| if high == low { 3 } else { (value - low) * 7 / (high - low) };
        values
            .into_iter()
            .map(|value| value.map(|value| usize::try_from(bar_height(value)).unwrap_or(0)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minutes(minutes: u64) -> Time {
        Time(0).plus(Duration::from_mins(minutes))
    }

    #[test]
    fn a_delta_compares_with_the_value_ten_minutes_ago() {
        let mut history = CounterHistory::default();
        assert_eq!((history.value(), history.delta(Time(0))), (None, 0));
        assert!(history.push(Time(0), 42));
        assert!(!history.push(minutes(1), 42));
        assert!(history.push(minutes(5), 47));
        assert_eq!((history.delta(minutes(5)), history.delta_minutes(minutes(5))), (5, 5));
        assert_eq!((history.delta(minutes(30)), history.delta_minutes(minutes(30))), (0, 10));
    }

    #[test]
    fn bars_cover_an_hour_and_the_history_drops_older_samples() {
        let mut history = CounterHistory::default();
        for second in 0..20_000 {
            history.push(Time(second * 1_000_000), second);
        }
        assert!(history.samples.len() < 900);
        let bars = history.bars(Time(19_999_000_000), 16);
        assert_eq!((bars.len(), bars[0], bars[15]), (16, Some(0), Some(7)));
        let mut constant = CounterHistory::default();
        constant.push(Time(0), 9);
        assert_eq!(constant.bars(minutes(30), 4), [None, Some(3), Some(3), Some(3)]);
    }
}
