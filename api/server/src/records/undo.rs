//! Undoes the archiving, restoring, enabling and disabling of a record. Each kind of record declares the fields that an undo writes
//! back, and the fields that must not have changed since, because the action checked them.

use std::collections::BTreeMap;

use panel_contract::change_logs::ChangeAction;
use panel_contract::ids::{Id, RecordId, ServiceId};
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::Value;

use crate::records::archivable_kinds::{self, IS_ENABLED, NAME};
use crate::records::change_log::{self, ChangedRecord};
use crate::records::references;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::audit::restore::{
    FieldType, RecordState, Snapshot, UndoField, UndoRole, UndoableChange, UndoableKind,
};
use panel_platform::db::{Sql, SqlExecutor as _};
use panel_platform::work::UnitOfWork;

/// Kinds that can be enabled and disabled but not archived. `archivable_kinds` declares the others.
static SWITCHABLE_KINDS: &[UndoableKind] = &[
    UndoableKind {
        kind: "payment_method",
        table: "payment_methods",
        noun: "payment method",
        fields: &[IS_ENABLED, NAME],
    },
    UndoableKind {
        kind: "webhook",
        table: "webhooks",
        noun: "webhook",
        fields: &[
            UndoField::restored("is_active", "t.is_active", FieldType::Flag),
            UndoField::restored("auto_disabled", "t.auto_disabled", FieldType::Text),
            // Webhook deliveries change these.
            UndoField {
                name: "failing_since",
                sql: "t.failing_since",
                role: UndoRole::Overwritten(FieldType::Int),
            },
            UndoField {
                name: "paused_until",
                sql: "t.paused_until",
                role: UndoRole::Overwritten(FieldType::Int),
            },
        ],
    },
];

/// Every kind whose archiving, enabling or disabling can be undone.
fn undoable_kinds() -> impl Iterator<Item = &'static UndoableKind> {
    archivable_kinds::ALL.iter().map(|archivable| &archivable.undoable).chain(SWITCHABLE_KINDS)
}

/// Finds a kind by its name in the audit trail.
#[must_use]
pub fn find(kind: &str) -> Option<&'static UndoableKind> {
    undoable_kinds().find(|undoable| undoable.kind == kind)
}

/// Reads the fields that an undo needs, before the current request changes the record. The snapshot also holds the permission that
/// the endpoint requires.
pub async fn take_snapshot(work: &mut UnitOfWork, kind: &str, id: impl Id) -> Result<Snapshot> {
    match find(kind) {
        Some(undoable) => Snapshot::take_before_request(work, undoable, id).await,
        None => Ok(Snapshot::default()),
    }
}

/// Writes the audit entries of changes. Staff can undo the changes if the kind has an undo and `snapshot` holds the former state.
pub async fn record_changes(
    work: &mut UnitOfWork,
    event: &str,
    kind: &str,
    snapshot: &Snapshot,
    changes: Vec<AuditChange>,
) -> Result<()> {
    match find(kind) {
        Some(undoable) => audit::record_undoable(work, event, undoable, snapshot, changes).await,
        None => audit::record_all(work, event, kind, changes).await,
    }
}

/// Returns the names of the undoable kinds in the audit trail.
pub fn kind_names() -> impl Iterator<Item = &'static str> {
    undoable_kinds().map(|undoable| undoable.kind)
}

/// Returns a rejection for each record that the undo would archive although another record refers to it by now. The undo of a
/// restore archives the record again. Checks the records one by one, because a request archives or restores a single record.
pub async fn find_conflicts(
    work: &mut UnitOfWork,
    undoable: &UndoableKind,
    recorded_changes: &[&UndoableChange],
) -> Result<BTreeMap<RecordId, Rejection>> {
    let mut conflicts = BTreeMap::new();
    let Some(rules) = archivable_kinds::find(undoable.kind).and_then(|archivable| archivable.references)
    else {
        return Ok(conflicts);
    };
    for change in
        recorded_changes.iter().filter(|change| read_flag(&change.before, "is_archived") == Some(true))
    {
        match references::reject_if_used(work, rules, change.id).await {
            Ok(()) => {}
            Err(Error::Rejected(rejection)) => {
                conflicts.insert(change.id, Rejection::conflict("undo_conflict", rejection.message));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(conflicts)
}

/// Reads a flag of a recorded state; `None` if the state has no such field. SQLite stores flags as numbers.
fn read_flag(state: &RecordState, name: &str) -> Option<bool> {
    state.get(name).map(|value| *value == Value::Bool(true) || *value == 1)
}

/// Writes the change log of records that were undone. Kinds without a change log are skipped.
pub async fn record_in_change_log(
    work: &mut UnitOfWork,
    undoable: &UndoableKind,
    undone_changes: &[&UndoableChange],
) -> Result<()> {
    let Ok(model) = undoable.kind.parse() else { return Ok(()) };
    let changes = undone_changes.iter().filter_map(|change| {
        let (old, new) = undoable.difference(&change.after, &change.before);
        let name = change.before.get("name").and_then(Value::as_str)?;
        Some((ChangedRecord { action: undo_action(&new), model, id: change.id, name }, old, new))
    });
    let changes: Vec<_> = changes.collect();
    let borrowed_changes: Vec<_> = changes.iter().map(|(record, old, new)| (*record, old, new)).collect();
    change_log::write_entries(work, &borrowed_changes).await
}

/// Returns the action that the change log shows for an undo; `new` holds the values that the undo writes back.
fn undo_action(new: &Value) -> ChangeAction {
    let written_flag = |name: &str| new.as_object().and_then(|fields| read_flag(fields, name));
    match (written_flag("is_archived"), written_flag("is_enabled")) {
        (Some(true), _) => ChangeAction::Archived,
        (Some(false), _) => ChangeAction::Unarchived,
        (None, Some(true)) => ChangeAction::Enabled,
        (None, Some(false)) => ChangeAction::Disabled,
        (None, None) => ChangeAction::Updated,
    }
}

// Store

/// Locks the services that the given records require, so that no request archives one of these services while an undo restores the
/// records. The caller has locked the records.
pub async fn lock_services(work: &mut UnitOfWork, kind: &str, ids: &[RecordId]) -> Result<()> {
    let Some(services) = archivable_kinds::find(kind).and_then(|archivable| archivable.required_services)
    else {
        return Ok(());
    };
    let sql =
        Sql::new("SELECT id FROM services WHERE id IN (").append(Sql::new(services.select_sql).ids(ids));
    work.fetch_all::<(ServiceId,)>(sql.push(") ORDER BY id").for_share()).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_change_log_shows_the_action_of_the_undo() {
        assert_eq!(undo_action(&json!({ "is_archived": 1, "is_enabled": 0 })), ChangeAction::Archived);
        assert_eq!(undo_action(&json!({ "is_archived": false })), ChangeAction::Unarchived);
        assert_eq!(undo_action(&json!({ "is_enabled": true })), ChangeAction::Enabled);
    }

    #[test]
    fn the_first_field_of_every_kind_is_a_restored_flag() {
        for undoable in undoable_kinds() {
            assert!(
                matches!(undoable.fields[0].role, UndoRole::Restored(FieldType::Flag)),
                "{}",
                undoable.kind
            );
            assert!(find(undoable.kind).is_some());
        }
    }
}
