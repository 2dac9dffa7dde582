//! Times and days in UTC. The database stores a time as microseconds and a day as days since 1970-01-01. This module reads no clock
//! and never converts to a local time zone.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use chrono::{DateTime, Datelike as _, NaiveDate, NaiveDateTime, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};

/// Microseconds in one day, for arithmetic with day numbers and for SQL.
pub const DAY_MICROS: i64 = 86_400_000_000;
/// The duration of one day.
pub const DAY: Duration = Duration::from_hours(24);

/// Why a string is not a time or day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ParseTimeError {
    /// The string is not a UTC time.
    #[error("must be a UTC time, such as 2026-11-20 16:05:00")]
    Time,
    /// The string is not a day.
    #[error("must be a day, such as 2026-11-20")]
    Day,
}

fn parse_micros(text: &str) -> Result<i64, ParseTimeError> {
    // Years outside of 0 to 9999 are invalid, because responses format the year with four digits.
    parse_datetime(text)
        .filter(has_four_digit_year)
        .map(|time| time.timestamp_micros())
        .ok_or(ParseTimeError::Time)
}

fn parse_datetime(text: &str) -> Option<DateTime<Utc>> {
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time.to_utc());
    }
    ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M"]
        .iter()
        .find_map(|format| NaiveDateTime::parse_from_str(text, format).ok())
        .map(|time| time.and_utc())
}

fn has_four_digit_year(time: &DateTime<Utc>) -> bool {
    (0..=9_999).contains(&time.year())
}

/// A duration in whole microseconds, as the database stores it; `i64::MAX` for a longer one.
#[must_use]
pub fn duration_micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

/// Writes the time with `format`, or zeros if the year has more than four digits.
fn write_micros(f: &mut fmt::Formatter<'_>, micros: i64, format: &str) -> fmt::Result {
    match DateTime::from_timestamp_micros(micros).filter(has_four_digit_year) {
        Some(time) => write!(f, "{}", time.format(format)),
        None => f.write_str("0000-00-00 00:00:00"),
    }
}

macro_rules! time_type {
    ($(#[$doc:meta])* $name:ident, $format:literal, $example:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        #[cfg_attr(feature = "sqlx", derive(sqlx::Type), sqlx(transparent))]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write_micros(f, self.0, $format)
            }
        }

        impl FromStr for $name {
            type Err = ParseTimeError;
            fn from_str(text: &str) -> Result<Self, ParseTimeError> {
                parse_micros(text).map(Self)
            }
        }

        string_encoding!($name, $example);
    };
}

macro_rules! string_encoding {
    ($name:ident, $example:literal) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                ObjectBuilder::new().schema_type(SchemaType::new(Type::String)).examples([$example]).into()
            }
        }

        impl utoipa::ToSchema for $name {
            fn name() -> Cow<'static, str> {
                Cow::Borrowed(stringify!($name))
            }
        }
    };
}

time_type! {
    /// A UTC time: `"2026-11-20 16:05:00"`. Responses format whole seconds. Requests may also use RFC 3339.
    Time, "%Y-%m-%d %H:%M:%S", "2026-11-20 16:05:00"
}
time_type! {
    /// UTC time of the last change of a record, with microseconds: `"2026-11-20 16:05:00.123456"`. An editor sends this value back
    /// with an update. If the record has changed since, the server responds with 409 `stale_record`.
    Timestamp, "%Y-%m-%d %H:%M:%S%.6f", "2026-11-20 16:05:00.123456"
}

/// A day in UTC: `"2026-11-20"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "sqlx", derive(sqlx::Type), sqlx(transparent))]
pub struct Day(pub i64);

impl Day {
    /// The time at which the day starts (00:00 UTC).
    #[must_use]
    pub fn start(self) -> Time {
        Time(self.0.saturating_mul(DAY_MICROS))
    }

    /// The calendar date; `None` if the day is outside of the range of [`NaiveDate`].
    #[must_use]
    pub fn date(self) -> Option<NaiveDate> {
        DateTime::from_timestamp(self.0.checked_mul(86_400)?, 0).map(|time| time.date_naive())
    }
}

impl From<NaiveDate> for Day {
    fn from(date: NaiveDate) -> Self {
        Self((date - NaiveDate::default()).num_days())
    }
}

impl Time {
    /// The UTC day that contains this time.
    #[must_use]
    pub fn day(self) -> Day {
        Day(self.0.div_euclid(DAY_MICROS))
    }

    /// The time that is `duration` later, at most the largest `i64`.
    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(duration_micros(duration)))
    }

    /// The time that is `duration` earlier, at least the smallest `i64`.
    #[must_use]
    pub fn minus(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(duration_micros(duration)))
    }

    /// The duration since `earlier`; zero if `earlier` is later than this time.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or_default())
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.date() {
            Some(date) => write!(f, "{}", date.format("%Y-%m-%d")),
            None => f.write_str("0000-00-00"),
        }
    }
}

impl FromStr for Day {
    type Err = ParseTimeError;
    fn from_str(text: &str) -> Result<Self, ParseTimeError> {
        NaiveDate::parse_from_str(text, "%Y-%m-%d").map(Self::from).map_err(|_| ParseTimeError::Day)
    }
}

string_encoding!(Day, "2026-11-20");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_and_formats_times_and_days() {
        let time: Time = "2026-11-20 16:05:00".parse().unwrap();
        assert_eq!(time.to_string(), "2026-11-20 16:05:00");
        assert_eq!("2026-11-20T17:05:00.5+01:00".parse::<Time>(), Ok(Time(time.0 + 500_000)));
        let morning: Time = "2026-11-20 6:05:00".parse().unwrap();
        assert_eq!(morning.to_string(), "2026-11-20 06:05:00", "an hour with one digit must be accepted");
        assert_eq!(time.day().to_string(), "2026-11-20");
        assert_eq!("2026-11-20".parse::<Day>(), Ok(time.day()));
        assert_eq!(Timestamp(time.0 + 7).to_string(), "2026-11-20 16:05:00.000007");
        assert!("20.11.2026".parse::<Time>().is_err() && "2026-02-30".parse::<Day>().is_err());
        assert_eq!(Time(-1).day(), Day(-1));
    }

    #[test]
    fn adds_and_subtracts_durations() {
        let second = Duration::from_secs(1);
        assert_eq!((Time(7).plus(second), Time(7).minus(second)), (Time(1_000_007), Time(-999_993)));
        assert_eq!((Time(1_000_007).since(Time(7)), Time(0).since(Time(7))), (second, Duration::ZERO));
        assert_eq!(Time(1).plus(Duration::MAX), Time(i64::MAX));
    }

    #[test]
    fn rejects_times_whose_year_has_more_than_four_digits() {
        assert_eq!("9999-12-31 23:59:59".parse::<Time>(), Ok(Time(253_402_300_799_000_000)));
        assert!("+12000-01-01 00:00".parse::<Time>().is_err());
        assert_eq!(Time(i64::MAX).to_string(), "0000-00-00 00:00:00");
        assert_eq!(
            Time(253_402_300_800_000_000).to_string(),
            "0000-00-00 00:00:00",
            "the year 10000 has five digits"
        );
    }

    #[test]
    fn fuzz_moments() {
        const SAMPLES: &[&str] = &[
            "2026-11-20 10:00:00",
            "2026-11-20T10:00:00Z",
            "2026-11-20",
            "2026-02-29",
            "0000-00-00 00:00:00",
        ];
        const TOKENS: &[&str] =
            &["-", "+", ":", "T", "Z", "99999999", ".999999999999", "\u{662}", " ", "+14:00"];
        panel_fuzz::FuzzTarget::new("panel-contract", "moments").run(
            panel_fuzz::mutated_texts(SAMPLES, TOKENS),
            |text| {
                if let Ok(time) = text.parse::<Time>() {
                    drop(time.to_string());
                }
                if let Ok(day) = text.parse::<Day>() {
                    assert_eq!(day.to_string().parse::<Day>().ok(), Some(day), "{text}");
                }
            },
        );
    }
}
