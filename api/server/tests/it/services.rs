//! Services and their labels: creating, changing, archiving and copying them, bulk changes, the price preview, and fast lists.

use std::time::Instant;

use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::networks::ids;
use crate::panel::Panel;
use crate::placing_orders::{create_api_key, send_reseller_request, start_shop};

test_both_databases! {
    a_service_is_created_and_changed;
    the_error_names_each_invalid_field_of_a_service;
    a_restored_service_gets_the_last_position;
    a_copy_has_all_fields_but_is_disabled;
    a_bulk_change_with_an_invalid_service_changes_no_service;
    a_change_of_the_providers_updates_the_active_provider_flag_of_orders;
    prices_are_shown_for_each_grade;
    labels_are_created_changed_and_deleted;
    a_custom_comments_label_makes_comments_required_in_orders;
    one_of_two_concurrent_changes_of_a_service_succeeds;
    lists_three_thousand_services_quickly;
}

const SERVICES_PATH: &str = "/api/v1/admin/services";
const LABELS_PATH: &str = "/api/v1/admin/services/labels";

fn service_body() -> Value {
    json!({ "service_type_id": 1, "min_quantity": 10, "max_quantity": 5000, "quantity_step": 5, "default_price": "2.5", "min_price": "2",
        "providers": [2, 1], "countries": ["US", "DE"], "auto_refill_is_allowed": true, "auto_refill_after_hours": 24,
        "auto_refill_once_fill_fraction": "0.5", "slug": "likes", "sync_prices": true,
        "translations": { "en": { "name": "Likes", "speed": "1k a day" }, "de": { "name": "Gefällt mir" } } })
}

async fn a_service_is_created_and_changed(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let label_id = panel.post_data(LABELS_PATH, json!({ "name": "Fast" })).await["id"].clone();
    let mut body = service_body();
    body["labels"] = json!([label_id]);
    let created_record = panel.post_data(SERVICES_PATH, body).await;
    let path = format!("{SERVICES_PATH}/{}", created_record["id"]);
    assert_eq!(
        (&created_record["name"], &created_record["is_enabled"], &created_record["pricing_per"]),
        (&json!("Likes"), &json!(true), &json!(1000))
    );
    assert_eq!(
        created_record["full_description_location"], "footer",
        "the service must have the default location"
    );
    assert_eq!(
        (&created_record["labels"], &created_record["countries"]),
        (&json!([label_id]), &json!(["DE", "US"]))
    );
    assert_eq!(
        created_record["providers"],
        json!([{ "id": 2, "name": "Provider 2" }, { "id": 1, "name": "Provider 1" }])
    );
    assert_eq!(
        (&created_record["has_no_active_providers"], &created_record["sync_prices"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(panel.get_data(&path).await, created_record);
    panel.clock.advance_secs(5);
    let change_body = json!({ "default_price": "3", "slug": null, "providers": [1], "updated_at": created_record["updated_at"],
        "translations": { "en": { "name": "Hearts" } } });
    let change_response = panel.put(&path, &change_body).await;
    assert_eq!(change_response.status, 200, "{}", change_response.text);
    let changed_record = change_response.json()["data"].clone();
    assert_eq!(
        (&changed_record["name"], &changed_record["default_price"], &changed_record["slug"]),
        (&json!("Hearts"), &json!("3"), &Value::Null)
    );
    assert_eq!(
        (&changed_record["min_quantity"], &changed_record["labels"]),
        (&json!(10), &json!([label_id])),
        "a field that is not in the body must not change"
    );
    assert_eq!(changed_record["translations"], json!({ "en": { "name": "Hearts" } }));
    let page = panel.get_data(&format!("{SERVICES_PATH}?search[value]=hearts")).await;
    assert_eq!(ids(&page), [created_record["id"].as_i64().unwrap()], "the search must find the new name");
    let logs_path =
        "/api/v1/admin/services/logs?columns[0][data]=type&columns[0][search][value]=service&length=100";
    let change_logs = panel.get_data(logs_path).await;
    let logged_changes: Vec<_> = change_logs
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
        assert!(logged_changes.contains(&line), "{line:?} {logged_changes:?}");
    }
    assert_eq!(
        panel.fetch_number(Sql::new("SELECT count(*) FROM audits WHERE event LIKE 'service.%'")).await,
        2
    );
}

async fn the_error_names_each_invalid_field_of_a_service(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let error_fields = async |method: &str, path: &str, body: Value| -> Vec<String> {
        let response = panel.send("owner", method, path, &body, None).await;
        assert_eq!(response.status, 422, "{}", response.text);
        response.json()["errors"].as_object().unwrap().keys().cloned().collect()
    };
    let required_fields = ["default_price", "max_quantity", "min_quantity", "name", "service_type_id"];
    assert_eq!(error_fields("POST", SERVICES_PATH, json!({})).await, required_fields);
    let mut body_with_unknown_ids = service_body();
    body_with_unknown_ids["service_type_id"] = json!(99);
    body_with_unknown_ids["labels"] = json!([99]);
    body_with_unknown_ids["providers"] = json!([1, 99]);
    body_with_unknown_ids["promotable_checker_group_id"] = json!(99);
    let fields_with_unknown_ids = ["labels", "promotable_checker_group_id", "providers.1", "service_type_id"];
    assert_eq!(error_fields("POST", SERVICES_PATH, body_with_unknown_ids).await, fields_with_unknown_ids);
    panel.post_data(SERVICES_PATH, service_body()).await;
    assert_eq!(error_fields("POST", SERVICES_PATH, service_body()).await, ["slug"]);
    assert_eq!(
        error_fields("PUT", &format!("{SERVICES_PATH}/1"), json!({ "min_price": "100" })).await,
        ["min_price"]
    );
    assert_eq!(panel.put(&format!("{SERVICES_PATH}/99"), &json!({})).await.status, 404);
}

async fn a_restored_service_gets_the_last_position(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let post_action =
        async |action: &str| panel.post(&format!("{SERVICES_PATH}/1/{action}"), &json!({})).await;
    assert_eq!(post_action("unarchive").await.status_and_code(), (409, "service_not_archived".into()));
    let archived_record = post_action("archive").await.json()["data"].clone();
    assert_eq!(
        (
            &archived_record["is_archived"],
            &archived_record["actions"]["restore"],
            &archived_record["actions"]["archivable"]
        ),
        (&json!(true), &json!(true), &json!(false))
    );
    assert_eq!(post_action("archive").await.status_and_code(), (409, "service_archived".into()));
    assert_eq!(ids(&panel.get_data(&format!("{SERVICES_PATH}?is_archived=0")).await), [3, 2]);
    assert_eq!(post_action("unarchive").await.status, 200);
    assert_eq!(ids(&panel.get_data("/api/v1/admin/service-types/1/services").await), [2, 3, 1]);
    let count_audits_sql =
        Sql::new("SELECT count(*) FROM audits WHERE event IN ('service.archived', 'service.unarchived')");
    assert_eq!(panel.fetch_number(count_audits_sql).await, 2);
}

async fn a_copy_has_all_fields_but_is_disabled(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let created_record = panel.post_data(SERVICES_PATH, service_body()).await;
    let copied_service =
        panel.post_data(&format!("{SERVICES_PATH}/{}/copy", created_record["id"]), json!({})).await;
    assert_eq!(
        (&copied_service["name"], &copied_service["is_enabled"], &copied_service["slug"]),
        (&json!("Likes (copy)"), &json!(false), &Value::Null)
    );
    for field in ["providers", "countries", "auto_refill_once_fill_fraction", "default_price", "sync_prices"]
    {
        assert_eq!(copied_service[field], created_record[field], "{field}");
    }
    assert_eq!(copied_service["translations"]["de"], created_record["translations"]["de"]);
}

async fn a_bulk_change_with_an_invalid_service_changes_no_service(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let path = format!("{SERVICES_PATH}/bulk");
    let patch_services = async |query: &str, services: Value| {
        panel.send("owner", "PATCH", &format!("{path}{query}"), &json!({ "services": services }), None).await
    };
    let rejection = patch_services(
        "",
        json!([{ "id": 1, "is_enabled": false }, { "id": 99, "is_enabled": false }, { "id": 2 }]),
    )
    .await;
    let error_fields: Vec<String> = rejection.json()["errors"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(
        (rejection.status.as_u16(), error_fields),
        (422, vec!["services.1.id".to_owned(), "services.2".to_owned()])
    );
    let count_enabled =
        async || panel.fetch_number(Sql::new("SELECT count(*) FROM services WHERE is_enabled")).await;
    let count_before = count_enabled().await;
    let service_changes =
        json!([{ "id": 1, "is_enabled": false }, { "id": 2, "is_enabled": false, "has_refill": true }]);
    let dry_run = patch_services("?dry_run=1", service_changes.clone()).await.json();
    assert_eq!(
        (&dry_run["processed"], &dry_run["dry_run"], count_enabled().await),
        (&json!(2), &json!(true), count_before)
    );
    let response = patch_services("", service_changes.clone()).await;
    assert_eq!(response.json()["processed"], 2, "{}", response.text);
    assert_eq!(count_enabled().await, count_before - 2);
    assert_eq!(panel.get_data(&format!("{SERVICES_PATH}/2")).await["has_refill"], true);
    let count_logs_sql = Sql::new("SELECT count(*) FROM change_logs WHERE action_type = 'updated'");
    assert_eq!(
        panel.fetch_number(count_logs_sql.clone()).await,
        3,
        "the change logs must have one entry for each changed field of each service"
    );
    assert_eq!(patch_services("", service_changes).await.json()["processed"], 2);
    assert_eq!(panel.fetch_number(count_logs_sql).await, 3, "an unchanged field must not write an entry");
}

async fn a_change_of_the_providers_updates_the_active_provider_flag_of_orders(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 30).await;
    let count_orders_without_provider_sql =
        Sql::new("SELECT count(*) FROM orders WHERE has_no_active_providers");
    let put_providers = async |providers: Value| {
        panel.put(&format!("{SERVICES_PATH}/1"), &json!({ "providers": providers })).await.json()["data"]
            .clone()
    };
    let service_without_active_provider = put_providers(json!([2])).await;
    assert_eq!(service_without_active_provider["has_no_active_providers"], true);
    assert!(
        service_without_active_provider["last_time_providers_are_available_at"].is_string(),
        "{service_without_active_provider}"
    );
    assert_eq!(panel.fetch_number(count_orders_without_provider_sql.clone()).await, 30);
    // The test changes the row and not the clock, because the session would expire.
    let backdate_two_days_sql = Sql::new(
        "UPDATE services SET last_time_providers_are_available_at = last_time_providers_are_available_at - 172800000000",
    );
    panel.execute(backdate_two_days_sql).await;
    assert_eq!(
        panel.get_data(&format!("{SERVICES_PATH}/1")).await["providers_are_unavailable_for_a_long_time"],
        true
    );
    let service_with_active_provider = put_providers(json!([2, 1])).await;
    assert_eq!(
        (
            &service_with_active_provider["has_no_active_providers"],
            &service_with_active_provider["last_time_providers_are_available_at"]
        ),
        (&json!(false), &Value::Null)
    );
    assert_eq!(panel.fetch_number(count_orders_without_provider_sql).await, 0);
    panel.assert_healthy().await;
}

async fn prices_are_shown_for_each_grade(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    panel
        .execute(Sql::new("INSERT INTO grades (id, name, discount_ppm, spending_goal, created_at, updated_at) VALUES (1, 'Gold', 50000, 1, 1, 1), (2, 'Agency', 300000, 2, 1, 1)"))
        .await;
    let body = json!({ "default_price": "10", "min_price": "9", "pricing_per": 1000, "quantity": 1000 });
    let prices = panel.post_data(&format!("{SERVICES_PATH}/price-preview"), body).await;
    let summarize_price = |index: usize| {
        (
            prices[index]["grade"]["name"].as_str(),
            prices[index]["cost"].as_str().unwrap(),
            prices[index]["is_lowest"].as_bool().unwrap(),
        )
    };
    assert_eq!(
        [summarize_price(0), summarize_price(1), summarize_price(2)],
        [(None, "10", false), (Some("Gold"), "9.5", false), (Some("Agency"), "9", true)]
    );
    let wrong_body = json!({ "default_price": "10", "min_price": "9", "pricing_per": 0, "quantity": 0 });
    assert_eq!(panel.post(&format!("{SERVICES_PATH}/price-preview"), &wrong_body).await.status, 422);
}

/// The service has no target for comments. Only the label makes comments required in orders.
async fn a_custom_comments_label_makes_comments_required_in_orders(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let orders_path = "/api/v1/admin/orders";
    let order_body = |targets: Value| json!({ "user_id": 1, "service_id": 1, "url": "https://video.example/1", "quantity": 100, "targets": targets });
    let label_body = json!({ "name": "Own comments", "is_custom_comments": true, "services": [1] });
    let label_id = panel.post_data(LABELS_PATH, label_body).await["id"].clone();
    let fetch_balance =
        async || panel.fetch_number(Sql::new("SELECT balance_main FROM users WHERE id = 1")).await;
    let count_before = fetch_balance().await;
    let rejection = panel.post(orders_path, &order_body(json!({}))).await;
    assert_eq!(rejection.status, 422, "{}", rejection.text);
    assert!(rejection.json()["errors"]["targets.Comments"].is_array(), "{}", rejection.text);
    let too_few_response = panel.post(orders_path, &order_body(json!({ "Comments": "Nice\nGood" }))).await;
    assert_eq!(
        too_few_response.status, 422,
        "the number of comments must equal the quantity: {}",
        too_few_response.text
    );
    assert_eq!(fetch_balance().await, count_before, "a rejected order must not be charged");
    let comment_lines = (1..=100).map(|number| format!("Comment {number}")).collect::<Vec<_>>().join("\n");
    let placed_record = panel.post_data(orders_path, order_body(json!({ "Comments": comment_lines }))).await;
    let count_comments_sql = "SELECT count(*) FROM order_targetable_values v JOIN targets g ON g.id = v.target_id WHERE v.order_id = ? AND g.parameter = 'comments'";
    assert_eq!(
        panel.fetch_number(Sql::new(count_comments_sql).bind(placed_record["id"].as_i64().unwrap())).await,
        1
    );
    let token = create_api_key(&panel, 1).await;
    let service_list = send_reseller_request(&panel, &token, "action=services").await;
    let find_type = |id: i64| {
        service_list.as_array().unwrap().iter().find(|service| service["service"] == id).unwrap()["type"]
            .clone()
    };
    assert_eq!((find_type(1), find_type(2)), (json!("Custom Comments"), json!("Default")));
    let path = format!("{LABELS_PATH}/{label_id}");
    assert_eq!(panel.put(&path, &json!({ "services": [] })).await.status, 200);
    let order_without_comments_body =
        json!({ "user_id": 1, "service_id": 1, "url": "https://video.example/2", "quantity": 100 });
    panel.post_data(orders_path, order_without_comments_body).await;
}

async fn labels_are_created_changed_and_deleted(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let body = json!({ "name": "Comments", "is_custom_comments": true, "services": [3, 1], "translations": { "de": { "name": "Kommentare" } } });
    let created_record = panel.post_data(LABELS_PATH, body).await;
    assert_eq!(
        (ids(&created_record["services"]), &created_record["services_count"]),
        (vec![1, 3], &json!(2))
    );
    assert_eq!(
        created_record["translations"],
        json!({ "en": { "name": "Comments" }, "de": { "name": "Kommentare" } })
    );
    let second_response =
        panel.post(LABELS_PATH, &json!({ "name": "More", "is_custom_comments": true })).await;
    assert_eq!(second_response.status_and_code(), (422, "custom_comments_taken".into()));
    assert_eq!(panel.post(LABELS_PATH, &json!({ "name": "More", "services": [99] })).await.status, 422);
    let path = format!("{LABELS_PATH}/{}", created_record["id"]);
    let changed_record = panel.put(&path, &json!({ "services": [2] })).await.json()["data"].clone();
    assert_eq!(
        (ids(&changed_record["services"]), &changed_record["is_custom_comments"]),
        (vec![2], &json!(true))
    );
    assert_eq!(panel.get_data(&format!("{SERVICES_PATH}/2")).await["labels"], json!([created_record["id"]]));
    assert_eq!(
        ids(&panel.get_data(&format!("{LABELS_PATH}/used-services/{}", created_record["id"])).await),
        [2]
    );
    assert_eq!(ids(&panel.get_data(&format!("{LABELS_PATH}/available-labels")).await).len(), 1);
    let delete_label = async || {
        panel
            .request_from("127.0.0.1", Some("owner"), "DELETE", &path, &Value::Null)
            .await
            .status_and_code()
            .0
    };
    assert_eq!((delete_label().await, delete_label().await), (204, 404));
    assert_eq!(panel.get_data(&format!("{SERVICES_PATH}/2")).await["labels"], json!([]));
    assert_eq!(
        panel.fetch_number(Sql::new("SELECT count(*) FROM translations WHERE owner_type = 'label'")).await,
        0
    );
    assert_eq!(
        panel
            .fetch_number(Sql::new(
                "SELECT count(*) FROM change_logs WHERE type = 'label' AND action_type = 'deleted'"
            ))
            .await,
        1
    );
}

async fn one_of_two_concurrent_changes_of_a_service_succeeds(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let path = format!("{SERVICES_PATH}/1");
    let updated_at = panel.get_data(&path).await["updated_at"].clone();
    panel.clock.advance_secs(1);
    let change_body = |price: &str| json!({ "default_price": price, "updated_at": updated_at });
    let (first_body, second_body) = (change_body("11"), change_body("12"));
    let (first_response, second_response) =
        tokio::join!(panel.put(&path, &first_body), panel.put(&path, &second_body));
    let mut statuses = [first_response.status.as_u16(), second_response.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
}

async fn lists_three_thousand_services_quickly(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    panel.add_services(3_000).await;
    for path in [
        format!("{SERVICES_PATH}?is_archived=0&length=30"),
        format!("{SERVICES_PATH}?search[value]=vice%2029&length=20"),
        format!("{SERVICES_PATH}/2999"),
    ] {
        assert_eq!(panel.get(&path).await.status, 200);
        let started_at = Instant::now();
        assert_eq!(panel.get(&path).await.status, 200);
        // A debug build beside other tests is slow. A benchmark checks the real bound of 50 ms.
        assert!(started_at.elapsed().as_millis() < 500, "{path}: {:?}", started_at.elapsed());
    }
    let all_changes: Vec<Value> = (1..=3_000).map(|id| json!({ "id": id, "can_speedup": true })).collect();
    let started_at = Instant::now();
    let response = panel
        .send("owner", "PATCH", &format!("{SERVICES_PATH}/bulk"), &json!({ "services": all_changes }), None)
        .await;
    assert_eq!(response.json()["processed"], 3_000, "{}", response.text);
    assert!(started_at.elapsed().as_secs() < 10, "{:?}", started_at.elapsed());
}
