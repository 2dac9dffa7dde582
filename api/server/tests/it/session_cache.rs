//! The session cache: a list request does not load a recently cached session from the database. A change that ends the session or
//! removes a permission takes effect on the next request, even if another process wrote the change.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use serde_json::Value;

use crate::panel::Panel;
use crate::test_users::PASSWORD;

test_both_databases! {
    a_change_of_the_session_or_user_takes_effect_on_the_next_list;
    a_granted_permission_takes_effect_at_once;
    a_cached_session_expires_and_records_its_use;
    a_request_is_authenticated_before_its_parameters_are_validated;
}

const CLIENT_IP: &str = "203.0.113.7";
const ORDERS_PATH: &str = "/api/v1/admin/orders?length=10";
const USERS_PATH: &str = "/api/v1/admin/users?length=10";
const UNDECODABLE_QUERY_PATH: &str = "/api/v1/admin/orders?length=%zz";
const INVALID_LENGTH_PATH: &str = "/api/v1/admin/orders?length=nonsense";

struct CachedSession {
    panel: Panel,
    token: String,
    user_id: i64,
}

impl CachedSession {
    /// Starts a panel with a staff member whose session is cached, because she has requested a list.
    async fn start(dialect: Dialect) -> Self {
        let panel = Panel::start(dialect).await;
        panel.insert_generated_records(30, 300).await;
        panel.create_user("anna@panel.test", &[Permission::ViewOrders]).await;
        let token = panel.login("anna@panel.test", PASSWORD).await.session_token();
        let user_id =
            panel.fetch_number(Sql::new("SELECT id FROM users WHERE email = 'anna@panel.test'")).await;
        let anna = Self { panel, token, user_id };
        assert_eq!([anna.get_status(ORDERS_PATH).await, anna.get_status(ORDERS_PATH).await], [200, 200]);
        anna
    }

    async fn get_status(&self, path: &str) -> u16 {
        self.panel.request_from(CLIENT_IP, Some(&self.token), "GET", path, &Value::Null).await.status.as_u16()
    }

    /// Changes the database without informing the server, like another process or a database console.
    async fn write_directly(&self, statement: &'static str) {
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
        let anna = CachedSession::start(dialect).await;
        anna.write_directly(statement).await;
        assert_eq!(anna.get_status(ORDERS_PATH).await, status, "{statement}");
        assert_eq!(anna.get_status(ORDERS_PATH).await, status, "{statement}, second request");
    }
}

async fn a_granted_permission_takes_effect_at_once(dialect: Dialect) {
    let anna = CachedSession::start(dialect).await;
    assert_eq!(anna.get_status(USERS_PATH).await, 403);
    anna.write_directly("INSERT INTO user_permissions (user_id, permission) VALUES (?, 'view users')").await;
    assert_eq!([anna.get_status(USERS_PATH).await, anna.get_status(ORDERS_PATH).await], [200, 200]);
}

async fn a_cached_session_expires_and_records_its_use(dialect: Dialect) {
    let anna = CachedSession::start(dialect).await;
    let fetch_last_used_at = async || {
        anna.panel
            .fetch_number(Sql::new("SELECT last_used_at FROM sessions WHERE user_id = ?").bind(anna.user_id))
            .await
    };
    let last_used_before = fetch_last_used_at().await;
    anna.panel.clock.advance_secs(61);
    assert_eq!(anna.get_status(ORDERS_PATH).await, 200);
    assert_eq!(
        fetch_last_used_at().await - last_used_before,
        61_000_000,
        "a list request must count as a use of the session"
    );
    anna.panel.clock.advance_secs(7 * 86_400);
    assert_eq!(anna.get_status(ORDERS_PATH).await, 401);
}

async fn a_request_is_authenticated_before_its_parameters_are_validated(dialect: Dialect) {
    let anna = CachedSession::start(dialect).await;
    assert_eq!(anna.get_status(INVALID_LENGTH_PATH).await, 422);
    assert_eq!(anna.get_status(UNDECODABLE_QUERY_PATH).await, 422);
    anna.write_directly("UPDATE sessions SET revoked_at = 1 WHERE user_id = ?").await;
    assert_eq!(
        [anna.get_status(UNDECODABLE_QUERY_PATH).await, anna.get_status(INVALID_LENGTH_PATH).await],
        [401, 401]
    );
}
