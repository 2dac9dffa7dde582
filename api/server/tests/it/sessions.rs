//! What a token is worth: until when, for whom, and what ends it.

use panel_contract::permission::Permission;
use panel_server::db::{Dialect, Source, Sql};
use serde_json::Value;

use crate::panel::Panel;
use crate::people::PASSWORD;

both! {
    refreshing_replaces_a_token;
    using_a_replaced_token_ends_the_sign_in;
    signing_out_ends_one_sign_in;
    changes_of_a_person_bite_at_once;
    a_token_lives_a_week;
    last_use_is_written_once_a_minute;
    without_a_token;
    tokens_are_kept_hashed;
    signing_out_wins_against_refreshing;
}

const HERE: &str = "203.0.113.7";
const STAFF: [Permission; 1] = [Permission::ViewOrders];
const ORDERS: &str = "/api/v1/admin/orders?length=1";

/// A panel where Anna has signed in, and her token.
async fn anna(dialect: Dialect) -> (Panel, String) {
    let panel = Panel::on(dialect).await;
    panel.person("anna@panel.test", &STAFF).await;
    let token = panel.login("anna@panel.test", PASSWORD).await.token();
    (panel, token)
}

async fn refreshing_replaces_a_token(dialect: Dialect) {
    let (panel, first) = anna(dialect).await;
    panel.clock.advance(1_200);
    let answer = panel.refresh(&first).await;
    assert_eq!(answer.json()["user"]["email"], "anna@panel.test");
    let second = answer.token();
    assert_ne!(first, second);
    // Another tab still holds the old one for a moment, and may refresh it as well.
    panel.clock.advance(29);
    assert_eq!(panel.who_am_i(&first).await.0, 200);
    let third = panel.refresh(&first).await.token();
    panel.clock.advance(1_000);
    for token in [&second, &third] {
        assert_eq!(panel.who_am_i(token).await.0, 200);
    }
    let families = panel.number(Sql::new("SELECT count(DISTINCT family_id) FROM sessions")).await;
    assert_eq!(families, 2, "Anna's and the owner's");
}

async fn using_a_replaced_token_ends_the_sign_in(dialect: Dialect) {
    let (panel, first) = anna(dialect).await;
    let elsewhere = panel.login("anna@panel.test", PASSWORD).await.token();
    let second = panel.refresh(&first).await.token();
    panel.clock.advance(31);
    assert_eq!(panel.who_am_i(&second).await.0, 200);
    assert_eq!(panel.who_am_i(&first).await, (401, "token_replaced".into()));
    assert_eq!(panel.who_am_i(&second).await, (401, "token_ended".into()));
    assert_eq!(panel.refresh(&second).await.says(), (401, "token_ended".into()));
    assert_eq!(panel.who_am_i(&elsewhere).await.0, 200, "another sign-in stands");
}

async fn signing_out_ends_one_sign_in(dialect: Dialect) {
    let (panel, first) = anna(dialect).await;
    let elsewhere = panel.login("anna@panel.test", PASSWORD).await.token();
    let second = panel.refresh(&first).await.token();
    let out = panel.call(HERE, Some(&second), "POST", "/logout", &Value::Null).await;
    assert_eq!((out.status.as_u16(), out.text.as_str()), (204, ""));
    for token in [&first, &second] {
        assert_eq!(panel.who_am_i(token).await, (401, "token_ended".into()));
    }
    assert_eq!(panel.who_am_i(&elsewhere).await.0, 200);
    assert_eq!(panel.call(HERE, Some(&second), "POST", "/logout", &Value::Null).await.status, 401);
}

async fn changes_of_a_person_bite_at_once(dialect: Dialect) {
    let (panel, token) = anna(dialect).await;
    let orders = async || panel.call(HERE, Some(&token), "GET", ORDERS, &Value::Null).await.status.as_u16();
    assert_eq!(orders().await, 200);
    let freeze =
        Sql::new("UPDATE users SET status = 'frozen', frozen_at = 1 WHERE email = 'anna@panel.test'");
    panel.exec(freeze).await;
    assert_eq!(orders().await, 200, "frozen people sign in, they cannot order");
    panel.exec(Sql::new("UPDATE user_permissions SET permission = 'manage panel settings' WHERE permission = 'view orders' AND user_id IN (SELECT id FROM users WHERE email = 'anna@panel.test')")).await;
    assert_eq!(orders().await, 403);
    let own = "DELETE FROM user_permissions WHERE user_id IN (SELECT id FROM users WHERE email = 'anna@panel.test')";
    panel.exec(Sql::new(own)).await;
    assert_eq!(panel.who_am_i(&token).await, (401, "not_staff".into()), "a customer has no business here");
    panel.exec(Sql::new("INSERT INTO user_permissions (user_id, permission) SELECT id, 'view orders' FROM users WHERE email = 'anna@panel.test'")).await;
    assert_eq!(orders().await, 200);
    panel
        .exec(Sql::new(
            "UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE email = 'anna@panel.test'",
        ))
        .await;
    assert_eq!(panel.who_am_i(&token).await, (401, "account_deactivated".into()));
    assert_eq!(panel.refresh(&token).await.status, 401);
}

async fn a_token_lives_a_week(dialect: Dialect) {
    let (panel, token) = anna(dialect).await;
    panel.clock.advance(6 * 86_400);
    let fresh = panel.refresh(&token).await.token();
    panel.clock.advance(7 * 86_400 - 1);
    assert_eq!(panel.who_am_i(&fresh).await.0, 200);
    panel.clock.advance(1);
    assert_eq!(panel.who_am_i(&fresh).await, (401, "token_ended".into()));
    assert_eq!(panel.refresh(&fresh).await.status, 401);
}

async fn last_use_is_written_once_a_minute(dialect: Dialect) {
    let (panel, token) = anna(dialect).await;
    let sql = "SELECT s.last_used_at FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.email = 'anna@panel.test'";
    let last = async || panel.number(Sql::new(sql)).await;
    let at_first = last().await;
    panel.clock.advance(59);
    panel.who_am_i(&token).await;
    assert_eq!(last().await, at_first);
    panel.clock.advance(2);
    panel.who_am_i(&token).await;
    assert_eq!(last().await, at_first + 61_000_000);
}

async fn without_a_token(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let answer = panel.call(HERE, None, "GET", "/refresh", &Value::Null).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["message"]), (401, &Value::from("no_saved_token")));
    for token in [None, Some("pnl_nobody"), Some(" "), Some("owner x")] {
        let answer = panel.call(HERE, token, "GET", "/api/v1/profile", &Value::Null).await;
        assert_eq!(answer.status, 401, "{token:?}");
        assert_eq!(answer.json()["message"], "Unauthenticated.");
        assert_eq!(answer.headers["www-authenticate"], "Bearer");
    }
    let ended = panel.refresh("pnl_nobody").await;
    assert_eq!(ended.json()["message"], "Unauthenticated.", "a token that has ended is another matter");
}

async fn tokens_are_kept_hashed(dialect: Dialect) {
    let (panel, token) = anna(dialect).await;
    let rows: Vec<(Vec<u8>, String)> =
        (&mut &panel.app.db).all(Sql::new("SELECT token_hash, family_id FROM sessions")).await.unwrap();
    for (hash, family) in rows {
        assert_eq!(hash.len(), 32);
        assert!(!family.contains(&token) && hash != token.as_bytes());
    }
}

async fn signing_out_wins_against_refreshing(dialect: Dialect) {
    let (panel, mut token) = anna(dialect).await;
    for _ in 0..12 {
        let out = panel.call(HERE, Some(&token), "POST", "/logout", &Value::Null);
        let (fresh, out) = tokio::join!(panel.refresh(&token), out);
        assert!(matches!(out.status.as_u16(), 204 | 401), "{}", out.text);
        assert!(matches!(fresh.status.as_u16(), 200 | 401), "{}", fresh.text);
        if fresh.status == 200 {
            assert_eq!(panel.who_am_i(&fresh.token()).await.0, 401, "a sign-in outlived its end");
        }
        panel.clock.advance(60);
        token = panel.login("anna@panel.test", PASSWORD).await.token();
    }
}
