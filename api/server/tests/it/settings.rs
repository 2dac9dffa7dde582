//! Settings: reading, validation, changes, and the effects on other parts of the panel.

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
use crate::panel::{Panel, TestResponse};
use crate::shop::PLAIN_SERVICE;
use crate::uploads::PIXEL;
use crate::withdrawals::add_payment_methods;

test_both_databases! {
    a_new_panel_has_the_default_of_each_setting;
    each_changed_setting_is_audited;
    invalid_settings_are_named_in_the_error_and_not_written;
    secret_settings_are_never_returned;
    a_token_is_not_sent_to_another_server;
    an_uploaded_image_is_stored_and_its_url_can_be_sent_back;
    a_multipart_form_is_accepted_like_json;
    a_change_of_an_outdated_setting_is_rejected;
    a_dry_run_writes_nothing;
    the_public_endpoint_returns_only_public_settings;
    the_site_reads_its_settings_and_service_fields;
    settings_require_their_permissions;
    the_rounding_precision_applies_to_the_cost_of_an_order;
    expensive_orders_wait_for_moderation;
    speedup_and_guarantee_raise_the_cost_of_an_order;
    invoices_are_numbered_with_the_prefix;
    affiliates_without_their_own_fraction_get_the_default;
    grades_can_be_disabled;
    tasks_can_be_disabled;
    free_trials_can_be_disabled;
    prices_and_margins_must_have_the_minimum_margin;
    a_captcha_without_keys_cannot_be_enabled;
    a_currency_in_use_cannot_be_removed;
}

pub(crate) const SETTINGS_PATH: &str = "/api/v1/admin/settings";

impl Panel {
    pub(crate) async fn post_settings(&self, settings: Value) -> TestResponse {
        self.post(SETTINGS_PATH, &settings).await
    }

    /// Changes settings, and asserts that the request succeeds. Returns all settings.
    pub(crate) async fn save_settings(&self, settings: Value) -> Value {
        let response = self.post_settings(settings).await;
        assert_eq!(response.status, 200, "{}", response.text);
        response.json()["data"].clone()
    }
}

async fn a_new_panel_has_the_default_of_each_setting(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let response: SettingsResponse = serde_json::from_value(panel.get(SETTINGS_PATH).await.json()).unwrap();
    assert_eq!(response.fields.len(), SETTINGS.len());
    for setting in SETTINGS {
        let value = response.data.get(setting.key).unwrap_or_else(|| panic!("{} is missing", setting.key));
        match setting.kind {
            SettingKind::Secret => assert_eq!(*value, json!({ "is_set": false }), "{}", setting.key),
            _ => assert_eq!(*value, setting.default_value(), "{}", setting.key),
        }
    }
    assert!(response.fields.iter().all(|field| field.is_default));
    let returned_settings = serde_json::to_value(&response.data).unwrap();
    assert_eq!(
        panel.save_settings(returned_settings.clone()).await,
        returned_settings,
        "the server must accept its own settings without a change"
    );
}

async fn each_changed_setting_is_audited(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let change_body = json!({ "panel_name": " Shop ", "rounding_precision": 3, "colors": { "dark": { "primary": "#ABCDEF" } } });
    let data = panel.save_settings(change_body.clone()).await;
    assert_eq!((&data["panel_name"], &data["rounding_precision"]), (&json!("Shop"), &json!(3)));
    assert_eq!(data["colors"]["dark"]["primary"], "#abcdef");
    let fields = panel.get(SETTINGS_PATH).await.json()["fields"].clone();
    let changed_fields = fields.as_array().unwrap().iter().filter(|field| field["is_default"] == false);
    assert_eq!(changed_fields.count(), 3);
    let count_audits_sql = Sql::new("SELECT count(*) FROM audits WHERE event = 'setting.changed'");
    assert_eq!(
        panel.fetch_number(count_audits_sql.clone()).await,
        3,
        "each changed setting must have one audit entry"
    );
    panel.save_settings(change_body).await;
    assert_eq!(
        panel.fetch_number(count_audits_sql).await,
        3,
        "an unchanged setting must not write an audit entry"
    );
    let audit_entries = panel.get("/api/v1/admin/audits").await.json()["data"].clone();
    let find_audit = |setting: &str| {
        audit_entries
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["new_values"].get(setting).is_some())
            .unwrap()
            .clone()
    };
    assert_eq!((find_audit("panel_name")["old_values"]["panel_name"]).clone(), json!("Panel"));
    assert_eq!((find_audit("panel_name")["new_values"]["panel_name"]).clone(), json!("Shop"));
}

async fn invalid_settings_are_named_in_the_error_and_not_written(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let invalid_body = json!({ "panel_name": "New", "colors": { "dark": { "primary": "red" } }, "service_types": [77],
        "social_value_external_panel_id": 5, "nonsense": 1 });
    let response = panel.post_settings(invalid_body).await;
    assert_eq!(response.status, 422);
    let errors = response.json()["errors"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(errors, ["colors.dark.primary", "nonsense"]);
    let response = panel
        .post_settings(
            json!({ "panel_name": "New", "service_types": [77], "social_value_external_panel_id": 5 }),
        )
        .await;
    let errors = response.json()["errors"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(errors, ["service_types", "social_value_external_panel_id"]);
    assert_eq!(panel.get(SETTINGS_PATH).await.json()["data"]["panel_name"], "Panel");
    assert_eq!(
        panel.fetch_number(Sql::new("SELECT count(*) FROM audits WHERE event = 'setting.changed'")).await,
        0
    );
}

async fn secret_settings_are_never_returned(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let setting = "integrations.telegram_bot_token";
    let token = "123:very-secret";
    let data = panel.save_settings(json!({ "integrations": { "telegram_bot_token": token } })).await;
    assert_eq!(data["integrations"]["telegram_bot_token"], json!({ "is_set": true }));
    let decrypted_token = settings::read_secret(&panel.app, &mut &panel.app.db, setting).await.unwrap();
    assert_eq!(decrypted_token.as_deref(), Some(token));
    let stored_value = settings::read_stored(&mut &panel.app.db, setting).await.unwrap().unwrap();
    assert!(!stored_value.to_string().contains("very-secret"));
    let audit_entries = panel.get("/api/v1/admin/audits").await.text;
    assert!(
        audit_entries.contains("telegram_bot_token") && !audit_entries.contains("very-secret"),
        "{audit_entries}"
    );
    let data = panel.save_settings(json!({ "integrations": { "telegram_bot_token": "" } })).await;
    assert_eq!(
        data["integrations"]["telegram_bot_token"],
        json!({ "is_set": true }),
        "an empty value must not change anything"
    );
    let data = panel.save_settings(json!({ "integrations": { "telegram_bot_token": null } })).await;
    assert_eq!(data["integrations"]["telegram_bot_token"], json!({ "is_set": false }));
    assert_eq!(settings::read_secret(&panel.app, &mut &panel.app.db, setting).await.unwrap(), None);
}

async fn a_token_is_not_sent_to_another_server(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let (first_url, second_url) = ("https://a.example/?url={url}", "https://b.example/?url={url}");
    let post_url_and_token = |url: Value, token: Value| {
        panel.post_settings(json!({ "integrations": { "counter_url": url, "counter_token": token } }))
    };
    let unchanged_token_marker = || json!({ "is_set": true });
    assert_eq!(post_url_and_token(json!(first_url), json!("token-of-a")).await.status, 200);
    for no_token in [unchanged_token_marker(), json!(""), json!("  ")] {
        let rejection = post_url_and_token(json!(second_url), no_token).await;
        assert_eq!(rejection.status, 422, "{}", rejection.text);
        let message = &rejection.json()["errors"]["integrations.counter_token"][0];
        assert_eq!(message, "Enter the token again because the URL has changed.", "{}", rejection.text);
    }
    let response_without_token = panel.post_settings(json!({ "integrations.counter_url": second_url })).await;
    assert_eq!(response_without_token.status, 422, "{}", response_without_token.text);
    // The removal of the URL must remove the token too.
    assert_eq!(post_url_and_token(Value::Null, unchanged_token_marker()).await.status, 200);
    assert_eq!(post_url_and_token(json!(second_url), unchanged_token_marker()).await.status, 422);
    assert_eq!(post_url_and_token(json!(first_url), json!("token-of-a")).await.status, 200);
    assert_eq!(
        post_url_and_token(json!("https://a.example/more?url={url}"), unchanged_token_marker()).await.status,
        200,
        "a URL of the same server must not require the token"
    );
    assert_eq!(post_url_and_token(json!(second_url), json!("token-of-b")).await.status, 200);
    assert_eq!(
        post_url_and_token(json!(first_url), Value::Null).await.status,
        200,
        "a new URL must be accepted if the token is removed"
    );
    let token =
        settings::read_secret(&panel.app, &mut &panel.app.db, "integrations.counter_token").await.unwrap();
    assert_eq!(token, None);
}

async fn an_uploaded_image_is_stored_and_its_url_can_be_sent_back(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let data = panel.save_settings(json!({ "light_logo": to_data_url(PIXEL) })).await;
    let url = data["light_logo"].as_str().unwrap().to_owned();
    assert!(url.starts_with("/uploads/"), "{url}");
    let returned_settings = panel.save_settings(json!({ "light_logo": url, "dark_logo": null })).await;
    assert_eq!(
        returned_settings["light_logo"],
        json!(url),
        "a returned URL must not be stored as a new image"
    );
    let unknown_url_response = panel.post_settings(json!({ "light_logo": "/uploads/other.png" })).await;
    assert_eq!(unknown_url_response.status_and_code(), (422, "image_unknown".into()));
    let no_image_response = panel.post_settings(json!({ "light_logo": "data:;base64,AAAA" })).await;
    assert!(no_image_response.json()["errors"]["light_logo"].is_array(), "{}", no_image_response.text);
    assert_eq!(panel.save_settings(json!({ "light_logo": "" })).await["light_logo"], Value::Null);
    let small_image_response = panel.post_settings(json!({ "icon_link_192": to_data_url(PIXEL) })).await;
    assert!(
        small_image_response.status == 422 && small_image_response.text.contains("192×192"),
        "{}",
        small_image_response.text
    );
}

async fn a_multipart_form_is_accepted_like_json(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
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
        let file_attributes = if *is_file { "; filename=\"a.png\"\r\nContent-Type: image/png" } else { "" };
        body.extend(
            format!("--XX\r\nContent-Disposition: form-data; name=\"{name}\"{file_attributes}\r\n\r\n")
                .bytes(),
        );
        body.extend(*value);
        body.extend(b"\r\n");
    }
    body.extend(b"--XX--\r\n");
    let request = Request::post(SETTINGS_PATH)
        .header(header::AUTHORIZATION, "Bearer owner")
        .header(header::CONTENT_TYPE, "multipart/form-data; boundary=XX")
        .body(Body::from(body))
        .unwrap();
    let response = panel.send_request(request).await;
    assert_eq!(response.status, 200, "{}", response.text);
    let data = response.json()["data"].clone();
    assert_eq!((&data["panel_name"], &data["grades_enabled"]), (&json!("Shop"), &json!(false)));
    assert_eq!(data["colors"]["light"]["primary"], "#010203");
    assert_eq!(data["currencies"]["exchange_rates"], json!({ "RUB": "92.5" }));
    assert_eq!(data["meta_tags"], json!([{ "name": "description", "content": "A shop" }]));
    assert!(data["favicon"].as_str().unwrap().starts_with("/uploads/"));
}

async fn a_change_of_an_outdated_setting_is_rejected(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let updated_at = panel.get(SETTINGS_PATH).await.json()["data"]["updated_at"].clone();
    panel.clock.advance_secs(5);
    panel.save_settings(json!({ "panel_name": "First", "updated_at": updated_at })).await;
    let stale_response =
        panel.post_settings(json!({ "panel_name": "Second", "updated_at": updated_at })).await;
    assert_eq!(stale_response.status_and_code(), (409, "changed_meanwhile".into()));
    assert!(stale_response.json()["message"].as_str().unwrap().contains("panel_name"));
    panel.save_settings(json!({ "logo_alt": "Mine", "updated_at": updated_at })).await;
    let (first, second) = tokio::join!(
        panel.post_settings(json!({ "support_email": "a@shop.example" })),
        panel.post_settings(json!({ "support_email": "b@shop.example" })),
    );
    assert!(first.status == 200 && second.status == 200, "{} {}", first.text, second.text);
    let count_audits_sql =
        "SELECT count(*) FROM audits WHERE event = 'setting.changed' AND new_values LIKE '%support_email%'";
    assert_eq!(panel.fetch_number(Sql::new(count_audits_sql)).await, 2);
}

async fn a_dry_run_writes_nothing(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let response = panel.post(&format!("{SETTINGS_PATH}?dry_run=1"), &json!({ "panel_name": "Shop" })).await;
    assert_eq!((response.status.as_u16(), &response.json()["data"]["panel_name"]), (200, &json!("Shop")));
    assert_eq!(panel.get(SETTINGS_PATH).await.json()["data"]["panel_name"], "Panel");
}

async fn the_public_endpoint_returns_only_public_settings(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let change_body = json!({ "panel_name": "Shop", "logo_alt": "Shop's logo", "default_referral_program_fraction": "0.07",
        "currency_symbol": "€", "support_email": "help@shop.example", "integrations": { "custom_html": "<b>x</b>" } });
    panel.save_settings(change_body).await;
    let request = Request::get("/settings").body(Body::empty()).unwrap();
    let response = panel.send_request(request).await;
    let data = response.json()["data"].clone();
    assert_eq!((&data["panel_name"], &data["logo_alt"]), (&json!("Shop"), &json!("Shop's logo")));
    assert_eq!(
        (&data["default_referral_program_fraction"], &data["currency_symbol"]),
        (&json!("0.07"), &json!("€"))
    );
    let settings_tree: SettingsTree = serde_json::from_value(data["site"].clone()).unwrap();
    assert_eq!(settings_tree.get("colors.light.primary"), Some(&json!("#7c3aed")));
    for setting in SETTINGS {
        let is_top_level = data.get(setting.key).is_some();
        let is_in_site = settings_tree.get(setting.key).is_some();
        assert_eq!(is_top_level || is_in_site, setting.is_public, "{}", setting.key);
        assert_eq!(is_in_site, setting.is_served_to_site(), "{}", setting.key);
    }
    assert!(!response.text.contains("help@shop.example") && !response.text.contains("<b>"));
}

async fn settings_require_their_permissions(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.create_staff("clerk", &[Permission::ViewOrders]).await;
    let rejection = panel.send("clerk", "POST", SETTINGS_PATH, &json!({ "panel_name": "Mine" }), None).await;
    assert_eq!(rejection.status, 403);
    assert_eq!(panel.get_as("clerk", SETTINGS_PATH, "application/json").await.status, 403);
}

async fn the_rounding_precision_applies_to_the_cost_of_an_order(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    panel.execute(Sql::new("UPDATE services SET default_price = 3333000")).await;
    let order = NewOrder::without_options(UserId::new(1), PLAIN_SERVICE, "https://video.example/1", 101);
    assert_eq!(panel.place_order(&order).await.cost.to_string(), "0.34");
    panel.save_settings(json!({ "rounding_precision": 4 })).await;
    let order = NewOrder::without_options(UserId::new(1), PLAIN_SERVICE, "https://video.example/2", 101);
    assert_eq!(panel.place_order(&order).await.cost.to_string(), "0.3367");
}

async fn expensive_orders_wait_for_moderation(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    panel.save_settings(json!({ "maximal_order_cost_without_approval_required": "5" })).await;
    let place_and_return_status = async |path: i64, quantity: i64| {
        let order = NewOrder::without_options(
            UserId::new(1),
            PLAIN_SERVICE,
            &format!("https://video.example/{path}"),
            quantity,
        );
        panel.place_order(&order).await.status.as_str()
    };
    assert_eq!(place_and_return_status(1, 500).await, "in_processing");
    assert_eq!(place_and_return_status(2, 501).await, "in_moderation");
    panel.save_settings(json!({ "maximal_order_cost_without_approval_required": null })).await;
    assert_eq!(place_and_return_status(3, 50_000).await, "in_processing");
}

async fn speedup_and_guarantee_raise_the_cost_of_an_order(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    panel
        .save_settings(json!({ "speedup_charge_fraction": "0.5", "guarantee_charge_fraction": "0.1" }))
        .await;
    let path = "/api/v1/admin/orders";
    let body = json!({ "user_id": 1, "service_id": PLAIN_SERVICE, "url": "https://video.example/1", "quantity": 1000, "speedup": true, "guarantee": true });
    let rejection = panel.post(path, &body).await;
    assert!(
        rejection.status == 422 && rejection.json()["errors"]["speedup"].is_array(),
        "{}",
        rejection.text
    );
    panel.execute(Sql::new("UPDATE services SET can_speedup = TRUE")).await;
    let order = panel.post_data(path, body.clone()).await;
    // 10, plus 50 % for the speedup, plus 10 % of the sum for the guarantee.
    assert_eq!((&order["cost"], &order["has_refill"]), (&json!("16.5"), &json!(true)));
    let sql = "SELECT count(*) FROM order_price_modifications WHERE type IN ('speedup', 'guarantee')";
    assert_eq!(panel.fetch_number(Sql::new(sql)).await, 2);
    panel.execute(Sql::new("UPDATE services SET has_refill = TRUE")).await;
    let rejection = panel.post(path, &body).await;
    assert!(
        rejection.json()["errors"]["guarantee"].is_array(),
        "a service with refills must not accept a guarantee: {}",
        rejection.text
    );
    panel.assert_healthy().await;
}

async fn invoices_are_numbered_with_the_prefix(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    add_payment_methods(&panel).await;
    panel.save_settings(json!({ "invoice_prefix": "SHOP-" })).await;
    let id = create_invoice(&panel, 1, 10_000_000).await;
    panel.save_settings(json!({ "invoice_prefix": null })).await;
    let rows = panel.get("/api/v1/admin/invoices").await.json()["data"].clone();
    assert_eq!((&rows[0]["id"], &rows[0]["short_name"]), (&json!(id), &json!("SHOP-INV-1")));
}

async fn affiliates_without_their_own_fraction_get_the_default(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let fetch_fraction =
        async || panel.get_data("/api/v1/admin/users/2").await["effective_referral_program_fraction"].clone();
    assert_eq!(fetch_fraction().await, "0.05");
    panel.save_settings(json!({ "default_referral_program_fraction": "0.07" })).await;
    assert_eq!(fetch_fraction().await, "0.07");
    let own_fraction_body = json!({ "referral_program_fraction": "0.02" });
    let response = panel.send("owner", "PATCH", "/api/v1/admin/users/2", &own_fraction_body, None).await;
    assert_eq!(response.status, 200, "{}", response.text);
    assert_eq!(fetch_fraction().await, "0.02");
    let no_fraction_body = json!({ "referral_program_fraction": null });
    let response = panel.send("owner", "PATCH", "/api/v1/admin/users/2", &no_fraction_body, None).await;
    assert_eq!((response.status.as_u16(), fetch_fraction().await), (200, json!("0.07")));
    // The default accepts at most two decimals, like the fraction of a customer. Null resets the default to 0.05.
    let too_precise_response =
        panel.post_settings(json!({ "default_referral_program_fraction": "0.055" })).await;
    assert_eq!(too_precise_response.status, 422, "{}", too_precise_response.text);
    assert!(too_precise_response.text.contains("at most two decimals"), "{}", too_precise_response.text);
    let saved_settings = panel.save_settings(json!({ "default_referral_program_fraction": null })).await;
    assert_eq!(
        (&saved_settings["default_referral_program_fraction"], fetch_fraction().await),
        (&json!("0.05"), json!("0.05"))
    );
}

async fn grades_can_be_disabled(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let gold_body = json!({ "translations": { "en": { "name": "Gold" } }, "discount_fraction": "0.1", "spending_goal": "10" });
    let grade = panel.post_data("/api/v1/admin/grades", gold_body).await;
    let request = json!({ "default_price": "10", "min_price": "0", "pricing_per": 1000, "quantity": 1000 });
    let count_previews = async || {
        panel
            .post_data("/api/v1/admin/services/price-preview", request.clone())
            .await
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(count_previews().await, 2);
    panel.save_settings(json!({ "grades_enabled": false })).await;
    assert_eq!(count_previews().await, 1, "the preview must show only the price without a grade");
    let path = "/api/v1/admin/users/1/change-grade";
    let grade_change_body =
        json!({ "grade_id": grade["id"], "grades_enabled": true, "grade_discounts_enabled": true });
    assert_eq!(panel.post(path, &grade_change_body).await.status_and_code(), (409, "grades_off".into()));
    panel.save_settings(json!({ "grades_enabled": true })).await;
    assert_eq!(panel.post(path, &grade_change_body).await.status, 200);
}

async fn tasks_can_be_disabled(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    panel.save_settings(json!({ "enable_tasks": false })).await;
    let post_task_payment = async |transaction_type: &str, key: &str| {
        let body = json!({ "user_id": 1, "amount": "1", "transaction_type": transaction_type, "balance_type": "task", "comment": "Test" });
        panel.send("owner", "POST", "/api/v1/admin/payments", &body, Some(key)).await
    };
    assert_eq!(post_task_payment("income", "a").await.status_and_code(), (409, "tasks_off".into()));
    assert_eq!(post_task_payment("outcome", "b").await.status, 200, "an earned amount must still be debited");
    panel.save_settings(json!({ "enable_tasks": true })).await;
    assert_eq!(post_task_payment("income", "c").await.status, 200);
    panel.assert_healthy().await;
}

async fn free_trials_can_be_disabled(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let quest_id = panel.create_quest(json!({})).await;
    let trial_id = panel.insert_trial(quest_id, 1).await;
    let path = format!("/api/v1/admin/free-trials/{trial_id}/approve");
    panel.save_settings(json!({ "free_trials_is_enabled": false })).await;
    assert_eq!(panel.post(&path, &json!({})).await.status_and_code(), (409, "free_trials_off".into()));
    panel.save_settings(json!({ "free_trials_is_enabled": true })).await;
    assert_eq!(panel.post(&path, &json!({})).await.status, 200);
}

async fn prices_and_margins_must_have_the_minimum_margin(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    panel.save_settings(json!({ "min_margin_fraction": "0.2" })).await;
    let path = format!("/api/v1/admin/services/{PLAIN_SERVICE}");
    let rejection = panel.put(&path, &json!({ "resale_margin_fraction": "0.199" })).await;
    assert_eq!(rejection.status, 422, "{}", rejection.text);
    assert!(rejection.json()["errors"]["resale_margin_fraction"].is_array());
    assert_eq!(panel.put(&path, &json!({ "resale_margin_fraction": "0.2" })).await.status, 200);
    // The margin also limits a price that staff enter: the most expensive provider costs 9, so the minimum price is 10.8.
    panel.execute(Sql::new("UPDATE providers SET source_price = 9000000 WHERE id = 1")).await;
    panel.execute(Sql::new("UPDATE providers SET source_price = 8000000 WHERE id = 2")).await;
    let rejection = panel.put(&path, &json!({ "default_price": "10.79" })).await;
    assert!(rejection.json()["errors"]["default_price"].is_array(), "{}", rejection.text);
    assert_eq!(panel.put(&path, &json!({ "admin_note": "as it was" })).await.status, 200);
    assert_eq!(panel.put(&path, &json!({ "default_price": "10.8" })).await.status, 200);
    let promotion_body = json!({ "services": [PLAIN_SERVICE], "resale_margin_fraction": "0.1" });
    let rejection = panel.post("/api/v1/admin/auto-promotions/services", &promotion_body).await;
    assert!(rejection.json()["errors"]["resale_margin_fraction"].is_array(), "{}", rejection.text);
    panel.save_settings(json!({ "min_margin_fraction": null })).await;
    assert_eq!(panel.put(&path, &json!({ "resale_margin_fraction": "0.01" })).await.status, 200);
}

async fn a_captcha_without_keys_cannot_be_enabled(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let rejection = panel.post_settings(json!({ "captcha_is_enabled": true })).await;
    assert!(rejection.status == 422 && rejection.json()["errors"]["captcha_is_enabled"].is_array());
    let panel = Panel::with_config(dialect, |config| {
        config.captcha.verify_url = Some("https://captcha.example/verify".into());
        config.captcha.secret = Some("s".into());
    })
    .await;
    // No page can show the captcha without the site key.
    let rejection = panel.post_settings(json!({ "captcha_is_enabled": true })).await;
    assert!(rejection.status == 422 && rejection.json()["errors"]["captcha_is_enabled"].is_array());
    let panel = Panel::with_config(dialect, |config| {
        config.captcha.verify_url = Some("https://captcha.example/verify".into());
        config.captcha.secret = Some("s".into());
        config.captcha.site_key = Some("k".into());
    })
    .await;
    panel.save_settings(json!({ "captcha_is_enabled": true })).await;
    let body = json!({ "email": "anna@panel.test", "password": "long enough" });
    let response = panel.request_from("203.0.113.7", None, "POST", "/login", &body).await;
    assert_eq!(response.status_and_code(), (422, "captcha_required".into()));
}

async fn the_site_reads_its_settings_and_service_fields(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    panel.create_staff("site", &[Permission::UseSiteApi]).await;
    panel.create_staff("clerk", &[Permission::ManagePanelSettings]).await;
    let change_body = json!({ "integrations": { "ga4_secret": "very-secret", "custom_html": "<b>x</b>", "telegram_bot_token": "1:other" } });
    panel.save_settings(change_body).await;
    let path = "/api/v1/site/settings";
    assert_eq!(
        panel.get_as("clerk", path, "application/json").await.status,
        403,
        "the permission to manage settings must not allow reading secrets"
    );
    let response = panel.get_as("site", path, "application/json").await;
    let settings_tree: SettingsTree = serde_json::from_value(response.json()["data"].clone()).unwrap();
    assert_eq!(settings_tree.get("integrations.ga4_secret"), Some(&json!("very-secret")));
    assert_eq!(settings_tree.get("integrations.custom_html"), Some(&json!("<b>x</b>")));
    assert_eq!(settings_tree.get("integrations.crisp_token_key"), Some(&Value::Null));
    for setting in SETTINGS {
        assert_eq!(settings_tree.get(setting.key).is_some(), setting.is_for_site, "{}", setting.key);
    }
    assert!(
        !response.text.contains("1:other"),
        "the response must not contain secrets that are not for the site"
    );
    let label_body = json!({ "name": "Comments", "is_custom_comments": true, "services": [1] });
    panel.post_data("/api/v1/admin/services/labels", label_body).await;
    let fields = json!({ "calculable_quantity": true, "budget_multiplier": "1.5", "live_stream_support_minutes": 60,
        "live_stream_retention_quantity_multiplier": "2", "full_description_location": "header" });
    let change_response = panel.put("/api/v1/admin/services/1", &fields).await;
    assert_eq!(change_response.status, 200, "{}", change_response.text);
    let list = panel.get_as("site", "/api/v1/site/services", "application/json").await.json();
    let service = &list["data"][0];
    for (name, value) in fields.as_object().unwrap() {
        assert_eq!(&service[name], value, "{name}");
    }
    assert_eq!(service["labels"][0]["is_custom_comments"], true);
    let next_page = panel.get_as("site", "/api/v1/site/services?after=1", "application/json").await.json();
    assert_eq!(next_page["data"][0]["id"], 2);
}

async fn a_currency_in_use_cannot_be_removed(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let currencies_body = |change: Value| json!({ "currencies": change });
    let post_and_expect_errors = async |change: Value| {
        let rejection = panel.post_settings(currencies_body(change)).await;
        assert_eq!(rejection.status, 422, "{}", rejection.text);
        rejection.json()["errors"].as_object().unwrap().clone()
    };
    // A panel without amounts can change its currency.
    panel
        .save_settings(currencies_body(
            json!({ "default": "EUR", "exchange_rates": { "RUB": "100", "INR": "95" } }),
        ))
        .await;
    let errors = post_and_expect_errors(json!({ "exchange_rates": { "EUR": "2", "RUB": "100" } })).await;
    assert_eq!(errors.keys().collect::<Vec<_>>(), ["currencies.exchange_rates.EUR"]);
    let insert_external_panel_sql = "INSERT INTO external_panels (id, name, endpoint, currency, created_at, updated_at) VALUES (8, 'Upstream', 'https://up.example', 'RUB', 1, 1)";
    panel.execute(Sql::new(insert_external_panel_sql)).await;
    let insert_provider_sql = "INSERT INTO providers (id, name, status, type, source_price, source_pricing_per, source_currency, created_at, updated_at)
        VALUES (?, ?, 'active', 'manual', 1, 1000, 'EUR', 1, 1)";
    for id in 101..=112_i64 {
        panel.execute(Sql::new(insert_provider_sql).bind(id).bind(format!("By hand {id}"))).await;
    }
    panel.save_settings(currencies_body(json!({ "exchange_rates": { "RUB": "101" } }))).await;
    let errors = post_and_expect_errors(json!({ "exchange_rates": {} })).await;
    let message = errors["currencies.exchange_rates.RUB"][0].as_str().unwrap();
    assert!(message.contains("used by external panels: Upstream (8)"), "{message}");
    // Costs in the former default currency need an exchange rate.
    let errors = post_and_expect_errors(json!({ "default": "USD" })).await;
    let message = errors["currencies.exchange_rates.EUR"][0].as_str().unwrap();
    assert!(message.contains("providers: By hand 101 (101)") && message.contains("and 2 more"), "{message}");
    panel
        .save_settings(currencies_body(
            json!({ "default": "USD", "exchange_rates": { "RUB": "90", "EUR": "0.9" } }),
        ))
        .await;
    panel.execute(Sql::new("UPDATE external_panels SET is_archived = TRUE")).await;
    panel.save_settings(currencies_body(json!({ "exchange_rates": { "EUR": "0.9" } }))).await;
    // The default currency cannot change if the panel has amounts in this currency.
    crate::shop::insert_shop_records(&panel.app.db, 1, 0).await;
    let rejection = panel
        .post_settings(currencies_body(json!({ "default": "EUR", "exchange_rates": { "USD": "1.1" } })))
        .await;
    assert_eq!(rejection.status_and_code(), (409, "currency_in_use".into()));
    assert!(rejection.text.contains("ledger entries, prices of services in USD"), "{}", rejection.text);
    let unchanged_record = panel.get(SETTINGS_PATH).await.json()["data"]["currencies"].clone();
    assert_eq!(unchanged_record, json!({ "default": "USD", "exchange_rates": { "EUR": "0.9" } }));
    panel
        .save_settings(currencies_body(json!({ "default": "USD", "exchange_rates": { "EUR": "0.95" } })))
        .await;
}
