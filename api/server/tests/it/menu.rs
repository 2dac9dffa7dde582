//! The menu of the customers' site, items added to it, and pages.

use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::Panel;

both! {
    an_item_lives;
    archived_items_do_not_fill_the_menu;
    the_menu_is_a_tree;
    what_is_wrong_with_an_item_is_named;
    a_whole_order_or_none;
    two_sort_at_once;
    items_are_added_and_deleted;
    a_page_lives;
    pages_come_by_fifteen;
}

const MENU: &str = "/api/v1/admin/panel-menu-items";
const ADDED: &str = "/api/v1/admin/custom-menu-items";
const PAGES: &str = "/api/v1/admin/panel-pages";

impl Panel {
    async fn item(&self, name: &str, parent: Option<i64>) -> i64 {
        let body = json!({ "name": name, "url": format!("/{}", name.to_lowercase()), "parent_id": parent });
        self.made(MENU, body).await["id"].as_i64().unwrap()
    }

    /// The menu in order: each item with what it stands below.
    async fn tree(&self) -> Vec<(i64, Option<i64>)> {
        let path =
            format!("{MENU}?is_archived=0&columns[0][data]=sorting&order[0][column]=0&order[0][dir]=asc");
        let rows = self.data(&path).await;
        rows.as_array()
            .unwrap()
            .iter()
            .map(|row| (row["id"].as_i64().unwrap(), row["parent"]["id"].as_i64()))
            .collect()
    }
}

async fn an_item_lives(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let body = json!({ "url": "/services", "icon": "tags", "is_allowed_for_guest": false,
        "translations": { "en": { "name": "Services" }, "de": { "name": "Dienste" }, "fr": { "name": " " } } });
    let made = panel.made(MENU, body).await;
    assert_eq!(
        (&made["name"], &made["status"], &made["sorting"], &made["menu_item_id"]),
        (&json!("Services"), &json!("active"), &json!(1), &made["id"])
    );
    assert_eq!(made["translations"], json!({ "en": { "name": "Services" }, "de": { "name": "Dienste" } }));
    assert_eq!(
        (&made["is_allowed_for_guest"], &made["is_allowed_for_authorized"]),
        (&json!(false), &json!(true))
    );
    let path = format!("{MENU}/{}", made["id"]);
    panel.clock.advance_secs(5);
    let change = json!({ "is_enabled": false, "icon": null, "updated_at": made["updated_at"] });
    let changed = panel.renew(&path, &change).await.json()["data"].clone();
    assert_eq!((&changed["status"], &changed["icon"]), (&json!("disabled"), &Value::Null));
    assert_eq!(panel.renew(&path, &change).await.says(), (409, "changed_meanwhile".into()));
    assert_eq!(panel.renew(&path, &json!({})).await.json()["data"], changed, "nothing said, nothing changed");
    let archived = panel.made(&format!("{path}/archive"), json!({})).await;
    assert_eq!((&archived["status"], &archived["actions"]["restore"]), (&json!("archived"), &json!(true)));
    assert_eq!(
        panel.post(&format!("{path}/archive"), &json!({})).await.says(),
        (409, "menu_item_archived".into())
    );
    let back = panel.made(&format!("{path}/unarchive"), json!({})).await;
    assert_eq!(back["actions"], json!({ "editable": true, "archivable": true, "restore": false }));
    let logged = "SELECT count(*) FROM change_logs WHERE type = 'menu_item'";
    assert!(panel.number(Sql::new(logged)).await >= 4);
    let listed = panel.data(&format!("{MENU}?is_archived=0")).await;
    assert_eq!(listed, json!([back]));
}

async fn the_menu_is_a_tree(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let top = panel.item("Top", None).await;
    let child = panel.item("Child", Some(top)).await;
    let leaf = panel.item("Leaf", Some(child)).await;
    let too_deep = panel.post(MENU, &json!({ "name": "Deeper", "url": "/d", "parent_id": leaf })).await;
    assert!(too_deep.status == 422 && too_deep.json()["errors"]["parent_id"].is_array(), "{}", too_deep.text);
    for parent in [top, leaf] {
        let below_itself = panel.renew(&format!("{MENU}/{top}"), &json!({ "parent_id": parent })).await;
        assert!(below_itself.json()["errors"]["parent_id"].is_array(), "{}", below_itself.text);
    }
    let other = panel.item("Other", None).await;
    let moved = panel.renew(&format!("{MENU}/{child}"), &json!({ "parent_id": other })).await;
    assert_eq!(moved.json()["data"]["parent"], json!({ "id": other, "name": "Other", "url": "/other" }));
    let high = panel.renew(&format!("{MENU}/{other}"), &json!({ "parent_id": top })).await;
    assert_eq!(high.status, 422, "what stands below it would be too deep: {}", high.text);
    let kept = panel.post(&format!("{MENU}/{child}/archive"), &json!({})).await;
    assert_eq!(kept.says(), (409, "menu_item_has_children".into()));
    assert!(kept.json()["message"].as_str().unwrap().contains("Leaf"));
    panel.made(&format!("{MENU}/{leaf}/archive"), json!({})).await;
    panel.made(&format!("{MENU}/{child}/archive"), json!({})).await;
    let back = panel.made(&format!("{MENU}/{leaf}/unarchive"), json!({})).await;
    assert_eq!(back["parent"], Value::Null, "what it stood below is put away");
}

async fn what_is_wrong_with_an_item_is_named(dialect: Dialect) {
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
    assert_eq!(panel.renew(&format!("{MENU}/77"), &json!({})).await.status, 404);
}

async fn a_whole_order_or_none(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let (a, b, c) = (panel.item("A", None).await, panel.item("B", None).await, panel.item("C", None).await);
    let sort = async |list: Value| panel.post(&format!("{MENU}/sort"), &json!({ "menu_items": list })).await;
    let good = json!([{ "id": c }, { "id": a, "parent_id": c }, { "id": b, "parent_id": a }]);
    assert_eq!(sort(good).await.status, 204);
    assert_eq!(panel.tree().await, [(c, None), (a, Some(c)), (b, Some(a))]);
    assert_eq!(sort(json!([{ "id": c }, { "id": a }])).await.says(), (409, "list_changed".into()));
    assert_eq!(sort(json!([{ "id": a, "parent_id": c }, { "id": c }, { "id": b }])).await.status, 422);
    assert_eq!(sort(json!([{ "id": a }, { "id": a }, { "id": b }, { "id": c }])).await.status, 422);
    assert_eq!(panel.tree().await, [(c, None), (a, Some(c)), (b, Some(a))], "nothing of it was written");
}

async fn two_sort_at_once(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let (a, b) = (panel.item("A", None).await, panel.item("B", None).await);
    let path = format!("{MENU}/sort");
    let orders = [
        json!([{ "id": a }, { "id": b, "parent_id": a }]),
        json!([{ "id": b }, { "id": a, "parent_id": b }]),
    ];
    let bodies = orders.map(|order| json!({ "menu_items": order }));
    let (one, two) = tokio::join!(panel.post(&path, &bodies[0]), panel.post(&path, &bodies[1]));
    assert!(one.status == 204 && two.status == 204, "{} {}", one.text, two.text);
    let tree = panel.tree().await;
    assert!(tree == [(a, None), (b, Some(a))] || tree == [(b, None), (a, Some(b))], "{tree:?}");
}

async fn items_are_added_and_deleted(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let made = panel
        .made(ADDED, json!({ "name": "Blog", "url": "https://blog.example", "is_blank": true, "show_in_public": true }))
        .await;
    assert_eq!(
        (&made["show_in_public"], &made["show_in_internal"], &made["is_blank"]),
        (&json!(true), &json!(true), &json!(true))
    );
    let path = format!("{ADDED}/{}", made["id"]);
    let wrong = panel.renew(&path, &json!({ "url": "blog", "name": "" })).await;
    let errors: Vec<_> = wrong.json()["errors"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(errors, ["name", "url"]);
    panel.clock.advance_secs(5);
    let change = json!({ "translations": { "en": { "name": "News" }, "ru": { "name": "Новости" } }, "updated_at": made["updated_at"] });
    let changed = panel.renew(&path, &change).await.json()["data"].clone();
    assert_eq!(
        (&changed["name"], &changed["translations"]["ru"]["name"]),
        (&json!("News"), &json!("Новости"))
    );
    assert_eq!(panel.renew(&path, &change).await.says(), (409, "changed_meanwhile".into()));
    assert_eq!(panel.data(ADDED).await, json!([changed]));
    let settings = panel.get(crate::settings::SETTINGS_PATH).await.json();
    assert_eq!(settings["data"]["custom_menu_items"], json!([changed]), "the settings show them");
    panel.settled(settings["data"].clone()).await;
    assert_eq!(panel.set(json!({ "custom_menu_items": [] })).await.status, 422);
    assert_eq!(panel.post(&format!("{path}/delete"), &json!({})).await.status, 204);
    assert_eq!(panel.data(ADDED).await, json!([]));
    assert_eq!(panel.post(&format!("{path}/delete"), &json!({})).await.status, 404);
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM translations")).await, 0);
}

async fn a_page_lives(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let body = json!({ "route_name": "services.show", "translations": { "en": { "name": "Service", "meta_title": "Buy it" } } });
    let made = panel.made(PAGES, body.clone()).await;
    assert_eq!(
        (&made["status"], &made["translations"]["en"]["meta_title"]),
        (&json!("active"), &json!("Buy it"))
    );
    assert_eq!(panel.post(PAGES, &body).await.says(), (422, "route_name_taken".into()));
    let path = format!("{PAGES}/{}", made["id"]);
    let other = panel.renew(&path, &json!({ "page_id": 77 })).await;
    assert!(other.json()["errors"]["page_id"].is_array());
    panel.clock.advance_secs(5);
    let change = json!({ "page_id": made["id"], "updated_at": made["updated_at"],
        "translations": { "en": { "name": "Service", "meta_description": "All" }, "ja": { "meta_title": "買う" } } });
    let changed = panel.renew(&path, &change).await.json()["data"].clone();
    assert_eq!(changed["translations"], change["translations"], "given texts replace all");
    assert_eq!(panel.renew(&path, &change).await.says(), (409, "changed_meanwhile".into()));
    assert_eq!(panel.post(PAGES, &json!({ "name": "X", "route_name": "A b" })).await.status, 422);
    assert_eq!(panel.made(&format!("{path}/archive"), json!({})).await["status"], "archived");
    assert_eq!(
        panel.post(&format!("{path}/archive"), &json!({})).await.says(),
        (409, "page_archived".into())
    );
    assert_eq!(panel.made(&format!("{path}/unarchive"), json!({})).await["status"], "active");
    assert!(panel.number(Sql::new("SELECT count(*) FROM change_logs WHERE type = 'page'")).await >= 4);
}

async fn pages_come_by_fifteen(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    for at in 0..17 {
        panel.made(PAGES, json!({ "name": format!("Page {at}"), "route_name": format!("page.{at}") })).await;
    }
    let listed = panel.get(PAGES).await.json();
    assert_eq!((listed["data"].as_array().unwrap().len(), &listed["recordsFiltered"]), (15, &json!(17)));
}

async fn archived_items_do_not_fill_the_menu(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let sql = "INSERT INTO menu_items (name, url, sorting, is_archived, created_at, updated_at)
      WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < 500)
      SELECT 'Item ' || i, '/' || i, i, i > 499, 1, 1 FROM n";
    panel.exec(Sql::new(sql)).await;
    panel.item("Last", None).await;
    let body = json!({ "name": "More", "url": "/more" });
    assert_eq!(panel.post(MENU, &body).await.says(), (409, "menu_full".into()));
    let away = panel.post(&format!("{MENU}/1/archive"), &json!({})).await;
    assert_eq!(away.status, 200, "{}", away.text);
    assert_eq!(panel.post(MENU, &body).await.status, 200);
}
