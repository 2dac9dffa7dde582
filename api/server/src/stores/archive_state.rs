//! Whether a record is archived, for every table with an `is_archived`. The conditions under which a record may be archived are
//! rules of that record, not of this module.

use panel_contract::ids::Id;
use panel_contract::moment::Timestamp;
use panel_domain::states::archivables::{ArchivableEvent, ArchivableState, Archivables};
use panel_platform::db::state::{StoredStates, Transition, transition};
use panel_platform::db::{DbResult, Source, Sql};

/// How the two states are stored. The conditions name no table, because they are the same for each and no such write joins
/// another table.
pub const STATES: StoredStates<Archivables> = StoredStates {
    table: "archivable",
    conditions: &[
        (&[ArchivableState::Active], "NOT is_archived"),
        (&[ArchivableState::Archived], "is_archived"),
    ],
};

/// The SQL ` AND …`: the record is active if it is archived now (`archive`), or archived if it is restored now.
pub fn condition_for(archive: bool) -> Sql {
    STATES.condition_for(ArchivableEvent::of(archive))
}

/// Archives (`archive`) or restores a record of any table.
pub async fn set_archived(
    db: &mut impl Source,
    table: &'static str,
    id: impl Id,
    archive: bool,
    timestamp: Timestamp,
) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE ").push(table).push(" SET is_archived = ?, updated_at = ? WHERE id = ?");
    transition(db, sql.bind(archive).bind(timestamp).bind(id.get()).append(condition_for(archive))).await
}
