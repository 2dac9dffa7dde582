//! The audit trail: actor, time, address and changed fields of each change. This module is the only one that writes it, always in
//! the transaction of the change, and never with secrets. The sealer adds the entries to a hash chain soon after, outside of
//! requests.

pub mod change;
mod keys;
pub mod restore;
pub mod seal;
pub mod verify;

pub use keys::retire_former_key;

use panel_contract::ids::{AuditId, RecordId};
use panel_kernel::error::Result;
use serde_json::json;

use crate::audit::change::AuditChange;
use crate::audit::restore::{Snapshot, UndoableKind};
use crate::db::{SqlExecutor, Val};
use crate::sql;
use crate::work::UnitOfWork;

/// Records one change; `event` is a name such as `order.canceled`, and `kind` the kind of the changed record, such as `order`.
pub async fn record(work: &mut UnitOfWork, event: &str, kind: &str, change: AuditChange) -> Result<()> {
    record_all(work, event, kind, vec![change]).await
}

/// Records changes of several records of one kind by one statement.
pub async fn record_all(
    work: &mut UnitOfWork,
    event: &str,
    kind: &str,
    changes: Vec<AuditChange>,
) -> Result<()> {
    insert(work, event, kind, changes.into_iter().map(|change| (change, None)).collect()).await
}

/// Records changes; staff can undo those whose former state is in `before`. The caller has finished all writes of the action,
/// because this function also reads the state that an undo must find unchanged.
pub async fn record_undoable(
    work: &mut UnitOfWork,
    event: &str,
    undoable: &UndoableKind,
    before: &Snapshot,
    changes: Vec<AuditChange>,
) -> Result<()> {
    let after = Snapshot::take(work, undoable, &before.ids()).await?;
    let build_undo_data = |id: RecordId| {
        let (before, after) = (before.find(id)?, after.find(id)?);
        Some(
            json!({ "permission": before.permission, "before": before.state, "after": after.state })
                .to_string(),
        )
    };
    let changes: Vec<_> = changes
        .into_iter()
        .map(|change| {
            let undo_data = build_undo_data(change.id);
            (change, undo_data)
        })
        .collect();
    let undoable_count = changes.iter().filter(|(_, undo_data)| undo_data.is_some()).count();
    work.undoable_count += i64::try_from(undoable_count).unwrap_or(0);
    insert(work, event, undoable.kind, changes).await
}

/// Records the undo of changes under `event` with the suffix `.undone`, each with the id of the undone audit entry. Staff cannot
/// undo an undo.
pub async fn record_undone(
    work: &mut UnitOfWork,
    event: &str,
    kind: &str,
    changes: Vec<(AuditId, AuditChange)>,
) -> Result<()> {
    let changes = changes.into_iter().map(|(entry, change)| (change, Some(restore::undo_reference(entry))));
    insert(work, &format!("{event}.undone"), kind, changes.collect()).await
}

/// Inserts each change with the data that its undo needs, which the column `restores` stores.
async fn insert(
    work: &mut UnitOfWork,
    event: &str,
    kind: &str,
    changes: Vec<(AuditChange, Option<String>)>,
) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let (changes, undo_data): (Vec<AuditChange>, Vec<Option<String>>) = changes.into_iter().unzip();
    work.publish_audited(event, &changes).await?;
    let (now, actor) = (work.now.0, work.audited_actor());
    let meta = work.scope().meta.clone();
    let rows = changes.into_iter().zip(undo_data).map(|(change, undo_data)| {
        vec![
            Val::from(change.id),
            Val::from(change.old.to_string()),
            Val::from(change.new.to_string()),
            Val::from(undo_data),
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
    work.execute(sql).await?;
    Ok(())
}
