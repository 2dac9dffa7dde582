//! `x-list`: a list in the OpenAPI document, so that programs in other languages need no declaration of their own. Default
//! values are omitted.

use serde_json::{Map, Value, json};

use crate::lists::{Column, Kind, List};
use crate::table::DEFAULT_LENGTH;

/// The list as the extension `x-list` of its operation.
#[must_use]
pub fn of(list: &List) -> Value {
    let mut value = Map::new();
    value.insert("name".into(), list.name.into());
    value.insert("labels".into(), list.labels.into());
    value.insert("columns".into(), list.columns.iter().map(column).collect());
    if !list.filters.is_empty() {
        value.insert("filters".into(), list.filters.iter().map(column).collect());
    }
    if !list.order.is_empty() {
        value.insert("order".into(), json!(list.order));
    }
    if list.length != DEFAULT_LENGTH {
        value.insert("length".into(), list.length.into());
    }
    value.insert("wide".into(), json!(list.wide));
    value.insert("narrow".into(), json!(list.narrow));
    value.into()
}

fn column(column: &Column) -> Value {
    let mut value = Map::new();
    let mut put = |key: &str, text: &str| drop(value.insert(key.to_owned(), text.into()));
    put("name", column.name);
    put("kind", column.kind.as_str());
    match column.kind {
        Kind::Record(record) => put("record", record.as_str()),
        Kind::Word(words) | Kind::Words(words) => put("words", words.name),
        _ => {}
    }
    let permission = column.permission.map(|permission| permission.as_str());
    let label = (!column.label.is_empty()).then_some(column.label);
    for (key, text) in [
        ("label", label),
        ("short", column.short),
        ("permission", permission),
        ("filteredBy", column.filtered_by),
        ("aliasOf", column.alias_of),
    ] {
        if let Some(text) = text {
            put(key, text);
        }
    }
    for (key, is_so, usual) in [
        ("nullable", column.nullable, false),
        ("inRow", column.in_row, true),
        ("searchable", column.searchable, true),
        ("exported", column.exported, true),
    ] {
        if is_so != usual {
            value.insert(key.to_owned(), is_so.into());
        }
    }
    value.into()
}
