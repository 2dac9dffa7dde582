//! Auto-promotion: services are added, enabled, disabled and removed; networks are enabled, disabled and sorted.

use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::networks::ids;
use crate::panel::Panel;

both! {
    services_are_added_changed_and_removed;
    networks_are_switched_and_sorted;
    an_emptied_network_can_be_added_again;
    each_level_has_its_own_settings_and_order;
    a_moved_service_stays_enabled_for_auto_promotion;
    invalid_auto_promotion_input_is_named;
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
    let panel = Panel::shop(dialect, 3, 0).await;
    panel.execute(Sql::new("UPDATE services SET name = 'Zebra likes' WHERE id = 3")).await;
    let path = format!("{PROMOTIONS}/services");
    let created = panel.post_data(&path, json!({ "services": [1, 3] })).await;
    assert_eq!((created.as_array().unwrap().len(), &created[0]["is_enabled"]), (2, &json!(true)));
    assert_eq!(created[0]["service"]["name"], "Service 1");
    let types = panel.get_data(&format!("{PROMOTIONS}/service-types")).await;
    assert_eq!(
        (&types[0]["services_count"], &types[0]["other_services_count"], &types[0]["is_enabled"]),
        (&json!(2), &json!(1), &json!(true))
    );
    let change = json!({ "services": [3, 2], "is_enabled": false, "resale_margin_fraction": "0.25" });
    let changed = panel.post_data(&path, change).await;
    assert_eq!(
        (&changed[0]["resale_margin_fraction"], &changed[1]["is_enabled"]),
        (&json!("0.25"), &json!(false))
    );
    let promotions = panel.get_data(&path).await;
    let enabled: Vec<bool> = promotions
        .as_array()
        .unwrap()
        .iter()
        .map(|promotion| promotion["is_enabled"].as_bool().unwrap())
        .collect();
    assert_eq!(enabled, [true, false, false]);
    // The change log is searched by the name of the service, whose id differs from the entry's.
    let log = "/api/v1/admin/services/logs?type=auto_promotion&action_type=updated&search";
    let found = panel.get_data(&format!("{log}=zebra+margin")).await;
    let changes: Vec<&str> =
        found.as_array().unwrap().iter().map(|entry| entry["information"].as_str().unwrap()).collect();
    assert_eq!(changes, ["Zebra likes: Resale margin fraction"]);
    assert_eq!(panel.get_data(&format!("{log}=quagga")).await, json!([]));
    // Add all services of a service type at once.
    let added_by_type = panel.post_data(&path, json!({ "service_type_id": 1, "is_enabled": true })).await;
    assert_eq!(added_by_type.as_array().unwrap().len(), 3);
    let audits = "SELECT count(*) FROM audits WHERE event = 'auto_promotion.created'";
    assert_eq!(panel.number(Sql::new(audits)).await, 3);
    let audits = "SELECT count(*) FROM audits WHERE event = 'auto_promotion.updated'";
    assert_eq!(
        panel.number(Sql::new(audits)).await,
        3,
        "one entry for each changed service: service 3, then services 2 and 3"
    );
    for service in panel.get_data(&path).await.as_array().unwrap() {
        let promotion_path = format!("{PROMOTIONS}/{}", service["id"]);
        assert_eq!(
            panel.call("127.0.0.1", Some("owner"), "DELETE", &promotion_path, &Value::Null).await.status,
            204
        );
        assert_eq!(
            panel.call("127.0.0.1", Some("owner"), "DELETE", &promotion_path, &Value::Null).await.status,
            404
        );
    }
    assert_eq!(
        panel.get_data(&format!("{PROMOTIONS}/networks")).await,
        json!([]),
        "a network without services is removed"
    );
}

async fn networks_are_switched_and_sorted(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let (other, service) = create_second_network(&panel).await;
    panel.post_data(&format!("{PROMOTIONS}/services"), json!({ "services": [1, service] })).await;
    let networks = async || panel.get_data(&format!("{PROMOTIONS}/networks")).await;
    assert_eq!(ids(&networks().await), [1, other.as_i64().unwrap()]);
    let toggle = format!("{PROMOTIONS}/networks/1/toggle");
    assert_eq!(panel.post_data(&toggle, json!({})).await["is_enabled"], false);
    assert_eq!(panel.post_data(&toggle, json!({})).await["is_enabled"], true);
    assert_eq!(panel.post(&format!("{PROMOTIONS}/networks/99/toggle"), &json!({})).await.status, 404);
    let sort =
        async |ids: Value| panel.post(&format!("{PROMOTIONS}/sort"), &json!({ "networks": ids })).await;
    assert_eq!(sort(json!([1])).await.status_and_code(), (409, "list_changed".into()));
    assert_eq!(sort(json!([1, other, 77])).await.status_and_code(), (409, "list_changed".into()));
    assert_eq!(sort(json!([other, 1])).await.status, 200);
    assert_eq!(ids(&networks().await), [other.as_i64().unwrap(), 1]);
    let audits = "SELECT count(*) FROM audits WHERE event IN ('auto_promotion.enabled', 'auto_promotion.disabled', 'auto_promotion.sorted')";
    assert_eq!(panel.number(Sql::new(audits)).await, 3);
    // Removing a network closes the gap in the order.
    let first = panel.get_data(&format!("{PROMOTIONS}/services?network_id={other}")).await;
    let removed_path = format!("{PROMOTIONS}/{}", first[0]["id"]);
    assert_eq!(
        panel.call("127.0.0.1", Some("owner"), "DELETE", &removed_path, &Value::Null).await.status,
        204
    );
    assert_eq!((ids(&networks().await), &networks().await[0]["sorting"]), (vec![1], &json!(1)));
}

async fn invalid_auto_promotion_input_is_named(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let wrong = async |body: Value| -> Vec<String> {
        let answer = panel.post(&format!("{PROMOTIONS}/services"), &body).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        answer.json()["errors"].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(wrong(json!({})).await, ["services"]);
    assert_eq!(wrong(json!({ "services": [] })).await, ["services"]);
    assert_eq!(wrong(json!({ "services": [1, 99], "network_id": 1 })).await, ["services.1"]);
    assert_eq!(wrong(json!({ "service_type_id": 99 })).await, ["service_type_id"]);
    assert_eq!(
        wrong(json!({ "network_id": 1, "resale_margin_fraction": "1.5" })).await,
        ["resale_margin_fraction"]
    );
}

async fn an_emptied_network_can_be_added_again(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let (other, service) = create_second_network(&panel).await;
    panel.post_data(&format!("{PROMOTIONS}/services"), json!({ "services": [1, service] })).await;
    let network_ids = async || ids(&panel.get_data(&format!("{PROMOTIONS}/networks")).await);
    assert_eq!(network_ids().await.len(), 2);
    let path = format!("/api/v1/admin/services/{service}");
    let service_type = panel.get_data(&path).await["service_type"]["id"].clone();
    let disable = json!({ "is_enabled": false });
    for level in [format!("networks/{other}"), format!("service-types/{service_type}")] {
        let answer = panel.send("owner", "PATCH", &format!("{PROMOTIONS}/{level}"), &disable, None).await;
        assert_eq!(answer.json()["data"]["is_enabled"], false, "{}", answer.text);
    }
    let moved = panel.put(&path, &json!({ "service_type_id": 1 })).await;
    assert_eq!(moved.status, 200, "{}", moved.text);
    assert_eq!(panel.put(&path, &json!({ "service_type_id": service_type })).await.status, 200);
    let added_again = panel.get_data(&format!("{PROMOTIONS}/networks")).await;
    assert_eq!(
        (&added_again[1]["id"], &added_again[1]["is_enabled"]),
        (&other, &json!(true)),
        "an added network starts with the defaults"
    );
    let added_again = panel.get_data(&format!("{PROMOTIONS}/service-types?network_id={other}")).await;
    assert_eq!(added_again[0]["is_enabled"], true, "an added service type starts with the defaults");
    assert_eq!(panel.put(&path, &json!({ "service_type_id": 1 })).await.status, 200);
    assert_eq!(network_ids().await, [1], "network {other} has no such service any more");
    let sorted = panel.post(&format!("{PROMOTIONS}/sort"), &json!({ "networks": [1] })).await;
    assert_eq!(sorted.status, 200, "{}", sorted.text);
}

async fn each_level_has_its_own_settings_and_order(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let (network, service) = create_second_network(&panel).await;
    panel.post_data(&format!("{PROMOTIONS}/services"), json!({ "services": [1, 2, service] })).await;
    let change = async |path: String, body: Value| {
        panel.send("owner", "PATCH", &format!("{PROMOTIONS}/{path}"), &body, None).await
    };
    let changed = change("networks/1".into(), json!({ "resale_margin_fraction": "0.2" })).await.json();
    assert_eq!(
        (&changed["data"]["resale_margin_fraction"], &changed["data"]["is_enabled"]),
        (&json!("0.2"), &json!(true))
    );
    let types = panel.get_data(&format!("{PROMOTIONS}/service-types?network_id=1")).await;
    let service_type = types[0]["id"].clone();
    let disable = json!({ "is_enabled": false, "resale_margin_fraction": "0.3" });
    let changed = change(format!("service-types/{service_type}"), disable).await.json();
    assert_eq!(
        (&changed["data"]["resale_margin_fraction"], &changed["data"]["is_enabled"]),
        (&json!("0.3"), &json!(false))
    );
    let cleared = change(format!("service-types/{service_type}"), json!({ "resale_margin_fraction": null }))
        .await
        .json();
    assert_eq!(
        (&cleared["data"]["resale_margin_fraction"], &cleared["data"]["is_enabled"]),
        (&Value::Null, &json!(false))
    );
    assert_eq!(change("networks/1".into(), json!({})).await.status, 200, "an empty body changes nothing");
    assert_eq!(change("networks/1".into(), json!({ "resale_margin_fraction": "2" })).await.status, 422);
    assert_eq!(change("networks/99".into(), json!({ "is_enabled": true })).await.status, 404);
    assert_eq!(change("service-types/99".into(), json!({ "is_enabled": true })).await.status, 404);
    let services = async || {
        let promotions =
            panel.get_data(&format!("{PROMOTIONS}/services?service_type_id={service_type}")).await;
        promotions
            .as_array()
            .unwrap()
            .iter()
            .map(|promotion| promotion["service"]["id"].as_i64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(services().await, [1, 2]);
    let sort = format!("{PROMOTIONS}/service-types/{service_type}/sort-services");
    assert_eq!(
        panel.post(&sort, &json!({ "services": [2] })).await.status_and_code(),
        (409, "list_changed".into())
    );
    assert_eq!(panel.post_data(&sort, json!({ "services": [2, 1] })).await[0]["sorting"], 1);
    assert_eq!(services().await, [2, 1]);
    let other_type =
        panel.post_data("/api/v1/admin/service-types", json!({ "name": "Likes", "network": network })).await;
    let service = json!({ "name": "Likes", "service_type_id": other_type["id"], "min_quantity": 1, "max_quantity": 9, "default_price": "2" });
    let service = panel.post_data("/api/v1/admin/services", service).await["id"].clone();
    panel.post_data(&format!("{PROMOTIONS}/services"), json!({ "services": [service] })).await;
    let types_path = format!("{PROMOTIONS}/service-types?network_id={network}");
    let before = ids(&panel.get_data(&types_path).await);
    let reversed: Vec<i64> = before.iter().rev().copied().collect();
    let sort = format!("{PROMOTIONS}/networks/{network}/sort-service-types");
    assert_eq!(ids(&panel.post_data(&sort, json!({ "service_types": reversed })).await), reversed);
    assert_eq!(ids(&panel.get_data(&types_path).await), reversed);
}

async fn a_moved_service_stays_enabled_for_auto_promotion(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let (network, service) = create_second_network(&panel).await;
    let service_type =
        panel.get_data(&format!("/api/v1/admin/services/{service}")).await["service_type"]["id"].clone();
    panel.post_data(&format!("{PROMOTIONS}/services"), json!({ "services": [1] })).await;
    let network_ids = async || ids(&panel.get_data(&format!("{PROMOTIONS}/networks")).await);
    assert_eq!(network_ids().await, [1]);
    let moved = panel.put("/api/v1/admin/services/1", &json!({ "service_type_id": service_type })).await;
    assert_eq!(moved.status, 200, "{}", moved.text);
    assert_eq!(network_ids().await, [network.as_i64().unwrap()], "it is listed in its new network");
    let toggled = panel.post_data(&format!("{PROMOTIONS}/networks/{network}/toggle"), json!({})).await;
    assert_eq!(toggled["is_enabled"], false);
    let types = panel.get_data(&format!("{PROMOTIONS}/service-types?network_id={network}")).await;
    assert_eq!((&types[0]["is_enabled"], &types[0]["services_count"]), (&json!(true), &json!(1)));
    // A service type that moves to another network moves its services too.
    let move_back = json!({ "panel_service_type": { "network": 1 } });
    let answer = panel.put(&format!("/api/v1/admin/service-types/{service_type}"), &move_back).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(network_ids().await, [1]);
}
