//! Reads the state of a record before and after an action that staff can undo, and restores the former state. This module knows
//! only tables and columns: the module `undo` of the server decides whether an undo is allowed and what else it changes.

use std::collections::BTreeMap;

use panel_contract::endpoint::AccessRule;
use panel_contract::ids::{AuditId, Id, RecordId};
use panel_contract::permission::Permission;
use panel_kernel::error::{Error, Result};
use serde_json::{Map, Value};

use crate::db::{Sql, SqlExecutor, Val};
use crate::work::UnitOfWork;

/// The fields of a record at one time, by name.
pub type RecordState = Map<String, Value>;

/// The type of the column into which an undo writes a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldType {
    Text,
    Int,
    Flag,
}

/// What an undo does with a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoRole {
    /// The undo restores the field, and is rejected if its value has changed since the action.
    Restored(FieldType),
    /// The undo restores the field even if its value has changed, because workers change it by themselves.
    Overwritten(FieldType),
    /// The undo does not write the field, and is rejected if its value has changed since the action.
    Guard,
    /// The undo neither writes nor compares the field; the module `undo` uses it for other changes of the undo.
    RecordedOnly,
}

/// A field of a record's state: a column or, if the undo does not write it, any expression over the record `t`.
#[derive(Debug, Clone, Copy)]
pub struct UndoField {
    pub name: &'static str,
    /// The expression that reads the field from the record `t`.
    pub sql: &'static str,
    pub role: UndoRole,
}

impl UndoField {
    /// Declares a column with the role [`UndoRole::Restored`].
    #[must_use]
    pub const fn restored(name: &'static str, sql: &'static str, field_type: FieldType) -> Self {
        Self { name, sql, role: UndoRole::Restored(field_type) }
    }

    /// Declares an expression with the role [`UndoRole::Guard`].
    #[must_use]
    pub const fn guard(name: &'static str, sql: &'static str) -> Self {
        Self { name, sql, role: UndoRole::Guard }
    }

    const fn column_type(&self) -> Option<FieldType> {
        match self.role {
            UndoRole::Restored(field_type) | UndoRole::Overwritten(field_type) => Some(field_type),
            UndoRole::Guard | UndoRole::RecordedOnly => None,
        }
    }

    const fn is_compared(&self) -> bool {
        matches!(self.role, UndoRole::Restored(_) | UndoRole::Guard)
    }
}

/// A kind of record whose changes staff can undo.
#[derive(Debug)]
pub struct UndoableKind {
    /// The kind in the audit trail, such as `order`.
    pub kind: &'static str,
    /// The table must have the columns `id` and `updated_at`.
    pub table: &'static str,
    /// English noun for one record in error messages.
    pub noun: &'static str,
    /// The first field must have the role [`UndoRole::Restored`] and must never be NULL: the undo writes on condition that it is
    /// unchanged.
    pub fields: &'static [UndoField],
}

impl UndoableKind {
    /// Whether a record in the state `current` has not changed since the action, which left it in the state `after`.
    #[must_use]
    pub fn is_unchanged(&self, after: &RecordState, current: &RecordState) -> bool {
        self.fields
            .iter()
            .filter(|field| field.is_compared())
            .all(|field| after.get(field.name) == current.get(field.name))
    }

    /// Returns what an undo changes, for the audit trail: the values before the undo, and the restored values.
    #[must_use]
    pub fn difference(&self, current: &RecordState, before: &RecordState) -> (Value, Value) {
        let (mut old, mut new) = (RecordState::new(), RecordState::new());
        for field in self.fields.iter().filter(|field| field.column_type().is_some()) {
            let value_in = |state: &RecordState| state.get(field.name).cloned().unwrap_or(Value::Null);
            if value_in(current) != value_in(before) {
                old.insert(field.name.to_owned(), value_in(current));
                new.insert(field.name.to_owned(), value_in(before));
            }
        }
        (old.into(), new.into())
    }
}

/// The states of several records, read in the transaction that changes them.
#[derive(Debug, Default)]
pub struct Snapshot {
    permission: Option<Permission>,
    states: BTreeMap<RecordId, RecordState>,
}

/// The state of one record in a snapshot, with the permission that the action needed.
pub(super) struct SnapshotState<'a> {
    pub(super) permission: Option<Permission>,
    pub(super) state: &'a RecordState,
}

impl Snapshot {
    /// Reads the states of the records `ids`.
    pub async fn take(work: &mut UnitOfWork, undoable: &UndoableKind, ids: &[impl Id]) -> Result<Self> {
        if ids.is_empty() {
            return Ok(Self::default());
        }
        let fields = undoable.fields.iter().map(|field| (field.name, field.sql)).collect();
        let sql = Sql::new("SELECT t.id, ").json_object(fields).push(" AS state FROM ").push(undoable.table);
        let rows: Vec<(RecordId, String)> = work.fetch_all(sql.push(" t WHERE t.id IN ").ids(ids)).await?;
        let states =
            rows.into_iter().map(|(id, state)| Ok((id, parse_object(&state)?))).collect::<Result<_>>()?;
        Ok(Self { permission: None, states })
    }

    /// As [`Snapshot::take`], before an action; the undo of the action will need `permission`. Empty for actions of the system,
    /// which staff cannot undo.
    pub async fn take_before(
        work: &mut UnitOfWork,
        undoable: &UndoableKind,
        permission: Permission,
        ids: &[impl Id],
    ) -> Result<Self> {
        if work.actor().is_none() {
            return Ok(Self::default());
        }
        Ok(Self { permission: Some(permission), ..Self::take(work, undoable, ids).await? })
    }

    /// As [`Snapshot::take_before`], with the permission that the endpoint of this request needs.
    pub async fn take_before_request(
        work: &mut UnitOfWork,
        undoable: &UndoableKind,
        id: impl Id,
    ) -> Result<Self> {
        match work.scope().meta.op.map_or(AccessRule::Public, |op| op.access_rule) {
            AccessRule::AnyOf([permission, ..]) => {
                Self::take_before(work, undoable, *permission, &[id]).await
            }
            _ => Ok(Self::default()),
        }
    }

    #[must_use]
    pub fn state(&self, id: RecordId) -> Option<&RecordState> {
        self.states.get(&id)
    }

    pub(super) fn ids(&self) -> Vec<RecordId> {
        self.states.keys().copied().collect()
    }

    pub(super) fn find(&self, id: RecordId) -> Option<SnapshotState<'_>> {
        Some(SnapshotState { permission: self.permission, state: self.states.get(&id)? })
    }
}

fn parse_object(text: &str) -> Result<RecordState> {
    serde_json::from_str(text).map_err(|error| Error::Internal(error.to_string()))
}

/// A change of a request that staff can undo.
#[derive(Debug, Clone)]
pub struct UndoableChange {
    /// The id of the audit entry.
    pub entry: AuditId,
    /// The id of the changed record.
    pub id: RecordId,
    /// The event of the audit entry, such as `order.canceled`.
    pub event: String,
    /// The kind of the changed record, such as `order`.
    pub kind: String,
    /// The permission that the undo needs, the same as that of the action; `None` if every staff member may undo it.
    pub permission: Option<Permission>,
    /// The state before the action, which the undo restores.
    pub before: RecordState,
    /// The state after the action, which the undo must find unchanged.
    pub after: RecordState,
    /// Whether the change has been undone already, or a later change of the record must be undone first.
    pub is_superseded: bool,
}

/// Loads the changes of a request that staff can undo, in the order of the changes, at most `limit`. Staff undo requests in
/// reverse order, so a later change that has been undone does not supersede an earlier one.
pub async fn load_undoable_changes(
    db: &mut impl SqlExecutor,
    request_id: &str,
    limit: i64,
) -> Result<Vec<UndoableChange>> {
    let sql = Sql::new(
        "SELECT a.id, a.auditable_id, a.event, a.auditable_type, a.restores, EXISTS (SELECT 1 FROM audits b WHERE b.auditable_type = a.auditable_type
           AND b.auditable_id = a.auditable_id AND b.id > a.id AND b.restores IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM audits c WHERE c.auditable_type = b.auditable_type AND c.auditable_id = b.auditable_id AND c.id > a.id
             AND (c.restores = '{\"undoes\":' || b.id || '}' OR b.restores = '{\"undoes\":' || c.id || '}'))) AS is_superseded
         FROM audits a WHERE a.request_id = ? AND a.restores IS NOT NULL AND a.restores NOT LIKE '{\"undoes\":%' ORDER BY a.id LIMIT ?",
    );
    let rows: Vec<(AuditId, RecordId, String, String, String, bool)> =
        db.fetch_all(sql.bind(request_id).bind(limit)).await?;
    rows.into_iter()
        .map(|(entry, id, event, kind, undo_data, is_superseded)| {
            let undo_data = parse_object(&undo_data)?;
            let state =
                |name: &str| undo_data.get(name).and_then(Value::as_object).cloned().unwrap_or_default();
            let permission =
                undo_data.get("permission").and_then(Value::as_str).and_then(|name| name.parse().ok());
            Ok(UndoableChange {
                entry,
                id,
                event,
                kind,
                permission,
                before: state("before"),
                after: state("after"),
                is_superseded,
            })
        })
        .collect()
}

/// The undo data of the audit entry of an undo: the entry that it undoes. [`load_undoable_changes`] searches for this text.
pub(super) fn undo_reference(entry: AuditId) -> String {
    format!("{{\"undoes\":{entry}}}")
}

/// Restores the former states of records, each on condition that the first field of the record has not changed since the action.
pub async fn restore_states(
    work: &mut UnitOfWork,
    undoable: &UndoableKind,
    changes: &[&UndoableChange],
) -> Result<()> {
    let written_fields: Vec<(&'static str, FieldType)> =
        undoable.fields.iter().filter_map(|field| Some((field.name, field.column_type()?))).collect();
    let Some((first_name, first_type)) = written_fields.first().copied() else { return Ok(()) };
    let rows = changes.iter().map(|change| {
        let restored =
            written_fields.iter().map(|(name, field_type)| to_val(*field_type, change.before.get(*name)));
        let expected = to_val(first_type, change.after.get(first_name));
        [Val::from(change.id), expected].into_iter().chain(restored).collect()
    });
    let names: Vec<&'static str> =
        ["id", "expected"].into_iter().chain(written_fields.iter().map(|(name, _)| *name)).collect();
    let now = work.timestamp();
    let mut sql = Sql::new("UPDATE ").push(undoable.table).push(" SET updated_at = ?").bind(now);
    for (name, _) in &written_fields {
        sql = sql.push(", ").push(name).push(" = r.").push(name);
    }
    let sql = sql.push(" FROM ").rows("r", &names, rows.collect()).push(" WHERE ").push(undoable.table);
    let sql =
        sql.push(".id = r.id AND ").push(undoable.table).push(".").push(first_name).push(" = r.expected");
    if usize::try_from(work.execute(sql).await?).ok() == Some(changes.len()) {
        return Ok(());
    }
    Err(Error::conflict(
        "undo_conflict",
        "A record was changed while it was being undone. Reload and try again.",
    ))
}

fn to_val(field_type: FieldType, value: Option<&Value>) -> Val {
    match field_type {
        FieldType::Text => Val::Text(value.and_then(Value::as_str).map(str::to_owned)),
        FieldType::Int => Val::Int(value.and_then(Value::as_i64)),
        // SQLite stores flags as numbers.
        FieldType::Flag => {
            Val::Bool(value.and_then(|value| value.as_bool().or(value.as_i64().map(|flag| flag != 0))))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const RECORD: UndoableKind = UndoableKind {
        kind: "thing",
        table: "things",
        noun: "thing",
        fields: &[
            UndoField::restored("status", "t.status", FieldType::Text),
            UndoField { name: "due_at", sql: "t.due_at", role: UndoRole::Overwritten(FieldType::Int) },
            UndoField::guard("sent", "(t.sent > 0)"),
            UndoField { name: "last", sql: "t.last", role: UndoRole::RecordedOnly },
        ],
    };

    fn state(value: &Value) -> RecordState {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn only_changes_of_compared_fields_prevent_an_undo() {
        let after = state(&json!({ "status": "a", "due_at": 5, "sent": 0, "last": 1 }));
        let is_unchanged_with = |field: &str, value: Value| {
            let mut current = after.clone();
            current.insert(field.to_owned(), value);
            RECORD.is_unchanged(&after, &current)
        };
        assert!(is_unchanged_with("due_at", json!(null)) && is_unchanged_with("last", json!(2)));
        assert!(!is_unchanged_with("status", json!("b")) && !is_unchanged_with("sent", json!(1)));
    }

    #[test]
    fn the_audit_entry_of_an_undo_has_only_the_restored_fields() {
        let current = state(&json!({ "status": "b", "due_at": null, "sent": 1 }));
        let before = state(&json!({ "status": "a", "due_at": null, "sent": 0 }));
        assert_eq!(
            RECORD.difference(&current, &before),
            (json!({ "status": "b" }), json!({ "status": "a" }))
        );
    }

    #[test]
    fn reads_flags_of_both_databases() {
        for (stored, flag) in [(json!(1), Some(true)), (json!(false), Some(false)), (json!(null), None)] {
            assert_eq!(to_val(FieldType::Flag, Some(&stored)), Val::Bool(flag));
        }
        assert_eq!(to_val(FieldType::Int, None), Val::Int(None));
    }
}
