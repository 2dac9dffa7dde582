//! The menu of the customers' site, its custom items, and the pages of the site.

use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::Panel;

test_both_databases! {
    creates_updates_archives_and_restores_a_menu_item;
    archived_items_do_not_count_towards_the_menu_limit;
    menu_items_form_a_tree_of_limited_depth;
    rejects_an_invalid_menu_item_and_names_the_field;
    a_rejected_sort_does_not_change_the_menu;
    concurrent_sorts_result_in_one_of_the_two_orders;
    creates_updates_and_deletes_custom_menu_items;
    creates_updates_archives_and_restores_a_page;
    the_page_list_returns_fifteen_rows_by_default;
}

const MENU_PATH: &str = "/api/v1/admin/panel-menu-items";
const CUSTOM_ITEMS_PATH: &str = "/api/v1/admin/custom-menu-items";
const PAGES_PATH: &str = "/api/v1/admin/panel-pages";

impl Panel {
    async fn create_menu_item(&self, name: &str, parent: Option<i64>) -> i64 {
        let body = json!({ "name": name, "url": format!("/{}", name.to_lowercase()), "parent_id": parent });
        self.post_data(MENU_PATH, body).await["id"].as_i64().unwrap()
    }

    /// The id and the parent's id of each item, in the order of the menu.
    async fn fetch_menu_tree(&self) -> Vec<(i64, Option<i64>)> {
        let path = format!(
            "{MENU_PATH}?is_archived=0&columns[0][data]=sorting&order[0][column]=0&order[0][dir]=asc"
        );
        let rows = self.get_data(&path).await;
        rows.as_array()
            .unwrap()
            .iter()
            .map(|row| (row["id"].as_i64().unwrap(), row["parent"]["id"].as_i64()))
            .collect()
    }
}

async fn creates_updates_archives_and_restores_a_menu_item(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let body = json!({ "url": "/services", "icon": "tags", "is_allowed_for_guest": false,
        "translations": { "en": { "name": "Services" }, "de": { "name": "Dienste" }, "fr": { "name": " " } } });
    let created_record = panel.post_data(MENU_PATH, body).await;
    assert_eq!(
        (
            &created_record["name"],
            &created_record["status"],
            &created_record["sorting"],
            &created_record["menu_item_id"]
        ),
        (&json!("Services"), &json!("active"), &json!(1), &created_record["id"])
    );
    assert_eq!(
        created_record["translations"],
        json!({ "en": { "name": "Services" }, "de": { "name": "Dienste" } })
    );
    assert_eq!(
        (&created_record["is_allowed_for_guest"], &created_record["is_allowed_for_authorized"]),
        (&json!(false), &json!(true))
    );
    let path = format!("{MENU_PATH}/{}", created_record["id"]);
    panel.clock.advance_secs(5);
    let change_body =
        json!({ "is_enabled": false, "icon": null, "updated_at": created_record["updated_at"] });
    let changed_record = panel.put(&path, &change_body).await.json()["data"].clone();
    assert_eq!((&changed_record["status"], &changed_record["icon"]), (&json!("disabled"), &Value::Null));
    assert_eq!(panel.put(&path, &change_body).await.status_and_code(), (409, "changed_meanwhile".into()));
    assert_eq!(
        panel.put(&path, &json!({})).await.json()["data"],
        changed_record,
        "an empty body must not change anything"
    );
    let archived_record = panel.post_data(&format!("{path}/archive"), json!({})).await;
    assert_eq!(
        (&archived_record["status"], &archived_record["actions"]["restore"]),
        (&json!("archived"), &json!(true))
    );
    assert_eq!(
        panel.post(&format!("{path}/archive"), &json!({})).await.status_and_code(),
        (409, "menu_item_archived".into())
    );
    let restored_record = panel.post_data(&format!("{path}/unarchive"), json!({})).await;
    assert_eq!(restored_record["actions"], json!({ "editable": true, "archivable": true, "restore": false }));
    let count_change_logs_sql = "SELECT count(*) FROM change_logs WHERE type = 'menu_item'";
    assert!(panel.fetch_number(Sql::new(count_change_logs_sql)).await >= 4);
    let listed_records = panel.get_data(&format!("{MENU_PATH}?is_archived=0")).await;
    assert_eq!(listed_records, json!([restored_record]));
}

async fn menu_items_form_a_tree_of_limited_depth(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let top_id = panel.create_menu_item("Top", None).await;
    let child_id = panel.create_menu_item("Child", Some(top_id)).await;
    let leaf_id = panel.create_menu_item("Leaf", Some(child_id)).await;
    let too_deep_response =
        panel.post(MENU_PATH, &json!({ "name": "Deeper", "url": "/d", "parent_id": leaf_id })).await;
    assert!(
        too_deep_response.status == 422 && too_deep_response.json()["errors"]["parent_id"].is_array(),
        "{}",
        too_deep_response.text
    );
    for parent in [top_id, leaf_id] {
        let response_below_itself =
            panel.put(&format!("{MENU_PATH}/{top_id}"), &json!({ "parent_id": parent })).await;
        assert!(
            response_below_itself.json()["errors"]["parent_id"].is_array(),
            "{}",
            response_below_itself.text
        );
    }
    let other_id = panel.create_menu_item("Other", None).await;
    let move_response =
        panel.put(&format!("{MENU_PATH}/{child_id}"), &json!({ "parent_id": other_id })).await;
    assert_eq!(
        move_response.json()["data"]["parent"],
        json!({ "id": other_id, "name": "Other", "url": "/other" })
    );
    let too_deep_response =
        panel.put(&format!("{MENU_PATH}/{other_id}"), &json!({ "parent_id": top_id })).await;
    assert_eq!(
        too_deep_response.status, 422,
        "the children of the item would be too deep: {}",
        too_deep_response.text
    );
    let rejection = panel.post(&format!("{MENU_PATH}/{child_id}/archive"), &json!({})).await;
    assert_eq!(rejection.status_and_code(), (409, "menu_item_has_children".into()));
    assert!(rejection.json()["message"].as_str().unwrap().contains("Leaf"));
    panel.post_data(&format!("{MENU_PATH}/{leaf_id}/archive"), json!({})).await;
    panel.post_data(&format!("{MENU_PATH}/{child_id}/archive"), json!({})).await;
    let restored_record = panel.post_data(&format!("{MENU_PATH}/{leaf_id}/unarchive"), json!({})).await;
    assert_eq!(
        restored_record["parent"],
        Value::Null,
        "a restored item must not have a parent if the former parent is archived"
    );
}

async fn rejects_an_invalid_menu_item_and_names_the_field(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    for (body, field) in [
        (json!({ "name": "A" }), "url"),
        (json!({ "url": "/a" }), "name"),
        (json!({ "name": "A", "url": "javascript:alert(1)" }), "url"),
        (json!({ "name": "A", "url": "//evil.example" }), "url"),
        (json!({ "name": "A", "url": "/a", "icon": "<i>" }), "icon"),
        (json!({ "name": "A", "url": "/a", "parent_id": 77 }), "parent_id"),
        (json!({ "name": "A", "url": "/a", "translations": { "xx": { "name": "a" } } }), "translations.xx"),
        (json!({ "name": "A", "url": "/a", "colour": "red" }), "colour"),
    ] {
        let response = panel.post(MENU_PATH, &body).await;
        assert!(
            response.status == 422 && response.json()["errors"][field].is_array(),
            "{field}: {}",
            response.text
        );
    }
    assert_eq!(panel.put(&format!("{MENU_PATH}/77"), &json!({})).await.status, 404);
}

async fn a_rejected_sort_does_not_change_the_menu(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let (first_id, second_id, third_id) = (
        panel.create_menu_item("A", None).await,
        panel.create_menu_item("B", None).await,
        panel.create_menu_item("C", None).await,
    );
    let sort_menu =
        async |list: Value| panel.post(&format!("{MENU_PATH}/sort"), &json!({ "menu_items": list })).await;
    let nested_items = json!([{ "id": third_id }, { "id": first_id, "parent_id": third_id }, { "id": second_id, "parent_id": first_id }]);
    assert_eq!(sort_menu(nested_items).await.status, 204);
    assert_eq!(
        panel.fetch_menu_tree().await,
        [(third_id, None), (first_id, Some(third_id)), (second_id, Some(first_id))]
    );
    assert_eq!(
        sort_menu(json!([{ "id": third_id }, { "id": first_id }])).await.status_and_code(),
        (409, "list_changed".into())
    );
    assert_eq!(
        sort_menu(
            json!([{ "id": first_id, "parent_id": third_id }, { "id": third_id }, { "id": second_id }])
        )
        .await
        .status,
        422
    );
    assert_eq!(
        sort_menu(json!([{ "id": first_id }, { "id": first_id }, { "id": second_id }, { "id": third_id }]))
            .await
            .status,
        422
    );
    assert_eq!(
        panel.fetch_menu_tree().await,
        [(third_id, None), (first_id, Some(third_id)), (second_id, Some(first_id))],
        "a rejected request must not change anything"
    );
}

async fn concurrent_sorts_result_in_one_of_the_two_orders(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let (first_id, second_id) =
        (panel.create_menu_item("A", None).await, panel.create_menu_item("B", None).await);
    let path = format!("{MENU_PATH}/sort");
    let orders = [
        json!([{ "id": first_id }, { "id": second_id, "parent_id": first_id }]),
        json!([{ "id": second_id }, { "id": first_id, "parent_id": second_id }]),
    ];
    let bodies = orders.map(|order| json!({ "menu_items": order }));
    let (first_response, second_response) =
        tokio::join!(panel.post(&path, &bodies[0]), panel.post(&path, &bodies[1]));
    assert!(
        first_response.status == 204 && second_response.status == 204,
        "{} {}",
        first_response.text,
        second_response.text
    );
    let tree = panel.fetch_menu_tree().await;
    assert!(
        tree == [(first_id, None), (second_id, Some(first_id))]
            || tree == [(second_id, None), (first_id, Some(second_id))],
        "{tree:?}"
    );
}

async fn creates_updates_and_deletes_custom_menu_items(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let created_record = panel
        .post_data(CUSTOM_ITEMS_PATH, json!({ "name": "Blog", "url": "https://blog.example", "is_blank": true, "show_in_public": true }))
        .await;
    assert_eq!(
        (&created_record["show_in_public"], &created_record["show_in_internal"], &created_record["is_blank"]),
        (&json!(true), &json!(true), &json!(true))
    );
    let path = format!("{CUSTOM_ITEMS_PATH}/{}", created_record["id"]);
    let invalid_response = panel.put(&path, &json!({ "url": "blog", "name": "" })).await;
    let errors: Vec<_> = invalid_response.json()["errors"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(errors, ["name", "url"]);
    panel.clock.advance_secs(5);
    let change_body = json!({ "translations": { "en": { "name": "News" }, "ru": { "name": "Новости" } }, "updated_at": created_record["updated_at"] });
    let changed_record = panel.put(&path, &change_body).await.json()["data"].clone();
    assert_eq!(
        (&changed_record["name"], &changed_record["translations"]["ru"]["name"]),
        (&json!("News"), &json!("Новости"))
    );
    assert_eq!(panel.put(&path, &change_body).await.status_and_code(), (409, "changed_meanwhile".into()));
    assert_eq!(panel.get_data(CUSTOM_ITEMS_PATH).await, json!([changed_record]));
    let settings = panel.get(crate::settings::SETTINGS_PATH).await.json();
    assert_eq!(
        settings["data"]["custom_menu_items"],
        json!([changed_record]),
        "the settings must contain the same items"
    );
    panel.save_settings(settings["data"].clone()).await;
    assert_eq!(panel.post_settings(json!({ "custom_menu_items": [] })).await.status, 422);
    assert_eq!(panel.post(&format!("{path}/delete"), &json!({})).await.status, 204);
    assert_eq!(panel.get_data(CUSTOM_ITEMS_PATH).await, json!([]));
    assert_eq!(panel.post(&format!("{path}/delete"), &json!({})).await.status, 404);
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM translations")).await, 0);
}

async fn creates_updates_archives_and_restores_a_page(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let body = json!({ "route_name": "services.show", "translations": { "en": { "name": "Service", "meta_title": "Buy it" } } });
    let created_record = panel.post_data(PAGES_PATH, body.clone()).await;
    assert_eq!(
        (&created_record["status"], &created_record["translations"]["en"]["meta_title"]),
        (&json!("active"), &json!("Buy it"))
    );
    assert_eq!(panel.post(PAGES_PATH, &body).await.status_and_code(), (422, "route_name_taken".into()));
    let path = format!("{PAGES_PATH}/{}", created_record["id"]);
    let wrong_id_response = panel.put(&path, &json!({ "page_id": 77 })).await;
    assert!(wrong_id_response.json()["errors"]["page_id"].is_array());
    panel.clock.advance_secs(5);
    let change_body = json!({ "page_id": created_record["id"], "updated_at": created_record["updated_at"],
        "translations": { "en": { "name": "Service", "meta_description": "All" }, "ja": { "meta_title": "買う" } } });
    let changed_record = panel.put(&path, &change_body).await.json()["data"].clone();
    assert_eq!(
        changed_record["translations"], change_body["translations"],
        "the translations of the request must replace all others"
    );
    assert_eq!(panel.put(&path, &change_body).await.status_and_code(), (409, "changed_meanwhile".into()));
    assert_eq!(panel.post(PAGES_PATH, &json!({ "name": "X", "route_name": "A b" })).await.status, 422);
    assert_eq!(panel.post_data(&format!("{path}/archive"), json!({})).await["status"], "archived");
    assert_eq!(
        panel.post(&format!("{path}/archive"), &json!({})).await.status_and_code(),
        (409, "page_archived".into())
    );
    assert_eq!(panel.post_data(&format!("{path}/unarchive"), json!({})).await["status"], "active");
    assert!(panel.fetch_number(Sql::new("SELECT count(*) FROM change_logs WHERE type = 'page'")).await >= 4);
}

async fn the_page_list_returns_fifteen_rows_by_default(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    for number in 0..17 {
        panel
            .post_data(
                PAGES_PATH,
                json!({ "name": format!("Page {number}"), "route_name": format!("page.{number}") }),
            )
            .await;
    }
    let page_list = panel.get(PAGES_PATH).await.json();
    assert_eq!(
        (page_list["data"].as_array().unwrap().len(), &page_list["recordsFiltered"]),
        (15, &json!(17))
    );
}

async fn archived_items_do_not_count_towards_the_menu_limit(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let sql = "INSERT INTO menu_items (name, url, sorting, is_archived, created_at, updated_at)
      WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < 500)
      SELECT 'Item ' || i, '/' || i, i, i > 499, 1, 1 FROM n";
    panel.execute(Sql::new(sql)).await;
    panel.create_menu_item("Last", None).await;
    let body = json!({ "name": "More", "url": "/more" });
    assert_eq!(panel.post(MENU_PATH, &body).await.status_and_code(), (409, "menu_full".into()));
    let archive_response = panel.post(&format!("{MENU_PATH}/1/archive"), &json!({})).await;
    assert_eq!(archive_response.status, 200, "{}", archive_response.text);
    assert_eq!(panel.post(MENU_PATH, &body).await.status, 200);
}
