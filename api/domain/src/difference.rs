//! The changed fields of a record. Pure.

use serde_json::{Map, Value};

/// Returns two objects with the fields of `old` whose value differs in `new`: their old values and their new values.
#[must_use]
pub fn changed_fields(old: &Value, new: &Value) -> (Value, Value) {
    let empty = Map::new();
    let fields = |record: &Value| record.as_object().cloned().unwrap_or_else(|| empty.clone());
    let (old, new) = (fields(old), fields(new));
    let differs = |(field, value): &(&String, &Value)| new.get(*field) != Some(*value);
    let names: Vec<String> = old.iter().filter(differs).map(|(field, _)| field.clone()).collect();
    let values_in = |from: &Map<String, Value>| -> Value {
        names.iter().map(|name| (name.clone(), from.get(name).cloned().unwrap_or(Value::Null))).collect()
    };
    (values_in(&old), values_in(&new))
}
