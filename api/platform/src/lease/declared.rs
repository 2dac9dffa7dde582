//! Types that declare which column of which table holds the due date of a kind of record. No I/O.

use std::time::Duration;

use panel_contract::quarantine::Poller as QuarantineKind;

/// How long a process may work on the records that it has claimed: longer than one job, and longer than a call to another machine
/// with the writes after it.
pub const CLAIM_DURATION: Duration = Duration::from_secs(120);
/// The part of [`CLAIM_DURATION`] for all calls to other machines; the remaining time is for the writes of their results.
const CALLS_DURATION: Duration = Duration::from_secs(105);

/// Returns how many sequential calls fit into a claim, even if each of them takes as long as `timeout`; at least one.
#[must_use]
pub fn max_calls_per_claim(timeout: Duration) -> usize {
    let calls = CALLS_DURATION.as_millis() / timeout.as_millis().max(1);
    usize::try_from(calls).unwrap_or(usize::MAX).max(1)
}

/// The column that holds the due date of the next step of a kind of record.
#[derive(Debug, Clone, Copy)]
pub struct Lease {
    /// The kind under which the records are quarantined.
    pub kind: QuarantineKind,
    /// The table and its id column, such as `orders.id`.
    pub id_column: &'static str,
    /// The column with the due date.
    pub due_column: &'static str,
    /// ` AND …`: the condition of the partial index of the column; empty if the index is not partial.
    pub index_condition: &'static str,
    pub moves: DueDateMoves,
    /// The column that shows staff the last error of the record; `None` if there is no such column.
    pub error_column: Option<&'static str>,
}

/// Which operations besides the work itself change the due date of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DueDateMoves {
    /// A claim moves the due date by [`CLAIM_DURATION`]. The end of the claim of a dead process, and a release from quarantine,
    /// make the record due immediately.
    ByClaim,
    /// A claim does not change the due date, because all of the work is one transaction. A release from quarantine makes the record
    /// due immediately.
    ByRelease,
    /// No operation changes the due date, because it is a business date, such as the end of a subscription.
    Never,
    /// The column holds the time of the last poll, and the poller knows the interval. A release from quarantine sets it to NULL, so
    /// that the poller polls the record immediately.
    LastPoll,
}

impl Lease {
    pub(crate) fn table_and_id(&self) -> (&'static str, &'static str) {
        self.id_column.split_once('.').unwrap_or((self.id_column, "id"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequential_calls_fit_into_a_claim() {
        assert!(CALLS_DURATION < CLAIM_DURATION);
        for secs in 1..=105 {
            let calls = u64::try_from(max_calls_per_claim(Duration::from_secs(secs))).unwrap();
            assert!(Duration::from_secs(secs * calls) <= CALLS_DURATION, "{calls} calls of {secs} s");
        }
        assert_eq!(max_calls_per_claim(Duration::from_secs(15)), 7);
        assert_eq!(max_calls_per_claim(Duration::from_secs(600)), 1, "at least one call");
        assert!(max_calls_per_claim(Duration::ZERO) > 1);
    }
}
