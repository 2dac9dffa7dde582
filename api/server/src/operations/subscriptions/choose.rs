//! Decides which contents of a feed get orders, when the orders are placed, and the quantity of each order. Reads and writes no
//! data.

use std::cmp::Reverse;
use std::time::Duration;

use panel_contract::moment::{DAY, Time};
use panel_contract::subscriptions::ContentStatus;
use panel_kernel::backoff::Backoff;

use super::feed::FeedItem;

/// Longest delay before a retry.
const MAX_RETRY_DELAY: Duration = Duration::from_secs(3_600);
/// Time that a channel must be unreadable before staff are notified.
const NOTIFY_AFTER: Duration = DAY;

/// State of a subscription at the time of a poll.
#[derive(Debug, Clone, Copy)]
pub(super) struct PolledSubscription {
    pub(super) started_at: Time,
    /// Whether this is the first successful poll of its channel.
    pub(super) is_first_poll: bool,
    /// Number of contents published before the start that get orders too.
    pub(super) old_contents: i64,
    /// Number of contents that can still get orders before the limit is reached.
    pub(super) remaining_contents: i64,
    /// Minutes between the poll that finds a content and its orders.
    pub(super) delay_minutes: i64,
    /// Whether missing old contents reduce the limit. False if the subscription is prepaid, because the customer has paid for a
    /// number of contents, old or new.
    pub(super) reduces_limit_by_missing: bool,
}

/// A content to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ContentToStore {
    pub(super) item: FeedItem,
    pub(super) status: ContentStatus,
    pub(super) due_at: Option<Time>,
}

/// The contents of a feed that get orders.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ChosenContents {
    pub(super) contents: Vec<ContentToStore>,
    /// Number of requested old contents that the feed does not have.
    pub(super) missing_old_contents: i64,
}

/// Chooses contents that get orders. `items` are the contents of the feed that are not stored yet, newest first. A content without
/// a date that the first poll finds counts as old; it is stored even if it gets no orders, so that a later poll does not treat it
/// as new.
pub(super) fn choose_contents(
    items: Vec<FeedItem>,
    subscription: PolledSubscription,
    now: Time,
) -> ChosenContents {
    let (old_items, mut new_items): (Vec<FeedItem>, Vec<FeedItem>) =
        items.into_iter().partition(|item| is_old(item, subscription));
    // Oldest first; the sort is stable, so contents without a date keep their order.
    new_items.reverse();
    new_items.sort_by_key(|item| item.published_at.unwrap_or(now));
    let (mut chosen_old_items, undated_items) = if subscription.is_first_poll {
        split_newest(old_items, subscription.old_contents.min(subscription.remaining_contents))
    } else {
        Default::default()
    };
    let counts_missing_contents = subscription.is_first_poll && subscription.reduces_limit_by_missing;
    let missing_old_contents =
        if counts_missing_contents { subscription.old_contents - count_items(&chosen_old_items) } else { 0 };
    chosen_old_items.reverse();
    let remaining = subscription.remaining_contents - missing_old_contents - count_items(&chosen_old_items);
    let delayed_until = now.plus(Duration::from_mins(subscription.delay_minutes.unsigned_abs()));
    let to_due_content =
        |item, due_at| ContentToStore { item, status: ContentStatus::Found, due_at: Some(due_at) };
    let skipped_contents = undated_items.into_iter().map(|item| ContentToStore {
        item,
        status: ContentStatus::Skipped,
        due_at: None,
    });
    let old_contents = chosen_old_items.into_iter().map(|item| to_due_content(item, now));
    let new_contents = new_items
        .into_iter()
        .take(usize::try_from(remaining).unwrap_or(0))
        .map(|item| to_due_content(item, delayed_until));
    ChosenContents {
        contents: skipped_contents.chain(old_contents).chain(new_contents).collect(),
        missing_old_contents,
    }
}

/// Whether a content was published before the start of the subscription. Dates in feeds are whole seconds, so the start is rounded
/// down to the second.
fn is_old(item: &FeedItem, subscription: PolledSubscription) -> bool {
    match item.published_at {
        Some(time) => time.0 < subscription.started_at.0 - subscription.started_at.0.rem_euclid(1_000_000),
        None => subscription.is_first_poll,
    }
}

/// Returns the newest contents, at most `limit`, newest first, and those of the other contents that have no date.
fn split_newest(mut items: Vec<FeedItem>, limit: i64) -> (Vec<FeedItem>, Vec<FeedItem>) {
    items.sort_by_key(|item| Reverse(item.published_at.unwrap_or(Time(i64::MIN))));
    let remaining = items.split_off(usize::try_from(limit).unwrap_or(0).min(items.len()));
    (items, remaining.into_iter().filter(|item| item.published_at.is_none()).collect())
}

fn count_items(items: &[FeedItem]) -> i64 {
    i64::try_from(items.len()).unwrap_or(i64::MAX)
}

/// Returns the backoff of a task that runs every `interval`: the delay doubles after each failure, up to an hour.
pub(super) fn retry_backoff(interval: Duration) -> Backoff<'static> {
    Backoff::doubling(interval, MAX_RETRY_DELAY.max(interval))
}

/// Whether the server must notify staff now that a channel cannot be read.
pub(super) fn is_notification_due(failed_since: Option<Time>, was_notified: bool, now: Time) -> bool {
    !was_notified && failed_since.is_some_and(|since| now.since(since) >= NOTIFY_AFTER)
}

/// Allowed quantities of one order of a service.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
pub(super) struct QuantityBounds {
    pub(super) min_quantity: i64,
    pub(super) max_quantity: i64,
    pub(super) quantity_step: i64,
}

/// Returns a random quantity between `min` and `max` that the service accepts; `None` if the service accepts no such quantity.
pub(super) fn random_quantity(min: i64, max: i64, bounds: QuantityBounds, random: u64) -> Option<i64> {
    let (lower_bound, step) = (bounds.min_quantity, bounds.quantity_step.max(1));
    if min < lower_bound || max > bounds.max_quantity || min > max {
        return None;
    }
    let (first_step, last_step) = ((min - lower_bound + step - 1) / step, (max - lower_bound) / step);
    let choices = u64::try_from(last_step - first_step + 1).ok().filter(|choices| *choices > 0)?;
    Some(lower_bound + (first_step + i64::try_from(random % choices).ok()?) * step)
}

#[cfg(test)]
mod tests {
    use panel_kernel::backoff::JitterFraction;

    use super::*;

    fn day(days: u32) -> Time {
        Time(0).plus(DAY * days)
    }

    fn item(name: &str, published_on_day: Option<u32>) -> FeedItem {
        FeedItem { url: name.into(), published_at: published_on_day.map(day) }
    }

    fn first_poll(old_contents: i64, remaining: i64) -> PolledSubscription {
        PolledSubscription {
            started_at: day(10).plus(Duration::from_micros(5)),
            is_first_poll: true,
            old_contents,
            remaining_contents: remaining,
            delay_minutes: 5,
            reduces_limit_by_missing: true,
        }
    }

    fn summaries(chosen: &ChosenContents) -> Vec<(&str, &str, u64)> {
        let delay_mins = |content: &ContentToStore| {
            content.due_at.map_or(0, |due_at| due_at.since(day(20)).as_secs() / 60)
        };
        chosen
            .contents
            .iter()
            .map(|content| (content.item.url.as_str(), content.status.as_str(), delay_mins(content)))
            .collect()
    }

    #[test]
    fn chooses_new_contents_oldest_first_up_to_the_limit() {
        let feed = vec![item("d", Some(14)), item("c", Some(13)), item("b", Some(10)), item("a", Some(9))];
        let chosen = choose_contents(feed, first_poll(0, 2), day(20));
        assert_eq!(
            summaries(&chosen),
            [("b", "found", 5), ("c", "found", 5)],
            "b must count as new, because it was published in the second of the start"
        );
        assert_eq!(
            choose_contents(vec![item("d", Some(14))], first_poll(0, 0), day(20)),
            ChosenContents::default()
        );
    }

    #[test]
    fn chooses_old_contents_at_the_first_poll_and_without_delay() {
        let feed = || vec![item("n", Some(11)), item("2", Some(9)), item("1", Some(8))];
        let chosen = choose_contents(feed(), first_poll(1, 3), day(20));
        assert_eq!(
            (summaries(&chosen), chosen.missing_old_contents),
            (vec![("2", "found", 0), ("n", "found", 5)], 0)
        );
        let chosen = choose_contents(feed(), first_poll(4, 5), day(20));
        assert_eq!(summaries(&chosen), [("1", "found", 0), ("2", "found", 0), ("n", "found", 5)]);
        assert_eq!(chosen.missing_old_contents, 2, "missing old contents must reduce the limit");
        let second_poll = PolledSubscription { is_first_poll: false, ..first_poll(1, 3) };
        assert_eq!(summaries(&choose_contents(feed(), second_poll, day(20))), [("n", "found", 5)]);
        let prepaid = PolledSubscription { reduces_limit_by_missing: false, ..first_poll(4, 5) };
        assert_eq!(choose_contents(feed(), prepaid, day(20)).missing_old_contents, 0);
    }

    #[test]
    fn a_content_without_a_date_is_new_if_the_first_poll_did_not_find_it() {
        let feed = vec![item("b", None), item("a", None)];
        let chosen = choose_contents(feed.clone(), first_poll(1, 9), day(20));
        assert_eq!(summaries(&chosen), [("a", "skipped", 0), ("b", "found", 0)]);
        let second_poll = PolledSubscription { is_first_poll: false, ..first_poll(1, 9) };
        assert_eq!(
            summaries(&choose_contents(feed, second_poll, day(20))),
            [("a", "found", 5), ("b", "found", 5)]
        );
    }

    #[test]
    fn retries_back_off_up_to_an_hour_and_staff_are_notified_after_a_day() {
        let delay_mins = |every_mins, failures: i64| {
            let interval = Duration::from_mins(every_mins);
            retry_backoff(interval).delay(failures + 1, JitterFraction::NONE).as_secs() / 60
        };
        let minutes = [0, 1, 2, 3, 9, 900].map(|failures| delay_mins(5, failures));
        assert_eq!(minutes, [5, 10, 20, 40, 60, 60]);
        assert_eq!(delay_mins(90, 3), 90, "a retry must not be sooner than the interval of the polls");
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
        let bounds = QuantityBounds { min_quantity: 100, max_quantity: 1_000, quantity_step: 50 };
        let quantities: Vec<_> =
            (0..4).map(|random| random_quantity(120, 250, bounds, random).unwrap()).collect();
        assert_eq!(quantities, [150, 200, 250, 150]);
        assert_eq!(random_quantity(200, 200, bounds, 77), Some(200));
        let impossible_ranges = [(90, 200), (100, 1_050), (300, 200), (101, 149), (220, 220)];
        assert!(impossible_ranges.iter().all(|(min, max)| random_quantity(*min, *max, bounds, 0).is_none()));
    }
}
