//! Runs of a sync and the log of the changes that they found: the only writes of both tables. When a sync is due and what it
//! finds is decided in `sync`.

use panel_contract::external_services::{FetchedServices, SyncState};
use panel_contract::ids::{ExternalPanelId, SyncChangeId, SyncRunId};
use panel_contract::moment::Time;
use panel_domain::states::sync_changes::{SyncChangeEvent, SyncChangeState, SyncChanges};
use panel_domain::states::sync_runs::{SyncRunEvent, SyncRunState, SyncRuns};
use panel_platform::db::state::{StoredStates, Transition, transition};
use panel_platform::db::{DbResult, Source, Sql, Val};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;
use serde_json::json;

use super::judge::Change;
use super::new_services::NewServices;

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

/// What a run did.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// What the list of the panel held.
    pub(super) fetched: FetchedServices,
    /// Changes that were applied.
    pub(super) applied: i64,
    /// Changes that wait for staff.
    pub(super) held: i64,
    /// What the import rule did.
    pub(super) new: NewServices,
    /// Why it failed.
    pub(super) error: Option<String>,
}

/// A run of a panel's sync begins; its id.
pub(super) async fn begin(db: &mut impl Source, panel: ExternalPanelId, now: Time) -> DbResult<SyncRunId> {
    let sql = Sql::new("INSERT INTO sync_runs (external_panel_id, started_at) VALUES (?, ?) RETURNING id");
    Ok(db.one::<(SyncRunId,)>(sql.bind(panel).bind(now)).await?.0)
}

/// A run ends with what it found, or with why it failed.
pub(super) async fn end(
    db: &mut impl Source,
    run: SyncRunId,
    tally: &Tally,
    now: Time,
) -> DbResult<Transition> {
    let fetched = tally.fetched;
    let sql = sql!(
        "UPDATE sync_runs SET ended_at = @now, services_count = @services_count, unreadable_count = @unreadable_count, \
           new_count = @new_count, gone_count = @gone_count, applied_count = @applied_count, held_count = @held_count,
           imported_count = @imported_count, not_imported_count = @not_imported_count, not_imported = @not_imported, \
           error = @error WHERE id = @run",
        {
            now,
            services_count: fetched.services_count,
            unreadable_count: fetched.unreadable_count,
            new_count: fetched.new_count,
            gone_count: fetched.gone_count,
            applied_count: tally.applied,
            held_count: tally.held,
            imported_count: tally.new.imported,
            not_imported_count: tally.new.not_imported,
            not_imported: json!(tally.new.first).to_string(),
            error: tally.error.clone(),
            run,
        },
    );
    let event = if tally.error.is_some() { SyncRunEvent::Fail } else { SyncRunEvent::End };
    transition(db, sql.append(RUNS.leaving(event))).await
}

/// Deletes runs of a panel that began before then and found nothing.
pub(super) async fn delete_empty(db: &mut impl Source, panel: ExternalPanelId, before: Time) -> DbResult<()> {
    let old = Sql::new(
        "DELETE FROM sync_runs WHERE external_panel_id = ? AND started_at < ? AND NOT EXISTS (SELECT 1 FROM sync_changes c WHERE c.sync_run_id = sync_runs.id)",
    );
    db.exec(old.bind(panel).bind(before)).await.map(drop)
}

/// Writes changes into the log of a run of a panel.
pub(super) async fn log(
    db: &mut impl Source,
    (run, panel): (SyncRunId, ExternalPanelId),
    changes: &[Change],
    now: Time,
) -> DbResult<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let row = |change: &Change| -> Vec<Val> {
        vec![
            (&*change.there).into(),
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
        "INSERT INTO sync_changes (sync_run_id, external_panel_id, created_at, external_panel_service_id, provider_id, service_id, field, old_value, new_value, state, stands)
         SELECT CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), r.there, r.provider, r.service, r.field, r.old, r.new, r.state, r.stands FROM ",
    );
    let columns = ["there", "provider", "service", "field", "old", "new", "state", "stands"];
    let sql = sql.bind(run).bind(panel).bind(now).rows("r", &columns, changes.iter().map(row).collect());
    db.exec(sql).await.map(drop)
}

/// Staff accept or refuse one. A refusal stays the latest decision, so that the same is not held again.
pub(super) async fn decide(
    work: &mut UnitOfWork,
    id: SyncChangeId,
    state: SyncState,
) -> DbResult<Transition> {
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
pub(super) async fn outdate(work: &mut UnitOfWork, ids: &[SyncChangeId]) -> DbResult<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let sql = Sql::new(
        "UPDATE sync_changes SET stands = FALSE, state = CASE state WHEN 'held' THEN 'outdated' ELSE state END WHERE id IN ",
    );
    work.exec(sql.ids(ids).append(CHANGES.leaving(SyncChangeEvent::Outdate))).await.map(drop)
}
