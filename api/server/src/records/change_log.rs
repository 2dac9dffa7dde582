//! Writes the change log, in which staff see who changed which record. `catalogue/change_logs.rs` lists the entries.
//! Changes of records are recorded through `records/changes.rs`, which writes the audit trail as well.

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::dictionary::enum_label;
use panel_contract::ids::RecordId;
use panel_kernel::error::Result;
use serde_json::Value;

use panel_platform::db::{Sql, SqlExecutor as _, Val};
use panel_platform::work::UnitOfWork;

/// A record, and the action that changed it.
#[derive(Debug, Clone, Copy)]
pub struct ChangedRecord<'a> {
    pub action: ChangeAction,
    pub model: ChangeModel,
    pub id: RecordId,
    /// The name of the record, as staff see it.
    pub name: &'a str,
}

/// Maximum length of a stored value, in characters. Longer values are truncated.
const MAX_VALUE_CHARS: usize = 2_000;

/// Returns `information`, `old_value` and `new_value` of each entry. An update has one entry per changed field, whose `information`
/// is the label of the field. Any other action has one entry, whose `information` is the name of the record. For an auto-promotion,
/// an update contains the name of the record too, because `target_id` may be the id of a service, a service type or a network.
fn to_entries(record: ChangedRecord<'_>, old: &Value, new: &Value) -> Vec<[Option<String>; 3]> {
    let mut entries = Vec::new();
    if let (ChangeAction::Updated, Some(old), Some(new)) = (record.action, old.as_object(), new.as_object()) {
        for (field, new_value) in new {
            let old_value = old.get(field).unwrap_or(&Value::Null);
            if old_value != new_value && field != "updated_at" {
                let information = match record.model {
                    ChangeModel::AutoPromotion => format!("{}: {}", record.name, enum_label(field)),
                    _ => enum_label(field),
                };
                entries.push([Some(information), to_stored_text(old_value), to_stored_text(new_value)]);
            }
        }
    }
    if entries.is_empty() {
        entries.push([Some(record.name.to_owned()), None, None]);
    }
    entries
}

fn to_stored_text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.chars().take(MAX_VALUE_CHARS).collect()),
        json => Some(json.to_string().chars().take(MAX_VALUE_CHARS).collect()),
    }
}

/// Writes the entries of many changes in one statement. `old` and `new` of a change are the same values as in its audit entry.
pub async fn write_entries(
    work: &mut UnitOfWork,
    changes: &[(ChangedRecord<'_>, &Value, &Value)],
) -> Result<()> {
    let mut rows: Vec<Vec<Val>> = Vec::new();
    for (record, old, new) in changes {
        for entry in to_entries(*record, old, new) {
            let action_and_record: [Val; 3] =
                [record.action.as_str().into(), record.model.as_str().into(), record.id.into()];
            rows.push(action_and_record.into_iter().chain(entry.into_iter().map(Val::from)).collect());
        }
    }
    if rows.is_empty() {
        return Ok(());
    }
    let sql = Sql::new(
        "INSERT INTO change_logs (created_at, user_id, action_type, type, target_id, information, old_value, new_value)
         SELECT ?, ?, r.action, r.model, r.target, r.information, r.old_value, r.new_value FROM ",
    )
    .bind(work.now)
    .bind(work.actor())
    .rows("r", &["action", "model", "target", "information", "old_value", "new_value"], rows);
    work.execute(sql).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_update_has_one_entry_per_changed_field() {
        let record =
            |action| ChangedRecord { action, model: ChangeModel::Grade, id: RecordId::new(7), name: "Gold" };
        let (old, new) =
            (json!({"name": "Gold", "spending_goal": "5"}), json!({"name": "Gold", "spending_goal": "9"}));
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            to_entries(record(ChangeAction::Updated), &old, &new),
            [[some("Spending goal"), some("5"), some("9")]]
        );
        assert_eq!(to_entries(record(ChangeAction::Created), &json!({}), &new), [[some("Gold"), None, None]]);
        assert_eq!(to_entries(record(ChangeAction::Updated), &old, &old), [[some("Gold"), None, None]]);
    }
}
