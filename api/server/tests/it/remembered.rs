//! A caller who was seen lately is not looked up before a list is read. Whatever ends a session or takes a permission bites
//! at once all the same, whichever process wrote it.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use serde_json::Value;

use crate::panel::Panel;
use crate::people::PASSWORD;

both! {
    what_ends_a_session_bites_on_a_list;
    what_is_given_is_there_at_once;
    time_ends_what_is_remembered;
    wrong_requests_are_judged_after_the_caller;
}

const HERE: &str = "203.0.113.7";
const ORDERS: &str = "/api/v1/admin/orders?length=10";
const USERS: &str = "/api/v1/admin/users?length=10";
const UNREADABLE: &str = "/api/v1/admin/orders?length=%zz";
const WRONG: &str = "/api/v1/admin/orders?length=nonsense";

struct Remembered {
    panel: Panel,
    token: String,
    id: i64,
}

impl Remembered {
    /// Anna has read a list a moment ago.
    async fn on(dialect: Dialect) -> Self {
        let panel = Panel::on(dialect).await;
        panel.fill(30, 300).await;
        panel.person("anna@panel.test", &[Permission::ViewOrders]).await;
        let token = panel.login("anna@panel.test", PASSWORD).await.token();
        let id = panel.number(Sql::new("SELECT id FROM users WHERE email = 'anna@panel.test'")).await;
        let anna = Self { panel, token, id };
        assert_eq!([anna.reads(ORDERS).await, anna.reads(ORDERS).await], [200, 200]);
        anna
    }

    async fn reads(&self, path: &str) -> u16 {
        self.panel.call(HERE, Some(&self.token), "GET", path, &Value::Null).await.status.as_u16()
    }

    /// As another process, or the database's own console, writes it.
    async fn elsewhere(&self, statement: &'static str) {
        let written = self.panel.exec(Sql::new(statement).bind(self.id)).await;
        assert!(written > 0, "{statement}");
    }
}

async fn what_ends_a_session_bites_on_a_list(dialect: Dialect) {
    for (statement, status) in [
        ("UPDATE sessions SET revoked_at = 1 WHERE user_id = ?", 401),
        ("UPDATE sessions SET rotated_at = 1 WHERE user_id = ?", 401),
        ("UPDATE sessions SET expires_at = 1 WHERE user_id = ?", 401),
        ("DELETE FROM sessions WHERE user_id = ?", 401),
        ("UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE id = ?", 401),
        ("DELETE FROM user_permissions WHERE user_id = ?", 401),
        ("UPDATE user_permissions SET permission = 'view users' WHERE user_id = ?", 403),
    ] {
        let anna = Remembered::on(dialect).await;
        anna.elsewhere(statement).await;
        assert_eq!(anna.reads(ORDERS).await, status, "{statement}");
        assert_eq!(anna.reads(ORDERS).await, status, "{statement}, again");
    }
}

async fn what_is_given_is_there_at_once(dialect: Dialect) {
    let anna = Remembered::on(dialect).await;
    assert_eq!(anna.reads(USERS).await, 403);
    anna.elsewhere("INSERT INTO user_permissions (user_id, permission) VALUES (?, 'view users')").await;
    assert_eq!([anna.reads(USERS).await, anna.reads(ORDERS).await], [200, 200]);
}

async fn time_ends_what_is_remembered(dialect: Dialect) {
    let anna = Remembered::on(dialect).await;
    let used = async || {
        anna.panel.number(Sql::new("SELECT last_used_at FROM sessions WHERE user_id = ?").bind(anna.id)).await
    };
    let before = used().await;
    anna.panel.clock.advance_secs(61);
    assert_eq!(anna.reads(ORDERS).await, 200);
    assert_eq!(used().await - before, 61_000_000, "a list is a use");
    anna.panel.clock.advance_secs(7 * 86_400);
    assert_eq!(anna.reads(ORDERS).await, 401);
}

async fn wrong_requests_are_judged_after_the_caller(dialect: Dialect) {
    let anna = Remembered::on(dialect).await;
    assert_eq!(anna.reads(WRONG).await, 422);
    assert_eq!(anna.reads(UNREADABLE).await, 422);
    anna.elsewhere("UPDATE sessions SET revoked_at = 1 WHERE user_id = ?").await;
    assert_eq!([anna.reads(UNREADABLE).await, anna.reads(WRONG).await], [401, 401]);
}
