//! Tests step-up authentication: sensitive actions need a confirmation by password or second factor within the last ten minutes.

use panel_contract::endpoint::ConfirmationRule;
use panel_contract::endpoints;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::{Panel, TestResponse};
use crate::test_users::PASSWORD;

test_both_databases! {
    every_endpoint_with_the_confirmation_rule_needs_a_confirmation;
    some_request_bodies_need_a_confirmation;
    exports_of_users_and_staff_need_a_confirmation_and_lists_do_not;
    a_password_confirms_for_ten_minutes;
    wrong_passwords_are_limited_as_for_sign_ins;
    a_sign_in_confirms_its_session_and_the_session_of_a_handoff;
    undoing_a_change_of_a_staff_member_needs_a_confirmation;
}

const CLIENT_IP: &str = "203.0.113.9";
const CONFIRM: &str = "/api/v1/profile/confirm";

fn confirmation_required_error() -> (u16, String) {
    (403, "confirmation_required".to_owned())
}

impl Panel {
    /// Removes the confirmation of every session.
    async fn clear_confirmations(&self) {
        self.execute(Sql::new("UPDATE sessions SET confirmed_at = NULL")).await;
    }

    async fn confirm(&self, token: &str, password: &str) -> TestResponse {
        self.request_from(CLIENT_IP, Some(token), "POST", CONFIRM, &json!({ "password": password })).await
    }

    /// Creates a staff member with all permissions and signs them in by password; returns the session token.
    async fn sign_in_with_all_permissions(&self) -> String {
        self.create_user("anna@panel.test", Permission::ALL).await;
        self.login("anna@panel.test", PASSWORD).await.session_token()
    }
}

async fn every_endpoint_with_the_confirmation_rule_needs_a_confirmation(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(20, 60).await;
    panel.clear_confirmations().await;
    let mut operation_count = 0;
    for op in endpoints::all() {
        let path: Vec<&str> =
            op.path.split('/').map(|part| if part.starts_with('{') { "4" } else { part }).collect();
        let path = path.join("/");
        let response = panel.send("owner", op.method, &path, &json!({}), None).await.status_and_code();
        assert_eq!(
            response == confirmation_required_error(),
            op.confirmation == ConfirmationRule::Always,
            "{}: {response:?}",
            op.id
        );
        operation_count += usize::from(op.confirmation == ConfirmationRule::Always);
        if op.id == "logout" {
            panel.execute(Sql::new("UPDATE sessions SET revoked_at = NULL")).await;
        }
        panel.clear_confirmations().await;
    }
    assert!(operation_count >= 12, "only {operation_count} operations need a confirmation");
    let path = "/api/v1/admin/withdrawals/4/mark-as-paid?dry_run=1";
    let dry_run = panel.send("owner", "POST", path, &json!({ "transaction_id": "T" }), None).await;
    assert_ne!(
        dry_run.status_and_code(),
        confirmation_required_error(),
        "a dry run must not need a confirmation"
    );
}

async fn some_request_bodies_need_a_confirmation(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 5).await;
    let colleague_id = panel.create_user("colleague@panel.test", &[Permission::ViewOrders]).await;
    let create_record = async |path: &str, body: Value| {
        let response = panel.post(path, &body).await;
        assert_eq!(response.status, 200, "{}", response.text);
        format!("{path}/{}", response.json()["data"]["id"])
    };
    let webhook_body = json!({ "url": "https://8.8.8.8/a", "webhook_types": ["order.created"] });
    let webhook_path = create_record("/api/v1/admin/webhooks", webhook_body).await;
    let external_panel_body =
        json!({ "name": "Upstream", "endpoint": "8.8.8.8", "api_token": "0123456789abcdef" });
    let external_panel_path = create_record("/api/v1/admin/external-panels", external_panel_body).await;
    panel.clear_confirmations().await;
    let staff_path = format!("/api/v1/admin/staffs/{colleague_id}");
    let user_path = format!("/api/v1/admin/users/{colleague_id}");
    let credit_body = |amount: &str| json!({ "user_id": 2, "transaction_type": "income", "amount": amount, "balance_type": "main", "comment": "A gift" });
    let sensitive_requests = [
        ("PATCH", staff_path.clone(), json!({ "password": "another good one" })),
        ("PATCH", staff_path.clone(), json!({ "is_active": false })),
        ("PATCH", user_path.clone(), json!({ "email": "other@panel.test" })),
        ("POST", format!("{user_path}/freeze"), json!({})),
        (
            "POST",
            "/api/v1/admin/users/bulk-actions".to_owned(),
            json!({ "user_ids": [1, colleague_id], "status": "frozen" }),
        ),
        (
            "POST",
            "/api/v1/admin/settings".to_owned(),
            json!({ "integrations": { "counter_token": "secret" } }),
        ),
        ("POST", "/api/v1/admin/settings".to_owned(), json!({ "withdrawals_four_eyes": "off" })),
        ("POST", "/api/v1/admin/settings".to_owned(), json!({ "session_idle_days": 90 })),
        (
            "POST",
            "/api/v1/admin/settings".to_owned(),
            json!({ "integrations": { "custom_html": "<script src=\"https://evil.example\"></script>" } }),
        ),
        ("POST", "/api/v1/admin/settings".to_owned(), json!({ "session_absolute_days": 365 })),
        ("POST", "/api/v1/admin/settings".to_owned(), json!({ "second_factor_for_all_staff": true })),
        ("POST", "/api/v1/admin/payments".to_owned(), credit_body("100.000001")),
        ("PUT", webhook_path.clone(), json!({ "url": "https://9.9.9.9/a" })),
        ("PATCH", external_panel_path.clone(), json!({ "api_token": "fedcba9876543210" })),
    ];
    for (method, path, body) in &sensitive_requests {
        let response = panel.send("owner", method, path, body, Some("k")).await.status_and_code();
        assert_eq!(
            response,
            confirmation_required_error(),
            "{method} {path} {body} must need a confirmation"
        );
    }
    let insensitive_requests = [
        ("PATCH", staff_path, json!({ "name": "Renamed" })),
        ("PATCH", user_path, json!({ "vat": "1" })),
        ("POST", "/api/v1/admin/users/1/freeze".to_owned(), json!({})),
        ("PATCH", "/api/v1/admin/users/2".to_owned(), json!({ "email": "two@shop.example" })),
        ("POST", "/api/v1/admin/settings".to_owned(), json!({ "panel_name": "Ours" })),
        ("POST", "/api/v1/admin/payments".to_owned(), credit_body("100")),
        ("PUT", webhook_path, json!({ "url": "https://8.8.8.8/b" })),
        ("PATCH", external_panel_path, json!({ "name": "Renamed" })),
    ];
    for (number, (method, path, body)) in insensitive_requests.iter().enumerate() {
        let response = panel.send("owner", method, path, body, Some(&format!("e{number}"))).await;
        assert_eq!(response.status, 200, "{method} {path} {body}: {}", response.text);
    }
}

/// Undoing the deactivation of a staff member restores their access, so it needs a confirmation; undoing a change of a customer
/// does not.
async fn undoing_a_change_of_a_staff_member_needs_a_confirmation(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(20, 60).await;
    panel.create_staff("clerk", &[Permission::ViewOrders]).await;
    let clerk_id =
        panel.fetch_number(Sql::new("SELECT id FROM users WHERE email = 'clerk@panel.test'")).await;
    let count_deactivated_clerks_sql =
        || Sql::new("SELECT count(*) FROM users WHERE status = 'deactivated' AND email = 'clerk@panel.test'");
    let path = format!("/api/v1/admin/staffs/{clerk_id}");
    let deactivation = panel.send("owner", "PATCH", &path, &json!({ "is_active": false }), None).await;
    let undo_body = json!({ "request_id": deactivation.json()["undo"]["request_id"] });
    let freeze_response = panel.post("/api/v1/admin/users/4/freeze", &json!({})).await;
    assert_eq!(freeze_response.status, 200, "{}", freeze_response.text);
    panel.clear_confirmations().await;
    let path = "/api/v1/admin/undo";
    assert_eq!(panel.post(path, &undo_body).await.status_and_code(), confirmation_required_error());
    assert_eq!(
        panel.fetch_number(count_deactivated_clerks_sql()).await,
        1,
        "an undo without a confirmation must change nothing"
    );
    let undo_of_freeze = json!({ "request_id": freeze_response.json()["undo"]["request_id"] });
    assert_eq!(panel.post(path, &undo_of_freeze).await.status, 200);
    panel.execute(Sql::new("UPDATE sessions SET confirmed_at = ?").bind(crate::panel::NOW)).await;
    let undo_response = panel.post(path, &undo_body).await;
    assert_eq!(undo_response.status, 200, "{}", undo_response.text);
    assert_eq!(panel.fetch_number(count_deactivated_clerks_sql()).await, 0);
}

async fn exports_of_users_and_staff_need_a_confirmation_and_lists_do_not(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(20, 60).await;
    for list in ["users", "staffs"] {
        panel.clear_confirmations().await;
        let path = format!("/api/v1/admin/{list}");
        assert_eq!(panel.get(&path).await.status, 200, "{list}");
        let xlsx = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
        for accept in ["text/csv", xlsx] {
            assert_eq!(
                panel.get_as("owner", &path, accept).await.status_and_code(),
                confirmation_required_error(),
                "{list} {accept}"
            );
        }
        let confirm_all_sessions_sql = "UPDATE sessions SET confirmed_at = ?";
        panel.execute(Sql::new(confirm_all_sessions_sql).bind(crate::panel::NOW)).await;
        assert_eq!(panel.get_as("owner", &path, "text/csv").await.status, 200, "{list}");
    }
    panel.clear_confirmations().await;
    assert_eq!(panel.get_as("owner", "/api/v1/admin/orders", "text/csv").await.status, 200);
}

async fn a_password_confirms_for_ten_minutes(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(20, 60).await;
    let token = panel.sign_in_with_all_permissions().await;
    panel.clear_confirmations().await;
    let create_api_key = async || {
        panel
            .request_from(CLIENT_IP, Some(&token), "POST", "/api/v1/admin/users/4/api-key", &json!({}))
            .await
            .status_and_code()
    };
    assert_eq!(create_api_key().await, confirmation_required_error());
    assert_eq!(panel.confirm(&token, "wrong").await.status_and_code(), (422, "confirmation_wrong".into()));
    for empty_body in [json!({}), json!({ "password": "" }), json!({ "otp": " " })] {
        let response = panel.request_from(CLIENT_IP, Some(&token), "POST", CONFIRM, &empty_body).await;
        assert!(
            response.status == 422 && response.json()["errors"]["password"].is_array(),
            "{}",
            response.text
        );
    }
    let otp_response =
        panel.request_from(CLIENT_IP, Some(&token), "POST", CONFIRM, &json!({ "otp": "123456" })).await;
    assert_eq!(
        otp_response.status_and_code(),
        (422, "confirmation_wrong".into()),
        "a code must be rejected, because the account has no second factor"
    );
    assert_eq!(create_api_key().await, confirmation_required_error());
    let confirm_response = panel.confirm(&token, PASSWORD).await;
    assert_eq!(confirm_response.status, 200, "{}", confirm_response.text);
    assert!(confirm_response.json()["data"]["confirmed_until"].is_string());
    assert_eq!(create_api_key().await.0, 200);
    panel.clock.advance_secs(600);
    assert_eq!(create_api_key().await.0, 200);
    panel.clock.advance_secs(1);
    assert_eq!(create_api_key().await, confirmation_required_error());
    assert_eq!(
        panel.request_from(CLIENT_IP, None, "POST", CONFIRM, &json!({ "password": PASSWORD })).await.status,
        401
    );
}

async fn wrong_passwords_are_limited_as_for_sign_ins(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let token = panel.sign_in_with_all_permissions().await;
    panel.clear_confirmations().await;
    let mut statuses = Vec::new();
    for _ in 0..8 {
        statuses.push(panel.confirm(&token, "wrong").await.status_and_code().0);
    }
    assert_eq!((statuses.first(), statuses.last()), (Some(&422), Some(&429)), "{statuses:?}");
    assert_eq!(
        panel.confirm(&token, PASSWORD).await.status,
        429,
        "even the correct password must be rejected while the limit applies"
    );
}

async fn a_sign_in_confirms_its_session_and_the_session_of_a_handoff(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(20, 60).await;
    let token = panel.sign_in_with_all_permissions().await;
    let create_api_key = async |token: &str| {
        panel
            .request_from(CLIENT_IP, Some(token), "POST", "/api/v1/admin/users/4/api-key", &json!({}))
            .await
            .status_and_code()
    };
    assert_eq!(create_api_key(&token).await.0, 200);
    let refreshed_token =
        panel.request_from(CLIENT_IP, Some(&token), "GET", "/refresh", &Value::Null).await.session_token();
    assert_eq!(create_api_key(&refreshed_token).await.0, 200, "a refreshed session must stay confirmed");
    let sign_in_with_handoff_code = async |token: &str| {
        let code_response = panel
            .request_from(CLIENT_IP, Some(token), "POST", "/api/v1/admin/handoff-codes", &Value::Null)
            .await;
        let code = code_response.json()["data"]["code"].clone();
        panel
            .request_from(CLIENT_IP, None, "POST", "/handoff", &json!({ "code": code }))
            .await
            .session_token()
    };
    let handoff_session_token = sign_in_with_handoff_code(&refreshed_token).await;
    assert_eq!(
        create_api_key(&handoff_session_token).await.0,
        200,
        "the session of a handoff must be confirmed like the session that created the code"
    );
    panel.clear_confirmations().await;
    let handoff_session_token = sign_in_with_handoff_code(&refreshed_token).await;
    assert_eq!(create_api_key(&handoff_session_token).await, confirmation_required_error());
}
