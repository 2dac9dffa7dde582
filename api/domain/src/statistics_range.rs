//! The days and the ids that statistics are asked for. Pure.

use chrono::{Datelike as _, Days, NaiveDate};
use panel_contract::ids::Id;
use panel_contract::moment::Day;
use panel_contract::orders::GroupBy;
use panel_kernel::error::{Error, Result};

/// Most orders that can be asked for by id.
const MOST_ORDERS: usize = 1_000;
/// Longest range, in days.
const LONGEST_DAYS: i64 = 3_700;
/// First and last day: 30 days up to today by default; errors are about `field`.
pub fn range(start: Option<Day>, end: Option<Day>, today: Day, field: &str) -> Result<(Day, Day)> {
    let last = end.unwrap_or(today);
    let first = start.unwrap_or(Day(last.0.saturating_sub(29)));
    if first > last {
        return Err(Error::invalid(field, "range_reversed", "Begin the range before its end."));
    }
    if last.0.saturating_sub(first.0) > LONGEST_DAYS || first.date().is_none() || last.date().is_none() {
        return Err(Error::invalid(
            field,
            "range_too_long",
            format!("Ask for at most {LONGEST_DAYS} days at once."),
        ));
    }
    Ok((first, last))
}

/// Ids joined by commas; an error is about `field`.
pub fn ids<I: Id>(text: &str, field: &str) -> Result<Vec<I>> {
    let wrong =
        || Error::invalid(field, "invalid", format!("Give up to {MOST_ORDERS} ids joined by commas."));
    let ids: Vec<I> = text
        .split(',')
        .map(|id| id.trim().parse().map(I::new))
        .collect::<Result<_, _>>()
        .map_err(|_| wrong())?;
    if ids.len() > MOST_ORDERS { Err(wrong()) } else { Ok(ids) }
}

/// The first day of the period that `day` lies in; weeks begin on Monday.
pub fn start_of(day: Day, group: GroupBy) -> Day {
    let Some(date) = day.date() else { return day };
    let start: Option<NaiveDate> = match group {
        GroupBy::Day => Some(date),
        GroupBy::Week => date.checked_sub_days(Days::new(u64::from(date.weekday().num_days_from_monday()))),
        GroupBy::Month => date.with_day(1),
    };
    start.map_or(day, Day::from)
}
