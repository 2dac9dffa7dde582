//! The content of the customer site: only enabled records, in their order, with the effective margin of promoted services.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::Panel;

both! {
    the_site_content_has_only_enabled_records;
    only_the_site_permission_allows_reading_the_content;
}

const CONTENT: &str = "/api/v1/site/content";

impl Panel {
    async fn site_content(&self) -> Value {
        let answer = self.get_as("site", CONTENT, "application/json").await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["data"].clone()
    }
}

/// The values of a field in all records of a list.
fn values_of(list: &Value, field: &str) -> Vec<Value> {
    list.as_array().unwrap().iter().map(|record| record[field].clone()).collect()
}

async fn the_site_content_has_only_enabled_records(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel.create_staff("site", &[Permission::UseSiteApi]).await;
    let empty = panel.site_content().await;
    for list in ["menu", "added_menu", "banners", "special_offers", "auto_promotions"] {
        assert_eq!(empty[list], json!([]), "{list}");
    }
    // The menu does not contain a disabled item or the items below it.
    let items = "/api/v1/admin/panel-menu-items";
    let top = panel
        .post_data(
            items,
            json!({ "name": "Help", "url": "/help", "translations": { "de": { "name": "Hilfe" } } }),
        )
        .await;
    let child = panel.post_data(items, json!({ "name": "Faq", "url": "/faq", "parent_id": top["id"] })).await;
    let disabled = panel.post_data(items, json!({ "name": "Off", "url": "/off", "is_enabled": false })).await;
    panel.post_data(items, json!({ "name": "Lost", "url": "/lost", "parent_id": disabled["id"] })).await;
    let content = panel.site_content().await;
    assert_eq!(values_of(&content["menu"], "id"), [top["id"].clone(), child["id"].clone()]);
    assert_eq!(
        content["menu"][0]["translations"],
        json!({ "en": { "name": "Help" }, "de": { "name": "Hilfe" } })
    );
    assert_eq!(content["menu"][1]["parent_id"], top["id"]);
    let page = panel
        .post_data("/api/v1/admin/panel-pages", json!({ "name": "Questions", "route_name": "faq.more" }))
        .await;
    assert!(values_of(&panel.site_content().await["pages"], "route_name").contains(&json!("faq.more")));
    let archived = panel.post(&format!("/api/v1/admin/panel-pages/{}/archive", page["id"]), &json!({})).await;
    assert_eq!(archived.status, 200, "{}", archived.text);
    assert!(!values_of(&panel.site_content().await["pages"], "route_name").contains(&json!("faq.more")));
    // An enabled offer shows its enabled services.
    let offer = json!({ "name": "Hot", "network_id": 1, "place": "home_page", "position": "second", "services": [3, 1, 2], "is_enabled": true });
    let offer = panel.post_data("/api/v1/admin/special-offers", offer).await;
    panel.execute(Sql::new("UPDATE services SET is_enabled = FALSE WHERE id = 1")).await;
    let offers = panel.site_content().await["special_offers"].clone();
    assert_eq!(offers[0]["services"], json!([3, 2]));
    assert_eq!(
        (&offers[0]["place"], &offers[0]["translations"]["en"]["name"]),
        (&json!("home_page"), &json!("Hot"))
    );
    let disabled =
        panel.post(&format!("/api/v1/admin/special-offers/{}/disable", offer["id"]), &json!({})).await;
    assert_eq!(
        (disabled.status.as_u16(), panel.site_content().await["special_offers"].clone()),
        (200, json!([]))
    );
    let banner = json!({ "place": "sidebar", "type": "content", "content": "Hello" });
    let banner = panel.post_data("/api/v1/admin/banners", banner).await;
    assert_eq!(panel.site_content().await["banners"][0]["content"], "Hello");
    panel.execute(Sql::new("UPDATE banners SET type = 'none'")).await;
    assert_eq!(
        (panel.site_content().await["banners"].clone(), banner["is_enabled"].clone()),
        (json!([]), json!(true))
    );
}

async fn only_the_site_permission_allows_reading_the_content(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel.create_staff("site", &[Permission::UseSiteApi]).await;
    panel.create_staff("ada", &[Permission::ViewServices]).await;
    assert_eq!(panel.get_as("ada", CONTENT, "application/json").await.status, 403);
    // The margin of a service takes precedence over that of its type, and that over its network's. Each level can be disabled.
    let promotions = "/api/v1/admin/auto-promotions";
    panel.post_data(&format!("{promotions}/services"), json!({ "services": [1, 2, 3] })).await;
    for sql in [
        "UPDATE auto_promotion_networks SET resale_margin_ppm = 100000",
        "UPDATE auto_promotions SET resale_margin_ppm = 250000 WHERE service_id = 2",
        "UPDATE services SET is_enabled = FALSE WHERE id = 3",
    ] {
        panel.execute(Sql::new(sql)).await;
    }
    let margins = |content: &Value| {
        let promoted = content["auto_promotions"].as_array().unwrap().clone();
        promoted
            .iter()
            .map(|promotion| {
                (promotion["service"]["id"].clone(), promotion["resale_margin_fraction"].clone())
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(margins(&panel.site_content().await), [(json!(1), json!("0.1")), (json!(2), json!("0.25"))]);
    panel.execute(Sql::new("UPDATE auto_promotion_types SET resale_margin_ppm = 200000")).await;
    assert_eq!(margins(&panel.site_content().await), [(json!(1), json!("0.2")), (json!(2), json!("0.25"))]);
    for disable in [
        "UPDATE auto_promotions SET is_enabled = FALSE",
        "UPDATE auto_promotion_types SET is_enabled = FALSE",
        "UPDATE auto_promotion_networks SET is_enabled = FALSE",
    ] {
        panel.execute(Sql::new(disable)).await;
        assert!(margins(&panel.site_content().await).is_empty(), "{disable}");
        for enable in [
            "UPDATE auto_promotions SET is_enabled = TRUE",
            "UPDATE auto_promotion_types SET is_enabled = TRUE",
            "UPDATE auto_promotion_networks SET is_enabled = TRUE",
        ] {
            panel.execute(Sql::new(enable)).await;
        }
    }
}
