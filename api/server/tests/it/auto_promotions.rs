//! Tests the services, service types and networks of the auto-promotion: staff add, enable, sort and remove them.

use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::networks::ids;
use crate::panel::Panel;

test_both_databases! {
    services_are_added_changed_and_removed;
    networks_are_enabled_disabled_and_sorted;
    a_removed_network_can_be_added_again;
    each_level_has_its_own_settings_and_order;
    a_moved_service_stays_enabled_for_auto_promotion;
    invalid_fields_of_an_auto_promotion_are_named;
}

const PROMOTIONS: &str = "/api/v1/admin/auto-promotions";

/// Creates a second network with one service; returns their ids.
async fn create_second_network(panel: &Panel) -> (Value, Value) {
    let network = panel.post_data("/api/v1/admin/networks", json!({ "name": "Music" })).await["id"].clone();
    let service_type =
        panel.post_data("/api/v1/admin/service-types", json!({ "name": "Plays", "network": network })).await;
    let service = json!({ "name": "Plays", "service_type_id": service_type["id"], "min_quantity": 1, "max_quantity": 9, "default_price": "2" });
    let service = panel.post_data("/api/v1/admin/services", service).await["id"].clone();
    (network, service)
}

async fn services_are_added_changed_and_removed(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    panel.execute(Sql::new("UPDATE services SET name = 'Zebra likes' WHERE id = 3")).await;
    let path = format!("{PROMOTIONS}/services");
    let promotions = panel.post_data(&path, json!({ "services": [1, 3] })).await;
    assert_eq!((promotions.as_array().unwrap().len(), &promotions[0]["is_enabled"]), (2, &json!(true)));
    assert_eq!(promotions[0]["service"]["name"], "Service 1");
    let types = panel.get_data(&format!("{PROMOTIONS}/service-types")).await;
    assert_eq!(
        (&types[0]["services_count"], &types[0]["other_services_count"], &types[0]["is_enabled"]),
        (&json!(2), &json!(1), &json!(true))
    );
    let change_body = json!({ "services": [3, 2], "is_enabled": false, "resale_margin_fraction": "0.25" });
    let promotions = panel.post_data(&path, change_body).await;
    assert_eq!(
        (&promotions[0]["resale_margin_fraction"], &promotions[1]["is_enabled"]),
        (&json!("0.25"), &json!(false))
    );
    let promotions = panel.get_data(&path).await;
    let enabled_flags: Vec<bool> = promotions
        .as_array()
        .unwrap()
        .iter()
        .map(|promotion| promotion["is_enabled"].as_bool().unwrap())
        .collect();
    assert_eq!(enabled_flags, [true, false, false]);
    // A search in the change log finds an entry by the name of its service, although the entry holds the id of the auto-promotion.
    let log_path = "/api/v1/admin/services/logs?type=auto_promotion&action_type=updated&search";
    let entries = panel.get_data(&format!("{log_path}=zebra+margin")).await;
    let changed_fields: Vec<&str> =
        entries.as_array().unwrap().iter().map(|entry| entry["information"].as_str().unwrap()).collect();
    assert_eq!(changed_fields, ["Zebra likes: Resale margin fraction"]);
    assert_eq!(panel.get_data(&format!("{log_path}=quagga")).await, json!([]));
    // Add all services of a service type at once.
    let promotions = panel.post_data(&path, json!({ "service_type_id": 1, "is_enabled": true })).await;
    assert_eq!(promotions.as_array().unwrap().len(), 3);
    let count_created_audits_sql = "SELECT count(*) FROM audits WHERE event = 'auto_promotion.created'";
    assert_eq!(panel.fetch_number(Sql::new(count_created_audits_sql)).await, 3);
    let count_updated_audits_sql = "SELECT count(*) FROM audits WHERE event = 'auto_promotion.updated'";
    assert_eq!(
        panel.fetch_number(Sql::new(count_updated_audits_sql)).await,
        3,
        "each changed service must have an entry: first service 3, then services 2 and 3"
    );
    for service in panel.get_data(&path).await.as_array().unwrap() {
        let promotion_path = format!("{PROMOTIONS}/{}", service["id"]);
        assert_eq!(
            panel
                .request_from("127.0.0.1", Some("owner"), "DELETE", &promotion_path, &Value::Null)
                .await
                .status,
            204
        );
        assert_eq!(
            panel
                .request_from("127.0.0.1", Some("owner"), "DELETE", &promotion_path, &Value::Null)
                .await
                .status,
            404
        );
    }
    assert_eq!(
        panel.get_data(&format!("{PROMOTIONS}/networks")).await,
        json!([]),
        "a network without services must be removed"
    );
}

async fn networks_are_enabled_disabled_and_sorted(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let (other_network, service) = create_second_network(&panel).await;
    panel.post_data(&format!("{PROMOTIONS}/services"), json!({ "services": [1, service] })).await;
    let networks = async || panel.get_data(&format!("{PROMOTIONS}/networks")).await;
    assert_eq!(ids(&networks().await), [1, other_network.as_i64().unwrap()]);
    let toggle_path = format!("{PROMOTIONS}/networks/1/toggle");
    assert_eq!(panel.post_data(&toggle_path, json!({})).await["is_enabled"], false);
    assert_eq!(panel.post_data(&toggle_path, json!({})).await["is_enabled"], true);
    assert_eq!(panel.post(&format!("{PROMOTIONS}/networks/99/toggle"), &json!({})).await.status, 404);
    let sort_networks =
        async |ids: Value| panel.post(&format!("{PROMOTIONS}/sort"), &json!({ "networks": ids })).await;
    assert_eq!(sort_networks(json!([1])).await.status_and_code(), (409, "list_changed".into()));
    assert_eq!(
        sort_networks(json!([1, other_network, 77])).await.status_and_code(),
        (409, "list_changed".into())
    );
    assert_eq!(sort_networks(json!([other_network, 1])).await.status, 200);
    assert_eq!(ids(&networks().await), [other_network.as_i64().unwrap(), 1]);
    let count_audits_sql = "SELECT count(*) FROM audits WHERE event IN ('auto_promotion.enabled', 'auto_promotion.disabled', 'auto_promotion.sorted')";
    assert_eq!(panel.fetch_number(Sql::new(count_audits_sql)).await, 3);
    // After a network is removed, the positions have no gap.
    let promotions = panel.get_data(&format!("{PROMOTIONS}/services?network_id={other_network}")).await;
    let removed_path = format!("{PROMOTIONS}/{}", promotions[0]["id"]);
    assert_eq!(
        panel.request_from("127.0.0.1", Some("owner"), "DELETE", &removed_path, &Value::Null).await.status,
        204
    );
    assert_eq!((ids(&networks().await), &networks().await[0]["sorting"]), (vec![1], &json!(1)));
}

async fn invalid_fields_of_an_auto_promotion_are_named(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let post_and_get_invalid_fields = async |body: Value| -> Vec<String> {
        let response = panel.post(&format!("{PROMOTIONS}/services"), &body).await;
        assert_eq!(response.status, 422, "{}", response.text);
        response.json()["errors"].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(post_and_get_invalid_fields(json!({})).await, ["services"]);
    assert_eq!(post_and_get_invalid_fields(json!({ "services": [] })).await, ["services"]);
    assert_eq!(
        post_and_get_invalid_fields(json!({ "services": [1, 99], "network_id": 1 })).await,
        ["services.1"]
    );
    assert_eq!(post_and_get_invalid_fields(json!({ "service_type_id": 99 })).await, ["service_type_id"]);
    assert_eq!(
        post_and_get_invalid_fields(json!({ "network_id": 1, "resale_margin_fraction": "1.5" })).await,
        ["resale_margin_fraction"]
    );
}

async fn a_removed_network_can_be_added_again(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let (other_network, service) = create_second_network(&panel).await;
    panel.post_data(&format!("{PROMOTIONS}/services"), json!({ "services": [1, service] })).await;
    let network_ids = async || ids(&panel.get_data(&format!("{PROMOTIONS}/networks")).await);
    assert_eq!(network_ids().await.len(), 2);
    let path = format!("/api/v1/admin/services/{service}");
    let service_type = panel.get_data(&path).await["service_type"]["id"].clone();
    let disable_body = json!({ "is_enabled": false });
    for level_path in [format!("networks/{other_network}"), format!("service-types/{service_type}")] {
        let response =
            panel.send("owner", "PATCH", &format!("{PROMOTIONS}/{level_path}"), &disable_body, None).await;
        assert_eq!(response.json()["data"]["is_enabled"], false, "{}", response.text);
    }
    let move_response = panel.put(&path, &json!({ "service_type_id": 1 })).await;
    assert_eq!(move_response.status, 200, "{}", move_response.text);
    assert_eq!(panel.put(&path, &json!({ "service_type_id": service_type })).await.status, 200);
    let networks = panel.get_data(&format!("{PROMOTIONS}/networks")).await;
    assert_eq!(
        (&networks[1]["id"], &networks[1]["is_enabled"]),
        (&other_network, &json!(true)),
        "a network that is added again must start with the defaults"
    );
    let service_types =
        panel.get_data(&format!("{PROMOTIONS}/service-types?network_id={other_network}")).await;
    assert_eq!(
        service_types[0]["is_enabled"], true,
        "a service type that is added again must start with the defaults"
    );
    assert_eq!(panel.put(&path, &json!({ "service_type_id": 1 })).await.status, 200);
    assert_eq!(network_ids().await, [1], "network {other_network} must be removed with its last service");
    let sort_response = panel.post(&format!("{PROMOTIONS}/sort"), &json!({ "networks": [1] })).await;
    assert_eq!(sort_response.status, 200, "{}", sort_response.text);
}

async fn each_level_has_its_own_settings_and_order(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let (network, service) = create_second_network(&panel).await;
    panel.post_data(&format!("{PROMOTIONS}/services"), json!({ "services": [1, 2, service] })).await;
    let patch = async |path: String, body: Value| {
        panel.send("owner", "PATCH", &format!("{PROMOTIONS}/{path}"), &body, None).await
    };
    let network_entry = patch("networks/1".into(), json!({ "resale_margin_fraction": "0.2" })).await.json();
    assert_eq!(
        (&network_entry["data"]["resale_margin_fraction"], &network_entry["data"]["is_enabled"]),
        (&json!("0.2"), &json!(true))
    );
    let types = panel.get_data(&format!("{PROMOTIONS}/service-types?network_id=1")).await;
    let service_type = types[0]["id"].clone();
    let disable_body = json!({ "is_enabled": false, "resale_margin_fraction": "0.3" });
    let service_type_entry = patch(format!("service-types/{service_type}"), disable_body).await.json();
    assert_eq!(
        (&service_type_entry["data"]["resale_margin_fraction"], &service_type_entry["data"]["is_enabled"]),
        (&json!("0.3"), &json!(false))
    );
    let service_type_entry =
        patch(format!("service-types/{service_type}"), json!({ "resale_margin_fraction": null }))
            .await
            .json();
    assert_eq!(
        (&service_type_entry["data"]["resale_margin_fraction"], &service_type_entry["data"]["is_enabled"]),
        (&Value::Null, &json!(false))
    );
    assert_eq!(patch("networks/1".into(), json!({})).await.status, 200, "an empty body must be accepted");
    assert_eq!(patch("networks/1".into(), json!({ "resale_margin_fraction": "2" })).await.status, 422);
    assert_eq!(patch("networks/99".into(), json!({ "is_enabled": true })).await.status, 404);
    assert_eq!(patch("service-types/99".into(), json!({ "is_enabled": true })).await.status, 404);
    let service_ids = async || {
        let promotions =
            panel.get_data(&format!("{PROMOTIONS}/services?service_type_id={service_type}")).await;
        promotions
            .as_array()
            .unwrap()
            .iter()
            .map(|promotion| promotion["service"]["id"].as_i64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(service_ids().await, [1, 2]);
    let sort_path = format!("{PROMOTIONS}/service-types/{service_type}/sort-services");
    assert_eq!(
        panel.post(&sort_path, &json!({ "services": [2] })).await.status_and_code(),
        (409, "list_changed".into())
    );
    assert_eq!(panel.post_data(&sort_path, json!({ "services": [2, 1] })).await[0]["sorting"], 1);
    assert_eq!(service_ids().await, [2, 1]);
    let other_type =
        panel.post_data("/api/v1/admin/service-types", json!({ "name": "Likes", "network": network })).await;
    let service = json!({ "name": "Likes", "service_type_id": other_type["id"], "min_quantity": 1, "max_quantity": 9, "default_price": "2" });
    let service = panel.post_data("/api/v1/admin/services", service).await["id"].clone();
    panel.post_data(&format!("{PROMOTIONS}/services"), json!({ "services": [service] })).await;
    let types_path = format!("{PROMOTIONS}/service-types?network_id={network}");
    let ids_before = ids(&panel.get_data(&types_path).await);
    let reversed_ids: Vec<i64> = ids_before.iter().rev().copied().collect();
    let sort_path = format!("{PROMOTIONS}/networks/{network}/sort-service-types");
    assert_eq!(
        ids(&panel.post_data(&sort_path, json!({ "service_types": reversed_ids })).await),
        reversed_ids
    );
    assert_eq!(ids(&panel.get_data(&types_path).await), reversed_ids);
}

async fn a_moved_service_stays_enabled_for_auto_promotion(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let (network, service) = create_second_network(&panel).await;
    let service_type =
        panel.get_data(&format!("/api/v1/admin/services/{service}")).await["service_type"]["id"].clone();
    panel.post_data(&format!("{PROMOTIONS}/services"), json!({ "services": [1] })).await;
    let network_ids = async || ids(&panel.get_data(&format!("{PROMOTIONS}/networks")).await);
    assert_eq!(network_ids().await, [1]);
    let move_response =
        panel.put("/api/v1/admin/services/1", &json!({ "service_type_id": service_type })).await;
    assert_eq!(move_response.status, 200, "{}", move_response.text);
    assert_eq!(
        network_ids().await,
        [network.as_i64().unwrap()],
        "the service must be listed in its new network"
    );
    let network_entry = panel.post_data(&format!("{PROMOTIONS}/networks/{network}/toggle"), json!({})).await;
    assert_eq!(network_entry["is_enabled"], false);
    let types = panel.get_data(&format!("{PROMOTIONS}/service-types?network_id={network}")).await;
    assert_eq!((&types[0]["is_enabled"], &types[0]["services_count"]), (&json!(true), &json!(1)));
    // If staff move a service type to another network, its services move too.
    let move_back = json!({ "panel_service_type": { "network": 1 } });
    let response = panel.put(&format!("/api/v1/admin/service-types/{service_type}"), &move_back).await;
    assert_eq!(response.status, 200, "{}", response.text);
    assert_eq!(network_ids().await, [1]);
}
