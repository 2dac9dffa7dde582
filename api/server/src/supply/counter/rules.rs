//! What a counter service is asked, what its answers mean, and when it is asked again. Pure.
//!
//! Growth counts for an order only while no other order runs for the same address: in such a time nobody can say whose it
//! is, so it counts for none. An answer that is no count moves nothing, and one odd count completes nothing: the quantity
//! has to be there in two looks.

use std::time::Duration;

use panel_contract::moment::Time;
use panel_kernel::backoff::{Backoff, Chance, poll_interval};

use panel_platform::outbound::Answer;

/// Between the count that finds the quantity and the one that makes sure.
const CONFIRMATION: Duration = Duration::from_mins(1);
/// The longest time between two counts, where the configured interval is shorter.
const MAX_INTERVAL: Duration = Duration::from_hours(6);
/// Older orders are counted less often: so many times in their age.
const COUNTS_PER_AGE: u32 = 100;
/// How long a counter service is not called after rounds in which it answered nothing.
const SERVICE_BACKOFF: Backoff<'static> =
    Backoff::doubling(Duration::from_secs(30), Duration::from_secs(600));
/// More is no count of anything.
const MOST: i64 = 1_000_000_000_000_000;

/// Why there is no count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The service does not work, or not for us.
    Service(String),
    /// It has no count of this address.
    Address(String),
}

impl Trouble {
    /// For staff.
    pub(super) fn words(&self) -> &str {
        match self {
            Self::Service(words) | Self::Address(words) => words,
        }
    }
}

/// A count that is known of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Grown {
    /// What growth is counted from.
    pub(super) start: i64,
    /// How much it grew.
    pub(super) quantity: i64,
}

/// What a count makes of what was known. The first one is the start. While others deliver to the same address what was
/// counted before stands, and the start moves along; it never moves back.
pub(super) fn grown(before: Option<Grown>, count: i64, is_shared: bool) -> Grown {
    let start = match before {
        None => count,
        Some(before) if is_shared => before.start.max(count - before.quantity),
        Some(before) => before.start,
    };
    Grown { start, quantity: (count - start).max(0) }
}

/// Whether an order of `wanted` is reached for sure: by this look and by the one before it.
pub(super) fn is_reached(before: Option<Grown>, after: Grown, wanted: i64) -> bool {
    before.is_some_and(|before| before.quantity >= wanted) && after.quantity >= wanted
}

/// How long until the next count for an order of this age. Soon where the quantity was just found, or nearly.
pub(super) fn count_interval(age: Duration, every: Duration, after: Grown, wanted: i64) -> Duration {
    if after.quantity >= wanted {
        CONFIRMATION.min(every)
    } else if i128::from(after.quantity) * 10 >= i128::from(wanted) * 9 {
        every
    } else {
        loss_count_interval(age, every)
    }
}

/// How long until the next count for an order that was completed so long ago.
pub(super) fn loss_count_interval(age: Duration, every: Duration) -> Duration {
    poll_interval(age, COUNTS_PER_AGE, every, MAX_INTERVAL.max(every))
}

/// When a count that failed is tried again after `tries` earlier failures.
pub(super) fn next_try(tries: i64, every: Duration, now: Time) -> Time {
    Backoff::doubling(every, MAX_INTERVAL.max(every)).at(tries.saturating_add(1), Chance::NONE, now)
}

/// When the service may be called again after so many rounds without an answer.
pub(super) fn service_retry(failures: i64, now: Time) -> Time {
    SERVICE_BACKOFF.at(failures, Chance::NONE, now)
}

/// When it may be asked next after so many calls.
pub(super) fn paced(now: Time, calls: i64, a_second: u32) -> Time {
    now.after(Duration::from_micros(calls.unsigned_abs() * 1_000_000 / u64::from(a_second.max(1))))
}

/// What a counter says beside the count, where it knows it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Promoted {
    /// Address by which the content can be embedded.
    pub(super) embed_url: Option<String>,
    /// Countries that cannot see the content.
    pub(super) region_restriction: Option<String>,
    /// Viewers at this moment, of a live stream.
    pub(super) viewers: Option<i64>,
    /// Viewers on average since the live stream began.
    pub(super) average_viewers: Option<i64>,
}

/// What an answer says of the promoted content; nothing that is not what it should be.
pub(super) fn promoted(answer: &Answer) -> Promoted {
    let Ok::<serde_json::Value, _>(said) = answer.json() else { return Promoted::default() };
    let text = |name: &str, most: usize| {
        let text = said[name].as_str().map(str::trim).filter(|text| !text.is_empty())?;
        (text.chars().count() <= most && !text.contains(char::is_control)).then(|| text.to_owned())
    };
    let number = |name: &str| said[name].as_i64().filter(|number| (0..=MOST).contains(number));
    Promoted {
        embed_url: text("embed_url", 2_000)
            .filter(|url| url.starts_with("https://") || url.starts_with("http://")),
        region_restriction: text("region_restriction", 500),
        viewers: number("viewers"),
        average_viewers: number("average_viewers"),
    }
}

/// The count of an answer.
pub(super) fn read(answer: &Answer) -> Result<i64, Trouble> {
    match answer.status {
        200..=299 => {}
        status @ (400 | 404 | 410 | 422) => {
            return Err(Trouble::Address(format!("The counter answered {status} about this address.")));
        }
        status => return Err(Trouble::Service(format!("The counter answered {status}."))),
    }
    let none = || Trouble::Address("The counter's answer is no count.".to_owned());
    let said: serde_json::Value = answer.json().map_err(|_| none())?;
    let count = match &said["count"] {
        serde_json::Value::Number(number) => number.as_i64(),
        serde_json::Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    count.filter(|count| (0..=MOST).contains(count)).ok_or_else(none)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn answer(status: u16, body: &str) -> Result<i64, Trouble> {
        read(&Answer { status, retry_after: None, body: body.into(), is_cut: false })
    }

    #[test]
    fn only_a_count_is_one() {
        assert_eq!(answer(200, r#"{"count": 1234}"#), Ok(1_234));
        assert_eq!(answer(200, r#"{"count": "1234", "at": 1}"#), Ok(1_234));
        assert_eq!(answer(200, r#"{"count": 0}"#), Ok(0));
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
            assert!(matches!(answer(200, body), Err(Trouble::Address(_))), "{body}");
        }
        assert!(matches!(answer(404, r#"{"count": 5}"#), Err(Trouble::Address(_))));
        for status in [301, 302, 401, 403, 429, 500, 502] {
            assert!(matches!(answer(status, r#"{"count": 5}"#), Err(Trouble::Service(_))), "{status}");
        }
    }

    #[test]
    fn an_answer_may_say_more_of_what_is_promoted() {
        let said = |body: &str| {
            promoted(&Answer { status: 200, retry_after: None, body: body.into(), is_cut: false })
        };
        let all = said(
            r#"{"count": 1, "embed_url": "https://video.example/embed/1", "region_restriction": " US, CA ", "viewers": 57}"#,
        );
        assert_eq!(
            (all.embed_url.as_deref(), all.region_restriction.as_deref(), all.viewers),
            (Some("https://video.example/embed/1"), Some("US, CA"), Some(57))
        );
        assert_eq!(
            said(r#"{"count": 1, "embed_url": "javascript:x", "region_restriction": 7, "viewers": -1}"#),
            Promoted::default()
        );
        assert_eq!(said("<html>"), Promoted::default());
    }

    #[test]
    fn growth_is_counted_from_the_first_count() {
        let first = grown(None, 500, false);
        assert_eq!(first, Grown { start: 500, quantity: 0 });
        assert_eq!(grown(Some(first), 700, false).quantity, 200);
        assert_eq!(grown(Some(first), 300, false), Grown { start: 500, quantity: 0 }, "it fell");
        let half = Grown { start: 500, quantity: 200 };
        assert_eq!(grown(Some(half), 900, true), Grown { start: 700, quantity: 200 }, "somebody's");
        assert_eq!(grown(Some(half), 600, true), Grown { start: 500, quantity: 100 }, "never back");
    }

    #[test]
    fn one_odd_count_reaches_nothing() {
        let at = |quantity| Grown { start: 0, quantity };
        assert!(!is_reached(None, at(100), 100));
        assert!(!is_reached(Some(at(99)), at(100), 100));
        assert!(!is_reached(Some(at(100)), at(99), 100));
        assert!(is_reached(Some(at(100)), at(100), 100));
    }

    #[test]
    fn looks_are_paced() {
        let minutes = |minutes: u64| Duration::from_secs(minutes * 60);
        let every = minutes(10);
        let interval = |age, quantity| count_interval(minutes(age), every, Grown { start: 0, quantity }, 100);
        assert_eq!(interval(0, 0), every);
        assert_eq!(interval(30 * 1_440, 0), MAX_INTERVAL, "30 days");
        assert_eq!(interval(2_000, 0), minutes(20));
        assert_eq!(interval(2_000, 90), every, "nearly there");
        assert_eq!(interval(2_000, 100), minutes(1));
        let tried = [0, 1, 9].map(|tries| next_try(tries, every, Time(0)).since(Time(0)));
        assert_eq!(tried, [every, 2 * every, MAX_INTERVAL]);
        assert_eq!(
            next_try(3, 2 * MAX_INTERVAL, Time(0)).since(Time(0)),
            2 * MAX_INTERVAL,
            "never sooner than it is counted anyway"
        );
        let rests = [1, 2, 20].map(|failures| service_retry(failures, Time(0)).since(Time(0)).as_secs());
        assert_eq!(rests, [30, 60, 600]);
        assert_eq!(paced(Time(0), 3, 5), Time(600_000));
    }

    /// An order that is looked at from time to time.
    #[derive(Default)]
    struct Watched {
        known: Option<Grown>,
        was_shared: bool,
        runs: bool,
        is_over: bool,
    }

    proptest! {
        /// Three orders run for one address, each for some of the time. However they are looked at, all of them together
        /// were never counted more than the counter grew.
        #[test]
        fn orders_of_one_address_never_count_the_same_growth(
            steps in prop::collection::vec((0..4_usize, 0..3_usize, 0..100_i64), 1..120),
        ) {
            let mut count = 1_000;
            let mut orders = [Watched::default(), Watched::default(), Watched::default()];
            for (what, which, growth) in steps {
                count += growth;
                let has_others = orders.iter().enumerate().any(|(at, other)| at != which && other.runs);
                if what == 0 && orders[which].runs {
                    (orders[which].runs, orders[which].is_over) = (false, true);
                } else if what == 0 && !orders[which].is_over {
                    // Who begins marks the others, as the dispatcher does.
                    orders.iter_mut().for_each(|order| order.was_shared = true);
                    orders[which] = Watched { runs: true, ..Watched::default() };
                } else if orders[which].runs {
                    let watched = &mut orders[which];
                    watched.known = Some(grown(watched.known, count, has_others || watched.was_shared));
                    watched.was_shared = has_others;
                }
                let counted: i64 = orders.iter().filter_map(|order| order.known).map(|known| known.quantity).sum();
                prop_assert!(counted <= count - 1_000);
            }
        }
    }

    #[test]
    fn fuzz_counter_answers() {
        let texts = panel_fuzz::json_texts(&["count", "at"], &[r#"{"count": "1234", "at": 1}"#]);
        panel_fuzz::Run::new("panel-server", "counter").on(texts, |text| {
            let answer = Answer { status: 200, retry_after: None, body: text.to_vec(), is_cut: false };
            assert!(read(&answer).is_ok_and(|count| (0..=MOST).contains(&count)) || read(&answer).is_err());
        });
    }
}
