//! Sends invalid bodies and queries to every operation of the endpoint table, so the tests cover new endpoints automatically. Each
//! response must be a 4xx with an error body, never a 500, and the request must not change the database.

use panel_contract::endpoint::Op;
use panel_contract::endpoints;
use panel_platform::db::{Dialect, Sql};
use panel_server::router::routes;
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::test_server::TestServer;

test_both_databases! {
    every_operation_rejects_invalid_bodies;
    every_operation_rejects_wrong_types_in_each_field;
    every_operation_rejects_invalid_queries;
    every_json_body_can_be_sent_as_a_form;
    hidden_characters_in_names_are_rejected;
}

/// The description and the bytes of each invalid body.
fn invalid_bodies() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("an empty body", Vec::new()),
        ("an unfinished object", b"{".to_vec()),
        ("null", b"null".to_vec()),
        ("an array for an object", b"[]".to_vec()),
        ("an array of objects", b"[{}]".to_vec()),
        ("a number", b"7".to_vec()),
        ("a string", b"\"text\"".to_vec()),
        ("an unknown field", b"{\"no_such_field\":1}".to_vec()),
        ("a field of the prototype", b"{\"__proto__\":{\"admin\":true}}".to_vec()),
        ("bytes that are not UTF-8", b"{\"name\":\"\xff\xfe\"}".to_vec()),
        ("bytes that are not JSON", b"\xff\xfe\x00\x01".to_vec()),
        ("a lone surrogate", b"{\"name\":\"\\ud800\"}".to_vec()),
        ("a NUL", b"{\"name\":\"a\\u0000b\"}".to_vec()),
        ("a huge number", b"{\"id\":1e400}".to_vec()),
        ("a deeply nested array", format!("{}1{}", "[".repeat(50_000), "]".repeat(50_000)).into_bytes()),
        (
            "a deeply nested object",
            format!("{}1{}", "{\"a\":".repeat(20_000), "}".repeat(20_000)).into_bytes(),
        ),
        ("text after the end of the JSON", b"{} {}".to_vec()),
    ]
}

fn write_operations() -> impl Iterator<Item = &'static Op> {
    endpoints::all().filter(|op| op.is_write())
}

/// Replaces every placeholder of the path with the id 4.
fn fill_path(path: &str) -> String {
    path.split('/').map(|part| if part.starts_with('{') { "4" } else { part }).collect::<Vec<_>>().join("/")
}

async fn send_body(server: &TestServer, op: &Op, path: &str, body: Vec<u8>) -> (u16, String) {
    let response = server
        .send(
            |request| {
                request
                    .bearer_auth("owner")
                    .header("content-type", "application/json")
                    .header("idempotency-key", uuid::Uuid::new_v4().to_string())
                    .body(body)
            },
            op.method,
            path,
        )
        .await;
    (response.status, response.text)
}

/// The schema of an operation's JSON body in the OpenAPI document.
fn find_body_schema<'d>(document: &'d Value, op: &Op) -> Option<&'d Value> {
    let operation = &document["paths"][op.path][op.method.to_lowercase()];
    let schema = operation.pointer("/requestBody/content/application~1json/schema")?;
    Some(resolve_reference(document, schema))
}

fn resolve_reference<'d>(document: &'d Value, schema: &'d Value) -> &'d Value {
    match schema["$ref"].as_str().and_then(|name| document.pointer(name.strip_prefix('#')?)) {
        Some(target_schema) => resolve_reference(document, target_schema),
        None => schema,
    }
}

async fn start_server(dialect: Dialect) -> TestServer {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(20, 60).await;
    TestServer::without_workers(panel).await
}

/// The number of audit entries and ledger transactions. Every successful write operation adds one.
async fn count_written_rows(server: &TestServer) -> i64 {
    server
        .panel
        .fetch_number(Sql::new("SELECT (SELECT count(*) FROM audits) + (SELECT count(*) FROM ledger_txns)"))
        .await
}

fn add_problem_unless_rejected(
    problems: &mut Vec<String>,
    description: &str,
    op: &Op,
    (status, text): &(u16, String),
) {
    let error_body: Value = serde_json::from_str(text).unwrap_or(Value::Null);
    let is_error_body = error_body["code"].is_string() && error_body["message"].is_string();
    // Clients of the reseller API expect an error in a response with status 200.
    if op.id == "call_reseller" && *status == 200 && error_body["error"].is_string() {
        return;
    }
    if !(400..500).contains(status) || !is_error_body {
        problems.push(format!(
            "{} {} with {description}: {status} {}",
            op.method,
            op.path,
            text.chars().take(200).collect::<String>()
        ));
    }
}

async fn every_operation_rejects_invalid_bodies(dialect: Dialect) {
    let server = start_server(dialect).await;
    let document = routes::openapi_document();
    let row_count_before = count_written_rows(&server).await;
    let mut problems = Vec::new();
    for op in write_operations() {
        let path = fill_path(op.path);
        // Operations without a body ignore the body of a request, so the test skips them.
        let has_body = find_body_schema(&document, op).is_some();
        for (description, body) in invalid_bodies().into_iter().filter(|_| has_body) {
            add_problem_unless_rejected(
                &mut problems,
                description,
                op,
                &send_body(&server, op, &path, body).await,
            );
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert_eq!(
        count_written_rows(&server).await,
        row_count_before,
        "a rejected request changed the database"
    );
    assert_eq!(server.request("GET", "/healthz", None, None).await.status, 200);
}

/// Sends each field of each body, one after the other, with values of wrong types.
async fn every_operation_rejects_wrong_types_in_each_field(dialect: Dialect) {
    let server = start_server(dialect).await;
    let document = routes::openapi_document();
    let row_count_before = count_written_rows(&server).await;
    let mut problems = Vec::new();
    for op in write_operations() {
        let Some(fields) =
            find_body_schema(&document, op).and_then(|schema| schema["properties"].as_object())
        else {
            continue;
        };
        for (field, field_schema) in fields {
            for value in values_of_wrong_types(resolve_reference(&document, field_schema)) {
                let body = json!({ field.as_str(): value }).to_string().into_bytes();
                let description = format!("{field} = {value:.80}");
                add_problem_unless_rejected(
                    &mut problems,
                    &description,
                    op,
                    &send_body(&server, op, &fill_path(op.path), body).await,
                );
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert_eq!(
        count_written_rows(&server).await,
        row_count_before,
        "a rejected request changed the database"
    );
}

/// Sends every name field of every operation with bidirectional controls, invisible characters and a line break.
async fn hidden_characters_in_names_are_rejected(dialect: Dialect) {
    const NAME_FIELDS: [&str; 6] = ["name", "panel_name", "title", "company_name", "logo_alt", "vat"];
    let server = start_server(dialect).await;
    let document = routes::openapi_document();
    let row_count_before = count_written_rows(&server).await;
    let (mut problems, mut field_count) = (Vec::new(), 0);
    for op in write_operations().filter(|op| op.path.starts_with("/api/v1/admin/")) {
        let Some(fields) =
            find_body_schema(&document, op).and_then(|schema| schema["properties"].as_object())
        else {
            continue;
        };
        for field in fields.keys().filter(|field| NAME_FIELDS.contains(&field.as_str())) {
            field_count += 1;
            for character in
                ['\u{202a}', '\u{202e}', '\u{2066}', '\u{2069}', '\u{200f}', '\u{61c}', '\u{200b}', '\n']
            {
                let body = json!({ field.as_str(): format!("a{character}b") }).to_string().into_bytes();
                let (status, text) = send_body(&server, op, &fill_path(op.path), body).await;
                let error_body: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
                let message = format!("Remove the hidden character U+{:04X}.", u32::from(character));
                let has_expected_error = error_body["errors"][field]
                    .as_array()
                    .is_some_and(|messages| messages.contains(&json!(message)));
                if status != 422 || !has_expected_error {
                    problems.push(format!(
                        "{} {}: {field} with {character:?}: {status} {text:.200}",
                        op.method, op.path
                    ));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(field_count >= 30, "only {field_count} name fields were tested");
    assert_eq!(
        count_written_rows(&server).await,
        row_count_before,
        "a rejected request changed the database"
    );
}

/// Values whose types the schema does not allow.
fn values_of_wrong_types(schema: &Value) -> Vec<Value> {
    let type_names = schema["type"].to_string();
    let mut values = vec![json!({"a": {"b": []}}), json!([[[]]]), json!(1.5e300)];
    if !type_names.contains("string") {
        values.extend([json!("x".repeat(5_000)), json!("\u{202e}'; DROP TABLE users; --")]);
    }
    if !type_names.contains("integer") && !type_names.contains("number") {
        values.extend([json!(i64::MAX), json!(-1)]);
    }
    if !type_names.contains("boolean") {
        values.push(json!(true));
    }
    // A schema without a type accepts every value, and a schema of an object accepts objects.
    let accepts_objects = type_names.contains("object") || schema.get("type").is_none();
    values.retain(|value| !(accepts_objects && (value.is_object() || schema.get("type").is_none())));
    values.retain(|value| !(type_names.contains("array") && value.is_array()));
    values
}

async fn every_operation_rejects_invalid_queries(dialect: Dialect) {
    let server = start_server(dialect).await;
    let mut problems = Vec::new();
    // Operations that serve the console's files accept any query, as file servers do.
    for op in endpoints::all().filter(|op| !op.is_write() && op.path.starts_with("/api/v1/admin/")) {
        for query in ["no_such_parameter=1", "a=%ff", "a=%00", "length=9e9&start=-1&columns[999999][data]=x"]
        {
            let path = format!("{}?{query}", fill_path(op.path));
            add_problem_unless_rejected(
                &mut problems,
                query,
                op,
                &send_body(&server, op, &path, Vec::new()).await,
            );
        }
        for id in ["0", "-1", "x", "9223372036854775808", "1.5", "%00", "%ff"] {
            if op.path.contains('{') {
                let path = op.path.split('/').map(|part| if part.starts_with('{') { id } else { part });
                let path = path.collect::<Vec<_>>().join("/");
                add_problem_unless_rejected(
                    &mut problems,
                    id,
                    op,
                    &send_body(&server, op, &path, Vec::new()).await,
                );
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// A value that the schema allows.
fn build_sample_value(document: &Value, schema: &Value, depth: usize) -> Value {
    let schema = resolve_reference(document, schema);
    for keyword in ["allOf", "oneOf", "anyOf"] {
        let alternatives = schema[keyword].as_array().map_or(&[][..], Vec::as_slice);
        if let Some(alternative) = alternatives.iter().find(|alternative| alternative["type"] != "null") {
            return build_sample_value(document, alternative, depth);
        }
    }
    if let Some(first_value) = schema["enum"].as_array().and_then(|values| values.first()) {
        return first_value.clone();
    }
    let type_names = schema["type"].to_string();
    if type_names.contains("array") {
        let items =
            if depth == 0 { vec![] } else { vec![build_sample_value(document, &schema["items"], depth - 1)] };
        return items.into();
    }
    if let Some(fields) = schema["properties"].as_object().filter(|_| depth > 0) {
        let sample_fields =
            fields.iter().map(|(name, field)| (name.clone(), build_sample_value(document, field, depth - 1)));
        return Value::Object(sample_fields.collect());
    }
    let entry_schema = &schema["additionalProperties"];
    if type_names.contains("object") && entry_schema.is_object() && depth > 0 {
        return json!({ "en": build_sample_value(document, entry_schema, depth - 1) });
    }
    if type_names.contains("boolean") {
        json!(true)
    } else if type_names.contains("integer") || type_names.contains("number") {
        json!(1)
    } else {
        json!("x")
    }
}

/// Converts a JSON body to form fields such as `translations[en][name]=x`. A form cannot express empty lists and objects.
fn add_form_fields(name: &str, value: &Value, fields: &mut Vec<(String, String)>) {
    let field_name = |part: &str| if name.is_empty() { part.to_owned() } else { format!("{name}[{part}]") };
    match value {
        Value::Object(parts) => {
            parts.iter().for_each(|(part, value)| add_form_fields(&field_name(part), value, fields))
        }
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(index, value)| add_form_fields(&field_name(&index.to_string()), value, fields));
        }
        Value::Bool(is_true) => fields.push((name.to_owned(), if *is_true { "1" } else { "0" }.to_owned())),
        Value::String(text) => fields.push((name.to_owned(), text.clone())),
        other => fields.push((name.to_owned(), other.to_string())),
    }
}

/// Every operation with a JSON body accepts URL-encoded and multipart forms too: with a value for each field of the schema and one
/// unknown field, all three content types get the same status and the same field errors.
async fn every_json_body_can_be_sent_as_a_form(dialect: Dialect) {
    let server = start_server(dialect).await;
    let document = routes::openapi_document();
    let (mut problems, mut body_count) = (Vec::new(), 0);
    for op in write_operations().filter(|op| op.id != "call_reseller") {
        let operation = &document["paths"][op.path][op.method.to_lowercase()]["requestBody"]["content"];
        let Some(schema) = operation["application/json"]["schema"].as_object() else { continue };
        let mut body = build_sample_value(&document, &Value::Object(schema.clone()), 4);
        let Some(body_fields) = body.as_object_mut() else { continue };
        body_fields.insert("no_such_field".to_owned(), json!("1"));
        let mut fields = Vec::new();
        add_form_fields("", &body, &mut fields);
        let url_encoded: Vec<String> = fields
            .iter()
            .map(|(name, value)| {
                format!("{}={}", crate::tables::percent_encoded(name), crate::tables::percent_encoded(value))
            })
            .collect();
        let part = |(name, value): &(String, String)| {
            format!("--b\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
        };
        let multipart = fields.iter().map(part).collect::<String>() + "--b--\r\n";
        let bodies = [
            ("application/json", body.to_string()),
            ("application/x-www-form-urlencoded", url_encoded.join("&")),
            ("multipart/form-data; boundary=b", multipart),
        ];
        let mut responses = Vec::new();
        for (content_type, body_text) in bodies {
            let request = |request: reqwest::RequestBuilder| {
                request.bearer_auth("owner").header("content-type", content_type).body(body_text)
            };
            let response = server.send(request, op.method, &fill_path(op.path)).await;
            let error_body: Value = serde_json::from_str(&response.text).unwrap_or(Value::Null);
            let field_names: Vec<String> = error_body["errors"]
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, _)| name.clone())
                .collect();
            responses.push((response.status, field_names));
        }
        body_count += 1;
        if responses.iter().any(|response| *response != responses[0]) {
            problems.push(format!("{} {}: {responses:?}", op.method, op.path));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(body_count > 90, "only {body_count} bodies were tested");
}
