//! Type of the doctor's checks.

use panel_contract::moment::Time;

use panel_platform::db::Sql;

/// An invariant, and how to find its violations.
pub(crate) struct Check {
    /// Stable name, such as `ledger_balanced`.
    pub(super) name: &'static str,
    /// The invariant as a sentence.
    pub(super) rule: &'static str,
    /// Noun for its records, such as `order`.
    pub(super) what: &'static str,
    /// Selects the key of each violating record as `id`, as of the given time.
    pub(super) broken: fn(Time) -> Sql,
}

/// Maximum number of violating records that one check names.
pub(super) const EXAMPLES: i64 = 5;
