//! Which contents of a feed get orders, when, and how many of a service each gets. Pure.

use std::cmp::Reverse;
use std::time::Duration;

use panel_contract::moment::{DAY, Time};
use panel_contract::subscriptions::ContentStatus;
use panel_kernel::backoff::Backoff;

use super::feed::Item;

/// Longest delay before a retry.
const MAX_RETRY_DELAY: Duration = Duration::from_secs(3_600);
/// Time that a channel must be unreadable before staff are notified.
const NOTIFY_AFTER: Duration = DAY;

/// State of a subscription at the time of a poll.
#[derive(Debug, Clone, Copy)]
pub(super) struct PolledSubscription {
    pub(super) started_at: Time,
    /// Whether this is the first successful poll of its channel.
    pub(super) is_first: bool,
    /// Number of contents published before the start that get orders too.
    pub(super) old_contents: i64,
    /// Number of contents that can still get orders.
    pub(super) remaining: i64,
    /// Minutes between the poll that finds a content and its orders.
    pub(super) delay_minutes: i64,
    /// Whether missing old contents reduce the limit. Not if the subscription is prepaid: the payment is for a number of
    /// contents, old or new.
    pub(super) reduces_limit: bool,
}

/// A content to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundContent {
    pub(super) item: Item,
    pub(super) status: ContentStatus,
    pub(super) due_at: Option<Time>,
}

/// The contents of a feed that get orders.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ChosenContents {
    /// Oldest first.
    pub(super) contents: Vec<FoundContent>,
    /// Number of requested old contents that the feed does not have.
    pub(super) missing: i64,
}

/// Chooses from contents that are not stored yet, in the order of their feed (newest first). A content without a date counts as
/// old if it is there at the first poll, and is stored, so that a later poll does not treat it as new.
pub(super) fn choose(items: Vec<Item>, subscription: PolledSubscription, now: Time) -> ChosenContents {
    let (old, mut new): (Vec<Item>, Vec<Item>) =
        items.into_iter().partition(|item| is_old(item, subscription));
    // Oldest first; contents without a date keep their order among themselves.
    new.reverse();
    new.sort_by_key(|item| item.published_at.unwrap_or(now));
    let (mut old, undated) = if subscription.is_first {
        newest(old, subscription.old_contents.min(subscription.remaining))
    } else {
        Default::default()
    };
    let counts_missing = subscription.is_first && subscription.reduces_limit;
    let missing = if counts_missing { subscription.old_contents - count(&old) } else { 0 };
    old.reverse();
    let remaining = subscription.remaining - missing - count(&old);
    let later = now.after(Duration::from_mins(subscription.delay_minutes.unsigned_abs()));
    let found = |item, due| FoundContent { item, status: ContentStatus::Found, due_at: Some(due) };
    let left =
        undated.into_iter().map(|item| FoundContent { item, status: ContentStatus::Left, due_at: None });
    let old = old.into_iter().map(|item| found(item, now));
    let new = new.into_iter().take(usize::try_from(remaining).unwrap_or(0)).map(|item| found(item, later));
    ChosenContents { contents: left.chain(old).chain(new).collect(), missing }
}

/// Dates in feeds are whole seconds, so the start is rounded down to its second.
fn is_old(item: &Item, subscription: PolledSubscription) -> bool {
    match item.published_at {
        Some(at) => at.0 < subscription.started_at.0 - subscription.started_at.0.rem_euclid(1_000_000),
        None => subscription.is_first,
    }
}

/// The given number of newest contents, newest first, and those of the others that have no date.
fn newest(mut old: Vec<Item>, most: i64) -> (Vec<Item>, Vec<Item>) {
    old.sort_by_key(|item| Reverse(item.published_at.unwrap_or(Time(i64::MIN))));
    let rest = old.split_off(usize::try_from(most).unwrap_or(0).min(old.len()));
    (old, rest.into_iter().filter(|item| item.published_at.is_none()).collect())
}

fn count(items: &[Item]) -> i64 {
    i64::try_from(items.len()).unwrap_or(i64::MAX)
}

/// Backoff for a task with the interval `every`: the delay doubles after each failure, up to an hour.
pub(super) fn retry_backoff(every: Duration) -> Backoff<'static> {
    Backoff::doubling(every, MAX_RETRY_DELAY.max(every))
}

/// Whether staff must be notified now of an unreadable channel.
pub(super) fn is_notification_due(failed_since: Option<Time>, was_notified: bool, now: Time) -> bool {
    !was_notified && failed_since.is_some_and(|since| now.since(since) >= NOTIFY_AFTER)
}

/// A service's bounds for an order.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
pub(super) struct Bounds {
    pub(super) min_quantity: i64,
    pub(super) max_quantity: i64,
    pub(super) quantity_step: i64,
}

/// A random quantity between `least` and `most` that the service accepts; `None` if there is none.
pub(super) fn random_quantity(least: i64, most: i64, bounds: Bounds, random: u64) -> Option<i64> {
    let (min, step) = (bounds.min_quantity, bounds.quantity_step.max(1));
    if least < min || most > bounds.max_quantity || least > most {
        return None;
    }
    let (low, high) = ((least - min + step - 1) / step, (most - min) / step);
    let choices = u64::try_from(high - low + 1).ok().filter(|choices| *choices > 0)?;
    Some(min + (low + i64::try_from(random % choices).ok()?) * step)
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

    fn state(old_contents: i64, remaining: i64) -> PolledSubscription {
        PolledSubscription {
            started_at: day(10).after(Duration::from_micros(5)),
            is_first: true,
            old_contents,
            remaining,
            delay_minutes: 5,
            reduces_limit: true,
        }
    }

    fn names(chosen: &ChosenContents) -> Vec<(&str, &str, u64)> {
        let delay_mins =
            |content: &FoundContent| content.due_at.map_or(0, |at| at.since(day(20)).as_secs() / 60);
        chosen
            .contents
            .iter()
            .map(|content| (content.item.url.as_str(), content.status.as_str(), delay_mins(content)))
            .collect()
    }

    #[test]
    fn takes_new_contents_oldest_first_up_to_the_limit() {
        let feed = vec![item("d", Some(14)), item("c", Some(13)), item("b", Some(10)), item("a", Some(9))];
        let chosen = choose(feed, state(0, 2), day(20));
        assert_eq!(
            names(&chosen),
            [("b", "found", 5), ("c", "found", 5)],
            "b was published in the second of the start"
        );
        assert_eq!(choose(vec![item("d", Some(14))], state(0, 0), day(20)), ChosenContents::default());
    }

    #[test]
    fn chooses_old_contents_at_the_first_poll_and_without_delay() {
        let feed = || vec![item("n", Some(11)), item("2", Some(9)), item("1", Some(8))];
        let chosen = choose(feed(), state(1, 3), day(20));
        assert_eq!((names(&chosen), chosen.missing), (vec![("2", "found", 0), ("n", "found", 5)], 0));
        let chosen = choose(feed(), state(4, 5), day(20));
        assert_eq!(names(&chosen), [("1", "found", 0), ("2", "found", 0), ("n", "found", 5)]);
        assert_eq!(chosen.missing, 2, "the missing ones use up the limit of new ones");
        let later = PolledSubscription { is_first: false, ..state(1, 3) };
        assert_eq!(names(&choose(feed(), later, day(20))), [("n", "found", 5)]);
        let ahead = PolledSubscription { reduces_limit: false, ..state(4, 5) };
        assert_eq!(choose(feed(), ahead, day(20)).missing, 0);
    }

    #[test]
    fn a_content_without_a_date_is_new_if_the_first_poll_did_not_find_it() {
        let feed = vec![item("b", None), item("a", None)];
        let chosen = choose(feed.clone(), state(1, 9), day(20));
        assert_eq!(names(&chosen), [("a", "left", 0), ("b", "found", 0)]);
        let later = PolledSubscription { is_first: false, ..state(1, 9) };
        assert_eq!(names(&choose(feed, later, day(20))), [("a", "found", 5), ("b", "found", 5)]);
    }

    #[test]
    fn retries_back_off_up_to_an_hour_and_staff_are_notified_after_a_day() {
        let wait = |every_mins, failures: i64| {
            let every = Duration::from_mins(every_mins);
            retry_backoff(every).delay(failures + 1, Chance::NONE).as_secs() / 60
        };
        let minutes = [0, 1, 2, 3, 9, 900].map(|failures| wait(5, failures));
        assert_eq!(minutes, [5, 10, 20, 40, 60, 60]);
        assert_eq!(wait(90, 3), 90, "never sooner than the interval of the polls");
        assert!(
            !is_notification_due(None, false, day(1)) && !is_notification_due(Some(Time(1)), false, day(1))
        );
        assert!(
            is_notification_due(Some(Time(0)), false, day(1))
                && !is_notification_due(Some(Time(0)), true, day(1))
        );
    }

    #[test]
    fn a_random_quantity_is_within_the_bounds_of_the_service() {
        let bounds = Bounds { min_quantity: 100, max_quantity: 1_000, quantity_step: 50 };
        let all: Vec<_> = (0..4).map(|random| random_quantity(120, 250, bounds, random).unwrap()).collect();
        assert_eq!(all, [150, 200, 250, 150]);
        assert_eq!(random_quantity(200, 200, bounds, 77), Some(200));
        let none = [(90, 200), (100, 1_050), (300, 200), (101, 149), (220, 220)];
        assert!(none.iter().all(|(least, most)| random_quantity(*least, *most, bounds, 0).is_none()));
    }
}
