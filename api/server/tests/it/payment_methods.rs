//! Payment methods: editing as JSON and as forms with images, positions, secrets, bonuses.

use axum::body::Body;
use axum::http::{Request, header};
use panel_contract::payment_methods::{ChargeType, PaymentMethodType, PaymentStrategy};
use panel_contract::permission::Permission::ViewPaymentMethods;
use panel_platform::db::{Dialect, Source, Sql};
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};
use crate::uploads::PIXEL;

both! {
    creates_updates_disables_and_enables_a_payment_method;
    forms_upload_keep_and_remove_images;
    secret_settings_are_never_returned;
    positions_have_no_gaps;
    concurrent_changes_of_status_and_order_stay_consistent;
    bonuses_are_set_and_deleted;
    the_collections_have_every_choice_and_the_server_accepts_it;
}

const PATH: &str = "/api/v1/admin/payment-methods";
const BONUSES: &str = "/api/v1/admin/payment-method-bonuses";

impl Panel {
    async fn create_method(&self, body: Value) -> Value {
        let created = self.post(PATH, &body).await;
        assert_eq!(created.status, 200, "{}", created.text);
        created.json()["data"].clone()
    }

    async fn create_methods(&self, names: &[&str]) -> Vec<i64> {
        let mut ids = Vec::new();
        for name in names {
            let created = self.create_method(json!({ "name": name, "type": "card" })).await;
            ids.push(created["id"].as_i64().unwrap());
        }
        ids
    }

    /// The names and positions of the list.
    async fn positions(&self) -> Vec<(String, i64)> {
        let listed = self.get(PATH).await.json();
        let rows = listed["data"].as_array().unwrap().clone();
        rows.iter()
            .map(|row| (row["name"].as_str().unwrap().into(), row["position"].as_i64().unwrap()))
            .collect()
    }

    async fn post_form(&self, path: &str, fields: &[(&str, &[u8], bool)]) -> Answer {
        let mut body = Vec::new();
        for (name, value, is_file) in fields {
            let file = if *is_file { "; filename=\"a.png\"\r\nContent-Type: image/png" } else { "" };
            body.extend(
                format!("--XX\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n").bytes(),
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
        self.answer(request).await
    }
}

async fn creates_updates_disables_and_enables_a_payment_method(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
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
    let method_path = format!("{PATH}/{}", created["id"]);
    let body =
        json!({ "max_amount": null, "description": "Visa and others", "updated_at": created["updated_at"] });
    let changed = panel.post(&method_path, &body).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let changed = changed.json()["data"].clone();
    assert_eq!((&changed["max_amount"], &changed["description"]), (&Value::Null, &json!("Visa and others")));
    assert_eq!((&changed["name"], &changed["fee_fraction"]), (&json!("Card"), &json!("0.025")));
    // The request is refused, because the record changed after the client read it.
    let stale = json!({ "description": "Older", "updated_at": "2026-01-01 00:00:00.000000" });
    assert_eq!(panel.post(&method_path, &stale).await.status_and_code(), (409, "changed_meanwhile".into()));
    assert_eq!(panel.post(&method_path, &json!({ "is_enabled": false })).await.status, 422);
    let disabled = panel.post(&format!("{method_path}/disable"), &json!({})).await.json();
    assert_eq!(
        (&disabled["data"]["status"], &disabled["data"]["actions"]["enable"]),
        (&json!("disabled"), &json!(true))
    );
    let disabled_again = panel.post(&format!("{method_path}/disable"), &json!({})).await;
    assert_eq!(disabled_again.status_and_code(), (409, "payment_method_disabled".into()));
    let widget = format!("{PATH}/get-available-for-order-widget");
    assert_eq!(panel.get(&widget).await.json()["data"], json!([]));
    assert_eq!(panel.post(&format!("{method_path}/enable"), &json!({})).await.status, 200);
    assert_eq!(panel.get(&widget).await.json()["data"][0]["name"], "Card");
    let audits = Sql::new("SELECT count(*) FROM audits WHERE auditable_type = 'payment_method'");
    assert_eq!(panel.number(audits).await, 4);
    panel.create_staff("viewer", &[ViewPaymentMethods]).await;
    let viewed = panel.get_as("viewer", &method_path, "application/json").await.json();
    assert_eq!(viewed["data"]["actions"], json!({ "disable": false, "edit": false, "enable": false }));
}

async fn forms_upload_keep_and_remove_images(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
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
    let created = panel.post_form(PATH, fields).await;
    assert_eq!(created.status, 200, "{}", created.text);
    let created = created.json()["data"].clone();
    assert_eq!(
        (&created["allow_qr_code"], &created["public_fields"]["qr_code"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(created["translations"]["de"]["description"], "Schnell und günstig");
    assert_eq!(created["secrets"], json!([{ "name": "api_key", "is_set": true }]));
    let icon = created["icon"].as_str().unwrap().to_owned();
    assert_eq!(panel.get(&icon).await.bytes[..4], PIXEL[..4]);
    // The URL of an image keeps it, an empty value removes it, and `_method` has no effect.
    let method_path = format!("{PATH}/{}", created["id"]);
    let fields: &[(&str, &[u8], bool)] = &[
        ("_method", b"PUT", false),
        ("icon", icon.as_bytes(), false),
        ("payment_qr_code", b"", false),
        ("max_amount", b"", false),
    ];
    let updated = panel.post_form(&method_path, fields).await;
    assert_eq!(updated.status, 200, "{}", updated.text);
    let updated = updated.json()["data"].clone();
    assert_eq!((&updated["icon"], &updated["payment_qr_code"]), (&json!(icon), &Value::Null));
    let foreign_url =
        panel.post_form(&method_path, &[("icon", b"https://elsewhere.example/x.png", false)]).await;
    assert_eq!(foreign_url.status_and_code(), (422, "picture_unknown".into()));
    let svg = panel.post_form(&method_path, &[("icon", b"<svg/>", true)]).await;
    assert!(svg.status == 422 && svg.text.contains("SVG"), "{}", svg.text);
}

async fn secret_settings_are_never_returned(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let secret = "sk_live_never_shown";
    let created = panel
        .create_method(
            json!({ "name": "Card", "type": "card", "secrets": { "api_key": secret, "iv": secret } }),
        )
        .await;
    let method_path = format!("{PATH}/{}", created["id"]);
    let body = json!({ "secrets": { "api_key": "", "webhook": secret }, "remove_secrets": ["iv", "none"] });
    let changed = panel.post(&method_path, &body).await;
    assert_eq!(
        changed.json()["data"]["secrets"],
        json!([{ "name": "api_key", "is_set": true }, { "name": "webhook", "is_set": true }])
    );
    let responses =
        [changed.text, panel.get(&method_path).await.text, panel.get(PATH).await.text, created.to_string()];
    assert!(responses.iter().all(|text| !text.contains(secret)));
    let texts: Vec<(String,)> = (&mut &panel.app.db)
        .fetch_all(Sql::new(
            "SELECT old_values || new_values FROM audits WHERE auditable_type = 'payment_method'",
        ))
        .await
        .unwrap();
    assert!(
        texts.iter().all(|(text,)| !text.contains(secret)) && texts[1].0.contains("webhook"),
        "{texts:?}"
    );
    let sealed: (Vec<u8>,) =
        (&mut &panel.app.db).fetch_one(Sql::new("SELECT secrets FROM payment_methods")).await.unwrap();
    assert!(!sealed.0.windows(4).any(|part| part == b"live"));
    let sealing_context = format!("payment_methods|secrets|{}", created["id"]);
    let decrypted: Value =
        serde_json::from_slice(&panel.app.secrets.open(&sealed.0, &sealing_context).unwrap()).unwrap();
    assert_eq!(decrypted, json!({ "api_key": secret, "webhook": secret }));
    let invalid = panel.post(&method_path, &json!({ "secrets": { "Api key": "x" } })).await;
    assert!(invalid.status == 422 && invalid.json()["errors"]["secrets"].is_array(), "{}", invalid.text);
}

async fn positions_have_no_gaps(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let ids = panel.create_methods(&["A", "B", "C"]).await;
    let sort = format!("{PATH}/sort");
    let order = json!({ "payment_methods": [ids[2], ids[0], ids[1]] });
    assert_eq!(panel.post(&sort, &order).await.status, 204);
    let owned = |positions: &[(&str, i64)]| {
        positions.iter().map(|(name, position)| ((*name).to_owned(), *position)).collect::<Vec<_>>()
    };
    assert_eq!(panel.positions().await, owned(&[("C", 1), ("A", 2), ("B", 3)]));
    for list in [json!([ids[0]]), json!([ids[0], ids[1], ids[2], 99]), json!([])] {
        let refused = panel.post(&sort, &json!({ "payment_methods": list })).await;
        assert_eq!(refused.status_and_code(), (409, "list_changed".into()));
    }
    assert_eq!(panel.post(&sort, &json!({ "payment_methods": [ids[0], ids[0]] })).await.status, 422);
    panel.create_method(json!({ "name": "D", "type": "bank", "position": 2 })).await;
    assert_eq!(panel.positions().await, owned(&[("C", 1), ("D", 2), ("A", 3), ("B", 4)]));
    let method_path = format!("{PATH}/{}", ids[2]);
    assert_eq!(panel.post(&method_path, &json!({ "position": 4 })).await.json()["data"]["position"], 4);
    assert_eq!(panel.positions().await, owned(&[("D", 1), ("A", 2), ("B", 3), ("C", 4)]));
    let wrong = panel.post(&method_path, &json!({ "position": 5 })).await;
    assert!(wrong.status == 422 && wrong.json()["errors"]["position"].is_array(), "{}", wrong.text);
}

async fn concurrent_changes_of_status_and_order_stay_consistent(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let ids = panel.create_methods(&["A", "B", "C"]).await;
    let path = format!("{PATH}/{}/disable", ids[0]);
    let empty = json!({});
    let (first, second) = tokio::join!(panel.post(&path, &empty), panel.post(&path, &empty));
    let mut statuses = [first.status.as_u16(), second.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    let sort = format!("{PATH}/sort");
    let orders =
        [[ids[2], ids[1], ids[0]], [ids[1], ids[2], ids[0]]].map(|ids| json!({ "payment_methods": ids }));
    let new_methods = ["D", "E"].map(|name| json!({ "name": name, "type": "card" }));
    let answers = tokio::join!(
        panel.post(&sort, &orders[0]),
        panel.post(PATH, &new_methods[0]),
        panel.post(&sort, &orders[1]),
        panel.post(PATH, &new_methods[1])
    );
    assert_eq!((answers.1.status.as_u16(), answers.3.status.as_u16()), (200, 200));
    let positions: Vec<i64> = panel.positions().await.into_iter().map(|(_, position)| position).collect();
    assert_eq!(positions, [1, 2, 3, 4, 5]);
}

async fn bonuses_are_set_and_deleted(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let id = panel.create_methods(&["A"]).await[0];
    let set_bonuses = async |bonuses: Value| {
        panel.post(BONUSES, &json!({ "payment_method_id": id, "bonuses": bonuses })).await
    };
    let created =
        set_bonuses(json!([{ "from_amount": "100", "bonus_fraction": "0.05", "is_enabled": true }, {}]))
            .await;
    assert_eq!(created.status, 200, "{}", created.text);
    let bonuses = created.json()["data"]["payment_method_bonuses"].clone();
    assert_eq!((&bonuses[0]["from_amount"], &bonuses[0]["is_enabled"]), (&json!("0"), &json!(false)));
    assert_eq!((&bonuses[1]["from_amount"], &bonuses[1]["bonus_fraction"]), (&json!("100"), &json!("0.05")));
    // Two bonuses swap their amounts and keep their ids.
    let swapped = json!([
        { "id": bonuses[0]["id"], "from_amount": "100", "bonus_fraction": "0.075", "is_enabled": true },
        { "id": bonuses[1]["id"], "from_amount": "0", "bonus_fraction": "0.01", "is_enabled": true },
    ]);
    let after = set_bonuses(swapped).await.json()["data"]["payment_method_bonuses"].clone();
    assert_eq!((&after[1]["id"], &after[1]["bonus_fraction"]), (&bonuses[0]["id"], &json!("0.075")));
    assert_eq!(
        set_bonuses(json!([{ "from_amount": "100" }])).await.status_and_code(),
        (422, "bonus_exists".into())
    );
    for invalid in [json!([{ "id": 99 }]), json!([{ "bonus_fraction": "1.005" }]), json!([])] {
        assert_eq!(set_bonuses(invalid).await.status, 422);
    }
    let unknown = panel.post(BONUSES, &json!({ "payment_method_id": 99, "bonuses": [{}] })).await;
    assert_eq!(unknown.status_and_code(), (422, "payment_method_unknown".into()));
    let bonus_path = format!("{BONUSES}/{}", after[0]["id"]);
    for status in [204, 404] {
        assert_eq!(
            panel.call("127.0.0.1", Some("owner"), "DELETE", &bonus_path, &Value::Null).await.status,
            status
        );
    }
    let remaining = panel.get(&format!("{PATH}/{id}")).await.json()["data"]["payment_method_bonuses"].clone();
    assert_eq!(remaining.as_array().unwrap().len(), 1);
    let audits = Sql::new("SELECT count(*) FROM audits WHERE event LIKE 'payment_method.bonus%'");
    assert_eq!(panel.number(audits).await, 3);
}

async fn the_collections_have_every_choice_and_the_server_accepts_it(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let collections = panel.get_data(&format!("{PATH}/collections")).await;
    let choice_types = |name: &str| -> Vec<String> {
        let choices = collections[name].as_array().unwrap_or_else(|| panic!("{name}: {collections}"));
        assert!(choices.iter().all(|choice| choice["label"].as_str().is_some_and(|text| !text.is_empty())));
        choices.iter().map(|choice| choice["type"].as_str().unwrap().to_owned()).collect()
    };
    let owned = |choices: &[&str]| choices.iter().map(|choice| (*choice).to_owned()).collect::<Vec<_>>();
    let types: Vec<&str> = PaymentMethodType::ALL.iter().map(|word| word.as_str()).collect();
    let strategies: Vec<&str> = PaymentStrategy::ALL.iter().map(|word| word.as_str()).collect();
    let charges: Vec<&str> = ChargeType::ALL.iter().map(|word| word.as_str()).collect();
    assert_eq!((choice_types("types"), choice_types("strategies")), (owned(&types), owned(&strategies)));
    assert_eq!(choice_types("charge_types"), owned(&charges));
    assert!(choice_types("currencies").contains(&"USD".to_owned()));
    // The server accepts each type that it offers.
    for kind in types {
        panel.create_method(json!({ "name": format!("Method {kind}"), "type": kind })).await;
    }
}
