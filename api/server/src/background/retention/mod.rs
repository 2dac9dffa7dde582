//! Removes old records once a day, in one process and in small batches. Each batch reads an index from its oldest entry.
//!
//! [`rules`] lists the tables. The bounds of a batch are two times, so a batch that runs twice, or in two processes, removes only
//! expired records. If a run stops early, another process continues it. Each run writes one audit entry per table with removed
//! records. This module must never remove financial records or the audit trail.

pub mod rules;

use std::time::Duration;

use panel_contract::ids::{DocumentId, RecordId};
use panel_contract::moment::Time;
use panel_kernel::error::Result;
use serde_json::json;

use crate::app::App;
use crate::auth;
use crate::background::retention::rules::{RETENTION_RULES, Removal, RetentionPeriod, RetentionRule};
use crate::configuration::webhooks;
use crate::metrics::RETENTION_REMOVED;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{DbResult, Sql, SqlExecutor};
use panel_platform::lease::named::{NamedLease, next_utc_midnight};
use panel_platform::platform::Platform;
use panel_platform::poller::Poller;
use panel_platform::poller::work::WorkSummary;
use panel_platform::scope::Scope;
use panel_platform::settings;

/// Number of records of a batch; a few more if several records have the same time.
const BATCH_SIZE: i64 = 500;
/// Number of documents of a batch. It is smaller, because each document has a file.
const DOCUMENT_BATCH_SIZE: i64 = 50;
const DAY_MICROS: i64 = 86_400_000_000;
/// Interval between two checks whether the daily run is due.
const POLL_INTERVAL: Duration = Duration::from_secs(60);
const LEASE_NAME: &str = "retention";

/// Starts the daily run when it is due.
#[must_use]
pub fn poller() -> Poller<App> {
    Poller::task("retention", POLL_INTERVAL, |app: App| async move {
        run_daily(&app).await?;
        Ok(WorkSummary::default())
    })
}

/// Removes expired records, unless another process has already done so today.
pub async fn run_daily(platform: &Platform) -> Result<()> {
    let Some(mut lease) = NamedLease::acquire(platform, LEASE_NAME).await? else { return Ok(()) };
    if remove_expired_records(platform, Some(&mut lease)).await? {
        lease.release(platform, next_utc_midnight(platform.clock.now())).await?;
    }
    Ok(())
}

/// Removes all expired records. Returns false if the process is stopping or another process took over the run.
pub async fn remove_expired_records(platform: &Platform, mut lease: Option<&mut NamedLease>) -> Result<bool> {
    let now = platform.clock.now();
    for rule in RETENTION_RULES {
        let Some(days) = load_retention_days(platform, rule.period).await? else { continue };
        let cutoff = Time(now.0 - days * DAY_MICROS);
        let mut removed_count = 0;
        let is_done = loop {
            let Some(batch_count) = remove_batch(platform, rule, cutoff).await? else { break true };
            removed_count += batch_count;
            if !can_continue(platform, lease.as_deref_mut()).await? {
                break false;
            }
        };
        record_removal(platform, rule.table, days, removed_count).await?;
        if !is_done {
            return Ok(false);
        }
    }
    loop {
        let deleted_count = auth::store::delete_expired_sessions(&mut &platform.db, now).await?;
        if deleted_count == 0 {
            break;
        }
        tracing::debug!(deleted_count, "deleted ended sessions");
        if !can_continue(platform, lease.as_deref_mut()).await? {
            return Ok(false);
        }
    }
    while let Some(removed_count) = webhooks::outbox::remove_orphans(&platform.db).await? {
        tracing::debug!(removed_count, "removed deliveries of deleted webhooks");
        if !can_continue(platform, lease.as_deref_mut()).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether another batch may start: this process still holds the lease and is not stopping.
async fn can_continue(platform: &Platform, lease: Option<&mut NamedLease>) -> Result<bool> {
    let holds_lease = match lease {
        Some(lease) => lease.renew(platform).await?,
        None => true,
    };
    Ok(holds_lease && !*platform.stop.borrow())
}

/// Number of days after which records are removed; `None` if they are never removed.
async fn load_retention_days(platform: &Platform, period: RetentionPeriod) -> Result<Option<i64>> {
    Ok(match period {
        RetentionPeriod::Days(days) => Some(days),
        RetentionPeriod::Webhooks => Some(i64::from(platform.config.webhooks.keep_days)),
        RetentionPeriod::Setting(key) => {
            settings::read_or_default(&mut &platform.db, key).await?.as_i64().filter(|days| *days > 0)
        }
    })
}

/// Writes the number of removed records of a table to log, metrics and audit trail.
async fn record_removal(
    platform: &Platform,
    table: &'static str,
    days: i64,
    removed_count: u64,
) -> Result<()> {
    if removed_count == 0 {
        return Ok(());
    }
    RETENTION_REMOVED.with_labels([table]).increment(removed_count);
    tracing::info!(table, days, removed_count, "removed expired records");
    let mut work = Scope::system(platform, "retention").begin().await?;
    let new = json!({ "table": table, "kept_days": days, "records": removed_count });
    let change = AuditChange { id: RecordId::NONE, old: json!({}), new };
    audit::record(&mut work, "retention.removed", "retention", change).await?;
    work.finish(()).await
}

/// Removes one batch, and returns the number of records; `None` if no record is expired.
async fn remove_batch(platform: &Platform, rule: &RetentionRule, cutoff: Time) -> Result<Option<u64>> {
    if rule.removal == Removal::Documents {
        return remove_documents(platform, cutoff).await;
    }
    let Some(batch_end) = load_batch_end(platform, rule, cutoff).await? else { return Ok(None) };
    let mut tx = platform.db.begin().await?;
    match rule.removal {
        Removal::WithReferencing(delete_referencing_sql) => {
            tx.execute(Sql::new(delete_referencing_sql).bind(cutoff).bind(batch_end)).await?;
        }
        Removal::WithCutoff => {
            let sql = Sql::new(
                "INSERT INTO retention_cutoffs (tbl, before_at) VALUES (?, ?) ON CONFLICT (tbl) DO UPDATE
                 SET before_at = excluded.before_at WHERE excluded.before_at > retention_cutoffs.before_at",
            );
            tx.execute(sql.bind(rule.table).bind(cutoff)).await?;
        }
        Removal::Records | Removal::Documents => {}
    }
    let sql = Sql::new("DELETE FROM ")
        .push(rule.table)
        .push(" WHERE ")
        .push(rule.age_column)
        .push(" < ")
        .bind(cutoff);
    let removed_count =
        tx.execute(sql.push(" AND ").push(rule.age_column).push(" <= ").bind(batch_end)).await?;
    tx.commit().await?;
    Ok(Some(removed_count))
}

/// The newest time in the next batch; `None` if no record is expired.
async fn load_batch_end(platform: &Platform, rule: &RetentionRule, cutoff: Time) -> DbResult<Option<i64>> {
    let sql = Sql::new("SELECT max(r.at) FROM (SELECT ")
        .push(rule.age_column)
        .push(" AS at FROM ")
        .push(rule.table);
    let sql = sql.push(" WHERE ").push(rule.age_column).push(" < ").bind(cutoff);
    let sql = sql.push(" ORDER BY ").push(rule.age_column).push(" LIMIT ").bind(BATCH_SIZE).push(") r");
    Ok((&mut &platform.db).fetch_one::<(Option<i64>,)>(sql).await?.0)
}

/// Removes documents of customers who were deactivated before `cutoff`. Deletes the files first: if the run stops in between, the
/// next run finds a record without a file, but could not find a file without a record.
async fn remove_documents(platform: &Platform, cutoff: Time) -> Result<Option<u64>> {
    let sql = Sql::new(
        "SELECT d.id, d.file FROM users u JOIN verification_documents d ON d.user_id = u.id WHERE u.deactivated_at < ? LIMIT ?",
    );
    let documents: Vec<(DocumentId, String)> =
        (&mut &platform.db).fetch_all(sql.bind(cutoff).bind(DOCUMENT_BATCH_SIZE)).await?;
    if documents.is_empty() {
        return Ok(None);
    }
    for (_, file) in &documents {
        platform.uploads.delete_private(file).await?;
    }
    let ids: Vec<DocumentId> = documents.into_iter().map(|(id, _)| id).collect();
    let sql = Sql::new("DELETE FROM verification_documents WHERE id IN ").ids(&ids);
    Ok(Some((&mut &platform.db).execute(sql).await?))
}
