//! The change log: what staff read of changes to the catalogue. It only writes; the list of it is one of the catalogue's.

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::dictionary::label;
use panel_contract::ids::RecordId;
use panel_kernel::error::Result;
use serde_json::Value;

use panel_platform::db::{Source as _, Sql, Val};
use panel_platform::work::Work;

/// What was done to one record of the catalogue.
#[derive(Debug, Clone, Copy)]
pub struct ChangedRecord<'a> {
    /// What was done.
    pub action: ChangeAction,
    /// To what kind of record.
    pub model: ChangeModel,
    /// The record.
    pub id: RecordId,
    /// What people call it.
    pub name: &'a str,
}

/// Longest value that is kept, in characters.
const LONGEST: usize = 2_000;

/// `information`, old and new: an update says each field that differs, everything else the record's name. An update of
/// the auto-promotion says both, because its ids are those of services, service types or networks: the id alone leads to
/// no name.
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
        Value::String(text) => Some(text.chars().take(LONGEST).collect()),
        other => Some(other.to_string().chars().take(LONGEST).collect()),
    }
}

/// Writes it down; `old` and `new` as the audit entry has them.
pub async fn note(work: &mut Work, changed: ChangedRecord<'_>, old: &Value, new: &Value) -> Result<()> {
    note_all(work, &[(changed, old, new)]).await
}

/// Writes many down in one statement.
pub async fn note_all(work: &mut Work, all: &[(ChangedRecord<'_>, &Value, &Value)]) -> Result<()> {
    let mut rows: Vec<Vec<Val>> = Vec::new();
    for (changed, old, new) in all {
        for line in lines(*changed, old, new) {
            let known: [Val; 3] =
                [changed.action.as_str().into(), changed.model.as_str().into(), changed.id.into()];
            rows.push(known.into_iter().chain(line.into_iter().map(Val::from)).collect());
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
    fn an_update_says_what_differs_and_the_rest_the_name() {
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
