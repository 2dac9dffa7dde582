//! Parses the search values of a column, by the kind of the column. Errors are messages for the field.

use panel_contract::amount::{Money, Percent};
use panel_contract::moment::{DAY_MICROS, Day, Time};

use crate::table::Kind;

/// Times are shown in seconds and stored in microseconds: the end of a range includes its whole second.
const REST_OF_SECOND_MICROS: i64 = 999_999;
/// Last microsecond of a day, from its first.
const REST_OF_DAY_MICROS: i64 = DAY_MICROS - 1;

/// Filter of a numeric column.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NumberFilter {
    /// Any of these.
    Is(Vec<i64>),
    /// From and to, both inclusive; none is unbounded.
    Between(Option<i64>, Option<i64>),
}

/// Parses one value, `from..to`, or a comma-separated list.
pub(super) fn parse_number_filter(kind: Kind, text: &str) -> Result<NumberFilter, String> {
    if let Some((from, to)) = text.split_once("..") {
        let (from, to) = (from.trim(), to.trim());
        if from.is_empty() && to.is_empty() {
            return Err("Enter at least one end of the range: from..to, from.. or ..to.".into());
        }
        let end = |text: &str, last: bool| match text {
            "" => Ok(None),
            text => span(kind, text).map(|(from, to)| Some(if last { to } else { from })),
        };
        return Ok(NumberFilter::Between(end(from, false)?, end(to, true)?));
    }
    let spans: Vec<(i64, i64)> = text
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| span(kind, part))
        .collect::<Result<_, _>>()?;
    match spans.as_slice() {
        [] => Err("Give a value, from..to, or a list with commas.".into()),
        [(from, to)] if from != to => Ok(NumberFilter::Between(Some(*from), Some(*to))),
        _ if spans.iter().any(|(from, to)| from != to) => {
            Err("Give one time or day, or a range from..to.".into())
        }
        _ => Ok(NumberFilter::Is(spans.into_iter().map(|(value, _)| value).collect())),
    }
}

/// First and last of the stored values that a text stands for.
pub(super) fn span(kind: Kind, text: &str) -> Result<(i64, i64), String> {
    let exact = |value: i64| (value, value);
    match kind {
        Kind::Money => {
            text.parse::<Money>().map(|money| exact(money.0)).map_err(|error| format!("The amount {error}."))
        }
        Kind::Percent => text
            .parse::<Percent>()
            .map(|percent| exact(percent.0))
            .map_err(|error| format!("The percent {error}.")),
        Kind::Time => moment(text),
        _ => text.parse().map(exact).map_err(|_| {
            "Give whole numbers of at most 64 bits: one, from..to, or a list with commas.".into()
        }),
    }
}

fn moment(text: &str) -> Result<(i64, i64), String> {
    if let Ok(day) = text.parse::<Day>() {
        let start = day.start().0;
        return Ok((start, start.saturating_add(REST_OF_DAY_MICROS)));
    }
    let time: Time =
        text.parse().map_err(|_| "Give days (2026-11-20) or UTC times (2026-11-20 16:05:00).".to_owned())?;
    let rest = if text.contains('.') { 0 } else { REST_OF_SECOND_MICROS };
    Ok((time.0, time.0.saturating_add(rest)))
}

/// First and last day of a range of times; none where it does not consist of whole days.
pub(super) fn whole_days(from: i64, to: i64) -> Option<(i64, i64)> {
    let day = DAY_MICROS;
    let after = to.checked_add(1)?;
    (from.rem_euclid(day) == 0 && after.rem_euclid(day) == 0)
        .then(|| (from.div_euclid(day), after.div_euclid(day) - 1))
}

/// Parses a comma-separated list of known values.
pub(super) fn words(known: &[&'static str], text: &str) -> Result<Vec<&'static str>, String> {
    let find = |part: &str| known.iter().copied().find(|word| word.eq_ignore_ascii_case(part));
    let found: Option<Vec<_>> =
        text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(find).collect();
    match found {
        Some(mut words) if !words.is_empty() => {
            words.sort_unstable();
            words.dedup();
            Ok(words)
        }
        _ => Err(format!("Give one or more of: {}.", known.join(", "))),
    }
}

/// Parses a comma-separated list of any values.
pub(super) fn listed(text: &str) -> Result<Vec<String>, String> {
    let mut words: Vec<String> =
        text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect();
    words.sort_unstable();
    words.dedup();
    if words.is_empty() { Err("Give a value, or a list with commas.".into()) } else { Ok(words) }
}

/// Parses a flag.
pub(super) fn flag(text: &str) -> Result<bool, String> {
    match text.trim() {
        "1" | "true" => Ok(true),
        "0" | "false" => Ok(false),
        _ => Err("Give 1 or 0.".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_days_are_days() {
        let day = DAY_MICROS;
        assert_eq!(whole_days(day, 3 * day - 1), Some((1, 2)));
        assert_eq!(whole_days(-day, -1), Some((-1, -1)));
        for (from, to) in [(day + 1, 3 * day - 1), (day, 3 * day), (0, i64::MAX)] {
            assert_eq!(whole_days(from, to), None, "{from}..{to}");
        }
    }

    #[test]
    fn ranges_lists_and_days() {
        assert_eq!(parse_number_filter(Kind::Id, "7"), Ok(NumberFilter::Is(vec![7])));
        assert_eq!(parse_number_filter(Kind::Id, " 7, 9,"), Ok(NumberFilter::Is(vec![7, 9])));
        assert_eq!(
            parse_number_filter(Kind::Money, "0.5..1"),
            Ok(NumberFilter::Between(Some(500_000), Some(1_000_000)))
        );
        assert_eq!(
            parse_number_filter(Kind::Money, "-2.."),
            Ok(NumberFilter::Between(Some(-2_000_000), None))
        );
        let day = 20_000 * 86_400_000_000;
        let text = Day(20_000).to_string();
        assert_eq!(
            parse_number_filter(Kind::Time, &text),
            Ok(NumberFilter::Between(Some(day), Some(day + REST_OF_DAY_MICROS)))
        );
        for bad in ["..", "", ",", "a", "9223372036854775808", "1..x", "1.5"] {
            assert!(parse_number_filter(Kind::Id, bad).is_err(), "{bad}");
        }
        assert!(words(&["a", "b"], "a,c").is_err());
        assert_eq!(words(&["a", "b"], "B, a"), Ok(vec!["a", "b"]));
    }
}
