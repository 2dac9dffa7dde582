//! The OpenAPI extension `x-list`: the declaration of a list, for programs in other languages. Default values are omitted.

use serde_json::{Map, Value, json};

use crate::lists::{Column, ColumnKind, List};
use crate::table::DEFAULT_LENGTH;

/// The value of the extension `x-list` in the operation of a list.
#[must_use]
pub fn list_to_json(list: &List) -> Value {
    let mut value = Map::new();
    value.insert("name".into(), list.name.into());
    value.insert("labels".into(), list.labels.into());
    value.insert("columns".into(), list.columns.iter().map(column_to_json).collect());
    if !list.filters.is_empty() {
        value.insert("filters".into(), list.filters.iter().map(column_to_json).collect());
    }
    if !list.order.is_empty() {
        value.insert("order".into(), json!(list.order));
    }
    if list.length != DEFAULT_LENGTH {
        value.insert("length".into(), list.length.into());
    }
    value.insert("consoleColumns".into(), json!(list.console_columns));
    value.insert("terminalColumns".into(), json!(list.terminal_columns));
    value.into()
}

fn column_to_json(column: &Column) -> Value {
    let mut value = Map::new();
    let mut put = |key: &str, text: &str| drop(value.insert(key.to_owned(), text.into()));
    put("name", column.name);
    put("kind", column.kind.as_str());
    match column.kind {
        ColumnKind::Record(record_kind) => put("record", record_kind.as_str()),
        ColumnKind::Enum(values) | ColumnKind::EnumList(values) => put("enum", values.name),
        _ => {}
    }
    let permission = column.permission.map(|permission| permission.as_str());
    let label = (!column.label.is_empty()).then_some(column.label);
    for (key, text) in [
        ("label", label),
        ("shortLabel", column.short_label),
        ("permission", permission),
        ("filteredBy", column.filtered_by),
        ("aliasOf", column.alias_of),
    ] {
        if let Some(text) = text {
            put(key, text);
        }
    }
    for (key, flag, default) in [
        ("nullable", column.nullable, false),
        ("inRow", column.in_row, true),
        ("searchable", column.searchable, true),
        ("exported", column.exported, true),
    ] {
        if flag != default {
            value.insert(key.to_owned(), flag.into());
        }
    }
    value.into()
}
