//! Bad bodies against every operation of the endpoint table: always a 4xx in the one form of errors, never a 500, and
//! nothing is written. A new endpoint is tried by itself.

use panel_contract::endpoint::Op;
use panel_contract::endpoints;
use panel_platform::db::{Dialect, Sql};
use panel_server::router::routes;
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::served::Served;

both! {
    bad_bodies_are_4xx_everywhere;
    wrong_types_in_each_field_are_4xx;
    bad_queries_are_4xx_everywhere;
    every_body_may_be_a_form_with_bracketed_names;
    hidden_characters_in_names_are_refused;
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

/// Every name that an operation takes, in every coat of its body.
async fn hidden_characters_in_names_are_refused(dialect: Dialect) {
    const NAMES: [&str; 6] = ["name", "panel_name", "title", "company_name", "logo_alt", "vat"];
    let served = filled_panel(dialect).await;
    let document = routes::document();
    let before = traces(&served).await;
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for op in writing().filter(|op| op.path.starts_with("/api/v1/admin/")) {
        let Some(fields) = schema(&document, op).and_then(|schema| schema["properties"].as_object()) else {
            continue;
        };
        for field in fields.keys().filter(|field| NAMES.contains(&field.as_str())) {
            tried += 1;
            for letter in
                ['\u{202a}', '\u{202e}', '\u{2066}', '\u{2069}', '\u{200f}', '\u{61c}', '\u{200b}', '\n']
            {
                let body = json!({ field.as_str(): format!("a{letter}b") }).to_string().into_bytes();
                let (status, text) = send(&served, op, &filled(op.path), body).await;
                let answer: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
                let sentence = format!("Remove the hidden character U+{:04X}.", u32::from(letter));
                let named =
                    answer["errors"][field].as_array().is_some_and(|all| all.contains(&json!(sentence)));
                if status != 422 || !named {
                    wrong.push(format!(
                        "{} {}: {field} with {letter:?}: {status} {text:.200}",
                        op.method, op.path
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tried >= 30, "only {tried} names were tried");
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

/// Some value that a schema describes.
fn sample(document: &Value, schema: &Value, depth: usize) -> Value {
    let schema = resolved(document, schema);
    for of in ["allOf", "oneOf", "anyOf"] {
        let parts = schema[of].as_array().map_or(&[][..], Vec::as_slice);
        if let Some(part) = parts.iter().find(|part| part["type"] != "null") {
            return sample(document, part, depth);
        }
    }
    if let Some(word) = schema["enum"].as_array().and_then(|words| words.first()) {
        return word.clone();
    }
    let kinds = schema["type"].to_string();
    if kinds.contains("array") {
        let items = if depth == 0 { vec![] } else { vec![sample(document, &schema["items"], depth - 1)] };
        return items.into();
    }
    if let Some(fields) = schema["properties"].as_object().filter(|_| depth > 0) {
        let sampled = fields.iter().map(|(name, field)| (name.clone(), sample(document, field, depth - 1)));
        return Value::Object(sampled.collect());
    }
    let others = &schema["additionalProperties"];
    if kinds.contains("object") && others.is_object() && depth > 0 {
        return json!({ "en": sample(document, others, depth - 1) });
    }
    if kinds.contains("boolean") {
        json!(true)
    } else if kinds.contains("integer") || kinds.contains("number") {
        json!(1)
    } else {
        json!("x")
    }
}

/// A body as a form says it: `translations[en][name]=x`. An empty list and an empty group say nothing there.
fn flattened(name: &str, value: &Value, fields: &mut Vec<(String, String)>) {
    let named = |part: &str| if name.is_empty() { part.to_owned() } else { format!("{name}[{part}]") };
    match value {
        Value::Object(parts) => parts.iter().for_each(|(part, value)| flattened(&named(part), value, fields)),
        Value::Array(parts) => {
            parts
                .iter()
                .enumerate()
                .for_each(|(at, value)| flattened(&named(&at.to_string()), value, fields));
        }
        Value::Bool(on) => fields.push((name.to_owned(), if *on { "1" } else { "0" }.to_owned())),
        Value::String(text) => fields.push((name.to_owned(), text.clone())),
        other => fields.push((name.to_owned(), other.to_string())),
    }
}

/// Every body of JSON is understood as an encoded and as a multipart form too: an unknown field beside everything that the
/// schema names is refused alike in all three, and is all that is refused where JSON says so.
async fn every_body_may_be_a_form_with_bracketed_names(dialect: Dialect) {
    let served = filled_panel(dialect).await;
    let document = routes::document();
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for op in writing().filter(|op| op.id != "call_reseller") {
        let operation = &document["paths"][op.path][op.method.to_lowercase()]["requestBody"]["content"];
        let Some(schema) = operation["application/json"]["schema"].as_object() else { continue };
        let mut body = sample(&document, &Value::Object(schema.clone()), 4);
        let Some(body_fields) = body.as_object_mut() else { continue };
        body_fields.insert("no_such_field".to_owned(), json!("1"));
        let mut fields = Vec::new();
        flattened("", &body, &mut fields);
        let encoded: Vec<String> = fields
            .iter()
            .map(|(name, text)| format!("{}={}", crate::tables::encoded(name), crate::tables::encoded(text)))
            .collect();
        let part = |(name, text): &(String, String)| {
            format!("--b\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n")
        };
        let multipart = fields.iter().map(part).collect::<String>() + "--b--\r\n";
        let kinds = [
            ("application/json", body.to_string()),
            ("application/x-www-form-urlencoded", encoded.join("&")),
            ("multipart/form-data; boundary=b", multipart),
        ];
        let mut answers = Vec::new();
        for (kind, text) in kinds {
            let request = |request: reqwest::RequestBuilder| {
                request.bearer_auth("owner").header("content-type", kind).body(text)
            };
            let got = served.send(request, op.method, &filled(op.path)).await;
            let problem: Value = serde_json::from_str(&got.text).unwrap_or(Value::Null);
            let named: Vec<String> =
                problem["errors"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
            answers.push((got.status, named));
        }
        tried += 1;
        if answers.iter().any(|answer| *answer != answers[0]) {
            wrong.push(format!("{} {}: {answers:?}", op.method, op.path));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tried > 90, "{tried} bodies");
}
