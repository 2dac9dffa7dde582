//! Which contents of a feed get orders, when, and how many of a service each gets. Pure.

use std::cmp::Reverse;
use std::time::Duration;

use panel_contract::moment::{DAY, Time};
use panel_contract::subscriptions::ContentStatus;
use panel_kernel::backoff::Backoff;

use super::feed::Item;

/// Longest wait until something that failed is tried again.
const MAX_RETRY_DELAY: Duration = Duration::from_secs(3_600);
/// How long a channel is not readable until staff are told.
const PATIENCE: Duration = DAY;

/// How a subscription stands when its channel was read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Standing {
    /// When it began.
    pub(super) began: Time,
    /// Whether nobody read its channel before.
    pub(super) is_first: bool,
    /// Contents from before it began that get orders too.
    pub(super) old_contents: i64,
    /// Contents that may still be taken.
    pub(super) room: i64,
    /// Minutes between a content being found and its orders.
    pub(super) delay_minutes: i64,
    /// Whether old contents that there are not make room for none: what is paid ahead is for so many, whichever they are.
    pub(super) shrinks: bool,
}

/// A content to be written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Find {
    pub(super) item: Item,
    pub(super) status: ContentStatus,
    pub(super) due_at: Option<Time>,
}

/// What is taken of a feed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Chosen {
    /// Oldest first.
    pub(super) finds: Vec<Find>,
    /// Old contents that were asked for and that there are not.
    pub(super) missing: i64,
}

/// Chooses among contents that are not known yet, in the order of their feed (newest first, as feeds are). A content without
/// a date is old where it is there at the first look, and remembered, so that it is not taken for a new one later.
pub(super) fn choose(items: Vec<Item>, of: Standing, now: Time) -> Chosen {
    let (old, mut new): (Vec<Item>, Vec<Item>) = items.into_iter().partition(|item| is_old(item, of));
    // Oldest first; what has no date keeps its place among its like.
    new.reverse();
    new.sort_by_key(|item| item.published_at.unwrap_or(now));
    let (mut taken, undated) =
        if of.is_first { newest(old, of.old_contents.min(of.room)) } else { Default::default() };
    let missing = if of.is_first { of.old_contents - count(&taken) } else { 0 };
    let missing = if of.shrinks { missing } else { 0 };
    taken.reverse();
    let room = of.room - missing - count(&taken);
    let later = now.after(Duration::from_mins(of.delay_minutes.unsigned_abs()));
    let found = |item, due| Find { item, status: ContentStatus::Found, due_at: Some(due) };
    let left = undated.into_iter().map(|item| Find { item, status: ContentStatus::Left, due_at: None });
    let old = taken.into_iter().map(|item| found(item, now));
    let new = new.into_iter().take(usize::try_from(room).unwrap_or(0)).map(|item| found(item, later));
    Chosen { finds: left.chain(old).chain(new).collect(), missing }
}

/// Dates of feeds are whole seconds.
fn is_old(item: &Item, of: Standing) -> bool {
    match item.published_at {
        Some(at) => at.0 < of.began.0 - of.began.0.rem_euclid(1_000_000),
        None => of.is_first,
    }
}

/// So many of the newest, newest first; and of the others those without a date.
fn newest(mut old: Vec<Item>, most: i64) -> (Vec<Item>, Vec<Item>) {
    old.sort_by_key(|item| Reverse(item.published_at.unwrap_or(Time(i64::MIN))));
    let rest = old.split_off(usize::try_from(most).unwrap_or(0).min(old.len()));
    (old, rest.into_iter().filter(|item| item.published_at.is_none()).collect())
}

fn count(items: &[Item]) -> i64 {
    i64::try_from(items.len()).unwrap_or(i64::MAX)
}

/// Between two tries of what normally comes once in `every`: twice as long after each failure, up to an hour.
pub(super) fn retry_backoff(every: Duration) -> Backoff<'static> {
    Backoff::doubling(every, MAX_RETRY_DELAY.max(every))
}

/// Whether staff are to hear now of a channel that cannot be read.
pub(super) fn is_news(failed_since: Option<Time>, was_told: bool, now: Time) -> bool {
    !was_told && failed_since.is_some_and(|since| now.since(since) >= PATIENCE)
}

/// A service's bounds for an order.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
pub(super) struct Bounds {
    pub(super) min_quantity: i64,
    pub(super) max_quantity: i64,
    pub(super) quantity_step: i64,
}

/// The quantities between `least` and `most` that the service takes, by chance one of them; none where there are none.
pub(super) fn quantity(least: i64, most: i64, bounds: Bounds, dice: u64) -> Option<i64> {
    let (min, step) = (bounds.min_quantity, bounds.quantity_step.max(1));
    if least < min || most > bounds.max_quantity || least > most {
        return None;
    }
    let (low, high) = ((least - min + step - 1) / step, (most - min) / step);
    let choices = u64::try_from(high - low + 1).ok().filter(|choices| *choices > 0)?;
    Some(min + (low + i64::try_from(dice % choices).ok()?) * step)
}

#[cfg(test)]
mod tests {
    use panel_kernel::backoff::Chance;

    use super::*;

    fn day(days: u32) -> Time {
        Time(0).after(DAY * days)
    }

    fn item(name: &str, at: Option<u32>) -> Item {
        Item { url: name.into(), published_at: at.map(day) }
    }

    fn standing(old_contents: i64, room: i64) -> Standing {
        Standing {
            began: day(10).after(Duration::from_micros(5)),
            is_first: true,
            old_contents,
            room,
            delay_minutes: 5,
            shrinks: true,
        }
    }

    fn names(chosen: &Chosen) -> Vec<(&str, &str, u64)> {
        let name = |find: &Find| find.due_at.map_or(0, |at| at.since(day(20)).as_secs() / 60);
        chosen.finds.iter().map(|find| (find.item.url.as_str(), find.status.as_str(), name(find))).collect()
    }

    #[test]
    fn what_is_new_is_taken_oldest_first_until_there_is_no_room() {
        let feed = vec![item("d", Some(14)), item("c", Some(13)), item("b", Some(10)), item("a", Some(9))];
        let chosen = choose(feed, standing(0, 2), day(20));
        assert_eq!(
            names(&chosen),
            [("b", "found", 5), ("c", "found", 5)],
            "b came in the second in which it began"
        );
        assert_eq!(choose(vec![item("d", Some(14))], standing(0, 0), day(20)), Chosen::default());
    }

    #[test]
    fn old_ones_are_taken_once_and_at_once() {
        let feed = || vec![item("n", Some(11)), item("2", Some(9)), item("1", Some(8))];
        let chosen = choose(feed(), standing(1, 3), day(20));
        assert_eq!((names(&chosen), chosen.missing), (vec![("2", "found", 0), ("n", "found", 5)], 0));
        let chosen = choose(feed(), standing(4, 5), day(20));
        assert_eq!(names(&chosen), [("1", "found", 0), ("2", "found", 0), ("n", "found", 5)]);
        assert_eq!(chosen.missing, 2, "for these there is no room for new ones");
        let later = Standing { is_first: false, ..standing(1, 3) };
        assert_eq!(names(&choose(feed(), later, day(20))), [("n", "found", 5)]);
        let ahead = Standing { shrinks: false, ..standing(4, 5) };
        assert_eq!(choose(feed(), ahead, day(20)).missing, 0);
    }

    #[test]
    fn without_dates_only_what_was_not_there_is_new() {
        let feed = vec![item("b", None), item("a", None)];
        let chosen = choose(feed.clone(), standing(1, 9), day(20));
        assert_eq!(names(&chosen), [("a", "left", 0), ("b", "found", 0)]);
        let later = Standing { is_first: false, ..standing(1, 9) };
        assert_eq!(names(&choose(feed, later, day(20))), [("a", "found", 5), ("b", "found", 5)]);
    }

    #[test]
    fn failures_wait_longer_up_to_an_hour_and_staff_hear_after_a_day() {
        let wait = |every_mins, failures: i64| {
            let every = Duration::from_mins(every_mins);
            retry_backoff(every).delay(failures + 1, Chance::NONE).as_secs() / 60
        };
        let minutes = [0, 1, 2, 3, 9, 900].map(|failures| wait(5, failures));
        assert_eq!(minutes, [5, 10, 20, 40, 60, 60]);
        assert_eq!(wait(90, 3), 90, "never sooner than it is polled anyway");
        assert!(!is_news(None, false, day(1)) && !is_news(Some(Time(1)), false, day(1)));
        assert!(is_news(Some(Time(0)), false, day(1)) && !is_news(Some(Time(0)), true, day(1)));
    }

    #[test]
    fn a_quantity_by_chance_is_one_that_the_service_takes() {
        let bounds = Bounds { min_quantity: 100, max_quantity: 1_000, quantity_step: 50 };
        let all: Vec<_> = (0..4).map(|dice| quantity(120, 250, bounds, dice).unwrap()).collect();
        assert_eq!(all, [150, 200, 250, 150]);
        assert_eq!(quantity(200, 200, bounds, 77), Some(200));
        let none = [(90, 200), (100, 1_050), (300, 200), (101, 149), (220, 220)];
        assert!(none.iter().all(|(least, most)| quantity(*least, *most, bounds, 0).is_none()));
    }
}
