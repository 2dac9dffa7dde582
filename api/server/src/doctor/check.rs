//! The type of one check of the doctor.

use panel_contract::moment::Time;

use panel_platform::db::Sql;

/// An invariant, and how to find its violations.
pub(crate) struct Check {
    /// Stable name, such as `ledger_balanced`.
    pub(super) name: &'static str,
    /// The invariant as a sentence.
    pub(super) rule: &'static str,
    /// The noun for the checked records in the report, such as `order`.
    pub(super) record_noun: &'static str,
    /// Selects the key of each violating record as `id`. The parameter is the current time.
    pub(super) select_violations: fn(Time) -> Sql,
}

/// Maximum number of violating records that one check names.
pub(super) const MAX_EXAMPLES: i64 = 5;
