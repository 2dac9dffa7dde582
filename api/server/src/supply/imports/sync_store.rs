//! The only code that writes sync runs and sync changes. The module `sync` decides when a sync runs and which changes it makes.

use panel_contract::external_services::{FetchedServices, SyncState};
use panel_contract::ids::{ExternalPanelId, SyncChangeId, SyncRunId};
use panel_contract::moment::Time;
use panel_domain::states::sync_changes::{SyncChangeEvent, SyncChangeState, SyncChanges};
use panel_domain::states::sync_runs::{SyncRunEvent, SyncRunState, SyncRuns};
use panel_platform::db::state::{StoredStates, Transition, transition};
use panel_platform::db::{DbResult, Sql, SqlExecutor, Val};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;
use serde_json::json;

use super::compare::SyncChange;
use super::new_services::NewServices;

pub const SYNC_RUN_STATES: StoredStates<SyncRuns> = StoredStates {
    table: "sync_runs",
    conditions: &[
        (&[SyncRunState::Running], "sync_runs.ended_at IS NULL"),
        (&[SyncRunState::Ended], "sync_runs.ended_at IS NOT NULL AND sync_runs.error IS NULL"),
        (&[SyncRunState::Failed], "sync_runs.ended_at IS NOT NULL AND sync_runs.error IS NOT NULL"),
    ],
};

pub const SYNC_CHANGE_STATES: StoredStates<SyncChanges> = {
    use SyncChangeState::*;
    StoredStates {
        table: "sync_changes",
        conditions: &[
            (&[Applied], "sync_changes.state = 'applied'"),
            (&[Held], "sync_changes.state = 'held'"),
            (&[Accepted], "sync_changes.state = 'accepted'"),
            (&[Rejected], "sync_changes.state = 'rejected' AND sync_changes.is_current"),
            (&[RejectedBefore], "sync_changes.state = 'rejected' AND NOT sync_changes.is_current"),
            (&[Outdated], "sync_changes.state = 'outdated'"),
        ],
    }
};

/// The counts of a sync run, and its error if it failed.
#[derive(Debug, Default)]
pub(super) struct SyncRunResult {
    pub(super) fetched: FetchedServices,
    pub(super) applied_count: i64,
    /// Changes that wait for approval by staff.
    pub(super) held_count: i64,
    /// The new services that the import rule of the external panel chose.
    pub(super) new_services: NewServices,
    pub(super) error: Option<String>,
}

pub(super) async fn begin_run(
    db: &mut impl SqlExecutor,
    panel: ExternalPanelId,
    now: Time,
) -> DbResult<SyncRunId> {
    let sql = Sql::new("INSERT INTO sync_runs (external_panel_id, started_at) VALUES (?, ?) RETURNING id");
    Ok(db.fetch_one::<(SyncRunId,)>(sql.bind(panel).bind(now)).await?.0)
}

pub(super) async fn end_run(
    db: &mut impl SqlExecutor,
    run: SyncRunId,
    result: &SyncRunResult,
    now: Time,
) -> DbResult<Transition> {
    let fetched = result.fetched;
    let sql = sql!(
        "UPDATE sync_runs SET ended_at = @now, services_count = @services_count, unreadable_count = @unreadable_count, \
           new_count = @new_count, vanished_count = @vanished_count, applied_count = @applied_count, held_count = @held_count,
           imported_count = @imported_count, not_imported_count = @not_imported_count, not_imported = @not_imported, \
           error = @error WHERE id = @run",
        {
            now,
            services_count: fetched.services_count,
            unreadable_count: fetched.unreadable_count,
            new_count: fetched.new_count,
            vanished_count: fetched.vanished_count,
            applied_count: result.applied_count,
            held_count: result.held_count,
            imported_count: result.new_services.imported_count,
            not_imported_count: result.new_services.not_imported_count,
            not_imported: json!(result.new_services.first_not_imported).to_string(),
            error: result.error.clone(),
            run,
        },
    );
    let event = if result.error.is_some() { SyncRunEvent::Fail } else { SyncRunEvent::End };
    transition(db, sql.append(SYNC_RUN_STATES.condition_for(event))).await
}

/// Deletes the sync runs of an external panel that started before `before` and have no changes.
pub(super) async fn delete_runs_without_changes(
    db: &mut impl SqlExecutor,
    panel: ExternalPanelId,
    before: Time,
) -> DbResult<()> {
    let sql = Sql::new(
        "DELETE FROM sync_runs WHERE external_panel_id = ? AND started_at < ? AND NOT EXISTS (SELECT 1 FROM sync_changes c WHERE c.sync_run_id = sync_runs.id)",
    );
    db.execute(sql.bind(panel).bind(before)).await.map(drop)
}

pub(super) async fn log_changes(
    db: &mut impl SqlExecutor,
    (run, panel): (SyncRunId, ExternalPanelId),
    changes: &[SyncChange],
    now: Time,
) -> DbResult<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let to_row = |change: &SyncChange| -> Vec<Val> {
        vec![
            (&*change.external_service_id).into(),
            change.provider.into(),
            change.service.into(),
            change.field.as_str().into(),
            change.old.to_string().into(),
            change.new.to_string().into(),
            change.state.as_str().into(),
            (change.state == SyncState::Held).into(),
        ]
    };
    let sql = Sql::new(
        "INSERT INTO sync_changes (sync_run_id, external_panel_id, created_at, external_panel_service_id, provider_id, service_id, field, old_value, new_value, state, is_current)
         SELECT CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), r.external_id, r.provider, r.service, r.field, r.old, r.new, r.state, r.is_current FROM ",
    );
    let columns = ["external_id", "provider", "service", "field", "old", "new", "state", "is_current"];
    let sql = sql.bind(run).bind(panel).bind(now).rows("r", &columns, changes.iter().map(to_row).collect());
    db.execute(sql).await.map(drop)
}

/// Records that a staff member accepted or rejected a held change. A rejected change stays current, so that a sync does not hold
/// the same value again.
pub(super) async fn record_decision(
    work: &mut UnitOfWork,
    id: SyncChangeId,
    state: SyncState,
) -> DbResult<Transition> {
    let (event, is_current) = match state {
        SyncState::Rejected => (SyncChangeEvent::Reject, true),
        _ => (SyncChangeEvent::Accept, false),
    };
    let sql = sql!(
        "UPDATE sync_changes SET state = @state, is_current = @is_current, decided_at = @decided_at, decided_by = @decided_by \
           WHERE id = @id",
        { state: state.as_str(), is_current, decided_at: work.now, decided_by: work.actor(), id },
    );
    transition(work, sql.append(SYNC_CHANGE_STATES.condition_for(event))).await
}

/// Marks the changes whose value the external panel no longer lists: held changes become outdated, and rejected changes are no
/// longer current.
pub(super) async fn mark_outdated(work: &mut UnitOfWork, ids: &[SyncChangeId]) -> DbResult<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let sql = Sql::new(
        "UPDATE sync_changes SET is_current = FALSE, state = CASE state WHEN 'held' THEN 'outdated' ELSE state END WHERE id IN ",
    );
    work.execute(sql.ids(ids).append(SYNC_CHANGE_STATES.condition_for(SyncChangeEvent::Outdate)))
        .await
        .map(drop)
}
