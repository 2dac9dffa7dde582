//! The type of the doctor's checks.

use panel_contract::moment::Time;

use panel_platform::db::Sql;

/// An invariant, and how to find its violations.
pub(crate) struct Check {
    /// Stable name, such as `ledger_balanced`.
    pub(super) name: &'static str,
    /// The invariant as a sentence.
    pub(super) rule: &'static str,
    /// Noun that precedes the key of a violating record in the report, such as `order`.
    pub(super) record_noun: &'static str,
    /// Returns SQL that selects the key of each violating record as `id`. The parameter is the current time.
    pub(super) select_violations: fn(Time) -> Sql,
}

/// Maximum number of violating records that the report names per check.
pub(super) const MAX_EXAMPLES: i64 = 5;
