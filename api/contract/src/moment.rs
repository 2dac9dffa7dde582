//! Moments and days in UTC. Stored as whole microseconds (days for [`Day`]); never a local time, never "now".

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Datelike as _, NaiveDate, NaiveDateTime, Timelike as _, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};

/// Microseconds in one day.
pub const DAY_MICROS: i64 = 86_400_000_000;

/// The text is not a moment or day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MomentError {
    /// Not a moment.
    #[error("must be a UTC time, such as 2026-11-20 16:05:00")]
    Time,
    /// Not a day.
    #[error("must be a day, such as 2026-11-20")]
    Day,
}

fn parse_micros(text: &str) -> Result<i64, MomentError> {
    // What cannot be written again is not read.
    moment_of(text)
        .filter(|at| (0..=9_999).contains(&at.year()))
        .map(|at| at.timestamp_micros())
        .ok_or(MomentError::Time)
}

fn moment_of(text: &str) -> Option<DateTime<Utc>> {
    if let Ok(moment) = DateTime::parse_from_rfc3339(text) {
        return Some(moment.to_utc());
    }
    ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M"]
        .iter()
        .find_map(|format| NaiveDateTime::parse_from_str(text, format).ok())
        .map(|moment| moment.and_utc())
}

/// `2026-11-20 16:05:00.123456`, or the first `length` of it. A page of a list has dozens of these: chrono would read its
/// format anew for each.
fn write_micros(f: &mut fmt::Formatter<'_>, micros: i64, length: usize) -> fmt::Result {
    let mut text = *b"0000-00-00 00:00:00.000000";
    let at = DateTime::from_timestamp_micros(micros).filter(|at| (0..=9_999).contains(&at.year()));
    if let Some(at) = at {
        let year = u32::try_from(at.year()).unwrap_or(0);
        put(&mut text[..4], year);
        put(&mut text[5..7], at.month());
        put(&mut text[8..10], at.day());
        put(&mut text[11..13], at.hour());
        put(&mut text[14..16], at.minute());
        put(&mut text[17..19], at.second());
        put(&mut text[20..], at.timestamp_subsec_micros());
    }
    f.write_str(std::str::from_utf8(&text[..length]).unwrap_or_default())
}

/// Writes the last digits of a number, as many as there is room for.
fn put(room: &mut [u8], mut number: u32) {
    for place in room.iter_mut().rev() {
        *place = b'0' + u8::try_from(number % 10).unwrap_or(0);
        number /= 10;
    }
}

macro_rules! moment {
    ($(#[$doc:meta])* $name:ident, $example:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        #[cfg_attr(feature = "sqlx", derive(sqlx::Type), sqlx(transparent))]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write_micros(f, self.0, $example.len())
            }
        }

        impl FromStr for $name {
            type Err = MomentError;
            fn from_str(text: &str) -> Result<Self, MomentError> {
                parse_micros(text).map(Self)
            }
        }

        text_on_the_wire!($name, $example);
    };
}

macro_rules! text_on_the_wire {
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

moment! {
    /// A moment, shown to the second: `"2026-11-20 16:05:00"`. RFC 3339 is understood as well.
    Time, "2026-11-20 16:05:00"
}
moment! {
    /// When a record last changed, with microseconds: editors send it back and a newer record is a 409.
    Stamp, "2026-11-20 16:05:00.123456"
}

/// A day in UTC: `"2026-11-20"`; days since 1970 when stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "sqlx", derive(sqlx::Type), sqlx(transparent))]
pub struct Day(pub i64);

impl Day {
    /// The first microsecond of the day.
    #[must_use]
    pub fn start(self) -> Time {
        Time(self.0.saturating_mul(DAY_MICROS))
    }

    /// The calendar date; none outside the calendar's range.
    #[must_use]
    pub fn date(self) -> Option<NaiveDate> {
        DateTime::from_timestamp(self.0.checked_mul(86_400)?, 0).map(|moment| moment.date_naive())
    }
}

impl From<NaiveDate> for Day {
    fn from(date: NaiveDate) -> Self {
        Self((date - NaiveDate::default()).num_days())
    }
}

impl Time {
    /// The day this moment lies in.
    #[must_use]
    pub fn day(self) -> Day {
        Day(self.0.div_euclid(DAY_MICROS))
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
    type Err = MomentError;
    fn from_str(text: &str) -> Result<Self, MomentError> {
        NaiveDate::parse_from_str(text, "%Y-%m-%d").map(Self::from).map_err(|_| MomentError::Day)
    }
}

text_on_the_wire!(Day, "2026-11-20");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_days() {
        let time: Time = "2026-11-20 16:05:00".parse().unwrap();
        assert_eq!(time.to_string(), "2026-11-20 16:05:00");
        assert_eq!("2026-11-20T17:05:00.5+01:00".parse::<Time>(), Ok(Time(time.0 + 500_000)));
        assert_eq!(time.day().to_string(), "2026-11-20");
        assert_eq!("2026-11-20".parse::<Day>(), Ok(time.day()));
        assert_eq!(Stamp(time.0 + 7).to_string(), "2026-11-20 16:05:00.000007");
        assert!("20.11.2026".parse::<Time>().is_err() && "2026-02-30".parse::<Day>().is_err());
        assert_eq!(Time(-1).day(), Day(-1));
    }

    #[test]
    fn moments_are_written_as_chrono_writes_them() {
        // A step that meets every month, hour and second sooner or later.
        for micros in (-62_167_219_200_000_000..253_402_300_800_000_000_i64).step_by(7_777_777_777_777_777) {
            let at = DateTime::from_timestamp_micros(micros).unwrap();
            assert_eq!(Stamp(micros).to_string(), at.format("%Y-%m-%d %H:%M:%S%.6f").to_string());
            assert_eq!(Time(micros).to_string(), at.format("%Y-%m-%d %H:%M:%S").to_string());
        }
        assert!("+12000-01-01 00:00".parse::<Time>().is_err(), "what cannot be written again");
        assert_eq!(Time(i64::MAX).to_string(), "0000-00-00 00:00:00");
        assert_eq!(Time(253_402_300_800_000_000).to_string(), "0000-00-00 00:00:00", "the year 10000");
    }
}
