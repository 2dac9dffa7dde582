//! Handoff codes, with which `panelctl open` signs a browser in: each works once, within one minute.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Source, Sql};
use serde_json::{Value, json};

use crate::panel::{Answer, NOW, Panel};

both! {
    a_code_signs_in_once;
    a_code_expires_after_a_minute;
    a_code_has_the_permissions_of_its_creator;
    of_parallel_uses_one_succeeds;
    showing_a_code_returns_its_owner_without_using_it;
    a_code_ends_with_the_sign_in_that_created_it;
    a_code_keeps_sign_in_time_and_confirmation_of_its_session;
}

impl Panel {
    async fn create_code(&self, token: &str) -> String {
        let answer =
            self.call("127.0.0.1", Some(token), "POST", "/api/v1/admin/handoff-codes", &Value::Null).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let code = answer.json()["data"]["code"].as_str().unwrap().to_owned();
        assert_eq!(code.len(), 43);
        code
    }

    async fn exchange(&self, code: &str) -> Answer {
        self.call("127.0.0.1", None, "POST", "/handoff", &json!({ "code": code })).await
    }

    async fn show_code(&self, code: &str) -> Answer {
        self.call("127.0.0.1", None, "POST", "/handoff/show", &json!({ "code": code })).await
    }
}

const EXPIRED: (u16, &str) = (422, "handoff_code_over");

async fn a_code_signs_in_once(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let code = panel.create_code("owner").await;
    let (stored_hash,): (Vec<u8>,) =
        (&mut &panel.app.db).fetch_one(Sql::new("SELECT code_hash FROM handoff_codes")).await.unwrap();
    assert!(stored_hash.len() == 32 && stored_hash != code.as_bytes());
    let answer = panel.exchange(&code).await;
    assert_eq!(answer.json()["user"]["email"], "owner@panel.test");
    assert_eq!(panel.who_am_i(&answer.token()).await.0, 200);
    assert_eq!(panel.exchange(&code).await.status_and_code(), (EXPIRED.0, EXPIRED.1.into()));
    for wrong in ["", "x", &"y".repeat(100_000)] {
        assert_eq!(panel.exchange(wrong).await.status_and_code(), (EXPIRED.0, EXPIRED.1.into()));
    }
    let anonymous = panel.call("127.0.0.1", None, "POST", "/api/v1/admin/handoff-codes", &Value::Null).await;
    assert_eq!(anonymous.status, 401);
}

async fn a_code_expires_after_a_minute(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let (late_code, early_code) = (panel.create_code("owner").await, panel.create_code("owner").await);
    panel.clock.advance_secs(59);
    panel.exchange(&early_code).await.token();
    panel.clock.advance_secs(1);
    assert_eq!(panel.exchange(&late_code).await.status_and_code(), (EXPIRED.0, EXPIRED.1.into()));
}

async fn a_code_has_the_permissions_of_its_creator(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.create_staff("anna", &[Permission::ViewOrders]).await;
    let code = panel.create_code("anna").await;
    let answer = panel.exchange(&code).await;
    assert_eq!(answer.json()["user"]["allPermissions"].as_array().unwrap().len(), 1);
    let code = panel.create_code("anna").await;
    panel
        .execute(Sql::new("UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE name = 'anna'"))
        .await;
    assert_eq!(panel.exchange(&code).await.status_and_code(), (EXPIRED.0, EXPIRED.1.into()));
}

async fn a_code_keeps_sign_in_time_and_confirmation_of_its_session(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let signed_in_at = NOW - 10 * 86_400_000_000;
    let sql = "UPDATE sessions SET signed_in_at = ?, confirmed_at = NULL WHERE family_id = 'owner'";
    panel.execute(Sql::new(sql).bind(signed_in_at)).await;
    let code = panel.create_code("owner").await;
    // Another token of the same sign-in is confirmed meanwhile.
    panel.execute(Sql::new("UPDATE sessions SET confirmed_at = ? WHERE family_id = 'owner'").bind(NOW)).await;
    panel.exchange(&code).await.token();
    let sql = "SELECT signed_in_at, confirmed_at FROM sessions ORDER BY id DESC LIMIT 1";
    let session: (i64, Option<i64>) = (&mut &panel.app.db).fetch_one(Sql::new(sql)).await.unwrap();
    assert_eq!(session, (signed_in_at, None));
}

async fn of_parallel_uses_one_succeeds(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let code = panel.create_code("owner").await;
    let answers = futures_util::future::join_all((0..8).map(|_| panel.exchange(&code))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    let created_sessions = Sql::new("SELECT count(*) FROM sessions WHERE created_at = ?").bind(NOW);
    assert_eq!(panel.number(created_sessions).await, 2, "the owner's session and one by the code");
}

async fn showing_a_code_returns_its_owner_without_using_it(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let code = panel.create_code("owner").await;
    for _ in 0..3 {
        let answer = panel.show_code(&code).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let owner = answer.json()["data"].clone();
        assert_eq!((&owner["name"], &owner["email"]), (&json!("owner"), &json!("owner@panel.test")));
        assert!(!answer.headers.contains_key("authorization"), "no token");
    }
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM sessions")).await, 1, "no session was created");
    panel.exchange(&code).await.token();
    assert_eq!(
        panel.show_code(&code).await.status_and_code(),
        (EXPIRED.0, EXPIRED.1.into()),
        "the code is used"
    );
    for wrong in ["", "x", &"y".repeat(100_000)] {
        assert_eq!(panel.show_code(wrong).await.status_and_code(), (EXPIRED.0, EXPIRED.1.into()));
    }
    let late_code = panel.create_code("owner").await;
    panel.clock.advance_secs(60);
    assert_eq!(panel.show_code(&late_code).await.status_and_code(), (EXPIRED.0, EXPIRED.1.into()));
}

/// The codes of a session that signs out stop working, although they were not used yet.
async fn a_code_ends_with_the_sign_in_that_created_it(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.create_staff("anna", &[Permission::ViewOrders]).await;
    let (code_of_anna, other_code) = (panel.create_code("anna").await, panel.create_code("owner").await);
    let sign_out = panel.call("127.0.0.1", Some("anna"), "POST", "/logout", &Value::Null).await;
    assert!(sign_out.status.is_success(), "{}", sign_out.text);
    assert_eq!(panel.show_code(&code_of_anna).await.status_and_code(), (EXPIRED.0, EXPIRED.1.into()));
    assert_eq!(panel.exchange(&code_of_anna).await.status_and_code(), (EXPIRED.0, EXPIRED.1.into()));
    panel.exchange(&other_code).await.token();
    // A refreshed token belongs to the same sign-in.
    let code = panel.create_code("owner").await;
    let refreshed = panel.call("127.0.0.1", Some("owner"), "GET", "/refresh", &Value::Null).await;
    assert_eq!(refreshed.status, 200, "{}", refreshed.text);
    panel.exchange(&code).await.token();
}
