//! Settings: reading, validation, changes, and their effect on the rest of the panel.

use axum::body::Body;
use axum::http::{Request, header};
use panel_contract::ids::UserId;
use panel_contract::permission::Permission;
use panel_contract::settings::{SETTINGS, SettingKind, SettingsResponse, SettingsTree};
use panel_contract::upload::to_data_url;
use panel_platform::db::{Dialect, Sql};
use panel_platform::settings;
use panel_server::operations::orders::place::NewOrder;
use serde_json::{Value, json};

use crate::invoices::create_invoice;
use crate::panel::{Answer, Panel};
use crate::shop::PLAIN;
use crate::uploads::PIXEL;
use crate::withdrawals::add_payment_methods;

both! {
    a_new_panel_has_every_default;
    each_changed_setting_is_audited;
    invalid_settings_are_named_and_nothing_is_written;
    secret_settings_are_never_returned;
    a_token_is_not_sent_to_another_server;
    an_uploaded_image_is_stored_and_its_url_can_be_sent_back;
    a_multipart_form_is_read_like_json;
    a_change_of_a_stale_setting_is_a_conflict;
    a_dry_run_writes_nothing;
    the_public_endpoint_returns_only_public_settings;
    the_site_reads_its_settings_and_service_fields;
    settings_require_their_permissions;
    the_rounding_precision_decides_the_cost_of_an_order;
    expensive_orders_wait_for_moderation;
    speedup_and_guarantee_raise_the_cost_of_an_order;
    invoices_are_numbered_with_the_prefix;
    affiliates_without_their_own_fraction_get_the_default;
    grades_can_be_disabled;
    tasks_can_be_disabled;
    free_trials_can_be_disabled;
    services_keep_the_minimum_margin;
    a_captcha_without_keys_cannot_be_enabled;
    a_currency_in_use_cannot_be_removed;
}

pub(crate) const SETTINGS_PATH: &str = "/api/v1/admin/settings";

impl Panel {
    pub(crate) async fn post_settings(&self, settings: Value) -> Answer {
        self.post(SETTINGS_PATH, &settings).await
    }

    /// Changes settings and asserts success.
    pub(crate) async fn save_settings(&self, settings: Value) -> Value {
        let answer = self.post_settings(settings).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["data"].clone()
    }
}

async fn a_new_panel_has_every_default(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let answer: SettingsResponse = serde_json::from_value(panel.get(SETTINGS_PATH).await.json()).unwrap();
    assert_eq!(answer.fields.len(), SETTINGS.len());
    for setting in SETTINGS {
        let value = answer.data.get(setting.key).unwrap_or_else(|| panic!("{} is missing", setting.key));
        match setting.kind {
            SettingKind::Secret => assert_eq!(*value, json!({ "is_set": false }), "{}", setting.key),
            _ => assert_eq!(*value, setting.default_value(), "{}", setting.key),
        }
    }
    assert!(answer.fields.iter().all(|field| field.is_default));
    let sent_back = serde_json::to_value(&answer.data).unwrap();
    assert_eq!(
        panel.save_settings(sent_back.clone()).await,
        sent_back,
        "sending the unchanged settings back changes nothing"
    );
}

async fn each_changed_setting_is_audited(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let change = json!({ "panel_name": " Shop ", "rounding_precision": 3, "colors": { "dark": { "primary": "#ABCDEF" } } });
    let data = panel.save_settings(change.clone()).await;
    assert_eq!((&data["panel_name"], &data["rounding_precision"]), (&json!("Shop"), &json!(3)));
    assert_eq!(data["colors"]["dark"]["primary"], "#abcdef");
    let fields = panel.get(SETTINGS_PATH).await.json()["fields"].clone();
    let changed = fields.as_array().unwrap().iter().filter(|field| field["is_default"] == false);
    assert_eq!(changed.count(), 3);
    let audit_count = Sql::new("SELECT count(*) FROM audits WHERE event = 'setting.changed'");
    assert_eq!(panel.number(audit_count.clone()).await, 3, "one entry per setting");
    panel.save_settings(change).await;
    assert_eq!(panel.number(audit_count).await, 3, "an unchanged setting writes no entry");
    let audits = panel.get("/api/v1/admin/audits").await.json()["data"].clone();
    let audit_of = |key: &str| {
        audits.as_array().unwrap().iter().find(|row| row["new_values"].get(key).is_some()).unwrap().clone()
    };
    assert_eq!((audit_of("panel_name")["old_values"]["panel_name"]).clone(), json!("Panel"));
    assert_eq!((audit_of("panel_name")["new_values"]["panel_name"]).clone(), json!("Shop"));
}

async fn invalid_settings_are_named_and_nothing_is_written(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let invalid = json!({ "panel_name": "New", "colors": { "dark": { "primary": "red" } }, "service_types": [77],
        "social_value_external_panel_id": 5, "nonsense": 1 });
    let answer = panel.post_settings(invalid).await;
    assert_eq!(answer.status, 422);
    let errors = answer.json()["errors"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(errors, ["colors.dark.primary", "nonsense"]);
    let answer = panel
        .post_settings(
            json!({ "panel_name": "New", "service_types": [77], "social_value_external_panel_id": 5 }),
        )
        .await;
    let errors = answer.json()["errors"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(errors, ["service_types", "social_value_external_panel_id"]);
    assert_eq!(panel.get(SETTINGS_PATH).await.json()["data"]["panel_name"], "Panel");
    assert_eq!(
        panel.number(Sql::new("SELECT count(*) FROM audits WHERE event = 'setting.changed'")).await,
        0
    );
}

async fn secret_settings_are_never_returned(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let key = "integrations.telegram_bot_token";
    let token = "123:very-secret";
    let data = panel.save_settings(json!({ "integrations": { "telegram_bot_token": token } })).await;
    assert_eq!(data["integrations"]["telegram_bot_token"], json!({ "is_set": true }));
    let decrypted = settings::read_secret(&panel.app, &mut &panel.app.db, key).await.unwrap();
    assert_eq!(decrypted.as_deref(), Some(token));
    let stored = settings::read_stored(&mut &panel.app.db, key).await.unwrap().unwrap();
    assert!(!stored.to_string().contains("very-secret"));
    let audits = panel.get("/api/v1/admin/audits").await.text;
    assert!(audits.contains("telegram_bot_token") && !audits.contains("very-secret"), "{audits}");
    let data = panel.save_settings(json!({ "integrations": { "telegram_bot_token": "" } })).await;
    assert_eq!(
        data["integrations"]["telegram_bot_token"],
        json!({ "is_set": true }),
        "an empty value changes nothing"
    );
    let data = panel.save_settings(json!({ "integrations": { "telegram_bot_token": null } })).await;
    assert_eq!(data["integrations"]["telegram_bot_token"], json!({ "is_set": false }));
    assert_eq!(settings::read_secret(&panel.app, &mut &panel.app.db, key).await.unwrap(), None);
}

async fn a_token_is_not_sent_to_another_server(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let (a, b) = ("https://a.example/?url={url}", "https://b.example/?url={url}");
    let post_url_and_token = |url: Value, token: Value| {
        panel.post_settings(json!({ "integrations": { "counter_url": url, "counter_token": token } }))
    };
    let unchanged_token = || json!({ "is_set": true });
    assert_eq!(post_url_and_token(json!(a), json!("token-of-a")).await.status, 200);
    for no_token in [unchanged_token(), json!(""), json!("  ")] {
        let refused = post_url_and_token(json!(b), no_token).await;
        assert_eq!(refused.status, 422, "{}", refused.text);
        let message = &refused.json()["errors"]["integrations.counter_token"][0];
        assert_eq!(message, "Enter the token again because the URL has changed.", "{}", refused.text);
    }
    let url_alone = panel.post_settings(json!({ "integrations.counter_url": b })).await;
    assert_eq!(url_alone.status, 422, "{}", url_alone.text);
    // Removing the URL first does not keep the token either.
    assert_eq!(post_url_and_token(Value::Null, unchanged_token()).await.status, 200);
    assert_eq!(post_url_and_token(json!(b), unchanged_token()).await.status, 422);
    assert_eq!(post_url_and_token(json!(a), json!("token-of-a")).await.status, 200);
    assert_eq!(
        post_url_and_token(json!("https://a.example/more?url={url}"), unchanged_token()).await.status,
        200,
        "the same server"
    );
    assert_eq!(post_url_and_token(json!(b), json!("token-of-b")).await.status, 200);
    assert_eq!(post_url_and_token(json!(a), Value::Null).await.status, 200, "the token was removed");
    let token =
        settings::read_secret(&panel.app, &mut &panel.app.db, "integrations.counter_token").await.unwrap();
    assert_eq!(token, None);
}

async fn an_uploaded_image_is_stored_and_its_url_can_be_sent_back(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let data = panel.save_settings(json!({ "light_logo": to_data_url(PIXEL) })).await;
    let url = data["light_logo"].as_str().unwrap().to_owned();
    assert!(url.starts_with("/uploads/"), "{url}");
    let sent_back = panel.save_settings(json!({ "light_logo": url, "dark_logo": null })).await;
    assert_eq!(sent_back["light_logo"], json!(url), "a URL is not uploaded again");
    let unknown_url = panel.post_settings(json!({ "light_logo": "/uploads/other.png" })).await;
    assert_eq!(unknown_url.status_and_code(), (422, "picture_unknown".into()));
    let no_image = panel.post_settings(json!({ "light_logo": "data:;base64,AAAA" })).await;
    assert!(no_image.json()["errors"]["light_logo"].is_array(), "{}", no_image.text);
    assert_eq!(panel.save_settings(json!({ "light_logo": "" })).await["light_logo"], Value::Null);
    let small = panel.post_settings(json!({ "icon_link_192": to_data_url(PIXEL) })).await;
    assert!(small.status == 422 && small.text.contains("192×192"), "{}", small.text);
}

async fn a_multipart_form_is_read_like_json(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let mut body = Vec::new();
    let fields: &[(&str, &[u8], bool)] = &[
        ("_method", b"POST", false),
        ("panel_name", b"Shop", false),
        ("colors[light][primary]", b"#010203", false),
        ("grades_enabled", b"0", false),
        ("currencies[exchange_rates][RUB]", b"92.5", false),
        ("meta_tags[0][name]", b"description", false),
        ("meta_tags[0][content]", b"A shop", false),
        ("favicon", PIXEL, true),
    ];
    for (name, value, is_file) in fields {
        let file = if *is_file { "; filename=\"a.png\"\r\nContent-Type: image/png" } else { "" };
        body.extend(format!("--XX\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n").bytes());
        body.extend(*value);
        body.extend(b"\r\n");
    }
    body.extend(b"--XX--\r\n");
    let request = Request::post(SETTINGS_PATH)
        .header(header::AUTHORIZATION, "Bearer owner")
        .header(header::CONTENT_TYPE, "multipart/form-data; boundary=XX")
        .body(Body::from(body))
        .unwrap();
    let answer = panel.answer(request).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let data = answer.json()["data"].clone();
    assert_eq!((&data["panel_name"], &data["grades_enabled"]), (&json!("Shop"), &json!(false)));
    assert_eq!(data["colors"]["light"]["primary"], "#010203");
    assert_eq!(data["currencies"]["exchange_rates"], json!({ "RUB": "92.5" }));
    assert_eq!(data["meta_tags"], json!([{ "name": "description", "content": "A shop" }]));
    assert!(data["favicon"].as_str().unwrap().starts_with("/uploads/"));
}

async fn a_change_of_a_stale_setting_is_a_conflict(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let read = panel.get(SETTINGS_PATH).await.json()["data"]["updated_at"].clone();
    panel.clock.advance_secs(5);
    panel.save_settings(json!({ "panel_name": "First", "updated_at": read })).await;
    let stale = panel.post_settings(json!({ "panel_name": "Second", "updated_at": read })).await;
    assert_eq!(stale.status_and_code(), (409, "changed_meanwhile".into()));
    assert!(stale.json()["message"].as_str().unwrap().contains("panel_name"));
    panel.save_settings(json!({ "logo_alt": "Mine", "updated_at": read })).await;
    let (first, second) = tokio::join!(
        panel.post_settings(json!({ "support_email": "a@shop.example" })),
        panel.post_settings(json!({ "support_email": "b@shop.example" })),
    );
    assert!(first.status == 200 && second.status == 200, "{} {}", first.text, second.text);
    let audited =
        "SELECT count(*) FROM audits WHERE event = 'setting.changed' AND new_values LIKE '%support_email%'";
    assert_eq!(panel.number(Sql::new(audited)).await, 2);
}

async fn a_dry_run_writes_nothing(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let answer = panel.post(&format!("{SETTINGS_PATH}?dry_run=1"), &json!({ "panel_name": "Shop" })).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["data"]["panel_name"]), (200, &json!("Shop")));
    assert_eq!(panel.get(SETTINGS_PATH).await.json()["data"]["panel_name"], "Panel");
}

async fn the_public_endpoint_returns_only_public_settings(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let change = json!({ "panel_name": "Shop", "logo_alt": "Shop's logo", "default_referral_program_fraction": "0.07",
        "currency_symbol": "€", "support_email": "help@shop.example", "integrations": { "custom_html": "<b>x</b>" } });
    panel.save_settings(change).await;
    let request = Request::get("/settings").body(Body::empty()).unwrap();
    let answer = panel.answer(request).await;
    let data = answer.json()["data"].clone();
    assert_eq!((&data["panel_name"], &data["logo_alt"]), (&json!("Shop"), &json!("Shop's logo")));
    assert_eq!(
        (&data["default_referral_program_fraction"], &data["currency_symbol"]),
        (&json!("0.07"), &json!("€"))
    );
    let tree: SettingsTree = serde_json::from_value(data["site"].clone()).unwrap();
    assert_eq!(tree.get("colors.light.primary"), Some(&json!("#7c3aed")));
    for setting in SETTINGS {
        let is_top_level = data.get(setting.key).is_some();
        let is_in_site = tree.get(setting.key).is_some();
        assert_eq!(is_top_level || is_in_site, setting.is_public, "{}", setting.key);
        assert_eq!(is_in_site, setting.is_served_to_site(), "{}", setting.key);
    }
    assert!(!answer.text.contains("help@shop.example") && !answer.text.contains("<b>"));
}

async fn settings_require_their_permissions(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.create_staff("clerk", &[Permission::ViewOrders]).await;
    let refused = panel.send("clerk", "POST", SETTINGS_PATH, &json!({ "panel_name": "Mine" }), None).await;
    assert_eq!(refused.status, 403);
    assert_eq!(panel.get_as("clerk", SETTINGS_PATH, "application/json").await.status, 403);
}

async fn the_rounding_precision_decides_the_cost_of_an_order(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel.execute(Sql::new("UPDATE services SET default_price = 3333000")).await;
    let order = NewOrder::plain(UserId::new(1), PLAIN, "https://video.example/1", 101);
    assert_eq!(panel.place(&order).await.cost.to_string(), "0.34");
    panel.save_settings(json!({ "rounding_precision": 4 })).await;
    let order = NewOrder::plain(UserId::new(1), PLAIN, "https://video.example/2", 101);
    assert_eq!(panel.place(&order).await.cost.to_string(), "0.3367");
}

async fn expensive_orders_wait_for_moderation(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel.save_settings(json!({ "maximal_order_cost_without_approval_required": "5" })).await;
    let place = async |path: i64, quantity: i64| {
        let order =
            NewOrder::plain(UserId::new(1), PLAIN, &format!("https://video.example/{path}"), quantity);
        panel.place(&order).await.status.as_str()
    };
    assert_eq!(place(1, 500).await, "in_processing");
    assert_eq!(place(2, 501).await, "in_moderation");
    panel.save_settings(json!({ "maximal_order_cost_without_approval_required": null })).await;
    assert_eq!(place(3, 50_000).await, "in_processing");
}

async fn speedup_and_guarantee_raise_the_cost_of_an_order(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel
        .save_settings(json!({ "speedup_charge_fraction": "0.5", "guarantee_charge_fraction": "0.1" }))
        .await;
    let path = "/api/v1/admin/orders";
    let body = json!({ "user_id": 1, "service_id": PLAIN, "url": "https://video.example/1", "quantity": 1000, "speedup": true, "guarantee": true });
    let refused = panel.post(path, &body).await;
    assert!(refused.status == 422 && refused.json()["errors"]["speedup"].is_array(), "{}", refused.text);
    panel.execute(Sql::new("UPDATE services SET can_speedup = TRUE")).await;
    let order = panel.post_data(path, body.clone()).await;
    // 10, plus 50 % for the speedup, plus 10 % of the sum for the guarantee.
    assert_eq!((&order["cost"], &order["has_refill"]), (&json!("16.5"), &json!(true)));
    let sql = "SELECT count(*) FROM order_price_modifications WHERE type IN ('speedup', 'guarantee')";
    assert_eq!(panel.number(Sql::new(sql)).await, 2);
    panel.execute(Sql::new("UPDATE services SET has_refill = TRUE")).await;
    let refused = panel.post(path, &body).await;
    assert!(
        refused.json()["errors"]["guarantee"].is_array(),
        "the service has refills anyway: {}",
        refused.text
    );
    panel.assert_healthy().await;
}

async fn invoices_are_numbered_with_the_prefix(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    add_payment_methods(&panel).await;
    panel.save_settings(json!({ "invoice_prefix": "SHOP-" })).await;
    let id = create_invoice(&panel, 1, 10_000_000).await;
    panel.save_settings(json!({ "invoice_prefix": null })).await;
    let rows = panel.get("/api/v1/admin/invoices").await.json()["data"].clone();
    assert_eq!((&rows[0]["id"], &rows[0]["short_name"]), (&json!(id), &json!("SHOP-INV-1")));
}

async fn affiliates_without_their_own_fraction_get_the_default(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let fraction =
        async || panel.get_data("/api/v1/admin/users/2").await["effective_referral_program_fraction"].clone();
    assert_eq!(fraction().await, "0.05");
    panel.save_settings(json!({ "default_referral_program_fraction": "0.07" })).await;
    assert_eq!(fraction().await, "0.07");
    let own_fraction = json!({ "referral_program_fraction": "0.02" });
    let answer = panel.send("owner", "PATCH", "/api/v1/admin/users/2", &own_fraction, None).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(fraction().await, "0.02");
    let no_fraction = json!({ "referral_program_fraction": null });
    let answer = panel.send("owner", "PATCH", "/api/v1/admin/users/2", &no_fraction, None).await;
    assert_eq!((answer.status.as_u16(), fraction().await), (200, json!("0.07")));
    // The default takes at most two decimals, like the fraction of a customer; null resets it to 0.05.
    let too_precise = panel.post_settings(json!({ "default_referral_program_fraction": "0.055" })).await;
    assert_eq!(too_precise.status, 422, "{}", too_precise.text);
    assert!(too_precise.text.contains("at most two decimals"), "{}", too_precise.text);
    let saved = panel.save_settings(json!({ "default_referral_program_fraction": null })).await;
    assert_eq!(
        (&saved["default_referral_program_fraction"], fraction().await),
        (&json!("0.05"), json!("0.05"))
    );
}

async fn grades_can_be_disabled(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let gold = json!({ "translations": { "en": { "name": "Gold" } }, "discount_fraction": "0.1", "spending_goal": "10" });
    let grade = panel.post_data("/api/v1/admin/grades", gold).await;
    let request = json!({ "default_price": "10", "min_price": "0", "pricing_per": 1000, "quantity": 1000 });
    let preview_count = async || {
        panel
            .post_data("/api/v1/admin/services/price-preview", request.clone())
            .await
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(preview_count().await, 2);
    panel.save_settings(json!({ "grades_enabled": false })).await;
    assert_eq!(preview_count().await, 1, "only the price without a grade");
    let path = "/api/v1/admin/users/1/change-grade";
    let grade_change =
        json!({ "grade_id": grade["id"], "grades_enabled": true, "grade_discounts_enabled": true });
    assert_eq!(panel.post(path, &grade_change).await.status_and_code(), (409, "grades_off".into()));
    panel.save_settings(json!({ "grades_enabled": true })).await;
    assert_eq!(panel.post(path, &grade_change).await.status, 200);
}

async fn tasks_can_be_disabled(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel.save_settings(json!({ "enable_tasks": false })).await;
    let pay = async |transaction_type: &str, key: &str| {
        let body = json!({ "user_id": 1, "amount": "1", "transaction_type": transaction_type, "balance_type": "task", "comment": "Test" });
        panel.send("owner", "POST", "/api/v1/admin/payments", &body, Some(key)).await
    };
    assert_eq!(pay("income", "a").await.status_and_code(), (409, "tasks_off".into()));
    assert_eq!(pay("outcome", "b").await.status, 200, "an earned amount can still be debited");
    panel.save_settings(json!({ "enable_tasks": true })).await;
    assert_eq!(pay("income", "c").await.status, 200);
    panel.assert_healthy().await;
}

async fn free_trials_can_be_disabled(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let quest = panel.create_quest(json!({})).await;
    let trial = panel.insert_trial(quest, 1).await;
    let path = format!("/api/v1/admin/free-trials/{trial}/approve");
    panel.save_settings(json!({ "free_trials_is_enabled": false })).await;
    assert_eq!(panel.post(&path, &json!({})).await.status_and_code(), (409, "free_trials_off".into()));
    panel.save_settings(json!({ "free_trials_is_enabled": true })).await;
    assert_eq!(panel.post(&path, &json!({})).await.status, 200);
}

async fn services_keep_the_minimum_margin(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel.save_settings(json!({ "min_margin_fraction": "0.2" })).await;
    let path = format!("/api/v1/admin/services/{PLAIN}");
    let low = panel.put(&path, &json!({ "resale_margin_fraction": "0.199" })).await;
    assert_eq!(low.status, 422, "{}", low.text);
    assert!(low.json()["errors"]["resale_margin_fraction"].is_array());
    assert_eq!(panel.put(&path, &json!({ "resale_margin_fraction": "0.2" })).await.status, 200);
    // The margin also bounds a price that staff enter: the most expensive provider costs 9, so the price is at least 10.8.
    panel.execute(Sql::new("UPDATE providers SET source_price = 9000000 WHERE id = 1")).await;
    panel.execute(Sql::new("UPDATE providers SET source_price = 8000000 WHERE id = 2")).await;
    let low = panel.put(&path, &json!({ "default_price": "10.79" })).await;
    assert!(low.json()["errors"]["default_price"].is_array(), "{}", low.text);
    assert_eq!(panel.put(&path, &json!({ "admin_note": "as it was" })).await.status, 200);
    assert_eq!(panel.put(&path, &json!({ "default_price": "10.8" })).await.status, 200);
    let promotion = json!({ "services": [PLAIN], "resale_margin_fraction": "0.1" });
    let low = panel.post("/api/v1/admin/auto-promotions/services", &promotion).await;
    assert!(low.json()["errors"]["resale_margin_fraction"].is_array(), "{}", low.text);
    panel.save_settings(json!({ "min_margin_fraction": null })).await;
    assert_eq!(panel.put(&path, &json!({ "resale_margin_fraction": "0.01" })).await.status, 200);
}

async fn a_captcha_without_keys_cannot_be_enabled(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let refused = panel.post_settings(json!({ "captcha_is_enabled": true })).await;
    assert!(refused.status == 422 && refused.json()["errors"]["captcha_is_enabled"].is_array());
    let panel = Panel::with_config(dialect, |config| {
        config.captcha.verify_url = Some("https://captcha.example/verify".into());
        config.captcha.secret = Some("s".into());
    })
    .await;
    // Without the site key no page can show the captcha.
    let refused = panel.post_settings(json!({ "captcha_is_enabled": true })).await;
    assert!(refused.status == 422 && refused.json()["errors"]["captcha_is_enabled"].is_array());
    let panel = Panel::with_config(dialect, |config| {
        config.captcha.verify_url = Some("https://captcha.example/verify".into());
        config.captcha.secret = Some("s".into());
        config.captcha.site_key = Some("k".into());
    })
    .await;
    panel.save_settings(json!({ "captcha_is_enabled": true })).await;
    let body = json!({ "email": "anna@panel.test", "password": "long enough" });
    let answer = panel.call("203.0.113.7", None, "POST", "/login", &body).await;
    assert_eq!(answer.status_and_code(), (422, "captcha_required".into()));
}

async fn the_site_reads_its_settings_and_service_fields(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel.create_staff("site", &[Permission::UseSiteApi]).await;
    panel.create_staff("clerk", &[Permission::ManagePanelSettings]).await;
    let change = json!({ "integrations": { "ga4_secret": "very-secret", "custom_html": "<b>x</b>", "telegram_bot_token": "1:other" } });
    panel.save_settings(change).await;
    let path = "/api/v1/site/settings";
    assert_eq!(
        panel.get_as("clerk", path, "application/json").await.status,
        403,
        "managing settings does not allow reading secrets"
    );
    let answer = panel.get_as("site", path, "application/json").await;
    let tree: SettingsTree = serde_json::from_value(answer.json()["data"].clone()).unwrap();
    assert_eq!(tree.get("integrations.ga4_secret"), Some(&json!("very-secret")));
    assert_eq!(tree.get("integrations.custom_html"), Some(&json!("<b>x</b>")));
    assert_eq!(tree.get("integrations.crisp_token_key"), Some(&Value::Null));
    for setting in SETTINGS {
        assert_eq!(tree.get(setting.key).is_some(), setting.is_for_site, "{}", setting.key);
    }
    assert!(!answer.text.contains("1:other"), "the answer contains a secret that is not for the site");
    let label = json!({ "name": "Comments", "is_custom_comments": true, "services": [1] });
    panel.post_data("/api/v1/admin/services/labels", label).await;
    let fields = json!({ "calculable_quantity": true, "budget_multiplier": "1.5", "live_stream_support_minutes": 60,
        "live_stream_retention_quantity_multiplier": "2", "full_description_location": "header" });
    let changed = panel.put("/api/v1/admin/services/1", &fields).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let list = panel.get_as("site", "/api/v1/site/services", "application/json").await.json();
    let service = &list["data"][0];
    for (name, value) in fields.as_object().unwrap() {
        assert_eq!(&service[name], value, "{name}");
    }
    assert_eq!(service["labels"][0]["is_custom_comments"], true);
    let next = panel.get_as("site", "/api/v1/site/services?after=1", "application/json").await.json();
    assert_eq!(next["data"][0]["id"], 2);
}

async fn a_currency_in_use_cannot_be_removed(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let currencies = |change: Value| json!({ "currencies": change });
    let post_refused = async |change: Value| {
        let refused = panel.post_settings(currencies(change)).await;
        assert_eq!(refused.status, 422, "{}", refused.text);
        refused.json()["errors"].as_object().unwrap().clone()
    };
    // A panel without amounts can change its currency.
    panel
        .save_settings(currencies(
            json!({ "default": "EUR", "exchange_rates": { "RUB": "100", "INR": "95" } }),
        ))
        .await;
    let errors = post_refused(json!({ "exchange_rates": { "EUR": "2", "RUB": "100" } })).await;
    assert_eq!(errors.keys().collect::<Vec<_>>(), ["currencies.exchange_rates.EUR"]);
    let upstream = "INSERT INTO external_panels (id, name, endpoint, currency, created_at, updated_at) VALUES (8, 'Upstream', 'https://up.example', 'RUB', 1, 1)";
    panel.execute(Sql::new(upstream)).await;
    let provider = "INSERT INTO providers (id, name, status, type, source_price, source_pricing_per, source_currency, created_at, updated_at)
        VALUES (?, ?, 'active', 'manual', 1, 1000, 'EUR', 1, 1)";
    for id in 101..=112_i64 {
        panel.execute(Sql::new(provider).bind(id).bind(format!("By hand {id}"))).await;
    }
    panel.save_settings(currencies(json!({ "exchange_rates": { "RUB": "101" } }))).await;
    let errors = post_refused(json!({ "exchange_rates": {} })).await;
    let message = errors["currencies.exchange_rates.RUB"][0].as_str().unwrap();
    assert!(message.contains("used by external panels: Upstream (8)"), "{message}");
    // Costs in the former default currency need an exchange rate now.
    let errors = post_refused(json!({ "default": "USD" })).await;
    let message = errors["currencies.exchange_rates.EUR"][0].as_str().unwrap();
    assert!(message.contains("providers: By hand 101 (101)") && message.contains("and 2 more"), "{message}");
    panel
        .save_settings(currencies(
            json!({ "default": "USD", "exchange_rates": { "RUB": "90", "EUR": "0.9" } }),
        ))
        .await;
    panel.execute(Sql::new("UPDATE external_panels SET is_archived = TRUE")).await;
    panel.save_settings(currencies(json!({ "exchange_rates": { "EUR": "0.9" } }))).await;
    // With amounts in the default currency, it cannot change.
    crate::shop::fill(&panel.app.db, 1, 0).await;
    let refused = panel
        .post_settings(currencies(json!({ "default": "EUR", "exchange_rates": { "USD": "1.1" } })))
        .await;
    assert_eq!(refused.status_and_code(), (409, "currency_in_use".into()));
    assert!(refused.text.contains("ledger entries, prices of services in USD"), "{}", refused.text);
    let unchanged = panel.get(SETTINGS_PATH).await.json()["data"]["currencies"].clone();
    assert_eq!(unchanged, json!({ "default": "USD", "exchange_rates": { "EUR": "0.9" } }));
    panel.save_settings(currencies(json!({ "default": "USD", "exchange_rates": { "EUR": "0.95" } }))).await;
}
