//! Parses the responses of a counter service, measures growth, and decides when an order is counted again. This module uses no
//! database and no network.
//!
//! Growth counts for an order only while no other order runs for the same link; otherwise the growth counts for none of these
//! orders. A response without a count changes nothing. Two counts in a row must reach the ordered quantity, so that a single wrong
//! count completes no order.

use std::time::Duration;

use panel_contract::moment::Time;
use panel_kernel::backoff::{Backoff, JitterFraction, poll_interval};

use panel_platform::outbound::OutboundResponse;

/// Time between the count that first reaches the quantity and the count that confirms it.
const CONFIRMATION_INTERVAL: Duration = Duration::from_mins(1);
/// Maximum time between two counts, unless the configured interval is longer.
const MAX_INTERVAL: Duration = Duration::from_hours(6);
/// The interval between counts is the age of the order divided by this number, so that older orders are counted less often.
const AGE_DIVISOR: u32 = 100;
/// Pause of requests to the counter service after batches in which every request failed.
const SERVICE_BACKOFF: Backoff<'static> =
    Backoff::doubling(Duration::from_secs(30), Duration::from_secs(600));
/// Maximum plausible count; a response with a higher number is invalid.
const MAX_COUNT: i64 = 1_000_000_000_000_000;

/// The reason why a request returned no count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CountError {
    /// The service failed, or it rejects our requests.
    Service(String),
    /// The service has no count for this link.
    Link(String),
}

impl CountError {
    /// The message that staff see.
    pub(super) fn message(&self) -> &str {
        match self {
            Self::Service(message) | Self::Link(message) => message,
        }
    }
}

/// The measured growth of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Growth {
    /// The count from which growth is measured.
    pub(super) start_count: i64,
    /// Growth since the start count, in units.
    pub(super) quantity: i64,
}

/// Returns the growth after a new count. The first count is the start count. While other orders deliver to the same link, the
/// growth stays unchanged and the start count increases with the count. The start count never decreases.
pub(super) fn update_growth(old_growth: Option<Growth>, count: i64, is_shared: bool) -> Growth {
    let start_count = match old_growth {
        None => count,
        Some(old_growth) if is_shared => old_growth.start_count.max(count - old_growth.quantity),
        Some(old_growth) => old_growth.start_count,
    };
    Growth { start_count, quantity: (count - start_count).max(0) }
}

/// Whether both this count and the previous count reached the ordered quantity.
pub(super) fn is_quantity_reached(
    old_growth: Option<Growth>,
    new_growth: Growth,
    ordered_quantity: i64,
) -> bool {
    old_growth.is_some_and(|old_growth| old_growth.quantity >= ordered_quantity)
        && new_growth.quantity >= ordered_quantity
}

/// Returns the time until the next count of an order of this age. The time is short if the growth has reached the ordered quantity
/// or at least 90 % of it.
pub(super) fn count_interval(
    age: Duration,
    min_interval: Duration,
    new_growth: Growth,
    ordered_quantity: i64,
) -> Duration {
    if new_growth.quantity >= ordered_quantity {
        CONFIRMATION_INTERVAL.min(min_interval)
    } else if i128::from(new_growth.quantity) * 10 >= i128::from(ordered_quantity) * 9 {
        min_interval
    } else {
        loss_count_interval(age, min_interval)
    }
}

/// Returns the time until the next count of an order that was completed `age` ago.
pub(super) fn loss_count_interval(age: Duration, min_interval: Duration) -> Duration {
    poll_interval(age, AGE_DIVISOR, min_interval, MAX_INTERVAL.max(min_interval))
}

/// Returns the time at which to retry a failed count, after `tries` earlier failures.
pub(super) fn count_retry_at(tries: i64, min_interval: Duration, now: Time) -> Time {
    Backoff::doubling(min_interval, MAX_INTERVAL.max(min_interval)).next_attempt_at(
        tries.saturating_add(1),
        JitterFraction::NONE,
        now,
    )
}

/// Returns the time of the next request to the service, after this many failed batches in a row.
pub(super) fn service_retry_at(failed_batches: i64, now: Time) -> Time {
    SERVICE_BACKOFF.next_attempt_at(failed_batches, JitterFraction::NONE, now)
}

/// Returns the time at which the rate limit allows the next request, after `request_count` requests at `now`.
pub(super) fn next_request_at(now: Time, request_count: i64, requests_per_second: u32) -> Time {
    now.plus(Duration::from_micros(
        request_count.unsigned_abs() * 1_000_000 / u64::from(requests_per_second.max(1)),
    ))
}

/// Optional details of the promoted content (video, post, live stream) that a counter sends with the count.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct PromotedContentInfo {
    /// URL for embedding the content.
    pub(super) embed_url: Option<String>,
    /// Countries in which the content is not available, as free text.
    pub(super) region_restriction: Option<String>,
    /// Current viewers of a live stream.
    pub(super) viewers: Option<i64>,
    /// Average number of viewers since the live stream began.
    pub(super) average_viewers: Option<i64>,
}

/// Parses the details of the promoted content. Invalid values are ignored.
pub(super) fn parse_promoted_content(response: &OutboundResponse) -> PromotedContentInfo {
    let Ok::<serde_json::Value, _>(body) = response.json() else { return PromotedContentInfo::default() };
    let read_text = |name: &str, max_chars: usize| {
        let text = body[name].as_str().map(str::trim).filter(|text| !text.is_empty())?;
        (text.chars().count() <= max_chars && !text.contains(char::is_control)).then(|| text.to_owned())
    };
    let read_number = |name: &str| body[name].as_i64().filter(|number| (0..=MAX_COUNT).contains(number));
    PromotedContentInfo {
        embed_url: read_text("embed_url", 2_000)
            .filter(|url| url.starts_with("https://") || url.starts_with("http://")),
        region_restriction: read_text("region_restriction", 500),
        viewers: read_number("viewers"),
        average_viewers: read_number("average_viewers"),
    }
}

pub(super) fn parse_count(response: &OutboundResponse) -> Result<i64, CountError> {
    match response.status {
        200..=299 => {}
        status @ (400 | 404 | 410 | 422) => {
            return Err(CountError::Link(format!(
                "The counter responded with status {status} for this link."
            )));
        }
        status => return Err(CountError::Service(format!("The counter responded with status {status}."))),
    }
    let no_count_error = || CountError::Link("The counter's response contains no valid count.".to_owned());
    let body: serde_json::Value = response.json().map_err(|_| no_count_error())?;
    let count = match &body["count"] {
        serde_json::Value::Number(number) => number.as_i64(),
        serde_json::Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    count.filter(|count| (0..=MAX_COUNT).contains(count)).ok_or_else(no_count_error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn count_of_response(status: u16, body: &str) -> Result<i64, CountError> {
        parse_count(&OutboundResponse { status, retry_after: None, body: body.into(), is_truncated: false })
    }

    #[test]
    fn parses_only_whole_plausible_counts() {
        assert_eq!(count_of_response(200, r#"{"count": 1234}"#), Ok(1_234));
        assert_eq!(count_of_response(200, r#"{"count": "1234", "at": 1}"#), Ok(1_234));
        assert_eq!(count_of_response(200, r#"{"count": 0}"#), Ok(0));
        for body in [
            "",
            "1234",
            "<html>1234</html>",
            "{}",
            "[]",
            r#"{"count": null}"#,
            r#"{"count": -1}"#,
            r#"{"count": 1.5}"#,
            r#"{"count": "1.2K"}"#,
            r#"{"count": true}"#,
            r#"{"count": 1e30}"#,
            r#"{"count": 9223372036854775807}"#,
            r#"{"count": 12"#,
        ] {
            assert!(matches!(count_of_response(200, body), Err(CountError::Link(_))), "{body}");
        }
        assert!(matches!(count_of_response(404, r#"{"count": 5}"#), Err(CountError::Link(_))));
        for status in [301, 302, 401, 403, 429, 500, 502] {
            assert!(
                matches!(count_of_response(status, r#"{"count": 5}"#), Err(CountError::Service(_))),
                "{status}"
            );
        }
    }

    #[test]
    fn parses_details_of_the_promoted_content() {
        let parse_details = |body: &str| {
            parse_promoted_content(&OutboundResponse {
                status: 200,
                retry_after: None,
                body: body.into(),
                is_truncated: false,
            })
        };
        let details = parse_details(
            r#"{"count": 1, "embed_url": "https://video.example/embed/1", "region_restriction": " US, CA ", "viewers": 57}"#,
        );
        assert_eq!(
            (details.embed_url.as_deref(), details.region_restriction.as_deref(), details.viewers),
            (Some("https://video.example/embed/1"), Some("US, CA"), Some(57))
        );
        assert_eq!(
            parse_details(
                r#"{"count": 1, "embed_url": "javascript:x", "region_restriction": 7, "viewers": -1}"#
            ),
            PromotedContentInfo::default()
        );
        assert_eq!(parse_details("<html>"), PromotedContentInfo::default());
    }

    #[test]
    fn growth_is_measured_from_the_first_count() {
        let first_growth = update_growth(None, 500, false);
        assert_eq!(first_growth, Growth { start_count: 500, quantity: 0 });
        assert_eq!(update_growth(Some(first_growth), 700, false).quantity, 200);
        assert_eq!(
            update_growth(Some(first_growth), 300, false),
            Growth { start_count: 500, quantity: 0 },
            "a lower count must not give a negative growth"
        );
        let partial_growth = Growth { start_count: 500, quantity: 200 };
        assert_eq!(
            update_growth(Some(partial_growth), 900, true),
            Growth { start_count: 700, quantity: 200 },
            "growth of a shared link must not count for the order"
        );
        assert_eq!(
            update_growth(Some(partial_growth), 600, true),
            Growth { start_count: 500, quantity: 100 },
            "the start count must not decrease"
        );
    }

    #[test]
    fn a_single_count_does_not_reach_the_quantity() {
        let growth = |quantity| Growth { start_count: 0, quantity };
        assert!(!is_quantity_reached(None, growth(100), 100));
        assert!(!is_quantity_reached(Some(growth(99)), growth(100), 100));
        assert!(!is_quantity_reached(Some(growth(100)), growth(99), 100));
        assert!(is_quantity_reached(Some(growth(100)), growth(100), 100));
    }

    #[test]
    fn older_orders_are_counted_less_often() {
        let minutes = |minutes: u64| Duration::from_secs(minutes * 60);
        let min_interval = minutes(10);
        let interval = |age, quantity| {
            count_interval(minutes(age), min_interval, Growth { start_count: 0, quantity }, 100)
        };
        assert_eq!(interval(0, 0), min_interval);
        assert_eq!(
            interval(30 * 1_440, 0),
            MAX_INTERVAL,
            "an order of 30 days must have the maximum interval"
        );
        assert_eq!(interval(2_000, 0), minutes(20));
        assert_eq!(
            interval(2_000, 90),
            min_interval,
            "an order near its quantity must have the minimum interval"
        );
        assert_eq!(interval(2_000, 100), minutes(1));
        let retry_delays = [0, 1, 9].map(|tries| count_retry_at(tries, min_interval, Time(0)).since(Time(0)));
        assert_eq!(retry_delays, [min_interval, 2 * min_interval, MAX_INTERVAL]);
        assert_eq!(
            count_retry_at(3, 2 * MAX_INTERVAL, Time(0)).since(Time(0)),
            2 * MAX_INTERVAL,
            "a retry must not be earlier than the regular interval"
        );
        let pauses = [1, 2, 20].map(|failures| service_retry_at(failures, Time(0)).since(Time(0)).as_secs());
        assert_eq!(pauses, [30, 60, 600]);
        assert_eq!(next_request_at(Time(0), 3, 5), Time(600_000));
    }

    #[derive(Default)]
    struct SimulatedOrder {
        growth: Option<Growth>,
        was_shared: bool,
        is_running: bool,
        is_completed: bool,
    }

    proptest! {
        /// Three orders run for one link, each for a part of the time. In every sequence of counts, the sum of their growth must
        /// not exceed the growth of the counter.
        #[test]
        fn orders_for_one_link_never_count_the_same_growth(
            steps in prop::collection::vec((0..4_usize, 0..3_usize, 0..100_i64), 1..120),
        ) {
            const START_COUNT: i64 = 1_000;
            let mut count = START_COUNT;
            let mut orders = [SimulatedOrder::default(), SimulatedOrder::default(), SimulatedOrder::default()];
            for (action, index, growth) in steps {
                count += growth;
                let has_other_orders = orders.iter().enumerate().any(|(other_index, other)| other_index != index && other.is_running);
                if action == 0 && orders[index].is_running {
                    (orders[index].is_running, orders[index].is_completed) = (false, true);
                } else if action == 0 && !orders[index].is_completed {
                    // An order that starts marks the other orders as shared, like dispatch does.
                    orders.iter_mut().for_each(|order| order.was_shared = true);
                    orders[index] = SimulatedOrder { is_running: true, ..SimulatedOrder::default() };
                } else if orders[index].is_running {
                    let order = &mut orders[index];
                    order.growth = Some(update_growth(order.growth, count, has_other_orders || order.was_shared));
                    order.was_shared = has_other_orders;
                }
                let counted_growth: i64 = orders.iter().filter_map(|order| order.growth).map(|growth| growth.quantity).sum();
                prop_assert!(counted_growth <= count - START_COUNT);
            }
        }
    }

    #[test]
    fn fuzz_counter_responses() {
        let texts = panel_fuzz::json_documents(&["count", "at"], &[r#"{"count": "1234", "at": 1}"#]);
        panel_fuzz::FuzzTarget::new("panel-server", "counter").run(texts, |text| {
            let response =
                OutboundResponse { status: 200, retry_after: None, body: text.to_vec(), is_truncated: false };
            let count = parse_count(&response);
            assert!(count.is_err() || count.is_ok_and(|count| (0..=MAX_COUNT).contains(&count)));
        });
    }
}
