//! Step-up: what is grave asks that the caller gave their password within ten minutes.

use panel_contract::endpoint::ConfirmationRule;
use panel_contract::endpoints;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};
use crate::people::PASSWORD;

both! {
    every_marked_endpoint_asks;
    some_calls_ask_by_what_they_say;
    files_of_people_ask_and_lists_do_not;
    a_password_confirms_for_ten_minutes;
    wrong_passwords_are_slowed_down_as_at_sign_in;
    a_sign_in_by_password_is_confirmed_and_its_code_as_well;
    undoing_a_change_of_staff_asks;
}

const CONFIRM: &str = "/api/v1/profile/confirm";

fn required() -> (u16, String) {
    (403, "confirmation_required".to_owned())
}

impl Panel {
    /// No session is confirmed yet.
    async fn unconfirmed(&self) {
        self.exec(Sql::new("UPDATE sessions SET confirmed_at = NULL")).await;
    }

    async fn confirm(&self, token: &str, password: &str) -> Answer {
        self.call("203.0.113.9", Some(token), "POST", CONFIRM, &json!({ "password": password })).await
    }

    /// A staff member with all permissions who signed in by password.
    async fn signed_in(&self) -> String {
        self.person("anna@panel.test", Permission::ALL).await;
        self.login("anna@panel.test", PASSWORD).await.token()
    }
}

async fn every_marked_endpoint_asks(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(20, 60).await;
    panel.unconfirmed().await;
    let mut asked = 0;
    for op in endpoints::all() {
        let path: Vec<&str> =
            op.path.split('/').map(|part| if part.starts_with('{') { "4" } else { part }).collect();
        let path = path.join("/");
        let said = panel.send("owner", op.method, &path, &json!({}), None).await.says();
        assert_eq!(said == required(), op.confirmed == ConfirmationRule::Always, "{}: {said:?}", op.id);
        asked += usize::from(op.confirmed == ConfirmationRule::Always);
        if op.id == "logout" {
            panel.exec(Sql::new("UPDATE sessions SET revoked_at = NULL")).await;
        }
        panel.unconfirmed().await;
    }
    assert!(asked >= 12, "{asked}");
    let path = "/api/v1/admin/withdrawals/4/mark-as-paid?dry_run=1";
    let dry = panel.send("owner", "POST", path, &json!({ "transaction_id": "T" }), None).await;
    assert_ne!(dry.says(), required(), "a dry run does nothing grave");
}

async fn some_calls_ask_by_what_they_say(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 5).await;
    let colleague = panel.person("colleague@panel.test", &[Permission::ViewOrders]).await;
    let made = async |path: &str, body: Value| {
        let made = panel.post(path, &body).await;
        assert_eq!(made.status, 200, "{}", made.text);
        format!("{path}/{}", made.json()["data"]["id"])
    };
    let hook = json!({ "url": "https://8.8.8.8/a", "webhook_types": ["order.created"] });
    let hook = made("/api/v1/admin/webhooks", hook).await;
    let upstream = json!({ "name": "Upstream", "endpoint": "8.8.8.8", "api_token": "0123456789abcdef" });
    let upstream = made("/api/v1/admin/external-panels", upstream).await;
    panel.unconfirmed().await;
    let staff = format!("/api/v1/admin/staffs/{colleague}");
    let user = format!("/api/v1/admin/users/{colleague}");
    let credit = |amount: &str| json!({ "user_id": 2, "transaction_type": "income", "amount": amount, "balance_type": "main", "comment": "A gift" });
    let grave = [
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
        ("PUT", hook.clone(), json!({ "url": "https://9.9.9.9/a" })),
        ("PATCH", upstream.clone(), json!({ "api_token": "fedcba9876543210" })),
    ];
    for (method, path, body) in &grave {
        let said = panel.send("owner", method, path, body, Some("k")).await.says();
        assert_eq!(said, required(), "{method} {path} {body}");
    }
    let everyday = [
        ("PATCH", staff, json!({ "name": "Renamed" })),
        ("PATCH", user, json!({ "vat": "1" })),
        ("POST", "/api/v1/admin/users/1/freeze".to_owned(), json!({})),
        ("PATCH", "/api/v1/admin/users/2".to_owned(), json!({ "email": "two@shop.example" })),
        ("POST", "/api/v1/admin/settings".to_owned(), json!({ "panel_name": "Ours" })),
        ("POST", "/api/v1/admin/payments".to_owned(), credit("100")),
        ("PUT", hook, json!({ "url": "https://8.8.8.8/b" })),
        ("PATCH", upstream, json!({ "name": "Renamed" })),
    ];
    for (at, (method, path, body)) in everyday.iter().enumerate() {
        let answer = panel.send("owner", method, path, body, Some(&format!("e{at}"))).await;
        assert_eq!(answer.status, 200, "{method} {path} {body}: {}", answer.text);
    }
}

/// What took power away is given back by who confirms; what is undone of customers is not asked about.
async fn undoing_a_change_of_staff_asks(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(20, 60).await;
    panel.staff("clerk", &[Permission::ViewOrders]).await;
    let clerk = panel.number(Sql::new("SELECT id FROM users WHERE email = 'clerk@panel.test'")).await;
    let status =
        || Sql::new("SELECT count(*) FROM users WHERE status = 'deactivated' AND email = 'clerk@panel.test'");
    let path = format!("/api/v1/admin/staffs/{clerk}");
    let changed = panel.send("owner", "PATCH", &path, &json!({ "is_active": false }), None).await;
    let undo = json!({ "request_id": changed.json()["undo"]["request_id"] });
    let customer = panel.post("/api/v1/admin/users/4/freeze", &json!({})).await;
    assert_eq!(customer.status, 200, "{}", customer.text);
    panel.unconfirmed().await;
    let path = "/api/v1/admin/undo";
    assert_eq!(panel.post(path, &undo).await.says(), required());
    assert_eq!(panel.number(status()).await, 1, "nothing was undone");
    let of_customer = json!({ "request_id": customer.json()["undo"]["request_id"] });
    assert_eq!(panel.post(path, &of_customer).await.status, 200);
    panel.exec(Sql::new("UPDATE sessions SET confirmed_at = ?").bind(crate::panel::NOW)).await;
    let undone = panel.post(path, &undo).await;
    assert_eq!(undone.status, 200, "{}", undone.text);
    assert_eq!(panel.number(status()).await, 0);
}

async fn files_of_people_ask_and_lists_do_not(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(20, 60).await;
    for list in ["users", "staffs"] {
        panel.unconfirmed().await;
        let path = format!("/api/v1/admin/{list}");
        assert_eq!(panel.get(&path).await.status, 200, "{list}");
        let xlsx = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
        for accept in ["text/csv", xlsx] {
            assert_eq!(panel.get_as("owner", &path, accept).await.says(), required(), "{list} {accept}");
        }
        let set = "UPDATE sessions SET confirmed_at = ?";
        panel.exec(Sql::new(set).bind(crate::panel::NOW)).await;
        assert_eq!(panel.get_as("owner", &path, "text/csv").await.status, 200, "{list}");
    }
    panel.unconfirmed().await;
    assert_eq!(panel.get_as("owner", "/api/v1/admin/orders", "text/csv").await.status, 200);
}

async fn a_password_confirms_for_ten_minutes(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(20, 60).await;
    let token = panel.signed_in().await;
    panel.unconfirmed().await;
    let make = async || {
        panel
            .call("203.0.113.9", Some(&token), "POST", "/api/v1/admin/users/4/api-key", &json!({}))
            .await
            .says()
    };
    assert_eq!(make().await, required());
    assert_eq!(panel.confirm(&token, "wrong").await.says(), (422, "confirmation_wrong".into()));
    for nothing in [json!({}), json!({ "password": "" }), json!({ "otp": " " })] {
        let answer = panel.call("203.0.113.9", Some(&token), "POST", CONFIRM, &nothing).await;
        assert!(answer.status == 422 && answer.json()["errors"]["password"].is_array(), "{}", answer.text);
    }
    let digits = panel.call("203.0.113.9", Some(&token), "POST", CONFIRM, &json!({ "otp": "123456" })).await;
    assert_eq!(digits.says(), (422, "confirmation_wrong".into()), "the account has no second factor");
    assert_eq!(make().await, required());
    let confirmed = panel.confirm(&token, PASSWORD).await;
    assert_eq!(confirmed.status, 200, "{}", confirmed.text);
    assert!(confirmed.json()["data"]["confirmed_until"].is_string());
    assert_eq!(make().await.0, 200);
    panel.clock.advance_secs(600);
    assert_eq!(make().await.0, 200);
    panel.clock.advance_secs(1);
    assert_eq!(make().await, required());
    assert_eq!(
        panel.call("203.0.113.9", None, "POST", CONFIRM, &json!({ "password": PASSWORD })).await.status,
        401
    );
}

async fn wrong_passwords_are_slowed_down_as_at_sign_in(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let token = panel.signed_in().await;
    panel.unconfirmed().await;
    let mut said = Vec::new();
    for _ in 0..8 {
        said.push(panel.confirm(&token, "wrong").await.says().0);
    }
    assert_eq!((said.first(), said.last()), (Some(&422), Some(&429)), "{said:?}");
    assert_eq!(panel.confirm(&token, PASSWORD).await.status, 429, "the right one waits as well");
}

async fn a_sign_in_by_password_is_confirmed_and_its_code_as_well(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(20, 60).await;
    let token = panel.signed_in().await;
    let make = async |token: &str| {
        panel
            .call("203.0.113.9", Some(token), "POST", "/api/v1/admin/users/4/api-key", &json!({}))
            .await
            .says()
    };
    assert_eq!(make(&token).await.0, 200);
    let fresh = panel.call("203.0.113.9", Some(&token), "GET", "/refresh", &Value::Null).await.token();
    assert_eq!(make(&fresh).await.0, 200, "a refresh keeps it");
    let code = async |token: &str| {
        let made =
            panel.call("203.0.113.9", Some(token), "POST", "/api/v1/admin/handoff-codes", &Value::Null).await;
        let code = made.json()["data"]["code"].clone();
        panel.call("203.0.113.9", None, "POST", "/handoff", &json!({ "code": code })).await.token()
    };
    let by_code = code(&fresh).await;
    assert_eq!(make(&by_code).await.0, 200, "as its maker is");
    panel.unconfirmed().await;
    let by_code = code(&fresh).await;
    assert_eq!(make(&by_code).await, required());
}
