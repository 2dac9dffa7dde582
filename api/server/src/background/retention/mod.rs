//! Removes records by age: once a day, in one process, in small batches that each read an index from its oldest entry.
//!
//! [`declared`] lists what is removed. The bounds of a batch are two times, so a batch that runs twice, or in two processes,
//! removes only due records. Another process continues a run that ended early. Each run writes one audit entry per table with
//! removed records. Never removes money or the audit trail.

pub mod declared;

use std::time::Duration;

use panel_contract::ids::{DocumentId, RecordId};
use panel_contract::moment::Time;
use panel_kernel::error::Result;
use serde_json::json;

use crate::app::App;
use crate::auth;
use crate::background::retention::declared::{RETENTION_RULES, Removal, RetentionPeriod, RetentionRule};
use crate::configuration::webhooks;
use crate::metrics::RETENTION_REMOVED;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::lease::named::{NamedLease, next_utc_day};
use panel_platform::platform::Platform;
use panel_platform::poller::Poller;
use panel_platform::poller::work::WorkSummary;
use panel_platform::scope::Scope;
use panel_platform::settings;

/// Records of one batch; a few more if several have the same time.
const BATCH: i64 = 500;
/// Documents of one batch; fewer, because each has a file.
const DOCUMENTS: i64 = 50;
const DAY_MICROS: i64 = 86_400_000_000;
/// Interval between checks whether the daily run is due.
const EVERY: Duration = Duration::from_secs(60);
const LEASE: &str = "retention";

/// Starts the daily run when it is due.
#[must_use]
pub fn poller() -> Poller<App> {
    Poller::task("retention", EVERY, |app: App| async move {
        run_daily(&app).await?;
        Ok(WorkSummary::default())
    })
}

/// Removes due records, unless another process has done so today.
pub async fn run_daily(platform: &Platform) -> Result<()> {
    let Some(mut lease) = NamedLease::acquire(platform, LEASE).await? else { return Ok(()) };
    if remove_due(platform, Some(&mut lease)).await? {
        lease.release(platform, next_utc_day(platform.clock.now())).await?;
    }
    Ok(())
}

/// Removes all due records. Returns false if the process stops or another process took over the run.
pub async fn remove_due(platform: &Platform, mut lease: Option<&mut NamedLease>) -> Result<bool> {
    let now = platform.clock.now();
    for of in RETENTION_RULES {
        let Some(days) = retention_days(platform, of.period).await? else { continue };
        let before = Time(now.0 - days * DAY_MICROS);
        let mut removed = 0;
        let is_done = loop {
            let Some(batch) = batch(platform, of, before).await? else { break true };
            removed += batch;
            if !may_continue(platform, lease.as_deref_mut()).await? {
                break false;
            }
        };
        record_removal(platform, of.table, days, removed).await?;
        if !is_done {
            return Ok(false);
        }
    }
    loop {
        let ended = auth::store::delete_ended_sessions(&mut &platform.db, now).await?;
        if ended == 0 {
            break;
        }
        tracing::debug!(ended, "removed ended sessions");
        if !may_continue(platform, lease.as_deref_mut()).await? {
            return Ok(false);
        }
    }
    while let Some(removed) = webhooks::outbox::remove_orphans(&platform.db).await? {
        tracing::debug!(removed, "removed deliveries of deleted webhooks");
        if !may_continue(platform, lease.as_deref_mut()).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether another batch may begin: this process still holds the lease and is not stopping.
async fn may_continue(platform: &Platform, lease: Option<&mut NamedLease>) -> Result<bool> {
    let is_ours = match lease {
        Some(lease) => lease.renew(platform).await?,
        None => true,
    };
    Ok(is_ours && !*platform.stop.borrow())
}

/// How many days records are kept; `None` if they are never removed.
async fn retention_days(platform: &Platform, period: RetentionPeriod) -> Result<Option<i64>> {
    Ok(match period {
        RetentionPeriod::Days(days) => Some(days),
        RetentionPeriod::Webhooks => Some(i64::from(platform.config.webhooks.keep_days)),
        RetentionPeriod::Setting(key) => {
            settings::value(&mut &platform.db, key).await?.as_i64().filter(|days| *days > 0)
        }
    })
}

/// Records in log, metrics and audit trail how many records of a table were removed.
async fn record_removal(platform: &Platform, table: &'static str, days: i64, removed: u64) -> Result<()> {
    if removed == 0 {
        return Ok(());
    }
    RETENTION_REMOVED.with([table]).increment(removed);
    tracing::info!(table, days, removed, "removed expired records");
    let mut work = Scope::system(platform, "retention").begin().await?;
    let new = json!({ "table": table, "kept_days": days, "records": removed });
    let change = AuditChange { id: RecordId::NONE, old: json!({}), new };
    audit::record(&mut work, "retention.removed", "retention", change).await?;
    work.finish(()).await
}

/// Removes one batch, and returns its size; `None` if nothing is due.
async fn batch(platform: &Platform, of: &RetentionRule, before: Time) -> Result<Option<u64>> {
    if of.removal == Removal::Documents {
        return documents(platform, before).await;
    }
    let Some(up_to) = bound(platform, of, before).await? else { return Ok(None) };
    let mut tx = platform.db.begin().await?;
    match of.removal {
        Removal::WithParts(parts) => {
            tx.exec(Sql::new(parts).bind(before).bind(up_to)).await?;
        }
        Removal::Marked => {
            let sql = Sql::new(
                "INSERT INTO retention_marks (tbl, before_at) VALUES (?, ?) ON CONFLICT (tbl) DO UPDATE
                 SET before_at = excluded.before_at WHERE excluded.before_at > retention_marks.before_at",
            );
            tx.exec(sql.bind(of.table).bind(before)).await?;
        }
        Removal::Records | Removal::Documents => {}
    }
    let sql = Sql::new("DELETE FROM ").push(of.table).push(" WHERE ").push(of.age).push(" < ").bind(before);
    let removed = tx.exec(sql.push(" AND ").push(of.age).push(" <= ").bind(up_to)).await?;
    tx.commit().await?;
    Ok(Some(removed))
}

/// The newest time in the next batch; `None` if nothing is due.
async fn bound(platform: &Platform, of: &RetentionRule, before: Time) -> DbResult<Option<i64>> {
    let sql = Sql::new("SELECT max(r.at) FROM (SELECT ").push(of.age).push(" AS at FROM ").push(of.table);
    let sql = sql.push(" WHERE ").push(of.age).push(" < ").bind(before);
    let sql = sql.push(" ORDER BY ").push(of.age).push(" LIMIT ").bind(BATCH).push(") r");
    Ok((&mut &platform.db).one::<(Option<i64>,)>(sql).await?.0)
}

/// Removes documents of customers who were deactivated before this time. Files are removed first, because the next run finds a
/// record without its file, but not a file without its record.
async fn documents(platform: &Platform, before: Time) -> Result<Option<u64>> {
    let sql = Sql::new(
        "SELECT d.id, d.file FROM users u JOIN verification_documents d ON d.user_id = u.id WHERE u.deactivated_at < ? LIMIT ?",
    );
    let due: Vec<(DocumentId, String)> = (&mut &platform.db).all(sql.bind(before).bind(DOCUMENTS)).await?;
    if due.is_empty() {
        return Ok(None);
    }
    for (_, file) in &due {
        platform.uploads.remove_private(file).await?;
    }
    let ids: Vec<DocumentId> = due.into_iter().map(|(id, _)| id).collect();
    let sql = Sql::new("DELETE FROM verification_documents WHERE id IN ").ids(&ids);
    Ok(Some((&mut &platform.db).exec(sql).await?))
}
