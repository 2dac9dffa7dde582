//! The menu of the customers' site, its custom items, and the pages of the site.

use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::Panel;

both! {
    creates_updates_archives_and_restores_a_menu_item;
    archived_items_do_not_count_towards_the_menu_limit;
    menu_items_form_a_tree_of_limited_depth;
    refuses_an_invalid_menu_item_and_names_the_field;
    sorting_the_menu_is_all_or_nothing;
    concurrent_sorts_leave_one_of_the_two_orders;
    creates_updates_and_deletes_custom_menu_items;
    creates_updates_archives_and_restores_a_page;
    the_page_list_has_fifteen_rows_by_default;
}

const MENU: &str = "/api/v1/admin/panel-menu-items";
const CUSTOM_ITEMS: &str = "/api/v1/admin/custom-menu-items";
const PAGES: &str = "/api/v1/admin/panel-pages";

impl Panel {
    async fn create_item(&self, name: &str, parent: Option<i64>) -> i64 {
        let body = json!({ "name": name, "url": format!("/{}", name.to_lowercase()), "parent_id": parent });
        self.post_data(MENU, body).await["id"].as_i64().unwrap()
    }

    /// The menu in its order: the id and the parent of each item.
    async fn tree(&self) -> Vec<(i64, Option<i64>)> {
        let path =
            format!("{MENU}?is_archived=0&columns[0][data]=sorting&order[0][column]=0&order[0][dir]=asc");
        let rows = self.get_data(&path).await;
        rows.as_array()
            .unwrap()
            .iter()
            .map(|row| (row["id"].as_i64().unwrap(), row["parent"]["id"].as_i64()))
            .collect()
    }
}

async fn creates_updates_archives_and_restores_a_menu_item(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let body = json!({ "url": "/services", "icon": "tags", "is_allowed_for_guest": false,
        "translations": { "en": { "name": "Services" }, "de": { "name": "Dienste" }, "fr": { "name": " " } } });
    let created = panel.post_data(MENU, body).await;
    assert_eq!(
        (&created["name"], &created["status"], &created["sorting"], &created["menu_item_id"]),
        (&json!("Services"), &json!("active"), &json!(1), &created["id"])
    );
    assert_eq!(created["translations"], json!({ "en": { "name": "Services" }, "de": { "name": "Dienste" } }));
    assert_eq!(
        (&created["is_allowed_for_guest"], &created["is_allowed_for_authorized"]),
        (&json!(false), &json!(true))
    );
    let path = format!("{MENU}/{}", created["id"]);
    panel.clock.advance_secs(5);
    let change = json!({ "is_enabled": false, "icon": null, "updated_at": created["updated_at"] });
    let changed = panel.put(&path, &change).await.json()["data"].clone();
    assert_eq!((&changed["status"], &changed["icon"]), (&json!("disabled"), &Value::Null));
    assert_eq!(panel.put(&path, &change).await.status_and_code(), (409, "changed_meanwhile".into()));
    assert_eq!(panel.put(&path, &json!({})).await.json()["data"], changed, "an empty body changes nothing");
    let archived = panel.post_data(&format!("{path}/archive"), json!({})).await;
    assert_eq!((&archived["status"], &archived["actions"]["restore"]), (&json!("archived"), &json!(true)));
    assert_eq!(
        panel.post(&format!("{path}/archive"), &json!({})).await.status_and_code(),
        (409, "menu_item_archived".into())
    );
    let restored = panel.post_data(&format!("{path}/unarchive"), json!({})).await;
    assert_eq!(restored["actions"], json!({ "editable": true, "archivable": true, "restore": false }));
    let change_logs = "SELECT count(*) FROM change_logs WHERE type = 'menu_item'";
    assert!(panel.number(Sql::new(change_logs)).await >= 4);
    let listed = panel.get_data(&format!("{MENU}?is_archived=0")).await;
    assert_eq!(listed, json!([restored]));
}

async fn menu_items_form_a_tree_of_limited_depth(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let top = panel.create_item("Top", None).await;
    let child = panel.create_item("Child", Some(top)).await;
    let leaf = panel.create_item("Leaf", Some(child)).await;
    let too_deep = panel.post(MENU, &json!({ "name": "Deeper", "url": "/d", "parent_id": leaf })).await;
    assert!(too_deep.status == 422 && too_deep.json()["errors"]["parent_id"].is_array(), "{}", too_deep.text);
    for parent in [top, leaf] {
        let below_itself = panel.put(&format!("{MENU}/{top}"), &json!({ "parent_id": parent })).await;
        assert!(below_itself.json()["errors"]["parent_id"].is_array(), "{}", below_itself.text);
    }
    let other = panel.create_item("Other", None).await;
    let moved = panel.put(&format!("{MENU}/{child}"), &json!({ "parent_id": other })).await;
    assert_eq!(moved.json()["data"]["parent"], json!({ "id": other, "name": "Other", "url": "/other" }));
    let too_deep = panel.put(&format!("{MENU}/{other}"), &json!({ "parent_id": top })).await;
    assert_eq!(too_deep.status, 422, "its children would be too deep: {}", too_deep.text);
    let refused = panel.post(&format!("{MENU}/{child}/archive"), &json!({})).await;
    assert_eq!(refused.status_and_code(), (409, "menu_item_has_children".into()));
    assert!(refused.json()["message"].as_str().unwrap().contains("Leaf"));
    panel.post_data(&format!("{MENU}/{leaf}/archive"), json!({})).await;
    panel.post_data(&format!("{MENU}/{child}/archive"), json!({})).await;
    let restored = panel.post_data(&format!("{MENU}/{leaf}/unarchive"), json!({})).await;
    assert_eq!(
        restored["parent"],
        Value::Null,
        "a restored item has no parent where the former one is archived"
    );
}

async fn refuses_an_invalid_menu_item_and_names_the_field(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
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
        let answer = panel.post(MENU, &body).await;
        assert!(
            answer.status == 422 && answer.json()["errors"][field].is_array(),
            "{field}: {}",
            answer.text
        );
    }
    assert_eq!(panel.put(&format!("{MENU}/77"), &json!({})).await.status, 404);
}

async fn sorting_the_menu_is_all_or_nothing(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let (a, b, c) = (
        panel.create_item("A", None).await,
        panel.create_item("B", None).await,
        panel.create_item("C", None).await,
    );
    let sort = async |list: Value| panel.post(&format!("{MENU}/sort"), &json!({ "menu_items": list })).await;
    let nested = json!([{ "id": c }, { "id": a, "parent_id": c }, { "id": b, "parent_id": a }]);
    assert_eq!(sort(nested).await.status, 204);
    assert_eq!(panel.tree().await, [(c, None), (a, Some(c)), (b, Some(a))]);
    assert_eq!(sort(json!([{ "id": c }, { "id": a }])).await.status_and_code(), (409, "list_changed".into()));
    assert_eq!(sort(json!([{ "id": a, "parent_id": c }, { "id": c }, { "id": b }])).await.status, 422);
    assert_eq!(sort(json!([{ "id": a }, { "id": a }, { "id": b }, { "id": c }])).await.status, 422);
    assert_eq!(
        panel.tree().await,
        [(c, None), (a, Some(c)), (b, Some(a))],
        "a refused request changes nothing"
    );
}

async fn concurrent_sorts_leave_one_of_the_two_orders(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let (a, b) = (panel.create_item("A", None).await, panel.create_item("B", None).await);
    let path = format!("{MENU}/sort");
    let orders = [
        json!([{ "id": a }, { "id": b, "parent_id": a }]),
        json!([{ "id": b }, { "id": a, "parent_id": b }]),
    ];
    let bodies = orders.map(|order| json!({ "menu_items": order }));
    let (first, second) = tokio::join!(panel.post(&path, &bodies[0]), panel.post(&path, &bodies[1]));
    assert!(first.status == 204 && second.status == 204, "{} {}", first.text, second.text);
    let tree = panel.tree().await;
    assert!(tree == [(a, None), (b, Some(a))] || tree == [(b, None), (a, Some(b))], "{tree:?}");
}

async fn creates_updates_and_deletes_custom_menu_items(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let created = panel
        .post_data(CUSTOM_ITEMS, json!({ "name": "Blog", "url": "https://blog.example", "is_blank": true, "show_in_public": true }))
        .await;
    assert_eq!(
        (&created["show_in_public"], &created["show_in_internal"], &created["is_blank"]),
        (&json!(true), &json!(true), &json!(true))
    );
    let path = format!("{CUSTOM_ITEMS}/{}", created["id"]);
    let invalid = panel.put(&path, &json!({ "url": "blog", "name": "" })).await;
    let errors: Vec<_> = invalid.json()["errors"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(errors, ["name", "url"]);
    panel.clock.advance_secs(5);
    let change = json!({ "translations": { "en": { "name": "News" }, "ru": { "name": "Новости" } }, "updated_at": created["updated_at"] });
    let changed = panel.put(&path, &change).await.json()["data"].clone();
    assert_eq!(
        (&changed["name"], &changed["translations"]["ru"]["name"]),
        (&json!("News"), &json!("Новости"))
    );
    assert_eq!(panel.put(&path, &change).await.status_and_code(), (409, "changed_meanwhile".into()));
    assert_eq!(panel.get_data(CUSTOM_ITEMS).await, json!([changed]));
    let settings = panel.get(crate::settings::SETTINGS_PATH).await.json();
    assert_eq!(settings["data"]["custom_menu_items"], json!([changed]), "the settings have the same items");
    panel.save_settings(settings["data"].clone()).await;
    assert_eq!(panel.post_settings(json!({ "custom_menu_items": [] })).await.status, 422);
    assert_eq!(panel.post(&format!("{path}/delete"), &json!({})).await.status, 204);
    assert_eq!(panel.get_data(CUSTOM_ITEMS).await, json!([]));
    assert_eq!(panel.post(&format!("{path}/delete"), &json!({})).await.status, 404);
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM translations")).await, 0);
}

async fn creates_updates_archives_and_restores_a_page(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let body = json!({ "route_name": "services.show", "translations": { "en": { "name": "Service", "meta_title": "Buy it" } } });
    let created = panel.post_data(PAGES, body.clone()).await;
    assert_eq!(
        (&created["status"], &created["translations"]["en"]["meta_title"]),
        (&json!("active"), &json!("Buy it"))
    );
    assert_eq!(panel.post(PAGES, &body).await.status_and_code(), (422, "route_name_taken".into()));
    let path = format!("{PAGES}/{}", created["id"]);
    let wrong_id = panel.put(&path, &json!({ "page_id": 77 })).await;
    assert!(wrong_id.json()["errors"]["page_id"].is_array());
    panel.clock.advance_secs(5);
    let change = json!({ "page_id": created["id"], "updated_at": created["updated_at"],
        "translations": { "en": { "name": "Service", "meta_description": "All" }, "ja": { "meta_title": "買う" } } });
    let changed = panel.put(&path, &change).await.json()["data"].clone();
    assert_eq!(
        changed["translations"], change["translations"],
        "the translations of the request replace all others"
    );
    assert_eq!(panel.put(&path, &change).await.status_and_code(), (409, "changed_meanwhile".into()));
    assert_eq!(panel.post(PAGES, &json!({ "name": "X", "route_name": "A b" })).await.status, 422);
    assert_eq!(panel.post_data(&format!("{path}/archive"), json!({})).await["status"], "archived");
    assert_eq!(
        panel.post(&format!("{path}/archive"), &json!({})).await.status_and_code(),
        (409, "page_archived".into())
    );
    assert_eq!(panel.post_data(&format!("{path}/unarchive"), json!({})).await["status"], "active");
    assert!(panel.number(Sql::new("SELECT count(*) FROM change_logs WHERE type = 'page'")).await >= 4);
}

async fn the_page_list_has_fifteen_rows_by_default(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    for number in 0..17 {
        panel
            .post_data(
                PAGES,
                json!({ "name": format!("Page {number}"), "route_name": format!("page.{number}") }),
            )
            .await;
    }
    let listed = panel.get(PAGES).await.json();
    assert_eq!((listed["data"].as_array().unwrap().len(), &listed["recordsFiltered"]), (15, &json!(17)));
}

async fn archived_items_do_not_count_towards_the_menu_limit(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let sql = "INSERT INTO menu_items (name, url, sorting, is_archived, created_at, updated_at)
      WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < 500)
      SELECT 'Item ' || i, '/' || i, i, i > 499, 1, 1 FROM n";
    panel.execute(Sql::new(sql)).await;
    panel.create_item("Last", None).await;
    let body = json!({ "name": "More", "url": "/more" });
    assert_eq!(panel.post(MENU, &body).await.status_and_code(), (409, "menu_full".into()));
    let archived = panel.post(&format!("{MENU}/1/archive"), &json!({})).await;
    assert_eq!(archived.status, 200, "{}", archived.text);
    assert_eq!(panel.post(MENU, &body).await.status, 200);
}
