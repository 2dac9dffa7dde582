//! An error names all wrong fields of a request at once: each field of each body, as JSON and as a form.

use axum::body::Body;
use axum::http::{Request, header};
use panel_contract::endpoint::{AccessRule, Op};
use panel_contract::endpoints;
use panel_contract::upload::to_data_url;
use panel_platform::db::Dialect;
use serde_json::{Map, Value, json};

use crate::panel::Panel;

both! {
    every_wrong_field_of_every_body_is_named;
    every_missing_field_of_every_body_is_named;
    a_form_names_every_wrong_field;
    a_form_for_another_method_is_refused;
    errors_of_rules_name_every_field;
    errors_of_rules_and_references_are_reported_together;
}

/// Operations without declared body fields: the reseller API has its own error format.
const UNDECLARED: &[&str] = &["reseller_call"];

fn path_of(op: &Op) -> String {
    let segment = |part: &str| if part.starts_with('{') { "4".to_owned() } else { part.to_owned() };
    op.path.split('/').map(segment).collect::<Vec<_>>().join("/")
}

/// Follows the references of a schema to its definition.
fn resolve_schema<'d>(document: &'d Value, mut schema: &'d Value) -> &'d Value {
    while let Some(name) = schema["$ref"].as_str() {
        schema = document.pointer(name.trim_start_matches('#')).unwrap();
    }
    schema
}

/// The schema of an operation's JSON body.
fn body_schema<'d>(document: &'d Value, op: &Op) -> Option<&'d Value> {
    let operation = &document["paths"][op.path][op.method.to_lowercase()];
    let content = operation["requestBody"]["content"].as_object()?;
    Some(resolve_schema(document, &content.get("application/json")?["schema"]))
}

/// Operations that need a sign-in and have declared body fields, with the fields and the required ones.
fn operations_with_bodies(document: &Value) -> Vec<(&'static Op, &Map<String, Value>, Vec<&str>)> {
    let body_fields = |op: &'static Op| {
        let schema = body_schema(document, op)?;
        let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
        let required = required.iter().filter_map(Value::as_str).collect();
        Some((op, schema["properties"].as_object()?, required))
    };
    let is_checked = |op: &&Op| op.access_rule != AccessRule::Public && !UNDECLARED.contains(&op.id);
    endpoints::all().filter(is_checked).filter_map(body_fields).collect()
}

/// Whether the schema accepts any value.
fn accepts_any_value(document: &Value, schema: &Value) -> bool {
    let schema = resolve_schema(document, schema);
    ["type", "enum", "oneOf", "anyOf", "allOf"].iter().all(|word| schema.get(word).is_none())
}

fn has_error(errors: &Value, field: &str) -> bool {
    let nested = format!("{field}.");
    errors.as_object().is_some_and(|errors| errors.keys().any(|key| key == field || key.starts_with(&nested)))
}

async fn every_wrong_field_of_every_body_is_named(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let document = panel_server::router::routes::document();
    let bodies = operations_with_bodies(&document);
    assert!(bodies.len() > 80, "{}", bodies.len());
    let mut failures = Vec::new();
    for (op, fields, _) in bodies {
        // No field accepts a list of lists of lists.
        let wrong_field = |(name, schema): (&String, &Value)| {
            (!accepts_any_value(&document, schema)).then(|| (name.clone(), json!([[[]]])))
        };
        let mut body: Map<String, Value> = fields.iter().filter_map(wrong_field).collect();
        body.insert("no_such_field".to_owned(), json!(1));
        let answer = panel.send("owner", op.method, &path_of(op), &json!(body), None).await;
        let errors = answer.json()["errors"].clone();
        if answer.status != 422 {
            failures.push(format!("{}: {}", op.id, answer.text));
        }
        let missing: Vec<_> = body.keys().filter(|field| !has_error(&errors, field)).collect();
        if !missing.is_empty() {
            failures.push(format!("{}: {missing:?} are not named in {errors}", op.id));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

async fn every_missing_field_of_every_body_is_named(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let document = panel_server::router::routes::document();
    let mut failures = Vec::new();
    for (op, fields, required) in operations_with_bodies(&document) {
        let answer = panel.send("owner", op.method, &path_of(op), &json!({}), None).await;
        let errors = answer.json()["errors"].clone();
        // A nullable field may be absent; a rule requires it where it is necessary.
        let is_nullable =
            |field: &str| resolve_schema(&document, &fields[field])["type"].as_array().is_some();
        let unreported = required.iter().filter(|field| !is_nullable(field) && !has_error(&errors, field));
        let missing: Vec<_> = unreported.collect();
        if !missing.is_empty() {
            failures.push(format!("{}: {missing:?} are not named in {}", op.id, answer.text));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Sends text fields as a multipart form, as the owner. Returns the status and the body.
async fn send_form(panel: &Panel, method: &str, path: &str, fields: &[(&str, &str)]) -> (u16, Value) {
    let part = |(name, text): &(&str, &str)| {
        format!("--b\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n")
    };
    let body = format!("{}--b--\r\n", fields.iter().map(part).collect::<String>());
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::AUTHORIZATION, "Bearer owner")
        .header(header::CONTENT_TYPE, "multipart/form-data; boundary=b")
        .body(Body::from(body))
        .unwrap();
    let answer = panel.answer(request).await;
    (answer.status.as_u16(), answer.json())
}

async fn a_form_names_every_wrong_field(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let wrong = [
        ("is_custom_comments", "maybe"),
        ("services[0]", "1"),
        ("services[4]", "x"),
        ("translations[en]", "Gold"),
        ("updated_at", "once"),
        ("colour", "red"),
    ];
    let (status, answer) = send_form(&panel, "POST", "/api/v1/admin/services/labels", &wrong).await;
    assert_eq!(status, 422, "{answer}");
    let error_fields: Vec<_> = answer["errors"].as_object().unwrap().keys().map(String::as_str).collect();
    let expected = ["colour", "is_custom_comments", "services.4", "translations.en", "updated_at"];
    assert_eq!(error_fields, expected, "{answer}");
    assert!(answer["message"].as_str().unwrap().contains("(and 4 more errors)"), "{answer}");
    // Errors of the query and the body are reported together.
    let answer = panel.post("/api/v1/admin/orders/4/cancel?dry_run=maybe", &json!({ "amount": [] })).await;
    let errors = answer.json()["errors"].clone();
    assert!(has_error(&errors, "dry_run") && has_error(&errors, "amount"), "{}", answer.text);
}

async fn a_form_for_another_method_is_refused(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let labels = "/api/v1/admin/services/labels";
    let fields = |method: &'static str| [("_method", method), ("translations[en][name]", "Gold")];
    for method in ["PUT", "patch", "DELETE"] {
        let (status, answer) = send_form(&panel, "POST", labels, &fields(method)).await;
        assert_eq!((status, answer["errors"]["_method"].is_array()), (422, true), "{method}: {answer}");
    }
    let body = json!({ "_method": "DELETE", "translations": { "en": { "name": "Gold" } } });
    assert!(panel.post(labels, &body).await.json()["errors"]["_method"].is_array());
    assert_eq!(panel.get(labels).await.json()["data"], json!([]));
    let (status, answer) = send_form(&panel, "POST", labels, &fields("post")).await;
    assert_eq!(status, 200, "{answer}");
    let path = format!("{labels}/{}", answer["data"]["id"]);
    assert_eq!(send_form(&panel, "PUT", &path, &fields("PUT")).await.0, 200);
    let (status, answer) = send_form(&panel, "PUT", &path, &[("_method", "DELETE"), ("colour", "red")]).await;
    assert_eq!(status, 422);
    assert!(answer["errors"]["_method"].is_array() && answer["errors"]["colour"].is_array(), "{answer}");
}

async fn errors_of_rules_name_every_field(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let cancel = json!({ "amount": "1", "cancel_reason": "other" });
    let staff = json!({ "name": " ", "email": "x", "password": "short", "roles": [] });
    for (path, body, fields) in [
        ("/api/v1/admin/orders/4/cancel", &cancel, &["amount", "cancel_description"][..]),
        ("/api/v1/admin/staffs", &staff, &["email", "name", "password", "roles"]),
    ] {
        let answer = panel.post(path, body).await;
        let errors = answer.json()["errors"].clone();
        let error_fields: Vec<_> = errors.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!((answer.status.as_u16(), &error_fields[..]), (422, fields), "{}", answer.text);
    }
}

/// Each body breaks a rule in one field and refers to an unknown id in another; some fields do both.
async fn errors_of_rules_and_references_are_reported_together(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel.post_data("/api/v1/admin/coupons", json!({ "name": "Ten", "code": "TEN", "payment_type": "order", "min_amount": "1", "valid_from": "2026-01-01T00:00:00Z",
        "bonus_type": "discount", "bonus_amount_calculation_type": "percent", "bonus_fraction": "0.1" })).await;
    let create =
        async |path: &str, body: Value| format!("{path}/{}", panel.post_data(path, body).await["id"]);
    let label = create("/api/v1/admin/services/labels", json!({ "name": "Gold" })).await;
    let widget = create("/api/v1/admin/order-widgets", json!({ "name": "Blog", "user_id": 1 })).await;
    let quest = json!({ "translations": { "en": { "name": "Post" } }, "service_id": 1, "quantity": 100 });
    let quest = create("/api/v1/admin/free-trial-quests", quest).await;
    let offer = json!({ "name": "Hot", "network_id": 1, "place": "home_page", "position": "second", "services": [1] });
    let offer = create("/api/v1/admin/special-offers", offer).await;
    let payment_method =
        create("/api/v1/admin/payment-methods", json!({ "name": "Card", "type": "card" })).await;
    let item = create("/api/v1/admin/panel-menu-items", json!({ "name": "Home", "url": "/" })).await;
    let price = json!({ "service_id": 1, "default_price": "20" });
    let price = create("/api/v1/admin/users/1/user-services", price).await;
    let grade = create("/api/v1/admin/grades", json!({ "translations": { "en": { "name": "Gold" } } })).await;
    let svg = to_data_url(b"<svg/>");
    let discount = json!({ "name": " ", "services": [{ "id": 99, "discount_fraction": "0.1" }] });
    let widget_body = json!({ "name": " ", "user_id": 99, "payment_methods": [99] });
    let quest_body = json!({ "repeats_count": 0, "service_id": 99 });
    let offer_body = json!({ "name": " ", "network_id": 99, "services": [99], "service_types": [98] });
    let label_body = json!({ "name": " ", "services": [99] });
    let method_body = json!({ "name": " ", "position": 9, "secrets": { "A b": "x" } });
    let item_body = json!({ "name": " ", "parent_id": 99 });
    let package = json!({ "name": " ", "network_id": 99, "service_type_id": 98, "package_contents": [{ "id": 99, "quantity": 5 }, { "id": 1, "quantity": 1 }] });
    let service =
        json!({ "name": " ", "service_type_id": 99, "labels": [98], "providers": [97], "targets": [96] });
    let panels = json!({ "name": " ", "endpoint": "http://127.0.0.1/api/v2", "api_token": "a b" });
    for (method, path, body, fields) in [
        (
            "POST",
            "/api/v1/admin/services",
            &service,
            &["labels", "name", "providers.0", "service_type_id", "targets.0"][..],
        ),
        (
            "PUT",
            "/api/v1/admin/services/1",
            &service,
            &["labels", "name", "providers.0", "service_type_id", "targets.0"],
        ),
        (
            "POST",
            "/api/v1/admin/packages",
            &package,
            &[
                "name",
                "network_id",
                "package_contents.0.id",
                "package_contents.1.quantity",
                "service_type_id",
            ],
        ),
        (
            "POST",
            "/api/v1/admin/packages",
            &json!({ "provider_package_id": 99, "slug": "A b" }),
            &["provider_package_id", "slug"],
        ),
        ("POST", "/api/v1/admin/discounts", &discount, &["name", "services.0.id", "valid_from"]),
        (
            "POST",
            "/api/v1/admin/coupons",
            &json!({ "name": " ", "code": "ten", "affiliate_id": 99 }),
            &["affiliate_id", "code", "name"],
        ),
        (
            "PATCH",
            "/api/v1/admin/coupons/1",
            &json!({ "name": " ", "affiliate_id": 99 }),
            &["affiliate_id", "name"],
        ),
        (
            "POST",
            "/api/v1/admin/free-trial-quests",
            &quest_body,
            &["repeats_count", "service_id", "translations.en.name"],
        ),
        ("PUT", &quest, &quest_body, &["repeats_count", "service_id"]),
        (
            "POST",
            "/api/v1/admin/special-offers",
            &offer_body,
            &["name", "network_id", "service_types.0", "services.0"],
        ),
        ("PUT", &offer, &offer_body, &["name", "network_id", "service_types.0", "services.0"]),
        ("POST", "/api/v1/admin/order-widgets", &widget_body, &["name", "payment_methods", "user_id"]),
        ("PUT", &widget, &widget_body, &["name", "payment_methods", "user_id"]),
        ("POST", "/api/v1/admin/services/labels", &label_body, &["name", "services"]),
        ("PUT", &label, &label_body, &["name", "services"]),
        ("POST", "/api/v1/admin/payment-methods", &method_body, &["name", "position", "secrets", "type"]),
        ("POST", &payment_method, &method_body, &["name", "position", "secrets"]),
        ("POST", "/api/v1/admin/panel-menu-items", &item_body, &["name", "parent_id"]),
        ("PUT", &item, &item_body, &["name", "parent_id"]),
        (
            "POST",
            "/api/v1/admin/users/1/user-services",
            &json!({ "service_id": 99, "default_price": "-1" }),
            &["default_price", "service_id"],
        ),
        (
            "PATCH",
            &price,
            &json!({ "service_id": 99, "default_price": "-1" }),
            &["default_price", "service_id"],
        ),
        ("POST", "/api/v1/admin/networks", &json!({ "name": " ", "icon": svg }), &["icon", "name"]),
        ("PUT", "/api/v1/admin/networks/1", &json!({ "name": " ", "icon": svg }), &["icon", "name"]),
        (
            "POST",
            "/api/v1/admin/service-types",
            &json!({ "name": " ", "network": 1, "icon": svg }),
            &["icon", "name"],
        ),
        (
            "PUT",
            "/api/v1/admin/service-types/1",
            &json!({ "panel_service_type": { "name": " ", "network": 99, "icon": svg } }),
            &["panel_service_type.icon", "panel_service_type.name"],
        ),
        (
            "POST",
            "/api/v1/admin/grades",
            &json!({ "icon": svg, "spending_goal": "-1" }),
            &["icon", "spending_goal", "translations.en.name"],
        ),
        ("PATCH", &grade, &json!({ "icon": svg, "spending_goal": "-1" }), &["icon", "spending_goal"]),
        (
            "POST",
            "/api/v1/admin/banners",
            &json!({ "place": "sidebar", "scroll_delay": 99, "informations": [{ "image": svg, "background_color": "red-ish" }] }),
            &["informations.0.background_color", "informations.0.image", "scroll_delay"],
        ),
        (
            "POST",
            "/api/v1/admin/providers",
            &json!({ "name": " ", "external_panel_id": 99, "external_panel_service_id": "1", "services": [98], "source_price": "-1" }),
            &["external_panel_id", "name", "services", "source_price"],
        ),
        (
            "POST",
            "/api/v1/admin/orders",
            &json!({ "user_id": 1, "service_id": 98, "quantity": 1, "url": "x" }),
            &["service_id", "url"],
        ),
        ("POST", "/api/v1/admin/external-panels", &panels, &["api_token", "endpoint", "name"]),
        (
            "POST",
            "/api/v1/admin/webhooks",
            &json!({ "url": "http://127.0.0.1/", "webhook_types": [] }),
            &["url", "webhook_types"],
        ),
        (
            "POST",
            "/api/v1/admin/orders",
            &json!({ "user_id": 1, "service_id": 1, "quantity": 1, "url": "x", "country": "XX", "coupon": "none",
            "targets": { "keyword": "a" }, "comment": "x".repeat(5_001) }),
            &["comment", "country", "coupon", "quantity", "targets.keyword", "url"],
        ),
        (
            "POST",
            "/api/v1/admin/orders",
            &json!({ "user_id": 99, "service_id": 98, "quantity": 1, "url": "x", "country": "XX" }),
            &["country", "service_id", "user_id"],
        ),
    ] {
        let answer = panel.send("owner", method, path, body, None).await;
        let errors = answer.json()["errors"].clone();
        assert_eq!(answer.status, 422, "{method} {path}: {}", answer.text);
        let missing: Vec<_> = fields.iter().filter(|field| !has_error(&errors, field)).collect();
        assert!(missing.is_empty(), "{method} {path}: {missing:?} are not named in {errors}");
    }
}
