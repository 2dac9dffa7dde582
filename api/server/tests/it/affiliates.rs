//! Tests the affiliates of a user: their periods never overlap, and users never refer each other in a circle. Also tests the API keys
//! and payment methods of users. In a period, `user_id` is the affiliate and `referral_id` the user whom the affiliate referred.

use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_kernel::clock::Clock as _;
use panel_platform::db::{Dialect, Sql, SqlExecutor};
use panel_server::auth::sessions;
use panel_server::operations::affiliates::ActiveAffiliateUpdater;
use serde_json::{Value, json};

use crate::panel::Panel;

test_both_databases! {
    a_user_has_an_affiliate_within_its_period;
    an_affiliate_period_begins_and_ends_by_itself;
    overlapping_periods_and_circles_are_rejected;
    two_parallel_requests_leave_one_affiliate;
    payment_methods_are_replaced_as_a_whole;
    an_api_key_is_shown_once;
    an_api_key_needs_its_permission_and_the_customer_gets_an_email;
}

const USER_5_AFFILIATES: &str = "/api/v1/admin/users/5/affiliates";

impl Panel {
    async fn fetch_affiliate_id(&self, user: i64) -> Value {
        self.get(&format!("/api/v1/admin/users/{user}")).await.json()["data"]["affiliate"]["id"].clone()
    }

    async fn delete_and_get_code(&self, path: &str) -> (u16, String) {
        self.request_from("127.0.0.1", Some("owner"), "DELETE", path, &Value::Null).await.status_and_code()
    }
}

async fn a_user_has_an_affiliate_within_its_period(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 9, 0).await;
    let create_response = panel.post(USER_5_AFFILIATES, &json!({ "affiliate_id": 2 })).await;
    assert_eq!(create_response.status, 200, "{}", create_response.text);
    let period = create_response.json()["data"].clone();
    assert_eq!(
        (&period["user_id"], &period["referral_id"], &period["is_current"]),
        (&json!(2), &json!(5), &json!(true))
    );
    assert_eq!((&period["name"], &period["ended_at"]), (&json!("Customer 2"), &Value::Null));
    assert_eq!(panel.fetch_affiliate_id(5).await, 2);
    let path = format!("{USER_5_AFFILIATES}/{}", period["id"]);
    let ended_period =
        json!({ "affiliate_id": 2, "started_at": "2025-01-01 00:00:00", "ended_at": "2025-06-01 00:00:00" });
    let update_response = panel.send("owner", "PUT", &path, &ended_period, None).await;
    assert_eq!(update_response.json()["data"]["is_current"], false, "{}", update_response.text);
    assert_eq!(panel.fetch_affiliate_id(5).await, Value::Null);
    let next_response = panel
        .post(USER_5_AFFILIATES, &json!({ "affiliate_id": 3, "started_at": "2025-06-01 00:00:00" }))
        .await;
    assert_eq!(next_response.status, 200, "{}", next_response.text);
    assert_eq!(panel.fetch_affiliate_id(5).await, 3);
    let periods = panel.get(USER_5_AFFILIATES).await.json()["data"].clone();
    assert_eq!((periods[0]["user_id"].as_i64(), periods[1]["user_id"].as_i64()), (Some(3), Some(2)));
    assert_eq!(panel.delete_and_get_code(&format!("{USER_5_AFFILIATES}/{}", periods[0]["id"])).await.0, 204);
    assert_eq!(panel.delete_and_get_code(&format!("{USER_5_AFFILIATES}/{}", periods[0]["id"])).await.0, 404);
    assert_eq!(panel.fetch_affiliate_id(5).await, Value::Null);
    let count_audits_sql =
        Sql::new("SELECT count(*) FROM audits WHERE auditable_id = 5 AND event LIKE 'user.affiliate%'");
    assert_eq!(panel.fetch_number(count_audits_sql).await, 4);
}

async fn an_affiliate_period_begins_and_ends_by_itself(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 9, 0).await;
    let mut updater = ActiveAffiliateUpdater::default();
    let now = panel.clock.now();
    let time_after_secs = |seconds: i64| Time(now.0 + seconds * 1_000_000);
    let body =
        json!({ "affiliate_id": 2, "started_at": time_after_secs(60), "ended_at": time_after_secs(120) });
    let create_response = panel.post(USER_5_AFFILIATES, &body).await;
    assert_eq!(create_response.status, 200, "{}", create_response.text);
    assert_eq!(updater.update_users(&panel.app.db, time_after_secs(59)).await.unwrap(), 0);
    assert_eq!(panel.fetch_affiliate_id(5).await, Value::Null);
    assert_eq!(updater.update_users(&panel.app.db, time_after_secs(60)).await.unwrap(), 1);
    assert_eq!(panel.fetch_affiliate_id(5).await, 2);
    assert_eq!(updater.update_users(&panel.app.db, time_after_secs(119)).await.unwrap(), 0);
    assert_eq!(updater.update_users(&panel.app.db, time_after_secs(120)).await.unwrap(), 1);
    assert_eq!(panel.fetch_affiliate_id(5).await, Value::Null);
    assert_eq!(
        ActiveAffiliateUpdater::default().update_users(&panel.app.db, time_after_secs(500)).await.unwrap(),
        0
    );
}

async fn overlapping_periods_and_circles_are_rejected(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 9, 0).await;
    assert_eq!(panel.post(USER_5_AFFILIATES, &json!({ "affiliate_id": 4 })).await.status, 200);
    let status_and_code_of = async |path: &str, body: Value| panel.post(path, &body).await.status_and_code();
    assert_eq!(
        status_and_code_of(USER_5_AFFILIATES, json!({ "affiliate_id": 3 })).await,
        (422, "affiliates_overlap".into())
    );
    assert_eq!(
        status_and_code_of(USER_5_AFFILIATES, json!({ "affiliate_id": 5 })).await,
        (422, "affiliate_is_self".into())
    );
    let user_4_affiliates = "/api/v1/admin/users/4/affiliates";
    assert_eq!(
        status_and_code_of(user_4_affiliates, json!({ "affiliate_id": 5 })).await,
        (422, "affiliate_in_circle".into())
    );
    assert_eq!(
        status_and_code_of(user_4_affiliates, json!({ "affiliate_id": 99 })).await,
        (422, "affiliate_unknown".into())
    );
    let ends_before_start =
        json!({ "affiliate_id": 2, "started_at": "2025-02-01 00:00:00", "ended_at": "2025-01-01 00:00:00" });
    assert_eq!(
        status_and_code_of(user_4_affiliates, ends_before_start).await,
        (422, "ends_before_start".into())
    );
    assert_eq!(
        status_and_code_of("/api/v1/admin/users/99/affiliates", json!({ "affiliate_id": 2 })).await.0,
        404
    );
    assert_eq!(
        panel.post(user_4_affiliates, &json!({ "affiliate_id": 3, "started_at": "soon" })).await.status,
        422
    );
}

async fn two_parallel_requests_leave_one_affiliate(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 9, 0).await;
    let (first_body, second_body) = (json!({ "affiliate_id": 2 }), json!({ "affiliate_id": 3 }));
    let (first_response, second_response) =
        tokio::join!(panel.post(USER_5_AFFILIATES, &first_body), panel.post(USER_5_AFFILIATES, &second_body));
    let mut codes = [first_response.status.as_u16(), second_response.status.as_u16()];
    codes.sort_unstable();
    assert_eq!(codes, [200, 422]);
    assert_eq!(panel.get(USER_5_AFFILIATES).await.json()["data"].as_array().unwrap().len(), 1);
}

async fn payment_methods_are_replaced_as_a_whole(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(20, 60).await;
    let path = "/api/v1/admin/users/5/sync-payment-methods";
    let replace_payment_methods =
        async |ids: Value| panel.send("owner", "PATCH", path, &json!({ "payment_methods": ids }), None).await;
    let response = replace_payment_methods(json!([3, 1, 3])).await;
    assert_eq!(response.status, 200, "{}", response.text);
    let ids = |response: Value| -> Vec<i64> {
        let methods = response["data"]["payment_methods"].as_array().unwrap().clone();
        methods.iter().map(|method| method["id"].as_i64().unwrap()).collect()
    };
    assert_eq!(ids(response.json()), [1, 3]);
    let user = panel.get("/api/v1/admin/users/5").await.json()["data"].clone();
    assert_eq!((&user["payment_methods"][1]["id"], &user["has_api_key"]), (&json!(3), &json!(false)));
    let methods = panel.get("/api/v1/admin/users/5/payment-methods").await.json()["data"].clone();
    let is_offered: Vec<bool> =
        methods.as_array().unwrap().iter().map(|method| method["is_offered"].as_bool().unwrap()).collect();
    assert!(is_offered[0] && !is_offered[1] && is_offered[2], "{methods}");
    assert_eq!(panel.get("/api/v1/admin/users/99/payment-methods").await.status, 404);
    // A staff member who may not view payment methods does not get their ids from this endpoint either.
    panel.create_staff("bob", &[Permission::ViewUsers, Permission::ManageUsers]).await;
    let without_ids = panel.send("bob", "PATCH", path, &json!({}), None).await;
    assert_eq!(
        (without_ids.status.as_u16(), without_ids.json()["data"]["payment_methods"].clone()),
        (200, json!([]))
    );
    let unknown_id_response = replace_payment_methods(json!([2, 99])).await;
    assert!(
        unknown_id_response.json()["errors"]["payment_methods.1"].is_array(),
        "{}",
        unknown_id_response.text
    );
    assert_eq!(
        panel.fetch_number(Sql::new("SELECT count(*) FROM user_payment_methods WHERE user_id = 5")).await,
        2
    );
    assert_eq!(ids(replace_payment_methods(json!([])).await.json()), Vec::<i64>::new());
}

async fn an_api_key_is_shown_once(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 9, 0).await;
    let path = "/api/v1/admin/users/5/api-key";
    assert_eq!(panel.delete_and_get_code(path).await, (409, "no_api_key".into()));
    let create_key = async || {
        panel.send("owner", "POST", path, &json!({}), Some("one-key")).await.json()["data"]["key"].clone()
    };
    let (first_key, second_key) = (create_key().await, create_key().await);
    assert!(
        first_key.as_str().unwrap().len() >= 40 && first_key != second_key,
        "a repeated request must create another key"
    );
    let stored_hashes: Vec<(Vec<u8>,)> =
        (&mut &panel.app.db).fetch_all(Sql::new("SELECT key_hash FROM api_keys")).await.unwrap();
    assert_eq!(
        stored_hashes,
        [(sessions::hash(second_key.as_str().unwrap()),)],
        "only the new key may be valid"
    );
    let count_audits_with_secret_sql =
        Sql::new("SELECT count(*) FROM audits WHERE new_values LIKE ? OR old_values LIKE ?");
    let pattern = format!("%{}%", second_key.as_str().unwrap());
    assert_eq!(
        panel.fetch_number(count_audits_with_secret_sql.bind(pattern.clone()).bind(pattern)).await,
        0,
        "the audit log must not contain the key"
    );
    assert_eq!(
        panel.fetch_number(Sql::new("SELECT count(*) FROM idempotency")).await,
        0,
        "the response must not be stored for a replay"
    );
    assert_eq!(panel.delete_and_get_code(path).await.0, 204);
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM api_keys")).await, 0);
}

/// An API key can spend the customer's balance, so it needs its own permission and the customer gets an email about each change.
async fn an_api_key_needs_its_permission_and_the_customer_gets_an_email(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 9, 0).await;
    panel
        .execute(Sql::new("UPDATE users SET notify_orders = FALSE, notify_payments = FALSE WHERE id = 5"))
        .await;
    let path = "/api/v1/admin/users/5/api-key";
    panel.create_staff("support", &[Permission::ViewUsers, Permission::ManageUsers]).await;
    panel.create_staff("keeper", &[Permission::ViewUsers, Permission::ManageApiKeys]).await;
    let may_change_key = async |staff_name: &str| {
        panel.get_as(staff_name, "/api/v1/admin/users/5", "*/*").await.json()["data"]["actions"]["api_key"]
            .clone()
    };
    assert_eq!(
        (may_change_key("support").await, may_change_key("keeper").await),
        (json!(false), json!(true))
    );
    for method in ["POST", "DELETE"] {
        assert_eq!(panel.send("support", method, path, &json!({}), None).await.status, 403);
    }
    let load_emails = async || {
        let sql = Sql::new("SELECT payload FROM jobs WHERE kind = 'mail' ORDER BY id");
        (&mut &panel.app.db).fetch_all::<(String,)>(sql).await.unwrap()
    };
    assert_eq!(load_emails().await.len(), 0, "an email was sent before a key changed");
    let mut keys = Vec::new();
    for _ in 0..2 {
        let create_response = panel.send("keeper", "POST", path, &json!({}), None).await.json();
        keys.push(create_response["data"]["key"].as_str().unwrap().to_owned());
    }
    assert_eq!(panel.send("keeper", "DELETE", path, &json!({}), None).await.status, 204);
    let sent_emails = load_emails().await;
    let subjects = ["API key was created", "API key was replaced", "API key was removed"];
    assert_eq!(sent_emails.len(), subjects.len());
    for ((email,), subject) in sent_emails.iter().zip(subjects) {
        assert!(email.contains(subject) && email.contains("c5@"), "{email}");
        assert!(keys.iter().all(|key| !email.contains(key)), "an email must not contain a key");
    }
}
