//! The audit trail: actor, time, address and changed fields. The only module that writes it, always in the transaction of the
//! change, and never with secrets. The sealer seals the entries in a hash chain soon after, outside of requests.

pub mod change;
mod keys;
pub mod restore;
pub mod seal;
pub mod verify;

pub use keys::retire;

use panel_contract::ids::{AuditId, RecordId};
use panel_kernel::error::Result;
use serde_json::json;

use crate::audit::change::AuditChange;
use crate::audit::restore::{Snapshot, Undoable};
use crate::db::{Source, Val};
use crate::sql;
use crate::work::UnitOfWork;

/// Records one change, such as `("order.canceled", "order", …)`.
pub async fn record(work: &mut UnitOfWork, event: &str, kind: &str, change: AuditChange) -> Result<()> {
    record_all(work, event, kind, vec![change]).await
}

/// Records many changes of one kind in one statement.
pub async fn record_all(
    work: &mut UnitOfWork,
    event: &str,
    kind: &str,
    changes: Vec<AuditChange>,
) -> Result<()> {
    insert(work, event, kind, changes.into_iter().map(|change| (change, None)).collect()).await
}

/// Records changes that can be undone: those with a former state in `before`. Call it after the last write of the action, because it
/// reads the state that an undo must find.
pub async fn record_undoable(
    work: &mut UnitOfWork,
    event: &str,
    undoable: &Undoable,
    before: &Snapshot,
    changes: Vec<AuditChange>,
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

/// Records undone changes under `event` with the suffix `.undone`, each with the id of the undone audit entry. An undo cannot be
/// undone.
pub async fn record_undone(
    work: &mut UnitOfWork,
    event: &str,
    kind: &str,
    changes: Vec<(AuditId, AuditChange)>,
) -> Result<()> {
    let changes = changes.into_iter().map(|(entry, change)| (change, Some(restore::undoes(entry))));
    insert(work, &format!("{event}.undone"), kind, changes.collect()).await
}

/// Inserts each change with the data that its undo needs.
async fn insert(
    work: &mut UnitOfWork,
    event: &str,
    kind: &str,
    changes: Vec<(AuditChange, Option<String>)>,
) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let (changes, restores): (Vec<AuditChange>, Vec<Option<String>>) = changes.into_iter().unzip();
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
