//! Services and their labels: the editor, archive, copy, bulk changes, what prices come to, and how fast it is read.

use std::time::Instant;

use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::intake::{call, key, shop};
use crate::networks::ids;
use crate::panel::Panel;

both! {
    a_service_is_made_and_changed;
    what_is_wrong_with_a_service_is_named;
    what_is_sold_no_more_comes_back_last;
    a_copy_has_everything_but_is_not_on_sale;
    many_are_changed_at_once_or_none;
    providers_decide_whether_orders_have_nobody;
    prices_are_shown_for_each_grade;
    labels_are_made_changed_and_deleted;
    a_label_makes_a_service_take_comments;
    two_editors_at_once_leave_one_change;
    three_thousand_services_are_read_quickly;
}

const SERVICES: &str = "/api/v1/admin/services";
const LABELS: &str = "/api/v1/admin/services/labels";

fn body() -> Value {
    json!({ "service_type_id": 1, "min_quantity": 10, "max_quantity": 5000, "quantity_step": 5, "default_price": "2.5", "min_price": "2",
        "providers": [2, 1], "countries": ["US", "DE"], "auto_refill_is_allowed": true, "auto_refill_after_hours": 24,
        "auto_refill_once_fill_percent": "0.5", "slug": "likes", "sync_prices": true,
        "translations": { "en": { "name": "Likes", "speed": "1k a day" }, "de": { "name": "Gefällt mir" } } })
}

async fn a_service_is_made_and_changed(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let label = panel.made(LABELS, json!({ "name": "Fast" })).await["id"].clone();
    let mut input = body();
    input["labels"] = json!([label]);
    let made = panel.made(SERVICES, input).await;
    let path = format!("{SERVICES}/{}", made["id"]);
    assert_eq!(
        (&made["name"], &made["is_enabled"], &made["pricing_per"]),
        (&json!("Likes"), &json!(true), &json!(1000))
    );
    assert_eq!(made["full_description_location"], "footer", "where nothing is said");
    assert_eq!((&made["labels"], &made["countries"]), (&json!([label]), &json!(["DE", "US"])));
    assert_eq!(
        made["providers"],
        json!([{ "id": 2, "name": "Provider 2" }, { "id": 1, "name": "Provider 1" }])
    );
    assert_eq!((&made["has_no_active_providers"], &made["sync_prices"]), (&json!(false), &json!(true)));
    assert_eq!(panel.data(&path).await, made);
    panel.clock.advance_secs(5);
    let change = json!({ "default_price": "3", "slug": null, "providers": [1], "updated_at": made["updated_at"],
        "translations": { "en": { "name": "Hearts" } } });
    let changed = panel.renew(&path, &change).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let changed = changed.json()["data"].clone();
    assert_eq!(
        (&changed["name"], &changed["default_price"], &changed["slug"]),
        (&json!("Hearts"), &json!("3"), &Value::Null)
    );
    assert_eq!(
        (&changed["min_quantity"], &changed["labels"]),
        (&json!(10), &json!([label])),
        "what is left out stays"
    );
    assert_eq!(changed["translations"], json!({ "en": { "name": "Hearts" } }));
    let found = panel.data(&format!("{SERVICES}?search[value]=hearts")).await;
    assert_eq!(ids(&found), [made["id"].as_i64().unwrap()], "its new name is found");
    let log =
        "/api/v1/admin/services/logs?columns[0][data]=type&columns[0][search][value]=service&length=100";
    let log = panel.data(log).await;
    let changes: Vec<_> = log
        .as_array()
        .unwrap()
        .iter()
        .map(|line| (line["information"].as_str().unwrap(), line["new_value"].as_str()))
        .collect();
    for line in [
        ("Default price", Some("3")),
        ("Slug", None),
        ("Translations.en.name", Some("Hearts")),
        ("Providers", Some("[1]")),
    ] {
        assert!(changes.contains(&line), "{line:?} {changes:?}");
    }
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM audits WHERE event LIKE 'service.%'")).await, 2);
}

async fn what_is_wrong_with_a_service_is_named(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let wrong = async |method: &str, path: &str, body: Value| -> Vec<String> {
        let answer = panel.send("owner", method, path, &body, None).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        answer.json()["errors"].as_object().unwrap().keys().cloned().collect()
    };
    let needed = ["default_price", "max_quantity", "min_quantity", "name", "service_type_id"];
    assert_eq!(wrong("POST", SERVICES, json!({})).await, needed);
    let mut unknown = body();
    unknown["service_type_id"] = json!(99);
    unknown["labels"] = json!([99]);
    unknown["providers"] = json!([1, 99]);
    unknown["promotable_checker_group_id"] = json!(99);
    let named = ["labels", "promotable_checker_group_id", "providers.1", "service_type_id"];
    assert_eq!(wrong("POST", SERVICES, unknown).await, named);
    panel.made(SERVICES, body()).await;
    assert_eq!(wrong("POST", SERVICES, body()).await, ["slug"]);
    assert_eq!(wrong("PUT", &format!("{SERVICES}/1"), json!({ "min_price": "100" })).await, ["min_price"]);
    assert_eq!(panel.renew(&format!("{SERVICES}/99"), &json!({})).await.status, 404);
}

async fn what_is_sold_no_more_comes_back_last(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let act = async |what: &str| panel.post(&format!("{SERVICES}/1/{what}"), &json!({})).await;
    assert_eq!(act("unarchive").await.says(), (409, "service_not_archived".into()));
    let archived = act("archive").await.json()["data"].clone();
    assert_eq!(
        (&archived["is_archived"], &archived["actions"]["restore"], &archived["actions"]["archivable"]),
        (&json!(true), &json!(true), &json!(false))
    );
    assert_eq!(act("archive").await.says(), (409, "service_archived".into()));
    assert_eq!(ids(&panel.data(&format!("{SERVICES}?is_archived=0")).await), [3, 2]);
    assert_eq!(act("unarchive").await.status, 200);
    assert_eq!(ids(&panel.data("/api/v1/admin/service-types/1/services").await), [2, 3, 1]);
    let audits =
        Sql::new("SELECT count(*) FROM audits WHERE event IN ('service.archived', 'service.unarchived')");
    assert_eq!(panel.number(audits).await, 2);
}

async fn a_copy_has_everything_but_is_not_on_sale(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let made = panel.made(SERVICES, body()).await;
    let copy = panel.made(&format!("{SERVICES}/{}/copy", made["id"]), json!({})).await;
    assert_eq!(
        (&copy["name"], &copy["is_enabled"], &copy["slug"]),
        (&json!("Likes (copy)"), &json!(false), &Value::Null)
    );
    for same in ["providers", "countries", "auto_refill_once_fill_percent", "default_price", "sync_prices"] {
        assert_eq!(copy[same], made[same], "{same}");
    }
    assert_eq!(copy["translations"]["de"], made["translations"]["de"]);
}

async fn many_are_changed_at_once_or_none(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let path = format!("{SERVICES}/bulk");
    let patch = async |query: &str, services: Value| {
        panel.send("owner", "PATCH", &format!("{path}{query}"), &json!({ "services": services }), None).await
    };
    let refused =
        patch("", json!([{ "id": 1, "is_enabled": false }, { "id": 99, "is_enabled": false }, { "id": 2 }]))
            .await;
    let named: Vec<String> = refused.json()["errors"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(
        (refused.status.as_u16(), named),
        (422, vec!["services.1.id".to_owned(), "services.2".to_owned()])
    );
    let is_on = async || panel.number(Sql::new("SELECT count(*) FROM services WHERE is_enabled")).await;
    let before = is_on().await;
    let wanted =
        json!([{ "id": 1, "is_enabled": false }, { "id": 2, "is_enabled": false, "has_refill": true }]);
    let tried = patch("?dry_run=1", wanted.clone()).await.json();
    assert_eq!((&tried["processed"], &tried["dry_run"], is_on().await), (&json!(2), &json!(true), before));
    let done = patch("", wanted.clone()).await;
    assert_eq!(done.json()["processed"], 2, "{}", done.text);
    assert_eq!(is_on().await, before - 2);
    assert_eq!(panel.data(&format!("{SERVICES}/2")).await["has_refill"], true);
    let logs = Sql::new("SELECT count(*) FROM change_logs WHERE action_type = 'updated'");
    assert_eq!(panel.number(logs.clone()).await, 3, "each changed field of each");
    assert_eq!(patch("", wanted).await.json()["processed"], 2);
    assert_eq!(panel.number(logs).await, 3, "what is so already leaves no trace");
}

async fn providers_decide_whether_orders_have_nobody(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 30).await;
    let stuck = Sql::new("SELECT count(*) FROM orders WHERE has_no_active_providers");
    let put = async |providers: Value| {
        panel.renew(&format!("{SERVICES}/1"), &json!({ "providers": providers })).await.json()["data"].clone()
    };
    let without = put(json!([2])).await;
    assert_eq!(without["has_no_active_providers"], true);
    assert!(without["last_time_providers_are_available_at"].is_string(), "{without}");
    assert_eq!(panel.number(stuck.clone()).await, 30);
    // Not the clock: two days later the session has ended.
    let two_days = Sql::new(
        "UPDATE services SET last_time_providers_are_available_at = last_time_providers_are_available_at - 172800000000",
    );
    panel.exec(two_days).await;
    assert_eq!(panel.data(&format!("{SERVICES}/1")).await["providers_are_unavailable_for_a_long_time"], true);
    let with = put(json!([2, 1])).await;
    assert_eq!(
        (&with["has_no_active_providers"], &with["last_time_providers_are_available_at"]),
        (&json!(false), &Value::Null)
    );
    assert_eq!(panel.number(stuck).await, 0);
    panel.assert_healthy().await;
}

async fn prices_are_shown_for_each_grade(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel
        .exec(Sql::new("INSERT INTO grades (id, name, discount_ppm, spending_goal, created_at, updated_at) VALUES (1, 'Gold', 50000, 1, 1, 1), (2, 'Agency', 300000, 2, 1, 1)"))
        .await;
    let input = json!({ "default_price": "10", "min_price": "9", "pricing_per": 1000, "quantity": 1000 });
    let shown = panel.made(&format!("{SERVICES}/price-preview"), input).await;
    let line = |at: usize| {
        (
            shown[at]["grade"]["name"].as_str(),
            shown[at]["cost"].as_str().unwrap(),
            shown[at]["is_lowest"].as_bool().unwrap(),
        )
    };
    assert_eq!(
        [line(0), line(1), line(2)],
        [(None, "10", false), (Some("Gold"), "9.5", false), (Some("Agency"), "9", true)]
    );
    let wrong = json!({ "default_price": "10", "min_price": "9", "pricing_per": 0, "quantity": 0 });
    assert_eq!(panel.post(&format!("{SERVICES}/price-preview"), &wrong).await.status, 422);
}

/// The label alone is enough: the service has no target for comments.
async fn a_label_makes_a_service_take_comments(dialect: Dialect) {
    let panel = shop(dialect).await;
    let orders = "/api/v1/admin/orders";
    let order = |targets: Value| json!({ "user_id": 1, "service_id": 1, "url": "https://video.example/1", "quantity": 100, "targets": targets });
    let label = json!({ "name": "Own comments", "is_custom_comments": true, "services": [1] });
    let label = panel.made(LABELS, label).await["id"].clone();
    let balance = async || panel.number(Sql::new("SELECT balance_main FROM users WHERE id = 1")).await;
    let before = balance().await;
    let refused = panel.post(orders, &order(json!({}))).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    assert!(refused.json()["errors"]["targets.Comments"].is_array(), "{}", refused.text);
    let few = panel.post(orders, &order(json!({ "Comments": "Nice\nGood" }))).await;
    assert_eq!(few.status, 422, "the quantity is the number of comments: {}", few.text);
    assert_eq!(balance().await, before, "what is refused is not charged");
    let lines = (1..=100).map(|at| format!("Comment {at}")).collect::<Vec<_>>().join("\n");
    let placed = panel.made(orders, order(json!({ "Comments": lines }))).await;
    let stored = "SELECT count(*) FROM order_targetable_values v JOIN targets g ON g.id = v.target_id WHERE v.order_id = ? AND g.parameter = 'comments'";
    assert_eq!(panel.number(Sql::new(stored).bind(placed["id"].as_i64().unwrap())).await, 1);
    let token = key(&panel, 1).await;
    let list = call(&panel, &token, "action=services").await;
    let of =
        |id: i64| list.as_array().unwrap().iter().find(|one| one["service"] == id).unwrap()["type"].clone();
    assert_eq!((of(1), of(2)), (json!("Custom Comments"), json!("Default")));
    let path = format!("{LABELS}/{label}");
    assert_eq!(panel.renew(&path, &json!({ "services": [] })).await.status, 200);
    let other = json!({ "user_id": 1, "service_id": 1, "url": "https://video.example/2", "quantity": 100 });
    panel.made(orders, other).await;
}

async fn labels_are_made_changed_and_deleted(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let input = json!({ "name": "Comments", "is_custom_comments": true, "services": [3, 1], "translations": { "de": { "name": "Kommentare" } } });
    let made = panel.made(LABELS, input).await;
    assert_eq!((ids(&made["services"]), &made["services_count"]), (vec![1, 3], &json!(2)));
    assert_eq!(made["translations"], json!({ "en": { "name": "Comments" }, "de": { "name": "Kommentare" } }));
    let second = panel.post(LABELS, &json!({ "name": "More", "is_custom_comments": true })).await;
    assert_eq!(second.says(), (422, "custom_comments_taken".into()));
    assert_eq!(panel.post(LABELS, &json!({ "name": "More", "services": [99] })).await.status, 422);
    let path = format!("{LABELS}/{}", made["id"]);
    let changed = panel.renew(&path, &json!({ "services": [2] })).await.json()["data"].clone();
    assert_eq!((ids(&changed["services"]), &changed["is_custom_comments"]), (vec![2], &json!(true)));
    assert_eq!(panel.data(&format!("{SERVICES}/2")).await["labels"], json!([made["id"]]));
    assert_eq!(ids(&panel.data(&format!("{LABELS}/used-services/{}", made["id"])).await), [2]);
    assert_eq!(ids(&panel.data(&format!("{LABELS}/available-labels")).await).len(), 1);
    let drop = async || panel.call("127.0.0.1", Some("owner"), "DELETE", &path, &Value::Null).await.says().0;
    assert_eq!((drop().await, drop().await), (204, 404));
    assert_eq!(panel.data(&format!("{SERVICES}/2")).await["labels"], json!([]));
    assert_eq!(
        panel.number(Sql::new("SELECT count(*) FROM translations WHERE owner_type = 'label'")).await,
        0
    );
    assert_eq!(
        panel
            .number(Sql::new(
                "SELECT count(*) FROM change_logs WHERE type = 'label' AND action_type = 'deleted'"
            ))
            .await,
        1
    );
}

async fn two_editors_at_once_leave_one_change(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let path = format!("{SERVICES}/1");
    let stamp = panel.data(&path).await["updated_at"].clone();
    panel.clock.advance_secs(1);
    let change = |price: &str| json!({ "default_price": price, "updated_at": stamp });
    let (one, other) = (change("11"), change("12"));
    let (one, other) = tokio::join!(panel.renew(&path, &one), panel.renew(&path, &other));
    let mut codes = [one.status.as_u16(), other.status.as_u16()];
    codes.sort_unstable();
    assert_eq!(codes, [200, 409]);
}

async fn three_thousand_services_are_read_quickly(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel.services(3_000).await;
    for path in [
        format!("{SERVICES}?is_archived=0&length=30"),
        format!("{SERVICES}?search[value]=vice%2029&length=20"),
        format!("{SERVICES}/2999"),
    ] {
        assert_eq!(panel.get(&path).await.status, 200);
        let began = Instant::now();
        assert_eq!(panel.get(&path).await.status, 200);
        // Without optimisation, beside other tests: the bench measures the real time, under 50 ms.
        assert!(began.elapsed().as_millis() < 500, "{path}: {:?}", began.elapsed());
    }
    let all: Vec<Value> = (1..=3_000).map(|id| json!({ "id": id, "can_speedup": true })).collect();
    let began = Instant::now();
    let done =
        panel.send("owner", "PATCH", &format!("{SERVICES}/bulk"), &json!({ "services": all }), None).await;
    assert_eq!(done.json()["processed"], 3_000, "{}", done.text);
    assert!(began.elapsed().as_secs() < 10, "{:?}", began.elapsed());
}
