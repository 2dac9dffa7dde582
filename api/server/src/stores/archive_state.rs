//! Archives and restores records of every table that has a column `is_archived`. The module of each kind of record decides whether
//! the record may be archived.

use panel_contract::ids::Id;
use panel_contract::moment::Timestamp;
use panel_domain::states::archivables::{ArchivableEvent, ArchivableState, Archivables};
use panel_platform::db::state::{StoredStates, Transition, transition};
use panel_platform::db::{DbResult, Sql, SqlExecutor};

/// SQL conditions of the two states. They name no table, because they are the same for all tables.
pub const STATES: StoredStates<Archivables> = StoredStates {
    table: "archivable",
    conditions: &[
        (&[ArchivableState::Active], "NOT is_archived"),
        (&[ArchivableState::Archived], "is_archived"),
    ],
};

/// Returns the SQL ` AND …`, which requires that the record is active (`archive` is true) or archived (`archive` is false), so that
/// it can be archived or restored.
pub fn condition_for(archive: bool) -> Sql {
    STATES.condition_for(ArchivableEvent::of(archive))
}

/// Archives (`archive`) or restores a record of any table.
pub async fn set_archived(
    db: &mut impl SqlExecutor,
    table: &'static str,
    id: impl Id,
    archive: bool,
    timestamp: Timestamp,
) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE ").push(table).push(" SET is_archived = ?, updated_at = ? WHERE id = ?");
    transition(db, sql.bind(archive).bind(timestamp).bind(id.get()).append(condition_for(archive))).await
}
