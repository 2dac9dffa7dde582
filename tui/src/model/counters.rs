//! The last hour of a live counter: its value, its change and the bars of its sparkline.

use std::collections::VecDeque;
use std::time::Duration;

use panel_contract::moment::Time;
use panel_contract::session::Counters;

/// How long samples are kept.
const HOUR: Duration = Duration::from_hours(1);
/// The delta compares the current value with the value this long ago.
const WINDOW: Duration = Duration::from_mins(10);
/// Samples closer together than this are merged: at most 720 per hour, however often a counter changes.
const STEP: Duration = Duration::from_secs(5);

/// The live counters of the panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    Moderation,
    Processing,
    /// Orders in processing whose service has no active provider.
    NoProvider,
    /// Pending free-trial requests.
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

    /// The value of this counter.
    #[must_use]
    pub const fn of(self, counters: &Counters) -> i64 {
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
        let new = self.value() != Some(value);
        let more_than_one = self.samples.len() > 1;
        match self.samples.back_mut() {
            Some((at, last)) if now.since(*at) < STEP && more_than_one => *last = value,
            _ => self.samples.push_back((now, value)),
        }
        while self.samples.front().is_some_and(|(at, _)| now.since(*at) > HOUR + WINDOW) {
            self.samples.pop_front();
        }
        new
    }

    /// The current value; `None` before the first answer.
    #[must_use]
    pub fn value(&self) -> Option<i64> {
        self.samples.back().map(|(_, value)| *value)
    }

    /// The change in the last ten minutes.
    #[must_use]
    pub fn delta(&self, now: Time) -> i64 {
        let before = self.at(now.before(WINDOW)).or_else(|| self.samples.front().map(|(_, value)| *value));
        self.value().unwrap_or(0) - before.unwrap_or(0)
    }

    /// The whole minutes that [`CounterHistory::delta`] looks back: ten, or fewer with a shorter history.
    #[must_use]
    pub fn delta_minutes(&self, now: Time) -> u64 {
        let known = self.samples.front().map_or(Duration::ZERO, |(at, _)| now.since(*at));
        known.min(WINDOW).as_secs() / 60
    }

    /// The value at a time; `None` before the first sample.
    fn at(&self, moment: Time) -> Option<i64> {
        self.samples.iter().rev().find(|(at, _)| *at <= moment).map(|(_, value)| *value)
    }

    /// The last hour in `width` bars from 0 to 7; `None` before the first sample.
    #[must_use]
    pub fn bars(&self, now: Time, width: usize) -> Vec<Option<usize>> {
        let span = u32::try_from(width.max(1)).unwrap_or(1);
        let moment = |nth: u32| now.before(HOUR / span * (span - 1 - nth));
        let values: Vec<Option<i64>> = (0..span).map(|nth| self.at(moment(nth))).collect();
        let known = || values.iter().flatten().copied();
        let (Some(low), Some(high)) = (known().min(), known().max()) else { return vec![None; width] };
        // A steady counter is a flat line in the middle, not a full or an empty bar.
        let bar = |value: i64| if high == low { 3 } else { (value - low) * 7 / (high - low) };
        values.into_iter().map(|value| value.map(|value| usize::try_from(bar(value)).unwrap_or(0))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minutes(minutes: u64) -> Time {
        Time(0).after(Duration::from_mins(minutes))
    }

    #[test]
    fn deltas_compare_with_ten_minutes_ago() {
        let mut history = CounterHistory::default();
        assert_eq!((history.value(), history.delta(Time(0))), (None, 0));
        assert!(history.push(Time(0), 42));
        assert!(!history.push(minutes(1), 42));
        assert!(history.push(minutes(5), 47));
        assert_eq!((history.delta(minutes(5)), history.delta_minutes(minutes(5))), (5, 5));
        assert_eq!((history.delta(minutes(30)), history.delta_minutes(minutes(30))), (0, 10));
    }

    #[test]
    fn bars_cover_an_hour_and_older_samples_are_dropped() {
        let mut history = CounterHistory::default();
        for second in 0..20_000 {
            history.push(Time(second * 1_000_000), second);
        }
        assert!(history.samples.len() < 900);
        let bars = history.bars(Time(19_999_000_000), 16);
        assert_eq!((bars.len(), bars[0], bars[15]), (16, Some(0), Some(7)));
        let mut steady = CounterHistory::default();
        steady.push(Time(0), 9);
        assert_eq!(steady.bars(minutes(30), 4), [None, Some(3), Some(3), Some(3)]);
    }
}
