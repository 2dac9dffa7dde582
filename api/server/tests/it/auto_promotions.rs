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

const PROMOTED: &str = "/api/v1/admin/auto-promotions";

/// A second network with one service.
async fn second(panel: &Panel) -> (Value, Value) {
    let network = panel.made("/api/v1/admin/networks", json!({ "name": "Music" })).await["id"].clone();
    let kind =
        panel.made("/api/v1/admin/service-types", json!({ "name": "Plays", "network": network })).await;
    let service = json!({ "name": "Plays", "service_type_id": kind["id"], "min_quantity": 1, "max_quantity": 9, "default_price": "2" });
    let service = panel.made("/api/v1/admin/services", service).await["id"].clone();
    (network, service)
}

async fn services_are_added_changed_and_removed(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel.exec(Sql::new("UPDATE services SET name = 'Zebra likes' WHERE id = 3")).await;
    let path = format!("{PROMOTED}/services");
    let made = panel.made(&path, json!({ "services": [1, 3] })).await;
    assert_eq!((made.as_array().unwrap().len(), &made[0]["is_enabled"]), (2, &json!(true)));
    assert_eq!(made[0]["service"]["name"], "Service 1");
    let types = panel.data(&format!("{PROMOTED}/service-types")).await;
    assert_eq!(
        (&types[0]["services_count"], &types[0]["other_services_count"], &types[0]["is_enabled"]),
        (&json!(2), &json!(1), &json!(true))
    );
    let change = json!({ "services": [3, 2], "is_enabled": false, "resale_margin_percent": "0.25" });
    let changed = panel.made(&path, change).await;
    assert_eq!(
        (&changed[0]["resale_margin_percent"], &changed[1]["is_enabled"]),
        (&json!("0.25"), &json!(false))
    );
    let all = panel.data(&path).await;
    let enabled: Vec<bool> =
        all.as_array().unwrap().iter().map(|one| one["is_enabled"].as_bool().unwrap()).collect();
    assert_eq!(enabled, [true, false, false]);
    // The change log is searched by the name of the service, whose id differs from the entry's.
    let log = "/api/v1/admin/services/logs?type=auto_promotion&action_type=updated&search";
    let found = panel.data(&format!("{log}=zebra+margin")).await;
    let changes: Vec<&str> =
        found.as_array().unwrap().iter().map(|entry| entry["information"].as_str().unwrap()).collect();
    assert_eq!(changes, ["Zebra likes: Resale margin percent"]);
    assert_eq!(panel.data(&format!("{log}=quagga")).await, json!([]));
    // Add all services of a service type at once.
    let whole = panel.made(&path, json!({ "service_type_id": 1, "is_enabled": true })).await;
    assert_eq!(whole.as_array().unwrap().len(), 3);
    let audited = "SELECT count(*) FROM audits WHERE event = 'auto_promotion.created'";
    assert_eq!(panel.number(Sql::new(audited)).await, 3);
    let audited = "SELECT count(*) FROM audits WHERE event = 'auto_promotion.updated'";
    assert_eq!(panel.number(Sql::new(audited)).await, 3, "only what differs: 3 before, then 2 and 3 again");
    for service in panel.data(&path).await.as_array().unwrap() {
        let one = format!("{PROMOTED}/{}", service["id"]);
        assert_eq!(panel.call("127.0.0.1", Some("owner"), "DELETE", &one, &Value::Null).await.status, 204);
        assert_eq!(panel.call("127.0.0.1", Some("owner"), "DELETE", &one, &Value::Null).await.status, 404);
    }
    assert_eq!(
        panel.data(&format!("{PROMOTED}/networks")).await,
        json!([]),
        "the last one takes its network along"
    );
}

async fn networks_are_switched_and_sorted(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let (other, service) = second(&panel).await;
    panel.made(&format!("{PROMOTED}/services"), json!({ "services": [1, service] })).await;
    let networks = async || panel.data(&format!("{PROMOTED}/networks")).await;
    assert_eq!(ids(&networks().await), [1, other.as_i64().unwrap()]);
    let toggle = format!("{PROMOTED}/networks/1/toggle");
    assert_eq!(panel.made(&toggle, json!({})).await["is_enabled"], false);
    assert_eq!(panel.made(&toggle, json!({})).await["is_enabled"], true);
    assert_eq!(panel.post(&format!("{PROMOTED}/networks/99/toggle"), &json!({})).await.status, 404);
    let sort = async |ids: Value| panel.post(&format!("{PROMOTED}/sort"), &json!({ "networks": ids })).await;
    assert_eq!(sort(json!([1])).await.says(), (409, "list_changed".into()));
    assert_eq!(sort(json!([1, other, 77])).await.says(), (409, "list_changed".into()));
    assert_eq!(sort(json!([other, 1])).await.status, 200);
    assert_eq!(ids(&networks().await), [other.as_i64().unwrap(), 1]);
    let audits = "SELECT count(*) FROM audits WHERE event IN ('auto_promotion.enabled', 'auto_promotion.disabled', 'auto_promotion.sorted')";
    assert_eq!(panel.number(Sql::new(audits)).await, 3);
    // Removing a network closes the gap in the order.
    let first = panel.data(&format!("{PROMOTED}/services?network_id={other}")).await;
    let gone = format!("{PROMOTED}/{}", first[0]["id"]);
    assert_eq!(panel.call("127.0.0.1", Some("owner"), "DELETE", &gone, &Value::Null).await.status, 204);
    assert_eq!((ids(&networks().await), &networks().await[0]["sorting"]), (vec![1], &json!(1)));
}

async fn invalid_auto_promotion_input_is_named(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let wrong = async |body: Value| -> Vec<String> {
        let answer = panel.post(&format!("{PROMOTED}/services"), &body).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        answer.json()["errors"].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(wrong(json!({})).await, ["services"]);
    assert_eq!(wrong(json!({ "services": [] })).await, ["services"]);
    assert_eq!(wrong(json!({ "services": [1, 99], "network_id": 1 })).await, ["services.1"]);
    assert_eq!(wrong(json!({ "service_type_id": 99 })).await, ["service_type_id"]);
    assert_eq!(
        wrong(json!({ "network_id": 1, "resale_margin_percent": "1.5" })).await,
        ["resale_margin_percent"]
    );
}

async fn an_emptied_network_can_be_added_again(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let (other, service) = second(&panel).await;
    panel.made(&format!("{PROMOTED}/services"), json!({ "services": [1, service] })).await;
    let listed = async || ids(&panel.data(&format!("{PROMOTED}/networks")).await);
    assert_eq!(listed().await.len(), 2);
    let path = format!("/api/v1/admin/services/{service}");
    let kind = panel.data(&path).await["service_type"]["id"].clone();
    let off = json!({ "is_enabled": false });
    for level in [format!("networks/{other}"), format!("service-types/{kind}")] {
        let answer = panel.send("owner", "PATCH", &format!("{PROMOTED}/{level}"), &off, None).await;
        assert_eq!(answer.json()["data"]["is_enabled"], false, "{}", answer.text);
    }
    let moved = panel.renew(&path, &json!({ "service_type_id": 1 })).await;
    assert_eq!(moved.status, 200, "{}", moved.text);
    assert_eq!(panel.renew(&path, &json!({ "service_type_id": kind })).await.status, 200);
    let again = panel.data(&format!("{PROMOTED}/networks")).await;
    assert_eq!(
        (&again[1]["id"], &again[1]["is_enabled"]),
        (&other, &json!(true)),
        "it starts with the defaults"
    );
    let again = panel.data(&format!("{PROMOTED}/service-types?network_id={other}")).await;
    assert_eq!(again[0]["is_enabled"], true, "as its service type does");
    assert_eq!(panel.renew(&path, &json!({ "service_type_id": 1 })).await.status, 200);
    assert_eq!(listed().await, [1], "{other} has none of them any more");
    let sorted = panel.post(&format!("{PROMOTED}/sort"), &json!({ "networks": [1] })).await;
    assert_eq!(sorted.status, 200, "{}", sorted.text);
}

async fn each_level_has_its_own_settings_and_order(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let (network, service) = second(&panel).await;
    panel.made(&format!("{PROMOTED}/services"), json!({ "services": [1, 2, service] })).await;
    let change = async |path: String, body: Value| {
        panel.send("owner", "PATCH", &format!("{PROMOTED}/{path}"), &body, None).await
    };
    let changed = change("networks/1".into(), json!({ "resale_margin_percent": "0.2" })).await.json();
    assert_eq!(
        (&changed["data"]["resale_margin_percent"], &changed["data"]["is_enabled"]),
        (&json!("0.2"), &json!(true))
    );
    let types = panel.data(&format!("{PROMOTED}/service-types?network_id=1")).await;
    let kind = types[0]["id"].clone();
    let off = json!({ "is_enabled": false, "resale_margin_percent": "0.3" });
    let changed = change(format!("service-types/{kind}"), off).await.json();
    assert_eq!(
        (&changed["data"]["resale_margin_percent"], &changed["data"]["is_enabled"]),
        (&json!("0.3"), &json!(false))
    );
    let none = change(format!("service-types/{kind}"), json!({ "resale_margin_percent": null })).await.json();
    assert_eq!(
        (&none["data"]["resale_margin_percent"], &none["data"]["is_enabled"]),
        (&Value::Null, &json!(false))
    );
    assert_eq!(change("networks/1".into(), json!({})).await.status, 200, "an empty body changes nothing");
    assert_eq!(change("networks/1".into(), json!({ "resale_margin_percent": "2" })).await.status, 422);
    assert_eq!(change("networks/99".into(), json!({ "is_enabled": true })).await.status, 404);
    assert_eq!(change("service-types/99".into(), json!({ "is_enabled": true })).await.status, 404);
    let services = async || {
        let all = panel.data(&format!("{PROMOTED}/services?service_type_id={kind}")).await;
        all.as_array().unwrap().iter().map(|one| one["service"]["id"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(services().await, [1, 2]);
    let sort = format!("{PROMOTED}/service-types/{kind}/sort-services");
    assert_eq!(panel.post(&sort, &json!({ "services": [2] })).await.says(), (409, "list_changed".into()));
    assert_eq!(panel.made(&sort, json!({ "services": [2, 1] })).await[0]["sorting"], 1);
    assert_eq!(services().await, [2, 1]);
    let more =
        panel.made("/api/v1/admin/service-types", json!({ "name": "Likes", "network": network })).await;
    let like = json!({ "name": "Likes", "service_type_id": more["id"], "min_quantity": 1, "max_quantity": 9, "default_price": "2" });
    let like = panel.made("/api/v1/admin/services", like).await["id"].clone();
    panel.made(&format!("{PROMOTED}/services"), json!({ "services": [like] })).await;
    let of = format!("{PROMOTED}/service-types?network_id={network}");
    let before = ids(&panel.data(&of).await);
    let turned: Vec<i64> = before.iter().rev().copied().collect();
    let sort = format!("{PROMOTED}/networks/{network}/sort-service-types");
    assert_eq!(ids(&panel.made(&sort, json!({ "service_types": turned })).await), turned);
    assert_eq!(ids(&panel.data(&of).await), turned);
}

async fn a_moved_service_stays_enabled_for_auto_promotion(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let (network, service) = second(&panel).await;
    let kind = panel.data(&format!("/api/v1/admin/services/{service}")).await["service_type"]["id"].clone();
    panel.made(&format!("{PROMOTED}/services"), json!({ "services": [1] })).await;
    let listed = async || ids(&panel.data(&format!("{PROMOTED}/networks")).await);
    assert_eq!(listed().await, [1]);
    let moved = panel.renew("/api/v1/admin/services/1", &json!({ "service_type_id": kind })).await;
    assert_eq!(moved.status, 200, "{}", moved.text);
    assert_eq!(listed().await, [network.as_i64().unwrap()], "it is listed where it went");
    let toggled = panel.made(&format!("{PROMOTED}/networks/{network}/toggle"), json!({})).await;
    assert_eq!(toggled["is_enabled"], false);
    let types = panel.data(&format!("{PROMOTED}/service-types?network_id={network}")).await;
    assert_eq!((&types[0]["is_enabled"], &types[0]["services_count"]), (&json!(true), &json!(1)));
    // A service type that moves to another network moves its services too.
    let back = json!({ "panel_service_type": { "network": 1 } });
    let back = panel.renew(&format!("/api/v1/admin/service-types/{kind}"), &back).await;
    assert_eq!(back.status, 200, "{}", back.text);
    assert_eq!(listed().await, [1]);
}
