//! A check of the doctor, as data.

use panel_contract::moment::Time;

use panel_platform::db::Sql;

/// Something that must always hold.
pub(crate) struct Check {
    /// Stable name, such as `ledger_balanced`.
    pub(super) name: &'static str,
    /// What must hold, in words.
    pub(super) rule: &'static str,
    /// What its records are called, such as `order`.
    pub(super) what: &'static str,
    /// Selects the key of each broken record as `id`; what is due before the moment given is overdue.
    pub(super) broken: fn(Time) -> Sql,
}

/// Most broken records that one check names.
pub(super) const EXAMPLES: i64 = 5;
