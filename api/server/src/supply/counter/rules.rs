//! Parses the responses of a counter service, measures growth, and decides when an order is counted again. Pure.
//!
//! Growth is attributed to an order only while no other order runs for the same address: otherwise it cannot be attributed and
//! counts for no order. A response without a count changes nothing. A single wrong count completes no order: two counts in a row
//! must reach the quantity.

use std::time::Duration;

use panel_contract::moment::Time;
use panel_kernel::backoff::{Backoff, JitterFraction, poll_interval};

use panel_platform::outbound::OutboundResponse;

/// Time between the count that first reaches the quantity and the count that confirms it.
const CONFIRMATION: Duration = Duration::from_mins(1);
/// The longest time between two counts, unless the configured interval is longer.
const MAX_INTERVAL: Duration = Duration::from_hours(6);
/// Older orders are counted less often: the interval is the age divided by this number.
const COUNTS_PER_AGE: u32 = 100;
/// Pause of calls to the counter service after batches in which every call failed.
const SERVICE_BACKOFF: Backoff<'static> =
    Backoff::doubling(Duration::from_secs(30), Duration::from_secs(600));
/// A greater number is not a plausible count.
const MAX_COUNT: i64 = 1_000_000_000_000_000;

/// The reason why a call returned no count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CountError {
    /// The service failed or rejected our calls.
    Service(String),
    /// The service has no count for this address.
    Address(String),
}

impl CountError {
    /// The message for staff.
    pub(super) fn message(&self) -> &str {
        match self {
            Self::Service(message) | Self::Address(message) => message,
        }
    }
}

/// The measured growth of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Growth {
    /// The count that growth is measured from.
    pub(super) start: i64,
    /// Growth since the start, in units.
    pub(super) quantity: i64,
}

/// The growth after a new count. The first count is the start. While other orders deliver to the same address, the growth stays and
/// the start increases with the count; the start never decreases.
pub(super) fn update_growth(old_growth: Option<Growth>, count: i64, is_shared: bool) -> Growth {
    let start = match old_growth {
        None => count,
        Some(old_growth) if is_shared => old_growth.start.max(count - old_growth.quantity),
        Some(old_growth) => old_growth.start,
    };
    Growth { start, quantity: (count - start).max(0) }
}

/// Whether both this count and the previous count reached the ordered quantity.
pub(super) fn is_reached(old_growth: Option<Growth>, new_growth: Growth, ordered_quantity: i64) -> bool {
    old_growth.is_some_and(|old_growth| old_growth.quantity >= ordered_quantity)
        && new_growth.quantity >= ordered_quantity
}

/// Time until the next count for an order of this age. Short if the quantity is reached or nearly reached.
pub(super) fn count_interval(
    age: Duration,
    min_interval: Duration,
    new_growth: Growth,
    ordered_quantity: i64,
) -> Duration {
    if new_growth.quantity >= ordered_quantity {
        CONFIRMATION.min(min_interval)
    } else if i128::from(new_growth.quantity) * 10 >= i128::from(ordered_quantity) * 9 {
        min_interval
    } else {
        loss_count_interval(age, min_interval)
    }
}

/// Time until the next count for an order that was completed `age` ago.
pub(super) fn loss_count_interval(age: Duration, min_interval: Duration) -> Duration {
    poll_interval(age, COUNTS_PER_AGE, min_interval, MAX_INTERVAL.max(min_interval))
}

/// When a failed count is retried, after `tries` earlier failures.
pub(super) fn retry_at(tries: i64, min_interval: Duration, now: Time) -> Time {
    Backoff::doubling(min_interval, MAX_INTERVAL.max(min_interval)).at(
        tries.saturating_add(1),
        JitterFraction::NONE,
        now,
    )
}

/// When the service may be called again after this many failed batches in a row.
pub(super) fn service_retry(failures: i64, now: Time) -> Time {
    SERVICE_BACKOFF.at(failures, JitterFraction::NONE, now)
}

/// When the rate limit allows the next call after this many calls.
pub(super) fn next_call_at(now: Time, calls: i64, calls_per_second: u32) -> Time {
    now.plus(Duration::from_micros(calls.unsigned_abs() * 1_000_000 / u64::from(calls_per_second.max(1))))
}

/// Optional details of the promoted content that a counter sends with the count.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct PromotedInfo {
    /// URL for embedding the content.
    pub(super) embed_url: Option<String>,
    /// Countries that cannot see the content.
    pub(super) region_restriction: Option<String>,
    /// Current viewers of a live stream.
    pub(super) viewers: Option<i64>,
    /// Viewers on average since the live stream began.
    pub(super) average_viewers: Option<i64>,
}

/// Parses the details of the promoted content. Invalid values are ignored.
pub(super) fn parse_promoted(response: &OutboundResponse) -> PromotedInfo {
    let Ok::<serde_json::Value, _>(body) = response.json() else { return PromotedInfo::default() };
    let read_text = |name: &str, max_chars: usize| {
        let text = body[name].as_str().map(str::trim).filter(|text| !text.is_empty())?;
        (text.chars().count() <= max_chars && !text.contains(char::is_control)).then(|| text.to_owned())
    };
    let read_number = |name: &str| body[name].as_i64().filter(|number| (0..=MAX_COUNT).contains(number));
    PromotedInfo {
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
            return Err(CountError::Address(format!("The counter answered {status} about this address.")));
        }
        status => return Err(CountError::Service(format!("The counter answered {status}."))),
    }
    let no_count_error = || CountError::Address("The counter's answer is no count.".to_owned());
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
            assert!(matches!(count_of_response(200, body), Err(CountError::Address(_))), "{body}");
        }
        assert!(matches!(count_of_response(404, r#"{"count": 5}"#), Err(CountError::Address(_))));
        for status in [301, 302, 401, 403, 429, 500, 502] {
            assert!(
                matches!(count_of_response(status, r#"{"count": 5}"#), Err(CountError::Service(_))),
                "{status}"
            );
        }
    }

    #[test]
    fn parses_details_of_the_promoted_content() {
        let details = |body: &str| {
            parse_promoted(&OutboundResponse {
                status: 200,
                retry_after: None,
                body: body.into(),
                is_truncated: false,
            })
        };
        let parsed = details(
            r#"{"count": 1, "embed_url": "https://video.example/embed/1", "region_restriction": " US, CA ", "viewers": 57}"#,
        );
        assert_eq!(
            (parsed.embed_url.as_deref(), parsed.region_restriction.as_deref(), parsed.viewers),
            (Some("https://video.example/embed/1"), Some("US, CA"), Some(57))
        );
        assert_eq!(
            details(r#"{"count": 1, "embed_url": "javascript:x", "region_restriction": 7, "viewers": -1}"#),
            PromotedInfo::default()
        );
        assert_eq!(details("<html>"), PromotedInfo::default());
    }

    #[test]
    fn growth_is_measured_from_the_first_count() {
        let first = update_growth(None, 500, false);
        assert_eq!(first, Growth { start: 500, quantity: 0 });
        assert_eq!(update_growth(Some(first), 700, false).quantity, 200);
        assert_eq!(
            update_growth(Some(first), 300, false),
            Growth { start: 500, quantity: 0 },
            "the count decreased"
        );
        let half = Growth { start: 500, quantity: 200 };
        assert_eq!(
            update_growth(Some(half), 900, true),
            Growth { start: 700, quantity: 200 },
            "growth of a shared address is not attributed"
        );
        assert_eq!(
            update_growth(Some(half), 600, true),
            Growth { start: 500, quantity: 100 },
            "the start never decreases"
        );
    }

    #[test]
    fn a_single_count_does_not_reach_the_quantity() {
        let growth = |quantity| Growth { start: 0, quantity };
        assert!(!is_reached(None, growth(100), 100));
        assert!(!is_reached(Some(growth(99)), growth(100), 100));
        assert!(!is_reached(Some(growth(100)), growth(99), 100));
        assert!(is_reached(Some(growth(100)), growth(100), 100));
    }

    #[test]
    fn older_orders_are_counted_less_often() {
        let minutes = |minutes: u64| Duration::from_secs(minutes * 60);
        let min_interval = minutes(10);
        let interval =
            |age, quantity| count_interval(minutes(age), min_interval, Growth { start: 0, quantity }, 100);
        assert_eq!(interval(0, 0), min_interval);
        assert_eq!(interval(30 * 1_440, 0), MAX_INTERVAL, "30 days");
        assert_eq!(interval(2_000, 0), minutes(20));
        assert_eq!(interval(2_000, 90), min_interval, "the quantity is nearly reached");
        assert_eq!(interval(2_000, 100), minutes(1));
        let retries = [0, 1, 9].map(|tries| retry_at(tries, min_interval, Time(0)).since(Time(0)));
        assert_eq!(retries, [min_interval, 2 * min_interval, MAX_INTERVAL]);
        assert_eq!(
            retry_at(3, 2 * MAX_INTERVAL, Time(0)).since(Time(0)),
            2 * MAX_INTERVAL,
            "never before the regular interval"
        );
        let pauses = [1, 2, 20].map(|failures| service_retry(failures, Time(0)).since(Time(0)).as_secs());
        assert_eq!(pauses, [30, 60, 600]);
        assert_eq!(next_call_at(Time(0), 3, 5), Time(600_000));
    }

    /// An order that is counted from time to time.
    #[derive(Default)]
    struct SimulatedOrder {
        growth: Option<Growth>,
        was_shared: bool,
        is_running: bool,
        is_over: bool,
    }

    proptest! {
        /// Three orders run for one address, each for some of the time. In any sequence of counts, their total growth is never more
        /// than the growth of the counter.
        #[test]
        fn orders_of_one_address_never_count_the_same_growth(
            steps in prop::collection::vec((0..4_usize, 0..3_usize, 0..100_i64), 1..120),
        ) {
            let mut count = 1_000;
            let mut orders = [SimulatedOrder::default(), SimulatedOrder::default(), SimulatedOrder::default()];
            for (step, index, growth) in steps {
                count += growth;
                let has_others = orders.iter().enumerate().any(|(other_index, other)| other_index != index && other.is_running);
                if step == 0 && orders[index].is_running {
                    (orders[index].is_running, orders[index].is_over) = (false, true);
                } else if step == 0 && !orders[index].is_over {
                    // An order that starts marks the others as shared, as dispatch does.
                    orders.iter_mut().for_each(|order| order.was_shared = true);
                    orders[index] = SimulatedOrder { is_running: true, ..SimulatedOrder::default() };
                } else if orders[index].is_running {
                    let order = &mut orders[index];
                    order.growth = Some(update_growth(order.growth, count, has_others || order.was_shared));
                    order.was_shared = has_others;
                }
                let counted: i64 = orders.iter().filter_map(|order| order.growth).map(|growth| growth.quantity).sum();
                prop_assert!(counted <= count - 1_000);
            }
        }
    }

    #[test]
    fn fuzz_counter_responses() {
        let texts = panel_fuzz::json_texts(&["count", "at"], &[r#"{"count": "1234", "at": 1}"#]);
        panel_fuzz::FuzzTarget::new("panel-server", "counter").run(texts, |text| {
            let response =
                OutboundResponse { status: 200, retry_after: None, body: text.to_vec(), is_truncated: false };
            let count = parse_count(&response);
            assert!(count.is_err() || count.is_ok_and(|count| (0..=MAX_COUNT).contains(&count)));
        });
    }
}
