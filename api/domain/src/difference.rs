//! The changed fields of a record. Pure.

use serde_json::{Map, Value};

/// The fields of `old` whose values differ in `new`: the old values and the new ones.
#[must_use]
pub fn changed_fields(old: &Value, new: &Value) -> (Value, Value) {
    let empty = Map::new();
    let fields = |of: &Value| of.as_object().cloned().unwrap_or_else(|| empty.clone());
    let (old, new) = (fields(old), fields(new));
    let differs = |(field, value): &(&String, &Value)| new.get(*field) != Some(*value);
    let names: Vec<String> = old.iter().filter(differs).map(|(field, _)| field.clone()).collect();
    let of = |from: &Map<String, Value>| -> Value {
        names.iter().map(|name| (name.clone(), from.get(name).cloned().unwrap_or(Value::Null))).collect()
    };
    (of(&old), of(&new))
}
