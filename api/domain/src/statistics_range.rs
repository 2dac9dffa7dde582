//! Parameters of statistics: the range of days and the ids. Pure.

use chrono::{Datelike as _, Days, NaiveDate};
use panel_contract::ids::Id;
use panel_contract::moment::Day;
use panel_contract::orders::GroupBy;
use panel_kernel::error::{Error, Result};

/// Largest number of ids.
const MAX_ORDERS: usize = 1_000;
/// Longest range, in days.
const MAX_DAYS: i64 = 3_700;
/// First and last day: by default the 30 days up to today. Errors name `field`.
pub fn range(start: Option<Day>, end: Option<Day>, today: Day, field: &str) -> Result<(Day, Day)> {
    let last = end.unwrap_or(today);
    let first = start.unwrap_or(Day(last.0.saturating_sub(29)));
    if first > last {
        return Err(Error::invalid(field, "range_reversed", "Begin the range before its end."));
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

/// Parses ids joined by commas. Errors name `field`.
pub fn ids<I: Id>(text: &str, field: &str) -> Result<Vec<I>> {
    let wrong =
        || Error::invalid(field, "invalid", format!("Enter up to {MAX_ORDERS} ids, separated by commas."));
    let ids: Vec<I> = text
        .split(',')
        .map(|id| id.trim().parse().map(I::new))
        .collect::<Result<_, _>>()
        .map_err(|_| wrong())?;
    if ids.len() > MAX_ORDERS { Err(wrong()) } else { Ok(ids) }
}

/// The first day of the period that contains `day`; weeks begin on Monday.
pub fn start_of(day: Day, group: GroupBy) -> Day {
    let Some(date) = day.date() else { return day };
    let start: Option<NaiveDate> = match group {
        GroupBy::Day => Some(date),
        GroupBy::Week => date.checked_sub_days(Days::new(u64::from(date.weekday().num_days_from_monday()))),
        GroupBy::Month => date.with_day(1),
    };
    start.map_or(day, Day::from)
}
