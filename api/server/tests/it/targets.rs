//! Targets and groups of checks: their editors, what services ask for, and what orders answer.

use panel_contract::ids::UserId;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::orders::place::{NewOrder, place};
use serde_json::{Value, json};

use crate::networks::ids;
use crate::panel::Panel;
use crate::shop::PLAIN;

both! {
    a_target_is_made_and_changed;
    what_is_wrong_with_a_target_is_named;
    a_service_asks_and_its_orders_answer;
    addresses_go_through_their_checks;
    a_service_takes_no_checker_group_of_another_kind;
    what_services_ask_for_stays;
}

const TARGETS: &str = "/api/v1/admin/targets";
const GROUPS: &str = "/api/v1/admin/promotable-checker-groups";
const SERVICE: &str = "/api/v1/admin/services/1";

impl Panel {
    async fn wrong(&self, method: &str, path: &str, body: Value) -> Vec<String> {
        let answer = self.send("owner", method, path, &body, None).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        answer.json()["errors"].as_object().unwrap().keys().cloned().collect()
    }

    /// The fields that placing an order names, or none when it is placed.
    async fn placed(&self, order: &NewOrder) -> Vec<String> {
        let mut work = self.work().await;
        match place(&mut work, order).await {
            Ok(placed) => {
                work.finish(placed.id).await.unwrap();
                Vec::new()
            }
            Err(error) => error.report("").errors.0.into_keys().collect(),
        }
    }
}

fn order(url: &str, targets: &[(&str, &str)]) -> NewOrder {
    let targets = targets.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    NewOrder { targets, ..NewOrder::plain(UserId::new(1), PLAIN, url, 100) }
}

async fn a_target_is_made_and_changed(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let body = json!({ "name": "Countries", "placeholder": "Where from?", "target_type_id": 1, "selectable_values": ["DE", "FR"],
        "is_visible_default_values": true, "translations": { "en": {}, "de": { "name": "Länder" } } });
    let made = panel.made(TARGETS, body).await;
    assert_eq!(
        (&made["target_type"]["name"], &made["target_type"]["view_type"]),
        (&json!("geotargeting"), &json!("multiselect"))
    );
    let texts =
        json!({ "en": { "name": "Countries", "placeholder": "Where from?" }, "de": { "name": "Länder" } });
    assert_eq!((&made["translations"], &made["placeholder"]), (&texts, &json!("Where from?")));
    let path = format!("{TARGETS}/{}", made["id"]);
    assert_eq!(panel.data(&path).await, made);
    assert_eq!(made["actions"], json!({ "editable": true, "deletable": true }));
    panel.clock.advance_secs(5);
    let change =
        json!({ "placeholder": null, "selectable_values": ["US", "DE"], "updated_at": made["updated_at"] });
    let changed = panel.renew(&path, &change).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let changed = changed.json()["data"].clone();
    assert_eq!(
        (&changed["placeholder"], &changed["selectable_values"]),
        (&Value::Null, &json!(["US", "DE"]))
    );
    assert_eq!(changed["translations"]["de"]["name"], "Länder");
    assert_eq!(panel.renew(&path, &change).await.says(), (409, "changed_meanwhile".into()));
    let found = panel
        .data(&format!("{TARGETS}?columns[0][data]=target_type.name&columns[0][search][value]=geotargeting"))
        .await;
    assert_eq!(ids(&found), [made["id"].as_i64().unwrap()]);
    let words = panel.data(&format!("{TARGETS}/dictionaries")).await;
    assert_eq!(
        (words["view_types"].as_array().unwrap().len(), words["names"].as_array().unwrap().len()),
        (7, 5)
    );
    assert_eq!(words["target_types"], panel.data("/api/v1/admin/target-types").await);
    assert_eq!(words["target_attachments_types"], panel.data("/api/v1/admin/target-attachments-types").await);
    let logs = panel
        .data("/api/v1/admin/services/logs?columns[0][data]=type&columns[0][search][value]=target")
        .await;
    assert!(logs.as_array().unwrap().len() >= 2, "{logs}");
    let audits = Sql::new("SELECT count(*) FROM audits WHERE event IN ('target.created', 'target.updated')");
    assert_eq!(panel.number(audits).await, 2);
    panel.staff("reader", &[Permission::ViewServices]).await;
    let read = panel.get_as("reader", TARGETS, "*/*").await;
    assert_eq!(read.status, 200);
    assert_eq!(read.json()["data"][0]["actions"], json!({ "editable": false, "deletable": false }));
    assert_eq!(panel.send("reader", "POST", TARGETS, &json!({}), None).await.status, 403);
    let id = made["id"].as_i64().unwrap();
    panel.exec(Sql::new("UPDATE targets SET is_system = TRUE WHERE id = ?").bind(id)).await;
    assert_eq!(panel.data(&path).await["actions"], json!({ "editable": true, "deletable": false }));
    let refused = panel.send("owner", "DELETE", &path, &json!({}), None).await;
    assert_eq!(refused.says(), (409, "target_is_system".into()));
}

async fn what_is_wrong_with_a_target_is_named(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    assert_eq!(
        panel.wrong("POST", TARGETS, json!({ "target_type_id": 99 })).await,
        ["name", "target_type_id"]
    );
    let values = json!({ "name": "A", "target_type_id": 1, "selectable_values": ["DE", "Germany"] });
    assert_eq!(panel.wrong("POST", TARGETS, values).await, ["selectable_values.1"]);
    let group = json!({ "name": "A", "service_type_type": "Youtube", "checkers": ["https://a.example"] });
    assert_eq!(panel.wrong("POST", GROUPS, group).await, ["checkers.0"]);
    assert_eq!(panel.get(&format!("{TARGETS}/99")).await.status, 404);
    assert_eq!(panel.renew(&format!("{GROUPS}/99"), &json!({})).await.status, 404);
    let targets = json!({ "targets": [99] });
    assert_eq!(panel.wrong("PUT", SERVICE, targets).await, ["targets.0"]);
}

async fn a_service_asks_and_its_orders_answer(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let geo = json!({ "name": "Countries", "target_type_id": 1, "selectable_values": ["DE", "FR", "US"] });
    let geo = panel.made(TARGETS, geo).await["id"].clone();
    let word = panel.made(TARGETS, json!({ "name": "Keyword", "target_type_id": 4 })).await["id"].clone();
    let fixed = panel.made(TARGETS, json!({ "name": "Source", "target_type_id": 4 })).await["id"].clone();
    let ask = json!({ "targets": [word, geo, fixed], "targetable_values": [{ "target_id": geo, "values": ["DE", "FR"] }, { "target_id": fixed, "values": ["organic"] }],
        "target_attachments": [{ "target_id": word, "type": "optional" }, { "target_id": fixed, "type": "fixed" }] });
    let asked = panel.renew(SERVICE, &ask).await;
    assert_eq!(asked.status, 200, "{}", asked.text);
    let asked = asked.json()["data"].clone();
    assert_eq!(asked["targets"][0]["name"], "Keyword");
    assert_eq!(asked["targetable_values"], ask["targetable_values"]);
    assert_eq!(asked["target_attachments"][1], json!({ "target_id": geo, "type": "required" }));
    assert_eq!(panel.data(SERVICE).await["targets"], asked["targets"]);
    let copy = panel.made(&format!("{SERVICE}/copy"), json!({})).await;
    assert_eq!(copy["target_attachments"], asked["target_attachments"]);
    let geo_path = format!("{TARGETS}/{geo}");
    assert_eq!(
        panel.wrong("PUT", &geo_path, json!({ "selectable_values": ["US"] })).await,
        ["selectable_values"]
    );
    assert_eq!(panel.data(&geo_path).await["services_count"], 2);
    assert_eq!(
        panel
            .wrong("PUT", SERVICE, json!({ "targetable_values": [{ "target_id": geo, "values": ["XX"] }] }))
            .await,
        ["targetable_values"]
    );
    let url = "https://video.example/a";
    assert_eq!(panel.placed(&order(url, &[])).await, ["targets.Countries"]);
    assert_eq!(
        panel.placed(&order(url, &[("Countries", "US"), ("Mood", "good")])).await,
        ["targets.Countries", "targets.Mood"]
    );
    assert_eq!(panel.placed(&order(url, &[("Countries", "FR"), ("Keyword", "cats")])).await, [] as [&str; 0]);
    let last = "SELECT max(id) FROM orders";
    let values = panel.data(&format!("/api/v1/admin/orders/{}", panel.number(Sql::new(last)).await)).await;
    let expected = json!([{ "name": "Keyword", "value": "cats" }, { "name": "Countries", "value": "FR" }, { "name": "Source", "value": "organic" }]);
    assert_eq!(values["targetable_values"], expected);
    assert_eq!((&values["keyword"], &values["countries"]), (&json!("cats"), &json!(["FR"])));
    for (column, value, found) in
        [("keyword", "cats", 1), ("keyword", "dogs", 0), ("countries", "FR", 1), ("countries", "US", 0)]
    {
        let list =
            format!("/api/v1/admin/orders?columns[0][data]={column}&columns[0][search][value]={value}");
        assert_eq!(panel.get(&list).await.json()["recordsFiltered"], found, "{column} {value}");
    }
    panel.renew(SERVICE, &json!({ "targets": [] })).await;
    assert_eq!(panel.placed(&order(url, &[])).await, [] as [&str; 0], "nothing is asked any more");
}

async fn addresses_go_through_their_checks(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let body =
        json!({ "name": "Videos", "service_type_type": "Youtube", "checkers": ["video.example/watch*"] });
    let made = panel.made(GROUPS, body.clone()).await;
    assert_eq!(panel.post(GROUPS, &body).await.says(), (422, "name_taken".into()));
    let asked = panel.renew(SERVICE, &json!({ "promotable_checker_group_id": made["id"] })).await;
    assert_eq!(asked.status, 200, "{}", asked.text);
    assert_eq!(panel.data(GROUPS).await[0]["services_count"], 1);
    assert_eq!(panel.placed(&order("https://video.example/me", &[])).await, ["url"]);
    assert_eq!(panel.placed(&order("https://video.example/watch?v=1", &[])).await, [] as [&str; 0]);
    panel.clock.advance_secs(5);
    let path = format!("{GROUPS}/{}", made["id"]);
    let change = json!({ "checkers": ["video.example/*"], "updated_at": made["updated_at"] });
    assert_eq!(panel.renew(&path, &change).await.json()["data"]["checkers"], json!(["video.example/*"]));
    assert_eq!(panel.renew(&path, &change).await.says(), (409, "changed_meanwhile".into()));
    assert_eq!(panel.placed(&order("https://video.example/me", &[])).await, [] as [&str; 0]);
}

/// A group of Instagram addresses is for Instagram services; one of other addresses is for all.
async fn a_service_takes_no_checker_group_of_another_kind(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let sql = "INSERT INTO service_types (id, network_id, name, type, created_at, updated_at) VALUES (2, 1, 'Posts', 'Instagram', 1, 1), (3, 1, 'Mixed', 'Other', 1, 1)";
    panel.exec(Sql::new(sql)).await;
    let group = async |kind: &str| {
        let body = json!({ "name": kind, "service_type_type": kind, "checkers": ["video.example/*"] });
        panel.made(GROUPS, body).await["id"].clone()
    };
    let (posts, any) = (group("Instagram").await, group("Other").await);
    let with =
        |group: &Value, kind: i64| json!({ "promotable_checker_group_id": group, "service_type_id": kind });
    let refused = async |body: Value, field: &str| {
        let answer = panel.renew(SERVICE, &body).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        let errors = answer.json()["errors"].clone();
        assert_eq!(errors.as_object().unwrap().keys().collect::<Vec<_>>(), [field], "{}", answer.text);
    };
    refused(json!({ "promotable_checker_group_id": posts }), "promotable_checker_group_id").await;
    for body in [with(&any, 1), with(&posts, 3), with(&posts, 2)] {
        assert_eq!(panel.renew(SERVICE, &body).await.status, 200, "{body}");
    }
    refused(json!({ "service_type_id": 1 }), "service_type_id").await;
    // What a group is about may change; the service is judged where it is changed itself.
    let path = format!("{GROUPS}/{posts}");
    let change = json!({ "service_type_type": "Tiktok" });
    assert_eq!(panel.renew(&path, &change).await.status, 200);
    assert_eq!(panel.renew(SERVICE, &json!({ "name": "Renamed" })).await.status, 200);
}

async fn what_services_ask_for_stays(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let delete =
        async |path: &str| panel.call("127.0.0.1", Some("owner"), "DELETE", path, &Value::Null).await;
    let target = json!({ "name": "Your comments", "target_type_id": 3 });
    let target = panel.made("/api/v1/admin/targets", target).await["id"].clone();
    let group = json!({ "name": "Videos", "service_type_type": "Youtube", "checkers": ["video.example/*"] });
    let group = panel.made("/api/v1/admin/promotable-checker-groups", group).await["id"].clone();
    let asks = json!({ "targets": [target], "promotable_checker_group_id": group });
    assert_eq!(panel.renew("/api/v1/admin/services/1", &asks).await.status, 200);
    let paths = [
        format!("/api/v1/admin/targets/{target}"),
        format!("/api/v1/admin/promotable-checker-groups/{group}"),
    ];
    for (path, code) in paths.iter().zip(["target_in_use", "group_in_use"]) {
        let refused = delete(path).await;
        assert_eq!(refused.says(), (409, code.into()), "{}", refused.text);
        assert!(refused.text.contains("services: Service 1 (1)"), "{}", refused.text);
    }
    let none = json!({ "targets": [], "promotable_checker_group_id": null });
    assert_eq!(panel.renew("/api/v1/admin/services/1", &none).await.status, 200);
    for path in &paths {
        assert_eq!(delete(path).await.status, 204);
        assert_eq!(delete(path).await.status, 404);
    }
    let system = json!({ "name": "Countries", "target_type_id": 1, "selectable_values": ["DE"] });
    let system = panel.made("/api/v1/admin/targets", system).await["id"].clone();
    panel.exec(Sql::new("UPDATE targets SET is_system = TRUE WHERE id = ?").bind(system.as_i64())).await;
    let kept = delete(&format!("/api/v1/admin/targets/{system}")).await;
    assert_eq!(kept.says(), (409, "target_is_system".into()));
}
