//! Targets and groups of URL checkers: creation and changes, the targets of services, and their values in orders.

use panel_contract::ids::UserId;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::orders::place::{NewOrder, place};
use serde_json::{Value, json};

use crate::networks::ids;
use crate::panel::Panel;
use crate::shop::PLAIN_SERVICE;

test_both_databases! {
    a_target_is_created_and_changed;
    errors_of_a_target_name_each_wrong_field;
    orders_must_have_values_for_the_targets_of_their_service;
    the_url_of_an_order_must_match_the_checkers_of_its_service;
    a_service_rejects_a_checker_group_of_another_type;
    a_target_or_checker_group_in_use_cannot_be_deleted;
}

const TARGETS_PATH: &str = "/api/v1/admin/targets";
const GROUPS_PATH: &str = "/api/v1/admin/promotable-checker-groups";
const SERVICE_PATH: &str = "/api/v1/admin/services/1";

impl Panel {
    async fn error_fields(&self, method: &str, path: &str, body: Value) -> Vec<String> {
        let response = self.send("owner", method, path, &body, None).await;
        assert_eq!(response.status, 422, "{}", response.text);
        response.json()["errors"].as_object().unwrap().keys().cloned().collect()
    }

    /// Places an order. Returns the fields of the error, and none after success.
    async fn place_and_return_error_fields(&self, order: &NewOrder) -> Vec<String> {
        let mut work = self.begin_work().await;
        match place(&mut work, order).await {
            Ok(placed) => {
                work.finish(placed.id).await.unwrap();
                Vec::new()
            }
            Err(error) => error.report("").errors.0.into_keys().collect(),
        }
    }
}

fn order_with_targets(url: &str, targets: &[(&str, &str)]) -> NewOrder {
    let targets = targets.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    NewOrder { targets, ..NewOrder::without_options(UserId::new(1), PLAIN_SERVICE, url, 100) }
}

async fn a_target_is_created_and_changed(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let body = json!({ "name": "Countries", "placeholder": "Where from?", "target_type_id": 1, "selectable_values": ["DE", "FR"],
        "is_visible_default_values": true, "translations": { "en": {}, "de": { "name": "Länder" } } });
    let created_record = panel.post_data(TARGETS_PATH, body).await;
    assert_eq!(
        (&created_record["target_type"]["name"], &created_record["target_type"]["view_type"]),
        (&json!("geotargeting"), &json!("multiselect"))
    );
    let translations_body =
        json!({ "en": { "name": "Countries", "placeholder": "Where from?" }, "de": { "name": "Länder" } });
    assert_eq!(
        (&created_record["translations"], &created_record["placeholder"]),
        (&translations_body, &json!("Where from?"))
    );
    let path = format!("{TARGETS_PATH}/{}", created_record["id"]);
    assert_eq!(panel.get_data(&path).await, created_record);
    assert_eq!(created_record["actions"], json!({ "editable": true, "deletable": true }));
    panel.clock.advance_secs(5);
    let change_body = json!({ "placeholder": null, "selectable_values": ["US", "DE"], "updated_at": created_record["updated_at"] });
    let change_response = panel.put(&path, &change_body).await;
    assert_eq!(change_response.status, 200, "{}", change_response.text);
    let changed_record = change_response.json()["data"].clone();
    assert_eq!(
        (&changed_record["placeholder"], &changed_record["selectable_values"]),
        (&Value::Null, &json!(["US", "DE"]))
    );
    assert_eq!(changed_record["translations"]["de"]["name"], "Länder");
    assert_eq!(panel.put(&path, &change_body).await.status_and_code(), (409, "changed_meanwhile".into()));
    let target_page = panel
        .get_data(&format!(
            "{TARGETS_PATH}?columns[0][data]=target_type.name&columns[0][search][value]=geotargeting"
        ))
        .await;
    assert_eq!(ids(&target_page), [created_record["id"].as_i64().unwrap()]);
    let dictionaries = panel.get_data(&format!("{TARGETS_PATH}/dictionaries")).await;
    assert_eq!(
        (
            dictionaries["view_types"].as_array().unwrap().len(),
            dictionaries["names"].as_array().unwrap().len()
        ),
        (7, 5)
    );
    assert_eq!(dictionaries["target_types"], panel.get_data("/api/v1/admin/target-types").await);
    assert_eq!(
        dictionaries["target_attachments_types"],
        panel.get_data("/api/v1/admin/target-attachments-types").await
    );
    let logs = panel
        .get_data("/api/v1/admin/services/logs?columns[0][data]=type&columns[0][search][value]=target")
        .await;
    assert!(logs.as_array().unwrap().len() >= 2, "{logs}");
    let count_audits_sql =
        Sql::new("SELECT count(*) FROM audits WHERE event IN ('target.created', 'target.updated')");
    assert_eq!(panel.fetch_number(count_audits_sql).await, 2);
    panel.create_staff("reader", &[Permission::ViewServices]).await;
    let page = panel.get_as("reader", TARGETS_PATH, "*/*").await;
    assert_eq!(page.status, 200);
    assert_eq!(page.json()["data"][0]["actions"], json!({ "editable": false, "deletable": false }));
    assert_eq!(panel.send("reader", "POST", TARGETS_PATH, &json!({}), None).await.status, 403);
    let id = created_record["id"].as_i64().unwrap();
    panel.execute(Sql::new("UPDATE targets SET is_system = TRUE WHERE id = ?").bind(id)).await;
    assert_eq!(panel.get_data(&path).await["actions"], json!({ "editable": true, "deletable": false }));
    let rejection = panel.send("owner", "DELETE", &path, &json!({}), None).await;
    assert_eq!(rejection.status_and_code(), (409, "target_is_system".into()));
}

async fn errors_of_a_target_name_each_wrong_field(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    assert_eq!(
        panel.error_fields("POST", TARGETS_PATH, json!({ "target_type_id": 99 })).await,
        ["name", "target_type_id"]
    );
    let values_body = json!({ "name": "A", "target_type_id": 1, "selectable_values": ["DE", "Germany"] });
    assert_eq!(panel.error_fields("POST", TARGETS_PATH, values_body).await, ["selectable_values.1"]);
    let group_body =
        json!({ "name": "A", "service_type_type": "Youtube", "checkers": ["https://a.example"] });
    assert_eq!(panel.error_fields("POST", GROUPS_PATH, group_body).await, ["checkers.0"]);
    assert_eq!(panel.get(&format!("{TARGETS_PATH}/99")).await.status, 404);
    assert_eq!(panel.put(&format!("{GROUPS_PATH}/99"), &json!({})).await.status, 404);
    let targets_body = json!({ "targets": [99] });
    assert_eq!(panel.error_fields("PUT", SERVICE_PATH, targets_body).await, ["targets.0"]);
}

async fn orders_must_have_values_for_the_targets_of_their_service(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let countries =
        json!({ "name": "Countries", "target_type_id": 1, "selectable_values": ["DE", "FR", "US"] });
    let countries = panel.post_data(TARGETS_PATH, countries).await["id"].clone();
    let keyword =
        panel.post_data(TARGETS_PATH, json!({ "name": "Keyword", "target_type_id": 4 })).await["id"].clone();
    let fixed_source =
        panel.post_data(TARGETS_PATH, json!({ "name": "Source", "target_type_id": 4 })).await["id"].clone();
    let targets_body = json!({ "targets": [keyword, countries, fixed_source], "targetable_values": [{ "target_id": countries, "values": ["DE", "FR"] }, { "target_id": fixed_source, "values": ["organic"] }],
        "target_attachments": [{ "target_id": keyword, "type": "optional" }, { "target_id": fixed_source, "type": "fixed" }] });
    let update_response = panel.put(SERVICE_PATH, &targets_body).await;
    assert_eq!(update_response.status, 200, "{}", update_response.text);
    let service = update_response.json()["data"].clone();
    assert_eq!(service["targets"][0]["name"], "Keyword");
    assert_eq!(service["targetable_values"], targets_body["targetable_values"]);
    assert_eq!(service["target_attachments"][1], json!({ "target_id": countries, "type": "required" }));
    assert_eq!(panel.get_data(SERVICE_PATH).await["targets"], service["targets"]);
    let copied_service = panel.post_data(&format!("{SERVICE_PATH}/copy"), json!({})).await;
    assert_eq!(copied_service["target_attachments"], service["target_attachments"]);
    let countries_path = format!("{TARGETS_PATH}/{countries}");
    assert_eq!(
        panel.error_fields("PUT", &countries_path, json!({ "selectable_values": ["US"] })).await,
        ["selectable_values"]
    );
    assert_eq!(panel.get_data(&countries_path).await["services_count"], 2);
    assert_eq!(
        panel
            .error_fields(
                "PUT",
                SERVICE_PATH,
                json!({ "targetable_values": [{ "target_id": countries, "values": ["XX"] }] })
            )
            .await,
        ["targetable_values"]
    );
    let url = "https://video.example/a";
    assert_eq!(
        panel.place_and_return_error_fields(&order_with_targets(url, &[])).await,
        ["targets.Countries"]
    );
    assert_eq!(
        panel
            .place_and_return_error_fields(&order_with_targets(url, &[("Countries", "US"), ("Mood", "good")]))
            .await,
        ["targets.Countries", "targets.Mood"]
    );
    assert_eq!(
        panel
            .place_and_return_error_fields(&order_with_targets(
                url,
                &[("Countries", "FR"), ("Keyword", "cats")]
            ))
            .await,
        [] as [&str; 0]
    );
    let last_order_sql = "SELECT max(id) FROM orders";
    let placed_order = panel
        .get_data(&format!("/api/v1/admin/orders/{}", panel.fetch_number(Sql::new(last_order_sql)).await))
        .await;
    let expected = json!([{ "name": "Keyword", "value": "cats" }, { "name": "Countries", "value": "FR" }, { "name": "Source", "value": "organic" }]);
    assert_eq!(placed_order["targetable_values"], expected);
    assert_eq!((&placed_order["keyword"], &placed_order["countries"]), (&json!("cats"), &json!(["FR"])));
    for (column, value, count) in
        [("keyword", "cats", 1), ("keyword", "dogs", 0), ("countries", "FR", 1), ("countries", "US", 0)]
    {
        let list =
            format!("/api/v1/admin/orders?columns[0][data]={column}&columns[0][search][value]={value}");
        assert_eq!(panel.get(&list).await.json()["recordsFiltered"], count, "{column} {value}");
    }
    panel.put(SERVICE_PATH, &json!({ "targets": [] })).await;
    assert_eq!(
        panel.place_and_return_error_fields(&order_with_targets(url, &[])).await,
        [] as [&str; 0],
        "a service without targets must not require values"
    );
}

async fn the_url_of_an_order_must_match_the_checkers_of_its_service(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let body =
        json!({ "name": "Videos", "service_type_type": "Youtube", "checkers": ["video.example/watch*"] });
    let created_record = panel.post_data(GROUPS_PATH, body.clone()).await;
    assert_eq!(panel.post(GROUPS_PATH, &body).await.status_and_code(), (422, "name_taken".into()));
    let update_response =
        panel.put(SERVICE_PATH, &json!({ "promotable_checker_group_id": created_record["id"] })).await;
    assert_eq!(update_response.status, 200, "{}", update_response.text);
    assert_eq!(panel.get_data(GROUPS_PATH).await[0]["services_count"], 1);
    assert_eq!(
        panel.place_and_return_error_fields(&order_with_targets("https://video.example/me", &[])).await,
        ["url"]
    );
    assert_eq!(
        panel
            .place_and_return_error_fields(&order_with_targets("https://video.example/watch?v=1", &[]))
            .await,
        [] as [&str; 0]
    );
    panel.clock.advance_secs(5);
    let path = format!("{GROUPS_PATH}/{}", created_record["id"]);
    let change_body = json!({ "checkers": ["video.example/*"], "updated_at": created_record["updated_at"] });
    assert_eq!(panel.put(&path, &change_body).await.json()["data"]["checkers"], json!(["video.example/*"]));
    assert_eq!(panel.put(&path, &change_body).await.status_and_code(), (409, "changed_meanwhile".into()));
    assert_eq!(
        panel.place_and_return_error_fields(&order_with_targets("https://video.example/me", &[])).await,
        [] as [&str; 0]
    );
}

/// A checker group of the type Instagram is only for Instagram services; one of the type Other is for all services.
async fn a_service_rejects_a_checker_group_of_another_type(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let sql = "INSERT INTO service_types (id, network_id, name, type, created_at, updated_at) VALUES (2, 1, 'Posts', 'Instagram', 1, 1), (3, 1, 'Mixed', 'Other', 1, 1)";
    panel.execute(Sql::new(sql)).await;
    let create_group = async |kind: &str| {
        let body = json!({ "name": kind, "service_type_type": kind, "checkers": ["video.example/*"] });
        panel.post_data(GROUPS_PATH, body).await["id"].clone()
    };
    let (instagram, other) = (create_group("Instagram").await, create_group("Other").await);
    let with_group = |group_id: &Value, kind: i64| json!({ "promotable_checker_group_id": group_id, "service_type_id": kind });
    let assert_rejected = async |body: Value, field: &str| {
        let response = panel.put(SERVICE_PATH, &body).await;
        assert_eq!(response.status, 422, "{}", response.text);
        let errors = response.json()["errors"].clone();
        assert_eq!(errors.as_object().unwrap().keys().collect::<Vec<_>>(), [field], "{}", response.text);
    };
    assert_rejected(json!({ "promotable_checker_group_id": instagram }), "promotable_checker_group_id").await;
    for body in [with_group(&other, 1), with_group(&instagram, 3), with_group(&instagram, 2)] {
        assert_eq!(panel.put(SERVICE_PATH, &body).await.status, 200, "{body}");
    }
    assert_rejected(json!({ "service_type_id": 1 }), "service_type_id").await;
    // The type of a group can change, and the service can still change its other fields.
    let path = format!("{GROUPS_PATH}/{instagram}");
    let change_body = json!({ "service_type_type": "Tiktok" });
    assert_eq!(panel.put(&path, &change_body).await.status, 200);
    assert_eq!(panel.put(SERVICE_PATH, &json!({ "name": "Renamed" })).await.status, 200);
}

async fn a_target_or_checker_group_in_use_cannot_be_deleted(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let delete =
        async |path: &str| panel.request_from("127.0.0.1", Some("owner"), "DELETE", path, &Value::Null).await;
    let target_body = json!({ "name": "Your comments", "target_type_id": 3 });
    let target_id = panel.post_data("/api/v1/admin/targets", target_body).await["id"].clone();
    let group_body =
        json!({ "name": "Videos", "service_type_type": "Youtube", "checkers": ["video.example/*"] });
    let group_id = panel.post_data("/api/v1/admin/promotable-checker-groups", group_body).await["id"].clone();
    let service_body = json!({ "targets": [target_id], "promotable_checker_group_id": group_id });
    assert_eq!(panel.put("/api/v1/admin/services/1", &service_body).await.status, 200);
    let paths = [
        format!("/api/v1/admin/targets/{target_id}"),
        format!("/api/v1/admin/promotable-checker-groups/{group_id}"),
    ];
    for (path, code) in paths.iter().zip(["target_in_use", "group_in_use"]) {
        let rejection = delete(path).await;
        assert_eq!(rejection.status_and_code(), (409, code.into()), "{}", rejection.text);
        assert!(rejection.text.contains("services: Service 1 (1)"), "{}", rejection.text);
    }
    let without_uses_body = json!({ "targets": [], "promotable_checker_group_id": null });
    assert_eq!(panel.put("/api/v1/admin/services/1", &without_uses_body).await.status, 200);
    for path in &paths {
        assert_eq!(delete(path).await.status, 204);
        assert_eq!(delete(path).await.status, 404);
    }
    let system = json!({ "name": "Countries", "target_type_id": 1, "selectable_values": ["DE"] });
    let system = panel.post_data("/api/v1/admin/targets", system).await["id"].clone();
    panel.execute(Sql::new("UPDATE targets SET is_system = TRUE WHERE id = ?").bind(system.as_i64())).await;
    let rejection = delete(&format!("/api/v1/admin/targets/{system}")).await;
    assert_eq!(rejection.status_and_code(), (409, "target_is_system".into()));
}
