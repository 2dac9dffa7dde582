//! A live counter over the last hour: its value, which way it went, and the bars of its sparkline.

use std::collections::VecDeque;
use std::time::Duration;

use panel_contract::moment::Time;
use panel_contract::session::Counters;

/// How far back samples are kept.
const HOUR: Duration = Duration::from_hours(1);
/// What the delta compares with.
const WINDOW: Duration = Duration::from_mins(10);
/// Samples closer together than this are one: 720 in the hour, however often a counter changes.
const STEP: Duration = Duration::from_secs(5);

/// The live counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// Orders in moderation.
    Moderation,
    /// Orders in processing.
    Processing,
    /// Orders in processing whose service has no active provider.
    NoProvider,
    /// Free-trial requests that wait.
    FreeTrials,
}

impl Count {
    /// All of them, in the order of their cards.
    pub const ALL: [Self; 4] = [Self::Moderation, Self::Processing, Self::NoProvider, Self::FreeTrials];

    /// Its title.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Moderation => "Moderation",
            Self::Processing => "Processing",
            Self::NoProvider => "No provider",
            Self::FreeTrials => "Free trials",
        }
    }

    /// Its value among all.
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

/// One counter's last hour.
#[derive(Debug, Clone, Default)]
pub struct Series {
    samples: VecDeque<(Time, i64)>,
}

impl Series {
    /// Adds what the counter shows now; whether that is new.
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

    /// What it shows now; none before the first answer.
    #[must_use]
    pub fn value(&self) -> Option<i64> {
        self.samples.back().map(|(_, value)| *value)
    }

    /// How much it changed in the last ten minutes.
    #[must_use]
    pub fn delta(&self, now: Time) -> i64 {
        let before = self.at(now.before(WINDOW)).or_else(|| self.samples.front().map(|(_, value)| *value));
        self.value().unwrap_or(0) - before.unwrap_or(0)
    }

    /// How many whole minutes [`Series::delta`] looks back: ten, or fewer while less is known.
    #[must_use]
    pub fn minutes(&self, now: Time) -> u64 {
        let known = self.samples.front().map_or(Duration::ZERO, |(at, _)| now.since(*at));
        known.min(WINDOW).as_secs() / 60
    }

    /// Its value at a moment; none before the first sample.
    fn at(&self, moment: Time) -> Option<i64> {
        self.samples.iter().rev().find(|(at, _)| *at <= moment).map(|(_, value)| *value)
    }

    /// The last hour in `width` bars from 0 to 7; none where nothing was known yet.
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
    fn deltas_look_ten_minutes_back() {
        let mut series = Series::default();
        assert_eq!((series.value(), series.delta(Time(0))), (None, 0));
        assert!(series.push(Time(0), 42));
        assert!(!series.push(minutes(1), 42));
        assert!(series.push(minutes(5), 47));
        assert_eq!((series.delta(minutes(5)), series.minutes(minutes(5))), (5, 5));
        assert_eq!((series.delta(minutes(30)), series.minutes(minutes(30))), (0, 10));
    }

    #[test]
    fn bars_cover_an_hour_and_no_more_is_kept() {
        let mut series = Series::default();
        for second in 0..20_000 {
            series.push(Time(second * 1_000_000), second);
        }
        assert!(series.samples.len() < 900);
        let bars = series.bars(Time(19_999_000_000), 16);
        assert_eq!((bars.len(), bars[0], bars[15]), (16, Some(0), Some(7)));
        let mut steady = Series::default();
        steady.push(Time(0), 9);
        assert_eq!(steady.bars(minutes(30), 4), [None, Some(3), Some(3), Some(3)]);
    }
}
