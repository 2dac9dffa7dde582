//! What kinds of records have a lease, as data. It reads and writes nothing.

use std::time::Duration;

use panel_contract::quarantine::Poller as QuarantineKind;

/// How long a claim holds: longer than a job, or a call and the writes after it.
pub const CLAIM: Duration = Duration::from_secs(120);
/// How long the calls of one claim take together at most; the rest of the claim is for the writes of their results.
const CALLS: Duration = Duration::from_secs(105);

/// How many calls, one after the other, end while a claim holds, even where each takes all of `timeout`; at least one.
#[must_use]
pub fn calls_within_claim(timeout: Duration) -> usize {
    let calls = CALLS.as_millis() / timeout.as_millis().max(1);
    usize::try_from(calls).unwrap_or(usize::MAX).max(1)
}

/// The column that holds the moment of the next step of a kind of record.
#[derive(Debug, Clone, Copy)]
pub struct Lease {
    /// The word by which its records are quarantined.
    pub kind: QuarantineKind,
    /// The table and its column of ids, such as `orders.id`.
    pub record: &'static str,
    /// The column with the moment.
    pub due: &'static str,
    /// ` AND …`, where the index over the column is narrower; else empty.
    pub filter: &'static str,
    /// What moves it beside the work itself.
    pub moves: DueMoves,
    /// The column where staff read what went wrong with the record; none where it has no place for it.
    pub error: Option<&'static str>,
}

/// What moves the moment of a record's next step beside the work itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DueMoves {
    /// A claim moves it by [`CLAIM`]. A claim of a dead process is ended, and a released record is due at once.
    ByClaim,
    /// No claim moves it, because all of the work is one transaction. A released record is due at once.
    ByRelease,
    /// Nothing: it is a date of the business, such as the end of a subscription.
    Never,
    /// It is the moment of the last poll, and the next one follows after an interval of the poller's own. A released record has
    /// none, so it is polled at once.
    LastPoll,
}

impl Lease {
    /// Its table, and the column of ids.
    pub(crate) fn table_and_id(&self) -> (&'static str, &'static str) {
        self.record.split_once('.').unwrap_or((self.record, "id"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_end_while_their_claim_holds() {
        assert!(CALLS < CLAIM);
        for secs in 1..=105 {
            let calls = u64::try_from(calls_within_claim(Duration::from_secs(secs))).unwrap();
            assert!(Duration::from_secs(secs * calls) <= CALLS, "{calls} calls of {secs} s");
        }
        assert_eq!(calls_within_claim(Duration::from_secs(15)), 7);
        assert_eq!(calls_within_claim(Duration::from_secs(600)), 1, "one at least");
        assert!(calls_within_claim(Duration::ZERO) > 1);
    }
}
