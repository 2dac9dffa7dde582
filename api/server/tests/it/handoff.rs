//! Tests the one-time sign-in codes with which `panelctl open` signs a browser in: each code works once, within one minute.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql, SqlExecutor};
use serde_json::{Value, json};

use crate::panel::{NOW, Panel, TestResponse};

test_both_databases! {
    a_code_signs_in_once;
    a_code_expires_after_a_minute;
    a_code_has_the_permissions_of_its_creator;
    one_of_parallel_exchanges_succeeds;
    showing_a_code_returns_its_user_without_using_it;
    a_sign_out_invalidates_the_codes_of_the_session;
    a_session_of_a_code_inherits_sign_in_time_and_confirmation;
}

impl Panel {
    async fn create_code(&self, token: &str) -> String {
        let response = self
            .request_from("127.0.0.1", Some(token), "POST", "/api/v1/admin/handoff-codes", &Value::Null)
            .await;
        assert_eq!(response.status, 200, "{}", response.text);
        let code = response.json()["data"]["code"].as_str().unwrap().to_owned();
        assert_eq!(code.len(), 43);
        code
    }

    async fn exchange_code(&self, code: &str) -> TestResponse {
        self.request_from("127.0.0.1", None, "POST", "/handoff", &json!({ "code": code })).await
    }

    async fn show_code(&self, code: &str) -> TestResponse {
        self.request_from("127.0.0.1", None, "POST", "/handoff/show", &json!({ "code": code })).await
    }
}

/// The response to a code that is expired, used or unknown.
fn invalid_code_error() -> (u16, String) {
    (422, "handoff_code_over".into())
}

async fn a_code_signs_in_once(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let code = panel.create_code("owner").await;
    let (stored_hash,): (Vec<u8>,) =
        (&mut &panel.app.db).fetch_one(Sql::new("SELECT code_hash FROM handoff_codes")).await.unwrap();
    assert!(stored_hash.len() == 32 && stored_hash != code.as_bytes());
    let response = panel.exchange_code(&code).await;
    assert_eq!(response.json()["user"]["email"], "owner@panel.test");
    assert_eq!(panel.profile_status(&response.session_token()).await.0, 200);
    assert_eq!(panel.exchange_code(&code).await.status_and_code(), invalid_code_error());
    for wrong_code in ["", "x", &"y".repeat(100_000)] {
        assert_eq!(panel.exchange_code(wrong_code).await.status_and_code(), invalid_code_error());
    }
    let unauthenticated_response =
        panel.request_from("127.0.0.1", None, "POST", "/api/v1/admin/handoff-codes", &Value::Null).await;
    assert_eq!(unauthenticated_response.status, 401);
}

async fn a_code_expires_after_a_minute(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let (late_code, early_code) = (panel.create_code("owner").await, panel.create_code("owner").await);
    panel.clock.advance_secs(59);
    panel.exchange_code(&early_code).await.session_token();
    panel.clock.advance_secs(1);
    assert_eq!(panel.exchange_code(&late_code).await.status_and_code(), invalid_code_error());
}

async fn a_code_has_the_permissions_of_its_creator(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.create_staff("anna", &[Permission::ViewOrders]).await;
    let code = panel.create_code("anna").await;
    let response = panel.exchange_code(&code).await;
    assert_eq!(response.json()["user"]["allPermissions"].as_array().unwrap().len(), 1);
    let code = panel.create_code("anna").await;
    panel
        .execute(Sql::new("UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE name = 'anna'"))
        .await;
    assert_eq!(panel.exchange_code(&code).await.status_and_code(), invalid_code_error());
}

async fn a_session_of_a_code_inherits_sign_in_time_and_confirmation(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let signed_in_at = NOW - 10 * 86_400_000_000;
    let sql = "UPDATE sessions SET signed_in_at = ?, confirmed_at = NULL WHERE family_id = 'owner'";
    panel.execute(Sql::new(sql).bind(signed_in_at)).await;
    let code = panel.create_code("owner").await;
    // Another token of the same sign-in is confirmed after the code was created.
    panel.execute(Sql::new("UPDATE sessions SET confirmed_at = ? WHERE family_id = 'owner'").bind(NOW)).await;
    panel.exchange_code(&code).await.session_token();
    let sql = "SELECT signed_in_at, confirmed_at FROM sessions ORDER BY id DESC LIMIT 1";
    let session: (i64, Option<i64>) = (&mut &panel.app.db).fetch_one(Sql::new(sql)).await.unwrap();
    assert_eq!(session, (signed_in_at, None));
}

async fn one_of_parallel_exchanges_succeeds(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let code = panel.create_code("owner").await;
    let responses = futures_util::future::join_all((0..8).map(|_| panel.exchange_code(&code))).await;
    assert_eq!(responses.iter().filter(|response| response.status == 200).count(), 1);
    let count_created_sessions_sql = Sql::new("SELECT count(*) FROM sessions WHERE created_at = ?").bind(NOW);
    assert_eq!(
        panel.fetch_number(count_created_sessions_sql).await,
        2,
        "the code must create exactly one session"
    );
}

async fn showing_a_code_returns_its_user_without_using_it(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let code = panel.create_code("owner").await;
    for _ in 0..3 {
        let response = panel.show_code(&code).await;
        assert_eq!(response.status, 200, "{}", response.text);
        let user = response.json()["data"].clone();
        assert_eq!((&user["name"], &user["email"]), (&json!("owner"), &json!("owner@panel.test")));
        assert!(
            !response.headers.contains_key("authorization"),
            "the response must not contain a session token"
        );
    }
    assert_eq!(
        panel.fetch_number(Sql::new("SELECT count(*) FROM sessions")).await,
        1,
        "showing a code must not create a session"
    );
    panel.exchange_code(&code).await.session_token();
    assert_eq!(
        panel.show_code(&code).await.status_and_code(),
        invalid_code_error(),
        "a used code must be rejected"
    );
    for wrong_code in ["", "x", &"y".repeat(100_000)] {
        assert_eq!(panel.show_code(wrong_code).await.status_and_code(), invalid_code_error());
    }
    let late_code = panel.create_code("owner").await;
    panel.clock.advance_secs(60);
    assert_eq!(panel.show_code(&late_code).await.status_and_code(), invalid_code_error());
}

/// After a sign-out, the unused codes of this session stop working.
async fn a_sign_out_invalidates_the_codes_of_the_session(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.create_staff("anna", &[Permission::ViewOrders]).await;
    let (code_of_anna, other_code) = (panel.create_code("anna").await, panel.create_code("owner").await);
    let sign_out_response =
        panel.request_from("127.0.0.1", Some("anna"), "POST", "/logout", &Value::Null).await;
    assert!(sign_out_response.status.is_success(), "{}", sign_out_response.text);
    assert_eq!(panel.show_code(&code_of_anna).await.status_and_code(), invalid_code_error());
    assert_eq!(panel.exchange_code(&code_of_anna).await.status_and_code(), invalid_code_error());
    panel.exchange_code(&other_code).await.session_token();
    // A refreshed token belongs to the same sign-in.
    let code = panel.create_code("owner").await;
    let refresh_response =
        panel.request_from("127.0.0.1", Some("owner"), "GET", "/refresh", &Value::Null).await;
    assert_eq!(refresh_response.status, 200, "{}", refresh_response.text);
    panel.exchange_code(&code).await.session_token();
}
