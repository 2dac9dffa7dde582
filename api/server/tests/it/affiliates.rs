//! Affiliates of a user: their periods never overlap and never form a circle. Also API keys and payment methods of users.

use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_kernel::clock::Clock as _;
use panel_platform::db::{Dialect, Source, Sql};
use panel_server::auth::sessions;
use panel_server::operations::affiliates::ActiveAffiliateUpdater;
use serde_json::{Value, json};

use crate::panel::Panel;

both! {
    an_affiliate_counts_for_a_time;
    an_affiliate_period_begins_and_ends_by_itself;
    overlapping_periods_and_circles_are_refused;
    two_parallel_requests_leave_one_affiliate;
    payment_methods_are_replaced_as_a_whole;
    an_api_key_is_shown_once;
    an_api_key_needs_its_permission_and_the_customer_gets_an_email;
}

const PATH: &str = "/api/v1/admin/users/5/affiliates";

impl Panel {
    async fn affiliate_of(&self, user: i64) -> Value {
        self.get(&format!("/api/v1/admin/users/{user}")).await.json()["data"]["affiliate"]["id"].clone()
    }

    async fn delete_at(&self, path: &str) -> (u16, String) {
        self.call("127.0.0.1", Some("owner"), "DELETE", path, &Value::Null).await.status_and_code()
    }
}

async fn an_affiliate_counts_for_a_time(dialect: Dialect) {
    let panel = Panel::shop(dialect, 9, 0).await;
    let created = panel.post(PATH, &json!({ "affiliate_id": 2 })).await;
    assert_eq!(created.status, 200, "{}", created.text);
    let created = created.json()["data"].clone();
    assert_eq!(
        (&created["user_id"], &created["referral_id"], &created["is_current"]),
        (&json!(2), &json!(5), &json!(true))
    );
    assert_eq!((&created["name"], &created["ended_at"]), (&json!("Customer 2"), &Value::Null));
    assert_eq!(panel.affiliate_of(5).await, 2);
    let path = format!("{PATH}/{}", created["id"]);
    let ended_period =
        json!({ "affiliate_id": 2, "started_at": "2025-01-01 00:00:00", "ended_at": "2025-06-01 00:00:00" });
    let changed = panel.send("owner", "PUT", &path, &ended_period, None).await;
    assert_eq!(changed.json()["data"]["is_current"], false, "{}", changed.text);
    assert_eq!(panel.affiliate_of(5).await, Value::Null);
    let next = panel.post(PATH, &json!({ "affiliate_id": 3, "started_at": "2025-06-01 00:00:00" })).await;
    assert_eq!(next.status, 200, "{}", next.text);
    assert_eq!(panel.affiliate_of(5).await, 3);
    let periods = panel.get(PATH).await.json()["data"].clone();
    assert_eq!((periods[0]["user_id"].as_i64(), periods[1]["user_id"].as_i64()), (Some(3), Some(2)));
    assert_eq!(panel.delete_at(&format!("{PATH}/{}", periods[0]["id"])).await.0, 204);
    assert_eq!(panel.delete_at(&format!("{PATH}/{}", periods[0]["id"])).await.0, 404);
    assert_eq!(panel.affiliate_of(5).await, Value::Null);
    let audits =
        Sql::new("SELECT count(*) FROM audits WHERE auditable_id = 5 AND event LIKE 'user.affiliate%'");
    assert_eq!(panel.number(audits).await, 4);
}

async fn an_affiliate_period_begins_and_ends_by_itself(dialect: Dialect) {
    let panel = Panel::shop(dialect, 9, 0).await;
    let mut updater = ActiveAffiliateUpdater::default();
    let now = panel.clock.now();
    let at = |seconds: i64| Time(now.0 + seconds * 1_000_000);
    let body = json!({ "affiliate_id": 2, "started_at": at(60), "ended_at": at(120) });
    let created = panel.post(PATH, &body).await;
    assert_eq!(created.status, 200, "{}", created.text);
    assert_eq!(updater.update_users(&panel.app.db, at(59)).await.unwrap(), 0);
    assert_eq!(panel.affiliate_of(5).await, Value::Null);
    assert_eq!(updater.update_users(&panel.app.db, at(60)).await.unwrap(), 1);
    assert_eq!(panel.affiliate_of(5).await, 2);
    assert_eq!(updater.update_users(&panel.app.db, at(119)).await.unwrap(), 0);
    assert_eq!(updater.update_users(&panel.app.db, at(120)).await.unwrap(), 1);
    assert_eq!(panel.affiliate_of(5).await, Value::Null);
    assert_eq!(ActiveAffiliateUpdater::default().update_users(&panel.app.db, at(500)).await.unwrap(), 0);
}

async fn overlapping_periods_and_circles_are_refused(dialect: Dialect) {
    let panel = Panel::shop(dialect, 9, 0).await;
    assert_eq!(panel.post(PATH, &json!({ "affiliate_id": 4 })).await.status, 200);
    let post = async |path: &str, body: Value| panel.post(path, &body).await.status_and_code();
    assert_eq!(post(PATH, json!({ "affiliate_id": 3 })).await, (422, "affiliates_overlap".into()));
    assert_eq!(post(PATH, json!({ "affiliate_id": 5 })).await, (422, "affiliate_is_self".into()));
    let path_of_user_4 = "/api/v1/admin/users/4/affiliates";
    assert_eq!(post(path_of_user_4, json!({ "affiliate_id": 5 })).await, (422, "affiliate_in_circle".into()));
    assert_eq!(post(path_of_user_4, json!({ "affiliate_id": 99 })).await, (422, "affiliate_unknown".into()));
    let ends_before_start =
        json!({ "affiliate_id": 2, "started_at": "2025-02-01 00:00:00", "ended_at": "2025-01-01 00:00:00" });
    assert_eq!(post(path_of_user_4, ends_before_start).await, (422, "ends_before_start".into()));
    assert_eq!(post("/api/v1/admin/users/99/affiliates", json!({ "affiliate_id": 2 })).await.0, 404);
    assert_eq!(
        panel.post(path_of_user_4, &json!({ "affiliate_id": 3, "started_at": "soon" })).await.status,
        422
    );
}

async fn two_parallel_requests_leave_one_affiliate(dialect: Dialect) {
    let panel = Panel::shop(dialect, 9, 0).await;
    let (first, second) = (json!({ "affiliate_id": 2 }), json!({ "affiliate_id": 3 }));
    let (first, second) = tokio::join!(panel.post(PATH, &first), panel.post(PATH, &second));
    let mut codes = [first.status.as_u16(), second.status.as_u16()];
    codes.sort_unstable();
    assert_eq!(codes, [200, 422]);
    assert_eq!(panel.get(PATH).await.json()["data"].as_array().unwrap().len(), 1);
}

async fn payment_methods_are_replaced_as_a_whole(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(20, 60).await;
    let path = "/api/v1/admin/users/5/sync-payment-methods";
    let sync =
        async |ids: Value| panel.send("owner", "PATCH", path, &json!({ "payment_methods": ids }), None).await;
    let answer = sync(json!([3, 1, 3])).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let ids = |answer: Value| -> Vec<i64> {
        let methods = answer["data"]["payment_methods"].as_array().unwrap().clone();
        methods.iter().map(|method| method["id"].as_i64().unwrap()).collect()
    };
    assert_eq!(ids(answer.json()), [1, 3]);
    let user = panel.get("/api/v1/admin/users/5").await.json()["data"].clone();
    assert_eq!((&user["payment_methods"][1]["id"], &user["has_api_key"]), (&json!(3), &json!(false)));
    let offered = panel.get("/api/v1/admin/users/5/payment-methods").await.json()["data"].clone();
    let is_offered: Vec<bool> =
        offered.as_array().unwrap().iter().map(|method| method["is_offered"].as_bool().unwrap()).collect();
    assert!(is_offered[0] && !is_offered[1] && is_offered[2], "{offered}");
    assert_eq!(panel.get("/api/v1/admin/users/99/payment-methods").await.status, 404);
    // A staff member who may not view payment methods does not get their ids from this endpoint either.
    panel.create_staff("bob", &[Permission::ViewUsers, Permission::ManageUsers]).await;
    let without_ids = panel.send("bob", "PATCH", path, &json!({}), None).await;
    assert_eq!(
        (without_ids.status.as_u16(), without_ids.json()["data"]["payment_methods"].clone()),
        (200, json!([]))
    );
    let refused = sync(json!([2, 99])).await;
    assert!(refused.json()["errors"]["payment_methods.1"].is_array(), "{}", refused.text);
    assert_eq!(
        panel.number(Sql::new("SELECT count(*) FROM user_payment_methods WHERE user_id = 5")).await,
        2
    );
    assert_eq!(ids(sync(json!([])).await.json()), Vec::<i64>::new());
}

async fn an_api_key_is_shown_once(dialect: Dialect) {
    let panel = Panel::shop(dialect, 9, 0).await;
    let path = "/api/v1/admin/users/5/api-key";
    assert_eq!(panel.delete_at(path).await, (409, "no_api_key".into()));
    let create_key = async || {
        panel.send("owner", "POST", path, &json!({}), Some("one-key")).await.json()["data"]["key"].clone()
    };
    let (first, second) = (create_key().await, create_key().await);
    assert!(first.as_str().unwrap().len() >= 40 && first != second, "a repeated request creates another key");
    let stored: Vec<(Vec<u8>,)> =
        (&mut &panel.app.db).fetch_all(Sql::new("SELECT key_hash FROM api_keys")).await.unwrap();
    assert_eq!(stored, [(sessions::hash(second.as_str().unwrap()),)], "only the new key is valid");
    let secret_in_audits =
        Sql::new("SELECT count(*) FROM audits WHERE new_values LIKE ? OR old_values LIKE ?");
    let pattern = format!("%{}%", second.as_str().unwrap());
    assert_eq!(
        panel.number(secret_in_audits.bind(pattern.clone()).bind(pattern)).await,
        0,
        "no secret in the audit trail"
    );
    assert_eq!(
        panel.number(Sql::new("SELECT count(*) FROM idempotency")).await,
        0,
        "the response is not stored for a replay"
    );
    assert_eq!(panel.delete_at(path).await.0, 204);
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM api_keys")).await, 0);
}

/// An API key can spend the customer's balance, so it needs its own permission and the customer gets an email about each change.
async fn an_api_key_needs_its_permission_and_the_customer_gets_an_email(dialect: Dialect) {
    let panel = Panel::shop(dialect, 9, 0).await;
    panel
        .execute(Sql::new("UPDATE users SET notify_orders = FALSE, notify_payments = FALSE WHERE id = 5"))
        .await;
    let path = "/api/v1/admin/users/5/api-key";
    panel.create_staff("support", &[Permission::ViewUsers, Permission::ManageUsers]).await;
    panel.create_staff("keeper", &[Permission::ViewUsers, Permission::ManageApiKeys]).await;
    let may_change_key = async |who: &str| {
        panel.get_as(who, "/api/v1/admin/users/5", "*/*").await.json()["data"]["actions"]["api_key"].clone()
    };
    assert_eq!(
        (may_change_key("support").await, may_change_key("keeper").await),
        (json!(false), json!(true))
    );
    for method in ["POST", "DELETE"] {
        assert_eq!(panel.send("support", method, path, &json!({}), None).await.status, 403);
    }
    let emails = async || {
        let sql = Sql::new("SELECT payload FROM jobs WHERE kind = 'mail' ORDER BY id");
        (&mut &panel.app.db).fetch_all::<(String,)>(sql).await.unwrap()
    };
    assert_eq!(emails().await.len(), 0, "no key changed yet");
    let mut keys = Vec::new();
    for _ in 0..2 {
        let created = panel.send("keeper", "POST", path, &json!({}), None).await.json();
        keys.push(created["data"]["key"].as_str().unwrap().to_owned());
    }
    assert_eq!(panel.send("keeper", "DELETE", path, &json!({}), None).await.status, 204);
    let sent_emails = emails().await;
    let subjects = ["API key was created", "API key was replaced", "API key was removed"];
    assert_eq!(sent_emails.len(), subjects.len());
    for ((email,), subject) in sent_emails.iter().zip(subjects) {
        assert!(email.contains(subject) && email.contains("c5@"), "{email}");
        assert!(keys.iter().all(|key| !email.contains(key)), "no key in an email");
    }
}
