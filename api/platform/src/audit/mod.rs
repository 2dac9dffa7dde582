//! The only place that writes the audit trail: who, when, from where, what changed. Always in the transaction
//! of the change; secrets never. What is written is sealed in a chain soon after, beside the requests.

pub mod change;
mod keys;
pub mod restore;
pub mod seal;
pub mod verify;

pub use keys::retire;

use panel_contract::ids::{AuditId, RecordId};
use panel_kernel::error::Result;
use serde_json::json;

use crate::audit::change::Change;
use crate::audit::restore::{Snapshot, Undoable};
use crate::db::{Source, Val};
use crate::sql;
use crate::work::Work;

/// Records one change, such as `("order.canceled", "order", …)`.
pub async fn record(work: &mut Work, event: &str, kind: &str, change: Change) -> Result<()> {
    record_all(work, event, kind, vec![change]).await
}

/// Records many changes of one kind in one statement.
pub async fn record_all(work: &mut Work, event: &str, kind: &str, changes: Vec<Change>) -> Result<()> {
    insert(work, event, kind, changes.into_iter().map(|change| (change, None)).collect()).await
}

/// Records changes that can be undone: those of which `before` has the former state. Called after the last write of the
/// action, as it reads the state that undoing must find.
pub async fn record_undoable(
    work: &mut Work,
    event: &str,
    undoable: &Undoable,
    before: &Snapshot,
    changes: Vec<Change>,
) -> Result<()> {
    let after = Snapshot::take(work, undoable, &before.ids()).await?;
    let restores = |id: RecordId| {
        let (before, after) = (before.of(id)?, after.of(id)?);
        Some(
            json!({ "permission": before.permission, "before": before.state, "after": after.state })
                .to_string(),
        )
    };
    let changes: Vec<_> = changes.into_iter().map(|change| (restores(change.id), change)).collect();
    work.undoable +=
        i64::try_from(changes.iter().filter(|(restores, _)| restores.is_some()).count()).unwrap_or(0);
    insert(
        work,
        event,
        undoable.kind,
        changes.into_iter().map(|(restores, change)| (change, restores)).collect(),
    )
    .await
}

/// Records that changes were undone, as `event` with `.undone` behind it; each beside the id of the audit entry that it
/// undoes. An undo cannot be undone.
pub async fn record_undone(
    work: &mut Work,
    event: &str,
    kind: &str,
    changes: Vec<(AuditId, Change)>,
) -> Result<()> {
    let changes = changes.into_iter().map(|(entry, change)| (change, Some(restore::undoes(entry))));
    insert(work, &format!("{event}.undone"), kind, changes.collect()).await
}

/// Each change with what undoing it needs.
async fn insert(
    work: &mut Work,
    event: &str,
    kind: &str,
    changes: Vec<(Change, Option<String>)>,
) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let (changes, restores): (Vec<Change>, Vec<Option<String>>) = changes.into_iter().unzip();
    work.publish_audited(event, &changes).await?;
    let (now, actor) = (work.now.0, work.audited_actor());
    let meta = work.scope().meta.clone();
    let rows = changes.into_iter().zip(restores).map(|(change, restores)| {
        vec![
            Val::from(change.id),
            Val::from(change.old.to_string()),
            Val::from(change.new.to_string()),
            Val::from(restores),
        ]
    });
    let sql = sql!(
        "INSERT INTO audits (created_at, user_id, ip_address, user_agent, request_id, event, auditable_type, auditable_id, \
           old_values, new_values, restores)
         SELECT @now, @user_id, @ip_address, @user_agent, @request_id, @event, @auditable_type, r.id, r.old_values, \
           r.new_values, r.restores FROM ",
        {
            now,
            user_id: actor,
            ip_address: meta.ip.to_string(),
            user_agent: meta.user_agent.clone(),
            request_id: meta.request_id.clone(),
            event: event.to_owned(),
            auditable_type: kind.to_owned(),
        },
    )
    .rows("r", &["id", "old_values", "new_values", "restores"], rows.collect());
    work.exec(sql).await?;
    Ok(())
}
