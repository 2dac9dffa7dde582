//! Snapshot of all list declarations, so that every change shows as a changed line; and a comparison of the contract's
//! declarations with the server's responses: tables, rows and words.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use panel_contract::lists::{self, Kind as Declared, List};
use panel_platform::table::{Column, Kind, Table};
use panel_server::router::routes;
use serde_json::Value;

use crate::surface::snapshot;

/// A list with everything that decides which rows it answers, in which order, and which columns a file has.
fn declared(table: &Table) -> String {
    let mut text =
        format!("{} of {} {} by {}\n", table.name(), table.source.base, table.source.alias, table.source.key);
    for join in table.source.joins {
        let _ = writeln!(text, "  join {} {}", join.alias, join.sql);
    }
    let _ = writeln!(
        text,
        "  scope {:?} order {:?} kept {:?}",
        table.source.scope, table.list.order, table.row_counts
    );
    table.columns().iter().for_each(|column| text.push_str(&line("", column)));
    table.plain().iter().for_each(|column| text.push_str(&line("plain ", column)));
    text
}

fn line(before: &str, column: &Column) -> String {
    let mut line = format!("  {before}{} {}", column.name, kind(&column.kind));
    for (is_so, mark) in [(column.nullable, " nullable"), (!column.exported, " hidden")] {
        line.push_str(if is_so { mark } else { "" });
    }
    if let Some(permission) = column.permission {
        let _ = write!(line, " needs {permission:?}");
    }
    if let Some(group) = column.group {
        let _ = write!(line, " counted {group:?}");
    }
    if let Some((key, index, of)) = column.find {
        let _ = write!(line, " found {key} {} {:?} {of:?}", index.table, index.columns);
    }
    if let Some((select, inner)) = column.through {
        let _ = write!(line, " through {select}{inner}");
    }
    let join = column.join.map_or(String::new(), |join| format!(" of {join}"));
    let value = if column.expr.is_empty() { String::new() } else { format!(" = {}", one_line(column.expr)) };
    format!("{line}{join}{value}\n")
}

fn one_line(sql: &str) -> String {
    sql.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn kind(kind: &Kind) -> String {
    match kind {
        Kind::OneOf(words) => format!("OneOf({})", words.join("|")),
        Kind::SomeOf(words) => format!("SomeOf({})", words.join("|")),
        Kind::Choice(index) => format!("Choice({} {:?})", index.table, index.columns),
        other => format!("{other:?}"),
    }
}

#[test]
fn the_lists_declare_what_they_did() {
    let mut all: Vec<String> = crate::tables::tables().into_iter().map(declared).collect();
    all.sort();
    snapshot("lists", &all.join("\n"));
}

#[test]
fn every_list_of_the_contract_has_its_table() {
    let declared: BTreeSet<_> = lists::ALL.iter().map(|list| list.op.id).collect();
    let tables: BTreeSet<_> = crate::tables::tables().into_iter().map(|table| table.list.op.id).collect();
    assert_eq!(tables, declared);
}

/// `x-list` refers to closed sets by the names of their schemas.
#[test]
fn the_document_has_every_list_with_its_words() {
    let document = routes::document();
    let operations = operations(&document);
    for list in lists::ALL {
        assert_eq!(operations[list.op.id]["x-list"], lists::extension::of(list), "{}", list.name);
        for words in list.columns.iter().chain(list.filters).filter_map(lists::Column::words) {
            let schema = &document["components"]["schemas"][words.name]["enum"];
            assert_eq!(*schema, serde_json::json!(words.texts), "{} {}", list.name, words.name);
        }
    }
    let described = operations.values().filter(|operation| operation.get("x-list").is_some());
    assert_eq!(described.count(), lists::ALL.len());
}

fn operations(document: &Value) -> BTreeMap<&str, &Value> {
    let paths = document["paths"].as_object().unwrap().values();
    let operations = paths.flat_map(|methods| methods.as_object().unwrap().values());
    operations.map(|operation| (operation["operationId"].as_str().unwrap(), operation)).collect()
}

/// A field of a row, by its dotted name.
struct Field {
    is_null: bool,
    /// `boolean`, `integer`, `string`, `array`, or the name of its schema.
    kind: String,
}

/// The fields of a record: objects are opened, lists stay whole.
fn fields(document: &Value, schema: &Value, before: &str, is_null: bool, into: &mut BTreeMap<String, Field>) {
    if let Some(parts) = schema["allOf"].as_array() {
        return parts
            .iter()
            .for_each(|part| fields(document, resolved(document, part), before, is_null, into));
    }
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, value) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{before}{name}");
        let either = value["oneOf"].as_array().or_else(|| value["anyOf"].as_array());
        let either = either.map_or(vec![value], |parts| parts.iter().collect());
        let types = |value: &Value| match &value["type"] {
            Value::Array(types) => types.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            one => one.as_str().map(str::to_owned).into_iter().collect::<Vec<_>>(),
        };
        let has_null = either.iter().any(|value| types(value).iter().any(|one| one == "null"));
        let is_optional = !required.contains(&name.as_str()) && value.get("default").is_none();
        let is_null = is_null || has_null || is_optional;
        let reference = either.iter().find_map(|value| value["$ref"].as_str());
        let of = reference.map(|reference| document.pointer(reference.trim_start_matches('#')).unwrap());
        let kind = match reference {
            Some(reference) => reference.rsplit('/').next().unwrap().to_owned(),
            None => types(value).into_iter().find(|one| one != "null").unwrap_or_default(),
        };
        let is_leaf = of.is_none_or(|of| of["type"] != "object" && of.get("allOf").is_none());
        if is_leaf || kind == "Translations" {
            into.insert(path, Field { is_null, kind });
        } else if name != "actions" {
            fields(document, of.unwrap(), &format!("{path}."), is_null, into);
        }
    }
}

fn resolved<'d>(document: &'d Value, schema: &'d Value) -> &'d Value {
    schema["$ref"]
        .as_str()
        .map_or(schema, |reference| document.pointer(reference.trim_start_matches('#')).unwrap())
}

/// Fields that servers before them leave out: what is stored is never NULL.
const OPTIONAL_ON_THE_WIRE: [(&str, &str); 5] = [
    ("external-panel-orders", "sold_quantity"),
    ("subscriptions", "delay_minutes"),
    ("subscriptions", "old_contents"),
    ("sync-runs", "imported_count"),
    ("sync-runs", "not_imported_count"),
];

/// Columns that search the records which the row has as a list under the same name.
const SEARCHED_IN_A_LIST: [(&str, &str); 1] = [("subscriptions", "subscription_services")];

fn fits(kind: Declared, field: &str) -> bool {
    match kind {
        Declared::Id | Declared::Number => field == "integer",
        Declared::Money => field == "Money",
        Declared::Fraction => field == "Fraction",
        Declared::Percent => field == "Percent",
        Declared::Time => ["Time", "Stamp", "Day"].contains(&field),
        Declared::Text | Declared::Record(_) | Declared::Exact | Declared::Choice => field == "string",
        Declared::Word(words) => field == words.name,
        Declared::Words(_) | Declared::Countries => field == "array",
        Declared::Flag => field == "boolean",
        Declared::Json => ["array", "object", "Translations"].contains(&field),
    }
}

/// What is wrong with a column of a list whose rows have these fields.
fn faults(list: &List, fields: &BTreeMap<String, Field>) -> Vec<String> {
    let columns = list.columns.iter().filter(|column| column.alias_of.is_none());
    let columns = columns.filter(|column| !SEARCHED_IN_A_LIST.contains(&(list.name, column.name)));
    let fault = |column: &lists::Column| match fields.get(column.name) {
        None if column.in_row => Some("no field of the row"),
        Some(_) if !column.in_row => Some("a field of the row"),
        Some(field) if !fits(column.kind, &field.kind) => Some("of another kind"),
        Some(field) => {
            let may_be_null = column.nullable
                || column.permission.is_some()
                || OPTIONAL_ON_THE_WIRE.contains(&(list.name, column.name));
            (field.is_null != may_be_null).then_some("null otherwise than declared")
        }
        None => None,
    };
    columns.filter_map(|column| Some(format!("{} {}: {}", list.name, column.name, fault(column)?))).collect()
}

#[test]
fn every_declared_field_is_in_its_row() {
    let document = routes::document();
    let operations = operations(&document);
    let mut wrong = Vec::new();
    for list in lists::ALL {
        let page = &operations[list.op.id]["responses"]["200"]["content"]["application/json"]["schema"];
        let row = &resolved(&document, page)["properties"]["data"]["items"];
        let mut all = BTreeMap::new();
        fields(&document, resolved(&document, row), "", false, &mut all);
        assert!(all.contains_key("id"), "{}: {:?}", list.name, all.keys());
        wrong.extend(faults(list, &all));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
