//! What every change of a catalogue record leaves behind: the audit entry and the entries of the change log, always both,
//! in the transaction of the change.

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::ids::{Id, RecordId};
use panel_kernel::error::Result;
use serde::Serializer;
use serde_json::{Map, Value};

use crate::records::change_log::{self, ChangedRecord};
use crate::records::undo;
use panel_platform::audit::change::Change;
use panel_platform::audit::restore::Snapshot;
use panel_platform::work::Work;

/// A record of many that change at once.
#[derive(Debug, Clone)]
pub struct RecordChange {
    /// Its id.
    pub id: RecordId,
    /// What people call it.
    pub name: String,
    /// As it was.
    pub old: Value,
    /// As it is.
    pub new: Value,
}

/// Writes down what differs between `old` and `new`; an update that changes nothing leaves no trace.
pub async fn note(work: &mut Work, noted: ChangedRecord<'_>, old: &Value, new: &Value) -> Result<()> {
    let change =
        RecordChange { id: noted.id, name: noted.name.to_owned(), old: old.clone(), new: new.clone() };
    note_all(work, noted.action, noted.model, vec![change]).await
}

/// As [`note`], of a change that can be undone where `before` has the record's former state.
pub async fn note_undoable(
    work: &mut Work,
    noted: ChangedRecord<'_>,
    (old, new): (&Value, &Value),
    before: &Snapshot,
) -> Result<()> {
    let change =
        RecordChange { id: noted.id, name: noted.name.to_owned(), old: old.clone(), new: new.clone() };
    write(work, noted.action, noted.model, vec![change], before).await
}

/// The same for many records of one kind, in two statements.
pub async fn note_all(
    work: &mut Work,
    action: ChangeAction,
    model: ChangeModel,
    all: Vec<RecordChange>,
) -> Result<()> {
    write(work, action, model, all, &Snapshot::default()).await
}

async fn write(
    work: &mut Work,
    action: ChangeAction,
    model: ChangeModel,
    all: Vec<RecordChange>,
    before: &Snapshot,
) -> Result<()> {
    let mut changes = Vec::new();
    for change in all {
        let (old, new) = differing(&flat(&change.old), &flat(&change.new));
        if action != ChangeAction::Updated || !new.is_empty() {
            changes.push(RecordChange { old: old.into(), new: new.into(), ..change });
        }
    }
    let noted = changes.iter().map(|change| {
        (ChangedRecord { action, model, id: change.id, name: &change.name }, &change.old, &change.new)
    });
    change_log::note_all(work, &noted.collect::<Vec<_>>()).await?;
    let changes =
        changes.into_iter().map(|change| Change { id: change.id, old: change.old, new: change.new });
    undo::record(work, &format!("{model}.{action}"), model.as_str(), before, changes.collect()).await
}

/// A record that names nothing yet is written down with 0 in the place of the id.
pub fn none_as_zero<I: Id, S: Serializer>(id: &Option<I>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_i64(id.map_or(0, Id::get))
}

/// Texts in their places: `translations.en.name`. Everything else as it is.
fn flat(record: &Value) -> Map<String, Value> {
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

fn differing(old: &Map<String, Value>, new: &Map<String, Value>) -> (Map<String, Value>, Map<String, Value>) {
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
    fn only_what_differs_is_told() {
        let old = json!({"price": "1", "translations": {"en": {"name": "A"}, "de": {"name": "B"}}});
        let new = json!({"price": "1", "translations": {"en": {"name": "C"}}, "slug": "x"});
        let (before, after) = differing(&flat(&old), &flat(&new));
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
