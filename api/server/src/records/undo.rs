//! Undo of archiving, restoring, enabling and disabling a record: which fields of each kind are written back, and which must be
//! unchanged so that the rules of the action also hold for its undo.

use std::collections::BTreeMap;

use panel_contract::change_logs::ChangeAction;
use panel_contract::ids::{Id, RecordId, ServiceId};
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::Value;

use crate::records::archivables::{self, ENABLED, NAME};
use crate::records::change_log::{self, ChangedRecord};
use crate::records::uses;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::audit::restore::{Cell, Field, Role, Snapshot, State, Undoable, Undone};
use panel_platform::db::{Source as _, Sql};
use panel_platform::work::UnitOfWork;

/// Kinds that are only enabled or disabled. `archivables` declares those that can be archived.
static SWITCHABLE: &[Undoable] = &[
    Undoable {
        kind: "payment_method",
        table: "payment_methods",
        noun: "payment method",
        fields: &[ENABLED, NAME],
    },
    Undoable {
        kind: "webhook",
        table: "webhooks",
        noun: "webhook",
        fields: &[
            Field::restored("is_active", "t.is_active", Cell::Flag),
            Field::restored("switched_off", "t.switched_off", Cell::Text),
            // Webhook deliveries change these.
            Field { name: "failing_since", sql: "t.failing_since", role: Role::Overwritten(Cell::Int) },
            Field { name: "paused_until", sql: "t.paused_until", role: Role::Overwritten(Cell::Int) },
        ],
    },
];

/// Every kind whose archiving, enabling or disabling can be undone.
fn all() -> impl Iterator<Item = &'static Undoable> {
    archivables::ALL.iter().map(|archivable| &archivable.undoable).chain(SWITCHABLE)
}

/// Finds a kind by its name in the audit trail.
#[must_use]
pub fn find(kind: &str) -> Option<&'static Undoable> {
    all().find(|undoable| undoable.kind == kind)
}

/// The state of a record before this request changes it. The snapshot carries the permission that opened the endpoint.
pub async fn before(work: &mut UnitOfWork, kind: &str, id: impl Id) -> Result<Snapshot> {
    match find(kind) {
        Some(undoable) => Snapshot::of_call(work, undoable, id).await,
        None => Ok(Snapshot::default()),
    }
}

/// Writes the audit entries of changes. They can be undone if `before` holds the former state.
pub async fn record(
    work: &mut UnitOfWork,
    event: &str,
    kind: &str,
    before: &Snapshot,
    changes: Vec<AuditChange>,
) -> Result<()> {
    match find(kind) {
        Some(undoable) => audit::record_undoable(work, event, undoable, before, changes).await,
        None => audit::record_all(work, event, kind, changes).await,
    }
}

/// The kinds, as the audit trail names them.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    all().map(|undoable| undoable.kind)
}

/// Undoing a restore archives the records again. Returns a rejection for each record that something uses meanwhile. One request
/// archives or restores one record.
pub async fn find_conflicts(
    work: &mut UnitOfWork,
    undoable: &Undoable,
    recorded: &[&Undone],
) -> Result<BTreeMap<RecordId, Rejection>> {
    let mut conflicts = BTreeMap::new();
    let Some(uses) = archivables::find(undoable.kind).and_then(|archivable| archivable.uses) else {
        return Ok(conflicts);
    };
    for one in recorded.iter().filter(|one| is_set(&one.before, "is_archived") == Some(true)) {
        match uses::refuse_if_used(work, uses, one.id).await {
            Ok(()) => {}
            Err(Error::Rejected(rejection)) => {
                conflicts.insert(one.id, Rejection::conflict("undo_conflict", rejection.message));
            }
            Err(other) => return Err(other),
        }
    }
    Ok(conflicts)
}

/// Reads a flag of a state. SQLite stores flags as numbers.
fn is_set(state: &State, name: &str) -> Option<bool> {
    state.get(name).map(|value| *value == Value::Bool(true) || *value == 1)
}

/// Writes the change log of records that were undone. Kinds without a change log are skipped.
pub async fn record_in_change_log(
    work: &mut UnitOfWork,
    undoable: &Undoable,
    undone: &[&Undone],
) -> Result<()> {
    let Ok(model) = undoable.kind.parse() else { return Ok(()) };
    let lines = undone.iter().filter_map(|one| {
        let (old, new) = undoable.difference(&one.after, &one.before);
        let name = one.before.get("name").and_then(Value::as_str)?;
        Some((ChangedRecord { action: action(&new), model, id: one.id, name }, old, new))
    });
    let lines: Vec<_> = lines.collect();
    let lines: Vec<_> = lines.iter().map(|(changed, old, new)| (*changed, old, new)).collect();
    change_log::record_all(work, &lines).await
}

/// The action that the values written back amount to.
fn action(new: &Value) -> ChangeAction {
    let flag = |name: &str| new.as_object().and_then(|new| is_set(new, name));
    match (flag("is_archived"), flag("is_enabled")) {
        (Some(true), _) => ChangeAction::Archived,
        (Some(false), _) => ChangeAction::Unarchived,
        (None, Some(true)) => ChangeAction::Enabled,
        (None, Some(false)) => ChangeAction::Disabled,
        (None, None) => ChangeAction::Updated,
    }
}

// Store

/// Locks the services of locked records, so that none is archived while the record is restored.
pub async fn lock_services(work: &mut UnitOfWork, kind: &str, ids: &[RecordId]) -> Result<()> {
    let Some(services) = archivables::find(kind).and_then(|archivable| archivable.services) else {
        return Ok(());
    };
    let services =
        Sql::new("SELECT id FROM services WHERE id IN (").append(Sql::new(services.select).ids(ids));
    work.all::<(ServiceId,)>(services.push(") ORDER BY id").for_share()).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_change_log_names_the_action_of_the_undo() {
        assert_eq!(action(&json!({ "is_archived": 1, "is_enabled": 0 })), ChangeAction::Archived);
        assert_eq!(action(&json!({ "is_archived": false })), ChangeAction::Unarchived);
        assert_eq!(action(&json!({ "is_enabled": true })), ChangeAction::Enabled);
    }

    #[test]
    fn the_first_field_of_every_kind_is_a_restored_flag() {
        for undoable in all() {
            assert!(matches!(undoable.fields[0].role, Role::Restored(Cell::Flag)), "{}", undoable.kind);
            assert!(find(undoable.kind).is_some());
        }
    }
}
