//! Special offers: creating and changing them, their actions, and the lists of choices for the form.

use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::networks::ids;
use crate::panel::Panel;

test_both_databases! {
    an_offer_is_created_changed_and_deleted;
    the_error_names_each_invalid_field_of_an_offer;
    the_choices_of_the_form_depend_on_the_network;
}

const OFFERS_PATH: &str = "/api/v1/admin/special-offers";

fn offer_body() -> Value {
    json!({ "translations": { "en": { "name": "Hot now" }, "de": { "name": "Heiß" } }, "network_id": 1, "place": "home_page", "position": "second",
        "services": [3, 1], "service_types": [1], "is_enabled": true })
}

async fn an_offer_is_created_changed_and_deleted(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let created_record = panel.post_data(OFFERS_PATH, offer_body()).await;
    assert_eq!((&created_record["name"], &created_record["status"]), (&json!("Hot now"), &json!("active")));
    assert_eq!(
        ids(&created_record["services"]),
        [3, 1],
        "the services must stay in the order of the request"
    );
    assert_eq!(
        (&created_record["network"]["name"], &created_record["services_count"]),
        (&json!("Video"), &json!(2))
    );
    let path = format!("{OFFERS_PATH}/{}", created_record["id"]);
    assert_eq!(panel.get_data(&path).await, created_record);
    panel.clock.advance_secs(5);
    let change_body = json!({ "place": "orders", "position": "top", "services": [2], "updated_at": created_record["updated_at"] });
    let change_response = panel.put(&path, &change_body).await;
    assert_eq!(change_response.status, 200, "{}", change_response.text);
    assert_eq!(ids(&change_response.json()["data"]["services"]), [2]);
    assert_eq!(
        ids(&change_response.json()["data"]["service_types"]),
        [1],
        "a field that is not in the body must not change"
    );
    assert_eq!(panel.put(&path, &change_body).await.status_and_code(), (409, "changed_meanwhile".into()));
    let post_action = async |action: &str| panel.post(&format!("{path}/{action}"), &json!({})).await;
    let delete_offer =
        async || panel.request_from("127.0.0.1", Some("owner"), "DELETE", &path, &Value::Null).await;
    assert_eq!(post_action("enable").await.status_and_code(), (409, "special_offer_enabled".into()));
    assert_eq!(post_action("disable").await.json()["data"]["status"], "disabled");
    assert_eq!(post_action("disable").await.status_and_code(), (409, "special_offer_disabled".into()));
    let filtered_path = format!("{OFFERS_PATH}?columns[0][data]=status&columns[0][search][value]=disabled");
    assert_eq!(ids(&panel.get_data(&filtered_path).await).len(), 1);
    assert_eq!(delete_offer().await.status_and_code(), (409, "special_offer_not_archived".into()));
    assert_eq!(post_action("archive").await.json()["data"]["status"], "archived");
    assert_eq!(post_action("enable").await.status_and_code(), (409, "special_offer_archived".into()));
    assert_eq!(panel.put(&path, &json!({})).await.status_and_code(), (409, "special_offer_archived".into()));
    assert_eq!(post_action("unarchive").await.json()["data"]["status"], "disabled");
    assert_eq!(post_action("enable").await.status, 200);
    assert_eq!(post_action("archive").await.status, 200);
    assert_eq!(delete_offer().await.status, 204);
    assert_eq!(panel.get(&path).await.status, 404);
    let remaining_rows_sql = "SELECT (SELECT count(*) FROM translations WHERE owner_type = 'special_offer') + (SELECT count(*) FROM special_offer_services)";
    assert_eq!(panel.fetch_number(Sql::new(remaining_rows_sql)).await, 0);
    let count_audits_sql = "SELECT count(*) FROM audits WHERE event LIKE 'special_offer.%'";
    assert_eq!(panel.fetch_number(Sql::new(count_audits_sql)).await, 8);
}

async fn the_error_names_each_invalid_field_of_an_offer(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let other_network =
        panel.post_data("/api/v1/admin/networks", json!({ "name": "Music" })).await["id"].clone();
    let error_fields = async |change_body: Value| -> Vec<String> {
        let mut body = offer_body();
        body.as_object_mut().unwrap().extend(change_body.as_object().unwrap().clone());
        let response = panel.post(OFFERS_PATH, &body).await;
        assert_eq!(response.status, 422, "{}", response.text);
        response.json()["errors"].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(
        error_fields(json!({ "position": "bottom" })).await,
        ["position"],
        "the home page must accept only its own positions"
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
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let collections = panel.get_data(&format!("{OFFERS_PATH}/collection")).await;
    assert_eq!(collections["places"][0]["type"], "home_page");
    assert_eq!(
        (&collections["positions"][0]["type"], &collections["homePagePositions"][0]["type"]),
        (&json!("top"), &json!("first"))
    );
    let fetch_services =
        async |query: &str| panel.get(&format!("{OFFERS_PATH}/services?{query}")).await.json();
    let page = fetch_services("networkId=1").await;
    assert_eq!(
        (ids(&page["items"]), &page["currentPage"], &page["lastPage"]),
        (vec![1, 2, 3], &json!(1), &json!(1))
    );
    assert_eq!(ids(&fetch_services("networkId=1&search=service").await["items"]), [1, 2, 3]);
    assert_eq!(ids(&fetch_services("search=2").await["items"]), [2], "a number must match an id");
    assert_eq!(ids(&fetch_services("networkId=2").await["items"]), Vec::<i64>::new());
    panel.execute(Sql::new("UPDATE services SET is_archived = NOT is_archived WHERE id = 2")).await;
    assert_eq!(ids(&fetch_services("").await["items"]), [1, 3]);
    assert_eq!(panel.get(&format!("{OFFERS_PATH}/services?page=0")).await.status, 422);
    assert_eq!(ids(&panel.get_data(&format!("{OFFERS_PATH}/service-types?networkId=1")).await), [1]);
    assert_eq!(ids(&panel.get_data(&format!("{OFFERS_PATH}/networks")).await), [1]);
}
