//! The whole API: compares the endpoint table with the specification, and checks and snapshots the OpenAPI document.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use panel_contract::endpoints;
use panel_server::router::routes;
use serde_json::Value;

fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read_fixture(name: &str) -> String {
    let file = workspace_root().join("fixtures").join(name);
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The access rule of each specified operation, by `METHOD /path`.
fn specified_access() -> BTreeMap<String, String> {
    let rows = read_fixture("endpoints.tsv");
    let rows = rows.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        assert!(fields.len() >= 5, "{line}");
        (format!("{} {}", fields[1], fields[2]), fields[3].to_owned())
    });
    let rows: Vec<_> = rows.collect();
    let count = rows.len();
    let map: BTreeMap<_, _> = rows.into_iter().collect();
    assert_eq!(map.len(), count, "endpoints.tsv has an operation twice");
    map
}

/// Operations that are newer than the specification are not compared; the snapshot of the routes shows their access rules.
#[test]
fn the_endpoint_table_matches_the_specification() {
    let access_by_operation: BTreeMap<String, String> =
        endpoints::all().map(|op| (format!("{} {}", op.method, op.path), op.access_text())).collect();
    for (operation, access) in specified_access() {
        let declared_access = access_by_operation.get(&operation);
        assert_eq!(
            declared_access,
            Some(&access),
            "{operation} is missing, or its access rule is not that of fixtures/endpoints.tsv"
        );
    }
}

#[test]
fn every_endpoint_of_the_table_is_served() {
    let ids = |ops: &mut dyn Iterator<Item = String>| ops.collect::<BTreeSet<_>>();
    let api = routes::all_routes();
    let server = ids(&mut api.ops().iter().map(|op| op.id.to_owned()));
    let table = ids(&mut endpoints::all().map(|op| op.id.to_owned()));
    assert_eq!(server, table);
    assert_eq!(api.ops().len(), server.len(), "two endpoints have the same id");
}

pub(crate) fn snapshot(name: &str, text: &str) {
    insta::with_settings!({ snapshot_path => "../../../../snapshots/server", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, text);
    });
}

#[test]
fn the_route_table_matches_the_snapshot() {
    let mut lines: Vec<String> = endpoints::all()
        .map(|op| format!("{:6} {:60} {:24} {}", op.method, op.path, op.id, op.access_text()))
        .collect();
    lines.sort_by_key(|line| line.split_whitespace().nth(1).map(str::to_owned));
    snapshot("routes", &lines.join("\n"));
}

#[test]
fn the_openapi_document_is_valid() {
    let document = routes::openapi_document();
    assert_eq!(document["openapi"], "3.1.0");
    assert_references_resolve(&document, &document, "");
    let text = document.to_string();
    for name in document["components"]["schemas"].as_object().unwrap().keys() {
        assert!(text.contains(&format!("\"#/components/schemas/{name}\"")), "nothing refers to {name}");
    }
    let mut ids = BTreeSet::new();
    for (path, method, operation) in operations(&document) {
        let location = format!("{method} {path}");
        assert!(ids.insert(operation["operationId"].as_str().unwrap().to_owned()), "{location}");
        assert!(!operation["summary"].as_str().unwrap().is_empty(), "{location}");
        let responses = operation["responses"].as_object().unwrap();
        assert!(responses.keys().any(|status| status.starts_with('2')), "{location}");
        for (status, response) in responses {
            assert!(
                response["description"].as_str().is_some_and(|text| !text.is_empty()),
                "{location} {status}"
            );
        }
        assert_parameters_are_valid(&document, &path, operation, &location);
    }
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte)), "{name}");
        assert!(schema.is_object(), "{name}");
    }
}

fn operations(document: &Value) -> Vec<(String, String, &Value)> {
    let mut all_operations = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            all_operations.push((path.clone(), method.clone(), operation));
        }
    }
    all_operations
}

fn assert_references_resolve(document: &Value, value: &Value, location: &str) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get("$ref") {
                let pointer =
                    reference.strip_prefix('#').unwrap_or_else(|| panic!("{location}: {reference}"));
                assert!(document.pointer(pointer).is_some(), "{location}: {reference} does not exist");
            }
            for (name, value) in fields {
                assert_references_resolve(document, value, &format!("{location}/{name}"));
            }
        }
        Value::Array(values) => {
            values.iter().for_each(|value| assert_references_resolve(document, value, location))
        }
        _ => {}
    }
}

/// Asserts that every placeholder of the path is a required parameter and that no parameter occurs twice.
fn assert_parameters_are_valid(document: &Value, path: &str, operation: &Value, location: &str) {
    let mut parameters = BTreeSet::new();
    for parameter in operation["parameters"].as_array().unwrap() {
        let parameter = match parameter["$ref"].as_str() {
            Some(reference) => document.pointer(&reference[1..]).unwrap(),
            None => parameter,
        };
        let (name, parameter_location) =
            (parameter["name"].as_str().unwrap(), parameter["in"].as_str().unwrap());
        assert!(parameters.insert((parameter_location, name)), "{location}: {name} twice");
        assert!(parameter["schema"].is_object() || parameter["content"].is_object(), "{location}: {name}");
        if parameter_location == "path" {
            assert!(
                path.contains(&format!("{{{name}}}")) && parameter["required"] == true,
                "{location}: {name}"
            );
        }
    }
    let placeholders = path.matches('{').count();
    assert_eq!(
        parameters.iter().filter(|(parameter_location, _)| *parameter_location == "path").count(),
        placeholders,
        "{location}"
    );
}

/// A short form of all requests, responses and schemas, so that a review shows each change of the API.
#[test]
fn the_wire_format_matches_the_snapshot() {
    let document = routes::openapi_document();
    let mut text = String::new();
    for (path, method, operation) in operations(&document) {
        writeln!(text, "{} {path}", method.to_uppercase()).unwrap();
        for parameter in
            operation["parameters"].as_array().unwrap().iter().filter(|parameter| parameter["in"] == "query")
        {
            writeln!(
                text,
                "  ?{} {}",
                parameter["name"].as_str().unwrap(),
                describe_type(&parameter["schema"])
            )
            .unwrap();
        }
        if let Some(schema) = operation.pointer("/requestBody/content/application~1json/schema") {
            writeln!(text, "  < {}", describe_type(schema)).unwrap();
        }
        for (status, response) in operation["responses"].as_object().unwrap() {
            if let (true, Some(content)) = (status.starts_with('2'), response["content"].as_object()) {
                for (media, content) in content {
                    writeln!(text, "  > {status} {media} {}", describe_type(&content["schema"])).unwrap();
                }
            }
        }
    }
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        writeln!(text, "{name} {}", describe_type(schema)).unwrap();
        let schemas: Vec<&Value> =
            schema["allOf"].as_array().map_or(vec![schema], |schemas| schemas.iter().collect());
        for schema in schemas {
            let required: Vec<&Value> = schema["required"].as_array().into_iter().flatten().collect();
            for (field, schema) in schema["properties"].as_object().into_iter().flatten() {
                let mark = if required.iter().any(|name| *name == field) { "" } else { "?" };
                writeln!(text, "  {field}{mark} {}", describe_type(schema)).unwrap();
            }
        }
    }
    snapshot("wire", &text);
}

fn describe_type(schema: &Value) -> String {
    let combined = |name: &str, separator: &str| {
        let types = schema[name].as_array()?.iter().map(describe_type).collect::<Vec<_>>();
        Some(types.join(separator))
    };
    let words = schema["enum"]
        .as_array()
        .map(|words| words.iter().map(|word| word.to_string()).collect::<Vec<_>>().join(" | "));
    let type_name = match &schema["type"] {
        Value::String(name) if name == "array" => format!("[{}]", describe_type(&schema["items"])),
        Value::String(name) => name.clone(),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" | "),
        _ => "any".to_owned(),
    };
    let reference = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next()).map(str::to_owned);
    reference
        .or(words)
        .or_else(|| combined("oneOf", " | "))
        .or_else(|| combined("anyOf", " | "))
        .or_else(|| combined("allOf", " & "))
        .unwrap_or(type_name)
}
