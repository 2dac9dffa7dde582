//! Parses the filter values of a column. Errors are messages for the field.

use panel_contract::amount::{Money, Percent};
use panel_contract::moment::{DAY_MICROS, Day, Time};

use crate::table::FilterKind;

/// From the first to the last microsecond of a second. Users see times in seconds, so the end of a range includes its whole second.
const SECOND_END_MICROS: i64 = 999_999;
/// From the first to the last microsecond of a day.
const DAY_END_MICROS: i64 = DAY_MICROS - 1;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum NumberFilter {
    OneOf(Vec<i64>),
    /// Lower and upper bound, both inclusive; `None` is no bound.
    Between(Option<i64>, Option<i64>),
}

/// Parses one value, `from..to`, or a comma-separated list.
pub(super) fn parse_number_filter(kind: FilterKind, text: &str) -> Result<NumberFilter, String> {
    if let Some((from, to)) = text.split_once("..") {
        let (from, to) = (from.trim(), to.trim());
        if from.is_empty() && to.is_empty() {
            return Err("Enter at least one end of the range: from..to, from.. or ..to.".into());
        }
        let parse_bound = |text: &str| match text {
            "" => Ok(None),
            text => parse_range(kind, text).map(Some),
        };
        let (from, to) = (parse_bound(from)?, parse_bound(to)?);
        return Ok(NumberFilter::Between(from.map(|(first, _)| first), to.map(|(_, last)| last)));
    }
    let ranges: Vec<(i64, i64)> = text
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| parse_range(kind, part))
        .collect::<Result<_, _>>()?;
    match ranges.as_slice() {
        [] => Err("Enter a value, a range from..to, or a comma-separated list.".into()),
        [(first, last)] if first != last => Ok(NumberFilter::Between(Some(*first), Some(*last))),
        _ if ranges.iter().any(|(first, last)| first != last) => {
            Err("Enter one time or day, or a range from..to.".into())
        }
        _ => Ok(NumberFilter::OneOf(ranges.into_iter().map(|(value, _)| value).collect())),
    }
}

/// Parses a text into the first and the last stored value that it includes: a day includes all its microseconds.
pub(super) fn parse_range(kind: FilterKind, text: &str) -> Result<(i64, i64), String> {
    let exact = |value: i64| (value, value);
    match kind {
        FilterKind::Money => {
            text.parse::<Money>().map(|money| exact(money.0)).map_err(|error| format!("The amount {error}."))
        }
        FilterKind::Percent => text
            .parse::<Percent>()
            .map(|percent| exact(percent.0))
            .map_err(|error| format!("The percent {error}.")),
        FilterKind::Time => parse_time_range(text),
        _ => text.parse().map(exact).map_err(|_| {
            "Enter a whole number of at most 64 bits, a range from..to, or a comma-separated list.".into()
        }),
    }
}

fn parse_time_range(text: &str) -> Result<(i64, i64), String> {
    if let Ok(day) = text.parse::<Day>() {
        let start = day.start().0;
        return Ok((start, start.saturating_add(DAY_END_MICROS)));
    }
    let time: Time =
        text.parse().map_err(|_| "Enter days (2026-11-20) or UTC times (2026-11-20 16:05:00).".to_owned())?;
    let length = if text.contains('.') { 0 } else { SECOND_END_MICROS };
    Ok((time.0, time.0.saturating_add(length)))
}

/// Returns the first and the last day of a range of times, both inclusive; `None` if the range does not consist of whole days.
pub(super) fn whole_days(from: i64, to: i64) -> Option<(i64, i64)> {
    let day = DAY_MICROS;
    let end = to.checked_add(1)?;
    (from.rem_euclid(day) == 0 && end.rem_euclid(day) == 0)
        .then(|| (from.div_euclid(day), end.div_euclid(day) - 1))
}

/// Parses a comma-separated list of `allowed` values in any case; sorted, without duplicates.
pub(super) fn parse_allowed_values(
    allowed: &[&'static str],
    text: &str,
) -> Result<Vec<&'static str>, String> {
    let find = |part: &str| allowed.iter().copied().find(|value| value.eq_ignore_ascii_case(part));
    let values: Option<Vec<_>> =
        text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(find).collect();
    match values {
        Some(mut values) if !values.is_empty() => {
            values.sort_unstable();
            values.dedup();
            Ok(values)
        }
        _ => Err(format!("Enter one or more of: {}.", allowed.join(", "))),
    }
}

/// Parses a comma-separated list of any values; sorted, without duplicates.
pub(super) fn parse_values(text: &str) -> Result<Vec<String>, String> {
    let mut values: Vec<String> =
        text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect();
    values.sort_unstable();
    values.dedup();
    if values.is_empty() { Err("Enter a value, or a comma-separated list.".into()) } else { Ok(values) }
}

pub(super) fn parse_flag(text: &str) -> Result<bool, String> {
    match text.trim() {
        "1" | "true" => Ok(true),
        "0" | "false" => Ok(false),
        _ => Err("Enter 1 or 0.".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_ranges_of_whole_days() {
        let day = DAY_MICROS;
        assert_eq!(whole_days(day, 3 * day - 1), Some((1, 2)));
        assert_eq!(whole_days(-day, -1), Some((-1, -1)));
        for (from, to) in [(day + 1, 3 * day - 1), (day, 3 * day), (0, i64::MAX)] {
            assert_eq!(whole_days(from, to), None, "{from}..{to}");
        }
    }

    #[test]
    fn parses_numbers_lists_ranges_and_days() {
        assert_eq!(parse_number_filter(FilterKind::Id, "7"), Ok(NumberFilter::OneOf(vec![7])));
        assert_eq!(parse_number_filter(FilterKind::Id, " 7, 9,"), Ok(NumberFilter::OneOf(vec![7, 9])));
        assert_eq!(
            parse_number_filter(FilterKind::Money, "0.5..1"),
            Ok(NumberFilter::Between(Some(500_000), Some(1_000_000)))
        );
        assert_eq!(
            parse_number_filter(FilterKind::Money, "-2.."),
            Ok(NumberFilter::Between(Some(-2_000_000), None))
        );
        let day = 20_000 * 86_400_000_000;
        let text = Day(20_000).to_string();
        assert_eq!(
            parse_number_filter(FilterKind::Time, &text),
            Ok(NumberFilter::Between(Some(day), Some(day + DAY_END_MICROS)))
        );
        for invalid in ["..", "", ",", "a", "9223372036854775808", "1..x", "1.5"] {
            assert!(parse_number_filter(FilterKind::Id, invalid).is_err(), "{invalid}");
        }
        assert!(parse_allowed_values(&["a", "b"], "a,c").is_err());
        assert_eq!(parse_allowed_values(&["a", "b"], "B, a"), Ok(vec!["a", "b"]));
    }
}
