//! The session cache: a list request does not load a session that the server cached recently. A change that ends the session or
//! removes a permission still takes effect on the next request, whichever process wrote it.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use serde_json::Value;

use crate::panel::Panel;
use crate::people::PASSWORD;

both! {
    a_change_of_the_session_or_user_takes_effect_on_the_next_list;
    a_granted_permission_takes_effect_at_once;
    a_cached_session_expires_and_records_its_use;
    authentication_comes_before_the_validation_of_parameters;
}

const CLIENT_IP: &str = "203.0.113.7";
const ORDERS: &str = "/api/v1/admin/orders?length=10";
const USERS: &str = "/api/v1/admin/users?length=10";
const UNDECODABLE_QUERY: &str = "/api/v1/admin/orders?length=%zz";
const INVALID_LENGTH: &str = "/api/v1/admin/orders?length=nonsense";

struct CachedSession {
    panel: Panel,
    token: String,
    user_id: i64,
}

impl CachedSession {
    /// A staff member whose session the server has cached, because she just read a list.
    async fn on(dialect: Dialect) -> Self {
        let panel = Panel::on(dialect).await;
        panel.fill(30, 300).await;
        panel.create_user("anna@panel.test", &[Permission::ViewOrders]).await;
        let token = panel.login("anna@panel.test", PASSWORD).await.token();
        let user_id = panel.number(Sql::new("SELECT id FROM users WHERE email = 'anna@panel.test'")).await;
        let anna = Self { panel, token, user_id };
        assert_eq!([anna.get_status(ORDERS).await, anna.get_status(ORDERS).await], [200, 200]);
        anna
    }

    async fn get_status(&self, path: &str) -> u16 {
        self.panel.call(CLIENT_IP, Some(&self.token), "GET", path, &Value::Null).await.status.as_u16()
    }

    /// Changes the database directly, as another process or a database console would.
    async fn write_from_outside(&self, statement: &'static str) {
        let changed_rows = self.panel.execute(Sql::new(statement).bind(self.user_id)).await;
        assert!(changed_rows > 0, "{statement}");
    }
}

async fn a_change_of_the_session_or_user_takes_effect_on_the_next_list(dialect: Dialect) {
    for (statement, status) in [
        ("UPDATE sessions SET revoked_at = 1 WHERE user_id = ?", 401),
        ("UPDATE sessions SET rotated_at = 1 WHERE user_id = ?", 401),
        ("UPDATE sessions SET expires_at = 1 WHERE user_id = ?", 401),
        ("DELETE FROM sessions WHERE user_id = ?", 401),
        ("UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE id = ?", 401),
        ("DELETE FROM user_permissions WHERE user_id = ?", 401),
        ("UPDATE user_permissions SET permission = 'view users' WHERE user_id = ?", 403),
    ] {
        let anna = CachedSession::on(dialect).await;
        anna.write_from_outside(statement).await;
        assert_eq!(anna.get_status(ORDERS).await, status, "{statement}");
        assert_eq!(anna.get_status(ORDERS).await, status, "{statement}, again");
    }
}

async fn a_granted_permission_takes_effect_at_once(dialect: Dialect) {
    let anna = CachedSession::on(dialect).await;
    assert_eq!(anna.get_status(USERS).await, 403);
    anna.write_from_outside("INSERT INTO user_permissions (user_id, permission) VALUES (?, 'view users')")
        .await;
    assert_eq!([anna.get_status(USERS).await, anna.get_status(ORDERS).await], [200, 200]);
}

async fn a_cached_session_expires_and_records_its_use(dialect: Dialect) {
    let anna = CachedSession::on(dialect).await;
    let last_used_at = async || {
        anna.panel
            .number(Sql::new("SELECT last_used_at FROM sessions WHERE user_id = ?").bind(anna.user_id))
            .await
    };
    let before = last_used_at().await;
    anna.panel.clock.advance_secs(61);
    assert_eq!(anna.get_status(ORDERS).await, 200);
    assert_eq!(last_used_at().await - before, 61_000_000, "reading a list counts as a use of the session");
    anna.panel.clock.advance_secs(7 * 86_400);
    assert_eq!(anna.get_status(ORDERS).await, 401);
}

async fn authentication_comes_before_the_validation_of_parameters(dialect: Dialect) {
    let anna = CachedSession::on(dialect).await;
    assert_eq!(anna.get_status(INVALID_LENGTH).await, 422);
    assert_eq!(anna.get_status(UNDECODABLE_QUERY).await, 422);
    anna.write_from_outside("UPDATE sessions SET revoked_at = 1 WHERE user_id = ?").await;
    assert_eq!([anna.get_status(UNDECODABLE_QUERY).await, anna.get_status(INVALID_LENGTH).await], [401, 401]);
}
