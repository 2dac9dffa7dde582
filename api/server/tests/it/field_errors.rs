//! Tests that an error response lists all invalid fields of a request: every field of every body, as JSON and as a form.

use axum::body::Body;
use axum::http::{Request, header};
use panel_contract::endpoint::{AccessRule, Op};
use panel_contract::endpoints;
use panel_contract::upload::to_data_url;
use panel_platform::db::Dialect;
use serde_json::{Map, Value, json};

use crate::panel::Panel;

test_both_databases! {
    every_invalid_field_of_every_body_is_named;
    every_missing_field_of_every_body_is_named;
    an_error_of_a_form_names_every_invalid_field;
    a_form_for_another_method_is_rejected;
    rule_errors_name_every_field;
    rule_errors_and_unknown_ids_are_reported_together;
}

/// Operations whose body has no fields in the OpenAPI document. The reseller API has its own error format.
const OPERATIONS_WITHOUT_FIELDS: &[&str] = &["reseller_call"];

fn fill_path(op: &Op) -> String {
    let fill_segment = |part: &str| if part.starts_with('{') { "4".to_owned() } else { part.to_owned() };
    op.path.split('/').map(fill_segment).collect::<Vec<_>>().join("/")
}

/// Follows the `$ref` of a schema to its definition.
fn resolve_schema<'d>(document: &'d Value, mut schema: &'d Value) -> &'d Value {
    while let Some(name) = schema["$ref"].as_str() {
        schema = document.pointer(name.trim_start_matches('#')).unwrap();
    }
    schema
}

/// The schema of an operation's JSON body.
fn find_body_schema<'d>(document: &'d Value, op: &Op) -> Option<&'d Value> {
    let operation = &document["paths"][op.path][op.method.to_lowercase()];
    let content = operation["requestBody"]["content"].as_object()?;
    Some(resolve_schema(document, &content.get("application/json")?["schema"]))
}

/// The operations that need a sign-in and have a body, with all fields and the names of the required fields.
fn list_operations_with_bodies(document: &Value) -> Vec<(&'static Op, &Map<String, Value>, Vec<&str>)> {
    let body_fields = |op: &'static Op| {
        let schema = find_body_schema(document, op)?;
        let required_values = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
        let required_names = required_values.iter().filter_map(Value::as_str).collect();
        Some((op, schema["properties"].as_object()?, required_names))
    };
    let is_tested =
        |op: &&Op| op.access_rule != AccessRule::Public && !OPERATIONS_WITHOUT_FIELDS.contains(&op.id);
    endpoints::all().filter(is_tested).filter_map(body_fields).collect()
}

/// Whether the schema accepts any value.
fn accepts_any_value(document: &Value, schema: &Value) -> bool {
    let schema = resolve_schema(document, schema);
    ["type", "enum", "oneOf", "anyOf", "allOf"].iter().all(|keyword| schema.get(keyword).is_none())
}

fn has_error(errors: &Value, field: &str) -> bool {
    let prefix = format!("{field}.");
    errors.as_object().is_some_and(|errors| errors.keys().any(|key| key == field || key.starts_with(&prefix)))
}

async fn every_invalid_field_of_every_body_is_named(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let document = panel_server::router::routes::openapi_document();
    let bodies = list_operations_with_bodies(&document);
    assert!(bodies.len() > 80, "only {} operations have a body", bodies.len());
    let mut problems = Vec::new();
    for (op, fields, _) in bodies {
        // No field accepts three nested lists.
        let invalid_field = |(name, schema): (&String, &Value)| {
            (!accepts_any_value(&document, schema)).then(|| (name.clone(), json!([[[]]])))
        };
        let mut body: Map<String, Value> = fields.iter().filter_map(invalid_field).collect();
        body.insert("no_such_field".to_owned(), json!(1));
        let response = panel.send("owner", op.method, &fill_path(op), &json!(body), None).await;
        let errors = response.json()["errors"].clone();
        if response.status != 422 {
            problems.push(format!("{}: {}", op.id, response.text));
        }
        let missing_fields: Vec<_> = body.keys().filter(|field| !has_error(&errors, field)).collect();
        if !missing_fields.is_empty() {
            problems.push(format!("{}: {missing_fields:?} are not named in {errors}", op.id));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

async fn every_missing_field_of_every_body_is_named(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let document = panel_server::router::routes::openapi_document();
    let mut problems = Vec::new();
    for (op, fields, required) in list_operations_with_bodies(&document) {
        let response = panel.send("owner", op.method, &fill_path(op), &json!({}), None).await;
        let errors = response.json()["errors"].clone();
        // A nullable field may be absent, unless a rule requires it.
        let is_nullable =
            |field: &str| resolve_schema(&document, &fields[field])["type"].as_array().is_some();
        let unreported_fields =
            required.iter().filter(|field| !is_nullable(field) && !has_error(&errors, field));
        let missing_fields: Vec<_> = unreported_fields.collect();
        if !missing_fields.is_empty() {
            problems.push(format!("{}: {missing_fields:?} are not named in {}", op.id, response.text));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Sends text fields as a multipart form, as the owner. Returns the status and the body.
async fn send_form(panel: &Panel, method: &str, path: &str, fields: &[(&str, &str)]) -> (u16, Value) {
    let part = |(name, value): &(&str, &str)| {
        format!("--b\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let body = format!("{}--b--\r\n", fields.iter().map(part).collect::<String>());
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::AUTHORIZATION, "Bearer owner")
        .header(header::CONTENT_TYPE, "multipart/form-data; boundary=b")
        .body(Body::from(body))
        .unwrap();
    let response = panel.send_request(request).await;
    (response.status.as_u16(), response.json())
}

async fn an_error_of_a_form_names_every_invalid_field(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let form_fields = [
        ("is_custom_comments", "maybe"),
        ("services[0]", "1"),
        ("services[4]", "x"),
        ("translations[en]", "Gold"),
        ("updated_at", "sometime"),
        ("colour", "red"),
    ];
    let (status, response) = send_form(&panel, "POST", "/api/v1/admin/services/labels", &form_fields).await;
    assert_eq!(status, 422, "{response}");
    let error_fields: Vec<_> = response["errors"].as_object().unwrap().keys().map(String::as_str).collect();
    let expected_fields = ["colour", "is_custom_comments", "services.4", "translations.en", "updated_at"];
    assert_eq!(error_fields, expected_fields, "{response}");
    assert!(response["message"].as_str().unwrap().contains("(and 4 more errors)"), "{response}");
    // Errors of the query and the body are reported together.
    let response = panel.post("/api/v1/admin/orders/4/cancel?dry_run=maybe", &json!({ "amount": [] })).await;
    let errors = response.json()["errors"].clone();
    assert!(has_error(&errors, "dry_run") && has_error(&errors, "amount"), "{}", response.text);
}

async fn a_form_for_another_method_is_rejected(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let labels_path = "/api/v1/admin/services/labels";
    let fields = |method: &'static str| [("_method", method), ("translations[en][name]", "Gold")];
    for method in ["PUT", "patch", "DELETE"] {
        let (status, response) = send_form(&panel, "POST", labels_path, &fields(method)).await;
        assert_eq!((status, response["errors"]["_method"].is_array()), (422, true), "{method}: {response}");
    }
    let body = json!({ "_method": "DELETE", "translations": { "en": { "name": "Gold" } } });
    assert!(panel.post(labels_path, &body).await.json()["errors"]["_method"].is_array());
    assert_eq!(panel.get(labels_path).await.json()["data"], json!([]));
    let (status, response) = send_form(&panel, "POST", labels_path, &fields("post")).await;
    assert_eq!(status, 200, "{response}");
    let path = format!("{labels_path}/{}", response["data"]["id"]);
    assert_eq!(send_form(&panel, "PUT", &path, &fields("PUT")).await.0, 200);
    let (status, response) =
        send_form(&panel, "PUT", &path, &[("_method", "DELETE"), ("colour", "red")]).await;
    assert_eq!(status, 422);
    assert!(
        response["errors"]["_method"].is_array() && response["errors"]["colour"].is_array(),
        "{response}"
    );
}

async fn rule_errors_name_every_field(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let cancel_body = json!({ "amount": "1", "cancel_reason": "other" });
    let staff_body = json!({ "name": " ", "email": "x", "password": "short", "roles": [] });
    for (path, body, expected_fields) in [
        ("/api/v1/admin/orders/4/cancel", &cancel_body, &["amount", "cancel_description"][..]),
        ("/api/v1/admin/staffs", &staff_body, &["email", "name", "password", "roles"]),
    ] {
        let response = panel.post(path, body).await;
        let errors = response.json()["errors"].clone();
        let error_fields: Vec<_> = errors.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(
            (response.status.as_u16(), &error_fields[..]),
            (422, expected_fields),
            "{}",
            response.text
        );
    }
}

/// Each body breaks a rule in one field and has an unknown id in another field.
async fn rule_errors_and_unknown_ids_are_reported_together(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    panel.post_data("/api/v1/admin/coupons", json!({ "name": "Ten", "code": "TEN", "payment_type": "order", "min_amount": "1", "valid_from": "2026-01-01T00:00:00Z",
        "bonus_type": "discount", "bonus_amount_calculation_type": "percent", "bonus_fraction": "0.1" })).await;
    let create_record =
        async |path: &str, body: Value| format!("{path}/{}", panel.post_data(path, body).await["id"]);
    let label_path = create_record("/api/v1/admin/services/labels", json!({ "name": "Gold" })).await;
    let widget_path =
        create_record("/api/v1/admin/order-widgets", json!({ "name": "Blog", "user_id": 1 })).await;
    let new_quest = json!({ "translations": { "en": { "name": "Post" } }, "service_id": 1, "quantity": 100 });
    let quest_path = create_record("/api/v1/admin/free-trial-quests", new_quest).await;
    let new_offer = json!({ "name": "Hot", "network_id": 1, "place": "home_page", "position": "second", "services": [1] });
    let offer_path = create_record("/api/v1/admin/special-offers", new_offer).await;
    let method_path =
        create_record("/api/v1/admin/payment-methods", json!({ "name": "Card", "type": "card" })).await;
    let item_path =
        create_record("/api/v1/admin/panel-menu-items", json!({ "name": "Home", "url": "/" })).await;
    let new_price = json!({ "service_id": 1, "default_price": "20" });
    let price_path = create_record("/api/v1/admin/users/1/user-services", new_price).await;
    let grade_path =
        create_record("/api/v1/admin/grades", json!({ "translations": { "en": { "name": "Gold" } } })).await;
    let svg_image = to_data_url(b"<svg/>");
    let discount_body = json!({ "name": " ", "services": [{ "id": 99, "discount_fraction": "0.1" }] });
    let widget_body = json!({ "name": " ", "user_id": 99, "payment_methods": [99] });
    let quest_body = json!({ "repeats_count": 0, "service_id": 99 });
    let offer_body = json!({ "name": " ", "network_id": 99, "services": [99], "service_types": [98] });
    let label_body = json!({ "name": " ", "services": [99] });
    let method_body = json!({ "name": " ", "position": 9, "secrets": { "A b": "x" } });
    let item_body = json!({ "name": " ", "parent_id": 99 });
    let package_body = json!({ "name": " ", "network_id": 99, "service_type_id": 98, "package_contents": [{ "id": 99, "quantity": 5 }, { "id": 1, "quantity": 1 }] });
    let service_body =
        json!({ "name": " ", "service_type_id": 99, "labels": [98], "providers": [97], "targets": [96] });
    let external_panel_body =
        json!({ "name": " ", "endpoint": "http://127.0.0.1/api/v2", "api_token": "a b" });
    for (method, path, body, fields) in [
        (
            "POST",
            "/api/v1/admin/services",
            &service_body,
            &["labels", "name", "providers.0", "service_type_id", "targets.0"][..],
        ),
        (
            "PUT",
            "/api/v1/admin/services/1",
            &service_body,
            &["labels", "name", "providers.0", "service_type_id", "targets.0"],
        ),
        (
            "POST",
            "/api/v1/admin/packages",
            &package_body,
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
        ("POST", "/api/v1/admin/discounts", &discount_body, &["name", "services.0.id", "valid_from"]),
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
        ("PUT", &quest_path, &quest_body, &["repeats_count", "service_id"]),
        (
            "POST",
            "/api/v1/admin/special-offers",
            &offer_body,
            &["name", "network_id", "service_types.0", "services.0"],
        ),
        ("PUT", &offer_path, &offer_body, &["name", "network_id", "service_types.0", "services.0"]),
        ("POST", "/api/v1/admin/order-widgets", &widget_body, &["name", "payment_methods", "user_id"]),
        ("PUT", &widget_path, &widget_body, &["name", "payment_methods", "user_id"]),
        ("POST", "/api/v1/admin/services/labels", &label_body, &["name", "services"]),
        ("PUT", &label_path, &label_body, &["name", "services"]),
        ("POST", "/api/v1/admin/payment-methods", &method_body, &["name", "position", "secrets", "type"]),
        ("POST", &method_path, &method_body, &["name", "position", "secrets"]),
        ("POST", "/api/v1/admin/panel-menu-items", &item_body, &["name", "parent_id"]),
        ("PUT", &item_path, &item_body, &["name", "parent_id"]),
        (
            "POST",
            "/api/v1/admin/users/1/user-services",
            &json!({ "service_id": 99, "default_price": "-1" }),
            &["default_price", "service_id"],
        ),
        (
            "PATCH",
            &price_path,
            &json!({ "service_id": 99, "default_price": "-1" }),
            &["default_price", "service_id"],
        ),
        ("POST", "/api/v1/admin/networks", &json!({ "name": " ", "icon": svg_image }), &["icon", "name"]),
        ("PUT", "/api/v1/admin/networks/1", &json!({ "name": " ", "icon": svg_image }), &["icon", "name"]),
        (
            "POST",
            "/api/v1/admin/service-types",
            &json!({ "name": " ", "network": 1, "icon": svg_image }),
            &["icon", "name"],
        ),
        (
            "PUT",
            "/api/v1/admin/service-types/1",
            &json!({ "panel_service_type": { "name": " ", "network": 99, "icon": svg_image } }),
            &["panel_service_type.icon", "panel_service_type.name"],
        ),
        (
            "POST",
            "/api/v1/admin/grades",
            &json!({ "icon": svg_image, "spending_goal": "-1" }),
            &["icon", "spending_goal", "translations.en.name"],
        ),
        (
            "PATCH",
            &grade_path,
            &json!({ "icon": svg_image, "spending_goal": "-1" }),
            &["icon", "spending_goal"],
        ),
        (
            "POST",
            "/api/v1/admin/banners",
            &json!({ "place": "sidebar", "scroll_delay": 99, "informations": [{ "image": svg_image, "background_color": "red-ish" }] }),
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
        ("POST", "/api/v1/admin/external-panels", &external_panel_body, &["api_token", "endpoint", "name"]),
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
        let response = panel.send("owner", method, path, body, None).await;
        let errors = response.json()["errors"].clone();
        assert_eq!(response.status, 422, "{method} {path}: {}", response.text);
        let missing_fields: Vec<_> = fields.iter().filter(|field| !has_error(&errors, field)).collect();
        assert!(missing_fields.is_empty(), "{method} {path}: {missing_fields:?} are not named in {errors}");
    }
}
