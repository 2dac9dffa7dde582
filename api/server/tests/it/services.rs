//! Services and their labels: creation and changes, archive, copy, bulk changes, price preview, and the speed of the list.

use std::time::Instant;

use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::intake::{call, create_api_key, shop};
use crate::networks::ids;
use crate::panel::Panel;

both! {
    a_service_is_created_and_changed;
    errors_of_a_service_name_each_wrong_field;
    a_restored_service_gets_the_last_position;
    a_copy_has_all_fields_but_is_disabled;
    a_bulk_change_is_all_or_nothing;
    the_providers_of_a_service_decide_whether_its_orders_have_an_active_provider;
    prices_are_shown_for_each_grade;
    labels_are_created_changed_and_deleted;
    a_custom_comments_label_makes_orders_require_comments;
    of_two_concurrent_changes_of_a_service_one_succeeds;
    three_thousand_services_are_read_quickly;
}

const SERVICES: &str = "/api/v1/admin/services";
const LABELS: &str = "/api/v1/admin/services/labels";

fn service_body() -> Value {
    json!({ "service_type_id": 1, "min_quantity": 10, "max_quantity": 5000, "quantity_step": 5, "default_price": "2.5", "min_price": "2",
        "providers": [2, 1], "countries": ["US", "DE"], "auto_refill_is_allowed": true, "auto_refill_after_hours": 24,
        "auto_refill_once_fill_fraction": "0.5", "slug": "likes", "sync_prices": true,
        "translations": { "en": { "name": "Likes", "speed": "1k a day" }, "de": { "name": "Gefällt mir" } } })
}

async fn a_service_is_created_and_changed(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let label = panel.post_data(LABELS, json!({ "name": "Fast" })).await["id"].clone();
    let mut input = service_body();
    input["labels"] = json!([label]);
    let created = panel.post_data(SERVICES, input).await;
    let path = format!("{SERVICES}/{}", created["id"]);
    assert_eq!(
        (&created["name"], &created["is_enabled"], &created["pricing_per"]),
        (&json!("Likes"), &json!(true), &json!(1000))
    );
    assert_eq!(created["full_description_location"], "footer", "the default location");
    assert_eq!((&created["labels"], &created["countries"]), (&json!([label]), &json!(["DE", "US"])));
    assert_eq!(
        created["providers"],
        json!([{ "id": 2, "name": "Provider 2" }, { "id": 1, "name": "Provider 1" }])
    );
    assert_eq!((&created["has_no_active_providers"], &created["sync_prices"]), (&json!(false), &json!(true)));
    assert_eq!(panel.get_data(&path).await, created);
    panel.clock.advance_secs(5);
    let change = json!({ "default_price": "3", "slug": null, "providers": [1], "updated_at": created["updated_at"],
        "translations": { "en": { "name": "Hearts" } } });
    let changed = panel.put(&path, &change).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let changed = changed.json()["data"].clone();
    assert_eq!(
        (&changed["name"], &changed["default_price"], &changed["slug"]),
        (&json!("Hearts"), &json!("3"), &Value::Null)
    );
    assert_eq!(
        (&changed["min_quantity"], &changed["labels"]),
        (&json!(10), &json!([label])),
        "a field that the body does not contain changed"
    );
    assert_eq!(changed["translations"], json!({ "en": { "name": "Hearts" } }));
    let page = panel.get_data(&format!("{SERVICES}?search[value]=hearts")).await;
    assert_eq!(ids(&page), [created["id"].as_i64().unwrap()], "the search finds the new name");
    let log =
        "/api/v1/admin/services/logs?columns[0][data]=type&columns[0][search][value]=service&length=100";
    let log = panel.get_data(log).await;
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

async fn errors_of_a_service_name_each_wrong_field(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let error_fields = async |method: &str, path: &str, body: Value| -> Vec<String> {
        let answer = panel.send("owner", method, path, &body, None).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        answer.json()["errors"].as_object().unwrap().keys().cloned().collect()
    };
    let required = ["default_price", "max_quantity", "min_quantity", "name", "service_type_id"];
    assert_eq!(error_fields("POST", SERVICES, json!({})).await, required);
    let mut unknown = service_body();
    unknown["service_type_id"] = json!(99);
    unknown["labels"] = json!([99]);
    unknown["providers"] = json!([1, 99]);
    unknown["promotable_checker_group_id"] = json!(99);
    let wrong_references = ["labels", "promotable_checker_group_id", "providers.1", "service_type_id"];
    assert_eq!(error_fields("POST", SERVICES, unknown).await, wrong_references);
    panel.post_data(SERVICES, service_body()).await;
    assert_eq!(error_fields("POST", SERVICES, service_body()).await, ["slug"]);
    assert_eq!(
        error_fields("PUT", &format!("{SERVICES}/1"), json!({ "min_price": "100" })).await,
        ["min_price"]
    );
    assert_eq!(panel.put(&format!("{SERVICES}/99"), &json!({})).await.status, 404);
}

async fn a_restored_service_gets_the_last_position(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let post_action = async |action: &str| panel.post(&format!("{SERVICES}/1/{action}"), &json!({})).await;
    assert_eq!(post_action("unarchive").await.status_and_code(), (409, "service_not_archived".into()));
    let archived = post_action("archive").await.json()["data"].clone();
    assert_eq!(
        (&archived["is_archived"], &archived["actions"]["restore"], &archived["actions"]["archivable"]),
        (&json!(true), &json!(true), &json!(false))
    );
    assert_eq!(post_action("archive").await.status_and_code(), (409, "service_archived".into()));
    assert_eq!(ids(&panel.get_data(&format!("{SERVICES}?is_archived=0")).await), [3, 2]);
    assert_eq!(post_action("unarchive").await.status, 200);
    assert_eq!(ids(&panel.get_data("/api/v1/admin/service-types/1/services").await), [2, 3, 1]);
    let audits =
        Sql::new("SELECT count(*) FROM audits WHERE event IN ('service.archived', 'service.unarchived')");
    assert_eq!(panel.number(audits).await, 2);
}

async fn a_copy_has_all_fields_but_is_disabled(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let created = panel.post_data(SERVICES, service_body()).await;
    let copy = panel.post_data(&format!("{SERVICES}/{}/copy", created["id"]), json!({})).await;
    assert_eq!(
        (&copy["name"], &copy["is_enabled"], &copy["slug"]),
        (&json!("Likes (copy)"), &json!(false), &Value::Null)
    );
    for field in ["providers", "countries", "auto_refill_once_fill_fraction", "default_price", "sync_prices"]
    {
        assert_eq!(copy[field], created[field], "{field}");
    }
    assert_eq!(copy["translations"]["de"], created["translations"]["de"]);
}

async fn a_bulk_change_is_all_or_nothing(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let path = format!("{SERVICES}/bulk");
    let patch = async |query: &str, services: Value| {
        panel.send("owner", "PATCH", &format!("{path}{query}"), &json!({ "services": services }), None).await
    };
    let refused =
        patch("", json!([{ "id": 1, "is_enabled": false }, { "id": 99, "is_enabled": false }, { "id": 2 }]))
            .await;
    let error_fields: Vec<String> = refused.json()["errors"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(
        (refused.status.as_u16(), error_fields),
        (422, vec!["services.1.id".to_owned(), "services.2".to_owned()])
    );
    let enabled_count =
        async || panel.number(Sql::new("SELECT count(*) FROM services WHERE is_enabled")).await;
    let before = enabled_count().await;
    let changes =
        json!([{ "id": 1, "is_enabled": false }, { "id": 2, "is_enabled": false, "has_refill": true }]);
    let dry_run = patch("?dry_run=1", changes.clone()).await.json();
    assert_eq!(
        (&dry_run["processed"], &dry_run["dry_run"], enabled_count().await),
        (&json!(2), &json!(true), before)
    );
    let answer = patch("", changes.clone()).await;
    assert_eq!(answer.json()["processed"], 2, "{}", answer.text);
    assert_eq!(enabled_count().await, before - 2);
    assert_eq!(panel.get_data(&format!("{SERVICES}/2")).await["has_refill"], true);
    let logs = Sql::new("SELECT count(*) FROM change_logs WHERE action_type = 'updated'");
    assert_eq!(panel.number(logs.clone()).await, 3, "one entry for each changed field of each service");
    assert_eq!(patch("", changes).await.json()["processed"], 2);
    assert_eq!(panel.number(logs).await, 3, "an unchanged field writes no entry");
}

async fn the_providers_of_a_service_decide_whether_its_orders_have_an_active_provider(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 30).await;
    let orders_without_provider = Sql::new("SELECT count(*) FROM orders WHERE has_no_active_providers");
    let put = async |providers: Value| {
        panel.put(&format!("{SERVICES}/1"), &json!({ "providers": providers })).await.json()["data"].clone()
    };
    let without_active = put(json!([2])).await;
    assert_eq!(without_active["has_no_active_providers"], true);
    assert!(without_active["last_time_providers_are_available_at"].is_string(), "{without_active}");
    assert_eq!(panel.number(orders_without_provider.clone()).await, 30);
    // The test changes the row and not the clock, because the session would expire within two days.
    let two_days = Sql::new(
        "UPDATE services SET last_time_providers_are_available_at = last_time_providers_are_available_at - 172800000000",
    );
    panel.execute(two_days).await;
    assert_eq!(
        panel.get_data(&format!("{SERVICES}/1")).await["providers_are_unavailable_for_a_long_time"],
        true
    );
    let with_active = put(json!([2, 1])).await;
    assert_eq!(
        (&with_active["has_no_active_providers"], &with_active["last_time_providers_are_available_at"]),
        (&json!(false), &Value::Null)
    );
    assert_eq!(panel.number(orders_without_provider).await, 0);
    panel.assert_healthy().await;
}

async fn prices_are_shown_for_each_grade(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel
        .execute(Sql::new("INSERT INTO grades (id, name, discount_ppm, spending_goal, created_at, updated_at) VALUES (1, 'Gold', 50000, 1, 1, 1), (2, 'Agency', 300000, 2, 1, 1)"))
        .await;
    let input = json!({ "default_price": "10", "min_price": "9", "pricing_per": 1000, "quantity": 1000 });
    let prices = panel.post_data(&format!("{SERVICES}/price-preview"), input).await;
    let line = |index: usize| {
        (
            prices[index]["grade"]["name"].as_str(),
            prices[index]["cost"].as_str().unwrap(),
            prices[index]["is_lowest"].as_bool().unwrap(),
        )
    };
    assert_eq!(
        [line(0), line(1), line(2)],
        [(None, "10", false), (Some("Gold"), "9.5", false), (Some("Agency"), "9", true)]
    );
    let wrong = json!({ "default_price": "10", "min_price": "9", "pricing_per": 0, "quantity": 0 });
    assert_eq!(panel.post(&format!("{SERVICES}/price-preview"), &wrong).await.status, 422);
}

/// The service itself has no target for comments: the label alone makes the orders require them.
async fn a_custom_comments_label_makes_orders_require_comments(dialect: Dialect) {
    let panel = shop(dialect).await;
    let orders = "/api/v1/admin/orders";
    let order = |targets: Value| json!({ "user_id": 1, "service_id": 1, "url": "https://video.example/1", "quantity": 100, "targets": targets });
    let label = json!({ "name": "Own comments", "is_custom_comments": true, "services": [1] });
    let label = panel.post_data(LABELS, label).await["id"].clone();
    let balance = async || panel.number(Sql::new("SELECT balance_main FROM users WHERE id = 1")).await;
    let before = balance().await;
    let refused = panel.post(orders, &order(json!({}))).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    assert!(refused.json()["errors"]["targets.Comments"].is_array(), "{}", refused.text);
    let too_few = panel.post(orders, &order(json!({ "Comments": "Nice\nGood" }))).await;
    assert_eq!(too_few.status, 422, "the quantity is the number of comments: {}", too_few.text);
    assert_eq!(balance().await, before, "a refused order is not charged");
    let lines = (1..=100).map(|number| format!("Comment {number}")).collect::<Vec<_>>().join("\n");
    let placed = panel.post_data(orders, order(json!({ "Comments": lines }))).await;
    let stored_comments = "SELECT count(*) FROM order_targetable_values v JOIN targets g ON g.id = v.target_id WHERE v.order_id = ? AND g.parameter = 'comments'";
    assert_eq!(panel.number(Sql::new(stored_comments).bind(placed["id"].as_i64().unwrap())).await, 1);
    let token = create_api_key(&panel, 1).await;
    let list = call(&panel, &token, "action=services").await;
    let type_of = |id: i64| {
        list.as_array().unwrap().iter().find(|service| service["service"] == id).unwrap()["type"].clone()
    };
    assert_eq!((type_of(1), type_of(2)), (json!("Custom Comments"), json!("Default")));
    let path = format!("{LABELS}/{label}");
    assert_eq!(panel.put(&path, &json!({ "services": [] })).await.status, 200);
    let order_without_comments =
        json!({ "user_id": 1, "service_id": 1, "url": "https://video.example/2", "quantity": 100 });
    panel.post_data(orders, order_without_comments).await;
}

async fn labels_are_created_changed_and_deleted(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let input = json!({ "name": "Comments", "is_custom_comments": true, "services": [3, 1], "translations": { "de": { "name": "Kommentare" } } });
    let created = panel.post_data(LABELS, input).await;
    assert_eq!((ids(&created["services"]), &created["services_count"]), (vec![1, 3], &json!(2)));
    assert_eq!(
        created["translations"],
        json!({ "en": { "name": "Comments" }, "de": { "name": "Kommentare" } })
    );
    let second = panel.post(LABELS, &json!({ "name": "More", "is_custom_comments": true })).await;
    assert_eq!(second.status_and_code(), (422, "custom_comments_taken".into()));
    assert_eq!(panel.post(LABELS, &json!({ "name": "More", "services": [99] })).await.status, 422);
    let path = format!("{LABELS}/{}", created["id"]);
    let changed = panel.put(&path, &json!({ "services": [2] })).await.json()["data"].clone();
    assert_eq!((ids(&changed["services"]), &changed["is_custom_comments"]), (vec![2], &json!(true)));
    assert_eq!(panel.get_data(&format!("{SERVICES}/2")).await["labels"], json!([created["id"]]));
    assert_eq!(ids(&panel.get_data(&format!("{LABELS}/used-services/{}", created["id"])).await), [2]);
    assert_eq!(ids(&panel.get_data(&format!("{LABELS}/available-labels")).await).len(), 1);
    let delete = async || {
        panel.call("127.0.0.1", Some("owner"), "DELETE", &path, &Value::Null).await.status_and_code().0
    };
    assert_eq!((delete().await, delete().await), (204, 404));
    assert_eq!(panel.get_data(&format!("{SERVICES}/2")).await["labels"], json!([]));
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

async fn of_two_concurrent_changes_of_a_service_one_succeeds(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let path = format!("{SERVICES}/1");
    let updated_at = panel.get_data(&path).await["updated_at"].clone();
    panel.clock.advance_secs(1);
    let change = |price: &str| json!({ "default_price": price, "updated_at": updated_at });
    let (first, second) = (change("11"), change("12"));
    let (first, second) = tokio::join!(panel.put(&path, &first), panel.put(&path, &second));
    let mut statuses = [first.status.as_u16(), second.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
}

async fn three_thousand_services_are_read_quickly(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel.add_services(3_000).await;
    for path in [
        format!("{SERVICES}?is_archived=0&length=30"),
        format!("{SERVICES}?search[value]=vice%2029&length=20"),
        format!("{SERVICES}/2999"),
    ] {
        assert_eq!(panel.get(&path).await.status, 200);
        let started = Instant::now();
        assert_eq!(panel.get(&path).await.status, 200);
        // A debug build beside other tests is slow; the benchmark checks the real bound of 50 ms.
        assert!(started.elapsed().as_millis() < 500, "{path}: {:?}", started.elapsed());
    }
    let all: Vec<Value> = (1..=3_000).map(|id| json!({ "id": id, "can_speedup": true })).collect();
    let started = Instant::now();
    let answer =
        panel.send("owner", "PATCH", &format!("{SERVICES}/bulk"), &json!({ "services": all }), None).await;
    assert_eq!(answer.json()["processed"], 3_000, "{}", answer.text);
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
}
