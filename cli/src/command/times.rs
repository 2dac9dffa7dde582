//! Parses times such as `7d`, `yesterday` and `2026-11-01`, in UTC.

use std::time::Duration;

use panel_contract::moment::{DAY, Day, Time};

/// Parses a time: an age (`30m`, `12h`, `7d`, `2w`), `now`, `today`, `yesterday`, a day, or a UTC time.
pub(crate) fn moment(text: &str, now: Time) -> Result<Time, String> {
    let text = text.trim();
    let today = now.day();
    match text {
        "now" => return Ok(now),
        "today" => return Ok(today.start()),
        "yesterday" => return Ok(Day(today.0 - 1).start()),
        _ => {}
    }
    if let Some(ago) = span(text) {
        return Ok(now.before(ago));
    }
    if let Ok(day) = text.parse::<Day>() {
        return Ok(day.start());
    }
    text.parse().map_err(|_| {
        format!("{text:?} is not a time: use 7d, 12h, yesterday, 2026-11-01 or \"2026-11-01 16:05\" (UTC)")
    })
}

/// Parses a duration: `30m`, `12h`, `7d`, `2w`.
pub(crate) fn span(text: &str) -> Option<Duration> {
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

/// Parses a time filter. Bounds of `from..to` may be relative; other values are passed to the panel unchanged.
pub(crate) fn range(text: &str, now: Time) -> Result<String, String> {
    let end = |text: &str| match text.trim() {
        "" => Ok(String::new()),
        // A day means the whole day to the panel; converted to a time it would be only its first second.
        day if day.parse::<Day>().is_ok() => Ok(day.to_owned()),
        "today" | "yesterday" => moment(text, now).map(|time| time.day().to_string()),
        other => moment(other, now).map(|time| time.to_string()),
    };
    match text.split_once("..") {
        Some((from, to)) => {
            let (first, last) = (end(from)?, end(to)?);
            // The texts sort in time order. A day is a prefix of its times and includes them.
            let is_reversed =
                !first.is_empty() && !last.is_empty() && first > last && !first.starts_with(&last);
            match is_reversed {
                true => Err(format!("{text} is reversed and selects nothing; use {to}..{from}")),
                false => Ok(format!("{first}..{last}")),
            }
        }
        None if span(text.trim()).is_some() => Ok(format!("{}..", end(text)?)),
        None => end(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-20 10:00:00.
    const NOW: Time = Time(1_795_168_800_000_000);

    #[test]
    fn parses_times() {
        let parsed = |text: &str| moment(text, NOW).unwrap().to_string();
        assert_eq!(NOW.to_string(), "2026-11-20 10:00:00");
        assert_eq!(parsed("7d"), "2026-11-13 10:00:00");
        assert_eq!(parsed("90m"), "2026-11-20 08:30:00");
        assert_eq!(parsed("yesterday"), "2026-11-19 00:00:00");
        assert_eq!(parsed("2026-11-01"), "2026-11-01 00:00:00");
        assert_eq!(parsed("2026-11-01 16:05"), "2026-11-01 16:05:00");
        for bad in ["", "d", "-1d", "1y", "tomorrowish", "2026-13-01", "99999999999999999d", "é"] {
            assert!(moment(bad, NOW).is_err(), "{bad}");
        }
    }

    #[test]
    fn parses_ranges_and_refuses_reversed_ones() {
        let parsed = |text: &str| range(text, NOW).unwrap();
        assert_eq!(parsed("2026-11-01..2026-11-20"), "2026-11-01..2026-11-20");
        assert_eq!(parsed("7d"), "2026-11-13 10:00:00..");
        assert_eq!(parsed("..2h"), "..2026-11-20 08:00:00");
        assert_eq!(parsed("yesterday"), "2026-11-19");
        assert_eq!(parsed("yesterday..today"), "2026-11-19..2026-11-20");
        assert!(range("x..y", NOW).is_err());
        assert_eq!(parsed("2026-11-20 10:00..2026-11-20"), "2026-11-20 10:00:00..2026-11-20");
        for reversed in
            ["2026-11-20..2026-11-01", "today..yesterday", "2h..7d", "2026-11-20 10:00..2026-11-20 09:59"]
        {
            assert!(range(reversed, NOW).unwrap_err().contains("reversed"), "{reversed}");
        }
    }
}
