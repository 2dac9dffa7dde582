//! Parses the query parameters of statistics: a range of days and a list of ids. Pure functions.

use chrono::{Datelike as _, Days, NaiveDate};
use panel_contract::ids::Id;
use panel_contract::moment::Day;
use panel_contract::orders::GroupBy;
use panel_kernel::error::{Error, Result};

const MAX_IDS: usize = 1_000;
const MAX_DAYS: i64 = 3_700;

/// Returns the first and the last day, by default the 30 days up to today. An error names `field` as the invalid parameter.
pub fn parse_day_range(start: Option<Day>, end: Option<Day>, today: Day, field: &str) -> Result<(Day, Day)> {
    let last = end.unwrap_or(today);
    let first = start.unwrap_or(Day(last.0.saturating_sub(29)));
    if first > last {
        return Err(Error::invalid(field, "range_reversed", "Enter a start that is not after the end."));
    }
    if last.0.saturating_sub(first.0) > MAX_DAYS || first.date().is_none() || last.date().is_none() {
        return Err(Error::invalid(
            field,
            "range_too_long",
            format!("Choose a range of at most {MAX_DAYS} days."),
        ));
    }
    Ok((first, last))
}

/// Parses comma-separated ids. An error names `field` as the invalid parameter.
pub fn parse_ids<I: Id>(text: &str, field: &str) -> Result<Vec<I>> {
    let invalid =
        || Error::invalid(field, "invalid", format!("Enter up to {MAX_IDS} ids, separated by commas."));
    let ids: Vec<I> = text
        .split(',')
        .map(|id| id.trim().parse().map(I::new))
        .collect::<Result<_, _>>()
        .map_err(|_| invalid())?;
    if ids.len() > MAX_IDS { Err(invalid()) } else { Ok(ids) }
}

/// The first day of the period that contains `day`; weeks begin on Monday.
pub fn period_start(day: Day, group: GroupBy) -> Day {
    let Some(date) = day.date() else { return day };
    let start: Option<NaiveDate> = match group {
        GroupBy::Day => Some(date),
        GroupBy::Week => date.checked_sub_days(Days::new(u64::from(date.weekday().num_days_from_monday()))),
        GroupBy::Month => date.with_day(1),
    };
    start.map_or(day, Day::from)
}
