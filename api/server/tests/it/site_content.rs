//! Tests the content of the customer site: it contains only enabled records, in their display order. `added_menu` is the second menu of
//! the site; `auto_promotions` are the services that the site offers to resellers, with the effective resale margin.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::Panel;

test_both_databases! {
    the_site_content_requires_a_permission_and_contains_only_enabled_records;
    promoted_services_have_the_margin_of_the_nearest_level;
}

const CONTENT_PATH: &str = "/api/v1/site/content";

impl Panel {
    async fn fetch_site_content(&self) -> Value {
        let response = self.get_as("site", CONTENT_PATH, "application/json").await;
        assert_eq!(response.status, 200, "{}", response.text);
        response.json()["data"].clone()
    }
}

/// The values of a field in all records of a list.
fn values_of(list: &Value, field: &str) -> Vec<Value> {
    list.as_array().unwrap().iter().map(|record| record[field].clone()).collect()
}

async fn the_site_content_requires_a_permission_and_contains_only_enabled_records(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    panel.create_staff("site", &[Permission::UseSiteApi]).await;
    panel.create_staff("ada", &[Permission::ViewServices]).await;
    assert_eq!(panel.get_as("ada", CONTENT_PATH, "application/json").await.status, 403);
    let empty_content = panel.fetch_site_content().await;
    for list in ["menu", "added_menu", "banners", "special_offers", "auto_promotions"] {
        assert_eq!(empty_content[list], json!([]), "{list}");
    }
    // The menu does not contain a disabled item or the items below it.
    let items_path = "/api/v1/admin/panel-menu-items";
    let top_item = panel
        .post_data(
            items_path,
            json!({ "name": "Help", "url": "/help", "translations": { "de": { "name": "Hilfe" } } }),
        )
        .await;
    let child_item = panel
        .post_data(items_path, json!({ "name": "Faq", "url": "/faq", "parent_id": top_item["id"] }))
        .await;
    let disabled_record =
        panel.post_data(items_path, json!({ "name": "Off", "url": "/off", "is_enabled": false })).await;
    panel
        .post_data(items_path, json!({ "name": "Lost", "url": "/lost", "parent_id": disabled_record["id"] }))
        .await;
    let content = panel.fetch_site_content().await;
    assert_eq!(values_of(&content["menu"], "id"), [top_item["id"].clone(), child_item["id"].clone()]);
    assert_eq!(
        content["menu"][0]["translations"],
        json!({ "en": { "name": "Help" }, "de": { "name": "Hilfe" } })
    );
    assert_eq!(content["menu"][1]["parent_id"], top_item["id"]);
    let page_record = panel
        .post_data("/api/v1/admin/panel-pages", json!({ "name": "Questions", "route_name": "faq.more" }))
        .await;
    assert!(values_of(&panel.fetch_site_content().await["pages"], "route_name").contains(&json!("faq.more")));
    let archive_response =
        panel.post(&format!("/api/v1/admin/panel-pages/{}/archive", page_record["id"]), &json!({})).await;
    assert_eq!(archive_response.status, 200, "{}", archive_response.text);
    assert!(
        !values_of(&panel.fetch_site_content().await["pages"], "route_name").contains(&json!("faq.more"))
    );
    // An enabled offer shows its enabled services.
    let offer_body = json!({ "name": "Hot", "network_id": 1, "place": "home_page", "position": "second", "services": [3, 1, 2], "is_enabled": true });
    let offer = panel.post_data("/api/v1/admin/special-offers", offer_body).await;
    panel.execute(Sql::new("UPDATE services SET is_enabled = FALSE WHERE id = 1")).await;
    let site_offers = panel.fetch_site_content().await["special_offers"].clone();
    assert_eq!(site_offers[0]["services"], json!([3, 2]));
    assert_eq!(
        (&site_offers[0]["place"], &site_offers[0]["translations"]["en"]["name"]),
        (&json!("home_page"), &json!("Hot"))
    );
    let disable_response =
        panel.post(&format!("/api/v1/admin/special-offers/{}/disable", offer["id"]), &json!({})).await;
    assert_eq!(
        (disable_response.status.as_u16(), panel.fetch_site_content().await["special_offers"].clone()),
        (200, json!([]))
    );
    let banner_body = json!({ "place": "sidebar", "type": "content", "content": "Hello" });
    let banner = panel.post_data("/api/v1/admin/banners", banner_body).await;
    assert_eq!(panel.fetch_site_content().await["banners"][0]["content"], "Hello");
    panel.execute(Sql::new("UPDATE banners SET type = 'none'")).await;
    assert_eq!(
        (panel.fetch_site_content().await["banners"].clone(), banner["is_enabled"].clone()),
        (json!([]), json!(true))
    );
}

async fn promoted_services_have_the_margin_of_the_nearest_level(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    panel.create_staff("site", &[Permission::UseSiteApi]).await;
    // The margin of a service overrides the margin of its type, which overrides the margin of its network. Each can be disabled.
    let promotions_path = "/api/v1/admin/auto-promotions";
    panel.post_data(&format!("{promotions_path}/services"), json!({ "services": [1, 2, 3] })).await;
    for sql in [
        "UPDATE auto_promotion_networks SET resale_margin_ppm = 100000",
        "UPDATE auto_promotions SET resale_margin_ppm = 250000 WHERE service_id = 2",
        "UPDATE services SET is_enabled = FALSE WHERE id = 3",
    ] {
        panel.execute(Sql::new(sql)).await;
    }
    let promotion_margins = |content: &Value| {
        let promotions = content["auto_promotions"].as_array().unwrap().clone();
        promotions
            .iter()
            .map(|promotion| {
                (promotion["service"]["id"].clone(), promotion["resale_margin_fraction"].clone())
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(
        promotion_margins(&panel.fetch_site_content().await),
        [(json!(1), json!("0.1")), (json!(2), json!("0.25"))]
    );
    panel.execute(Sql::new("UPDATE auto_promotion_types SET resale_margin_ppm = 200000")).await;
    assert_eq!(
        promotion_margins(&panel.fetch_site_content().await),
        [(json!(1), json!("0.2")), (json!(2), json!("0.25"))]
    );
    for disable_sql in [
        "UPDATE auto_promotions SET is_enabled = FALSE",
        "UPDATE auto_promotion_types SET is_enabled = FALSE",
        "UPDATE auto_promotion_networks SET is_enabled = FALSE",
    ] {
        panel.execute(Sql::new(disable_sql)).await;
        assert!(promotion_margins(&panel.fetch_site_content().await).is_empty(), "{disable_sql}");
        for enable_sql in [
            "UPDATE auto_promotions SET is_enabled = TRUE",
            "UPDATE auto_promotion_types SET is_enabled = TRUE",
            "UPDATE auto_promotion_networks SET is_enabled = TRUE",
        ] {
            panel.execute(Sql::new(enable_sql)).await;
        }
    }
}
