//! Step-up authentication: sensitive actions need a confirmation by password or second factor within the last ten minutes.

use panel_contract::endpoint::ConfirmationRule;
use panel_contract::endpoints;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};
use crate::people::PASSWORD;

both! {
    every_marked_endpoint_needs_a_confirmation;
    some_requests_need_a_confirmation_by_their_body;
    exports_of_people_need_a_confirmation_and_lists_do_not;
    a_password_confirms_for_ten_minutes;
    wrong_passwords_are_limited_as_at_sign_in;
    a_session_is_confirmed_by_its_sign_in_and_passes_that_to_a_handoff;
    undoing_a_change_of_staff_needs_a_confirmation;
}

const CONFIRM: &str = "/api/v1/profile/confirm";

fn confirmation_required() -> (u16, String) {
    (403, "confirmation_required".to_owned())
}

impl Panel {
    /// Removes the confirmation of every session.
    async fn clear_confirmations(&self) {
        self.execute(Sql::new("UPDATE sessions SET confirmed_at = NULL")).await;
    }

    async fn confirm(&self, token: &str, password: &str) -> Answer {
        self.call("203.0.113.9", Some(token), "POST", CONFIRM, &json!({ "password": password })).await
    }

    /// Creates a staff member with all permissions and signs them in by password; returns the session token.
    async fn sign_in_with_all_permissions(&self) -> String {
        self.create_user("anna@panel.test", Permission::ALL).await;
        self.login("anna@panel.test", PASSWORD).await.token()
    }
}

async fn every_marked_endpoint_needs_a_confirmation(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(20, 60).await;
    panel.clear_confirmations().await;
    let mut marked_count = 0;
    for op in endpoints::all() {
        let path: Vec<&str> =
            op.path.split('/').map(|part| if part.starts_with('{') { "4" } else { part }).collect();
        let path = path.join("/");
        let answer = panel.send("owner", op.method, &path, &json!({}), None).await.status_and_code();
        assert_eq!(
            answer == confirmation_required(),
            op.confirmation == ConfirmationRule::Always,
            "{}: {answer:?}",
            op.id
        );
        marked_count += usize::from(op.confirmation == ConfirmationRule::Always);
        if op.id == "logout" {
            panel.execute(Sql::new("UPDATE sessions SET revoked_at = NULL")).await;
        }
        panel.clear_confirmations().await;
    }
    assert!(marked_count >= 12, "{marked_count}");
    let path = "/api/v1/admin/withdrawals/4/mark-as-paid?dry_run=1";
    let dry_run = panel.send("owner", "POST", path, &json!({ "transaction_id": "T" }), None).await;
    assert_ne!(dry_run.status_and_code(), confirmation_required(), "a dry run needs no confirmation");
}

async fn some_requests_need_a_confirmation_by_their_body(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 5).await;
    let colleague = panel.create_user("colleague@panel.test", &[Permission::ViewOrders]).await;
    let create = async |path: &str, body: Value| {
        let created = panel.post(path, &body).await;
        assert_eq!(created.status, 200, "{}", created.text);
        format!("{path}/{}", created.json()["data"]["id"])
    };
    let webhook = json!({ "url": "https://8.8.8.8/a", "webhook_types": ["order.created"] });
    let webhook = create("/api/v1/admin/webhooks", webhook).await;
    let upstream = json!({ "name": "Upstream", "endpoint": "8.8.8.8", "api_token": "0123456789abcdef" });
    let upstream = create("/api/v1/admin/external-panels", upstream).await;
    panel.clear_confirmations().await;
    let staff = format!("/api/v1/admin/staffs/{colleague}");
    let user = format!("/api/v1/admin/users/{colleague}");
    let credit = |amount: &str| json!({ "user_id": 2, "transaction_type": "income", "amount": amount, "balance_type": "main", "comment": "A gift" });
    let sensitive = [
        ("PATCH", staff.clone(), json!({ "password": "another good one" })),
        ("PATCH", staff.clone(), json!({ "is_active": false })),
        ("PATCH", user.clone(), json!({ "email": "other@panel.test" })),
        ("POST", format!("{user}/freeze"), json!({})),
        (
            "POST",
            "/api/v1/admin/users/bulk-actions".to_owned(),
            json!({ "user_ids": [1, colleague], "status": "frozen" }),
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
        ("POST", "/api/v1/admin/payments".to_owned(), credit("100.000001")),
        ("PUT", webhook.clone(), json!({ "url": "https://9.9.9.9/a" })),
        ("PATCH", upstream.clone(), json!({ "api_token": "fedcba9876543210" })),
    ];
    for (method, path, body) in &sensitive {
        let answer = panel.send("owner", method, path, body, Some("k")).await.status_and_code();
        assert_eq!(answer, confirmation_required(), "{method} {path} {body}");
    }
    let other_requests = [
        ("PATCH", staff, json!({ "name": "Renamed" })),
        ("PATCH", user, json!({ "vat": "1" })),
        ("POST", "/api/v1/admin/users/1/freeze".to_owned(), json!({})),
        ("PATCH", "/api/v1/admin/users/2".to_owned(), json!({ "email": "two@shop.example" })),
        ("POST", "/api/v1/admin/settings".to_owned(), json!({ "panel_name": "Ours" })),
        ("POST", "/api/v1/admin/payments".to_owned(), credit("100")),
        ("PUT", webhook, json!({ "url": "https://8.8.8.8/b" })),
        ("PATCH", upstream, json!({ "name": "Renamed" })),
    ];
    for (number, (method, path, body)) in other_requests.iter().enumerate() {
        let answer = panel.send("owner", method, path, body, Some(&format!("e{number}"))).await;
        assert_eq!(answer.status, 200, "{method} {path} {body}: {}", answer.text);
    }
}

/// Undoing the deactivation of a staff member restores their access, so it needs a confirmation; undoing a change of a customer
/// does not.
async fn undoing_a_change_of_staff_needs_a_confirmation(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(20, 60).await;
    panel.create_staff("clerk", &[Permission::ViewOrders]).await;
    let clerk = panel.number(Sql::new("SELECT id FROM users WHERE email = 'clerk@panel.test'")).await;
    let deactivated_clerks =
        || Sql::new("SELECT count(*) FROM users WHERE status = 'deactivated' AND email = 'clerk@panel.test'");
    let path = format!("/api/v1/admin/staffs/{clerk}");
    let deactivated = panel.send("owner", "PATCH", &path, &json!({ "is_active": false }), None).await;
    let undo = json!({ "request_id": deactivated.json()["undo"]["request_id"] });
    let frozen = panel.post("/api/v1/admin/users/4/freeze", &json!({})).await;
    assert_eq!(frozen.status, 200, "{}", frozen.text);
    panel.clear_confirmations().await;
    let path = "/api/v1/admin/undo";
    assert_eq!(panel.post(path, &undo).await.status_and_code(), confirmation_required());
    assert_eq!(panel.number(deactivated_clerks()).await, 1, "nothing was undone");
    let undo_of_freeze = json!({ "request_id": frozen.json()["undo"]["request_id"] });
    assert_eq!(panel.post(path, &undo_of_freeze).await.status, 200);
    panel.execute(Sql::new("UPDATE sessions SET confirmed_at = ?").bind(crate::panel::NOW)).await;
    let undone = panel.post(path, &undo).await;
    assert_eq!(undone.status, 200, "{}", undone.text);
    assert_eq!(panel.number(deactivated_clerks()).await, 0);
}

async fn exports_of_people_need_a_confirmation_and_lists_do_not(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(20, 60).await;
    for list in ["users", "staffs"] {
        panel.clear_confirmations().await;
        let path = format!("/api/v1/admin/{list}");
        assert_eq!(panel.get(&path).await.status, 200, "{list}");
        let xlsx = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
        for accept in ["text/csv", xlsx] {
            assert_eq!(
                panel.get_as("owner", &path, accept).await.status_and_code(),
                confirmation_required(),
                "{list} {accept}"
            );
        }
        let confirm_all = "UPDATE sessions SET confirmed_at = ?";
        panel.execute(Sql::new(confirm_all).bind(crate::panel::NOW)).await;
        assert_eq!(panel.get_as("owner", &path, "text/csv").await.status, 200, "{list}");
    }
    panel.clear_confirmations().await;
    assert_eq!(panel.get_as("owner", "/api/v1/admin/orders", "text/csv").await.status, 200);
}

async fn a_password_confirms_for_ten_minutes(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(20, 60).await;
    let token = panel.sign_in_with_all_permissions().await;
    panel.clear_confirmations().await;
    let create_api_key = async || {
        panel
            .call("203.0.113.9", Some(&token), "POST", "/api/v1/admin/users/4/api-key", &json!({}))
            .await
            .status_and_code()
    };
    assert_eq!(create_api_key().await, confirmation_required());
    assert_eq!(panel.confirm(&token, "wrong").await.status_and_code(), (422, "confirmation_wrong".into()));
    for empty in [json!({}), json!({ "password": "" }), json!({ "otp": " " })] {
        let answer = panel.call("203.0.113.9", Some(&token), "POST", CONFIRM, &empty).await;
        assert!(answer.status == 422 && answer.json()["errors"]["password"].is_array(), "{}", answer.text);
    }
    let otp_answer =
        panel.call("203.0.113.9", Some(&token), "POST", CONFIRM, &json!({ "otp": "123456" })).await;
    assert_eq!(
        otp_answer.status_and_code(),
        (422, "confirmation_wrong".into()),
        "the account has no second factor"
    );
    assert_eq!(create_api_key().await, confirmation_required());
    let confirmed = panel.confirm(&token, PASSWORD).await;
    assert_eq!(confirmed.status, 200, "{}", confirmed.text);
    assert!(confirmed.json()["data"]["confirmed_until"].is_string());
    assert_eq!(create_api_key().await.0, 200);
    panel.clock.advance_secs(600);
    assert_eq!(create_api_key().await.0, 200);
    panel.clock.advance_secs(1);
    assert_eq!(create_api_key().await, confirmation_required());
    assert_eq!(
        panel.call("203.0.113.9", None, "POST", CONFIRM, &json!({ "password": PASSWORD })).await.status,
        401
    );
}

async fn wrong_passwords_are_limited_as_at_sign_in(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
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
        "the right password is refused for a while too"
    );
}

async fn a_session_is_confirmed_by_its_sign_in_and_passes_that_to_a_handoff(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(20, 60).await;
    let token = panel.sign_in_with_all_permissions().await;
    let create_api_key = async |token: &str| {
        panel
            .call("203.0.113.9", Some(token), "POST", "/api/v1/admin/users/4/api-key", &json!({}))
            .await
            .status_and_code()
    };
    assert_eq!(create_api_key(&token).await.0, 200);
    let refreshed = panel.call("203.0.113.9", Some(&token), "GET", "/refresh", &Value::Null).await.token();
    assert_eq!(create_api_key(&refreshed).await.0, 200, "a refreshed session stays confirmed");
    let handoff_token = async |token: &str| {
        let created =
            panel.call("203.0.113.9", Some(token), "POST", "/api/v1/admin/handoff-codes", &Value::Null).await;
        let code = created.json()["data"]["code"].clone();
        panel.call("203.0.113.9", None, "POST", "/handoff", &json!({ "code": code })).await.token()
    };
    let handed_off = handoff_token(&refreshed).await;
    assert_eq!(create_api_key(&handed_off).await.0, 200, "confirmed like the session that created the code");
    panel.clear_confirmations().await;
    let handed_off = handoff_token(&refreshed).await;
    assert_eq!(create_api_key(&handed_off).await, confirmation_required());
}
