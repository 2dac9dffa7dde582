//! The states of syncs and of the changes that they found, and what becomes of a change. How a run and its log begin and end is
//! `sync`.

use panel_contract::external_services::SyncState;
use panel_domain::states::sync_changes::{SyncChangeEvent, SyncChangeState, SyncChanges};
use panel_domain::states::sync_runs::{SyncRunState, SyncRuns};
use panel_platform::db::state::{StoredStates, Transition, transition};
use panel_platform::db::{DbResult, Source as _, Sql};
use panel_platform::sql;
use panel_platform::work::Work;

/// How the states of a run are stored.
pub const RUNS: StoredStates<SyncRuns> = StoredStates {
    table: "sync_runs",
    conditions: &[
        (&[SyncRunState::Running], "sync_runs.ended_at IS NULL"),
        (&[SyncRunState::Ended], "sync_runs.ended_at IS NOT NULL AND sync_runs.error IS NULL"),
        (&[SyncRunState::Failed], "sync_runs.ended_at IS NOT NULL AND sync_runs.error IS NOT NULL"),
    ],
};

/// How the states of a change are stored.
pub const CHANGES: StoredStates<SyncChanges> = {
    use SyncChangeState::*;
    StoredStates {
        table: "sync_changes",
        conditions: &[
            (&[Applied], "sync_changes.state = 'applied'"),
            (&[Held], "sync_changes.state = 'held'"),
            (&[Accepted], "sync_changes.state = 'accepted'"),
            (&[Refused], "sync_changes.state = 'refused' AND sync_changes.stands"),
            (&[RefusedBefore], "sync_changes.state = 'refused' AND NOT sync_changes.stands"),
            (&[Outdated], "sync_changes.state = 'outdated'"),
        ],
    }
};

/// Staff accept or refuse one. A refusal stays the latest decision, so that the same is not held again.
pub(super) async fn decide(work: &mut Work, id: i64, state: SyncState) -> DbResult<Transition> {
    let (event, is_standing) = match state {
        SyncState::Refused => (SyncChangeEvent::Refuse, true),
        _ => (SyncChangeEvent::Accept, false),
    };
    let sql = sql!(
        "UPDATE sync_changes SET state = @state, stands = @stands, decided_at = @decided_at, decided_by = @decided_by \
           WHERE id = @id",
        { state: state.as_str(), stands: is_standing, decided_at: work.now, decided_by: work.actor(), id },
    );
    transition(work, sql.append(CHANGES.leaving(event))).await
}

/// The panel reports something else than these by now: they are decided no more.
pub(super) async fn outdate(work: &mut Work, ids: &[i64]) -> DbResult<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let sql = Sql::new(
        "UPDATE sync_changes SET stands = FALSE, state = CASE state WHEN 'held' THEN 'outdated' ELSE state END WHERE id IN ",
    );
    work.exec(sql.ids(ids).append(CHANGES.leaving(SyncChangeEvent::Outdate))).await.map(drop)
}
