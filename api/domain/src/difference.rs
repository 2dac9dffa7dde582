//! Finds the changed fields of a record. Pure functions.

use serde_json::{Map, Value};

/// Returns two objects with the fields of `old` whose value differs in `new`: their old values and their new values.
#[must_use]
pub fn changed_fields(old: &Value, new: &Value) -> (Value, Value) {
    let to_fields = |record: &Value| record.as_object().cloned().unwrap_or_else(Map::new);
    let (old_fields, new_fields) = (to_fields(old), to_fields(new));
    let is_changed = |(name, value): &(&String, &Value)| new_fields.get(*name) != Some(*value);
    let changed_names: Vec<String> =
        old_fields.iter().filter(is_changed).map(|(name, _)| name.clone()).collect();
    let select_changed = |fields: &Map<String, Value>| -> Value {
        let to_field = |name: &String| (name.clone(), fields.get(name).cloned().unwrap_or(Value::Null));
        changed_names.iter().map(to_field).collect()
    };
    (select_changed(&old_fields), select_changed(&new_fields))
}
