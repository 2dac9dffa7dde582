//! What every change of a catalogue record leaves behind: the audit entry and the entries of the change log, always both,
//! in the transaction of the change.

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use serde_json::{Map, Value};

use crate::audit::Change;
use crate::audit::restore::Snapshot;
use crate::catalogue::change_logs::{self, Noted};
use crate::catalogue::undo;
use crate::http::error::Result;
use crate::work::Work;

/// A record of many that change at once.
#[derive(Debug, Clone)]
pub struct Told {
    /// Its id.
    pub id: i64,
    /// What people call it.
    pub name: String,
    /// As it was.
    pub old: Value,
    /// As it is.
    pub new: Value,
}

/// Writes down what differs between `old` and `new`; an update that changes nothing leaves no trace.
pub async fn tell(work: &mut Work, noted: Noted<'_>, old: &Value, new: &Value) -> Result<()> {
    let told = Told { id: noted.id, name: noted.name.to_owned(), old: old.clone(), new: new.clone() };
    tell_all(work, noted.action, noted.model, vec![told]).await
}

/// As [`tell`], of a change that can be undone where `before` has the record's former state.
pub async fn tell_undoable(
    work: &mut Work,
    noted: Noted<'_>,
    (old, new): (&Value, &Value),
    before: &Snapshot,
) -> Result<()> {
    let told = Told { id: noted.id, name: noted.name.to_owned(), old: old.clone(), new: new.clone() };
    write(work, noted.action, noted.model, vec![told], before).await
}

/// The same for many records of one kind, in two statements.
pub async fn tell_all(
    work: &mut Work,
    action: ChangeAction,
    model: ChangeModel,
    all: Vec<Told>,
) -> Result<()> {
    write(work, action, model, all, &Snapshot::default()).await
}

async fn write(
    work: &mut Work,
    action: ChangeAction,
    model: ChangeModel,
    all: Vec<Told>,
    before: &Snapshot,
) -> Result<()> {
    let mut changes = Vec::new();
    for told in all {
        let (old, new) = differing(&flat(&told.old), &flat(&told.new));
        if action != ChangeAction::Updated || !new.is_empty() {
            changes.push(Told { old: old.into(), new: new.into(), ..told });
        }
    }
    let noted = changes
        .iter()
        .map(|told| (Noted { action, model, id: told.id, name: &told.name }, &told.old, &told.new));
    change_logs::note_all(work, &noted.collect::<Vec<_>>()).await?;
    let changes = changes.into_iter().map(|told| Change { id: told.id, old: told.old, new: told.new });
    undo::record(work, &format!("{model}.{action}"), model.as_str(), before, changes.collect()).await
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
        let told = |map: Map<String, Value>| Value::from(map);
        assert_eq!(
            told(before),
            json!({"translations.en.name": "A", "translations.de.name": "B", "slug": null})
        );
        assert_eq!(
            told(after),
            json!({"translations.en.name": "C", "translations.de.name": null, "slug": "x"})
        );
    }
}
