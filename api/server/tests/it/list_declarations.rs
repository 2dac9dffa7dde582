//! A snapshot of all list declarations, in which every change appears as a changed line, and a comparison of the contract's
//! declarations with the tables, rows and allowed values of the server.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use panel_contract::lists::{self, ColumnKind as Declared, List};
use panel_platform::table::{Column, FilterKind, Table};
use panel_server::router::routes;
use serde_json::Value;

use crate::surface::snapshot;

/// Describes everything that decides which rows a list returns, in which order, and which columns an export has.
fn describe_table(table: &Table) -> String {
    let mut text =
        format!("{} of {} {} by {}\n", table.name(), table.source.base, table.source.alias, table.source.key);
    for join in table.source.joins {
        let _ = writeln!(text, "  join {} {}", join.alias, join.sql);
    }
    let _ = writeln!(
        text,
        "  scope {:?} order {:?} counts {:?}",
        table.source.scope, table.list.order, table.row_counts
    );
    table.columns().iter().for_each(|column| text.push_str(&describe_column("", column)));
    table.own_filters().iter().for_each(|column| text.push_str(&describe_column("plain ", column)));
    text
}

fn describe_column(prefix: &str, column: &Column) -> String {
    let mut line = format!("  {prefix}{} {}", column.name, describe_kind(&column.kind));
    for (is_set, mark) in [(column.nullable, " nullable"), (!column.exported, " hidden")] {
        line.push_str(if is_set { mark } else { "" });
    }
    if let Some(permission) = column.permission {
        let _ = write!(line, " needs {permission:?}");
    }
    if let Some(group) = column.group {
        let _ = write!(line, " counted {group:?}");
    }
    if let Some((key, index, table)) = column.text_index {
        let _ = write!(line, " found {key} {} {:?} {table:?}", index.table, index.columns);
    }
    if let Some((select, inner)) = column.join_table {
        let _ = write!(line, " through {select}{inner}");
    }
    let join = column.join.map_or(String::new(), |join| format!(" of {join}"));
    let value = if column.expr.is_empty() { String::new() } else { format!(" = {}", one_line(column.expr)) };
    format!("{line}{join}{value}\n")
}

fn one_line(sql: &str) -> String {
    sql.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn describe_kind(kind: &FilterKind) -> String {
    match kind {
        FilterKind::OneOf(values) => format!("OneOf({})", values.join("|")),
        FilterKind::SomeOf(values) => format!("SomeOf({})", values.join("|")),
        FilterKind::Choice(index) => format!("Choice({} {:?})", index.table, index.columns),
        other => format!("{other:?}"),
    }
}

#[test]
fn list_declarations_match_the_snapshot() {
    let mut descriptions: Vec<String> = crate::tables::tables().into_iter().map(describe_table).collect();
    descriptions.sort();
    snapshot("lists", &descriptions.join("\n"));
}

#[test]
fn every_list_of_the_contract_has_a_table() {
    let declared: BTreeSet<_> = lists::ALL.iter().map(|list| list.op.id).collect();
    let tables: BTreeSet<_> = crate::tables::tables().into_iter().map(|table| table.list.op.id).collect();
    assert_eq!(tables, declared);
}

/// `x-list` names a set of allowed values by the name of its schema.
#[test]
fn the_openapi_document_has_every_list_and_its_allowed_values() {
    let document = routes::openapi_document();
    let operations_by_id = operations_by_id(&document);
    for list in lists::ALL {
        assert_eq!(
            operations_by_id[list.op.id]["x-list"],
            lists::extension::list_to_json(list),
            "{}",
            list.name
        );
        for values in list.columns.iter().chain(list.filters).filter_map(lists::Column::enum_values) {
            let schema = &document["components"]["schemas"][values.name]["enum"];
            assert_eq!(*schema, serde_json::json!(values.texts), "{} {}", list.name, values.name);
        }
    }
    let documented_lists = operations_by_id.values().filter(|operation| operation.get("x-list").is_some());
    assert_eq!(documented_lists.count(), lists::ALL.len());
}

fn operations_by_id(document: &Value) -> BTreeMap<&str, &Value> {
    let paths = document["paths"].as_object().unwrap().values();
    let operations = paths.flat_map(|methods| methods.as_object().unwrap().values());
    operations.map(|operation| (operation["operationId"].as_str().unwrap(), operation)).collect()
}

/// A field of a row's schema.
struct Field {
    is_nullable: bool,
    /// A JSON type (`boolean`, `integer`, `string`, `array`), or the name of a schema.
    kind: String,
}

/// Collects the fields of a schema: those of nested objects by dotted names, arrays as one field.
fn collect_fields(
    document: &Value,
    schema: &Value,
    prefix: &str,
    is_nullable: bool,
    fields: &mut BTreeMap<String, Field>,
) {
    if let Some(parts) = schema["allOf"].as_array() {
        return parts
            .iter()
            .for_each(|part| collect_fields(document, resolve(document, part), prefix, is_nullable, fields));
    }
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, value) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{prefix}{name}");
        let variants = value["oneOf"].as_array().or_else(|| value["anyOf"].as_array());
        let variants = variants.map_or(vec![value], |variants| variants.iter().collect());
        let type_names = |value: &Value| match &value["type"] {
            Value::Array(type_names) => {
                type_names.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            type_name => type_name.as_str().map(str::to_owned).into_iter().collect::<Vec<_>>(),
        };
        let has_null = variants.iter().any(|value| type_names(value).iter().any(|name| name == "null"));
        let is_optional = !required.contains(&name.as_str()) && value.get("default").is_none();
        let is_nullable = is_nullable || has_null || is_optional;
        let reference = variants.iter().find_map(|value| value["$ref"].as_str());
        let referenced =
            reference.map(|reference| document.pointer(reference.trim_start_matches('#')).unwrap());
        let kind = match reference {
            Some(reference) => reference.rsplit('/').next().unwrap().to_owned(),
            None => type_names(value).into_iter().find(|name| name != "null").unwrap_or_default(),
        };
        let is_leaf = referenced
            .is_none_or(|referenced| referenced["type"] != "object" && referenced.get("allOf").is_none());
        if is_leaf || kind == "Translations" {
            fields.insert(path, Field { is_nullable, kind });
        } else if name != "actions" {
            collect_fields(document, referenced.unwrap(), &format!("{path}."), is_nullable, fields);
        }
    }
}

fn resolve<'d>(document: &'d Value, schema: &'d Value) -> &'d Value {
    schema["$ref"]
        .as_str()
        .map_or(schema, |reference| document.pointer(reference.trim_start_matches('#')).unwrap())
}

/// Fields that older servers omit, so the schema makes them optional although their columns are never null.
const OPTIONAL_ON_THE_WIRE: [(&str, &str); 5] = [
    ("external-panel-orders", "sold_quantity"),
    ("subscriptions", "delay_minutes"),
    ("subscriptions", "old_contents"),
    ("sync-runs", "imported_count"),
    ("sync-runs", "not_imported_count"),
];

/// Columns that filter by related records. The row holds these records as an array with the name of the column.
const ARRAY_COLUMNS: [(&str, &str); 1] = [("subscriptions", "subscription_services")];

fn is_field_of_kind(kind: Declared, field: &str) -> bool {
    match kind {
        Declared::Id | Declared::Number => field == "integer",
        Declared::Money => field == "Money",
        Declared::Fraction => field == "Fraction",
        Declared::Percent => field == "Percent",
        Declared::Time => ["Time", "Timestamp", "Day"].contains(&field),
        Declared::Text | Declared::Record(_) | Declared::ExactText | Declared::OpenEnum => field == "string",
        Declared::Enum(values) => field == values.name,
        Declared::EnumList(_) | Declared::Countries => field == "array",
        Declared::Flag => field == "boolean",
        Declared::Json => ["array", "object", "Translations"].contains(&field),
    }
}

/// The columns of a list whose declaration does not match the fields of its rows.
fn describe_mismatches(list: &List, fields: &BTreeMap<String, Field>) -> Vec<String> {
    let columns = list.columns.iter().filter(|column| column.alias_of.is_none());
    let columns = columns.filter(|column| !ARRAY_COLUMNS.contains(&(list.name, column.name)));
    let mismatch = |column: &lists::Column| match fields.get(column.name) {
        None if column.in_row => Some("is missing in the row"),
        Some(_) if !column.in_row => Some("is in the row, although its declaration excludes it from the row"),
        Some(field) if !is_field_of_kind(column.kind, &field.kind) => Some("has another kind in the row"),
        Some(field) => {
            let declared_nullable = column.nullable
                || column.permission.is_some()
                || OPTIONAL_ON_THE_WIRE.contains(&(list.name, column.name));
            (field.is_nullable != declared_nullable)
                .then_some("may be null in only one of declaration and schema")
        }
        None => None,
    };
    columns
        .filter_map(|column| Some(format!("{} {}: {}", list.name, column.name, mismatch(column)?)))
        .collect()
}

#[test]
fn every_declared_column_matches_the_schema_of_the_row() {
    let document = routes::openapi_document();
    let operations_by_id = operations_by_id(&document);
    let mut problems = Vec::new();
    for list in lists::ALL {
        let page = &operations_by_id[list.op.id]["responses"]["200"]["content"]["application/json"]["schema"];
        let row = &resolve(&document, page)["properties"]["data"]["items"];
        let mut row_fields = BTreeMap::new();
        collect_fields(&document, resolve(&document, row), "", false, &mut row_fields);
        assert!(row_fields.contains_key("id"), "{}: {:?}", list.name, row_fields.keys());
        problems.extend(describe_mismatches(list, &row_fields));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
