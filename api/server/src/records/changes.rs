//! Records the change of a record in the audit trail and in the change log, always in both, and in the same transaction as the
//! change.

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::ids::{Id, RecordId};
use panel_kernel::error::Result;
use serde::Serializer;
use serde_json::{Map, Value};

use crate::records::change_log::{self, ChangedRecord};
use crate::records::undo;
use panel_platform::audit::change::AuditChange;
use panel_platform::audit::restore::Snapshot;
use panel_platform::work::UnitOfWork;

/// The change of one record.
#[derive(Debug, Clone)]
pub struct RecordChange {
    pub id: RecordId,
    /// The name of the record, as staff see it.
    pub name: String,
    /// The fields of the record before the change, as a JSON object.
    pub old: Value,
    /// The fields of the record after the change, as a JSON object.
    pub new: Value,
}

/// Records the difference between `old` and `new`. An update that changes nothing is not recorded.
pub async fn record(
    work: &mut UnitOfWork,
    record: ChangedRecord<'_>,
    old: &Value,
    new: &Value,
) -> Result<()> {
    let change =
        RecordChange { id: record.id, name: record.name.to_owned(), old: old.clone(), new: new.clone() };
    record_all(work, record.action, record.model, vec![change]).await
}

/// Like [`record`], for a change that staff can undo. `snapshot` holds the state of the record before the change; with an empty
/// snapshot the change cannot be undone.
pub async fn record_undoable(
    work: &mut UnitOfWork,
    record: ChangedRecord<'_>,
    (old, new): (&Value, &Value),
    snapshot: &Snapshot,
) -> Result<()> {
    let change =
        RecordChange { id: record.id, name: record.name.to_owned(), old: old.clone(), new: new.clone() };
    write_to_both_logs(work, record.action, record.model, vec![change], snapshot).await
}

/// Like [`record`], for many records of one kind, in two statements.
pub async fn record_all(
    work: &mut UnitOfWork,
    action: ChangeAction,
    model: ChangeModel,
    changes: Vec<RecordChange>,
) -> Result<()> {
    write_to_both_logs(work, action, model, changes, &Snapshot::default()).await
}

async fn write_to_both_logs(
    work: &mut UnitOfWork,
    action: ChangeAction,
    model: ChangeModel,
    changes: Vec<RecordChange>,
    snapshot: &Snapshot,
) -> Result<()> {
    let mut reduced_changes = Vec::new();
    for change in changes {
        let (old, new) = difference(&flatten(&change.old), &flatten(&change.new));
        if action != ChangeAction::Updated || !new.is_empty() {
            reduced_changes.push(RecordChange { old: old.into(), new: new.into(), ..change });
        }
    }
    let log_entries = reduced_changes.iter().map(|change| {
        (ChangedRecord { action, model, id: change.id, name: &change.name }, &change.old, &change.new)
    });
    change_log::write_entries(work, &log_entries.collect::<Vec<_>>()).await?;
    let audit_changes = reduced_changes.into_iter().map(|change| AuditChange {
        id: change.id,
        old: change.old,
        new: change.new,
    });
    undo::record_changes(
        work,
        &format!("{model}.{action}"),
        model.as_str(),
        snapshot,
        audit_changes.collect(),
    )
    .await
}

/// Serializes `None` as 0, so that an update that sets an id for the first time records 0 as the old value.
pub fn serialize_none_as_zero<I: Id, S: Serializer>(
    id: &Option<I>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_i64(id.map_or(0, Id::get))
}

/// Replaces the nested object `translations` by fields such as `translations.en.name`. All other fields stay unchanged.
fn flatten(record: &Value) -> Map<String, Value> {
    let mut flat_fields = Map::new();
    for (field, value) in record.as_object().into_iter().flatten() {
        match value.as_object() {
            Some(locales) if field == "translations" => {
                for (locale, texts) in locales {
                    for (text_field, value) in texts.as_object().into_iter().flatten() {
                        flat_fields.insert(format!("{field}.{locale}.{text_field}"), value.clone());
                    }
                }
            }
            _ => drop(flat_fields.insert(field.clone(), value.clone())),
        }
    }
    flat_fields
}

/// Returns the old and the new values of the fields that differ.
fn difference(
    old: &Map<String, Value>,
    new: &Map<String, Value>,
) -> (Map<String, Value>, Map<String, Value>) {
    let (mut old_values, mut new_values) = (Map::new(), Map::new());
    for field in old.keys().chain(new.keys()) {
        let value_in = |fields: &Map<String, Value>| fields.get(field).cloned().unwrap_or(Value::Null);
        if value_in(old) != value_in(new) {
            old_values.insert(field.clone(), value_in(old));
            new_values.insert(field.clone(), value_in(new));
        }
    }
    (old_values, new_values)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn records_only_fields_that_changed() {
        let old = json!({"price": "1", "translations": {"en": {"name": "A"}, "de": {"name": "B"}}});
        let new = json!({"price": "1", "translations": {"en": {"name": "C"}}, "slug": "x"});
        let (old_values, new_values) = difference(&flatten(&old), &flatten(&new));
        let to_value = |map: Map<String, Value>| Value::from(map);
        assert_eq!(
            to_value(old_values),
            json!({"translations.en.name": "A", "translations.de.name": "B", "slug": null})
        );
        assert_eq!(
            to_value(new_values),
            json!({"translations.en.name": "C", "translations.de.name": null, "slug": "x"})
        );
    }
}
