//! Affiliates: who brought a user, for which time; never two at once, never in a circle. API keys and payment methods.

use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_kernel::clock::Clock as _;
use panel_platform::db::{Dialect, Source, Sql};
use panel_server::auth::sessions;
use panel_server::operations::affiliates::Follower;
use serde_json::{Value, json};

use crate::panel::Panel;

both! {
    an_affiliate_counts_for_a_time;
    one_begins_and_ends_by_itself;
    times_and_circles_are_refused;
    two_at_once_leave_one_affiliate;
    payment_methods_are_replaced_as_a_whole;
    an_api_key_is_shown_once;
    an_api_key_needs_its_permission_and_the_customer_gets_an_email;
}

const PATH: &str = "/api/v1/admin/users/5/affiliates";

impl Panel {
    async fn affiliate_of(&self, user: i64) -> Value {
        self.get(&format!("/api/v1/admin/users/{user}")).await.json()["data"]["affiliate"]["id"].clone()
    }

    async fn drop_at(&self, path: &str) -> (u16, String) {
        self.call("127.0.0.1", Some("owner"), "DELETE", path, &Value::Null).await.says()
    }
}

async fn an_affiliate_counts_for_a_time(dialect: Dialect) {
    let panel = Panel::shop(dialect, 9, 0).await;
    let made = panel.post(PATH, &json!({ "affiliate_id": 2 })).await;
    assert_eq!(made.status, 200, "{}", made.text);
    let made = made.json()["data"].clone();
    assert_eq!(
        (&made["user_id"], &made["referral_id"], &made["is_current"]),
        (&json!(2), &json!(5), &json!(true))
    );
    assert_eq!((&made["name"], &made["ended_at"]), (&json!("Customer 2"), &Value::Null));
    assert_eq!(panel.affiliate_of(5).await, 2);
    let path = format!("{PATH}/{}", made["id"]);
    let ended =
        json!({ "affiliate_id": 2, "started_at": "2025-01-01 00:00:00", "ended_at": "2025-06-01 00:00:00" });
    let changed = panel.send("owner", "PUT", &path, &ended, None).await;
    assert_eq!(changed.json()["data"]["is_current"], false, "{}", changed.text);
    assert_eq!(panel.affiliate_of(5).await, Value::Null);
    let next = panel.post(PATH, &json!({ "affiliate_id": 3, "started_at": "2025-06-01 00:00:00" })).await;
    assert_eq!(next.status, 200, "{}", next.text);
    assert_eq!(panel.affiliate_of(5).await, 3);
    let all = panel.get(PATH).await.json()["data"].clone();
    assert_eq!((all[0]["user_id"].as_i64(), all[1]["user_id"].as_i64()), (Some(3), Some(2)));
    assert_eq!(panel.drop_at(&format!("{PATH}/{}", all[0]["id"])).await.0, 204);
    assert_eq!(panel.drop_at(&format!("{PATH}/{}", all[0]["id"])).await.0, 404);
    assert_eq!(panel.affiliate_of(5).await, Value::Null);
    let audits =
        Sql::new("SELECT count(*) FROM audits WHERE auditable_id = 5 AND event LIKE 'user.affiliate%'");
    assert_eq!(panel.number(audits).await, 4);
}

async fn one_begins_and_ends_by_itself(dialect: Dialect) {
    let panel = Panel::shop(dialect, 9, 0).await;
    let mut follower = Follower::default();
    let now = panel.clock.now();
    let at = |seconds: i64| Time(now.0 + seconds * 1_000_000);
    let body = json!({ "affiliate_id": 2, "started_at": at(60), "ended_at": at(120) });
    let made = panel.post(PATH, &body).await;
    assert_eq!(made.status, 200, "{}", made.text);
    assert_eq!(follower.look(&panel.app.db, at(59)).await.unwrap(), 0);
    assert_eq!(panel.affiliate_of(5).await, Value::Null);
    assert_eq!(follower.look(&panel.app.db, at(60)).await.unwrap(), 1);
    assert_eq!(panel.affiliate_of(5).await, 2);
    assert_eq!(follower.look(&panel.app.db, at(119)).await.unwrap(), 0);
    assert_eq!(follower.look(&panel.app.db, at(120)).await.unwrap(), 1);
    assert_eq!(panel.affiliate_of(5).await, Value::Null);
    assert_eq!(Follower::default().look(&panel.app.db, at(500)).await.unwrap(), 0);
}

async fn times_and_circles_are_refused(dialect: Dialect) {
    let panel = Panel::shop(dialect, 9, 0).await;
    assert_eq!(panel.post(PATH, &json!({ "affiliate_id": 4 })).await.status, 200);
    let refused = async |path: &str, body: Value| panel.post(path, &body).await.says();
    assert_eq!(refused(PATH, json!({ "affiliate_id": 3 })).await, (422, "affiliates_overlap".into()));
    assert_eq!(refused(PATH, json!({ "affiliate_id": 5 })).await, (422, "affiliate_is_self".into()));
    let four = "/api/v1/admin/users/4/affiliates";
    assert_eq!(refused(four, json!({ "affiliate_id": 5 })).await, (422, "affiliate_in_circle".into()));
    assert_eq!(refused(four, json!({ "affiliate_id": 99 })).await, (422, "affiliate_unknown".into()));
    let backwards =
        json!({ "affiliate_id": 2, "started_at": "2025-02-01 00:00:00", "ended_at": "2025-01-01 00:00:00" });
    assert_eq!(refused(four, backwards).await, (422, "ends_before_start".into()));
    assert_eq!(refused("/api/v1/admin/users/99/affiliates", json!({ "affiliate_id": 2 })).await.0, 404);
    assert_eq!(panel.post(four, &json!({ "affiliate_id": 3, "started_at": "soon" })).await.status, 422);
}

async fn two_at_once_leave_one_affiliate(dialect: Dialect) {
    let panel = Panel::shop(dialect, 9, 0).await;
    let (one, other) = (json!({ "affiliate_id": 2 }), json!({ "affiliate_id": 3 }));
    let (one, other) = tokio::join!(panel.post(PATH, &one), panel.post(PATH, &other));
    let mut codes = [one.status.as_u16(), other.status.as_u16()];
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
    // Who may not see which there are does not learn them.
    panel.staff("bob", &[Permission::ViewUsers, Permission::ManageUsers]).await;
    let unseen = panel.send("bob", "PATCH", path, &json!({}), None).await;
    assert_eq!((unseen.status.as_u16(), unseen.json()["data"]["payment_methods"].clone()), (200, json!([])));
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
    assert_eq!(panel.drop_at(path).await, (409, "no_api_key".into()));
    let make = async || {
        panel.send("owner", "POST", path, &json!({}), Some("one-key")).await.json()["data"]["key"].clone()
    };
    let (first, second) = (make().await, make().await);
    assert!(first.as_str().unwrap().len() >= 40 && first != second, "the same request makes another key");
    let kept: Vec<(Vec<u8>,)> =
        (&mut &panel.app.db).all(Sql::new("SELECT key_hash FROM api_keys")).await.unwrap();
    assert_eq!(kept, [(sessions::hash(second.as_str().unwrap()),)], "the old one stops");
    let audited = Sql::new("SELECT count(*) FROM audits WHERE new_values LIKE ? OR old_values LIKE ?");
    let like = format!("%{}%", second.as_str().unwrap());
    assert_eq!(panel.number(audited.bind(like.clone()).bind(like)).await, 0, "no secret in the audit trail");
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM idempotency")).await, 0, "nor beside the request");
    assert_eq!(panel.drop_at(path).await.0, 204);
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM api_keys")).await, 0);
}

/// A key spends the customer's balance: it has a permission of its own, and the customer gets an email about each change.
async fn an_api_key_needs_its_permission_and_the_customer_gets_an_email(dialect: Dialect) {
    let panel = Panel::shop(dialect, 9, 0).await;
    panel
        .exec(Sql::new("UPDATE users SET notify_orders = FALSE, notify_payments = FALSE WHERE id = 5"))
        .await;
    let path = "/api/v1/admin/users/5/api-key";
    panel.staff("support", &[Permission::ViewUsers, Permission::ManageUsers]).await;
    panel.staff("keeper", &[Permission::ViewUsers, Permission::ManageApiKeys]).await;
    let flag = async |who: &str| {
        panel.get_as(who, "/api/v1/admin/users/5", "*/*").await.json()["data"]["actions"]["api_key"].clone()
    };
    assert_eq!((flag("support").await, flag("keeper").await), (json!(false), json!(true)));
    for method in ["POST", "DELETE"] {
        assert_eq!(panel.send("support", method, path, &json!({}), None).await.status, 403);
    }
    let emails = async || {
        let sql = Sql::new("SELECT payload FROM jobs WHERE kind = 'mail' ORDER BY id");
        (&mut &panel.app.db).all::<(String,)>(sql).await.unwrap()
    };
    assert_eq!(emails().await.len(), 0, "nothing happened");
    let mut keys = Vec::new();
    for _ in 0..2 {
        let made = panel.send("keeper", "POST", path, &json!({}), None).await.json();
        keys.push(made["data"]["key"].as_str().unwrap().to_owned());
    }
    assert_eq!(panel.send("keeper", "DELETE", path, &json!({}), None).await.status, 204);
    let sent = emails().await;
    let words = ["API key was created", "API key was replaced", "API key was removed"];
    assert_eq!(sent.len(), words.len());
    for ((email,), word) in sent.iter().zip(words) {
        assert!(email.contains(word) && email.contains("c5@"), "{email}");
        assert!(keys.iter().all(|key| !email.contains(key)), "no key in an email");
    }
}
