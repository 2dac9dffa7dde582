//! Payment methods: edited as JSON and as forms with images, their positions, their secrets, and their bonuses.

use axum::body::Body;
use axum::http::{Request, header};
use panel_contract::payment_methods::{ChargeType, PaymentMethodType, PaymentStrategy};
use panel_contract::permission::Permission::ViewPaymentMethods;
use panel_platform::db::{Dialect, Sql, SqlExecutor};
use serde_json::{Value, json};

use crate::panel::{Panel, TestResponse};
use crate::uploads::PIXEL;

test_both_databases! {
    creates_updates_disables_and_enables_a_payment_method;
    forms_upload_keep_and_remove_images;
    secret_settings_are_never_returned;
    positions_stay_consecutive;
    concurrent_changes_of_status_and_order_stay_consistent;
    bonuses_are_set_and_deleted;
    the_server_accepts_every_choice_of_the_collections;
}

const METHODS_PATH: &str = "/api/v1/admin/payment-methods";
const BONUSES_PATH: &str = "/api/v1/admin/payment-method-bonuses";

impl Panel {
    async fn create_method(&self, body: Value) -> Value {
        let create_response = self.post(METHODS_PATH, &body).await;
        assert_eq!(create_response.status, 200, "{}", create_response.text);
        create_response.json()["data"].clone()
    }

    async fn create_methods(&self, names: &[&str]) -> Vec<i64> {
        let mut ids = Vec::new();
        for name in names {
            let created = self.create_method(json!({ "name": name, "type": "card" })).await;
            ids.push(created["id"].as_i64().unwrap());
        }
        ids
    }

    /// The name and position of each method, in the order of the list.
    async fn fetch_positions(&self) -> Vec<(String, i64)> {
        let listed = self.get(METHODS_PATH).await.json();
        let rows = listed["data"].as_array().unwrap().clone();
        rows.iter()
            .map(|row| (row["name"].as_str().unwrap().into(), row["position"].as_i64().unwrap()))
            .collect()
    }

    async fn post_form(&self, path: &str, fields: &[(&str, &[u8], bool)]) -> TestResponse {
        let mut body = Vec::new();
        for (name, value, is_file) in fields {
            let file_attributes =
                if *is_file { "; filename=\"a.png\"\r\nContent-Type: image/png" } else { "" };
            body.extend(
                format!("--XX\r\nContent-Disposition: form-data; name=\"{name}\"{file_attributes}\r\n\r\n")
                    .bytes(),
            );
            body.extend(*value);
            body.extend(b"\r\n");
        }
        body.extend(b"--XX--\r\n");
        let request = Request::post(path)
            .header(header::AUTHORIZATION, "Bearer owner")
            .header(header::CONTENT_TYPE, "multipart/form-data; boundary=XX")
            .body(Body::from(body))
            .unwrap();
        self.send_request(request).await
    }
}

async fn creates_updates_disables_and_enables_a_payment_method(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let created = panel
        .create_method(json!({ "name": " Card ", "type": "card", "fee_fraction": "0.025", "max_amount": "500",
            "translations": { "de": { "name": "Karte" }, "fr": {} },
            "withdrawal_options": { "available_for_withdrawal": true, "min_amount": "10", "fee_fraction": "0.01" } }))
        .await;
    assert_eq!((&created["name"], &created["status"]), (&json!("Card"), &json!("active")));
    assert_eq!((&created["position"], &created["sorting"]), (&json!(1), &json!(1)));
    assert_eq!(
        (&created["fee_fraction"], &created["is_allowed_for_new_user"]),
        (&json!("0.025"), &json!(true))
    );
    assert_eq!(created["translations"]["de"]["name"], "Karte");
    assert!(created["translations"].get("fr").is_none() && created["translations"]["en"]["name"] == "Card");
    assert_eq!(created["withdrawal_options"]["min_amount"], "10");
    assert_eq!(created["actions"], json!({ "disable": true, "edit": true, "enable": false }));
    let method_path = format!("{METHODS_PATH}/{}", created["id"]);
    let body =
        json!({ "max_amount": null, "description": "Visa and others", "updated_at": created["updated_at"] });
    let change_response = panel.post(&method_path, &body).await;
    assert_eq!(change_response.status, 200, "{}", change_response.text);
    let changed_record = change_response.json()["data"].clone();
    assert_eq!(
        (&changed_record["max_amount"], &changed_record["description"]),
        (&Value::Null, &json!("Visa and others"))
    );
    assert_eq!((&changed_record["name"], &changed_record["fee_fraction"]), (&json!("Card"), &json!("0.025")));
    // The server rejects the request, because the record changed after the client read it.
    let stale_body = json!({ "description": "Older", "updated_at": "2026-01-01 00:00:00.000000" });
    assert_eq!(
        panel.post(&method_path, &stale_body).await.status_and_code(),
        (409, "changed_meanwhile".into())
    );
    assert_eq!(panel.post(&method_path, &json!({ "is_enabled": false })).await.status, 422);
    let disabled_method = panel.post(&format!("{method_path}/disable"), &json!({})).await.json();
    assert_eq!(
        (&disabled_method["data"]["status"], &disabled_method["data"]["actions"]["enable"]),
        (&json!("disabled"), &json!(true))
    );
    let disabled_again = panel.post(&format!("{method_path}/disable"), &json!({})).await;
    assert_eq!(disabled_again.status_and_code(), (409, "payment_method_disabled".into()));
    let widget_methods_path = format!("{METHODS_PATH}/get-available-for-order-widget");
    assert_eq!(panel.get(&widget_methods_path).await.json()["data"], json!([]));
    assert_eq!(panel.post(&format!("{method_path}/enable"), &json!({})).await.status, 200);
    assert_eq!(panel.get(&widget_methods_path).await.json()["data"][0]["name"], "Card");
    let count_audits_sql = Sql::new("SELECT count(*) FROM audits WHERE auditable_type = 'payment_method'");
    assert_eq!(panel.fetch_number(count_audits_sql).await, 4);
    panel.create_staff("viewer", &[ViewPaymentMethods]).await;
    let viewed_method = panel.get_as("viewer", &method_path, "application/json").await.json();
    assert_eq!(viewed_method["data"]["actions"], json!({ "disable": false, "edit": false, "enable": false }));
}

async fn forms_upload_keep_and_remove_images(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let fields: &[(&str, &[u8], bool)] = &[
        ("name", b"USDT", false),
        ("type", b"crypto", false),
        ("allow_qr_code", b"1", false),
        ("translations[de][description]", "Schnell und günstig".as_bytes(), false),
        ("public_fields[qr_code]", b"1", false),
        ("secrets[api_key]", b"hush", false),
        ("icon", PIXEL, true),
        ("payment_qr_code", PIXEL, true),
    ];
    let created = panel.post_form(METHODS_PATH, fields).await;
    assert_eq!(created.status, 200, "{}", created.text);
    let created_record = created.json()["data"].clone();
    assert_eq!(
        (&created_record["allow_qr_code"], &created_record["public_fields"]["qr_code"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(created_record["translations"]["de"]["description"], "Schnell und günstig");
    assert_eq!(created_record["secrets"], json!([{ "name": "api_key", "is_set": true }]));
    let icon_url = created_record["icon"].as_str().unwrap().to_owned();
    assert_eq!(panel.get(&icon_url).await.bytes[..4], PIXEL[..4]);
    // The current URL of an image does not change the image, an empty value removes it, and `_method` has no effect.
    let method_path = format!("{METHODS_PATH}/{}", created_record["id"]);
    let fields: &[(&str, &[u8], bool)] = &[
        ("_method", b"PUT", false),
        ("icon", icon_url.as_bytes(), false),
        ("payment_qr_code", b"", false),
        ("max_amount", b"", false),
    ];
    let updated = panel.post_form(&method_path, fields).await;
    assert_eq!(updated.status, 200, "{}", updated.text);
    let updated_record = updated.json()["data"].clone();
    assert_eq!(
        (&updated_record["icon"], &updated_record["payment_qr_code"]),
        (&json!(icon_url), &Value::Null)
    );
    let foreign_url_response =
        panel.post_form(&method_path, &[("icon", b"https://elsewhere.example/x.png", false)]).await;
    assert_eq!(foreign_url_response.status_and_code(), (422, "image_unknown".into()));
    let svg_response = panel.post_form(&method_path, &[("icon", b"<svg/>", true)]).await;
    assert!(svg_response.status == 422 && svg_response.text.contains("SVG"), "{}", svg_response.text);
}

async fn secret_settings_are_never_returned(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let secret = "sk_live_never_shown";
    let created = panel
        .create_method(
            json!({ "name": "Card", "type": "card", "secrets": { "api_key": secret, "iv": secret } }),
        )
        .await;
    let method_path = format!("{METHODS_PATH}/{}", created["id"]);
    let body = json!({ "secrets": { "api_key": "", "webhook": secret }, "remove_secrets": ["iv", "none"] });
    let change_response = panel.post(&method_path, &body).await;
    assert_eq!(
        change_response.json()["data"]["secrets"],
        json!([{ "name": "api_key", "is_set": true }, { "name": "webhook", "is_set": true }])
    );
    let responses = [
        change_response.text,
        panel.get(&method_path).await.text,
        panel.get(METHODS_PATH).await.text,
        created.to_string(),
    ];
    assert!(responses.iter().all(|text| !text.contains(secret)));
    let audit_values: Vec<(String,)> = (&mut &panel.app.db)
        .fetch_all(Sql::new(
            "SELECT old_values || new_values FROM audits WHERE auditable_type = 'payment_method'",
        ))
        .await
        .unwrap();
    assert!(
        audit_values.iter().all(|(text,)| !text.contains(secret)) && audit_values[1].0.contains("webhook"),
        "{audit_values:?}"
    );
    let sealed_secrets: (Vec<u8>,) =
        (&mut &panel.app.db).fetch_one(Sql::new("SELECT secrets FROM payment_methods")).await.unwrap();
    assert!(!sealed_secrets.0.windows(4).any(|window| window == b"live"));
    let seal_context = format!("payment_methods|secrets|{}", created["id"]);
    let decrypted: Value =
        serde_json::from_slice(&panel.app.secrets.open(&sealed_secrets.0, &seal_context).unwrap()).unwrap();
    assert_eq!(decrypted, json!({ "api_key": secret, "webhook": secret }));
    let invalid_response = panel.post(&method_path, &json!({ "secrets": { "Api key": "x" } })).await;
    assert!(
        invalid_response.status == 422 && invalid_response.json()["errors"]["secrets"].is_array(),
        "{}",
        invalid_response.text
    );
}

async fn positions_stay_consecutive(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let ids = panel.create_methods(&["A", "B", "C"]).await;
    let sort_path = format!("{METHODS_PATH}/sort");
    let order_body = json!({ "payment_methods": [ids[2], ids[0], ids[1]] });
    assert_eq!(panel.post(&sort_path, &order_body).await.status, 204);
    let to_owned_positions = |positions: &[(&str, i64)]| {
        positions.iter().map(|(name, position)| ((*name).to_owned(), *position)).collect::<Vec<_>>()
    };
    assert_eq!(panel.fetch_positions().await, to_owned_positions(&[("C", 1), ("A", 2), ("B", 3)]));
    for id_list in [json!([ids[0]]), json!([ids[0], ids[1], ids[2], 99]), json!([])] {
        let rejection = panel.post(&sort_path, &json!({ "payment_methods": id_list })).await;
        assert_eq!(rejection.status_and_code(), (409, "list_changed".into()));
    }
    assert_eq!(panel.post(&sort_path, &json!({ "payment_methods": [ids[0], ids[0]] })).await.status, 422);
    panel.create_method(json!({ "name": "D", "type": "bank", "position": 2 })).await;
    assert_eq!(panel.fetch_positions().await, to_owned_positions(&[("C", 1), ("D", 2), ("A", 3), ("B", 4)]));
    let method_path = format!("{METHODS_PATH}/{}", ids[2]);
    assert_eq!(panel.post(&method_path, &json!({ "position": 4 })).await.json()["data"]["position"], 4);
    assert_eq!(panel.fetch_positions().await, to_owned_positions(&[("D", 1), ("A", 2), ("B", 3), ("C", 4)]));
    let wrong_response = panel.post(&method_path, &json!({ "position": 5 })).await;
    assert!(
        wrong_response.status == 422 && wrong_response.json()["errors"]["position"].is_array(),
        "{}",
        wrong_response.text
    );
}

async fn concurrent_changes_of_status_and_order_stay_consistent(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let ids = panel.create_methods(&["A", "B", "C"]).await;
    let path = format!("{METHODS_PATH}/{}/disable", ids[0]);
    let empty_body = json!({});
    let (first_response, second_response) =
        tokio::join!(panel.post(&path, &empty_body), panel.post(&path, &empty_body));
    let mut statuses = [first_response.status.as_u16(), second_response.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    let sort_path = format!("{METHODS_PATH}/sort");
    let orders =
        [[ids[2], ids[1], ids[0]], [ids[1], ids[2], ids[0]]].map(|ids| json!({ "payment_methods": ids }));
    let new_methods = ["D", "E"].map(|name| json!({ "name": name, "type": "card" }));
    let responses = tokio::join!(
        panel.post(&sort_path, &orders[0]),
        panel.post(METHODS_PATH, &new_methods[0]),
        panel.post(&sort_path, &orders[1]),
        panel.post(METHODS_PATH, &new_methods[1])
    );
    assert_eq!((responses.1.status.as_u16(), responses.3.status.as_u16()), (200, 200));
    let positions: Vec<i64> =
        panel.fetch_positions().await.into_iter().map(|(_, position)| position).collect();
    assert_eq!(positions, [1, 2, 3, 4, 5]);
}

async fn bonuses_are_set_and_deleted(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let id = panel.create_methods(&["A"]).await[0];
    let set_bonuses = async |bonuses: Value| {
        panel.post(BONUSES_PATH, &json!({ "payment_method_id": id, "bonuses": bonuses })).await
    };
    let created =
        set_bonuses(json!([{ "from_amount": "100", "bonus_fraction": "0.05", "is_enabled": true }, {}]))
            .await;
    assert_eq!(created.status, 200, "{}", created.text);
    let bonuses = created.json()["data"]["payment_method_bonuses"].clone();
    assert_eq!((&bonuses[0]["from_amount"], &bonuses[0]["is_enabled"]), (&json!("0"), &json!(false)));
    assert_eq!((&bonuses[1]["from_amount"], &bonuses[1]["bonus_fraction"]), (&json!("100"), &json!("0.05")));
    // Two bonuses swap their amounts. Their ids do not change.
    let swapped_bonuses = json!([
        { "id": bonuses[0]["id"], "from_amount": "100", "bonus_fraction": "0.075", "is_enabled": true },
        { "id": bonuses[1]["id"], "from_amount": "0", "bonus_fraction": "0.01", "is_enabled": true },
    ]);
    let bonuses_after = set_bonuses(swapped_bonuses).await.json()["data"]["payment_method_bonuses"].clone();
    assert_eq!(
        (&bonuses_after[1]["id"], &bonuses_after[1]["bonus_fraction"]),
        (&bonuses[0]["id"], &json!("0.075"))
    );
    assert_eq!(
        set_bonuses(json!([{ "from_amount": "100" }])).await.status_and_code(),
        (422, "bonus_exists".into())
    );
    for invalid_bonuses in [json!([{ "id": 99 }]), json!([{ "bonus_fraction": "1.005" }]), json!([])] {
        assert_eq!(set_bonuses(invalid_bonuses).await.status, 422);
    }
    let unknown_response =
        panel.post(BONUSES_PATH, &json!({ "payment_method_id": 99, "bonuses": [{}] })).await;
    assert_eq!(unknown_response.status_and_code(), (422, "payment_method_unknown".into()));
    let bonus_path = format!("{BONUSES_PATH}/{}", bonuses_after[0]["id"]);
    for status in [204, 404] {
        assert_eq!(
            panel.request_from("127.0.0.1", Some("owner"), "DELETE", &bonus_path, &Value::Null).await.status,
            status
        );
    }
    let remaining_bonuses =
        panel.get(&format!("{METHODS_PATH}/{id}")).await.json()["data"]["payment_method_bonuses"].clone();
    assert_eq!(remaining_bonuses.as_array().unwrap().len(), 1);
    let count_audits_sql = Sql::new("SELECT count(*) FROM audits WHERE event LIKE 'payment_method.bonus%'");
    assert_eq!(panel.fetch_number(count_audits_sql).await, 3);
}

async fn the_server_accepts_every_choice_of_the_collections(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let collections = panel.get_data(&format!("{METHODS_PATH}/collections")).await;
    let choice_types = |name: &str| -> Vec<String> {
        let choices = collections[name].as_array().unwrap_or_else(|| panic!("{name}: {collections}"));
        assert!(choices.iter().all(|choice| choice["label"].as_str().is_some_and(|text| !text.is_empty())));
        choices.iter().map(|choice| choice["type"].as_str().unwrap().to_owned()).collect()
    };
    let to_strings = |choices: &[&str]| choices.iter().map(|choice| (*choice).to_owned()).collect::<Vec<_>>();
    let method_types: Vec<&str> = PaymentMethodType::ALL.iter().map(|value| value.as_str()).collect();
    let strategies: Vec<&str> = PaymentStrategy::ALL.iter().map(|value| value.as_str()).collect();
    let charge_types: Vec<&str> = ChargeType::ALL.iter().map(|value| value.as_str()).collect();
    assert_eq!(
        (choice_types("types"), choice_types("strategies")),
        (to_strings(&method_types), to_strings(&strategies))
    );
    assert_eq!(choice_types("charge_types"), to_strings(&charge_types));
    assert!(choice_types("currencies").contains(&"USD".to_owned()));
    // The server accepts each type that it offers.
    for kind in method_types {
        panel.create_method(json!({ "name": format!("Method {kind}"), "type": kind })).await;
    }
}
