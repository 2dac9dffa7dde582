//! Bad bodies against every operation of the endpoint table: always a 4xx in the one form of errors, never a 500, and
//! nothing is written. A new endpoint is tried by itself.

use panel_contract::endpoint::Op;
use panel_contract::endpoints;
use panel_server::db::{Dialect, Sql};
use panel_server::http::routes;
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::served::Served;

both! {
    bad_bodies_are_4xx_everywhere;
    wrong_types_in_each_field_are_4xx;
    bad_queries_are_4xx_everywhere;
}

/// What is sent, and under which name it is reported.
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

fn writing() -> impl Iterator<Item = &'static Op> {
    endpoints::all().filter(|op| op.writes())
}

/// Some id in every placeholder.
fn filled(path: &str) -> String {
    path.split('/').map(|part| if part.starts_with('{') { "4" } else { part }).collect::<Vec<_>>().join("/")
}

async fn send(served: &Served, op: &Op, path: &str, body: Vec<u8>) -> (u16, String) {
    let got = served
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
    (got.status, got.text)
}

/// Whether an operation takes a body, as the OpenAPI document has it.
fn schema<'d>(document: &'d Value, op: &Op) -> Option<&'d Value> {
    let operation = &document["paths"][op.path][op.method.to_lowercase()];
    let schema = operation.pointer("/requestBody/content/application~1json/schema")?;
    Some(resolved(document, schema))
}

fn resolved<'d>(document: &'d Value, schema: &'d Value) -> &'d Value {
    match schema["$ref"].as_str().and_then(|name| document.pointer(name.strip_prefix('#')?)) {
        Some(found) => resolved(document, found),
        None => schema,
    }
}

async fn filled_panel(dialect: Dialect) -> Served {
    let panel = Panel::on(dialect).await;
    panel.fill(20, 60).await;
    Served::without_workers(panel).await
}

/// What a write would leave behind.
async fn traces(served: &Served) -> i64 {
    served
        .panel
        .number(Sql::new("SELECT (SELECT count(*) FROM audits) + (SELECT count(*) FROM ledger_txns)"))
        .await
}

fn judge(wrong: &mut Vec<String>, what: &str, op: &Op, (status, text): &(u16, String)) {
    let problem: Value = serde_json::from_str(text).unwrap_or(Value::Null);
    let is_told = problem["code"].is_string() && problem["message"].is_string();
    // The programs that speak the reseller API read a no in an answer of 200 alone.
    if op.id == "call_reseller" && *status == 200 && problem["error"].is_string() {
        return;
    }
    if !(400..500).contains(status) || !is_told {
        wrong.push(format!(
            "{} {} with {what}: {status} {}",
            op.method,
            op.path,
            text.chars().take(200).collect::<String>()
        ));
    }
}

async fn bad_bodies_are_4xx_everywhere(dialect: Dialect) {
    let served = filled_panel(dialect).await;
    let document = routes::document();
    let before = traces(&served).await;
    let mut wrong = Vec::new();
    for op in writing() {
        let path = filled(op.path);
        // What takes no body ignores none that is empty; everything else must be understood.
        let takes = schema(&document, op).is_some();
        for (what, body) in bad_bodies().into_iter().filter(|_| takes) {
            judge(&mut wrong, what, op, &send(&served, op, &path, body).await);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(traces(&served).await, before, "something was written");
    assert_eq!(served.ask("GET", "/healthz", None, None).await.status, 200);
}

/// Each field of each body, one after the other, holds what it cannot hold.
async fn wrong_types_in_each_field_are_4xx(dialect: Dialect) {
    let served = filled_panel(dialect).await;
    let document = routes::document();
    let before = traces(&served).await;
    let mut wrong = Vec::new();
    for op in writing() {
        let Some(fields) = schema(&document, op).and_then(|schema| schema["properties"].as_object()) else {
            continue;
        };
        for (field, kind) in fields {
            for value in cannot_hold(resolved(&document, kind)) {
                let body = json!({ field.as_str(): value }).to_string().into_bytes();
                let what = format!("{field} = {value:.80}");
                judge(&mut wrong, &what, op, &send(&served, op, &filled(op.path), body).await);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(traces(&served).await, before, "something was written");
}

/// Values of other kinds than the schema's.
fn cannot_hold(schema: &Value) -> Vec<Value> {
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
    // A schema that takes anything, or one object, is not tried with these.
    let takes_objects = kinds.contains("object") || schema.get("type").is_none();
    values.retain(|value| !(takes_objects && (value.is_object() || schema.get("type").is_none())));
    values.retain(|value| !(kinds.contains("array") && value.is_array()));
    values
}

async fn bad_queries_are_4xx_everywhere(dialect: Dialect) {
    let served = filled_panel(dialect).await;
    let mut wrong = Vec::new();
    // The interface's own files take anything behind a question mark, as servers of files do.
    for op in endpoints::all().filter(|op| !op.writes() && op.path.starts_with("/api/v1/admin/")) {
        for query in ["no_such_parameter=1", "a=%ff", "a=%00", "length=9e9&start=-1&columns[999999][data]=x"]
        {
            let path = format!("{}?{query}", filled(op.path));
            judge(&mut wrong, query, op, &send(&served, op, &path, Vec::new()).await);
        }
        for id in ["0", "-1", "x", "9223372036854775808", "1.5", "%00", "%ff"] {
            if op.path.contains('{') {
                let path = op.path.split('/').map(|part| if part.starts_with('{') { id } else { part });
                let path = path.collect::<Vec<_>>().join("/");
                judge(&mut wrong, id, op, &send(&served, op, &path, Vec::new()).await);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
