//! Special offers: creation, changes, actions, and the lists that their form chooses from.

use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::networks::ids;
use crate::panel::Panel;

both! {
    an_offer_is_created_changed_and_deleted;
    errors_of_an_offer_name_each_wrong_field;
    the_choices_of_the_form_depend_on_the_network;
}

const OFFERS: &str = "/api/v1/admin/special-offers";

fn offer_body() -> Value {
    json!({ "translations": { "en": { "name": "Hot now" }, "de": { "name": "Heiß" } }, "network_id": 1, "place": "home_page", "position": "second",
        "services": [3, 1], "service_types": [1], "is_enabled": true })
}

async fn an_offer_is_created_changed_and_deleted(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let created = panel.post_data(OFFERS, offer_body()).await;
    assert_eq!((&created["name"], &created["status"]), (&json!("Hot now"), &json!("active")));
    assert_eq!(ids(&created["services"]), [3, 1], "the services keep their order");
    assert_eq!((&created["network"]["name"], &created["services_count"]), (&json!("Video"), &json!(2)));
    let path = format!("{OFFERS}/{}", created["id"]);
    assert_eq!(panel.get_data(&path).await, created);
    panel.clock.advance_secs(5);
    let change =
        json!({ "place": "orders", "position": "top", "services": [2], "updated_at": created["updated_at"] });
    let changed = panel.put(&path, &change).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    assert_eq!(ids(&changed.json()["data"]["services"]), [2]);
    assert_eq!(
        ids(&changed.json()["data"]["service_types"]),
        [1],
        "a field that the body does not contain changed"
    );
    assert_eq!(panel.put(&path, &change).await.status_and_code(), (409, "changed_meanwhile".into()));
    let post_action = async |action: &str| panel.post(&format!("{path}/{action}"), &json!({})).await;
    let delete = async || panel.call("127.0.0.1", Some("owner"), "DELETE", &path, &Value::Null).await;
    assert_eq!(post_action("enable").await.status_and_code(), (409, "special_offer_enabled".into()));
    assert_eq!(post_action("disable").await.json()["data"]["status"], "disabled");
    assert_eq!(post_action("disable").await.status_and_code(), (409, "special_offer_disabled".into()));
    let filter = format!("{OFFERS}?columns[0][data]=status&columns[0][search][value]=disabled");
    assert_eq!(ids(&panel.get_data(&filter).await).len(), 1);
    assert_eq!(delete().await.status_and_code(), (409, "special_offer_not_archived".into()));
    assert_eq!(post_action("archive").await.json()["data"]["status"], "archived");
    assert_eq!(post_action("enable").await.status_and_code(), (409, "special_offer_archived".into()));
    assert_eq!(panel.put(&path, &json!({})).await.status_and_code(), (409, "special_offer_archived".into()));
    assert_eq!(post_action("unarchive").await.json()["data"]["status"], "disabled");
    assert_eq!(post_action("enable").await.status, 200);
    assert_eq!(post_action("archive").await.status, 200);
    assert_eq!(delete().await.status, 204);
    assert_eq!(panel.get(&path).await.status, 404);
    let remaining_rows = "SELECT (SELECT count(*) FROM translations WHERE owner_type = 'special_offer') + (SELECT count(*) FROM special_offer_services)";
    assert_eq!(panel.number(Sql::new(remaining_rows)).await, 0);
    let audits = "SELECT count(*) FROM audits WHERE event LIKE 'special_offer.%'";
    assert_eq!(panel.number(Sql::new(audits)).await, 8);
}

async fn errors_of_an_offer_name_each_wrong_field(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let other_network =
        panel.post_data("/api/v1/admin/networks", json!({ "name": "Music" })).await["id"].clone();
    let error_fields = async |change: Value| -> Vec<String> {
        let mut body = offer_body();
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let answer = panel.post(OFFERS, &body).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        answer.json()["errors"].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(
        error_fields(json!({ "position": "bottom" })).await,
        ["position"],
        "the home page has other positions"
    );
    assert_eq!(error_fields(json!({ "network_id": 99 })).await, ["network_id"]);
    assert_eq!(
        error_fields(json!({ "network_id": other_network })).await,
        ["service_types.0", "services.0", "services.1"]
    );
    assert_eq!(error_fields(json!({ "services": [1, 99] })).await, ["services.1"]);
    assert_eq!(error_fields(json!({ "services": [], "service_types": [] })).await, ["services"]);
}

async fn the_choices_of_the_form_depend_on_the_network(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let collection = panel.get_data(&format!("{OFFERS}/collection")).await;
    assert_eq!(collection["places"][0]["type"], "home_page");
    assert_eq!(
        (&collection["positions"][0]["type"], &collection["homePagePositions"][0]["type"]),
        (&json!("top"), &json!("first"))
    );
    let services = async |query: &str| panel.get(&format!("{OFFERS}/services?{query}")).await.json();
    let page = services("networkId=1").await;
    assert_eq!(
        (ids(&page["items"]), &page["currentPage"], &page["lastPage"]),
        (vec![1, 2, 3], &json!(1), &json!(1))
    );
    assert_eq!(ids(&services("networkId=1&search=service").await["items"]), [1, 2, 3]);
    assert_eq!(ids(&services("search=2").await["items"]), [2], "a number also matches an id");
    assert_eq!(ids(&services("networkId=2").await["items"]), Vec::<i64>::new());
    panel.execute(Sql::new("UPDATE services SET is_archived = NOT is_archived WHERE id = 2")).await;
    assert_eq!(ids(&services("").await["items"]), [1, 3]);
    assert_eq!(panel.get(&format!("{OFFERS}/services?page=0")).await.status, 422);
    assert_eq!(ids(&panel.get_data(&format!("{OFFERS}/service-types?networkId=1")).await), [1]);
    assert_eq!(ids(&panel.get_data(&format!("{OFFERS}/networks")).await), [1]);
}
