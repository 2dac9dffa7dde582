//! Records a change of a catalogue record: the audit entry and the entries of the change log, always both, in the transaction
//! of the change.

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

/// The change of one record of several that change at once.
#[derive(Debug, Clone)]
pub struct RecordChange {
    pub id: RecordId,
    /// Its name, as staff see it.
    pub name: String,
    /// Its fields before the change.
    pub old: Value,
    /// Its fields after the change.
    pub new: Value,
}

/// Records the difference between `old` and `new`. An update that changes nothing is not recorded.
pub async fn record(
    work: &mut UnitOfWork,
    changed: ChangedRecord<'_>,
    old: &Value,
    new: &Value,
) -> Result<()> {
    let change =
        RecordChange { id: changed.id, name: changed.name.to_owned(), old: old.clone(), new: new.clone() };
    record_all(work, changed.action, changed.model, vec![change]).await
}

/// Like [`record`], for a change that can be undone if `before` holds the record's former state.
pub async fn record_undoable(
    work: &mut UnitOfWork,
    changed: ChangedRecord<'_>,
    (old, new): (&Value, &Value),
    before: &Snapshot,
) -> Result<()> {
    let change =
        RecordChange { id: changed.id, name: changed.name.to_owned(), old: old.clone(), new: new.clone() };
    write(work, changed.action, changed.model, vec![change], before).await
}

/// Like [`record`], for many records of one kind, in two statements.
pub async fn record_all(
    work: &mut UnitOfWork,
    action: ChangeAction,
    model: ChangeModel,
    all: Vec<RecordChange>,
) -> Result<()> {
    write(work, action, model, all, &Snapshot::default()).await
}

async fn write(
    work: &mut UnitOfWork,
    action: ChangeAction,
    model: ChangeModel,
    all: Vec<RecordChange>,
    before: &Snapshot,
) -> Result<()> {
    let mut changes = Vec::new();
    for change in all {
        let (old, new) = difference(&flatten(&change.old), &flatten(&change.new));
        if action != ChangeAction::Updated || !new.is_empty() {
            changes.push(RecordChange { old: old.into(), new: new.into(), ..change });
        }
    }
    let entries = changes.iter().map(|change| {
        (ChangedRecord { action, model, id: change.id, name: &change.name }, &change.old, &change.new)
    });
    change_log::record_all(work, &entries.collect::<Vec<_>>()).await?;
    let changes =
        changes.into_iter().map(|change| AuditChange { id: change.id, old: change.old, new: change.new });
    undo::record(work, &format!("{model}.{action}"), model.as_str(), before, changes.collect()).await
}

/// Serializes a missing id as 0, for a record that refers to none yet.
pub fn none_as_zero<I: Id, S: Serializer>(id: &Option<I>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_i64(id.map_or(0, Id::get))
}

/// Flattens translations to `translations.en.name`. All other fields stay as they are.
fn flatten(record: &Value) -> Map<String, Value> {
    let mut flat = Map::new();
    for (field, value) in record.as_object().into_iter().flatten() {
        match value.as_object() {
            Some(locales) if field == "translations" => {
                for (locale, texts) in locales {
                    for (text, value) in texts.as_object().into_iter().flatten() {
                        flat.insert(format!("{field}.{locale}.{text}"), value.clone());
                    }
                }
            }
            _ => drop(flat.insert(field.clone(), value.clone())),
        }
    }
    flat
}

fn difference(
    old: &Map<String, Value>,
    new: &Map<String, Value>,
) -> (Map<String, Value>, Map<String, Value>) {
    let (mut before, mut after) = (Map::new(), Map::new());
    for field in old.keys().chain(new.keys()) {
        let value = |of: &Map<String, Value>| of.get(field).cloned().unwrap_or(Value::Null);
        if value(old) != value(new) {
            before.insert(field.clone(), value(old));
            after.insert(field.clone(), value(new));
        }
    }
    (before, after)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_different_fields_are_recorded() {
        let old = json!({"price": "1", "translations": {"en": {"name": "A"}, "de": {"name": "B"}}});
        let new = json!({"price": "1", "translations": {"en": {"name": "C"}}, "slug": "x"});
        let (before, after) = difference(&flatten(&old), &flatten(&new));
        let change = |map: Map<String, Value>| Value::from(map);
        assert_eq!(
            change(before),
            json!({"translations.en.name": "A", "translations.de.name": "B", "slug": null})
        );
        assert_eq!(
            change(after),
            json!({"translations.en.name": "C", "translations.de.name": null, "slug": "x"})
        );
    }
}
