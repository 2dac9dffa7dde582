//! The whole surface at once: the endpoint table against that of the specification, and the OpenAPI document.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use panel_contract::endpoints;
use panel_server::router::routes;
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn fixture(name: &str) -> String {
    let file = root().join("fixtures").join(name);
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// `METHOD /path` and who may call it, as the specification has it.
fn specified() -> BTreeMap<String, String> {
    let rows = fixture("endpoints.tsv");
    let rows = rows.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        assert!(fields.len() >= 5, "{line}");
        (format!("{} {}", fields[1], fields[2]), fields[3].to_owned())
    });
    let rows: Vec<_> = rows.collect();
    let count = rows.len();
    let map: BTreeMap<_, _> = rows.into_iter().collect();
    assert_eq!(map.len(), count, "an operation stands in endpoints.tsv twice");
    map
}

/// What came after the specification has no row there; the snapshot of [`routes`] shows who may call it.
#[test]
fn the_endpoint_table_is_the_specifications() {
    let built: BTreeMap<String, String> =
        endpoints::all().map(|op| (format!("{} {}", op.method, op.path), op.access())).collect();
    for (operation, who) in specified() {
        let built = built.get(&operation);
        assert_eq!(
            built,
            Some(&who),
            "{operation} is not built, or open to others than fixtures/endpoints.tsv says"
        );
    }
}

#[test]
fn every_endpoint_of_the_table_is_served() {
    let names = |ops: &mut dyn Iterator<Item = String>| ops.collect::<BTreeSet<_>>();
    let api = routes::api();
    let served = names(&mut api.ops().iter().map(|op| op.id.to_owned()));
    let table = names(&mut endpoints::all().map(|op| op.id.to_owned()));
    assert_eq!(served, table);
    assert_eq!(api.ops().len(), served.len(), "two endpoints have one name");
}

pub(crate) fn snapshot(name: &str, text: &str) {
    insta::with_settings!({ snapshot_path => "../../../../snapshots/server", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, text);
    });
}

#[test]
fn routes() {
    let mut lines: Vec<String> = endpoints::all()
        .map(|op| format!("{:6} {:60} {:24} {}", op.method, op.path, op.id, op.access()))
        .collect();
    lines.sort_by_key(|line| line.split_whitespace().nth(1).map(str::to_owned));
    snapshot("routes", &lines.join("\n"));
}

#[test]
fn openapi_is_sound() {
    let document = routes::document();
    assert_eq!(document["openapi"], "3.1.0");
    every_reference_resolves(&document, &document, "");
    let text = document.to_string();
    for name in document["components"]["schemas"].as_object().unwrap().keys() {
        assert!(text.contains(&format!("\"#/components/schemas/{name}\"")), "nothing refers to {name}");
    }
    let mut ids = BTreeSet::new();
    for (path, method, operation) in operations(&document) {
        let at = format!("{method} {path}");
        assert!(ids.insert(operation["operationId"].as_str().unwrap().to_owned()), "{at}");
        assert!(!operation["summary"].as_str().unwrap().is_empty(), "{at}");
        let responses = operation["responses"].as_object().unwrap();
        assert!(responses.keys().any(|status| status.starts_with('2')), "{at}");
        for (status, response) in responses {
            assert!(response["description"].as_str().is_some_and(|text| !text.is_empty()), "{at} {status}");
        }
        parameters_are_sound(&document, &path, operation, &at);
    }
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte)), "{name}");
        assert!(schema.is_object(), "{name}");
    }
}

fn operations(document: &Value) -> Vec<(String, String, &Value)> {
    let mut all = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            all.push((path.clone(), method.clone(), operation));
        }
    }
    all
}

fn every_reference_resolves(document: &Value, value: &Value, at: &str) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get("$ref") {
                let pointer = reference.strip_prefix('#').unwrap_or_else(|| panic!("{at}: {reference}"));
                assert!(document.pointer(pointer).is_some(), "{at}: {reference} leads nowhere");
            }
            for (name, value) in fields {
                every_reference_resolves(document, value, &format!("{at}/{name}"));
            }
        }
        Value::Array(values) => values.iter().for_each(|value| every_reference_resolves(document, value, at)),
        _ => {}
    }
}

/// Every placeholder is a required parameter, and no parameter is named twice.
fn parameters_are_sound(document: &Value, path: &str, operation: &Value, at: &str) {
    let mut seen = BTreeSet::new();
    for parameter in operation["parameters"].as_array().unwrap() {
        let parameter = match parameter["$ref"].as_str() {
            Some(reference) => document.pointer(&reference[1..]).unwrap(),
            None => parameter,
        };
        let (name, place) = (parameter["name"].as_str().unwrap(), parameter["in"].as_str().unwrap());
        assert!(seen.insert((place, name)), "{at}: {name} twice");
        assert!(parameter["schema"].is_object() || parameter["content"].is_object(), "{at}: {name}");
        if place == "path" {
            assert!(path.contains(&format!("{{{name}}}")) && parameter["required"] == true, "{at}: {name}");
        }
    }
    let placeholders = path.matches('{').count();
    assert_eq!(seen.iter().filter(|(place, _)| *place == "path").count(), placeholders, "{at}");
}

/// What crosses the wire, in short lines, so that a change of it is seen in a review.
#[test]
fn wire() {
    let document = routes::document();
    let mut text = String::new();
    for (path, method, operation) in operations(&document) {
        writeln!(text, "{} {path}", method.to_uppercase()).unwrap();
        for parameter in operation["parameters"].as_array().unwrap().iter().filter(|one| one["in"] == "query")
        {
            writeln!(text, "  ?{} {}", parameter["name"].as_str().unwrap(), kind(&parameter["schema"]))
                .unwrap();
        }
        if let Some(schema) = operation.pointer("/requestBody/content/application~1json/schema") {
            writeln!(text, "  < {}", kind(schema)).unwrap();
        }
        for (status, response) in operation["responses"].as_object().unwrap() {
            if let (true, Some(content)) = (status.starts_with('2'), response["content"].as_object()) {
                for (media, content) in content {
                    writeln!(text, "  > {status} {media} {}", kind(&content["schema"])).unwrap();
                }
            }
        }
    }
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        writeln!(text, "{name} {}", kind(schema)).unwrap();
        let parts: Vec<&Value> =
            schema["allOf"].as_array().map_or(vec![schema], |parts| parts.iter().collect());
        for schema in parts {
            let required: Vec<&Value> = schema["required"].as_array().into_iter().flatten().collect();
            for (field, schema) in schema["properties"].as_object().into_iter().flatten() {
                let mark = if required.iter().any(|name| *name == field) { "" } else { "?" };
                writeln!(text, "  {field}{mark} {}", kind(schema)).unwrap();
            }
        }
    }
    snapshot("wire", &text);
}

fn kind(schema: &Value) -> String {
    let listed = |name: &str, between: &str| {
        let kinds = schema[name].as_array()?.iter().map(kind).collect::<Vec<_>>();
        Some(kinds.join(between))
    };
    let words = schema["enum"]
        .as_array()
        .map(|words| words.iter().map(|word| word.to_string()).collect::<Vec<_>>().join(" | "));
    let plain = match &schema["type"] {
        Value::String(kind) if kind == "array" => format!("[{}]", self::kind(&schema["items"])),
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" | "),
        _ => "any".to_owned(),
    };
    let reference = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next()).map(str::to_owned);
    reference
        .or(words)
        .or_else(|| listed("oneOf", " | "))
        .or_else(|| listed("anyOf", " | "))
        .or_else(|| listed("allOf", " & "))
        .unwrap_or(plain)
}
