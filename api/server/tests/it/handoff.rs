//! Handoff codes: one use, one minute, for the one who asked.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Source, Sql};
use serde_json::{Value, json};

use crate::panel::{Answer, NOW, Panel};

both! {
    a_code_signs_in_once;
    a_code_is_over_after_a_minute;
    a_code_is_worth_no_more_than_its_maker;
    of_many_uses_one_wins;
    showing_a_code_names_its_owner_and_uses_nothing;
    a_code_dies_with_the_sign_in_that_made_it;
    a_code_lasts_as_its_sign_in_and_is_confirmed_as_its_maker_was;
}

impl Panel {
    async fn code(&self, who: &str) -> String {
        let answer =
            self.call("127.0.0.1", Some(who), "POST", "/api/v1/admin/handoff-codes", &Value::Null).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let code = answer.json()["data"]["code"].as_str().unwrap().to_owned();
        assert_eq!(code.len(), 43);
        code
    }

    async fn exchange(&self, code: &str) -> Answer {
        self.call("127.0.0.1", None, "POST", "/handoff", &json!({ "code": code })).await
    }
}

impl Panel {
    async fn shown(&self, code: &str) -> Answer {
        self.call("127.0.0.1", None, "POST", "/handoff/show", &json!({ "code": code })).await
    }
}

const OVER: (u16, &str) = (422, "handoff_code_over");

async fn a_code_signs_in_once(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let code = panel.code("owner").await;
    let (kept,): (Vec<u8>,) =
        (&mut &panel.app.db).one(Sql::new("SELECT code_hash FROM handoff_codes")).await.unwrap();
    assert!(kept.len() == 32 && kept != code.as_bytes());
    let answer = panel.exchange(&code).await;
    assert_eq!(answer.json()["user"]["email"], "owner@panel.test");
    assert_eq!(panel.who_am_i(&answer.token()).await.0, 200);
    assert_eq!(panel.exchange(&code).await.says(), (OVER.0, OVER.1.into()));
    for wrong in ["", "x", &"y".repeat(100_000)] {
        assert_eq!(panel.exchange(wrong).await.says(), (OVER.0, OVER.1.into()));
    }
    let anonymous = panel.call("127.0.0.1", None, "POST", "/api/v1/admin/handoff-codes", &Value::Null).await;
    assert_eq!(anonymous.status, 401);
}

async fn a_code_is_over_after_a_minute(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let (late, in_time) = (panel.code("owner").await, panel.code("owner").await);
    panel.clock.advance_secs(59);
    panel.exchange(&in_time).await.token();
    panel.clock.advance_secs(1);
    assert_eq!(panel.exchange(&late).await.says(), (OVER.0, OVER.1.into()));
}

async fn a_code_is_worth_no_more_than_its_maker(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.staff("anna", &[Permission::ViewOrders]).await;
    let code = panel.code("anna").await;
    let answer = panel.exchange(&code).await;
    assert_eq!(answer.json()["user"]["allPermissions"].as_array().unwrap().len(), 1);
    let code = panel.code("anna").await;
    panel
        .exec(Sql::new("UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE name = 'anna'"))
        .await;
    assert_eq!(panel.exchange(&code).await.says(), (OVER.0, OVER.1.into()));
}

async fn a_code_lasts_as_its_sign_in_and_is_confirmed_as_its_maker_was(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let began = NOW - 10 * 86_400_000_000;
    let sql = "UPDATE sessions SET signed_in_at = ?, confirmed_at = NULL WHERE family_id = 'owner'";
    panel.exec(Sql::new(sql).bind(began)).await;
    let code = panel.code("owner").await;
    // Another token of the same sign-in is confirmed meanwhile.
    panel.exec(Sql::new("UPDATE sessions SET confirmed_at = ? WHERE family_id = 'owner'").bind(NOW)).await;
    panel.exchange(&code).await.token();
    let sql = "SELECT signed_in_at, confirmed_at FROM sessions ORDER BY id DESC LIMIT 1";
    let begun: (i64, Option<i64>) = (&mut &panel.app.db).one(Sql::new(sql)).await.unwrap();
    assert_eq!(begun, (began, None));
}

async fn of_many_uses_one_wins(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let code = panel.code("owner").await;
    let all = futures_util::future::join_all((0..8).map(|_| panel.exchange(&code))).await;
    assert_eq!(all.iter().filter(|answer| answer.status == 200).count(), 1);
    let made = Sql::new("SELECT count(*) FROM sessions WHERE created_at = ?").bind(NOW);
    assert_eq!(panel.number(made).await, 2, "the owner's own and one by the code");
}

async fn showing_a_code_names_its_owner_and_uses_nothing(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let code = panel.code("owner").await;
    for _ in 0..3 {
        let shown = panel.shown(&code).await;
        assert_eq!(shown.status, 200, "{}", shown.text);
        let owner = shown.json()["data"].clone();
        assert_eq!((&owner["name"], &owner["email"]), (&json!("owner"), &json!("owner@panel.test")));
        assert!(!shown.headers.contains_key("authorization"), "no token");
    }
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM sessions")).await, 1, "no session was created");
    panel.exchange(&code).await.token();
    assert_eq!(panel.shown(&code).await.says(), (OVER.0, OVER.1.into()), "used");
    for wrong in ["", "x", &"y".repeat(100_000)] {
        assert_eq!(panel.shown(wrong).await.says(), (OVER.0, OVER.1.into()));
    }
    let late = panel.code("owner").await;
    panel.clock.advance_secs(60);
    assert_eq!(panel.shown(&late).await.says(), (OVER.0, OVER.1.into()));
}

/// Signing out, or ending every session of the one who made it, ends the codes that are on their way.
async fn a_code_dies_with_the_sign_in_that_made_it(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.staff("anna", &[Permission::ViewOrders]).await;
    let (theirs, other) = (panel.code("anna").await, panel.code("owner").await);
    let out = panel.call("127.0.0.1", Some("anna"), "POST", "/logout", &Value::Null).await;
    assert!(out.status.is_success(), "{}", out.text);
    assert_eq!(panel.shown(&theirs).await.says(), (OVER.0, OVER.1.into()));
    assert_eq!(panel.exchange(&theirs).await.says(), (OVER.0, OVER.1.into()));
    panel.exchange(&other).await.token();
    // A refreshed token belongs to the same sign-in.
    let code = panel.code("owner").await;
    let fresh = panel.call("127.0.0.1", Some("owner"), "GET", "/refresh", &Value::Null).await;
    assert_eq!(fresh.status, 200, "{}", fresh.text);
    panel.exchange(&code).await.token();
}
