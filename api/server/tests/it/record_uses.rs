//! Staff cannot archive or delete a record in use, the error lists each use, and no record can start to use an archived record.

use futures_util::future::join;
use panel_contract::ids::UserId;
use panel_contract::moment::Time;
use panel_contract::orders::OrderStatus;
use panel_contract::payments::BalanceType;
use panel_platform::db::{Dialect, Sql};
use panel_server::context::Ctx;
use panel_server::operations::drip_feeds::run::{self, NewDripFeed};
use panel_server::operations::orders::place::NewOrder;
use serde_json::{Value, json};

use crate::panel::{NOW, Panel, TestResponse};
use crate::shop::PLAIN_SERVICE;
use crate::withdrawals::add_payment_methods;

test_both_databases! {
    the_error_and_the_archivable_flag_report_each_use_of_a_service;
    an_archived_service_cannot_be_used_by_new_records;
    an_undo_is_rejected_if_its_service_is_archived;
    a_target_can_be_deleted_after_the_last_open_order_with_a_value_for_it;
    errors_name_the_uses_of_panels_grades_and_pages;
    an_external_panel_in_a_setting_cannot_be_archived;
    a_service_type_in_use_cannot_move_to_another_network;
    one_of_a_concurrent_offer_and_service_move_succeeds;
    errors_name_the_uses_of_a_quest_and_a_payment_method;
    one_of_a_concurrent_package_and_service_archival_succeeds;
    one_of_a_concurrent_promotion_and_service_archival_succeeds;
    one_of_a_concurrent_drip_feed_and_service_archival_succeeds;
}

const SERVICE_PATH: &str = "/api/v1/admin/services/1";
const PACKAGES_PATH: &str = "/api/v1/admin/packages";
const OFFERS_PATH: &str = "/api/v1/admin/special-offers";
const DISCOUNTS_PATH: &str = "/api/v1/admin/discounts";
const QUESTS_PATH: &str = "/api/v1/admin/free-trial-quests";

impl Panel {
    async fn post_action(&self, path: &str, step: &str) -> TestResponse {
        self.post(&format!("{path}/{step}"), &json!({})).await
    }

    /// Sets the flag of service 1 in the database, without the check for uses.
    async fn set_service_archived(&self, is_archived: bool) {
        self.execute(Sql::new("UPDATE services SET is_archived = ? WHERE id = 1").bind(is_archived)).await;
    }
}

fn package_body() -> Value {
    json!({ "name": "Starter", "network_id": 1, "package_contents": [{ "id": PLAIN_SERVICE, "quantity": 1_000 }] })
}

fn offer_body() -> Value {
    json!({ "name": "Hot", "network_id": 1, "place": "home_page", "position": "second", "services": [PLAIN_SERVICE] })
}

fn discount_body() -> Value {
    let from = Time(NOW - 1_000_000).to_string();
    json!({ "name": "Sale", "valid_from": from, "services": [{ "id": PLAIN_SERVICE, "discount_fraction": "0.1" }] })
}

fn quest_body() -> Value {
    json!({ "translations": { "en": { "name": "Post" } }, "service_id": PLAIN_SERVICE, "quantity": 100 })
}

async fn the_error_and_the_archivable_flag_report_each_use_of_a_service(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let is_archivable = async || panel.get_data(SERVICE_PATH).await["actions"]["archivable"] == true;
    assert!(is_archivable().await);
    for (path, body, last_step, use_text) in [
        (PACKAGES_PATH, package_body(), "archive", "packages: Starter ("),
        (OFFERS_PATH, offer_body(), "archive", "special offers: Hot ("),
        (DISCOUNTS_PATH, discount_body(), "complete", "discounts: Sale ("),
        (DISCOUNTS_PATH, discount_body(), "archive", "discounts: Sale ("),
        (QUESTS_PATH, quest_body(), "archive", "quests: Post ("),
    ] {
        let id = panel.post_data(path, body).await["id"].clone();
        let rejection = panel.post_action(SERVICE_PATH, "archive").await;
        assert_eq!(rejection.status_and_code(), (409, "service_in_use".into()), "{path}");
        assert!(rejection.text.contains(use_text), "{path}: {}", rejection.text);
        assert!(!is_archivable().await, "{path}");
        let record_path = format!("{path}/{id}");
        assert_eq!(panel.post_action(&record_path, last_step).await.status, 200, "{path}");
        assert!(
            is_archivable().await,
            "{path} {last_step}: the record must not count as a use of the service"
        );
    }
    let insert_drip_feed_sql = "INSERT INTO drip_feeds (id, name, url, status, user_id, service_id, quantity, runs, minutes_between_runs, price, cost, created_at, updated_at)
      VALUES (1, 'Slow', 'https://v.example/', 'in_processing', 1, 1, 100, 2, 60, 0, 0, 1, 1)";
    let insert_subscription_sql = "INSERT INTO subscriptions (id, name, url, type, user_id, status, billing_type, contents_limit, created_at, updated_at)
      VALUES (1, 'Channel', 'https://v.example/', 'channel', 1, 'in_processing', 'per_content', 5, 1, 1)";
    let insert_subscription_service_sql =
        "INSERT INTO subscription_services (subscription_id, service_id, quantity) VALUES (1, 1, 100)";
    for sql in [insert_drip_feed_sql, insert_subscription_sql, insert_subscription_service_sql] {
        panel.execute(Sql::new(sql)).await;
    }
    let rejection = panel.post_action(SERVICE_PATH, "archive").await;
    assert!(rejection.text.contains("drip-feeds in progress: Slow (1)"), "{}", rejection.text);
    assert!(rejection.text.contains("subscriptions in progress: Channel (1)"), "{}", rejection.text);
    assert!(!is_archivable().await);
    panel.execute(Sql::new("UPDATE drip_feeds SET status = 'canceled'")).await;
    assert!(!is_archivable().await);
    panel.execute(Sql::new("UPDATE subscriptions SET status = 'completed'")).await;
    assert!(is_archivable().await);
    assert_eq!(panel.post_action(SERVICE_PATH, "archive").await.status, 200);
}

async fn an_archived_service_cannot_be_used_by_new_records(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    for (path, body, field) in [
        (PACKAGES_PATH, package_body(), "package_contents.0.id"),
        (OFFERS_PATH, offer_body(), "services.0"),
        (DISCOUNTS_PATH, discount_body(), "services.0.id"),
        (QUESTS_PATH, quest_body(), "service_id"),
    ] {
        panel.set_service_archived(true).await;
        let rejection = panel.post(path, &body).await;
        assert_eq!(rejection.status, 422, "{path}: {}", rejection.text);
        assert!(rejection.json()["errors"][field].is_array(), "{path}: {}", rejection.text);
        panel.set_service_archived(false).await;
        let created_record = panel.post_data(path, body).await;
        let record_path = format!("{path}/{}", created_record["id"]);
        assert_eq!(panel.post_action(&record_path, "archive").await.status, 200, "{path}");
        assert_eq!(
            panel.post_action(SERVICE_PATH, "archive").await.status,
            200,
            "{path}: an archived record must not count as a use"
        );
        let restore_response = panel.post_action(&record_path, "unarchive").await;
        assert_eq!(restore_response.status_and_code(), (409, "service_archived".into()), "{path}");
        assert!(restore_response.text.contains("Service 1 (1)"), "{path}: {}", restore_response.text);
        assert_eq!(panel.post_action(SERVICE_PATH, "unarchive").await.status, 200);
        assert_eq!(panel.post_action(&record_path, "unarchive").await.status, 200, "{path}");
        // A record that contains the archived service may still be changed.
        panel.set_service_archived(true).await;
        if path == OFFERS_PATH || path == DISCOUNTS_PATH {
            let rename_response = panel.put(&record_path, &json!({ "name": "Other" })).await;
            assert_eq!(rename_response.status, 200, "{path}: {}", rename_response.text);
        }
        panel.set_service_archived(false).await;
        assert_eq!(panel.post_action(&record_path, "archive").await.status, 200, "{path}");
    }
    // A completed discount can be restored with an archived service, because it changes no price.
    let discount_path =
        format!("{DISCOUNTS_PATH}/{}", panel.post_data(DISCOUNTS_PATH, discount_body()).await["id"]);
    for step in ["complete", "archive"] {
        assert_eq!(panel.post_action(&discount_path, step).await.status, 200);
    }
    panel.set_service_archived(true).await;
    assert_eq!(panel.post_action(&discount_path, "unarchive").await.json()["data"]["status"], "completed");
}

async fn an_undo_is_rejected_if_its_service_is_archived(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let undo = async |response: &TestResponse| {
        let body = json!({ "request_id": response.json()["undo"]["request_id"] });
        panel.post("/api/v1/admin/undo", &body).await
    };
    for (path, body) in [
        (PACKAGES_PATH, package_body()),
        (OFFERS_PATH, offer_body()),
        (DISCOUNTS_PATH, discount_body()),
        (QUESTS_PATH, quest_body()),
    ] {
        let record_path = format!("{path}/{}", panel.post_data(path, body).await["id"]);
        let archive_response = panel.post_action(&record_path, "archive").await;
        assert_eq!(panel.post_action(SERVICE_PATH, "archive").await.status, 200);
        assert_eq!(undo(&archive_response).await.status_and_code(), (409, "undo_conflict".into()), "{path}");
        let restore_response = panel.post_action(SERVICE_PATH, "unarchive").await;
        assert_eq!(panel.post_action(&record_path, "unarchive").await.status, 200);
        assert_eq!(
            undo(&restore_response).await.status_and_code(),
            (409, "undo_conflict".into()),
            "{path} uses the service again"
        );
        assert_eq!(panel.post_action(&record_path, "archive").await.status, 200);
    }
}

async fn a_target_can_be_deleted_after_the_last_open_order_with_a_value_for_it(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let targets_path = "/api/v1/admin/targets";
    let target_body = json!({ "name": "Countries", "target_type_id": 1, "selectable_values": ["DE", "FR"] });
    let id = panel.post_data(targets_path, target_body).await["id"].clone();
    assert_eq!(panel.put(SERVICE_PATH, &json!({ "targets": [id] })).await.status, 200);
    let base_order = NewOrder::without_options(UserId::new(1), PLAIN_SERVICE, "https://video.example/1", 100);
    let placed_order =
        panel.place_order(&NewOrder { targets: vec![("Countries".into(), "DE".into())], ..base_order }).await;
    assert_eq!(placed_order.status, OrderStatus::InProcessing);
    assert_eq!(panel.put(SERVICE_PATH, &json!({ "targets": [] })).await.status, 200);
    let record_path = format!("{targets_path}/{id}");
    let delete_target =
        async || panel.request_from("127.0.0.1", Some("owner"), "DELETE", &record_path, &Value::Null).await;
    let rejection = delete_target().await;
    assert_eq!(rejection.status_and_code(), (409, "target_in_use".into()));
    assert!(rejection.text.contains("orders that are not finished: Service 1 ("), "{}", rejection.text);
    let complete_response =
        panel.post_action(&format!("/api/v1/admin/orders/{}", placed_order.id), "complete").await;
    assert_eq!(complete_response.status, 200, "{}", complete_response.text);
    let delete_response = delete_target().await;
    assert_eq!(delete_response.status, 204, "{}", delete_response.text);
    let order_text = panel.fetch_order(placed_order.id).await.to_string();
    assert!(order_text.contains("Countries") && order_text.contains("\"DE\""), "{order_text}");
}

async fn errors_name_the_uses_of_panels_grades_and_pages(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 15, 0).await;
    let grade_record = panel
        .post_data("/api/v1/admin/grades", json!({ "translations": { "en": { "name": "Gold" } } }))
        .await;
    let id = grade_record["id"].as_i64().unwrap();
    panel.execute(Sql::new("UPDATE users SET grade_id = ? WHERE id <= 12").bind(id)).await;
    let rejection = panel.post_action(&format!("/api/v1/admin/grades/{id}"), "archive").await;
    assert_eq!(rejection.status_and_code(), (409, "grade_in_use".into()));
    assert!(rejection.text.contains("customers: Customer 1 (1), Customer 2 (2)"), "{}", rejection.text);
    assert!(rejection.text.contains("Customer 10 (10) and 2 more"), "{}", rejection.text);
    let page_record = panel
        .post_data("/api/v1/admin/panel-pages", json!({ "name": "Questions", "route_name": "faq" }))
        .await;
    let page_path = format!("/api/v1/admin/panel-pages/{}", page_record["id"]);
    let menu_item =
        panel.post_data("/api/v1/admin/panel-menu-items", json!({ "name": "Help", "url": "/faq" })).await;
    let rejection = panel.post_action(&page_path, "archive").await;
    assert_eq!(rejection.status_and_code(), (409, "page_in_use".into()));
    assert!(rejection.text.contains("menu items: Help ("), "{}", rejection.text);
    assert_eq!(
        panel
            .post_action(&format!("/api/v1/admin/panel-menu-items/{}", menu_item["id"]), "archive")
            .await
            .status,
        200
    );
    let delete_response = panel.post_action(&page_path, "archive").await;
    assert_eq!(delete_response.status, 200, "{}", delete_response.text);
    panel.execute(Sql::new("INSERT INTO external_panels (id, name, endpoint, created_at, updated_at) VALUES (7, 'North', 'https://north.example/api/v2', 1, 1)")).await;
    panel
        .execute(Sql::new(
            "UPDATE providers SET external_panel_id = 7, external_panel_service_id = '3' WHERE id = 1",
        ))
        .await;
    let north_path = "/api/v1/admin/external-panels/7";
    let rejection = panel.post_action(north_path, "archive").await;
    assert_eq!(rejection.status_and_code(), (409, "external_panel_in_use".into()));
    assert!(rejection.text.contains("providers: Provider 1 (1)"), "{}", rejection.text);
    assert_eq!(panel.get_data(north_path).await["actions"]["archivable"], false);
}

async fn an_external_panel_in_a_setting_cannot_be_archived(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    panel.execute(Sql::new("INSERT INTO external_panels (id, name, endpoint, created_at, updated_at) VALUES (7, 'North', 'https://north.example/api/v2', 1, 1), (77, 'South', 'https://south.example/api/v2', 1, 1)")).await;
    let save_setting = async |value: Value| {
        panel.post("/api/v1/admin/settings", &json!({ "social_value_external_panel_id": value })).await
    };
    assert_eq!(save_setting(json!(77)).await.status, 200);
    let (north_path, south_path) = ("/api/v1/admin/external-panels/7", "/api/v1/admin/external-panels/77");
    assert_eq!(panel.get_data(south_path).await["actions"]["archivable"], false);
    let rejection = panel.post_action(south_path, "archive").await;
    assert_eq!(rejection.status_and_code(), (409, "external_panel_in_use".into()));
    assert!(rejection.text.contains("panel settings: social_value_external_panel_id."), "{}", rejection.text);
    assert_eq!(panel.post_action(north_path, "archive").await.status, 200, "the setting contains 77, not 7");
    let archive_response = save_setting(json!(7)).await;
    assert_eq!(archive_response.status, 422, "{}", archive_response.text);
    assert!(
        archive_response.json()["errors"]["social_value_external_panel_id"].is_array(),
        "{}",
        archive_response.text
    );
    assert_eq!(save_setting(Value::Null).await.status, 200);
    assert_eq!(panel.get_data(south_path).await["actions"]["archivable"], true);
    assert_eq!(panel.post_action(south_path, "archive").await.status, 200);
}

impl Panel {
    /// Adds network 2 with service type 2, and service type 3 to network 1.
    async fn add_network_and_types(&self) {
        for sql in [
            "INSERT INTO networks (id, name, created_at, updated_at) VALUES (2, 'Music', 1, 1)",
            "INSERT INTO service_types (id, network_id, name, created_at, updated_at) VALUES (2, 2, 'Plays', 1, 1), (3, 1, 'Likes', 1, 1)",
        ] {
            self.execute(Sql::new(sql)).await;
        }
    }

    async fn delete_offer(&self, path: &str) {
        assert_eq!(self.post_action(path, "archive").await.status, 200);
        let delete_response = self.send("owner", "DELETE", path, &json!({}), None).await;
        assert!(delete_response.status.is_success(), "{}", delete_response.text);
    }

    async fn change_type(&self, network: i64) -> TestResponse {
        let body = json!({ "panel_service_type": { "network": network } });
        self.put("/api/v1/admin/service-types/1", &body).await
    }
}

/// The server rejects a move while a package, an offer or an import rule uses the type or service in the current network.
async fn a_service_type_in_use_cannot_move_to_another_network(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    panel.add_network_and_types().await;
    let mut package_with_type = package_body();
    package_with_type["service_type_id"] = json!(1);
    let package_path =
        format!("{PACKAGES_PATH}/{}", panel.post_data(PACKAGES_PATH, package_with_type).await["id"]);
    let type_offer_body = json!({ "name": "Types", "network_id": 1, "place": "home_page", "position": "second", "service_types": [1] });
    let type_offer_path =
        format!("{OFFERS_PATH}/{}", panel.post_data(OFFERS_PATH, type_offer_body).await["id"]);
    let service_offer_path =
        format!("{OFFERS_PATH}/{}", panel.post_data(OFFERS_PATH, offer_body()).await["id"]);
    for sql in [
        "INSERT INTO external_panels (id, name, endpoint, created_at, updated_at) VALUES (7, 'North', 'https://north.example/api/v2', 1, 1)",
        "INSERT INTO import_rules (external_panel_id, network_id, service_type_id, created_at, updated_at) VALUES (7, 1, 1, 1, 1)",
    ] {
        panel.execute(Sql::new(sql)).await;
    }
    let rejection = panel.change_type(2).await;
    assert_eq!(rejection.status_and_code(), (409, "service_type_in_use".into()));
    for use_text in [
        "packages: Starter (",
        "special offers: Types (",
        "Hot (",
        "import rules: North (7)",
        "before you move it to another network",
    ] {
        assert!(rejection.text.contains(use_text), "{use_text}: {}", rejection.text);
    }
    // A service can move to another type of the same network, but not to a type of another network.
    assert_eq!(panel.put(SERVICE_PATH, &json!({ "service_type_id": 3 })).await.status, 200);
    let rejection = panel.put(SERVICE_PATH, &json!({ "service_type_id": 2 })).await;
    assert_eq!(rejection.status_and_code(), (409, "service_in_use".into()));
    assert!(rejection.text.contains("special offers: Hot ("), "{}", rejection.text);
    // The other fields of records that already mix two networks can be changed.
    panel.execute(Sql::new("UPDATE service_types SET network_id = 2 WHERE id IN (1, 3)")).await;
    for path in [&package_path, &type_offer_path, &service_offer_path] {
        let rename_response = panel.put(path, &json!({ "name": "Renamed" })).await;
        assert_eq!(rename_response.status, 200, "{path}: {}", rename_response.text);
    }
    let move_response = panel.put(&package_path, &json!({ "network_id": 2 })).await;
    assert_eq!(move_response.status, 200, "{}", move_response.text);
    let mixed_networks_response = panel.put(&package_path, &json!({ "network_id": 1 })).await;
    assert!(
        mixed_networks_response.json()["errors"]["service_type_id"].is_array(),
        "{}",
        mixed_networks_response.text
    );
    for (path, change_body) in [
        (&package_path, json!({ "service_type_id": null })),
        (&type_offer_path, json!({ "service_types": [], "services": [2], "network_id": 2 })),
        (&service_offer_path, json!({ "services": [2], "network_id": 2 })),
    ] {
        let change_response = panel.put(path, &change_body).await;
        assert_eq!(change_response.status, 200, "{path}: {}", change_response.text);
    }
    panel.execute(Sql::new("DELETE FROM import_rules")).await;
    assert_eq!(panel.put(SERVICE_PATH, &json!({ "service_type_id": 1 })).await.status, 200);
    let rejection = panel.change_type(1).await;
    assert_eq!(rejection.status_and_code(), (409, "service_type_in_use".into()));
    for path in [&type_offer_path, &service_offer_path] {
        panel.delete_offer(path).await;
    }
    assert_eq!(panel.change_type(1).await.status, 200);
}

async fn one_of_a_concurrent_offer_and_service_move_succeeds(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    panel.add_network_and_types().await;
    for _ in 0..10 {
        let (body, other_type_body) = (offer_body(), json!({ "service_type_id": 2 }));
        let (create_response, move_response) =
            join(panel.post(OFFERS_PATH, &body), panel.put(SERVICE_PATH, &other_type_body)).await;
        match (create_response.status.as_u16(), move_response.status.as_u16()) {
            (200, 409) => {
                panel.delete_offer(&format!("{OFFERS_PATH}/{}", create_response.json()["data"]["id"])).await;
            }
            (422, 200) => {
                assert_eq!(panel.put(SERVICE_PATH, &json!({ "service_type_id": 1 })).await.status, 200)
            }
            other => panic!("{other:?}: {} {}", create_response.text, move_response.text),
        }
    }
}

async fn errors_name_the_uses_of_a_quest_and_a_payment_method(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let quest_id = panel.post_data(QUESTS_PATH, quest_body()).await["id"].clone();
    let path = format!("{QUESTS_PATH}/{quest_id}");
    let insert_request_sql = Sql::new(
        "INSERT INTO free_trials (id, free_trial_quest_id, user_id, name, url, quantity, status, created_at)
         VALUES (7, ?, 1, 'Try', 'https://v.example/', 100, 'pending', 1)",
    );
    panel.execute(insert_request_sql.bind(quest_id.as_i64().unwrap())).await;
    assert_eq!(panel.get_data(&path).await["actions"]["archivable"], false);
    let rejection = panel.post_action(&path, "archive").await;
    assert_eq!(rejection.status_and_code(), (409, "quest_in_use".into()));
    assert!(rejection.text.contains("pending free-trial requests: Try (7)"), "{}", rejection.text);
    panel.execute(Sql::new("UPDATE free_trials SET status = 'rejected'")).await;
    assert_eq!(panel.post_action(&path, "archive").await.status, 200);
    // Staff can disable a payment method of a widget while another method of the widget is enabled, but not the last one.
    add_payment_methods(&panel).await;
    let body = json!({ "name": "Blog", "user_id": 2, "payment_methods": [2, 1] });
    let widget_id = panel.post_data("/api/v1/admin/order-widgets", body).await["id"].clone();
    let method_path = |id: i64| format!("/api/v1/admin/payment-methods/{id}");
    assert_eq!(panel.post_action(&method_path(1), "disable").await.status, 200);
    assert_eq!(panel.get_data(&method_path(2)).await["actions"]["disable"], false);
    let rejection = panel.post_action(&method_path(2), "disable").await;
    assert_eq!(rejection.status_and_code(), (409, "payment_method_in_use".into()));
    assert!(
        rejection.text.contains(&format!("order widgets without another method: Blog ({widget_id})")),
        "{}",
        rejection.text
    );
    assert_eq!(panel.post_action(&method_path(1), "enable").await.status, 200);
    assert_eq!(panel.get_data(&method_path(2)).await["actions"]["disable"], true);
    assert_eq!(panel.post_action(&method_path(2), "disable").await.status, 200);
}

async fn one_of_a_concurrent_promotion_and_service_archival_succeeds(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let promotions_path = "/api/v1/admin/auto-promotions";
    for _ in 0..20 {
        let (body, empty_body) = (json!({ "services": [PLAIN_SERVICE] }), json!({}));
        let (archive_path, promoted_services_path) =
            (format!("{SERVICE_PATH}/archive"), format!("{promotions_path}/services"));
        let (create_response, archive_response) =
            join(panel.post(&promoted_services_path, &body), panel.post(&archive_path, &empty_body)).await;
        match (create_response.status.as_u16(), archive_response.status.as_u16()) {
            (200, 409) => {
                let record_path = format!("{promotions_path}/{}", create_response.json()["data"][0]["id"]);
                let delete_response = panel
                    .request_from("127.0.0.1", Some("owner"), "DELETE", &record_path, &Value::Null)
                    .await;
                assert_eq!(delete_response.status, 204, "{}", delete_response.text);
            }
            (422, 200) => assert_eq!(panel.post_action(SERVICE_PATH, "unarchive").await.status, 200),
            other => panic!("{other:?}: {} {}", create_response.text, archive_response.text),
        }
    }
}

/// A drip-feed of an archived service would never place an order.
async fn one_of_a_concurrent_drip_feed_and_service_archival_succeeds(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    panel.execute(Sql::new("UPDATE services SET drip_feed_is_allowed = TRUE WHERE id = 1")).await;
    for number in 0..20 {
        let (archive_path, empty_body) = (format!("{SERVICE_PATH}/archive"), json!({}));
        let start_drip_feed = async {
            let ctx = Ctx::system(panel.app.clone(), "test");
            let mut work = ctx.begin().await.unwrap();
            let new_drip_feed = NewDripFeed {
                user_id: UserId::new(1),
                service_id: PLAIN_SERVICE,
                url: format!("https://video.example/{number}"),
                quantity: 100,
                runs: 2,
                minutes_between_runs: 60,
                paying_balance: BalanceType::Main,
                country: None,
                targets: Vec::new(),
            };
            let id = run::start(&mut work, &new_drip_feed).await.ok()?;
            work.finish(()).await.ok()?;
            Some(id)
        };
        let (started_id, archive_response) =
            join(start_drip_feed, panel.post(&archive_path, &empty_body)).await;
        assert!(
            started_id.is_some() != (archive_response.status == 200),
            "{started_id:?}: {}",
            archive_response.text
        );
        panel.execute(Sql::new("UPDATE drip_feeds SET status = 'canceled'")).await;
        if archive_response.status == 200 {
            assert_eq!(panel.post_action(SERVICE_PATH, "unarchive").await.status, 200);
        }
    }
}

/// The server rejects the second request, so that no active package contains an archived service.
async fn one_of_a_concurrent_package_and_service_archival_succeeds(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    for _ in 0..20 {
        let (body, empty_body) = (package_body(), json!({}));
        let archive_path = format!("{SERVICE_PATH}/archive");
        let (create_response, archive_response) =
            join(panel.post(PACKAGES_PATH, &body), panel.post(&archive_path, &empty_body)).await;
        match (create_response.status.as_u16(), archive_response.status.as_u16()) {
            (200, 409) => {
                let record_path = format!("{PACKAGES_PATH}/{}", create_response.json()["data"]["id"]);
                assert_eq!(panel.post_action(&record_path, "archive").await.status, 200);
            }
            (422, 200) => assert_eq!(panel.post_action(SERVICE_PATH, "unarchive").await.status, 200),
            other => panic!("{other:?}: {} {}", create_response.text, archive_response.text),
        }
    }
}
