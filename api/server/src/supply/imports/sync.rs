//! Syncs external panels: every hour if a `sync_*` option of the external panel is enabled, and when a staff member requests it. A
//! sync runs as a job, so that no request and no transaction waits for the external panel.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use panel_contract::amount::Money;
use panel_contract::common::Data;
use panel_contract::endpoints::external_services::SyncPanel;
use panel_contract::external_services::{FetchedServices, ScheduledSync, SyncField, SyncState};
use panel_contract::ids::{ExternalPanelId, ProviderId, SyncRunId};
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::json;

use super::compare::{
    FieldValue, SyncChange, SyncComparison, SyncPolicy, SyncedProvider, compare_with_listed,
};
use super::stored_catalogue::{self, ListedService};
use super::sync_store::{self, SyncRunResult};
use super::synced_panels::IS_SYNCED;
use super::{apply, new_services, panel_services, sync_packages};
use crate::app::App;
use crate::context::Ctx;
use crate::http::Req;
use crate::supply::panels::PanelConnection;
use panel_domain::reseller_protocol::responses::Catalogue;
use panel_platform::audit;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::jobs;
use panel_platform::jobs::job::Job;
use panel_platform::poller::Poller;
use panel_platform::poller::work::WorkSummary;
use panel_platform::scope::Scope;
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

/// How often the poller searches for external panels whose sync is due.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);
/// How often an external panel is synced.
const SYNC_INTERVAL: Duration = Duration::from_hours(1);
/// A transaction ends after the provider with which the number of changes reaches this value.
const CHANGES_PER_TRANSACTION: usize = 500;
/// A sync disables the providers of missing services without approval if at most this many services are missing, or at most one in
/// ten. If more services are missing, the list is probably incomplete, so the changes are held for approval by staff.
const MAX_MISSING_WITHOUT_APPROVAL: usize = 3;
/// Sync runs without changes are deleted after this time.
const EMPTY_RUN_RETENTION: Duration = Duration::from_hours(30 * 24);

// Routes

/// `POST external-panels/{id}/sync`.
pub async fn request_sync(ctx: Ctx, req: Req<SyncPanel>) -> Result<Data<ScheduledSync>> {
    let mut work = ctx.begin().await?;
    let panel = lock_panel(&mut work, req.path).await?;
    check_can_be_synced(&panel)?;
    let now = work.now;
    mark_synced(&mut work, req.path).await?;
    jobs::enqueue(&mut work, &[Job::Sync { external_panel_id: req.path }], now).await?;
    let change = audit::change::AuditChange {
        id: req.path.as_record_id(),
        old: json!({}),
        new: json!({ "synced_at": now }),
    };
    audit::record(&mut work, "external_panel.sync_requested", "external_panel", change).await?;
    work.finish(Data { data: ScheduledSync { external_panel_id: req.path, due_at: now } }).await
}

// Rules

fn check_can_be_synced(panel: &PanelStatusRow) -> Result<(), Rejection> {
    if panel.is_archived {
        return Err(Rejection::conflict(
            "external_panel_archived",
            "This external panel is archived. Restore it first.",
        ));
    }
    if panel.is_disabled {
        return Err(Rejection::conflict(
            "external_panel_disabled",
            "This external panel is disabled. Enable it first.",
        ));
    }
    Ok(())
}

/// The service list that an external panel sent.
struct FetchedCatalogue {
    /// The services by their id at the external panel. If an id occurs twice, the first entry counts.
    services: BTreeMap<String, ListedService>,
    /// Whether all entries were readable. If an entry was unreadable, it may be a missing service.
    is_complete: bool,
    /// Whether the providers of missing services are disabled without approval, because only a few services are missing.
    disables_without_approval: bool,
}

impl FetchedCatalogue {
    fn from_catalogue(catalogue: &Catalogue) -> Self {
        let mut services = BTreeMap::new();
        for service in catalogue.services.iter().map(ListedService::from_catalogue) {
            services.entry(service.id.clone()).or_insert(service);
        }
        Self { services, is_complete: catalogue.unreadable == 0, disables_without_approval: false }
    }

    /// Sets `disables_without_approval` from the number of active providers whose service is missing.
    fn count_missing(&mut self, providers: &[SyncedProvider]) {
        let active_providers = providers.iter().filter(|provider| provider.is_active);
        let (mut synced_count, mut missing_count) = (0, 0);
        for provider in active_providers {
            synced_count += 1;
            missing_count += usize::from(!self.services.contains_key(&provider.external_service_id));
        }
        self.disables_without_approval = needs_no_approval(missing_count, synced_count);
    }

    /// Compares a provider with the list. Returns no changes if its service may be missing only because an entry is unreadable.
    fn compare(&self, policy: &SyncPolicy, provider: &SyncedProvider) -> SyncComparison {
        match self.services.get(&provider.external_service_id) {
            None if !self.is_complete => SyncComparison::default(),
            listed => {
                let mut comparison = compare_with_listed(policy, provider, listed);
                let availability_changes =
                    comparison.changes.iter_mut().filter(|change| change.field == SyncField::Availability);
                availability_changes
                    .filter(|_| self.disables_without_approval)
                    .for_each(|change| change.state = SyncState::Applied);
                comparison
            }
        }
    }
}

/// Returns whether so few services are missing that the list is probably complete, and their providers are disabled without
/// approval.
const fn needs_no_approval(missing_count: usize, synced_count: usize) -> bool {
    missing_count <= MAX_MISSING_WITHOUT_APPROVAL || missing_count * 10 <= synced_count
}

impl SyncRunResult {
    fn add_changes(&mut self, changes: &[SyncChange]) {
        let held_count = changes.iter().filter(|change| change.state == SyncState::Held).count();
        self.held_count += i64::try_from(held_count).unwrap_or_default();
        self.applied_count += i64::try_from(changes.len() - held_count).unwrap_or_default();
    }
}

// Store

#[derive(sqlx::FromRow)]
struct PanelStatusRow {
    is_archived: bool,
    is_disabled: bool,
}

async fn lock_panel(work: &mut UnitOfWork, panel: ExternalPanelId) -> Result<PanelStatusRow> {
    let sql =
        Sql::new("SELECT is_archived, status = 'disabled' AS is_disabled FROM external_panels WHERE id = ?");
    let row: Option<PanelStatusRow> = work.fetch_optional(sql.bind(panel).for_update()).await?;
    row.ok_or_else(|| Error::not_found("external panel", panel))
}

async fn mark_synced(work: &mut UnitOfWork, panel: ExternalPanelId) -> Result<()> {
    let now = work.now;
    let sql = Sql::new("UPDATE external_panels SET synced_at = ? WHERE id = ?");
    work.execute(sql.bind(now).bind(panel)).await?;
    Ok(())
}

/// Returns the poller that enqueues a sync for each external panel whose sync is due.
#[must_use]
pub fn enqueue_poller() -> Poller<App> {
    Poller::task("sync_enqueue", CHECK_INTERVAL, |app: App| async move {
        Ok(WorkSummary::done(enqueue_due(&app).await?))
    })
}

/// Enqueues a sync for every external panel whose sync is due, and returns the number of syncs. If several processes find the same
/// external panel, only one of them enqueues its sync.
pub async fn enqueue_due(app: &App) -> Result<usize> {
    let now = app.clock.now();
    let last_due_time = now.minus(SYNC_INTERVAL);
    let sql = Sql::new(
        "SELECT id FROM external_panels WHERE status <> 'disabled' AND NOT is_archived AND api_token_sealed IS NOT NULL
           AND (synced_at IS NULL OR synced_at <= ?) AND ",
    );
    let due_panels: Vec<(ExternalPanelId,)> =
        (&mut &app.db).fetch_all(sql.bind(last_due_time).push(IS_SYNCED)).await?;
    let mut enqueued_count = 0;
    for (id,) in due_panels {
        let mut work = Scope::system(app, "sync").begin().await?;
        let claim_sql = Sql::new(
            "UPDATE external_panels SET synced_at = ? WHERE id = ? AND (synced_at IS NULL OR synced_at <= ?)",
        );
        if work.execute(claim_sql.bind(now).bind(id).bind(last_due_time)).await? == 1 {
            jobs::enqueue(&mut work, &[Job::Sync { external_panel_id: id }], now).await?;
            enqueued_count += 1;
        }
        work.finish(()).await?;
    }
    Ok(enqueued_count)
}

/// Fetches the service list of an external panel, stores it and applies its changes. A failure of the external panel is recorded in
/// the sync run; a returned error is a failure of this server.
pub async fn run(app: &App, panel: ExternalPanelId) -> Result<()> {
    let ctx = Ctx::system(app.clone(), "sync");
    let run = begin_run(&ctx, panel).await?;
    let mut result = SyncRunResult::default();
    match fetch_catalogue(&ctx, panel).await {
        Ok((connection, catalogue)) => match store_list(&ctx, &connection, &catalogue).await {
            Ok(counts) => {
                result.fetched = counts;
                apply_catalogue(&ctx, (run, panel), &catalogue, &mut result).await?;
            }
            Err(Error::Rejected(rejection)) => result.error = Some(rejection.message),
            Err(error) => return Err(error),
        },
        Err(message) => result.error = Some(message),
    }
    end_run(&ctx, (run, panel), &result).await
}

async fn begin_run(ctx: &Ctx, panel: ExternalPanelId) -> Result<SyncRunId> {
    let mut work = ctx.begin().await?;
    let now = work.now;
    let id = sync_store::begin_run(&mut work, panel, now).await?;
    work.finish(id).await
}

/// Stores the fetched list. In the same transaction, starts the import rule if it was enabled before the external panel had a
/// stored list.
async fn store_list(
    ctx: &Ctx,
    connection: &PanelConnection,
    catalogue: &Catalogue,
) -> Result<FetchedServices> {
    let mut work = ctx.begin().await?;
    let counts = stored_catalogue::store_catalogue(&mut work, connection, catalogue).await?;
    new_services::start_after_first_list(&mut work, connection.id).await?;
    work.finish(counts).await
}

/// Fetches the list of an external panel. Returns the list with the connection, or an error message. An empty list counts as an
/// error of the external panel.
async fn fetch_catalogue(ctx: &Ctx, panel: ExternalPanelId) -> Result<(PanelConnection, Catalogue), String> {
    let (panel, catalogue) =
        panel_services::fetch_catalogue(ctx, panel).await.map_err(|error| error.report("sync").message)?;
    if catalogue.services.is_empty() {
        return Err("The external panel sent a list without services. Nothing was changed.".into());
    }
    Ok((panel, catalogue))
}

/// Finds the providers that differ from the list, and applies their changes in several transactions. Each transaction compares the
/// providers again after locking them. The list is already stored.
async fn apply_catalogue(
    ctx: &Ctx,
    (run, panel): (SyncRunId, ExternalPanelId),
    catalogue: &Catalogue,
    result: &mut SyncRunResult,
) -> Result<()> {
    let mut fetched = FetchedCatalogue::from_catalogue(catalogue);
    let policy = apply::load_policy(&mut ctx.db(), panel).await?;
    let providers = apply::load_providers(&mut ctx.db(), panel, None).await?;
    fetched.count_missing(&providers);
    let mut chunk = Vec::new();
    let mut chunk_change_count = 0;
    let mut chunks = Vec::new();
    for provider in providers {
        let comparison = fetched.compare(&policy, &provider);
        if comparison.lacks_exchange_rate {
            let message =
                format!("There is no exchange rate for {}, so no prices were changed.", policy.currency);
            result.error = Some(message);
        }
        if comparison.is_empty() {
            continue;
        }
        chunk_change_count += comparison.changes.len() + comparison.outdated_ids.len();
        chunk.push(provider.id);
        if chunk_change_count >= CHANGES_PER_TRANSACTION {
            chunks.push(std::mem::take(&mut chunk));
            chunk_change_count = 0;
        }
    }
    chunks.push(chunk);
    for ids in chunks.iter().filter(|ids| !ids.is_empty()) {
        let changes = compare_and_apply(ctx, (run, panel), &fetched, ids).await?;
        result.add_changes(&changes);
        // Services are synced only from active providers, so the services of a provider that was just enabled are compared now.
        let enables_provider = |change: &&SyncChange| {
            change.field == SyncField::Availability && change.new == FieldValue::Flag(true)
        };
        let enabled_providers: Vec<ProviderId> =
            changes.iter().filter(enables_provider).map(|change| change.provider).collect();
        if !enabled_providers.is_empty() {
            result.add_changes(&compare_and_apply(ctx, (run, panel), &fetched, &enabled_providers).await?);
        }
    }
    result.new_services = new_services::import_new_services(ctx, panel).await?;
    let mut work = ctx.begin().await?;
    sync_packages::sync_packages(&mut work, panel).await?;
    work.finish(()).await
}

async fn compare_and_apply(
    ctx: &Ctx,
    (run, panel): (SyncRunId, ExternalPanelId),
    fetched: &FetchedCatalogue,
    ids: &[ProviderId],
) -> Result<Vec<SyncChange>> {
    let mut work = ctx.begin().await?;
    apply::lock_providers(&mut work, ids).await?;
    let policy = apply::load_policy(&mut work, panel).await?;
    let (mut changes, mut outdated_ids, mut seen_fields) = (Vec::new(), Vec::new(), BTreeSet::new());
    for provider in apply::load_providers(&mut work, panel, Some(ids)).await? {
        let comparison = fetched.compare(&policy, &provider);
        // A service is synced from only one provider, so a field can change only once.
        changes.extend(
            comparison
                .changes
                .into_iter()
                .filter(|change| seen_fields.insert((change.provider, change.service, change.field))),
        );
        outdated_ids.extend(comparison.outdated_ids);
    }
    changes.extend(
        apply::apply_and_log(&mut work, (run, panel), &policy.currency, &changes, &outdated_ids).await?,
    );
    work.finish(()).await?;
    Ok(changes)
}

/// Ends the sync run, updates the sync status of the external panel, and deletes old runs without changes.
async fn end_run(
    ctx: &Ctx,
    (run, panel): (SyncRunId, ExternalPanelId),
    result: &SyncRunResult,
) -> Result<()> {
    let mut work = ctx.begin().await?;
    let now = work.now;
    sync_store::end_run(&mut work, run, result, now).await?.ignore_superseded();
    let has_failed = result.error.is_some();
    let sql = sql!(
        "UPDATE external_panels SET sync_failed = @has_failed, last_error = COALESCE(@last_error, last_error), \
           last_ok_at = CASE WHEN @has_failed THEN last_ok_at ELSE CAST(@now AS BIGINT) END WHERE id = @panel",
        { has_failed, last_error: result.error.clone(), now, panel },
    );
    work.execute(sql).await?;
    sync_store::delete_runs_without_changes(&mut work, panel, now.minus(EMPTY_RUN_RETENTION)).await?;
    work.finish(()).await
}

/// Parses the stored text of a price.
pub fn parse_price(text: &str) -> Option<Money> {
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_to_three_or_one_in_ten_missing_services_need_no_approval() {
        assert!(
            needs_no_approval(1, 1)
                && needs_no_approval(3, 5)
                && needs_no_approval(10, 100)
                && needs_no_approval(0, 0)
        );
        assert!(!needs_no_approval(4, 4) && !needs_no_approval(4, 39) && !needs_no_approval(11, 100));
    }
}
