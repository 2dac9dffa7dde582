//! Payment methods: as JSON and as forms with images, their order, their secrets, their bonuses.

use axum::body::Body;
use axum::http::{Request, header};
use panel_contract::payment_methods::{ChargeType, PaymentMethodType, PaymentStrategy};
use panel_contract::permission::Permission::ViewPaymentMethods;
use panel_platform::db::{Dialect, Source, Sql};
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};
use crate::uploads::PIXEL;

both! {
    a_method_is_made_changed_and_switched;
    forms_carry_images_that_stay;
    secret_settings_are_never_returned;
    the_order_has_no_gaps;
    two_who_switch_or_sort_at_once;
    bonuses_are_set_and_deleted;
    the_collections_have_every_choice;
}

const PATH: &str = "/api/v1/admin/payment-methods";
const BONUSES: &str = "/api/v1/admin/payment-method-bonuses";

impl Panel {
    async fn method(&self, body: Value) -> Value {
        let made = self.post(PATH, &body).await;
        assert_eq!(made.status, 200, "{}", made.text);
        made.json()["data"].clone()
    }

    async fn methods(&self, names: &[&str]) -> Vec<i64> {
        let mut ids = Vec::new();
        for name in names {
            let made = self.method(json!({ "name": name, "type": "card" })).await;
            ids.push(made["id"].as_i64().unwrap());
        }
        ids
    }

    /// Names and places as the list has them.
    async fn places(&self) -> Vec<(String, i64)> {
        let listed = self.get(PATH).await.json();
        let rows = listed["data"].as_array().unwrap().clone();
        rows.iter()
            .map(|row| (row["name"].as_str().unwrap().into(), row["position"].as_i64().unwrap()))
            .collect()
    }

    async fn form(&self, path: &str, fields: &[(&str, &[u8], bool)]) -> Answer {
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

async fn a_method_is_made_changed_and_switched(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let made = panel
        .method(json!({ "name": " Card ", "type": "card", "fee_percent": "0.025", "max_amount": "500",
            "translations": { "de": { "name": "Karte" }, "fr": {} },
            "withdrawal_options": { "available_for_withdrawal": true, "min_amount": "10", "fee_percent": "0.01" } }))
        .await;
    assert_eq!((&made["name"], &made["status"]), (&json!("Card"), &json!("active")));
    assert_eq!((&made["position"], &made["sorting"]), (&json!(1), &json!(1)));
    assert_eq!((&made["fee_percent"], &made["is_allowed_for_new_user"]), (&json!("0.025"), &json!(true)));
    assert_eq!(made["translations"]["de"]["name"], "Karte");
    assert!(made["translations"].get("fr").is_none() && made["translations"]["en"]["name"] == "Card");
    assert_eq!(made["withdrawal_options"]["min_amount"], "10");
    assert_eq!(made["actions"], json!({ "disable": true, "edit": true, "enable": false }));
    let one = format!("{PATH}/{}", made["id"]);
    let body =
        json!({ "max_amount": null, "description": "Visa and others", "updated_at": made["updated_at"] });
    let changed = panel.post(&one, &body).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let changed = changed.json()["data"].clone();
    assert_eq!((&changed["max_amount"], &changed["description"]), (&Value::Null, &json!("Visa and others")));
    assert_eq!((&changed["name"], &changed["fee_percent"]), (&json!("Card"), &json!("0.025")));
    // What was read before is no ground to write.
    let stale = json!({ "description": "Older", "updated_at": "2026-01-01 00:00:00.000000" });
    assert_eq!(panel.post(&one, &stale).await.says(), (409, "changed_meanwhile".into()));
    assert_eq!(panel.post(&one, &json!({ "is_enabled": false })).await.status, 422);
    let off = panel.post(&format!("{one}/disable"), &json!({})).await.json();
    assert_eq!(
        (&off["data"]["status"], &off["data"]["actions"]["enable"]),
        (&json!("disabled"), &json!(true))
    );
    let again = panel.post(&format!("{one}/disable"), &json!({})).await;
    assert_eq!(again.says(), (409, "payment_method_disabled".into()));
    let widget = format!("{PATH}/get-available-for-order-widget");
    assert_eq!(panel.get(&widget).await.json()["data"], json!([]));
    assert_eq!(panel.post(&format!("{one}/enable"), &json!({})).await.status, 200);
    assert_eq!(panel.get(&widget).await.json()["data"][0]["name"], "Card");
    let audits = Sql::new("SELECT count(*) FROM audits WHERE auditable_type = 'payment_method'");
    assert_eq!(panel.number(audits).await, 4);
    panel.staff("viewer", &[ViewPaymentMethods]).await;
    let seen = panel.get_as("viewer", &one, "application/json").await.json();
    assert_eq!(seen["data"]["actions"], json!({ "disable": false, "edit": false, "enable": false }));
}

async fn forms_carry_images_that_stay(dialect: Dialect) {
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
    let made = panel.form(PATH, fields).await;
    assert_eq!(made.status, 200, "{}", made.text);
    let made = made.json()["data"].clone();
    assert_eq!((&made["allow_qr_code"], &made["public_fields"]["qr_code"]), (&json!(true), &json!(true)));
    assert_eq!(made["translations"]["de"]["description"], "Schnell und günstig");
    assert_eq!(made["secrets"], json!([{ "name": "api_key", "is_set": true }]));
    let icon = made["icon"].as_str().unwrap().to_owned();
    assert_eq!(panel.get(&icon).await.bytes[..4], PIXEL[..4]);
    // An address stays, nothing takes away, `_method` says nothing.
    let one = format!("{PATH}/{}", made["id"]);
    let fields: &[(&str, &[u8], bool)] = &[
        ("_method", b"PUT", false),
        ("icon", icon.as_bytes(), false),
        ("payment_qr_code", b"", false),
        ("max_amount", b"", false),
    ];
    let kept = panel.form(&one, fields).await;
    assert_eq!(kept.status, 200, "{}", kept.text);
    let kept = kept.json()["data"].clone();
    assert_eq!((&kept["icon"], &kept["payment_qr_code"]), (&json!(icon), &Value::Null));
    let foreign = panel.form(&one, &[("icon", b"https://elsewhere.example/x.png", false)]).await;
    assert_eq!(foreign.says(), (422, "picture_unknown".into()));
    let svg = panel.form(&one, &[("icon", b"<svg/>", true)]).await;
    assert!(svg.status == 422 && svg.text.contains("SVG"), "{}", svg.text);
}

async fn secret_settings_are_never_returned(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let secret = "sk_live_never_shown";
    let made = panel
        .method(json!({ "name": "Card", "type": "card", "secrets": { "api_key": secret, "iv": secret } }))
        .await;
    let one = format!("{PATH}/{}", made["id"]);
    let body = json!({ "secrets": { "api_key": "", "webhook": secret }, "remove_secrets": ["iv", "none"] });
    let changed = panel.post(&one, &body).await;
    assert_eq!(
        changed.json()["data"]["secrets"],
        json!([{ "name": "api_key", "is_set": true }, { "name": "webhook", "is_set": true }])
    );
    let shown = [changed.text, panel.get(&one).await.text, panel.get(PATH).await.text, made.to_string()];
    assert!(shown.iter().all(|text| !text.contains(secret)));
    let texts: Vec<(String,)> = (&mut &panel.app.db)
        .all(Sql::new("SELECT old_values || new_values FROM audits WHERE auditable_type = 'payment_method'"))
        .await
        .unwrap();
    assert!(
        texts.iter().all(|(text,)| !text.contains(secret)) && texts[1].0.contains("webhook"),
        "{texts:?}"
    );
    let sealed: (Vec<u8>,) =
        (&mut &panel.app.db).one(Sql::new("SELECT secrets FROM payment_methods")).await.unwrap();
    assert!(!sealed.0.windows(4).any(|part| part == b"live"));
    let place = format!("payment_methods|secrets|{}", made["id"]);
    let opened: Value = serde_json::from_slice(&panel.app.secrets.open(&sealed.0, &place).unwrap()).unwrap();
    assert_eq!(opened, json!({ "api_key": secret, "webhook": secret }));
    let bad = panel.post(&one, &json!({ "secrets": { "Api key": "x" } })).await;
    assert!(bad.status == 422 && bad.json()["errors"]["secrets"].is_array(), "{}", bad.text);
}

async fn the_order_has_no_gaps(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let ids = panel.methods(&["A", "B", "C"]).await;
    let sort = format!("{PATH}/sort");
    let order = json!({ "payment_methods": [ids[2], ids[0], ids[1]] });
    assert_eq!(panel.post(&sort, &order).await.status, 204);
    let named =
        |all: &[(&str, i64)]| all.iter().map(|(name, at)| ((*name).to_owned(), *at)).collect::<Vec<_>>();
    assert_eq!(panel.places().await, named(&[("C", 1), ("A", 2), ("B", 3)]));
    for list in [json!([ids[0]]), json!([ids[0], ids[1], ids[2], 99]), json!([])] {
        let refused = panel.post(&sort, &json!({ "payment_methods": list })).await;
        assert_eq!(refused.says(), (409, "list_changed".into()));
    }
    assert_eq!(panel.post(&sort, &json!({ "payment_methods": [ids[0], ids[0]] })).await.status, 422);
    panel.method(json!({ "name": "D", "type": "bank", "position": 2 })).await;
    assert_eq!(panel.places().await, named(&[("C", 1), ("D", 2), ("A", 3), ("B", 4)]));
    let one = format!("{PATH}/{}", ids[2]);
    assert_eq!(panel.post(&one, &json!({ "position": 4 })).await.json()["data"]["position"], 4);
    assert_eq!(panel.places().await, named(&[("D", 1), ("A", 2), ("B", 3), ("C", 4)]));
    let wrong = panel.post(&one, &json!({ "position": 5 })).await;
    assert!(wrong.status == 422 && wrong.json()["errors"]["position"].is_array(), "{}", wrong.text);
}

async fn two_who_switch_or_sort_at_once(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let ids = panel.methods(&["A", "B", "C"]).await;
    let path = format!("{PATH}/{}/disable", ids[0]);
    let none = json!({});
    let (one, other) = tokio::join!(panel.post(&path, &none), panel.post(&path, &none));
    let mut statuses = [one.status.as_u16(), other.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    let sort = format!("{PATH}/sort");
    let (left, right) =
        (json!({ "payment_methods": [ids[2], ids[1], ids[0]] }), json!({ "name": "D", "type": "card" }));
    let orders =
        [json!({ "payment_methods": [ids[1], ids[2], ids[0]] }), json!({ "name": "E", "type": "card" })];
    let all = tokio::join!(
        panel.post(&sort, &left),
        panel.post(PATH, &right),
        panel.post(&sort, &orders[0]),
        panel.post(PATH, &orders[1])
    );
    assert_eq!((all.1.status.as_u16(), all.3.status.as_u16()), (200, 200));
    let places: Vec<i64> = panel.places().await.into_iter().map(|(_, at)| at).collect();
    assert_eq!(places, [1, 2, 3, 4, 5]);
}

async fn bonuses_are_set_and_deleted(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let id = panel.methods(&["A"]).await[0];
    let set = async |bonuses: Value| {
        panel.post(BONUSES, &json!({ "payment_method_id": id, "bonuses": bonuses })).await
    };
    let made = set(json!([{ "from_amount": "100", "bonus_percent": "5", "is_enabled": true }, {}])).await;
    assert_eq!(made.status, 200, "{}", made.text);
    let bonuses = made.json()["data"]["payment_method_bonuses"].clone();
    assert_eq!((&bonuses[0]["from_amount"], &bonuses[0]["is_enabled"]), (&json!("0"), &json!(false)));
    assert_eq!((&bonuses[1]["from_amount"], &bonuses[1]["bonus_percent"]), (&json!("100"), &json!("5")));
    // Two change places; their ids stay.
    let swapped = json!([
        { "id": bonuses[0]["id"], "from_amount": "100", "bonus_percent": "7.5", "is_enabled": true },
        { "id": bonuses[1]["id"], "from_amount": "0", "bonus_percent": "1", "is_enabled": true },
    ]);
    let after = set(swapped).await.json()["data"]["payment_method_bonuses"].clone();
    assert_eq!((&after[1]["id"], &after[1]["bonus_percent"]), (&bonuses[0]["id"], &json!("7.5")));
    assert_eq!(set(json!([{ "from_amount": "100" }])).await.says(), (422, "bonus_exists".into()));
    for bad in [json!([{ "id": 99 }]), json!([{ "bonus_percent": "100.5" }]), json!([])] {
        assert_eq!(set(bad).await.status, 422);
    }
    let unknown = panel.post(BONUSES, &json!({ "payment_method_id": 99, "bonuses": [{}] })).await;
    assert_eq!(unknown.says(), (422, "payment_method_unknown".into()));
    let gone = format!("{BONUSES}/{}", after[0]["id"]);
    for status in [204, 404] {
        assert_eq!(
            panel.call("127.0.0.1", Some("owner"), "DELETE", &gone, &Value::Null).await.status,
            status
        );
    }
    let left = panel.get(&format!("{PATH}/{id}")).await.json()["data"]["payment_method_bonuses"].clone();
    assert_eq!(left.as_array().unwrap().len(), 1);
    let audits = Sql::new("SELECT count(*) FROM audits WHERE event LIKE 'payment_method.bonus%'");
    assert_eq!(panel.number(audits).await, 3);
}

async fn the_collections_have_every_choice(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let collections = panel.data(&format!("{PATH}/collections")).await;
    let words = |name: &str| -> Vec<String> {
        let choices = collections[name].as_array().unwrap_or_else(|| panic!("{name}: {collections}"));
        assert!(choices.iter().all(|choice| choice["label"].as_str().is_some_and(|text| !text.is_empty())));
        choices.iter().map(|choice| choice["type"].as_str().unwrap().to_owned()).collect()
    };
    let named = |all: &[&str]| all.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let types: Vec<&str> = PaymentMethodType::ALL.iter().map(|word| word.as_str()).collect();
    let strategies: Vec<&str> = PaymentStrategy::ALL.iter().map(|word| word.as_str()).collect();
    let charges: Vec<&str> = ChargeType::ALL.iter().map(|word| word.as_str()).collect();
    assert_eq!((words("types"), words("strategies")), (named(&types), named(&strategies)));
    assert_eq!(words("charge_types"), named(&charges));
    assert!(words("currencies").contains(&"USD".to_owned()));
    // Each type and strategy that is offered is taken.
    for kind in types {
        panel.method(json!({ "name": format!("Method {kind}"), "type": kind })).await;
    }
}
