//! Parses times such as `7d`, `yesterday` and `2026-11-01`, in UTC.

use std::time::Duration;

use panel_contract::moment::{DAY, Day, Time};

/// Parses a time: an age (`30m`, `12h`, `7d`, `2w`), `now`, `today`, `yesterday`, a day, or a UTC time.
pub(crate) fn parse_time(text: &str, now: Time) -> Result<Time, String> {
    let text = text.trim();
    let today = now.day();
    match text {
        "now" => return Ok(now),
        "today" => return Ok(today.start()),
        "yesterday" => return Ok(Day(today.0 - 1).start()),
        _ => {}
    }
    if let Some(age) = parse_duration(text) {
        return Ok(now.minus(age));
    }
    if let Ok(day) = text.parse::<Day>() {
        return Ok(day.start());
    }
    text.parse().map_err(|_| {
        format!("{text:?} is not a time: use 7d, 12h, yesterday, 2026-11-01 or \"2026-11-01 16:05\" (UTC)")
    })
}

/// Parses a duration: `30m`, `12h`, `7d`, `2w`.
pub(crate) fn parse_duration(text: &str) -> Option<Duration> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let unit = match unit {
        "m" => Duration::from_mins(1),
        "h" => Duration::from_hours(1),
        "d" => DAY,
        "w" => 7 * DAY,
        _ => return None,
    };
    unit.checked_mul(number.parse().ok()?)
}

/// Parses a time filter. Converts relative bounds of `from..to`; the server parses other values.
pub(crate) fn parse_time_range(text: &str, now: Time) -> Result<String, String> {
    let parse_bound = |text: &str| match text.trim() {
        "" => Ok(String::new()),
        // The server interprets a day as the whole day; as a time it would be only midnight.
        day if day.parse::<Day>().is_ok() => Ok(day.to_owned()),
        "today" | "yesterday" => parse_time(text, now).map(|time| time.day().to_string()),
        other => parse_time(other, now).map(|time| time.to_string()),
    };
    match text.split_once("..") {
        Some((from, to)) => {
            let (from_bound, to_bound) = (parse_bound(from)?, parse_bound(to)?);
            // Alphabetical order is time order here. A day is a prefix of each time on that day, so `DAY 10:00..DAY` is not reversed.
            let is_reversed = !from_bound.is_empty()
                && !to_bound.is_empty()
                && from_bound > to_bound
                && !from_bound.starts_with(&to_bound);
            match is_reversed {
                true => Err(format!("{text} is reversed and selects nothing; use {to}..{from}")),
                false => Ok(format!("{from_bound}..{to_bound}")),
            }
        }
        None if parse_duration(text.trim()).is_some() => Ok(format!("{}..", parse_bound(text)?)),
        None => parse_bound(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-20 10:00:00.
    const NOW: Time = Time(1_795_168_800_000_000);

    #[test]
    fn parses_times() {
        let parse = |text: &str| parse_time(text, NOW).unwrap().to_string();
        assert_eq!(NOW.to_string(), "2026-11-20 10:00:00");
        assert_eq!(parse("7d"), "2026-11-13 10:00:00");
        assert_eq!(parse("90m"), "2026-11-20 08:30:00");
        assert_eq!(parse("yesterday"), "2026-11-19 00:00:00");
        assert_eq!(parse("2026-11-01"), "2026-11-01 00:00:00");
        assert_eq!(parse("2026-11-01 16:05"), "2026-11-01 16:05:00");
        for text in ["", "d", "-1d", "1y", "tomorrowish", "2026-13-01", "99999999999999999d", "é"] {
            assert!(parse_time(text, NOW).is_err(), "{text}");
        }
    }

    #[test]
    fn parses_ranges_and_rejects_reversed_ranges() {
        let parse = |text: &str| parse_time_range(text, NOW).unwrap();
        assert_eq!(parse("2026-11-01..2026-11-20"), "2026-11-01..2026-11-20");
        assert_eq!(parse("7d"), "2026-11-13 10:00:00..");
        assert_eq!(parse("..2h"), "..2026-11-20 08:00:00");
        assert_eq!(parse("yesterday"), "2026-11-19");
        assert_eq!(parse("yesterday..today"), "2026-11-19..2026-11-20");
        assert!(parse_time_range("x..y", NOW).is_err());
        assert_eq!(parse("2026-11-20 10:00..2026-11-20"), "2026-11-20 10:00:00..2026-11-20");
        for reversed in
            ["2026-11-20..2026-11-01", "today..yesterday", "2h..7d", "2026-11-20 10:00..2026-11-20 09:59"]
        {
            assert!(parse_time_range(reversed, NOW).unwrap_err().contains("reversed"), "{reversed}");
        }
    }
}
