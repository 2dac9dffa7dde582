//! Declarations of leases: which column of which table holds the due date of a kind of record. No I/O.

use std::time::Duration;

use panel_contract::quarantine::Poller as QuarantineKind;

/// Duration of a claim: longer than a job, and than a call and the writes after it.
pub const CLAIM_DURATION: Duration = Duration::from_secs(120);
/// Limit of the duration of all calls of one claim; the rest of the claim is for the writes of their results.
const CALLS_DURATION: Duration = Duration::from_secs(105);

/// How many sequential calls fit into a claim, even where each takes all of `timeout`; at least one.
#[must_use]
pub fn calls_within_claim(timeout: Duration) -> usize {
    let calls = CALLS_DURATION.as_millis() / timeout.as_millis().max(1);
    usize::try_from(calls).unwrap_or(usize::MAX).max(1)
}

/// The column that holds the due date of the next step of a kind of record.
#[derive(Debug, Clone, Copy)]
pub struct Lease {
    /// The kind under which the records are quarantined.
    pub kind: QuarantineKind,
    /// The table and its id column, such as `orders.id`.
    pub record: &'static str,
    /// The column with the due date.
    pub due: &'static str,
    /// ` AND …` where the index of the column is partial; else empty.
    pub filter: &'static str,
    /// Which operations besides the work itself move the due date.
    pub moves: DueDateMoves,
    /// The column that shows staff the last error of the record; none where there is no such column.
    pub error: Option<&'static str>,
}

/// Which operations besides the work itself move the due date of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DueDateMoves {
    /// A claim moves it by [`CLAIM_DURATION`]. The claim of a dead process is ended, and a released record is due at once.
    ByClaim,
    /// No claim moves it, because all of the work is one transaction. A released record is due at once.
    ByRelease,
    /// None: it is a business date, such as the end of a subscription.
    Never,
    /// The column holds the time of the last poll, and the poller knows the interval. A release sets it to NULL, so that the
    /// record is polled at once.
    LastPoll,
}

impl Lease {
    /// The table and its id column.
    pub(crate) fn table_and_id(&self) -> (&'static str, &'static str) {
        self.record.split_once('.').unwrap_or((self.record, "id"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequential_calls_fit_into_a_claim() {
        assert!(CALLS_DURATION < CLAIM_DURATION);
        for secs in 1..=105 {
            let calls = u64::try_from(calls_within_claim(Duration::from_secs(secs))).unwrap();
            assert!(Duration::from_secs(secs * calls) <= CALLS_DURATION, "{calls} calls of {secs} s");
        }
        assert_eq!(calls_within_claim(Duration::from_secs(15)), 7);
        assert_eq!(calls_within_claim(Duration::from_secs(600)), 1, "one at least");
        assert!(calls_within_claim(Duration::ZERO) > 1);
    }
}
