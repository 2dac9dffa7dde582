//! Records end by their age: once a day, in one process, in small batches that each read an index from its old end.
//!
//! What is removed is declared in [`declared`]; the bounds of a batch are two moments, so a batch that is run twice, or by two
//! processes, removes nothing that is not due. A run that ends early is taken up by another process. Each table with removed
//! records gets one audit entry a run. It never touches money or the audit trail.

pub mod declared;

use std::time::Duration;

use panel_contract::ids::{DocumentId, RecordId};
use panel_contract::moment::Time;
use panel_kernel::error::Result;
use serde_json::json;

use crate::app::App;
use crate::auth;
use crate::background::retention::declared::{Keep, RETAINED, Removal, Retained};
use crate::configuration::webhooks;
use crate::metrics::RETENTION_REMOVED;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::lease::named::{NamedLease, next_utc_day};
use panel_platform::platform::Platform;
use panel_platform::poller::Poller;
use panel_platform::poller::worked::Worked;
use panel_platform::scope::Scope;
use panel_platform::settings;

/// Records of one batch; a few more where several have the same moment.
const BATCH: i64 = 500;
/// Documents of one batch: each has a file.
const DOCUMENTS: i64 = 50;
const DAY_MICROS: i64 = 86_400_000_000;
/// Between two looks whether the daily run is due.
const EVERY: Duration = Duration::from_secs(60);
/// The lease of the daily run.
const LEASE: &str = "retention";

/// Asks whether the daily run is due.
#[must_use]
pub fn poller() -> Poller<App> {
    Poller::task("retention", EVERY, |app: App| async move {
        run_daily(&app).await?;
        Ok(Worked::default())
    })
}

/// Removes what is due, where no other process did so today.
pub async fn run_daily(platform: &Platform) -> Result<()> {
    let Some(mut lease) = NamedLease::take(platform, LEASE).await? else { return Ok(()) };
    if remove_due(platform, Some(&mut lease)).await? {
        lease.release(platform, next_utc_day(platform.clock.now())).await?;
    }
    Ok(())
}

/// Removes everything that is due; false where the process ends, or another took the run over.
pub async fn remove_due(platform: &Platform, mut lease: Option<&mut NamedLease>) -> Result<bool> {
    let now = platform.clock.now();
    for of in RETAINED {
        let Some(days) = days(platform, of.keep).await? else { continue };
        let before = Time(now.0 - days * DAY_MICROS);
        let mut removed = 0;
        let is_done = loop {
            let Some(batch) = batch(platform, of, before).await? else { break true };
            removed += batch;
            if !goes_on(platform, lease.as_deref_mut()).await? {
                break false;
            }
        };
        note(platform, of.table, days, removed).await?;
        if !is_done {
            return Ok(false);
        }
    }
    loop {
        let ended = auth::store::forget_ended(&mut &platform.db, now).await?;
        if ended == 0 {
            break;
        }
        tracing::debug!(ended, "removed sessions that had ended");
        if !goes_on(platform, lease.as_deref_mut()).await? {
            return Ok(false);
        }
    }
    while let Some(removed) = webhooks::outbox::remove_orphans(&platform.db).await? {
        tracing::debug!(removed, "removed deliveries of webhooks that were deleted");
        if !goes_on(platform, lease.as_deref_mut()).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether another batch may begin: the run is still this process's, and the process does not end.
async fn goes_on(platform: &Platform, lease: Option<&mut NamedLease>) -> Result<bool> {
    let is_ours = match lease {
        Some(lease) => lease.renew(platform).await?,
        None => true,
    };
    Ok(is_ours && !*platform.stop.borrow())
}

/// How many days records are kept; none for ever.
async fn days(platform: &Platform, keep: Keep) -> Result<Option<i64>> {
    Ok(match keep {
        Keep::Days(days) => Some(days),
        Keep::Webhooks => Some(i64::from(platform.config.webhooks.keep_days)),
        Keep::Setting(key) => {
            settings::value(&mut &platform.db, key).await?.as_i64().filter(|days| *days > 0)
        }
    })
}

/// Says in log, metrics and audit trail what was removed of a table.
async fn note(platform: &Platform, table: &'static str, days: i64, removed: u64) -> Result<()> {
    if removed == 0 {
        return Ok(());
    }
    RETENTION_REMOVED.with([table]).increment(removed);
    tracing::info!(table, days, removed, "removed expired records");
    let mut work = Scope::system(platform, "retention").begin().await?;
    let new = json!({ "table": table, "kept_days": days, "records": removed });
    let change = Change { id: RecordId::NONE, old: json!({}), new };
    audit::record(&mut work, "retention.removed", "retention", change).await?;
    work.finish(()).await
}

/// Removes one batch; none where nothing is due any more.
async fn batch(platform: &Platform, of: &Retained, before: Time) -> Result<Option<u64>> {
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

/// The youngest moment of the next batch; none where nothing is due.
async fn bound(platform: &Platform, of: &Retained, before: Time) -> DbResult<Option<i64>> {
    let sql = Sql::new("SELECT max(r.at) FROM (SELECT ").push(of.age).push(" AS at FROM ").push(of.table);
    let sql = sql.push(" WHERE ").push(of.age).push(" < ").bind(before);
    let sql = sql.push(" ORDER BY ").push(of.age).push(" LIMIT ").bind(BATCH).push(") r");
    Ok((&mut &platform.db).one::<(Option<i64>,)>(sql).await?.0)
}

/// Documents of customers who left before this moment: the files first, as a record without its file is found again, and a
/// file without its record is not.
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
