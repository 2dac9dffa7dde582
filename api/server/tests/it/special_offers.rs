//! Special offers: the editor, what may be done with one, its pickers.

use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::networks::ids;
use crate::panel::Panel;

both! {
    an_offer_is_made_changed_and_deleted;
    what_is_wrong_with_an_offer_is_named;
    its_pickers_go_by_network;
}

const OFFERS: &str = "/api/v1/admin/special-offers";

fn offer() -> Value {
    json!({ "translations": { "en": { "name": "Hot now" }, "de": { "name": "Heiß" } }, "network_id": 1, "place": "home_page", "position": "second",
        "services": [3, 1], "service_types": [1], "is_enabled": true })
}

async fn an_offer_is_made_changed_and_deleted(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let made = panel.made(OFFERS, offer()).await;
    assert_eq!((&made["name"], &made["status"]), (&json!("Hot now"), &json!("active")));
    assert_eq!(ids(&made["services"]), [3, 1], "in their order");
    assert_eq!((&made["network"]["name"], &made["services_count"]), (&json!("Video"), &json!(2)));
    let path = format!("{OFFERS}/{}", made["id"]);
    assert_eq!(panel.data(&path).await, made);
    panel.clock.advance_secs(5);
    let change =
        json!({ "place": "orders", "position": "top", "services": [2], "updated_at": made["updated_at"] });
    let changed = panel.renew(&path, &change).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    assert_eq!(ids(&changed.json()["data"]["services"]), [2]);
    assert_eq!(ids(&changed.json()["data"]["service_types"]), [1], "what is left out stays");
    assert_eq!(panel.renew(&path, &change).await.says(), (409, "changed_meanwhile".into()));
    let act = async |what: &str| panel.post(&format!("{path}/{what}"), &json!({})).await;
    let delete = async || panel.call("127.0.0.1", Some("owner"), "DELETE", &path, &Value::Null).await;
    assert_eq!(act("enable").await.says(), (409, "special_offer_enabled".into()));
    assert_eq!(act("disable").await.json()["data"]["status"], "disabled");
    assert_eq!(act("disable").await.says(), (409, "special_offer_disabled".into()));
    let filter = format!("{OFFERS}?columns[0][data]=status&columns[0][search][value]=disabled");
    assert_eq!(ids(&panel.data(&filter).await).len(), 1);
    assert_eq!(delete().await.says(), (409, "special_offer_not_archived".into()));
    assert_eq!(act("archive").await.json()["data"]["status"], "archived");
    assert_eq!(act("enable").await.says(), (409, "special_offer_archived".into()));
    assert_eq!(panel.renew(&path, &json!({})).await.says(), (409, "special_offer_archived".into()));
    assert_eq!(act("unarchive").await.json()["data"]["status"], "disabled");
    assert_eq!(act("enable").await.status, 200);
    assert_eq!(act("archive").await.status, 200);
    assert_eq!(delete().await.status, 204);
    assert_eq!(panel.get(&path).await.status, 404);
    let left = "SELECT (SELECT count(*) FROM translations WHERE owner_type = 'special_offer') + (SELECT count(*) FROM special_offer_services)";
    assert_eq!(panel.number(Sql::new(left)).await, 0);
    let audits = "SELECT count(*) FROM audits WHERE event LIKE 'special_offer.%'";
    assert_eq!(panel.number(Sql::new(audits)).await, 8);
}

async fn what_is_wrong_with_an_offer_is_named(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let other = panel.made("/api/v1/admin/networks", json!({ "name": "Music" })).await["id"].clone();
    let wrong = async |change: Value| -> Vec<String> {
        let mut body = offer();
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let answer = panel.post(OFFERS, &body).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        answer.json()["errors"].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(wrong(json!({ "position": "bottom" })).await, ["position"], "the home page has its own");
    assert_eq!(wrong(json!({ "network_id": 99 })).await, ["network_id"]);
    assert_eq!(wrong(json!({ "network_id": other })).await, ["service_types.0", "services.0", "services.1"]);
    assert_eq!(wrong(json!({ "services": [1, 99] })).await, ["services.1"]);
    assert_eq!(wrong(json!({ "services": [], "service_types": [] })).await, ["services"]);
}

async fn its_pickers_go_by_network(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let collection = panel.data(&format!("{OFFERS}/collection")).await;
    assert_eq!(collection["places"][0]["type"], "home_page");
    assert_eq!(
        (&collection["positions"][0]["type"], &collection["homePagePositions"][0]["type"]),
        (&json!("top"), &json!("first"))
    );
    let services = async |query: &str| panel.get(&format!("{OFFERS}/services?{query}")).await.json();
    let all = services("networkId=1").await;
    assert_eq!(
        (ids(&all["items"]), &all["currentPage"], &all["lastPage"]),
        (vec![1, 2, 3], &json!(1), &json!(1))
    );
    assert_eq!(ids(&services("networkId=1&search=service").await["items"]), [1, 2, 3]);
    assert_eq!(ids(&services("search=2").await["items"]), [2], "a number is an id as well");
    assert_eq!(ids(&services("networkId=2").await["items"]), Vec::<i64>::new());
    panel.exec(Sql::new("UPDATE services SET is_archived = NOT is_archived WHERE id = 2")).await;
    assert_eq!(ids(&services("").await["items"]), [1, 3]);
    assert_eq!(panel.get(&format!("{OFFERS}/services?page=0")).await.status, 422);
    assert_eq!(ids(&panel.data(&format!("{OFFERS}/service-types?networkId=1")).await), [1]);
    assert_eq!(ids(&panel.data(&format!("{OFFERS}/networks")).await), [1]);
}
