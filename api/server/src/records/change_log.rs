//! The change log that staff read of changes to the catalogue. This module only writes it; the catalogue has its list.

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::dictionary::label;
use panel_contract::ids::RecordId;
use panel_kernel::error::Result;
use serde_json::Value;

use panel_platform::db::{Source as _, Sql, Val};
use panel_platform::work::UnitOfWork;

/// One record of the catalogue, and the action that changed it.
#[derive(Debug, Clone, Copy)]
pub struct ChangedRecord<'a> {
    pub action: ChangeAction,
    pub model: ChangeModel,
    pub id: RecordId,
    /// Its name, as staff see it.
    pub name: &'a str,
}

/// Longest stored value, in characters.
const MAX_CHARS: usize = 2_000;

/// Returns `information`, old value and new value of each entry. An update has one entry per changed field, any other action
/// one entry with the record's name. An update of the auto-promotion names both, because its id may be that of a service, a
/// service type or a network.
fn lines(changed: ChangedRecord<'_>, old: &Value, new: &Value) -> Vec<[Option<String>; 3]> {
    let mut lines = Vec::new();
    if let (ChangeAction::Updated, Some(old), Some(new)) = (changed.action, old.as_object(), new.as_object())
    {
        for (field, value) in new {
            let before = old.get(field).unwrap_or(&Value::Null);
            if before != value && field != "updated_at" {
                let about = match changed.model {
                    ChangeModel::AutoPromotion => format!("{}: {}", changed.name, label(field)),
                    _ => label(field),
                };
                lines.push([Some(about), text(before), text(value)]);
            }
        }
    }
    if lines.is_empty() {
        lines.push([Some(changed.name.to_owned()), None, None]);
    }
    lines
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.chars().take(MAX_CHARS).collect()),
        other => Some(other.to_string().chars().take(MAX_CHARS).collect()),
    }
}

/// Writes the entries of one change, with the same `old` and `new` as the audit entry.
pub async fn record(
    work: &mut UnitOfWork,
    changed: ChangedRecord<'_>,
    old: &Value,
    new: &Value,
) -> Result<()> {
    record_all(work, &[(changed, old, new)]).await
}

/// Writes the entries of many changes in one statement.
pub async fn record_all(work: &mut UnitOfWork, all: &[(ChangedRecord<'_>, &Value, &Value)]) -> Result<()> {
    let mut rows: Vec<Vec<Val>> = Vec::new();
    for (changed, old, new) in all {
        for line in lines(*changed, old, new) {
            let key: [Val; 3] =
                [changed.action.as_str().into(), changed.model.as_str().into(), changed.id.into()];
            rows.push(key.into_iter().chain(line.into_iter().map(Val::from)).collect());
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
    work.exec(sql).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_update_lists_changed_fields_and_other_actions_the_name() {
        let changed =
            |action| ChangedRecord { action, model: ChangeModel::Grade, id: RecordId::new(7), name: "Gold" };
        let (old, new) =
            (json!({"name": "Gold", "spending_goal": "5"}), json!({"name": "Gold", "spending_goal": "9"}));
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            lines(changed(ChangeAction::Updated), &old, &new),
            [[some("Spending goal"), some("5"), some("9")]]
        );
        assert_eq!(lines(changed(ChangeAction::Created), &json!({}), &new), [[some("Gold"), None, None]]);
        assert_eq!(lines(changed(ChangeAction::Updated), &old, &old), [[some("Gold"), None, None]]);
    }
}
