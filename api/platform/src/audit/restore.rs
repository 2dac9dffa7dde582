//! Reads the state of a record before and after an action that can be undone, and restores the former state. It knows tables and
//! columns only: the module `undo` decides whether an undo is allowed and what else it changes.

use std::collections::BTreeMap;

use panel_contract::endpoint::AccessRule;
use panel_contract::ids::{AuditId, Id, RecordId};
use panel_contract::permission::Permission;
use panel_kernel::error::{Error, Result};
use serde_json::{Map, Value};

use crate::db::{Source, Sql, Val};
use crate::work::UnitOfWork;

/// The fields of one state, by name.
pub type State = Map<String, Value>;

/// Column type that a field is written back as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// TEXT.
    Text,
    /// BIGINT.
    Int,
    /// BOOLEAN.
    Flag,
}

/// What undoing does with a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Written back; the record must hold what the action left in it.
    Restored(Cell),
    /// Written back, whatever the record holds by now, as workers change it by themselves.
    Overwritten(Cell),
    /// Not written; it must be as the action left it.
    Guard,
    /// Not written and not compared: for what follows from the undo.
    Noted,
}

/// A column, or for what is not written any expression over the record `t`.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The column's name.
    pub name: &'static str,
    /// Expression that reads the field from the record `t`.
    pub sql: &'static str,
    /// Whether undoing writes the field back, compares it, or only records it.
    pub role: Role,
}

impl Field {
    /// A column that is written back and must be unchanged until then.
    #[must_use]
    pub const fn restored(name: &'static str, sql: &'static str, cell: Cell) -> Self {
        Self { name, sql, role: Role::Restored(cell) }
    }

    /// Something that must be unchanged.
    #[must_use]
    pub const fn guard(name: &'static str, sql: &'static str) -> Self {
        Self { name, sql, role: Role::Guard }
    }

    const fn cell(&self) -> Option<Cell> {
        match self.role {
            Role::Restored(cell) | Role::Overwritten(cell) => Some(cell),
            Role::Guard | Role::Noted => None,
        }
    }

    const fn is_compared(&self) -> bool {
        matches!(self.role, Role::Restored(_) | Role::Guard)
    }
}

/// A kind of record whose changes can be undone.
#[derive(Debug)]
pub struct Undoable {
    /// Kind of record, as in the audit trail, such as `order`.
    pub kind: &'static str,
    /// Its table, which has `id` and `updated_at`.
    pub table: &'static str,
    /// English noun of one record for error messages.
    pub noun: &'static str,
    /// Its state. The first field is restored and never null: the write back is conditional on it.
    pub fields: &'static [Field],
}

impl Undoable {
    /// Whether a record in the state `now` is still as the action left it.
    #[must_use]
    pub fn is_unchanged(&self, after: &State, now: &State) -> bool {
        self.fields
            .iter()
            .filter(|field| field.is_compared())
            .all(|field| after.get(field.name) == now.get(field.name))
    }

    /// What undoing changes, for the audit trail: the fields as they are and as they were.
    #[must_use]
    pub fn difference(&self, now: &State, before: &State) -> (Value, Value) {
        let (mut old, mut new) = (State::new(), State::new());
        for field in self.fields.iter().filter(|field| field.cell().is_some()) {
            let value = |of: &State| of.get(field.name).cloned().unwrap_or(Value::Null);
            if value(now) != value(before) {
                old.insert(field.name.to_owned(), value(now));
                new.insert(field.name.to_owned(), value(before));
            }
        }
        (old.into(), new.into())
    }
}

/// The states of some records, read in the transaction that changes them.
#[derive(Debug, Default)]
pub struct Snapshot {
    permission: Option<Permission>,
    states: BTreeMap<RecordId, State>,
}

/// State of one record in a snapshot, with the permission that its action needed.
pub(super) struct Recorded<'a> {
    pub(super) permission: Option<Permission>,
    pub(super) state: &'a State,
}

impl Snapshot {
    /// Reads the states of the records `ids`.
    pub async fn take(work: &mut UnitOfWork, undoable: &Undoable, ids: &[impl Id]) -> Result<Self> {
        if ids.is_empty() {
            return Ok(Self::default());
        }
        let fields = undoable.fields.iter().map(|field| (field.name, field.sql)).collect();
        let sql = Sql::new("SELECT t.id, ").object(fields).push(" AS state FROM ").push(undoable.table);
        let rows: Vec<(RecordId, String)> = work.all(sql.push(" t WHERE t.id IN ").ids(ids)).await?;
        let states = rows.into_iter().map(|(id, state)| Ok((id, read(&state)?))).collect::<Result<_>>()?;
        Ok(Self { permission: None, states })
    }

    /// As [`Snapshot::take`] before an action; an undo will need `permission`. Empty for actions of the system, which cannot be
    /// undone.
    pub async fn before(
        work: &mut UnitOfWork,
        undoable: &Undoable,
        permission: Permission,
        ids: &[impl Id],
    ) -> Result<Self> {
        if work.actor().is_none() {
            return Ok(Self::default());
        }
        Ok(Self { permission: Some(permission), ..Self::take(work, undoable, ids).await? })
    }

    /// As [`Snapshot::before`], by the permission that opened the endpoint of this request.
    pub async fn of_call(work: &mut UnitOfWork, undoable: &Undoable, id: impl Id) -> Result<Self> {
        match work.scope().meta.op.map_or(AccessRule::Public, |op| op.access_rule) {
            AccessRule::AnyOf([permission, ..]) => Self::before(work, undoable, *permission, &[id]).await,
            _ => Ok(Self::default()),
        }
    }

    /// State of the record `id`; none where the snapshot lacks it.
    #[must_use]
    pub fn state(&self, id: RecordId) -> Option<&State> {
        self.states.get(&id)
    }

    pub(super) fn ids(&self) -> Vec<RecordId> {
        self.states.keys().copied().collect()
    }

    pub(super) fn of(&self, id: RecordId) -> Option<Recorded<'_>> {
        Some(Recorded { permission: self.permission, state: self.states.get(&id)? })
    }
}

fn read(text: &str) -> Result<State> {
    serde_json::from_str(text).map_err(|error| Error::Fault(error.to_string()))
}

/// A change that a request made and that can be undone.
#[derive(Debug, Clone)]
pub struct Undone {
    /// Id of the audit entry.
    pub entry: AuditId,
    /// Id of the changed record.
    pub id: RecordId,
    /// Event of the audit entry, such as `order.canceled`.
    pub event: String,
    /// Kind of the changed record, such as `order`.
    pub kind: String,
    /// Permission that undoing needs, the same as the action; none where any staff may.
    pub permission: Option<Permission>,
    /// State before the action, which undoing restores.
    pub before: State,
    /// State after the action, which undoing must still find.
    pub after: State,
    /// Whether the change was undone already, or a later one that can be undone has not been.
    pub is_superseded: bool,
}

/// Changes of a request that can be undone, in the order in which they were made; at most `most`. Requests are undone from
/// the last backwards: a later change and the undo of it cancel each other out and supersede nothing.
pub async fn recorded(db: &mut impl Source, request_id: &str, most: i64) -> Result<Vec<Undone>> {
    let sql = Sql::new(
        "SELECT a.id, a.auditable_id, a.event, a.auditable_type, a.restores, EXISTS (SELECT 1 FROM audits b WHERE b.auditable_type = a.auditable_type
           AND b.auditable_id = a.auditable_id AND b.id > a.id AND b.restores IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM audits c WHERE c.auditable_type = b.auditable_type AND c.auditable_id = b.auditable_id AND c.id > a.id
             AND (c.restores = '{\"undoes\":' || b.id || '}' OR b.restores = '{\"undoes\":' || c.id || '}'))) AS is_superseded
         FROM audits a WHERE a.request_id = ? AND a.restores IS NOT NULL AND a.restores NOT LIKE '{\"undoes\":%' ORDER BY a.id LIMIT ?",
    );
    let rows: Vec<(AuditId, RecordId, String, String, String, bool)> =
        db.all(sql.bind(request_id).bind(most)).await?;
    rows.into_iter()
        .map(|(entry, id, event, kind, restores, is_superseded)| {
            let restores = read(&restores)?;
            let state =
                |name: &str| restores.get(name).and_then(Value::as_object).cloned().unwrap_or_default();
            let permission =
                restores.get("permission").and_then(Value::as_str).and_then(|name| name.parse().ok());
            Ok(Undone {
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

/// What an undo keeps in place of the states: the audit entry that it undoes, as `recorded` looks for it.
pub(super) fn undoes(entry: AuditId) -> String {
    format!("{{\"undoes\":{entry}}}")
}

/// Writes former states back, each on condition that the record still holds what the action left.
pub async fn write_back(work: &mut UnitOfWork, undoable: &Undoable, undone: &[&Undone]) -> Result<()> {
    let written: Vec<(&'static str, Cell)> =
        undoable.fields.iter().filter_map(|field| Some((field.name, field.cell()?))).collect();
    let Some((first, cell)) = written.first().copied() else { return Ok(()) };
    let rows = undone.iter().map(|one| {
        let values = written.iter().map(|(name, cell)| value(*cell, one.before.get(*name)));
        [Val::from(one.id), value(cell, one.after.get(first))].into_iter().chain(values).collect()
    });
    let names: Vec<&'static str> =
        ["id", "was"].into_iter().chain(written.iter().map(|(name, _)| *name)).collect();
    let now = work.stamp();
    let mut sql = Sql::new("UPDATE ").push(undoable.table).push(" SET updated_at = ?").bind(now);
    for (name, _) in &written {
        sql = sql.push(", ").push(name).push(" = r.").push(name);
    }
    let sql = sql.push(" FROM ").rows("r", &names, rows.collect()).push(" WHERE ").push(undoable.table);
    let sql = sql.push(".id = r.id AND ").push(undoable.table).push(".").push(first).push(" = r.was");
    if usize::try_from(work.exec(sql).await?).ok() == Some(undone.len()) {
        return Ok(());
    }
    Err(Error::conflict("undo_conflict", "A record changed meanwhile; reload and try again."))
}

fn value(cell: Cell, value: Option<&Value>) -> Val {
    match cell {
        Cell::Text => Val::Text(value.and_then(Value::as_str).map(str::to_owned)),
        Cell::Int => Val::Int(value.and_then(Value::as_i64)),
        // SQLite has numbers for flags.
        Cell::Flag => {
            Val::Bool(value.and_then(|value| value.as_bool().or(value.as_i64().map(|flag| flag != 0))))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const RECORD: Undoable = Undoable {
        kind: "thing",
        table: "things",
        noun: "thing",
        fields: &[
            Field::restored("status", "t.status", Cell::Text),
            Field { name: "due_at", sql: "t.due_at", role: Role::Overwritten(Cell::Int) },
            Field::guard("sent", "(t.sent > 0)"),
            Field { name: "last", sql: "t.last", role: Role::Noted },
        ],
    };

    fn state(value: &Value) -> State {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn a_record_is_unchanged_while_its_compared_fields_are() {
        let after = state(&json!({ "status": "a", "due_at": 5, "sent": 0, "last": 1 }));
        let with = |field: &str, value: Value| {
            let mut now = after.clone();
            now.insert(field.to_owned(), value);
            RECORD.is_unchanged(&after, &now)
        };
        assert!(with("due_at", json!(null)) && with("last", json!(2)));
        assert!(!with("status", json!("b")) && !with("sent", json!(1)));
    }

    #[test]
    fn the_audit_entry_has_only_the_restored_fields() {
        let now = state(&json!({ "status": "b", "due_at": null, "sent": 1 }));
        let before = state(&json!({ "status": "a", "due_at": null, "sent": 0 }));
        assert_eq!(RECORD.difference(&now, &before), (json!({ "status": "b" }), json!({ "status": "a" })));
    }

    #[test]
    fn flags_of_both_databases_are_flags() {
        for (given, flag) in [(json!(1), Some(true)), (json!(false), Some(false)), (json!(null), None)] {
            assert_eq!(value(Cell::Flag, Some(&given)), Val::Bool(flag));
        }
        assert_eq!(value(Cell::Int, None), Val::Int(None));
    }
}
