//! Whether a record is archived, for every table with an `is_archived`. What a record asks for before it is archived is a rule
//! of that record, and never here.

use panel_contract::ids::Id;
use panel_contract::moment::Stamp;
use panel_domain::states::archivables::{ArchivableEvent, ArchivableState, Archivables};
use panel_platform::db::state::{StoredStates, Transition, transition};
use panel_platform::db::{DbResult, Source, Sql};

/// How the two states are stored, without the name of a table: the same for each, and no such write joins another.
pub const STATES: StoredStates<Archivables> = StoredStates {
    table: "archivable",
    conditions: &[
        (&[ArchivableState::Active], "NOT is_archived"),
        (&[ArchivableState::Archived], "is_archived"),
    ],
};

/// ` AND …`: the record is where archiving (`away`) or restoring leaves.
pub fn leaving(away: bool) -> Sql {
    STATES.leaving(ArchivableEvent::of(away))
}

/// Archives a record of any table (`away`), or restores it.
pub async fn set_archived(
    db: &mut impl Source,
    table: &'static str,
    id: impl Id,
    away: bool,
    stamp: Stamp,
) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE ").push(table).push(" SET is_archived = ?, updated_at = ? WHERE id = ?");
    transition(db, sql.bind(away).bind(stamp).bind(id.get()).append(leaving(away))).await
}
