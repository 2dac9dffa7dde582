//! Following a panel: asked every hour where a switch says so, or when somebody wants it; in the background, so that no
//! request and no transaction waits for the panel.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use panel_contract::amount::Money;
use panel_contract::common::Data;
use panel_contract::endpoints::external_services::SyncPanel;
use panel_contract::external_services::{FetchedServices, SyncAsked, SyncField, SyncState};
use panel_contract::ids::{ExternalPanelId, ProviderId, SyncRunId};
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::json;

use super::followed::FOLLOWED;
use super::judge::{self, Change, FieldValue, Provider, SyncPolicy, Verdict};
use super::store::{self, Tally};
use super::stored_catalogue::{self, ListedService};
use super::{apply, follow_packages, listed, new_services};
use crate::app::App;
use crate::context::Ctx;
use crate::http::Req;
use crate::supply::panels::Reachable;
use panel_domain::reseller_protocol::read::Catalogue;
use panel_platform::audit;
use panel_platform::db::{Source, Sql};
use panel_platform::jobs;
use panel_platform::jobs::job::Job;
use panel_platform::poller::Poller;
use panel_platform::poller::work::WorkSummary;
use panel_platform::scope::Scope;
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

/// Between two looks for panels that are due.
const LOOK_EVERY: Duration = Duration::from_secs(60);
/// Between two looks at a panel.
const EVERY: Duration = Duration::from_hours(1);
/// Changes of one transaction, about.
const CHUNK: usize = 500;
/// So many services may vanish at once from a panel, and else one in ten of those that are followed: more are a fault of the
/// panel, until staff say otherwise.
const FEW: usize = 3;
/// How long runs without any change are kept.
const KEPT: Duration = Duration::from_hours(30 * 24);

// Routes

/// `POST external-panels/{id}/sync`.
pub async fn ask(ctx: Ctx, req: Req<SyncPanel>) -> Result<Data<SyncAsked>> {
    let mut work = ctx.begin().await?;
    let (is_archived, is_disabled) = locked(&mut work, req.path).await?;
    judge_asked(is_archived, is_disabled)?;
    let now = work.now;
    mark_synced(&mut work, req.path).await?;
    jobs::enqueue(&mut work, &[Job::Sync { external_panel_id: req.path }], now).await?;
    let change = audit::change::AuditChange {
        id: req.path.record(),
        old: json!({}),
        new: json!({ "synced_at": now }),
    };
    audit::record(&mut work, "external_panel.sync_asked", "external_panel", change).await?;
    work.finish(Data { data: SyncAsked { external_panel_id: req.path, due_at: now } }).await
}

// Rules

fn judge_asked(is_archived: bool, is_disabled: bool) -> Result<(), Rejection> {
    if is_archived {
        return Err(Rejection::conflict(
            "external_panel_archived",
            "This panel is archived; bring it back first.",
        ));
    }
    if is_disabled {
        return Err(Rejection::conflict(
            "external_panel_disabled",
            "This panel is disabled; enable it first.",
        ));
    }
    Ok(())
}

/// What a panel says, by the services' ids there; the first counts where it says one twice.
struct Heard {
    listed: BTreeMap<String, ListedService>,
    /// Whether what is missing is really gone.
    is_whole: bool,
    /// Whether so few of the followed services are missing that they go off at once.
    few_vanish: bool,
}

impl Heard {
    fn of(catalogue: &Catalogue) -> Self {
        let mut listed = BTreeMap::new();
        for service in catalogue.services.iter().map(ListedService::of) {
            listed.entry(service.id.clone()).or_insert(service);
        }
        Self { listed, is_whole: catalogue.unreadable == 0, few_vanish: false }
    }

    /// Counts how many of a panel's providers are missing.
    fn count(&mut self, providers: &[Provider]) {
        let followed = providers.iter().filter(|provider| provider.is_active);
        let (mut all, mut missing) = (0, 0);
        for provider in followed {
            all += 1;
            missing += usize::from(!self.listed.contains_key(&provider.there));
        }
        self.few_vanish = are_few(missing, all);
    }

    /// What follows for a provider; nothing where the panel's list may only lack it because it could not be read.
    fn judge(&self, policy: &SyncPolicy, provider: &Provider) -> Verdict {
        match self.listed.get(&provider.there) {
            None if !self.is_whole => Verdict::default(),
            listed => {
                let mut verdict = judge::judge(policy, provider, listed);
                let held =
                    verdict.changes.iter_mut().filter(|change| change.field == SyncField::Availability);
                held.filter(|_| self.few_vanish).for_each(|change| change.state = SyncState::Applied);
                verdict
            }
        }
    }
}

/// Whether the missing ones of all followed services are few.
const fn are_few(missing: usize, followed: usize) -> bool {
    missing <= FEW || missing * 10 <= followed
}

impl Tally {
    fn add(&mut self, changes: &[Change]) {
        let held = changes.iter().filter(|change| change.state == SyncState::Held).count();
        self.held += i64::try_from(held).unwrap_or_default();
        self.applied += i64::try_from(changes.len() - held).unwrap_or_default();
    }
}

// Store

/// Whether the panel is archived or disabled, with its row locked.
async fn locked(work: &mut UnitOfWork, panel: ExternalPanelId) -> Result<(bool, bool)> {
    let sql = Sql::new("SELECT is_archived, status = 'disabled' FROM external_panels WHERE id = ?");
    let found: Option<(bool, bool)> = work.opt(sql.bind(panel).for_update()).await?;
    found.ok_or_else(|| Error::not_found("external panel", panel))
}

async fn mark_synced(work: &mut UnitOfWork, panel: ExternalPanelId) -> Result<()> {
    let now = work.now;
    let sql = Sql::new("UPDATE external_panels SET synced_at = ? WHERE id = ?");
    work.exec(sql.bind(now).bind(panel)).await?;
    Ok(())
}

/// Looks for panels whose catalogue is to be followed.
#[must_use]
pub fn enqueue_poller() -> Poller<App> {
    Poller::task("sync_enqueue", LOOK_EVERY, |app: App| async move {
        Ok(WorkSummary::done(enqueue_due(&app).await?))
    })
}

/// Enqueues a sync of every panel that is due; how many. Of several processes one does it.
pub async fn enqueue_due(app: &App) -> Result<usize> {
    let now = app.clock.now();
    let before = now.before(EVERY);
    let sql = Sql::new(
        "SELECT id FROM external_panels WHERE status <> 'disabled' AND NOT is_archived AND api_token_sealed IS NOT NULL
           AND (synced_at IS NULL OR synced_at <= ?) AND ",
    );
    let due: Vec<(ExternalPanelId,)> = (&mut &app.db).all(sql.bind(before).push(FOLLOWED)).await?;
    let mut claimed = 0;
    for (id,) in due {
        let mut work = Scope::system(app, "sync").begin().await?;
        let claim = Sql::new(
            "UPDATE external_panels SET synced_at = ? WHERE id = ? AND (synced_at IS NULL OR synced_at <= ?)",
        );
        if work.exec(claim.bind(now).bind(id).bind(before)).await? == 1 {
            jobs::enqueue(&mut work, &[Job::Sync { external_panel_id: id }], now).await?;
            claimed += 1;
        }
        work.finish(()).await?;
    }
    Ok(claimed)
}

/// Asks a panel what it sells and follows it. What the panel says wrong stands in the log of the run; an error is one of
/// ours.
pub async fn run(app: &App, panel: ExternalPanelId) -> Result<()> {
    let ctx = Ctx::system(app.clone(), "sync");
    let run = begin(&ctx, panel).await?;
    let mut tally = Tally::default();
    match ask_panel(&ctx, panel).await {
        Ok((source, catalogue)) => match store_list(&ctx, &source, &catalogue).await {
            Ok(fetched) => {
                tally.fetched = fetched;
                follow(&ctx, (run, panel), &catalogue, &mut tally).await?;
            }
            Err(Error::Rejected(moved)) => tally.error = Some(moved.message),
            Err(fault) => return Err(fault),
        },
        Err(words) => tally.error = Some(words),
    }
    end(&ctx, (run, panel), &tally).await
}

async fn begin(ctx: &Ctx, panel: ExternalPanelId) -> Result<SyncRunId> {
    let mut work = ctx.begin().await?;
    let now = work.now;
    let id = store::begin(&mut work, panel, now).await?;
    work.finish(id).await
}

/// Keeps the list that the panel gave, and takes it for what the panel sold before where none was known when its import rule
/// was switched on: both or neither.
async fn store_list(ctx: &Ctx, source: &Reachable, catalogue: &Catalogue) -> Result<FetchedServices> {
    let mut work = ctx.begin().await?;
    let fetched = stored_catalogue::keep(&mut work, source, catalogue).await?;
    new_services::mark_known(&mut work, source.id).await?;
    work.finish(fetched).await
}

/// The panel and its catalogue, or why there is none. An empty one is a mistake rather than a panel without services.
async fn ask_panel(ctx: &Ctx, panel: ExternalPanelId) -> Result<(Reachable, Catalogue), String> {
    let asked = listed::asked(ctx, panel).await.map_err(|error| error.report("sync").message)?;
    if asked.1.services.is_empty() {
        return Err("The panel sent a list without services; nothing was changed.".into());
    }
    Ok(asked)
}

/// Finds what differs from the catalogue, which is kept already, and writes it part by part, each judged again under its locks.
async fn follow(
    ctx: &Ctx,
    of: (SyncRunId, ExternalPanelId),
    catalogue: &Catalogue,
    tally: &mut Tally,
) -> Result<()> {
    let mut heard = Heard::of(catalogue);
    let policy = apply::load_policy(&mut ctx.db(), of.1).await?;
    let providers = apply::load(&mut ctx.db(), of.1, None).await?;
    heard.count(&providers);
    let mut part = Vec::new();
    let mut size = 0;
    let mut parts = Vec::new();
    for provider in providers {
        let verdict = heard.judge(&policy, &provider);
        if verdict.lacks_rate {
            let words = format!(
                "There is no exchange rate for {}, so prices were left as they are.",
                policy.currency
            );
            tally.error = Some(words);
        }
        if verdict.is_empty() {
            continue;
        }
        size += verdict.changes.len() + verdict.over.len();
        part.push(provider.id);
        if size >= CHUNK {
            parts.push(std::mem::take(&mut part));
            size = 0;
        }
    }
    parts.push(part);
    for ids in parts.iter().filter(|ids| !ids.is_empty()) {
        let changes = write(ctx, of, &heard, ids).await?;
        tally.add(&changes);
        // Services follow a provider that delivers: those of one that came back are judged now.
        let is_back = |change: &&Change| {
            change.field == SyncField::Availability && change.new == FieldValue::Flag(true)
        };
        let back: Vec<ProviderId> = changes.iter().filter(is_back).map(|change| change.provider).collect();
        if !back.is_empty() {
            tally.add(&write(ctx, of, &heard, &back).await?);
        }
    }
    tally.new = new_services::import(ctx, of.1).await?;
    let mut work = ctx.begin().await?;
    follow_packages::follow(&mut work, of.1).await?;
    work.finish(()).await
}

async fn write(
    ctx: &Ctx,
    of: (SyncRunId, ExternalPanelId),
    heard: &Heard,
    ids: &[ProviderId],
) -> Result<Vec<Change>> {
    let mut work = ctx.begin().await?;
    apply::lock(&mut work, ids).await?;
    let policy = apply::load_policy(&mut work, of.1).await?;
    let (mut changes, mut over, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
    for provider in apply::load(&mut work, of.1, Some(ids)).await? {
        let verdict = heard.judge(&policy, &provider);
        // A service follows one provider, so nothing is changed twice.
        changes.extend(
            verdict
                .changes
                .into_iter()
                .filter(|change| seen.insert((change.provider, change.service, change.field))),
        );
        over.extend(verdict.over);
    }
    changes.extend(apply::write(&mut work, of, &policy.currency, &changes, &over).await?);
    work.finish(()).await?;
    Ok(changes)
}

/// Closes the run, says how the panel does, and lets go of old runs that found nothing.
async fn end(ctx: &Ctx, (run, panel): (SyncRunId, ExternalPanelId), tally: &Tally) -> Result<()> {
    let mut work = ctx.begin().await?;
    let now = work.now;
    store::end(&mut work, run, tally, now).await?.ignore_superseded();
    let failed = tally.error.is_some();
    let sql = sql!(
        "UPDATE external_panels SET sync_failed = @failed, last_error = COALESCE(@last_error, last_error), \
           last_ok_at = CASE WHEN @failed THEN last_ok_at ELSE CAST(@now AS BIGINT) END WHERE id = @panel",
        { failed, last_error: tally.error.clone(), now, panel },
    );
    work.exec(sql).await?;
    store::delete_empty(&mut work, panel, now.before(KEPT)).await?;
    work.finish(()).await
}

/// What the panel really asks, for one whose price somebody decides on.
pub fn asked(new: &str) -> Option<Money> {
    new.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_vanish_and_a_broken_list_loses_many() {
        assert!(are_few(1, 1) && are_few(3, 5) && are_few(10, 100) && are_few(0, 0));
        assert!(!are_few(4, 4) && !are_few(4, 39) && !are_few(11, 100));
    }
}
