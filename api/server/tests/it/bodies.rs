//! Sends bad bodies and queries to every operation of the endpoint table, so a new endpoint is covered automatically. Each answer
//! must be a 4xx with an error body, never a 500, and nothing may be written.

use panel_contract::endpoint::Op;
use panel_contract::endpoints;
use panel_platform::db::{Dialect, Sql};
use panel_server::router::routes;
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::test_server::TestServer;

both! {
    bad_bodies_are_4xx_everywhere;
    wrong_types_in_each_field_are_4xx;
    bad_queries_are_4xx_everywhere;
    every_body_may_be_a_form_with_bracketed_names;
    hidden_characters_in_names_are_refused;
}

/// A description and the bytes of each bad body.
fn bad_bodies() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("nothing", Vec::new()),
        ("half an object", b"{".to_vec()),
        ("null", b"null".to_vec()),
        ("an array for an object", b"[]".to_vec()),
        ("an array of objects", b"[{}]".to_vec()),
        ("a number", b"7".to_vec()),
        ("a text", b"\"text\"".to_vec()),
        ("an unknown field", b"{\"no_such_field\":1}".to_vec()),
        ("a field of the prototype", b"{\"__proto__\":{\"admin\":true}}".to_vec()),
        ("bytes that are no UTF-8", b"{\"name\":\"\xff\xfe\"}".to_vec()),
        ("no JSON at all", b"\xff\xfe\x00\x01".to_vec()),
        ("half a surrogate", b"{\"name\":\"\\ud800\"}".to_vec()),
        ("a NUL", b"{\"name\":\"a\\u0000b\"}".to_vec()),
        ("a huge number", b"{\"id\":1e400}".to_vec()),
        ("a deep array", format!("{}1{}", "[".repeat(50_000), "]".repeat(50_000)).into_bytes()),
        ("a deep object", format!("{}1{}", "{\"a\":".repeat(20_000), "}".repeat(20_000)).into_bytes()),
        ("something behind the end", b"{} {}".to_vec()),
    ]
}

fn write_operations() -> impl Iterator<Item = &'static Op> {
    endpoints::all().filter(|op| op.is_write())
}

/// The path with the id 4 in every placeholder.
fn path_with_ids(path: &str) -> String {
    path.split('/').map(|part| if part.starts_with('{') { "4" } else { part }).collect::<Vec<_>>().join("/")
}

async fn send(served: &TestServer, op: &Op, path: &str, body: Vec<u8>) -> (u16, String) {
    let answer = served
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
    (answer.status, answer.text)
}

/// The schema of an operation's JSON body in the OpenAPI document.
fn body_schema<'d>(document: &'d Value, op: &Op) -> Option<&'d Value> {
    let operation = &document["paths"][op.path][op.method.to_lowercase()];
    let schema = operation.pointer("/requestBody/content/application~1json/schema")?;
    Some(resolve_reference(document, schema))
}

fn resolve_reference<'d>(document: &'d Value, schema: &'d Value) -> &'d Value {
    match schema["$ref"].as_str().and_then(|name| document.pointer(name.strip_prefix('#')?)) {
        Some(found) => resolve_reference(document, found),
        None => schema,
    }
}

async fn served_panel(dialect: Dialect) -> TestServer {
    let panel = Panel::on(dialect).await;
    panel.fill(20, 60).await;
    TestServer::without_workers(panel).await
}

/// The number of audit entries and ledger transactions, which grows with every write.
async fn written_rows(served: &TestServer) -> i64 {
    served
        .panel
        .number(Sql::new("SELECT (SELECT count(*) FROM audits) + (SELECT count(*) FROM ledger_txns)"))
        .await
}

fn check_refusal(wrong: &mut Vec<String>, description: &str, op: &Op, (status, text): &(u16, String)) {
    let problem: Value = serde_json::from_str(text).unwrap_or(Value::Null);
    let is_error_body = problem["code"].is_string() && problem["message"].is_string();
    // Clients of the reseller API expect an error in a response with status 200.
    if op.id == "call_reseller" && *status == 200 && problem["error"].is_string() {
        return;
    }
    if !(400..500).contains(status) || !is_error_body {
        wrong.push(format!(
            "{} {} with {description}: {status} {}",
            op.method,
            op.path,
            text.chars().take(200).collect::<String>()
        ));
    }
}

async fn bad_bodies_are_4xx_everywhere(dialect: Dialect) {
    let served = served_panel(dialect).await;
    let document = routes::document();
    let before = written_rows(&served).await;
    let mut wrong = Vec::new();
    for op in write_operations() {
        let path = path_with_ids(op.path);
        // An operation without a body ignores what a request sends, so only operations with one are tested.
        let takes_body = body_schema(&document, op).is_some();
        for (description, body) in bad_bodies().into_iter().filter(|_| takes_body) {
            check_refusal(&mut wrong, description, op, &send(&served, op, &path, body).await);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(written_rows(&served).await, before, "something was written");
    assert_eq!(served.request("GET", "/healthz", None, None).await.status, 200);
}

/// Sends each field of each body, one after the other, with values of wrong types.
async fn wrong_types_in_each_field_are_4xx(dialect: Dialect) {
    let served = served_panel(dialect).await;
    let document = routes::document();
    let before = written_rows(&served).await;
    let mut wrong = Vec::new();
    for op in write_operations() {
        let Some(fields) = body_schema(&document, op).and_then(|schema| schema["properties"].as_object())
        else {
            continue;
        };
        for (field, kind) in fields {
            for value in wrong_values(resolve_reference(&document, kind)) {
                let body = json!({ field.as_str(): value }).to_string().into_bytes();
                let description = format!("{field} = {value:.80}");
                check_refusal(
                    &mut wrong,
                    &description,
                    op,
                    &send(&served, op, &path_with_ids(op.path), body).await,
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(written_rows(&served).await, before, "something was written");
}

/// Sends every name that an operation has with bidirectional controls, invisible characters and a line break.
async fn hidden_characters_in_names_are_refused(dialect: Dialect) {
    const NAMES: [&str; 6] = ["name", "panel_name", "title", "company_name", "logo_alt", "vat"];
    let served = served_panel(dialect).await;
    let document = routes::document();
    let before = written_rows(&served).await;
    let (mut wrong, mut names_count) = (Vec::new(), 0);
    for op in write_operations().filter(|op| op.path.starts_with("/api/v1/admin/")) {
        let Some(fields) = body_schema(&document, op).and_then(|schema| schema["properties"].as_object())
        else {
            continue;
        };
        for field in fields.keys().filter(|field| NAMES.contains(&field.as_str())) {
            names_count += 1;
            for character in
                ['\u{202a}', '\u{202e}', '\u{2066}', '\u{2069}', '\u{200f}', '\u{61c}', '\u{200b}', '\n']
            {
                let body = json!({ field.as_str(): format!("a{character}b") }).to_string().into_bytes();
                let (status, text) = send(&served, op, &path_with_ids(op.path), body).await;
                let answer: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
                let message = format!("Remove the hidden character U+{:04X}.", u32::from(character));
                let is_named = answer["errors"][field]
                    .as_array()
                    .is_some_and(|messages| messages.contains(&json!(message)));
                if status != 422 || !is_named {
                    wrong.push(format!(
                        "{} {}: {field} with {character:?}: {status} {text:.200}",
                        op.method, op.path
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(names_count >= 30, "only {names_count} names were tried");
    assert_eq!(written_rows(&served).await, before, "something was written");
}

/// Values whose types the schema does not allow.
fn wrong_values(schema: &Value) -> Vec<Value> {
    let kinds = schema["type"].to_string();
    let mut values = vec![json!({"a": {"b": []}}), json!([[[]]]), json!(1.5e300)];
    if !kinds.contains("string") {
        values.extend([json!("x".repeat(5_000)), json!("\u{202e}'; DROP TABLE users; --")]);
    }
    if !kinds.contains("integer") && !kinds.contains("number") {
        values.extend([json!(i64::MAX), json!(-1)]);
    }
    if !kinds.contains("boolean") {
        values.push(json!(true));
    }
    // A schema without a type, or of an object, accepts these values.
    let takes_objects = kinds.contains("object") || schema.get("type").is_none();
    values.retain(|value| !(takes_objects && (value.is_object() || schema.get("type").is_none())));
    values.retain(|value| !(kinds.contains("array") && value.is_array()));
    values
}

async fn bad_queries_are_4xx_everywhere(dialect: Dialect) {
    let served = served_panel(dialect).await;
    let mut wrong = Vec::new();
    // The console's files accept any query, as file servers do.
    for op in endpoints::all().filter(|op| !op.is_write() && op.path.starts_with("/api/v1/admin/")) {
        for query in ["no_such_parameter=1", "a=%ff", "a=%00", "length=9e9&start=-1&columns[999999][data]=x"]
        {
            let path = format!("{}?{query}", path_with_ids(op.path));
            check_refusal(&mut wrong, query, op, &send(&served, op, &path, Vec::new()).await);
        }
        for id in ["0", "-1", "x", "9223372036854775808", "1.5", "%00", "%ff"] {
            if op.path.contains('{') {
                let path = op.path.split('/').map(|part| if part.starts_with('{') { id } else { part });
                let path = path.collect::<Vec<_>>().join("/");
                check_refusal(&mut wrong, id, op, &send(&served, op, &path, Vec::new()).await);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A value that a schema allows.
fn sample_value(document: &Value, schema: &Value, depth: usize) -> Value {
    let schema = resolve_reference(document, schema);
    for keyword in ["allOf", "oneOf", "anyOf"] {
        let alternatives = schema[keyword].as_array().map_or(&[][..], Vec::as_slice);
        if let Some(alternative) = alternatives.iter().find(|alternative| alternative["type"] != "null") {
            return sample_value(document, alternative, depth);
        }
    }
    if let Some(first_value) = schema["enum"].as_array().and_then(|values| values.first()) {
        return first_value.clone();
    }
    let kinds = schema["type"].to_string();
    if kinds.contains("array") {
        let items =
            if depth == 0 { vec![] } else { vec![sample_value(document, &schema["items"], depth - 1)] };
        return items.into();
    }
    if let Some(fields) = schema["properties"].as_object().filter(|_| depth > 0) {
        let sampled =
            fields.iter().map(|(name, field)| (name.clone(), sample_value(document, field, depth - 1)));
        return Value::Object(sampled.collect());
    }
    let entry_schema = &schema["additionalProperties"];
    if kinds.contains("object") && entry_schema.is_object() && depth > 0 {
        return json!({ "en": sample_value(document, entry_schema, depth - 1) });
    }
    if kinds.contains("boolean") {
        json!(true)
    } else if kinds.contains("integer") || kinds.contains("number") {
        json!(1)
    } else {
        json!("x")
    }
}

/// The fields of a form for a JSON body, as `translations[en][name]=x`. A form cannot express empty lists and objects.
fn flatten(name: &str, value: &Value, fields: &mut Vec<(String, String)>) {
    let nested_name = |part: &str| if name.is_empty() { part.to_owned() } else { format!("{name}[{part}]") };
    match value {
        Value::Object(parts) => {
            parts.iter().for_each(|(part, value)| flatten(&nested_name(part), value, fields))
        }
        Value::Array(parts) => {
            parts
                .iter()
                .enumerate()
                .for_each(|(at, value)| flatten(&nested_name(&at.to_string()), value, fields));
        }
        Value::Bool(is_true) => fields.push((name.to_owned(), if *is_true { "1" } else { "0" }.to_owned())),
        Value::String(text) => fields.push((name.to_owned(), text.clone())),
        other => fields.push((name.to_owned(), other.to_string())),
    }
}

/// Every operation with a JSON body accepts URL-encoded and multipart forms too: with a value for each field of the schema and one
/// unknown field, all three content types get the same status and the same field errors.
async fn every_body_may_be_a_form_with_bracketed_names(dialect: Dialect) {
    let served = served_panel(dialect).await;
    let document = routes::document();
    let (mut wrong, mut bodies_count) = (Vec::new(), 0);
    for op in write_operations().filter(|op| op.id != "call_reseller") {
        let operation = &document["paths"][op.path][op.method.to_lowercase()]["requestBody"]["content"];
        let Some(schema) = operation["application/json"]["schema"].as_object() else { continue };
        let mut body = sample_value(&document, &Value::Object(schema.clone()), 4);
        let Some(body_fields) = body.as_object_mut() else { continue };
        body_fields.insert("no_such_field".to_owned(), json!("1"));
        let mut fields = Vec::new();
        flatten("", &body, &mut fields);
        let encoded: Vec<String> = fields
            .iter()
            .map(|(name, text)| {
                format!("{}={}", crate::tables::percent_encoded(name), crate::tables::percent_encoded(text))
            })
            .collect();
        let part = |(name, text): &(String, String)| {
            format!("--b\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n")
        };
        let multipart = fields.iter().map(part).collect::<String>() + "--b--\r\n";
        let bodies = [
            ("application/json", body.to_string()),
            ("application/x-www-form-urlencoded", encoded.join("&")),
            ("multipart/form-data; boundary=b", multipart),
        ];
        let mut answers = Vec::new();
        for (content_type, text) in bodies {
            let request = |request: reqwest::RequestBuilder| {
                request.bearer_auth("owner").header("content-type", content_type).body(text)
            };
            let answer = served.send(request, op.method, &path_with_ids(op.path)).await;
            let problem: Value = serde_json::from_str(&answer.text).unwrap_or(Value::Null);
            let field_names: Vec<String> =
                problem["errors"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
            answers.push((answer.status, field_names));
        }
        bodies_count += 1;
        if answers.iter().any(|answer| *answer != answers[0]) {
            wrong.push(format!("{} {}: {answers:?}", op.method, op.path));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(bodies_count > 90, "{bodies_count} bodies");
}
